# SPDX-License-Identifier: Apache-2.0
"""Registers of a whole array that the host's sequence writes: descriptors, queues, locks, data memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.artefact import tile_registers as reg
from goldbeat.pymodels.objfifo.artefact.descriptors import EXECUTED, read_bd
from goldbeat.pymodels.objfifo.artefact.register_names import register_name
from goldbeat.pymodels.objfifo.live.agent import Blocked
from goldbeat.pymodels.objfifo.live.array import LiveArray, LiveBuffer
from goldbeat.pymodels.objfifo.live.core_control import CORE_CONTROL, RESET
from goldbeat.pymodels.objfifo.live.dma import LiveBd, LiveTask
from goldbeat.pymodels.objfifo.live.lock import LiveLock
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind

_ADDED = 1 << 16
"""Words of a buffer that the host adds."""
_IGNORED = ("Trace", "Event", "Timer", "Ctrl", "Performance", "Stream_Switch", "Mux", "Demux", "Core_Control")


_PAD = ("Constant_Pad_Value",)
"""What tasks that are pushed afterwards pad with."""


class LiveRegisters:
    """Raw writes to an array.

    Args:
        array: whose registers they are.
    """

    def __init__(self, array: LiveArray) -> None:
        self.array = array
        array.registers = self
        self._bds: defaultdict[tuple[Tile, int], dict[int, int]] = defaultdict(dict)
        self._patches: dict[tuple[Tile, int], tuple[str, int]] = {}
        self._others: dict[tuple[Tile, int], int] = {}

    def place(
        self, address: int, buffer: str | None = None, column: int | None = None, row: int | None = None
    ) -> tuple[Tile, int]:
        """Tile and byte offset of an address.

        Args:
            address: a word of a buffer, a byte of a tile, or a byte of the whole array.
            buffer: the buffer's name.
            column: the tile's; None for an address of the whole array.
            row: the tile's.

        Raises:
            InputError: no such place; without a file.
        """
        if buffer is not None:
            found = self._buffer(buffer)
            words = -(-found.obj.size // WORD_BYTES)
            if not 0 <= address < words:
                raise InputError(f"word {address} of {buffer}", f"0 to {words - 1}")
            return found.tile, (found.address or 0) + WORD_BYTES * address
        if not 0 <= address < 1 << 32:
            raise InputError(f"the address {address}", f"0 to {(1 << 32) - 1}")
        if column is None or row is None:
            column, row = address >> 25, address >> 20 & 31
        return self.tile(column, row), address & 0xFFFFF

    def tile(self, column: int, row: int) -> Tile:
        """A tile of the device.

        Raises:
            InputError: there is none; without a file.
        """
        device = self.array.device
        if not (0 <= column < device.columns and 0 <= row < device.rows):
            there = f"a tile of {device.name}: {device.columns} columns, {device.rows} rows"
            raise InputError(
                f"{device.tile(column, row)}" if min(column, row) >= 0 else f"tile ({column}, {row})", there
            )
        return device.tile(column, row)

    def set_element(self, name: str, index: int, value: int) -> None:
        """Write an element of a buffer, of up to 32 bits.

        Raises:
            InputError: no such buffer or element, or a larger value; without a file.
        """
        buffer = self._buffer(name)
        kind = buffer.obj.dtype
        if not 0 <= index < buffer.obj.elements:
            raise InputError(f"element {index} of {name}", f"0 to {buffer.obj.elements - 1}")
        if kind.kind != "f":
            bits = min(32, 8 * kind.itemsize)
            if not -(1 << bits - 1) <= value < 1 << bits:
                raise InputError(f"{value} for {name} of {kind}", f"{-(1 << bits - 1)} to {(1 << bits) - 1}")
            value = np.array([value % (1 << 8 * kind.itemsize)], np.uint64).astype(kind)[0]
        self.array.view(buffer).reshape(-1)[index] = value

    def _buffer(self, name: str) -> LiveBuffer:
        if name not in self.array.buffers:
            raise InputError(f"the buffer {name}", f"one of {', '.join(self.array.buffers) or 'none'}")
        return self.array.buffers[name]

    def write(self, tile: Tile, offset: int, value: int) -> Iterator[Blocked]:
        """A write of one word; yields what a write to a queue waits for."""
        layout = reg.TILE_MAPS[tile.kind]
        if not -(1 << 31) <= value < 1 << 32:
            raise InputError(f"the value {value} of a register", f"{-(1 << 31)} to {(1 << 32) - 1}")
        value &= 0xFFFFFFFF
        descriptor, lock = layout.bds.find(offset), layout.locks.find(offset)
        channel = reg.channel_at(tile.kind, offset)
        if offset < layout.memory:
            self.array.memory(tile)[offset // 4] = value
        elif descriptor is not None:
            self._descriptor(tile, *descriptor, value)
        elif lock is not None:
            self.array.lock(tile, lock[0]).value = value & 0x3F
        elif channel is not None and channel[2] == "Task_Queue":
            yield self._start(tile, channel[0], channel[1], value)
        elif offset == CORE_CONTROL and tile in self.array.core_controls:
            self.array.core_controls[tile].write(value)
        elif tile.kind is TileKind.CORE and offset == reg.PROCESSOR_BUS:
            self._others[tile, offset] = value
            turns = iter((False,))
            # A core that waits for its bus is faster than the next instruction of the host: it has one turn.
            yield Blocked(f"a turn of the core of {tile}", lambda: next(turns, True))
        else:
            self._other(tile, offset, value)

    def _bus(self, tile: Tile) -> bool:
        return bool(self._others.get((tile, reg.PROCESSOR_BUS), 0) & 1)

    def await_bus(self, tile: Tile) -> Blocked:
        """What a core waits for before it reads or writes registers."""
        return Blocked(f"the processor bus of {tile} to be enabled", lambda: self._bus(tile))

    def write_masked(self, tile: Tile, offset: int, value: int, mask: int) -> Iterator[Blocked]:
        """A write of the bits of a word that are 1 in ``mask``."""
        descriptor = reg.TILE_MAPS[tile.kind].bds.find(offset)
        if descriptor is not None and self._configured(tile, descriptor[0]) and _is_compression(tile, descriptor, mask):
            self._compress(tile, descriptor[0], bool(value & mask))
        else:
            yield from self.write(tile, offset, self.value(tile, offset) & ~mask | value & mask)

    def _other(self, tile: Tile, offset: int, value: int) -> None:
        name = register_name(tile.kind, offset)
        channel = reg.channel_at(tile.kind, offset)
        if channel is not None:
            one = self.array.channel(tile, channel[0], channel[1])
            if reg.CONTROL_FIELDS["reset"].of((value,)):
                one.clear()
            one.set_compression(bool(reg.CONTROL_FIELDS["compression"].of((value,))))
            one.ordered = not reg.CONTROL_FIELDS["out_of_order"].of((value,))
        elif not any(word in name for word in (*_IGNORED, *_PAD)):
            self.array.remarks.append(f"a write of {value:#x} to {name} of {tile} is left out")
        self._others[tile, offset] = value

    def value(self, tile: Tile, offset: int) -> int:
        """What a register holds, for masked writes."""
        layout = reg.TILE_MAPS[tile.kind]
        descriptor, lock = layout.bds.find(offset), layout.locks.find(offset)
        if offset < layout.memory:
            return int(self.array.memory(tile)[offset // 4])
        if descriptor is not None:
            return self._word(tile, *descriptor)
        if lock is not None:
            return self.array.lock(tile, lock[0]).value
        if offset == CORE_CONTROL and tile in self.array.core_controls:
            return self.array.core_controls[tile].value
        channel = reg.channel_at(tile.kind, offset)
        words = [self._others.get((tile, offset), 0)]
        if channel is not None and channel[2] == "Ctrl":
            one = self.array.channel(tile, channel[0], channel[1])
            reg.CONTROL_FIELDS["out_of_order"].put(words, int(not one.ordered))
            reg.CONTROL_FIELDS["compression"].put(words, int(one.compression))
        return words[0]

    def reset_core(self, tile: Tile) -> None:
        """A pulse of a core's reset: its program begins again if the core is still enabled.

        Raises:
            UsageError: the tile has no core with a program.
        """
        control = self.array.core_controls.get(tile)
        if control is None:
            raise UsageError(f"{tile} has no core that is executed")
        control.write(control.value | RESET)
        control.write(control.value & ~RESET)

    def clear(self, tile: Tile, offset: int, words: int) -> None:
        """Zeros in a tile's data memory, from a byte offset on."""
        memory = self.array.memory(tile)
        if offset % WORD_BYTES or words < 0 or not 0 <= offset // WORD_BYTES <= len(memory) - words:
            raise UsageError(f"{tile}: {words} words from byte {offset} on are not in its memory")
        memory[offset // WORD_BYTES : offset // WORD_BYTES + words] = 0

    def argument(self, names: list[str], index: int) -> str:
        """The name of an argument of the sequence; one behind them all is a buffer that the host adds, as for traces."""
        if index < 0:
            raise InputError(f"argument {index} of the sequence", "0 or more")
        if index < len(names):
            return names[index]
        name = f"argument {index}"
        if name not in self.array.hosts:
            self.array.host_array(name, ObjectType((_ADDED,), np.dtype(np.int32)))
            self.array.remarks.append(f"the sequence uses argument {index}, which it does not declare: {_ADDED} words")
        return name

    def patch(self, tile: Tile, offset: int, host: str, start: int) -> None:
        """A shim's descriptor walks a host array from byte ``start`` on."""
        found = reg.TILE_MAPS[tile.kind].bds.find(offset)
        if tile.kind is not TileKind.SHIM or found is None:
            raise UsageError(f"an argument's address for {register_name(tile.kind, offset)} of {tile}")
        self._unused(tile, found[0])
        self._patches[tile, found[0]] = (host, start)
        self.array.bds[tile].pop(found[0], None)

    def _configured(self, tile: Tile, number: int) -> bool:
        """The descriptor stems from the design: there are no words of it."""
        return number in self.array.bds[tile] and not self._bds[tile, number]

    def _word(self, tile: Tile, number: int, word: int) -> int:
        """A word of a descriptor; of one without words, that of a core tile's packet and compression."""
        if not self._configured(tile, number):
            return self._bds[tile, number].get(word, 0)
        field = reg.BD_FIELDS[tile.kind].get("compression")
        if tile.kind is not TileKind.CORE or field is None or word != field.word:
            raise UsageError(f"{tile}: a single word of descriptor {number}, which was not written by words before")
        live = self.array.bds[tile][number]
        words = [0] * reg.bd_words(tile.kind)
        field.put(words, int(live.compress))
        if live.bd.packet is not None:
            for name, value in (("packet", 1), ("packet_id", live.bd.packet.id), ("packet_type", live.bd.packet.type)):
                reg.BD_FIELDS[tile.kind][name].put(words, value)
        return words[word]

    def _descriptor(self, tile: Tile, number: int, word: int, value: int) -> None:
        changed = self._word(tile, number, word) ^ value
        if number in self.array.bds[tile] and _is_compression(tile, (number, word), changed):
            self._compress(tile, number, not self.array.bds[tile][number].compress)
        elif self._configured(tile, number):
            if changed:
                raise UsageError(
                    f"{tile}: a write of {value:#x} to descriptor {number}, which was not written by words before: "
                    "only its compression bit may change"
                )
            return
        else:
            self._unused(tile, number)
            self.array.bds[tile].pop(number, None)
        if self._bds[tile, number] or number not in self.array.bds[tile]:
            self._bds[tile, number][word] = value

    def _unused(self, tile: Tile, number: int) -> None:
        if name := self.array.writes_bd(tile, number):
            raise UsageError(f"descriptor {number} of {tile} is written while {name} uses it: wait before")

    def _compress(self, tile: Tile, number: int, on: bool) -> None:
        """A descriptor's compression bit: one that a channel has loaded does not change."""
        for channel in self.array.channels.values():
            if channel.tile == tile:
                channel.settle()
        self.array.bds[tile][number].compress = on

    def _equal(self, tile: Tile, words: tuple[int, ...]) -> tuple[LiveLock, int, bool]:
        """An acquire that waits for one value."""
        fields = reg.BD_FIELDS[tile.kind]
        lock = fields["acquire_lock"].of(words) % tile.limits.locks
        return self.array.lock(tile, lock), reg.signed_value(fields["acquire_value"].of(words)), True

    def _start(self, tile: Tile, direction: Direction, index: int, value: int) -> Blocked:
        number = reg.QUEUE_FIELDS["bd"].of((value,)) & (0x3F if tile.kind is TileKind.MEM else 0xF)
        at: int | None = number
        while at is not None and at not in self.array.bds[tile]:
            at = self._decoded(tile, at)
        if not self.array.channel(tile, direction, index).ordered:
            for other in [n for t, n in self._bds if t == tile and n not in self.array.bds[tile]]:
                self._decoded(tile, other)
        if self.array.device.pad_values and tile.kind is TileKind.MEM and direction is Direction.MM2S:
            place = reg.PAD_VALUES.base + reg.PAD_VALUES.stride * index
            for bd in (self.array.bds[tile][key] for key in self.array.channel(tile, direction, index).chain(number)):
                bd.pad = self._others.get((tile, place), bd.pad)
        task = LiveTask(number, reg.QUEUE_FIELDS["repeat"].of((value,)), bool(reg.QUEUE_FIELDS["token"].of((value,))))
        return self.array.push(tile, direction, index, task)

    def _decoded(self, tile: Tile, number: int) -> int | None:
        """Make a descriptor of its words; the next one's number."""
        stored = self._bds.get((tile, number))
        if not stored:
            raise UsageError(f"{tile}: descriptor {number} was never written")
        words = tuple(stored.get(n, 0) for n in range(reg.bd_words(tile.kind)))
        bd, lacks = read_bd(tile, number, words)
        wrong = [text for text in lacks if not text.startswith(EXECUTED)]
        if wrong:
            raise UsageError(f"{tile}: descriptor {number} {'; '.join(wrong)}")
        if tile.kind is TileKind.SHIM:
            host, start = self._patches.get((tile, number), ("", 0))
            if not host:
                raise UsageError(f"{tile}: descriptor {number} walks no argument of the host")
            memory = self.array.hosts[host][start // 4 :]
        else:
            memory = self.array.memory(tile)
        takes = None if bd.acquire is None else (self.array.lock(tile, bd.acquire.lock), bd.acquire.value, False)
        if any(text.startswith("acquires") for text in lacks):
            takes = self._equal(tile, words)
        gives = None if bd.release is None else (self.array.lock(tile, bd.release.lock), bd.release.value)
        slot = reg.BD_FIELDS[tile.kind]["out_of_order"].of(words)
        compress = "compresses" in lacks
        self.array.bds[tile][number] = LiveBd(bd, memory, takes, gives, bd.next, slot=slot, compress=compress)
        return bd.next


def _is_compression(tile: Tile, place: tuple[int, int], mask: int) -> bool:
    """The bits of a descriptor's word are its compression bit."""
    field = reg.BD_FIELDS[tile.kind].get("compression")
    return field is not None and place[1] == field.word and mask == 1 << field.low
