# SPDX-License-Identifier: Apache-2.0
"""What the writes of compiled files leave in an array's registers, and what they start."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from goldbeat.pymodels.objfifo.artefact import tile_registers as reg
from goldbeat.pymodels.objfifo.artefact.operation import OpKind, RegisterOp, split_address
from goldbeat.pymodels.objfifo.artefact.register_names import kind_of_row, register_name
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

Patch = tuple[int, int]
"""Argument and byte offset of a shim's descriptor."""


@dataclass(frozen=True)
class StoredBd:
    """A descriptor as it was in the registers.

    Attributes:
        id: its number.
        words: of it.
        patch: the host's array it was given, None for none.
    """

    id: int
    words: tuple[int, ...]
    patch: Patch | None


@dataclass(frozen=True)
class QueuePush:
    """A write to a channel's queue, with the chain of descriptors as they were then.

    Attributes:
        place: where it is in the files, for messages.
    """

    tile: Tile
    direction: Direction
    channel: int
    bd: int
    repeat: int
    token: bool
    chain: tuple[StoredBd, ...]
    control: int
    place: str


class ArrayState:
    """Registers of an array.

    Attributes:
        registers: words by offset, of every tile that was written.
        pushes: in order.
        code: bytes of program memory that were written, by tile.
        unsupported: what the writes did that neither a plan nor an execution can say.
        late: locks and memory that the host writes while the array runs.
    """

    def __init__(self, mem_rows: int = 1) -> None:
        self.mem_rows = mem_rows
        self.registers: defaultdict[Tile, dict[int, int]] = defaultdict(dict)
        self.pushes: list[QueuePush] = []
        self.code: defaultdict[Tile, int] = defaultdict(int)
        self.unsupported: list[str] = []
        self.late: list[str] = []
        self._patches: dict[tuple[Tile, int], Patch] = {}
        self._sequence = False

    def apply(self, ops: tuple[RegisterOp, ...], where: str, *, sequence: bool) -> None:
        """Do the operations of a file.

        Args:
            ops: in order.
            where: the file's name, for messages.
            sequence: they are the host's sequence, not the configuration.
        """
        self._sequence = sequence
        for op in ops:
            place = f"{where}: byte {op.offset}"
            if op.kind in (OpKind.WRITE, OpKind.BLOCK):
                self._block(op.address, op.values, place)
            elif op.kind is OpKind.SET:
                self._block(op.address, op.values * op.numbers[0], place)
            elif op.kind is OpKind.MASK:
                tile, offset = self._at(op.address)
                old = self.registers[tile].get(offset, 0)
                self._word(tile, offset, old & ~op.mask | op.values[0] & op.mask, place)
            elif op.kind is OpKind.PATCH:
                self._patch(op, place)
            elif op.kind in (OpKind.PDI, OpKind.CUSTOM):
                self.unsupported.append(f"{place}: operation {op.kind} {list(op.numbers)}")

    def _at(self, address: int) -> tuple[Tile, int]:
        _, column, row, offset = split_address(address)
        return Tile(column, row, kind_of_row(row, self.mem_rows)), offset

    def _block(self, address: int, values: tuple[int, ...], place: str) -> None:
        tile, offset = self._at(address)
        for number, value in enumerate(values):
            self._word(tile, offset + 4 * number, value, place)

    def _word(self, tile: Tile, offset: int, value: int, place: str) -> None:
        layout = reg.TILE_MAPS[tile.kind]
        at = offset - reg.PROGRAM_MEMORY
        if tile.kind is TileKind.CORE and 0 <= at < reg.PROGRAM_BYTES:
            self.code[tile] = max(self.code[tile], at + 4)
            return
        self.registers[tile][offset] = value
        channel = reg.channel_at(tile.kind, offset)
        if channel is not None and channel[2] == "Task_Queue":
            self._push(tile, channel[0], channel[1], value, place)
        elif self._sequence and self.pushes and layout.bds.find(offset) is None and channel is None:
            self._late(tile, offset, place)

    def _late(self, tile: Tile, offset: int, place: str) -> None:
        """A register that changes while the array runs."""
        layout = reg.TILE_MAPS[tile.kind]
        if offset < layout.memory or layout.locks.find(offset) is not None:
            name = register_name(tile.kind, offset)
            self.late.append(f"{place}: {name} of {tile} is written while the array runs")

    def _patch(self, op: RegisterOp, place: str) -> None:
        tile, offset = self._at(op.address)
        found = reg.TILE_MAPS[tile.kind].bds.find(offset)
        if tile.kind is not TileKind.SHIM or found is None or found[1] != 1:
            self.unsupported.append(f"{place}: an argument's address for {register_name(tile.kind, offset)} of {tile}")
            return
        self._patches[tile, found[0]] = (op.numbers[0], op.numbers[1])

    def bd_words(self, tile: Tile, number: int) -> tuple[int, ...]:
        """A descriptor's words as they are now."""
        block = reg.TILE_MAPS[tile.kind].bds
        first = block.base + block.stride * number
        return tuple(self.registers[tile].get(first + 4 * word, 0) for word in range(block.words))

    def _push(self, tile: Tile, direction: Direction, channel: int, value: int, place: str) -> None:
        layout, fields = reg.TILE_MAPS[tile.kind], reg.BD_FIELDS[tile.kind]
        first = reg.QUEUE_FIELDS["bd"].of((value,))
        if tile.kind is not TileKind.MEM:
            first &= 0xF
        chain: list[StoredBd] = []
        number: int | None = first
        while number is not None and number not in [bd.id for bd in chain]:
            if number >= layout.bds.count:
                self.unsupported.append(f"{place}: {direction} {channel} of {tile} uses descriptor {number}, "
                                        f"there are {layout.bds.count}")  # fmt: skip
                return
            words = self.bd_words(tile, number)
            chain.append(StoredBd(number, words, self._patches.get((tile, number))))
            number = fields["next"].of(words) if fields["use_next"].of(words) else None
        control = self.registers[tile].get(layout.control[direction] + 8 * channel, 0)
        repeat, token = reg.QUEUE_FIELDS["repeat"].of((value,)), bool(reg.QUEUE_FIELDS["token"].of((value,)))
        self.pushes.append(QueuePush(tile, direction, channel, first, repeat, token, tuple(chain), control, place))
