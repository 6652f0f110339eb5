# SPDX-License-Identifier: Apache-2.0
"""Random CDP operations for the NVDLA hardware, with tables that fit them, and the programs that run them (docs/nvdla-cdp.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from goldbeat.pymodels.nvdla.engines.lookup import LE_ENTRIES, LO_ENTRIES
from goldbeat.pymodels.nvdla.engines.registers import Tables, all_registers, csb_register
from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.nvdla.traffic import ATOM, PATIENCE, DrawnOperation, MemorySpace, OperationProgram, Size

_GROUPS = (0, 1)
_LIMIT = 37
"""Bits of a table's start and end, and the largest offset of an exponential table."""
_SIDES = ("LE", "LO")


@dataclass
class DrawnTables:
    """Both lookup tables, and the single registers that say how they are used.

    Attributes:
        entries: LE and LO, 16 bits signed.
        fields: of ``S_LUT_*`` registers, by register and field.
    """

    entries: Tables
    fields: dict[tuple[str, str], int] = field(default_factory=dict)

    def registers(self) -> dict[int, int]:
        """The single registers, by byte address."""
        found: dict[int, int] = {}
        for (name, key), value in self.fields.items():
            one = csb_register("CDP", name)
            part = one.field(key)
            found[one.address] = found.get(one.address, 0) | (value << part.lsb & part.mask)
        return found

    def steps(self, rng: Rng) -> list[Access]:
        """The writes that load them, in any order; now and then a part of a table is read back."""
        access, data = (csb_register("CDP", f"S_LUT_ACCESS_{n}").address for n in ("CFG", "DATA"))
        steps = []
        for number in rng.permutation(2).tolist():
            steps.append(Access("post", access, 1 << 17 | number << 16))
            steps += [Access("post", data, int(e) & 0xFFFF) for e in self.entries[number]]
            if rng.integers(2):
                steps.append(Access("post", access, number << 16 | int(rng.integers(LO_ENTRIES))))
                steps += [Access("read", data), Access("read", access), Access("read", data)]
        single = list(self.registers().items())
        return steps + [Access("post", *single[i]) for i in rng.permutation(len(single)).tolist()]


@dataclass
class DrawnCdp:
    """A CDP operation.

    Attributes:
        op: its grouped registers.
        tables: that are loaded before; None: those of the operation before.
    """

    op: DrawnOperation
    tables: DrawnTables | None = None


def _any_of(rng: Rng, *numbers: int) -> int:
    return int(rng.choice(list(numbers)))


def _upto(rng: Rng, *limits: int) -> int:
    """A number from 0 to one of the limits."""
    return int(rng.integers(0, _any_of(rng, *limits) + 1))


def _place(op: DrawnOperation, rng: Rng, block: str, way: str, strides: tuple[int, int], address: int) -> None:
    fields = {"BASE_ADDR_LOW": address, "LINE_STRIDE": strides[0], "SURFACE_STRIDE": strides[1]}
    for name, value in fields.items():
        op.set(block, f"D_{way}_{name}", **{f"{way}_{name}": value & 0xFFFF_FFFF})


def _cubes(op: DrawnOperation, space: MemorySpace, rng: Rng, size: Size, *, turned: bool) -> None:
    """Source and target, now and then the same; ``turned``: from the last line, or the last surface, to the first."""
    width, height, surfaces = size[0], size[1], -(-size[2] // ATOM)
    shared: tuple[tuple[int, int], int] | None = None
    for block, way in (("CDP_RDMA", "SRC"), ("CDP", "DST")):
        line = ATOM * (width + _upto(rng, 0, 3))
        surface = line * height + ATOM * _upto(rng, 0, 5)
        address = space.take(surface * surfaces)
        if turned and rng.integers(2):
            address, line = address + (height - 1) * line, -line
        if turned and rng.integers(2):
            address, surface = address + (surfaces - 1) * surface, -surface
        if shared is None or rng.integers(6):
            shared = (line, surface), address
        _place(op, rng, block, way, *shared)


def random_cdp(
    rng: Rng, space: MemorySpace, *, size: Size | None = None, wild: bool = False, turned: bool = False
) -> DrawnCdp:
    """A CDP operation of any window and bypass, with tables.

    Args:
        rng: random numbers.
        space: where the cubes go.
        size: of the cube; any.
        wild: converters, tables and slopes take any number.
        turned: strides may be negative.
    """
    op = DrawnOperation("CDP")
    size = size or (1 + _upto(rng, 3, 20, 50), 1 + _upto(rng, 1, 4), 1 + _upto(rng, 7, 20, 40))
    for name, value in zip(("WIDTH", "HEIGHT", "CHANNEL"), size, strict=True):
        op.set("CDP_RDMA", f"D_DATA_CUBE_{name}", **{name: value - 1})
    _cubes(op, space, rng, size, turned=turned)
    squares, multiply = bool(rng.integers(3)), bool(rng.integers(3))
    op.set("CDP", "D_FUNC_BYPASS", SQSUM_BYPASS=int(not squares), MUL_BYPASS=int(not multiply))
    reach = 1 + int(rng.integers(4))
    op.set("CDP", "D_LRN_CFG", NORMALZ_LEN=reach - 1)
    offset = int(rng.integers(-128, 128)) if wild else _upto(rng, 0, 40) - _any_of(rng, 0, 20)
    scale = int(rng.integers(-(1 << 15), 1 << 15)) if wild else _any_of(rng, 1, 1, -1, 2, 3, 200, -75)
    shift = int(rng.integers(32)) if wild else max(0, abs(scale).bit_length() - 1 + int(rng.integers(-1, 4)))
    op.set("CDP", "D_DATIN_OFFSET", DATIN_OFFSET=(offset + (int(rng.integers(256)) << 8)) & 0xFFFF)
    op.set("CDP", "D_DATIN_SCALE", DATIN_SCALE=scale & 0xFFFF)
    op.set("CDP", "D_DATIN_SHIFTER", DATIN_SHIFTER=shift)
    most = max(1, min(256, (128 + abs(offset)) * abs(scale) >> shift))
    tables = draw_tables(rng, (2 * reach + 1) * most * most if squares else most, wild=wild)
    size_of = max(abs(e) for entries in tables.entries for e in entries) * (most if multiply else 1)
    _output(op, rng, max(size_of, 1), wild=wild)
    return DrawnCdp(op, tables)


def _output(op: DrawnOperation, rng: Rng, size: int, *, wild: bool) -> None:
    """A converter whose results are not all saturated."""
    scale = int(rng.integers(-(1 << 15), 1 << 15)) if rng.integers(2) else _any_of(rng, 1, -1, 5)
    bits = (size * max(abs(scale), 1)).bit_length()
    shift = max(0, min(63, bits - 8 + int(rng.integers(-3, 4))))
    offset = int(rng.integers(-size, size + 1)) if rng.integers(2) else 0
    if wild:
        offset, shift = int(rng.integers(-(1 << 24), 1 << 24)), _any_of(rng, shift, int(rng.integers(64)))
    # The upper bits are ignored.
    word = (offset & 0x1FF_FFFF) | int(rng.integers(128)) << 25
    op.set("CDP", "D_DATOUT_OFFSET", DATOUT_OFFSET=word)
    op.set("CDP", "D_DATOUT_SCALE", DATOUT_SCALE=scale & 0xFFFF)
    op.set("CDP", "D_DATOUT_SHIFTER", DATOUT_SHIFTER=shift)


def _entries(rng: Rng, count: int) -> list[int]:
    """Entries that fall, that jump from one end to the other, or any."""
    match int(rng.integers(4)):
        case 0:
            return sorted((int(e) for e in rng.integers(0, 1 << int(rng.integers(4, 16)), count)), reverse=True)
        case 1:
            return [32767 if (i + int(rng.integers(8) == 0)) % 2 else -32768 for i in range(count)]
        case _:
            return [int(e) for e in rng.integers(-(1 << 15), 1 << 15, count)]


def draw_tables(rng: Rng, most: int, *, wild: bool = False) -> DrawnTables:
    """Tables for numbers of about 0 to ``most``: most of these hit, the others lie on either side."""
    tables = DrawnTables((_entries(rng, LE_ENTRIES), _entries(rng, LO_ENTRIES)))
    put = tables.fields
    put["S_LUT_CFG", "LUT_LE_FUNCTION"] = int(rng.integers(2))
    for way in ("UFLOW", "OFLOW", "HYBRID"):
        put["S_LUT_CFG", f"LUT_{way}_PRIORITY"] = int(rng.integers(2))
    bits = most.bit_length()
    # An exponential table ends 64 doublings behind its offset: only a negative one is passed by.
    put["S_LUT_INFO", "LUT_LE_INDEX_OFFSET"] = _any_of(rng, 0, -1, bits - 3, bits - 66, bits // 2, -64) & 0xFF
    if wild:
        put["S_LUT_INFO", "LUT_LE_INDEX_OFFSET"] = int(rng.integers(-128, _LIMIT + 1)) & 0xFF
    for name, count in zip(_SIDES, (LE_ENTRIES, LO_ENTRIES), strict=True):
        fit = bits - (count - 1).bit_length() + 1
        select = fit + int(rng.integers(-3, 3)) if not wild else int(rng.integers(-32, 32))
        start = _any_of(rng, 0, -1, 5, most // 4, -most // 3, most // 2) + int(rng.integers(-2, 3))
        end = start + ((count - 1) << max(select, 0)) + int(rng.integers(-2, 3))
        if wild and rng.integers(2):
            start, end = (int(rng.integers(-(1 << v), 1 << v)) for v in rng.integers(1, _LIMIT + 1, 2).tolist())
        # Of its eight bits six are looked at.
        put["S_LUT_INFO", f"LUT_{name}_INDEX_SELECT"] = select & 0x3F | int(rng.integers(4)) << 6
        for way, at in (("START", start), ("END", end)):
            at = max(-(1 << _LIMIT), min((1 << _LIMIT) - 1, at))
            put[f"S_LUT_{name}_{way}_LOW", f"LUT_{name}_{way}_LOW"] = at & 0xFFFF_FFFF
            put[f"S_LUT_{name}_{way}_HIGH", f"LUT_{name}_{way}_HIGH"] = at >> 32 & 0x3F
        for way in ("UFLOW", "OFLOW"):
            factor = int(rng.integers(-(1 << 15), 1 << 15)) if rng.integers(2) else _any_of(rng, 0, 1, -1, 100)
            places = int(rng.integers(-16, 16)) if wild else max(-16, min(15, bits - int(rng.integers(0, 8))))
            if rng.integers(3) == 0:
                # Small products that are moved up: most of them do not saturate.
                factor, places = _any_of(rng, 1, -1, 3), -int(rng.integers(1, 13))
            put[f"S_LUT_{name}_SLOPE_SCALE", f"LUT_{name}_SLOPE_{way}_SCALE"] = factor & 0xFFFF
            put[f"S_LUT_{name}_SLOPE_SHIFT", f"LUT_{name}_SLOPE_{way}_SHIFT"] = places & 0x1F
    return tables


def whole_steps(rng: Rng, space: MemorySpace) -> DrawnCdp:
    """An operation whose linear tables have an entry per number and jump from end to end: fractions are 0, and only 0 will do."""
    drawn = random_cdp(rng, space, size=(int(rng.integers(1, 20)), 1, 16))
    assert drawn.tables is not None
    put = drawn.tables.fields
    put["S_LUT_CFG", "LUT_LE_FUNCTION"] = 1
    for name, count, start in zip(_SIDES, (LE_ENTRIES, LO_ENTRIES), (0, -60), strict=True):
        put["S_LUT_INFO", f"LUT_{name}_INDEX_SELECT"] = 0
        for way, at in (("START", start), ("END", start + count - 1)):
            put[f"S_LUT_{name}_{way}_LOW", f"LUT_{name}_{way}_LOW"] = at & 0xFFFF_FFFF
            put[f"S_LUT_{name}_{way}_HIGH", f"LUT_{name}_{way}_HIGH"] = at >> 32 & 0x3F
    jumps = [32767 if i % 2 else -32768 for i in range(LO_ENTRIES)]
    drawn.tables.entries = (jumps[:LE_ENTRIES], jumps)
    op = drawn.op
    op.set("CDP", "D_FUNC_BYPASS", SQSUM_BYPASS=1, MUL_BYPASS=1)
    # The lowest byte of an entry goes on.
    for name, value in (("IN", 0), ("OUT", int(rng.choice([32640, -32640])))):
        op.set("CDP", f"D_DAT{name}_OFFSET", **{f"DAT{name}_OFFSET": value & (0xFFFF if name == "IN" else 0x1FF_FFFF)})
        op.set("CDP", f"D_DAT{name}_SCALE", **{f"DAT{name}_SCALE": 1})
        op.set("CDP", f"D_DAT{name}_SHIFTER", **{f"DAT{name}_SHIFTER": 0})
    return drawn


def steep_slopes(rng: Rng, space: MemorySpace) -> DrawnCdp:
    """The same, and slopes that move what lies beside the tables to the left by 16, as far as they can."""
    drawn = whole_steps(rng, space)
    assert drawn.tables is not None
    for name in _SIDES:
        for way in ("UFLOW", "OFLOW"):
            drawn.tables.fields[f"S_LUT_{name}_SLOPE_SCALE", f"LUT_{name}_SLOPE_{way}_SCALE"] = -1 & 0xFFFF
            drawn.tables.fields[f"S_LUT_{name}_SLOPE_SHIFT", f"LUT_{name}_SLOPE_{way}_SHIFT"] = 1 << 4
    return drawn


def far_tables(rng: Rng, space: MemorySpace) -> DrawnCdp:
    """Numbers as far from their tables as they can be: the highest bit of a distance alone says that they are not in them.

    On one side a linear table that begins at the least number; on the other an exponential one at the largest, with negative
    numbers below it.
    """
    drawn = whole_steps(rng, space)
    assert drawn.tables is not None
    # What lies below takes the largest entry down.
    le, lo = drawn.tables.entries
    drawn.tables.entries = [-1 - entry for entry in le], [-1 - entry for entry in lo]
    put = drawn.tables.fields
    least = rng.integers(2) == 0
    start = -(1 << _LIMIT) if least else (1 << _LIMIT) - 1
    put["S_LUT_CFG", "LUT_LE_FUNCTION"] = int(least)
    put["S_LUT_CFG", "LUT_UFLOW_PRIORITY"] = 0
    put["S_LUT_INFO", "LUT_LE_INDEX_OFFSET"] = _LIMIT
    for name in _SIDES:
        for way in ("START", "END"):
            put[f"S_LUT_{name}_{way}_LOW", f"LUT_{name}_{way}_LOW"] = start & 0xFFFF_FFFF
            put[f"S_LUT_{name}_{way}_HIGH", f"LUT_{name}_{way}_HIGH"] = start >> 32 & 0x3F
        for way in ("UFLOW", "OFLOW"):
            put[f"S_LUT_{name}_SLOPE_SCALE", f"LUT_{name}_SLOPE_{way}_SCALE"] = 1
            put[f"S_LUT_{name}_SLOPE_SHIFT", f"LUT_{name}_SLOPE_{way}_SHIFT"] = 0
    drawn.op.set("CDP", "D_DATIN_SCALE", DATIN_SCALE=1 if least else -200 & 0xFFFF)
    drawn.op.set("CDP", "D_DATOUT_SHIFTER", DATOUT_SHIFTER=8)
    drawn.op.set("CDP", "D_DATOUT_OFFSET", DATOUT_OFFSET=0)
    return drawn


def follow_ups(drawn: Sequence[DrawnCdp], rng: Rng) -> list[DrawnCdp]:
    """The operations, some of them with the tables of the one before, so that both groups are enabled at once."""
    return [one if i == 0 or rng.integers(2) else DrawnCdp(one.op) for i, one in enumerate(drawn)]


def cdp_operation(rng: Rng, space: MemorySpace) -> DrawnOperation:
    """A CDP operation that brings its tables, to stand among those of other engines."""
    drawn = random_cdp(rng, space)
    assert drawn.tables is not None
    return replace(drawn.op, before=tuple(drawn.tables.steps(rng)))


def settle_cdp(made: OperationProgram) -> None:
    """Wait until CDP rests: tables may be loaded."""
    status = csb_register("CDP", "S_STATUS").address
    made.steps += [Access("poll", status, 0, mask=3 << 16 * group, cycles=PATIENCE) for group in _GROUPS]


def run_cdp_operation(made: OperationProgram, drawn: DrawnCdp, rng: Rng) -> None:
    """Load an operation's tables if it has some, and enable it."""
    if drawn.tables is not None:
        settle_cdp(made)
        made.steps += drawn.tables.steps(rng)
    made.run(drawn.op)


def fill_ignored_cdp(drawn: DrawnCdp, rng: Rng) -> DrawnCdp:
    """Random values in every field of an operation that docs/nvdla-cdp.md says nobody looks at; gives the operation."""
    op = drawn.op
    for one in all_registers():
        if one.block not in op.blocks or not one.name.startswith("D_") or one.name == "D_OP_ENABLE":
            continue
        for part in one.fields:
            if (one.block, one.name, part.name) not in op.fields:
                op.set(one.block, one.name, **{part.name: int(rng.integers(1 << 32)) & (part.mask >> part.lsb)})
    return drawn
