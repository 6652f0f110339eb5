# SPDX-License-Identifier: Apache-2.0
"""Random SDP and PDP operations for the NVDLA hardware, and the register programs that run them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.nvdla.engines.registers import all_registers, csb_register
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.design.traffic import Rng

MEMORY = "dram"
BASE = 0x8000_0000
ATOM = 8
PATIENCE = 200_000
"""Cycles that a program waits for an operation."""

_BLOCKS = {"SDP": ("SDP", "SDP_RDMA"), "PDP": ("PDP", "PDP_RDMA"), "CDP": ("CDP", "CDP_RDMA")}
CONV_BLOCKS = ("CACC", "CMAC_A", "CMAC_B", "CSC", "CDMA")
_GROUPS = 2


Size = tuple[int, int, int]
"""Width, height, channels."""


@dataclass
class DrawnOperation:
    """One operation of an engine.

    Attributes:
        engine: ``SDP``, ``PDP``, ``CDP`` or ``CONV``.
        fields: register fields by (block, register, field); other fields are 0.
        before: what is written while the engine rests: tables that its groups share.
    """

    engine: str
    fields: dict[tuple[str, str, str], int] = field(default_factory=dict)
    before: tuple[Access, ...] = ()

    @property
    def blocks(self) -> tuple[str, ...]:
        """Whose registers it needs; an operation that reads nothing from memory does without its read DMA."""
        if self.engine == "CONV":
            return CONV_BLOCKS
        reads = _reads_memory(self.fields) if self.engine == "SDP" else not self.flies
        return _BLOCKS[self.engine] if reads else _BLOCKS[self.engine][:1]

    @property
    def flies(self) -> bool:
        """Whether it is a PDP operation that takes its atoms from SDP."""
        return self.engine == "PDP" and not self.fields.get(("PDP", "D_OPERATION_MODE_CFG", "FLYING_MODE"), 1)

    def set(self, block: str, name: str, **values: int) -> None:
        """Set fields of a register."""
        for key, value in values.items():
            self.fields[block, name, key] = value

    def values(self, blocks: Sequence[str] | None = None) -> dict[int, int]:
        """The registers of some blocks, or of all that it needs, by byte address."""
        found: dict[int, int] = {}
        blocks = self.blocks if blocks is None else blocks
        for (block, name, key), value in self.fields.items():
            if block not in blocks:
                continue
            one = csb_register(block, name)
            part = one.field(key)
            found[one.address] = found.get(one.address, 0) | (value << part.lsb & part.mask)
        return found


class MemorySpace:
    """Hands out stretches of the memory."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng
        self._at = 0
        self._filled: list[tuple[int, bytes]] = []

    def fill(self, address: int, data: bytes) -> None:
        """Bytes that are not to be random."""
        self._filled.append((address - BASE, data))

    def take(self, size: int) -> int:
        """The address of a new stretch, a multiple of 8, as often as not of nothing larger."""
        step = int(self._rng.choice([ATOM, ATOM, 64, 128, 4096]))
        self._at += int(self._rng.integers(0, 8)) * ATOM
        self._at += -self._at % step
        address = BASE + self._at
        self._at += size
        return address

    def image(self, timing: MemoryTiming) -> MemoryImage:
        """The memory, full of random bytes."""
        data = self._rng.integers(0, 256, self._at + ATOM, dtype=np.uint8)
        for at, filled in self._filled:
            data[at : at + len(filled)] = np.frombuffer(filled, np.uint8)
        return MemoryImage((Region(MEMORY, BASE, data),), timing)


def _reads_memory(fields: Mapping[tuple[str, str, str], int]) -> bool:
    """Whether an SDP operation needs its read DMA."""
    if not fields["SDP", "D_FEATURE_MODE_CFG", "FLYING_MODE"]:
        return True
    return any(
        fields["SDP", f"D_DP_{unit}_{part}_CFG", f"{unit}_{part}_SRC"]
        and not fields["SDP", f"D_DP_{unit}_CFG", f"{unit}_{part}_BYPASS"]
        and not fields["SDP", f"D_DP_{unit}_CFG", f"{unit}_BYPASS"]
        for unit in ("BS", "BN")
        for part in ("ALU", "MUL")
    )


def dbb_timing(rng: Rng, seed: int) -> MemoryTiming:
    """A memory: now and then a plain one, else with jitter, ready patterns, any order of answers."""
    if rng.integers(4) == 0:
        return MemoryTiming(read_latency=int(rng.integers(1, 40)), write_latency=int(rng.integers(1, 20)))

    def pattern(salt: int) -> Pattern:
        return Pattern.parse(str(rng.choice(["none", "random:0.3", "bursty:6"])), seed=seed * 7 + salt)

    return MemoryTiming(
        read_latency=int(rng.integers(1, 40)),
        read_jitter=int(rng.integers(0, 30)),
        write_latency=int(rng.integers(1, 20)),
        write_jitter=int(rng.integers(0, 20)),
        max_reads=int(rng.integers(1, 9)),
        max_writes=int(rng.integers(1, 9)),
        data_ahead=int(rng.choice([0, 0, 2, 16])),
        read_bandwidth=(1, int(rng.integers(1, 4))),
        order=str(rng.choice(["in_order", "by_id", "interleaved"])),  # type: ignore[arg-type]
        seed=seed,
        aw_ready=pattern(1),
        w_ready=pattern(2),
        ar_ready=pattern(3),
        r_gaps=pattern(4),
        b_gaps=pattern(5),
        late_writes=seed % 2 == 1,
    )


def _small(rng: Rng, *limits: int) -> int:
    """A number below one of the limits, the smaller ones as likely as the large."""
    return int(rng.integers(0, int(rng.choice(np.array(limits)))))


def _cube(
    op: DrawnOperation, space: MemorySpace, rng: Rng, block: str, prefix: str, size: tuple[int, int, int], atom: int
) -> None:
    width, height, surfaces = size
    line = width * atom + ATOM * _small(rng, 1, 4)
    surface = line * height + ATOM * _small(rng, 1, 6)
    address = space.take(surface * surfaces)
    placed = {"BASE_ADDR_LOW": address, "BASE_ADDR_HIGH": 0, "LINE_STRIDE": line, "SURFACE_STRIDE": surface}
    for name, value in placed.items():
        op.set(block, f"D_{prefix}_{name}", **{f"{prefix}_{name}": value})


def random_sdp(
    rng: Rng, space: MemorySpace, *, flying: bool = False, size: Size | None = None, starved: bool = False
) -> DrawnOperation:
    """An SDP operation that uses any of X1, X2 and the converter, on a cube of any size or of this one.

    Args:
        rng: random numbers.
        space: where the cubes go.
        flying: the data come from the convolution.
        size: of the cube.
        starved: operands that should come from memory may not be brought.
    """
    op = DrawnOperation("SDP")
    width, height, channels = size or (1 + _small(rng, 4, 20, 50), 1 + _small(rng, 2, 6), 1 + _small(rng, 8, 24))
    surfaces = -(-channels // ATOM)
    for block in _BLOCKS["SDP"]:
        for name, value in (("WIDTH", width), ("HEIGHT", height), ("CHANNEL", channels)):
            op.set(block, f"D_DATA_CUBE_{name}", **{name: value - 1})
    cube = (width, height, surfaces)
    op.set("SDP", "D_FEATURE_MODE_CFG", FLYING_MODE=int(flying), OUTPUT_DST=0)
    op.set("SDP_RDMA", "D_FEATURE_MODE_CFG", FLYING_MODE=int(flying))
    op.set("SDP", "D_DST_DMA_CFG", DST_RAM_TYPE=1)
    op.set("SDP_RDMA", "D_SRC_DMA_CFG", SRC_RAM_TYPE=1)
    _cube(op, space, rng, "SDP_RDMA", "SRC", cube, ATOM)
    _cube(op, space, rng, "SDP", "DST", cube, ATOM)
    large = rng.integers(5) == 0 and not starved
    for unit, dma in (("BS", "BRDMA"), ("BN", "NRDMA")):
        _unit(op, space, rng, unit, dma, cube, large=bool(large), starved=starved)
    op.set("SDP", "D_DP_EW_CFG", EW_BYPASS=1)
    op.set("SDP_RDMA", "D_ERDMA_CFG", ERDMA_DISABLE=1)
    op.set("SDP", "D_CVT_OFFSET", CVT_OFFSET=(_small(rng, 1, 200, 1 << 31) - 20) & 0xFFFFFFFF)
    op.set("SDP", "D_CVT_SCALE", CVT_SCALE=(_small(rng, 3, 300, 40_000) - 1) & 0xFFFF)
    op.set("SDP", "D_CVT_SHIFT", CVT_SHIFT=_small(rng, 4, 14, 64))
    if large:
        op.set("SDP", "D_CVT_OFFSET", CVT_OFFSET=0)
        op.set("SDP", "D_CVT_SCALE", CVT_SCALE=1)
        op.set("SDP", "D_CVT_SHIFT", CVT_SHIFT=int(rng.integers(20, 30)))
    if starved:
        # Nothing that hides an operand.
        op.set("SDP", "D_CVT_OFFSET", CVT_OFFSET=0)
        op.set("SDP", "D_CVT_SCALE", CVT_SCALE=1)
        op.set("SDP", "D_CVT_SHIFT", CVT_SHIFT=_small(rng, 1, 4))
    return op


def _unit(
    op: DrawnOperation, space: MemorySpace, rng: Rng, unit: str, dma: str, size: Size, *, large: bool, starved: bool
) -> None:
    """A unit's settings; ``large`` ones drive sums beyond 32 bits, with PReLU behind them."""
    bits = {name: int(rng.integers(2)) for name in ("ALU_BYPASS", "MUL_BYPASS", "RELU_BYPASS")}
    bits |= {"BYPASS": int(rng.integers(4) == 0), "MUL_PRELU": int(rng.integers(3) == 0)}
    bits |= {"ALU_ALGO": int(rng.integers(4))}
    alu, mul = (int(rng.integers(2)) for _ in range(2))
    if large:
        bits |= {"ALU_BYPASS": 0, "MUL_BYPASS": 0, "BYPASS": 0, "MUL_PRELU": 1, "ALU_ALGO": 2}
        alu = 0
    op.set("SDP", f"D_DP_{unit}_CFG", **{f"{unit}_{n}": v for n, v in bits.items()})
    op.set("SDP", f"D_DP_{unit}_ALU_CFG", **{f"{unit}_ALU_SRC": alu, f"{unit}_ALU_SHIFT_VALUE": _small(rng, 1, 6, 64)})
    op.set(
        "SDP", f"D_DP_{unit}_MUL_CFG", **{f"{unit}_MUL_SRC": mul, f"{unit}_MUL_SHIFT_VALUE": _small(rng, 1, 12, 256)}
    )
    for name in ("ALU", "MUL"):
        value = (_small(rng, 3, 300, 60_000) - 1) & 0xFFFF
        op.set("SDP", f"D_DP_{unit}_{name}_SRC_VALUE", **{f"{unit}_{name}_OPERAND": value})
    if large:
        operand = int(rng.choice([0x7FFF, 0x7FFF, 0x8000, 0x5000]))
        op.set("SDP", f"D_DP_{unit}_ALU_SRC_VALUE", **{f"{unit}_ALU_OPERAND": operand})
        op.set("SDP", f"D_DP_{unit}_ALU_CFG", **{f"{unit}_ALU_SHIFT_VALUE": int(rng.integers(14, 18))})
        op.set("SDP", f"D_DP_{unit}_MUL_CFG", **{f"{unit}_MUL_SHIFT_VALUE": int(rng.integers(0, 12))})
    if starved:
        op.set("SDP", f"D_DP_{unit}_CFG", **{f"{unit}_{n}": 0 for n in ("BYPASS", "MUL_BYPASS", "MUL_PRELU")})
        op.set("SDP", f"D_DP_{unit}_MUL_CFG", **{f"{unit}_MUL_SRC": 1, f"{unit}_MUL_SHIFT_VALUE": _small(rng, 1, 8)})
    uses_alu = alu and not bits["ALU_BYPASS"] and not bits["BYPASS"]
    uses_mul = mul and not bits["MUL_BYPASS"] and not bits["BYPASS"]
    reads = uses_alu or uses_mul
    use = 2 if uses_alu and uses_mul else 1 if uses_alu else 0 if uses_mul else int(rng.integers(3))
    wide, point = (int(rng.integers(2)) for _ in range(2))
    if starved:
        reads, use = bool(rng.integers(2)), int(rng.integers(3))
    fields = {"DISABLE": int(not reads), "DATA_USE": use, "DATA_SIZE": wide, "DATA_MODE": point, "RAM_TYPE": 1}
    op.set("SDP_RDMA", f"D_{dma}_CFG", **{f"{dma}_{n}": v for n, v in fields.items()})
    group = ATOM * (1 + wide) * (2 if use == 2 else 1)
    if point:
        _cube(op, space, rng, "SDP_RDMA", unit, size, group)
    else:
        _cube(op, space, rng, "SDP_RDMA", unit, (size[2], 1, 1), group)


def random_pdp(
    rng: Rng,
    space: MemorySpace,
    *,
    size: Size | None = None,
    wild: bool = False,
    windows: tuple[int, int] | None = None,
) -> DrawnOperation:
    """A PDP operation of any method, kernel, stride and padding, on a cube of any size or of about this one.

    Args:
        rng: random numbers.
        space: where the cubes go.
        size: of the input.
        wild: an average whose padding is worth anything that fits into the registers, so that sums wrap; kernels often of 8 x 8.
        windows: averages over kernels of this width and height at every place, from the first one with but one atom in it on.
    """
    op = DrawnOperation("PDP")
    kernel = [8, 8] if wild and rng.integers(2) else [1 + _small(rng, 3, 8) for _ in range(2)]
    stride = [1 + _small(rng, 2, 4, 16) for _ in range(2)]
    before = [min(_small(rng, 1, k), 7) for k in kernel]
    behind = [min(_small(rng, 1, k), 7) for k in kernel]
    if windows is not None:
        kernel, stride, before, behind = [*windows], [1, 1], [k - 1 for k in windows], [0, 0]
    width, height, channels = size or (1 + _small(rng, 8, 50), 1 + _small(rng, 3, 9), 1 + _small(rng, 8, 20))
    inner = [width, height]
    inner = [max(n, k - b - e) for n, k, b, e in zip(inner, kernel, before, behind, strict=True)]
    outer = [(n + b + e - k) // s + 1 for n, b, e, k, s in zip(inner, before, behind, kernel, stride, strict=True)]
    surfaces = -(-channels // ATOM)
    for name, value in (("IN_WIDTH", inner[0]), ("IN_HEIGHT", inner[1]), ("IN_CHANNEL", channels)):
        for block in op.blocks:
            op.set(block, f"D_DATA_CUBE_{name}", **{f"CUBE_{name}": value - 1})
    for name, value in (("OUT_WIDTH", outer[0]), ("OUT_HEIGHT", outer[1]), ("OUT_CHANNEL", channels)):
        op.set("PDP", f"D_DATA_CUBE_{name}", **{f"CUBE_{name}": value - 1})
    op.set("PDP", "D_OPERATION_MODE_CFG", POOLING_METHOD=0 if wild or windows else int(rng.integers(3)), FLYING_MODE=1)
    shape = {"KERNEL_WIDTH": kernel[0] - 1, "KERNEL_STRIDE_WIDTH": stride[0] - 1}
    op.set("PDP_RDMA", "D_POOLING_KERNEL_CFG", **shape)
    shape |= {"KERNEL_HEIGHT": kernel[1] - 1, "KERNEL_STRIDE_HEIGHT": stride[1] - 1}
    op.set("PDP", "D_POOLING_KERNEL_CFG", **shape)
    op.set("PDP_RDMA", "D_POOLING_PADDING_CFG", PAD_WIDTH=before[0])
    op.set("PDP", "D_POOLING_PADDING_CFG", PAD_LEFT=before[0], PAD_TOP=before[1], PAD_RIGHT=behind[0])
    op.set("PDP", "D_POOLING_PADDING_CFG", PAD_BOTTOM=behind[1])
    pad = (int(rng.integers(64, 128)) if windows else _small(rng, 1, 128)) * int(rng.choice([-1, 1]))
    for n in range(1, 8):
        value = int(rng.integers(1 << 19)) if wild else n * pad & 0x7FFFF
        op.set("PDP", f"D_POOLING_PADDING_VALUE_{n}_CFG", **{f"PAD_VALUE_{n}X": value})
    for name, k in (("WIDTH", kernel[0]), ("HEIGHT", kernel[1])):
        factor = (1 << 16) // k if rng.integers(3) else int(rng.integers(1 << 17))
        op.set("PDP", f"D_RECIP_KERNEL_{name}", **{f"RECIP_KERNEL_{name}": factor})
    for block in op.blocks:
        part = {"FIRST": inner[0] - 1, "LAST": inner[0] - 1, "MID": inner[0] - 1}
        op.set(block, "D_PARTIAL_WIDTH_IN", **{f"PARTIAL_WIDTH_IN_{n}": v for n, v in part.items()})
    part = {"FIRST": outer[0] - 1, "LAST": outer[0] - 1, "MID": outer[0] - 1}
    op.set("PDP", "D_PARTIAL_WIDTH_OUT", **{f"PARTIAL_WIDTH_OUT_{n}": v for n, v in part.items()})
    op.set("PDP_RDMA", "D_FLYING_MODE", FLYING_MODE=1)
    op.set("PDP_RDMA", "D_SRC_RAM_CFG", SRC_RAM_TYPE=1)
    op.set("PDP", "D_DST_RAM_CFG", DST_RAM_TYPE=1)
    _cube(op, space, rng, "PDP_RDMA", "SRC", (inner[0], inner[1], surfaces), ATOM)
    _cube(op, space, rng, "PDP", "DST", (outer[0], outer[1], surfaces), ATOM)
    return op


class OperationProgram:
    """A register program that grows by operations, each engine's in order, both of its groups in use.

    Blocks take turns with their groups each on its own, as SDP_RDMA rests while SDP works on the fly. A group is programmed anew
    when S_STATUS says that it is free.

    Args:
        rng: for what is left open: order, posted or not.
        meddle: write to groups that have just been enabled, too.
    """

    def __init__(self, rng: Rng, *, meddle: bool = False) -> None:
        self.steps: list[Access] = []
        self._rng = rng
        self._meddle = meddle
        self._count: dict[str, int] = {}

    def run(self, op: DrawnOperation, blocks: Sequence[str] | None = None) -> None:
        """Program an operation and enable it; ``blocks``: only these, the others come later or came before."""
        blocks = op.blocks if blocks is None else blocks
        if op.before:
            if op.engine in self._count:
                self.steps += [_idle(op.engine, group) for group in range(_GROUPS)]
            self.steps += op.before
        for block in blocks:
            number = self._count.get(block, 0)
            self._count[block] = number + 1
            if number >= _GROUPS:
                self.steps.append(_idle(block, number % _GROUPS))
        self.steps += _start(op, {block: (self._count[block] - 1) % _GROUPS for block in blocks}, self._rng)
        if self._meddle:
            self.steps += _meddling(op, self._rng)

    def post(self, block: str, name: str, value: int) -> None:
        """A posted write."""
        self.steps.append(Access("post", csb_register(block, name).address, value))

    def read(self, block: str, name: str) -> None:
        """A read."""
        self.steps.append(Access("read", csb_register(block, name).address))

    def wait(self, cycles: int) -> None:
        """Let some cycles go by."""
        self.steps.append(Access("wait", cycles=cycles))

    def look(self) -> None:
        """Read who works on what, in the blocks that were used, and GLB's status."""
        for block in self._count:
            self.read(block, "S_POINTER")
            self.read(block, "S_STATUS")
        self.read("GLB", "S_INTR_STATUS")

    def settle(self) -> None:
        """Wait until everything is done, block by block."""
        for block in self._count:
            self.steps += [_idle(block, group) for group in range(_GROUPS)]


def operations_program(operations: Sequence[DrawnOperation], rng: Rng, *, meddle: bool = False) -> tuple[Access, ...]:
    """The program that runs operations. At the end everything has been waited for, and GLB's status and the pointers are read."""
    made = OperationProgram(rng, meddle=meddle)
    for op in operations:
        made.run(op)
    made.settle()
    made.look()
    for value in (0x0000_0015, 0xFFFF_FFFF):
        made.steps.append(Access("write", csb_register("GLB", "S_INTR_STATUS").address, value))
        made.read("GLB", "S_INTR_STATUS")
    made.wait(2)
    return tuple(made.steps)


def _idle(block: str, group: int) -> Access:
    shift = 16 * group
    return Access("poll", csb_register(block, "S_STATUS").address, 0, mask=3 << shift, cycles=PATIENCE)


def _start(op: DrawnOperation, groups: Mapping[str, int], rng: Rng) -> list[Access]:
    def write(address: int, value: int) -> Access:
        return Access("post" if rng.integers(4) else "write", address, value)

    steps = [write(csb_register(block, "S_POINTER").address, group) for block, group in groups.items()]
    values = list(op.values(tuple(groups)).items())
    steps += [write(*values[i]) for i in rng.permutation(len(values)).tolist()]
    if rng.integers(3) == 0:
        address, _ = values[int(rng.integers(len(values)))]
        steps.append(Access("read", address))
    enables = [csb_register(block, "D_OP_ENABLE").address for block in groups]
    return steps + [write(enables[i], 1) for i in rng.permutation(len(enables)).tolist()]


def _meddling(op: DrawnOperation, rng: Rng) -> list[Access]:
    """Writes to the groups that have just been enabled, the last part of them perhaps when the operation is done."""
    enable = csb_register(op.blocks[int(rng.integers(len(op.blocks)))], "D_OP_ENABLE").address
    steps = [Access("post", enable, int(rng.integers(2)))]
    for block in op.blocks:
        grouped = [r.address for r in all_registers() if r.block == block and r.name.startswith("D_") and r.write_mask]
        for address in rng.choice(grouped, 4).tolist():
            if address != csb_register(block, "D_OP_ENABLE").address:
                steps += [Access("post", address, int(rng.integers(1 << 32))), Access("read", address)]
    return steps


_IGNORED_REGISTERS = {
    "SDP": ("D_DST_DMA_CFG", "D_DP_EW_CFG"),
    "SDP_RDMA": (
        *(f"D_DATA_CUBE_{side}" for side in ("WIDTH", "HEIGHT", "CHANNEL")),
        *("D_FEATURE_MODE_CFG", "D_SRC_DMA_CFG", "D_ERDMA_CFG"),
    ),
    "PDP": ("D_DATA_CUBE_OUT_CHANNEL", "D_PARTIAL_WIDTH_IN", "D_PARTIAL_WIDTH_OUT", "D_DST_RAM_CFG"),
    "PDP_RDMA": (
        *(f"D_DATA_CUBE_IN_{side}" for side in ("WIDTH", "HEIGHT", "CHANNEL")),
        *("D_POOLING_KERNEL_CFG", "D_POOLING_PADDING_CFG", "D_PARTIAL_WIDTH_IN", "D_FLYING_MODE", "D_SRC_RAM_CFG"),
    ),
}
_IGNORED_FIELDS = ("PAD_RIGHT", "PAD_BOTTOM", "SPLIT_NUM", "BRDMA_RAM_TYPE", "NRDMA_RAM_TYPE")


def fill_ignored(op: DrawnOperation, rng: Rng) -> DrawnOperation:
    """Random values in every field of SDP or PDP that docs/nvdla-hardware.md says nobody looks at; gives the operation."""
    for one in all_registers():
        if one.block not in op.blocks or not one.name.startswith("D_") or one.name == "D_OP_ENABLE":
            continue
        ignored = one.name in _IGNORED_REGISTERS[one.block] or one.name.endswith("_HIGH")
        for part in one.fields:
            if ignored or part.name in _IGNORED_FIELDS or (one.block, one.name, part.name) not in op.fields:
                op.set(one.block, one.name, **{part.name: int(rng.integers(1 << 32)) & (part.mask >> part.lsb)})
    return op


def upside_down(op: DrawnOperation) -> DrawnOperation:
    """Source and target of SDP or PDP laid out from the last line to the first: strides of lines that are negative, 32 bits wide.

    Gives the operation.
    """
    height = {"SDP": "D_DATA_CUBE_HEIGHT", "PDP": "D_DATA_CUBE_{}_HEIGHT"}[op.engine]
    for block, prefix, side in ((f"{op.engine}_RDMA", "SRC", "IN"), (op.engine, "DST", "OUT")):
        name = height.format(side)
        below = next(v for (b, r, _), v in op.fields.items() if (b, r) == (op.engine, name))
        stride = (block, f"D_{prefix}_LINE_STRIDE", f"{prefix}_LINE_STRIDE")
        op.fields[block, f"D_{prefix}_BASE_ADDR_LOW", f"{prefix}_BASE_ADDR_LOW"] += below * op.fields[stride]
        op.fields[stride] = -op.fields[stride] & 0xFFFF_FFFF
    return op
