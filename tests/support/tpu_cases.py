# SPDX-License-Identifier: Apache-2.0
"""A random command in three places: the model, the plain implementation, and the vendor's functional model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from naive_tpu import NaiveTpu
from naive_tpu_moves import FORMS
from tpu_random import AREA, RandomCommand
from tpu_random_moves import FAR_INDEX
from tpu_single import Single, one_command

from goldbeat.pymodels.tpu.execute.memories import TpuMemories
from goldbeat.pymodels.tpu.execute.static import static_tables
from goldbeat.pymodels.tpu.hazards.memory import MEMORY, ChipMemory
from goldbeat.pymodels.tpu.streams.tables import chip

FAR_BYTES = 1 << 17
_BASE = {"BM1684X": 1 << 32, "BM1688": (1 << 39) + (1 << 36), "CV184X": (1 << 40) + (1 << 31)}
_LOCAL = {"BM1684X": 0x8000000, "BM1688": 0}


def far_base(name: str) -> int:
    """A first address of global memory in commands."""
    return _BASE.get(name, 1 << 40)


def with_addresses(name: str, one: RandomCommand) -> dict[str, int]:
    """The fields of a move with its addresses; the field of 32 bits is the low part, whatever it is called."""
    found = dict(one.fields)
    kind = chip(name).engines[one.engine].kind(one.form)
    for end in ("src", "dst", "index"):
        if f"{end}_place" not in found:
            continue
        place, far = found.pop(f"{end}_place"), found.pop(f"{end}_far")
        address = far_base(name) + place if far else _LOCAL.get(name, 31 << 40) + place
        for part in kind.fields:
            if part.name.startswith(f"{end}_start_addr"):
                found[part.name] = address & 0xFFFFFFFF if part.width == 32 else address >> 32
    return found


@dataclass
class Filled:
    """TpuMemories before a command."""

    local: np.ndarray
    far: np.ndarray


def fill(memory: ChipMemory, one: RandomCommand, rng: np.random.Generator) -> Filled:
    """Random numbers of the operands' types; bits of fp16 elsewhere, which are plain numbers in every type."""

    def numbers(prec: int, size: int) -> np.ndarray:
        if prec == 2:
            return rng.normal(0, 3, size // 4).astype(np.float32).view(np.uint8)
        if prec == 5:
            return (
                (rng.normal(0, 3, size // 2).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
            )
        if prec == 1:
            return rng.normal(0, 3, size // 2).astype(np.float16).view(np.uint8)
        return rng.integers(0, 256, size, np.uint8)

    local = np.zeros(memory.bytes, np.uint8)
    lanes = local.reshape(memory.lanes, -1)
    lanes[:, : 16 * AREA] = numbers(1, memory.lanes * 16 * AREA).reshape(memory.lanes, -1)
    for area, prec in one.types.items():
        part = lanes[:, area * AREA : (area + 3) * AREA]
        part[...] = numbers(prec, part.size).reshape(part.shape)
    if one.words is not None:
        area, words = one.words
        raw = np.array(words, np.uint32).view(np.uint8).reshape(memory.lanes, -1)
        lanes[:, area * AREA : area * AREA + raw.shape[1]] = raw
    far = numbers(1, FAR_BYTES)
    if one.index is not None:
        area, limit, size = one.index
        kind = np.dtype(f"<u{size}")
        if one.engine == "tiu":
            part = lanes[:, area * AREA : (area + 1) * AREA]
            # Different targets in one lane: a permutation, beyond the table too.
            many = part.shape[1] // size
            rows = [_different(rng, limit, many) for _ in range(memory.lanes)]
            part[...] = np.array(rows).astype(kind).view(np.uint8)
        else:
            far[FAR_INDEX : FAR_INDEX + 1024] = _different(rng, limit, 256).astype(kind).view(np.uint8)
    return Filled(local, far)


def _different(rng: np.random.Generator, limit: int, many: int) -> np.ndarray:
    """Numbers below a limit; all of them before one comes again."""
    parts = [rng.permutation(limit) for _ in range(many // limit + 1)]
    return np.concatenate(parts)[:many]


class Case:
    """One command on one chip."""

    def __init__(self, name: str, one: RandomCommand, rng: np.random.Generator) -> None:
        self.name, self.one, self.memory = name, one, MEMORY[name]
        self.before = fill(self.memory, one, rng)
        self.fields = with_addresses(name, one)

    def __str__(self) -> str:
        return f"{self.name} {self.one.form} {self.one.func} {self.one.fields}"

    def modelled(self) -> Filled:
        single = Single(self.name, self.one.engine, self.one.form, self.one.func, self.fields)
        base = far_base(self.name)
        memories = TpuMemories(self.memory, [(base, base + FAR_BYTES)], 1, static_tables(self.name))
        memories.local[0][:] = self.before.local
        memories.far_bytes(base, FAR_BYTES)[:] = self.before.far
        single.memories = memories
        single.run()
        return Filled(memories.local[0], memories.far_bytes(base, FAR_BYTES))

    def plain(self) -> Filled:
        local, far = self.before.local.copy(), self.before.far.copy()
        fields = self.one.fields | self.one.plain
        for end in ("src", "dst", "index"):
            if f"{end}_place" in fields:
                fields[f"{end}_start_addr"] = fields[f"{end}_place"]
        FORMS[self.one.form](NaiveTpu(self.memory, local, (0, far), fields, self.one.func))
        return Filled(local, far)

    def command(self) -> bytes:
        return one_command(self.name, self.one.engine, self.one.form, self.one.func, self.fields).raw(0)


def difference(one: Filled, two: Filled) -> str:
    """Where two memories differ first, empty if nowhere."""
    for name in ("local", "far"):
        a, b = getattr(one, name), getattr(two, name)
        bad = np.flatnonzero(a != b)
        if len(bad):
            return f"{name}: {len(bad)} bytes, the first at {bad[0]:#x}: {a[bad[:6]]} and {b[bad[:6]]}"
    return ""
