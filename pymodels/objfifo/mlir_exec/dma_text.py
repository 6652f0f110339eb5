# SPDX-License-Identifier: Apache-2.0
"""DMA programs in text: descriptors, rings and chains, their locks and starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NoReturn

from goldbeat.pymodels.objfifo.live.array import LiveArray, LiveBuffer
from goldbeat.pymodels.objfifo.live.dma import OUT_OF_ORDER_IDS, LiveBd, LiveChannel, LiveTask
from goldbeat.pymodels.objfifo.live.lock import LiveLock
from goldbeat.pymodels.objfifo.live.walk import element_walk, outer_turns
from goldbeat.pymodels.objfifo.mlir_exec.memref_ops import bracket_lists, cursor_on, memref_type, slot_values
from goldbeat.pymodels.objfifo.mlir_exec.tree import MlirBlock, MlirOp
from goldbeat.pymodels.objfifo.mlir_text.lexer import Token
from goldbeat.pymodels.objfifo.mlir_text.values import named_numbers
from goldbeat.pymodels.objfifo.plan.plan import Bd, Direction, Iteration, PacketHeader
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind, bd_ids

Failing = Callable[[MlirOp, str, str], NoReturn]
_DIMS, _PAD = ("size", "stride"), ("const_pad_before", "const_pad_after")


class HostArgument(str):
    """An argument of the sequence, by its name."""


class HostScalar(str):
    """A number that is handed to the sequence, by its name."""


class DmaText:
    """Reads DMA programs into an array.

    Args:
        array: what they become part of.
        fail: raises an error at an operation.
    """

    def __init__(self, array: LiveArray, fail: Failing) -> None:
        self.array = array
        self.fail = fail
        self.taken: dict[Tile, set[int]] = {}
        self._tasks = 0

    # -- programs of a tile

    def region(self, op: MlirOp, tile: Tile, env: dict[str, Any]) -> None:
        """``aie.mem``, ``aie.memtile_dma`` or ``aie.shim_dma``."""
        blocks = op.regions[0]
        self.reserve(tile, op)
        for block in blocks:
            self.constants(block, env)
            for one in block.ops:
                if one.name == "aie.dma_start":
                    self._start(one, tile, blocks, env)
                elif one.name == "aie.dma":
                    self._short(one, tile, env)

    def _taken(self, tile: Tile) -> set[int]:
        return self.taken.setdefault(tile, {key for key in self.array.bds[tile] if isinstance(key, int)})

    def reserve(self, tile: Tile, op: MlirOp) -> None:
        """Numbers that descriptors ask for are nobody else's."""
        taken = self._taken(tile)
        for inner in op.everything:
            if inner.name == "aie.dma_bd" and "bd_id" in inner.attributes:
                taken.add(int(inner.attributes["bd_id"]))

    def constants(self, block: MlirBlock, env: dict[str, Any]) -> None:
        """Numbers that a block declares."""
        from goldbeat.pymodels.objfifo.mlir_exec.interpreter import constant_value

        for one in block.ops:
            if one.name == "arith.constant":
                env[one.results[0]] = constant_value(one)

    def _start(self, op: MlirOp, tile: Tile, blocks: list[MlirBlock], env: dict[str, Any]) -> None:
        words = [t.text.strip('"') for t in op.tokens if t.kind in ("word", "string", "number")]
        direction, index = Direction(words[0]), int(words[1])
        label = next(t.text for t in op.tokens if t.kind == "block")
        first = self.chain(op, tile, index, blocks, label, env, int(op.attributes.get("pad_value", 0)))
        repeat = _named(op, "repeat_count", env) or 0
        token = bool(op.attributes.get("issue_token", False))
        channel = self.array.channel(tile, direction, index)
        self.order(op, channel)
        if channel.fifo:
            self.fail(op, f"{channel.name}, which is used by fifo {channel.fifo}", "a channel that is free")
        if first is not None:
            channel.queue.append(LiveTask(first, repeat, token))

    def order(self, op: MlirOp, channel: LiveChannel) -> None:
        """``out_of_order``: the headers of packets name the descriptors."""
        if not op.attributes.get("out_of_order", False):
            return
        if channel.direction is not Direction.S2MM:
            self.fail(op, f"out_of_order on {channel.name}", "a channel that receives (S2MM)")
        channel.ordered = False

    def _short(self, op: MlirOp, tile: Tile, env: dict[str, Any]) -> None:
        """``aie.dma(S2MM, 0) [{...}, {...}]``: a ring unless ``loop = false``."""
        words = [t.text for t in op.tokens if t.kind in ("word", "number")]
        direction, index = Direction(words[0]), int(words[1])
        blocks = [region[0] for region in op.regions]
        keys = []
        for number, block in enumerate(blocks):
            block.label = f"^{number}"
            self.constants(block, env)
            keys.append(self._number(op, tile, index, block))
        loop = op.attributes.get("loop", True)
        for number, (key, block) in enumerate(zip(keys, blocks, strict=True)):
            last = number == len(keys) - 1
            following = (keys[0] if loop else None) if last else keys[number + 1]
            made = self.array.bds[tile][key] = self.descriptor(tile, block, env, following)
            made.pad = int(op.attributes.get("pad_value", 0)) & 0xFFFFFFFF
        repeat = int(op.attributes.get("repeat_count", 0))
        self.array.channel(tile, direction, index).queue.append(LiveTask(keys[0], repeat))

    # -- chains

    def chain(
        self,
        op: MlirOp,
        tile: Tile,
        index: int,
        blocks: list[MlirBlock],
        label: str,
        env: dict[str, Any],
        pad: int = 0,
    ) -> Any:
        """The descriptors from a block on; the key of the first, None where there is none."""
        named = {b.label: b for b in blocks}
        order: list[str] = []
        keys: dict[str, Any] = {}
        at: str | None = label
        while at is not None and at not in keys and at in named:
            block = named[at]
            self.constants(block, env)
            if not any(o.name == "aie.dma_bd" for o in block.ops):
                break
            keys[at] = self._number(op, tile, index, block)
            order.append(at)
            at = _next(block)
        for name in order:
            following = _next(named[name])
            bd = self.descriptor(tile, named[name], env, None if following is None else keys.get(following))
            bd.pad = pad & 0xFFFFFFFF
            self.array.bds[tile][keys[name]] = bd
        return keys[order[0]] if order else None

    def _number(self, op: MlirOp, tile: Tile, index: int, block: MlirBlock) -> Any:
        bd = next(o for o in block.ops if o.name == "aie.dma_bd")
        if "bd_id" in bd.attributes:
            asked = int(bd.attributes["bd_id"])
            if asked not in bd_ids(tile, index):
                self.fail(bd, f"bd_id {asked} for channel {index} of {tile}", f"one of {bd_ids(tile, index)}")
            return asked
        taken = self._taken(tile)
        number = next((n for n in bd_ids(tile, index) if n not in taken), None)
        if number is None:
            self.fail(op, f"more than {len(bd_ids(tile, index))} descriptors", "at most that many")
        taken.add(number)
        return number

    def task(self, op: MlirOp, tile: Tile, blocks: list[MlirBlock], env: dict[str, Any]) -> Any:
        """A chain of the host's sequence: descriptors without a number get keys of their own."""
        number, header = behind(op, "bd_id", env), packet_of(op.tokens)
        keys: dict[str, Any] = {}
        for block in blocks:
            self.constants(block, env)
            bd = next((o for o in block.ops if o.name == "aie.dma_bd"), None)
            if bd is not None:
                self._tasks += 1
                drawn = behind(bd, "bd_id_val", env)
                asked = number if drawn is None else drawn
                keys[block.label] = bd.attributes.get("bd_id", ("task", self._tasks) if asked is None else asked)
        if len(keys) > 1 and number is not None:
            self.fail(op, f"one bd_id for {len(keys)} descriptors", "a chain of one")
        if not keys:
            self.fail(op, "a task without a descriptor", "aie.dma_bd")
        for block in blocks:
            if block.label in keys:
                following = _next(block)
                after = None if following is None else keys.get(following)
                bd_made = self.descriptor(tile, block, env, after, header)
                self.write(op, tile, keys[block.label], bd_made)
        return next(iter(keys.values()))

    def write(self, op: MlirOp, tile: Tile, key: Any, bd: LiveBd) -> None:
        """Write a descriptor while the array runs; one that is at work must not be written."""
        busy = [c.name for c in self.array.channels.values() if c.tile == tile and c.uses(key)]
        if busy:
            self.fail(op, f"descriptor {key} of {tile} is written while {busy[0]} uses it", "a wait before")
        self.array.bds[tile][key] = bd

    # -- one descriptor

    def descriptor(
        self, tile: Tile, block: MlirBlock, env: dict[str, Any], following: Any, header: PacketHeader | None = None
    ) -> LiveBd:
        """The descriptor of a block; ``header``: of its packets where it names none."""
        takes: tuple[LiveLock, int, bool] | None = None
        gives: tuple[LiveLock, int] | None = None
        made: LiveBd | None = None
        for op in block.ops:
            if op.name == "aie.use_lock":
                lock, action, count = lock_use(op, env)
                if action == "Release":
                    gives = (lock, count) if count else None
                else:
                    takes = (lock, count, action == "Acquire") if count or action == "Acquire" else None
            elif op.name == "aie.dma_bd":
                made = self._bd(op, tile, env)
            elif op.name == "aie.dma_bd_packet":
                header = PacketHeader(*reversed(_packet_operands(op)))
        assert made is not None
        if header is not None and made.bd.packet is None:
            made.bd = replace(made.bd, packet=header)
        named = [o for o in block.ops if "out_of_order_id" in o.attributes]
        if named and made.bd.packet is None:
            self.fail(named[0], "out_of_order_id without a packet", "aie.dma_bd_packet, or a packet of the descriptor")
        made.takes, made.gives, made.next = takes, gives, following
        return made

    def _bd(self, op: MlirOp, tile: Tile, env: dict[str, Any]) -> LiveBd:
        name = op.operands[0]
        target = env.get(f"buffer {name}", env.get(name))
        obj = memref_type(op)
        if isinstance(target, HostArgument):
            memory, base = self.array.hosts[target], 0
            obj = self.array.host_types[target] if obj is None or not op.tokens else obj
        elif isinstance(target, LiveBuffer):
            memory, base = self.array.memory(target.tile), target.address or 0
            obj = obj or target.obj
        else:
            self.fail(op, f"{name}, which is no buffer", "a buffer or an argument of the sequence")
        assert obj is not None
        item = obj.dtype.itemsize
        for flag in ("compression", "enable_compression"):
            if op.attributes.get(flag):
                self.fail(op, "compression", "a descriptor without it")
        offset, length, dims, pads = self._shape(op, env)
        offset += self.moved(op)
        if length is None:
            length = _product(dims, pads) if dims else obj.elements
        iteration = self._iteration(op, item)
        turns: tuple[int, ...] = ()
        if tile.kind is TileKind.SHIM and len(dims) > 3:
            turns, dims = outer_turns(dims[:-3], item, f"line {op.token.line}"), dims[-3:]
        walk = _walk(op, offset, length, dims, pads, item)
        shifted = walk.copy()
        shifted[walk >= 0] += base // WORD_BYTES
        bd = Bd(-1, name, base, len(walk), iteration=iteration, packet=self._packet(op))
        slot = int(op.attributes.get("out_of_order_id", 0)) & OUT_OF_ORDER_IDS
        pad = int(op.attributes.get("pad_value", 0))
        return LiveBd(bd, memory, pad=pad, slot=slot, walk=shifted, turns=turns)

    def moved(self, op: MlirOp) -> int:
        """Elements that a parameter of the scratchpad moves a transfer by."""
        name = op.attributes.get("offset_parameter")
        return 0 if name is None else self.array.scratchpad.offset(str(name))

    def _shape(self, op: MlirOp, env: dict[str, Any]) -> tuple[int, int | None, Any, Any]:
        """Offset, length, (size, stride) pairs and padding, all outermost first."""
        offset = _named(op, "offset", env)
        length = _named(op, "len", env)
        if length is None and "len" in op.attributes:
            length = int(op.attributes["len"])
        dims: Any = ()
        pads: Any = ()
        named = False
        for number, token in enumerate(op.tokens):
            if token.text == "sizes" and token.kind == "word":
                sizes, strides = (slot_values(s, env) for s in bracket_lists(op.tokens[number:])[:2])
                dims, named = tuple(zip(sizes, strides, strict=True)), True
        for group in _angle_lists(op.tokens):
            cursor = cursor_on(group)
            if any(t.text == _PAD[0] for t in group):
                pads = named_numbers(cursor, group, *_PAD)
            elif any(t.text == "size" for t in group):
                dims = named_numbers(cursor, group, *_DIMS)
        if offset is None and length is None and not named:
            plain = [t for t in _after_type(op.tokens) if t.kind == "number"]
            if plain:
                offset = int(plain[0].text, 0)
                length = int(plain[1].text, 0) if len(plain) > 1 else None
        return offset or int(op.attributes.get("offset", 0)), length, dims, pads

    def _iteration(self, op: MlirOp, item: int) -> Iteration:
        found = op.attributes.get("iteration")
        if not isinstance(found, list):
            return Iteration()
        texts = [t.text for t in found]

        def value(name: str, default: int) -> int:
            return int(texts[texts.index(name) + 2]) if name in texts else default

        return Iteration(value("size", 1), value("stride", 0) * item // WORD_BYTES, value("current", 0))

    def _packet(self, op: MlirOp) -> PacketHeader | None:
        return packet_of(op.attributes.get("packet"))


def behind(op: MlirOp, word: str, env: dict[str, Any]) -> int | None:
    """The value behind a word, as in ``repeat %n``; None without one."""
    for token, value in zip(op.tokens, op.tokens[1:], strict=False):
        if token.text == word and value.kind == "ssa":
            return int(env[value.text])
    return None


def packet_of(found: Any) -> PacketHeader | None:
    """``#aie.packet_info<pkt_type = 0, pkt_id = 1>``; None without one."""
    if not isinstance(found, list):
        return None
    texts = [t.text for t in found]
    if "pkt_id" not in texts:
        return None
    return PacketHeader(int(texts[texts.index("pkt_id") + 2], 0), int(texts[texts.index("pkt_type") + 2], 0))


def packet_in(tokens: list[Token]) -> PacketHeader | None:
    """The header of ``<pkt_id = 1>`` among tokens; its type is 0 where it has none."""
    texts = [t.text for t in tokens]
    if "pkt_id" not in texts:
        return None
    kind = int(texts[texts.index("pkt_type") + 2], 0) if "pkt_type" in texts else 0
    return PacketHeader(int(texts[texts.index("pkt_id") + 2], 0), kind)


def _packet_operands(op: MlirOp) -> tuple[int, ...]:
    """Type and id."""
    return tuple(int(t.text, 0) for t in op.tokens if t.kind == "number")


def lock_use(op: MlirOp, env: dict[str, Any]) -> tuple[LiveLock, str, int]:
    """Lock, action and count of ``aie.use_lock``."""
    names = op.operands
    action = next(t.text.strip('"') for t in op.tokens if t.kind in ("word", "string"))
    if len(names) > 1:
        count = int(env[names[1]])
    else:
        numbers = [t for t in op.tokens if t.kind == "number"]
        count = int(numbers[0].text, 0) if numbers else 1
    return env[names[0]], action, count


def _walk(op: MlirOp, offset: int, length: int, dims: Any, pads: Any, item: int) -> Any:
    """Length ends the walk, the outermost dimension goes on until then."""
    what = f"line {op.token.line}"
    if not dims:
        return element_walk(offset, [(length, 1)], item, what)
    inner = _product(dims[1:], pads[1:])
    outer = -(-length // inner) if not (pads and sum(pads[0])) else dims[0][0]
    found = element_walk(offset, [(outer, dims[0][1]), *dims[1:]], item, what, pads)
    return found[: length * item // WORD_BYTES]


def _product(dims: Any, pads: Any) -> int:
    found = 1
    for number, (size, _) in enumerate(dims):
        before, after = pads[number] if number < len(pads) else (0, 0)
        found *= size + before + after
    return found


def _named(op: MlirOp, name: str, env: dict[str, Any]) -> int | None:
    """The number behind ``name =``."""
    for number, token in enumerate(op.tokens[:-2]):
        if token.text == name and op.tokens[number + 1].text == "=":
            value = op.tokens[number + 2]
            return int(env[value.text]) if value.kind == "ssa" else int(value.text, 0)
    return None


def _angle_lists(tokens: list[Token]) -> Iterator[list[Token]]:
    """Every ``[<...>, <...>]``."""
    for number, token in enumerate(tokens[:-1]):
        if token.text == "[" and tokens[number + 1].text == "<":
            end = next(n for n in range(number, len(tokens)) if tokens[n].text == "]")
            yield tokens[number + 1 : end]


def _after_type(tokens: list[Token]) -> list[Token]:
    """What is behind the buffer's type."""
    depth = 0
    for number, token in enumerate(tokens):
        if token.text == "<":
            depth += 1
        elif token.text == ">":
            depth -= 1
            if depth == 0:
                return tokens[number:]
    return tokens


def _next(block: MlirBlock) -> str | None:
    for op in block.ops:
        if op.name == "aie.next_bd":
            return next(t.text for t in op.tokens if t.kind == "block")
    return None
