# SPDX-License-Identifier: Apache-2.0
"""Streams of random commands, made by the encoder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.streams.bmodel import AreaWriter, CommandStream, write_bmodel
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.encode import encode_commands, interleave, padded
from goldbeat.pymodels.tpu.streams.tables import Chip, CommandForm, EngineTable, tables


def every_engine() -> list[tuple[Chip, EngineTable]]:
    return [(chip, engine) for chip in tables() for engine in chip.engines.values()]


def funcs_of(engine: EngineTable, kind: CommandForm) -> list[int]:
    """What func may be, END left out."""
    if "func" not in engine.head:
        return [0]
    known = [f for f in kind.ops if f >= 0] or list(range(1 << engine.head["func"][1]))
    return [f for f in known if engine.end is None or (kind, f) != engine.end]


def free_fields(engine: EngineTable, kind: CommandForm) -> list[str]:
    """Fields that share no bit with short, type and func of the head."""
    heads = [engine.head[i] for i in ("short", "type", "func") if i in engine.head]
    if kind.short is None and "short" in engine.head:
        heads.remove(engine.head["short"])
    heads = [(b, kind.func_bits or w) if (b, w) == engine.head.get("func") else (b, w) for b, w in heads]
    if engine.last is not None:
        heads.append(engine.last)
    return [f.name for f in kind.fields if not any(f.bit < b + w and b < f.end for b, w in heads)]


def random_fields(
    engine: EngineTable, kind: CommandForm, n: int, rng: np.random.Generator
) -> dict[str, npt.NDArray[np.uint64]]:
    columns = {}
    for name in free_fields(engine, kind):
        width = kind.by_name[name].width
        columns[name] = rng.integers(0, (1 << width) - 1, n, np.uint64, endpoint=True)
    return columns


def random_stream(
    engine: EngineTable, n: int, rng: np.random.Generator
) -> tuple[bytes, npt.NDArray[np.int64], dict[int, dict[str, npt.NDArray[np.uint64]]]]:
    """A stream of n commands and END: bytes, kind of each command, fields by kind."""
    usable = [kind for kind in engine.kinds if funcs_of(engine, kind)]
    which = np.array([kind.index for kind in usable])[rng.integers(0, len(usable), n)]
    parts, fields = [], {}
    for kind in usable:
        place = np.flatnonzero(which == kind.index)
        fields[kind.index] = random_fields(engine, kind, len(place), rng)
        funcs = rng.choice(funcs_of(engine, kind), len(place))
        parts.append(
            (
                place,
                encode_commands(engine, kind, fields[kind.index], n=len(place), func=funcs if engine.head else None),
            )
        )
    return padded(engine, interleave(parts).tobytes()), which, fields


def segmented(name: str, parts: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[CommandStream]:
    """TIU and GDMA streams of several segments: no-operations that wait for the ids given, and END, for each segment."""
    of, made = tables().chip(name), []
    for index, (engine_name, suffix, form) in enumerate((("tiu", "tiu", "SYS"), ("gdma", "dma", "sDMA_sys"))):
        engine = of.engine(engine_name)
        raw = b""
        for part in parts:
            waits = np.array(part[index], np.int64)
            body = encode_commands(engine, engine.kind(form), func=1, dep=waits).tobytes() if len(waits) else b""
            raw += padded(engine, body)
        made.append(CommandStream(f"core0.sub0.g0.{suffix}", engine_name, np.frombuffer(raw, np.uint8), 0))
    return made


def with_subnets(parts: Sequence[CodeGen], idle: Sequence[int] = ()) -> bytes:
    """A BModel with a sub-net of each code generator's TIU and GDMA streams; ``idle`` ones have no commands (CPU)."""
    area = AreaWriter()
    subnets = []
    for number, made in enumerate(parts):
        cores = []
        for core in range(made.cores):
            streams = zip(made.lookup(f"tiu:{core}"), made.lookup(f"gdma:{core}"), strict=True)
            groups = [{"binary_bdc": area.add(tiu), "binary_gdma": area.add(gdma)} for tiu, gdma in streams]
            cores.append({"gdma_tiu_commands": groups})
        subnets.append({"core_commands": cores})
        if number in idle:
            subnets.append({"subnet_mode": 1})
    root = {"type": "B", "version": "2.2", "chip": parts[0].chip.name}
    return write_bmodel({**root, "net": [{"name": "n", "parameter": [{"sub_net": subnets}]}]}, area.data)
