# SPDX-License-Identifier: Apache-2.0
"""The host's sequence in text: transfers, tasks, waits, raw writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.artefact import tile_registers as reg
from goldbeat.pymodels.objfifo.live.agent import LiveProgram
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.bd_pool import BdPools
from goldbeat.pymodels.objfifo.live.dma import LiveChannel, LiveTask
from goldbeat.pymodels.objfifo.live.from_plan import LiveFifos
from goldbeat.pymodels.objfifo.live.registers import LiveRegisters
from goldbeat.pymodels.objfifo.live.written_bd import WalkTarget, placed_move
from goldbeat.pymodels.objfifo.mlir_exec.dma_text import DmaText, HostArgument, HostScalar, behind
from goldbeat.pymodels.objfifo.mlir_exec.interpreter import Env, ScalarProgram, Waits
from goldbeat.pymodels.objfifo.mlir_text.dma_ops import require_channel
from goldbeat.pymodels.objfifo.mlir_text.host_ops import NOTHING, read_move
from goldbeat.pymodels.objfifo.mlir_text.scope import within
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.plan.plan import ChannelKey, Direction, PacketHeader
from goldbeat.pymodels.objfifo.plan.tile import LOCK_MAX, REPEATS, WORD_BYTES, Tile, TileKind

Flow = Callable[[Env], Waits]
SCRATCHPAD = "scratchpad"
"""The input that stands for the words of the state table."""
FETCH = "aiex.sync_scratchpad_parameters_from_host"


def _at_once(code: Callable[[Env], None]) -> Flow:
    """What waits for nothing."""

    def run(env: Env) -> Waits:
        code(env)
        return None
        yield None

    return run


class HostProgram(ScalarProgram):
    """The host's sequence.

    Args:
        file, functions, kernels: as of :class:`ScalarProgram`.
        array, dma, registers: what it works on.
        channels: channels by the names of allocations and fifos.
        hosts: its arguments, in order.
        device: name of the device.
    """

    def __init__(
        self,
        file: Path | None,
        functions: Mapping[str, MlirOp],
        kernels: Mapping[str, Callable[..., Any]],
        array: LiveArray,
        dma: DmaText,
        registers: LiveRegisters,
        channels: Mapping[str, ChannelKey],
        hosts: list[str],
        device: str = "",
    ) -> None:
        super().__init__(file, functions, kernels)
        self.array, self.dma, self.registers = array, dma, registers
        self.channels, self.hosts, self.device = channels, hosts, device
        self.headers: Mapping[str, PacketHeader] = {}
        """Of allocations whose transfers are packets."""
        self.fifos = LiveFifos({}, {})
        self.pools = BdPools(array)
        self._leading: list[MlirOp] = []
        self._moves = 0

    def program(self, op: MlirOp, env: Env) -> LiveProgram:
        """The whole sequence."""
        for name, value in env.items():
            if isinstance(value, HostScalar):
                env[name] = self.array.scalars[value]
        fetches = self.array.scratchpad.wanted and not any(o.name == FETCH for o in op.everything)
        if op.attributes.get("emit_parameter_sync_preamble", fetches):
            self.array.scratchpad.fetch()
        self._leading = self._loads(op)
        yield from self.region(op.blocks, env)

    def other(self, op: MlirOp) -> None:
        """Prepare an operation of ``aiex``."""
        found = {
            "aiex.npu.dma_memcpy_nd": self._move,
            "aiex.npu.dma_wait": self._wait,
            "aiex.npu.sync": self._sync,
            "aiex.npu.write32": self._write,
            "aiex.npu.maskwrite32": self._mask,
            "aiex.npu.blockwrite": self._block,
            "aiex.npu.writebd": self._writebd,
            "aiex.npu.push_queue": self._push,
            "aiex.npu.address_patch": self._patch,
            "aiex.npu.rtp_write": self._parameter,
            "aiex.set_lock": self._set_lock,
            "aiex.dma_configure_task": self._configure,
            "aiex.dma_configure_task_for": self._configure,
            "aiex.dma_start_task": self._start,
            "aiex.dma_await_task": self._await,
            "aiex.dma_channel_reset": self._reset,
            "aiex.dma_channel_reset_for": self._rearm,
            "aiex.core_reset": self._core_reset,
            "aiex.buffer_clear": self._clear,
            "aiex.dma_bd_pool_pop": self._pop,
            "aiex.dma_bd_pool_push": self._give,
            "aiex.configure": self._configured,
            "aiex.npu.load_pdi": self._load,
            FETCH: self._fetch,
            "aiex.npu.create_scratchpad": self._create,
            "aiex.npu.update_from_scratchpad": self._update,
        }.get(op.name)
        if found is not None:
            op.flow = found(op)
        elif op.name in (*NOTHING, "aiex.dma_free_task") or op.name.startswith("aie.trace"):
            op.code = lambda env: None
        else:
            super().other(op)

    def _loads(self, op: MlirOp) -> list[MlirOp]:
        """The configurations that a sequence begins with: the last one is that of the device at hand, as the array is."""
        found: list[MlirOp] = []
        for one in op.ops:
            if one.name == "aiex.npu.load_pdi":
                found.append(one)
            elif one.name != "arith.constant":
                break
        if found and str(found[-1].attributes.get("device_ref", self.device)) != self.device:
            self.fail(found[-1], f"@{found[-1].attributes['device_ref']}", f"the device at hand, @{self.device}")
        return found

    def _load(self, op: MlirOp) -> Flow:
        if not any(op is one for one in self._leading):
            self.fail(op, "a configuration in the middle of the sequence", "aiex.npu.load_pdi at its start")
        return _at_once(lambda env: None)

    def _fetch(self, op: MlirOp) -> Flow:
        return _at_once(lambda env: self.array.scratchpad.fetch())

    def _create(self, op: MlirOp) -> Flow:
        count = int(op.attributes["size"]) // WORD_BYTES

        def create(env: Env) -> None:
            self.array.scratchpad.table = [int(word) for word in self.array.hosts[SCRATCHPAD][:count]]

        return _at_once(create)

    def _update(self, op: MlirOp) -> Flow:
        found = op.attributes
        buffer = self.array.buffers.get(str(found.get("buffer", "")))
        known = ("state_table_idx", "buffer", "address")
        others = [f"{name} = {value}" for name, value in found.items() if name not in known and value]
        if buffer is None or others or int(found.get("address", 0)):
            self.fail(op, ", ".join(others) or "another place", "an entry that is added to the first words of a buffer")
        index, at = int(found["state_table_idx"]), (buffer.address or 0) // WORD_BYTES

        def update(env: Env) -> None:
            memory = self.array.memory(buffer.tile)
            memory[at : at + 2] = self.array.scratchpad.added(index, (int(memory[at]), int(memory[at + 1])))

        return _at_once(update)

    def _channel(self, op: MlirOp, name: str) -> ChannelKey:
        found = self.channels.get(name)
        if found is None:
            self.fail(op, f"@{name}", "a fifo at a shim, or an aie.shim_dma_allocation")
        return found

    # -- transfers

    def _move(self, op: MlirOp) -> Flow:
        tile, way, index = self._channel(op, str(op.attributes.get("metadata", "")))

        def move(env: Env) -> Waits:
            line = read_move(op, env)
            host = env[line.host]
            if not isinstance(host, HostArgument):
                self.fail(op, line.host, "an argument of the sequence")
            place = WalkTarget(host, self.array.hosts[host], 0, self.array.host_types[host])
            packet = line.packet or self.headers.get(line.metadata)
            offset = line.offset + self.dma.moved(op)
            bd = placed_move(offset, line.dims, tile, place, packet, op.fail, op.place)
            self._moves += 1
            if line.bd is not None:
                self.array.claim_bd(tile, line.bd, (tile, way, index), f"line {op.token.line}")
                self.dma.write(op, tile, line.bd, bd)
            key: Any = ("move", self._moves) if line.bd is None else line.bd
            self.array.bds[tile][key] = bd
            token = way is Direction.S2MM or line.token
            yield self.array.push(tile, way, index, LiveTask(key, 0, token))

        return move

    def _configure(self, op: MlirOp) -> Flow:
        if op.name.endswith("_for"):
            target: ChannelKey | None = self._channel(op, op.symbols[0])
            packet = self.headers.get(op.symbols[0])
        else:
            target = packet = None

        def configure(env: Env) -> Waits:
            if target is not None:
                tile, way, index = target
            else:
                words = [t.text for t in op.tokens if t.kind in ("word", "number")]
                tile, way, index = env[op.operands[0]], Direction(words[0]), int(words[1])
                require_channel(op, tile, way, index)
            first = self.dma.task(op, tile, env, packet)
            drawn = behind(op, "repeat", env)
            repeat = int(op.attributes.get("repeat_count", 0)) if drawn is None else drawn
            within(op, "a repeat count of", repeat, REPEATS - 1)
            self._order(op, self.array.channel(tile, way, index))
            token = bool(op.attributes.get("issue_token", False))
            env[op.results[0]] = ((tile, way, index), LiveTask(first, repeat, token))
            return None
            yield None

        return configure

    def _order(self, op: MlirOp, channel: LiveChannel) -> None:
        """A task is for a channel that is out of order, or for one that is not."""
        wanted = bool(op.attributes.get("out_of_order", False))
        if wanted and channel.ordered:
            if not channel.idle:
                self.fail(op, f"out_of_order on {channel.name}, which is busy", "an idle channel")
            self.dma.order(op, channel)
        elif channel.ordered == wanted:
            self.fail(op, f"a task in order on {channel.name}", "out_of_order, as it was started")

    def _pop(self, op: MlirOp) -> Flow:
        tile, part = self._pool(op)

        def pop(env: Env) -> Waits:
            env[op.results[0]] = self.pools.pop(tile, part)
            return None
            yield None

        return pop

    def _give(self, op: MlirOp) -> Flow:
        tile, part = self._pool(op)

        def push(env: Env) -> Waits:
            self.pools.push(tile, int(env[op.operands[0]]), part)
            return None
            yield None

        return push

    def _pool(self, op: MlirOp) -> tuple[Tile, range | None]:
        """A tile, and ``partition [a, b)``; before that, a third number, which is 0 for a pool of all."""
        numbers = [int(t.text, 0) for t in op.tokens if t.kind == "number"]
        tile = self.registers.tile(numbers[0], numbers[1])
        if any(t.text == "partition" for t in op.tokens):
            return tile, range(numbers[2], numbers[3])
        if len(numbers) > 2 and (numbers[2] or tile.kind is TileKind.MEM):
            self.fail(op, f"pool {numbers[2]} of {tile}", "pool 0 of a shim or core tile, or a partition")
        return tile, None

    def _start(self, op: MlirOp) -> Flow:
        def start(env: Env) -> Waits:
            (tile, way, index), task = env[op.operands[0]]
            self.array.claim_bd(tile, task.bd, (tile, way, index), f"line {op.token.line}")
            yield self.array.push(tile, way, index, task)

        return start

    def _await(self, op: MlirOp) -> Flow:
        def wait(env: Env) -> Waits:
            key, task = env[op.operands[0]]
            if not task.token:
                self.fail(op, "a wait for a task without a token", "issue_token = true")
            yield self.array.await_token(key)

        return wait

    def _wait(self, op: MlirOp) -> Flow:
        key = self._channel(op, str(op.attributes.get("symbol", op.symbols[0] if op.symbols else "")))

        def wait(env: Env) -> Waits:
            yield self.array.await_token(key)

        return wait

    def _numbers(self, op: MlirOp, env: Env, names: tuple[str, ...]) -> list[int]:
        """Operands, or attributes of older text."""
        used = op.operands
        if used:
            return [int(env[n]) for n in used]
        return [int(op.attributes.get(n, n.endswith("_num"))) for n in names]

    def _sync(self, op: MlirOp) -> Flow:
        def sync(env: Env) -> Waits:
            names = ("column", "row", "direction", "channel", "column_num", "row_num")
            column, row, way, index, columns, rows = self._numbers(op, env, names)
            within(op, "direction", way, 1)
            within(op, "a number of columns of", columns, self.array.device.columns, 1)
            within(op, "a number of rows of", rows, self.array.device.rows, 1)
            for col in range(column, column + columns):
                for at in range(row, row + rows):
                    key = self.registers.tile(col, at), Direction.MM2S if way else Direction.S2MM, index
                    require_channel(op, *key)
                    yield self.array.await_token(key)

        return sync

    # -- raw writes

    def _place(self, op: MlirOp, address: int) -> tuple[Tile, int]:
        """Tile and byte offset of an address: of a buffer's words, of a tile, or of the whole array."""
        found = op.attributes
        buffer = str(found["buffer"]) if "buffer" in found else None
        column, row = (int(found[name]) if name in found else None for name in ("column", "row"))
        return self.registers.place(address, buffer, column, row)

    def _write(self, op: MlirOp) -> Flow:
        def write(env: Env) -> Waits:
            address, value = self._numbers(op, env, ("address", "value"))
            yield from self.registers.write(*self._place(op, address), value)

        return write

    def _mask(self, op: MlirOp) -> Flow:
        def write(env: Env) -> Waits:
            address, value, mask = self._numbers(op, env, ("address", "value", "mask"))
            yield from self.registers.write_masked(*self._place(op, address), value, mask)

        return write

    def _block(self, op: MlirOp) -> Flow:
        def write(env: Env) -> Waits:
            tile, offset = self._place(op, int(op.attributes.get("address", 0)))
            words = np.ascontiguousarray(env[op.operands[0]]).reshape(-1).view(np.uint32)
            for number, value in enumerate(words.tolist()):
                yield from self.registers.write(tile, offset + 4 * number, value)

        return write

    def _writebd(self, op: MlirOp) -> Flow:
        found = {name: int(value) for name, value in op.attributes.items() if isinstance(value, int)}
        tile = self.registers.tile(found["column"], found["row"])
        within(op, f"descriptor of {tile}:", found["bd_id"], tile.limits.bds - 1)
        words = written_bd(tile, found)
        block = reg.TILE_MAPS[tile.kind].bds

        def write(env: Env) -> Waits:
            if "ddr_id" in found:
                offset = block.base + block.stride * found["bd_id"] + 4
                self.registers.patch(
                    tile, offset, self.registers.argument(self.hosts, found["ddr_id"]), found.get("buffer_offset", 0)
                )
            first = block.base + block.stride * found["bd_id"]
            for number, value in enumerate(words):
                yield from self.registers.write(tile, first + 4 * number, value)

        return write

    def _patch(self, op: MlirOp) -> Flow:
        def patch(env: Env) -> Waits:
            plus = int(env[op.operands[0]]) if op.operands else int(op.attributes.get("arg_plus", 0))
            address = int(op.attributes["addr"])
            tile = self.registers.tile(address >> 25, address >> 20 & 31)
            host = self.registers.argument(self.hosts, int(op.attributes["arg_idx"]))
            self.registers.patch(tile, address & 0xFFFFF, host, plus)
            return None
            yield None

        return patch

    def _push(self, op: MlirOp) -> Flow:
        texts = [t for t in op.tokens if t.kind in ("number", "word")]
        column, row = int(texts[0].text), int(texts[1].text)
        tile, way, index = self.registers.tile(column, row), Direction(texts[2].text), int(texts[3].text)
        require_channel(op, tile, way, index)
        token = bool(op.attributes.get("issue_token", False))

        def push(env: Env) -> Waits:
            names = op.operands
            bd = int(env[names[0]]) if names else int(op.attributes["bd_id"])
            repeat = int(env[names[1]]) if len(names) > 1 else int(op.attributes.get("repeat_count", 0))
            within(op, f"descriptor of {tile}:", bd, tile.limits.bds - 1)
            within(op, "a repeat count of", repeat, REPEATS - 1)
            queue = reg.TILE_MAPS[tile.kind].control[way] + 8 * index + 4
            yield from self.registers.write(tile, queue, bd | repeat << 16 | int(token) << 31)

        return push

    def _parameter(self, op: MlirOp) -> Flow:
        numbers = [int(t.text, 0) for t in op.tokens if t.kind == "number"]

        def write(env: Env) -> Waits:
            names = op.operands
            value = env[names[-1]] if names else numbers[1]
            index = numbers[0] if numbers else int(env[names[0]])
            self.registers.set_element(op.symbols[0], index, value)
            return None
            yield None

        return write

    def _set_lock(self, op: MlirOp) -> Flow:
        def put(env: Env) -> Waits:
            numbers = [int(t.text, 0) for t in op.tokens if t.kind == "number"]
            names = op.operands
            value = int(env[names[1]]) if len(names) > 1 else numbers[0]
            env[names[0]].value = within(op, "a lock's value of", value, LOCK_MAX)
            return None
            yield None

        return put

    def _configured(self, op: MlirOp) -> Flow:
        """The device at hand is configured already: its body is run."""
        if op.symbols[0] != self.device:
            self.fail(op, f"@{op.symbols[0]}", f"the device at hand, @{self.device}")

        def run(env: Env) -> Waits:
            yield from self.region(op.blocks, env)

        return run

    def _reset(self, op: MlirOp) -> Flow:
        def reset(env: Env) -> Waits:
            words = [t.text for t in op.tokens if t.kind in ("word", "number")]
            key = env[op.operands[0]], Direction(words[0]), int(words[1])
            require_channel(op, *key)
            self.array.channel(*key).clear()
            return None
            yield None

        return reset

    def _rearm(self, op: MlirOp) -> Flow:
        def rearm(env: Env) -> Waits:
            self.fifos.rearm(op.symbols[0])
            return None
            yield None

        return rearm

    def _core_reset(self, op: MlirOp) -> Flow:
        def reset(env: Env) -> Waits:
            self.registers.reset_core(env[op.operands[0]])
            return None
            yield None

        return reset

    def _clear(self, op: MlirOp) -> Flow:
        offset, words = (int(t.text, 0) for t in op.tokens if t.kind == "number")

        def clear(env: Env) -> Waits:
            self.registers.clear(env[op.operands[0]], offset, words)
            return None
            yield None

        return clear


_FIELDS = {
    "buffer_length": "length", "enable_packet": "packet", "packet_id": "packet_id", "packet_type": "packet_type",
    "out_of_order_id": "out_of_order", "d0_size": "wrap0", "d0_stride": "step0", "d1_size": "wrap1",
    "d1_stride": "step1", "d2_size": "wrap2", "d2_stride": "step2", "d0_zero_before": "before0",
    "d1_zero_before": "before1", "d2_zero_before": "before2", "d0_zero_after": "after0", "d1_zero_after": "after1",
    "d2_zero_after": "after2", "iteration_current": "iteration_current", "iteration_size": "iteration_wrap",
    "iteration_stride": "iteration_step", "next_bd": "next", "use_next_bd": "use_next", "valid_bd": "valid",
    "lock_rel_val": "release_value", "lock_rel_id": "release_lock", "lock_acq_enable": "acquire",
    "lock_acq_val": "acquire_value", "lock_acq_id": "acquire_lock",
}  # fmt: skip


_BESIDE = ("column", "row", "bd_id", "ddr_id", "buffer_offset", "burst_length", "axcache", "axqos", "smid", "secure")
"""What a write of a descriptor says beside its fields, and fields without effect on data."""


def written_bd(tile: Tile, found: Mapping[str, int]) -> list[int]:
    """The words of a descriptor whose fields are given one by one; the offset is in bytes.

    Raises:
        UsageError: a field that a descriptor of the tile has not.
    """
    words = [0] * reg.bd_words(tile.kind)
    fields = reg.BD_FIELDS[tile.kind]
    for name, value in found.items():
        field = _FIELDS.get(name)
        if field in fields:
            fields[field].put(words, value)
        elif value and name not in _BESIDE:
            raise UsageError(f"a descriptor of {tile} with {name} = {value}, which it has not")
    if tile.kind is not TileKind.SHIM:
        fields["base"].put(words, found.get("buffer_offset", 0) // 4)
    else:
        words[1] = found.get("buffer_offset", 0)
    return words
