# SPDX-License-Identifier: Apache-2.0
"""Random programs of TIU and GDMA that are safe by construction: dependencies are chosen by comparing bytes, one by one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from naive_hazards import naive_bytes

from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.encode import encode_commands, interleave
from goldbeat.pymodels.tpu.streams.tables import Chip, chip

Bytes = set[tuple[str, int, int]]
Shape = tuple[int, int, int, int]
SafeTensor = tuple[int, Shape, bool]
"""Address, shape, and whether anything has read it."""
GEOMETRY = {
    "BM1684X": (64, 1 << 18, 64),
    "BM1688": (32, 1 << 17, 16),
    "BM1690": (64, 1 << 18, 64),
    "CV184X": (8, 1 << 16, 16),
}
"""Lanes, bytes of a lane, bytes of an execution unit."""
FAR = {"BM1684X": 1 << 32, "BM1688": 0x9 << 36, "BM1690": 1 << 40, "CV184X": 1 << 40}
"""An address in global memory."""
NEAR = {"BM1684X": 0x8000000, "BM1688": 0, "BM1690": 31 << 40, "CV184X": 31 << 40}
"""Where local memory begins for the GDMA."""


@dataclass
class SafeCommand:
    """One command: what it is, and every byte that it touches."""

    engine: str
    form: str
    fields: dict[str, int]
    func: int
    reads: Bytes
    writes: Bytes
    dep: int = 0


@dataclass
class SafeProgram:
    """Commands of each engine of each core."""

    chip: Chip
    lanes: dict[tuple[int, str], list[SafeCommand]] = field(default_factory=dict)

    def streams(self) -> list[CommandStream]:
        """As bytes."""
        made = []
        for (core, name), commands in self.lanes.items():
            engine = self.chip.engine(name)
            parts = []
            for place, one in enumerate(commands):
                identity = {"id": place + 1} if "id" in engine.head else {}
                kind = engine.kind(one.form)
                parts.append(
                    (
                        np.array([place]),
                        encode_commands(engine, kind, one.fields, func=one.func, dep=one.dep, **identity),
                    )
                )
            raw = interleave(parts).tobytes() if parts else b""
            identity = {"id": len(commands) + 1} if "id" in engine.head else {}
            raw += encode_commands(engine, engine.end[0], func=engine.end[1], n=1, **identity).tobytes()
            suffix = "tiu" if name == "tiu" else "dma"
            data = np.frombuffer(raw + bytes(-len(raw) % 128), np.uint8)
            made.append(CommandStream(f"core{core}.sub0.g0.{suffix}", name, data, 0, core=core))
        return made


class SafeMaker:
    """Makes commands that move and add small tensors.

    Args:
        name: a chip of ``GEOMETRY``.
        seed: of the random numbers.
        cores: how many work at a time; between phases all of them meet in a barrier.
    """

    def __init__(self, name: str, seed: int, cores: int = 1) -> None:
        self.name, self.rng, self.cores = name, np.random.default_rng(seed), cores
        self.program = SafeProgram(chip(name))
        for core in range(cores):
            for engine in ("tiu", "gdma"):
                self.program.lanes[core, engine] = []
        self.buffers: list[list[SafeTensor]] = [[] for _ in range(cores)]
        self.phase = [dict.fromkeys(("tiu", "gdma"), 0) for _ in range(cores)]
        self.prefix = [dict.fromkeys(("tiu", "gdma"), 0) for _ in range(cores)]
        self.turn = 0

    def make(self, commands: int) -> SafeProgram:
        """About so many commands of each core."""
        for step in range(commands):
            for core in range(self.cores):
                self._step(core)
            if self.cores > 1 and step % 6 == 5:
                self._barrier()
        for core in range(self.cores):
            # What was made last is stored, so that nothing is computed in vain.
            for buffer in list(self.buffers[core]):
                if not buffer[2]:
                    self._store(core, buffer)
        if self.cores > 1:
            self._barrier()
        return self.program

    # -- tensors ------------------------------------------------------------------------------------------------

    def _shape(self) -> Shape:
        lanes = GEOMETRY[self.name][0]
        most = (2, int(self.rng.choice([3, lanes, lanes + 3])), 3, 6)
        n, c, h, w = (int(self.rng.integers(1, one + 1)) for one in most)
        return n, c, h, w

    def _local(self, core: int, address: int, shape: Shape, strides: tuple[int, ...]) -> Bytes:
        lanes, lane_bytes, _ = GEOMETRY[self.name]
        n, row, h, w = (2 * one for one in strides)
        found = naive_bytes(lanes, address // lane_bytes, address % lane_bytes, shape, (n, row, h, w), 2)
        return {(f"local{core}", lane, byte) for lane, byte in found}

    def _aligned(self, address: int, shape: Shape) -> Shape:
        lanes, lane_bytes, unit = GEOMETRY[self.name]
        _, c, h, w = shape
        row = (h * w * 2 + unit - 1) // unit * unit // 2
        return (address // lane_bytes + c + lanes - 1) // lanes * row, row, w, 1

    def _address(self) -> int:
        lanes, lane_bytes, unit = GEOMETRY[self.name]
        return int(self.rng.integers(0, 3)) * lane_bytes * (lanes > 8) + int(self.rng.integers(0, 24)) * unit

    # -- commands -----------------------------------------------------------------------------------------------

    def _step(self, core: int) -> None:
        what = self.rng.random()
        known = self.buffers[core]
        if not known or what < 0.35:
            self._load(core)
        elif what < 0.75:
            self._add(core, known[int(self.rng.integers(len(known)))])
        else:
            self._store(core, known[int(self.rng.integers(len(known)))])

    def _move(self, source: int, target: int, shape: Shape, steps: list[tuple[int, ...]]) -> dict[str, int]:
        fields = {f"src_{axis}size": value for axis, value in zip("nchw", shape, strict=True)}
        fields |= {"nchw_copy": 1, "stride_enable": 1, "src_data_format": 1, "localmem_mask_l32": 0xFFFFFFFF}
        known = self.program.chip.engine("gdma").kind("DMA_tensor").by_name
        if "localmem_mask_h32" in known:
            fields["localmem_mask_h32"] = 0xFFFFFFFF
        high = "h8" if "src_start_addr_h8" in known else "h13"
        for end, address, strides in (("src", source, steps[0]), ("dst", target, steps[1])):
            fields |= {f"{end}_start_addr_l32": address & 0xFFFFFFFF, f"{end}_start_addr_{high}": address >> 32}
            fields |= {f"{end}_{axis}stride": value for axis, value in zip("nchw", strides, strict=True)}
        return fields

    def _far(self, shape: Shape) -> tuple[int, tuple[int, ...], Bytes]:
        """A tensor in global memory: rows of one step, so that tensors lie between each other's rows."""
        _, c, h, _ = shape
        strides = (c * h * 16, h * 16, 16, 1)
        at = int(self.rng.integers(0, 64)) * 8
        found = {("global", 0, byte) for _, byte in naive_bytes(1, 0, at, shape, tuple(2 * s for s in strides), 2)}
        return FAR[self.name] + at, strides, found

    def _load(self, core: int) -> None:
        shape, at = self._shape(), self._address()
        strides = self._aligned(at, shape)
        source, steps, far = self._far(shape)
        near = self._local(core, at, shape, strides)
        fields = self._move(source, NEAR[self.name] + at, shape, [steps, strides])
        if self._put(core, SafeCommand("gdma", "DMA_tensor", fields, 0, far, near)):
            self._made(core, at, shape, near)

    def _store(self, core: int, buffer: SafeTensor) -> None:
        at, shape = buffer[:2]
        strides = self._aligned(at, shape)
        target, steps, far = self._far(shape)
        near = self._local(core, at, shape, strides)
        fields = self._move(NEAR[self.name] + at, target, shape, [strides, steps])
        done = self._put(core, SafeCommand("gdma", "DMA_tensor", fields, 0, near, far))
        if not done and self.cores > 1:
            self._barrier()
            done = self._put(core, SafeCommand("gdma", "DMA_tensor", fields, 0, near, far))
        if done:
            self._used(core, at)

    def _add(self, core: int, buffer: SafeTensor) -> None:
        at, shape = buffer[:2]
        lane_bytes, unit = GEOMETRY[self.name][1:]
        # TIU operands of one command begin in one lane.
        to = at // lane_bytes * lane_bytes + int(self.rng.integers(0, 24)) * unit
        strides = self._aligned(at, shape)
        known = self.program.chip.engine("tiu").kind("sAR").by_name
        prefix = "opt_" if "opt_res0_prec" in known else ""
        fields = {f"res0_{axis}": value for axis, value in zip("nchw", shape, strict=True)}
        fields |= {f"{prefix}{one}_prec": 1 for one in ("res0", "opd0", "opd1")} | {"tsk_opd_num": 2}
        fields |= {"res0_addr": to, "opd0_addr": at, "opd1_addr": at}
        reads, writes = self._local(core, at, shape, strides), self._local(core, to, shape, self._aligned(to, shape))
        if self._put(core, SafeCommand("tiu", "sAR", fields, 2, reads, writes)):
            self._used(core, at)
            self._made(core, to, shape, writes)

    def _made(self, core: int, at: int, shape: Shape, near: Bytes) -> None:
        left = [
            one
            for one in self.buffers[core]
            if not (self._local(core, one[0], one[1], self._aligned(one[0], one[1])) & near)
        ]
        self.buffers[core] = [*left, (at, shape, False)]

    def _used(self, core: int, at: int) -> None:
        self.buffers[core] = [(a, s, used or a == at) for a, s, used in self.buffers[core]]

    # -- order --------------------------------------------------------------------------------------------------

    def _put(self, core: int, one: SafeCommand) -> bool:
        """Append a command with a dependency that suffices; not if another core touches its bytes in this phase."""
        mine = self.program.lanes[core, one.engine]
        if mine and (mine[-1].form, mine[-1].func, mine[-1].fields) == (one.form, one.func, one.fields):
            return False
        if self._clashes(core, one) or self._loses(core, one):
            return False
        other = "gdma" if one.engine == "tiu" else "tiu"
        theirs = self.program.lanes[core, other]
        need = max((i + 1 for i, it in enumerate(theirs) if conflicting(one, it)), default=0)
        prefix = self.prefix[core]
        if need > prefix[one.engine]:
            one.dep = int(self.rng.integers(need, len(theirs) + 1))
        elif self.rng.random() < 0.3:
            one.dep = int(self.rng.integers(0, len(theirs) + 1))
        prefix[one.engine] = max(prefix[one.engine], one.dep)
        self.program.lanes[core, one.engine].append(one)
        return True

    def _loses(self, core: int, one: SafeCommand) -> bool:
        """Whether it would write over a tensor that nobody has read."""
        for at, shape, used in self.buffers[core]:
            if not used and self._local(core, at, shape, self._aligned(at, shape)) & one.writes:
                return True
        return False

    def _clashes(self, core: int, one: SafeCommand) -> bool:
        for (where, engine), commands in self.program.lanes.items():
            if where != core and any(conflicting(one, it) for it in commands[self.phase[where][engine] :]):
                return True
        return False

    def _barrier(self) -> None:
        message, users = self.turn % 4, 2 * self.cores
        self.turn += 1
        for (core, name), commands in self.program.lanes.items():
            table = self.program.chip.engine(name)
            for spec in (table.send, table.wait):
                value = message << spec.id[0] | users << spec.count[0]
                form = table.end[0].name
                commands.append(SafeCommand(name, form, {spec.field: value}, spec.func, set(), set()))
            self.phase[core][name] = len(commands)


def conflicting(a: SafeCommand, b: SafeCommand) -> bool:
    """Whether one of two commands writes what the other touches."""
    return bool(a.writes & (b.reads | b.writes) or a.reads & b.writes)
