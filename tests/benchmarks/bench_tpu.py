# SPDX-License-Identifier: Apache-2.0
"""How fast TPU command streams are decoded, listed and scheduled, and how much memory that takes.

The peer is what a script does: one command at a time,
a Python integer of its bytes, a shift and a mask a field. Both take turns; memory is measured in a process of its own.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from measured import Row, benchmark

from goldbeat.pymodels.tpu.streams.assemble import assemble
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.decode import decode_stream
from goldbeat.pymodels.tpu.streams.encode import encode_commands, interleave, padded
from goldbeat.pymodels.tpu.streams.listing import as_text
from goldbeat.pymodels.tpu.streams.schedule import Lane, schedule
from goldbeat.pymodels.tpu.streams.tables import EngineTable, chip

CHIPS = ("BM1684X", "BM1688", "BM1690")
FILES = ("pymodels/tpu/streams/*.*",)
FEW = 10_000
VENDOR = 3_000
"""Commands a second of the vendor's disassembler, as its users report it; it cannot be run here."""


def stream(name: str, count: int) -> bytes:
    """Commands of all forms of the TIU in random order, every field random."""
    engine = chip(name).engine("tiu")
    rng = np.random.default_rng(count)
    which = rng.integers(0, len(engine.kinds), count)
    parts = []
    for kind in engine.kinds:
        place = np.flatnonzero(which == kind.index)
        funcs = [f for f in kind.ops if (kind, f) != engine.end]
        heads = [engine.head[i] for i in ("short", "type", "func")]
        fields = {
            one.name: rng.integers(0, 1 << min(one.width, 62), len(place))
            for one in kind.fields
            if not any(one.bit < bit + width and bit < one.end for bit, width in heads)
        }
        parts.append((place, encode_commands(engine, kind, fields, n=len(place), func=rng.choice(funcs, len(place)))))
    return padded(engine, interleave(parts).tobytes())


def every_field(engine: EngineTable, raw: bytes) -> int:
    """All columns of all forms."""
    found = decode_stream(engine, raw)
    return sum(len(found.fields(kind)) for kind in found.kinds())


def plain(engine: EngineTable, raw: bytes) -> list[dict[str, int]]:
    """What a script does."""
    at, made = 0, []
    (sb, _), (tb, tw), (fb, fw) = (engine.head[i] for i in ("short", "type", "func"))
    assert engine.end is not None
    while True:
        head = int.from_bytes(raw[at : at + 8], "little")
        func = head >> fb & ((1 << fw) - 1)
        type_ = head >> tb & ((1 << tw) - 1)
        kind = next(
            k
            for k in engine.kinds
            if k.type == type_
            and (k.short is None or k.short == head >> sb & 1)
            and (func & ((1 << (k.func_bits or fw)) - 1)) in k.ops
        )
        value = int.from_bytes(raw[at : at + kind.bytes], "little")
        made.append({f.name: value >> f.bit & ((1 << f.width) - 1) for f in kind.fields})
        at += kind.bytes
        if (kind, func) == engine.end:
            return made


def _median(work: Callable[[], object], repeats: int, clock: Callable[[], float] = perf_counter) -> float:
    seconds = []
    for _ in range(repeats):
        begin = clock()
        work()
        seconds.append(clock() - begin)
    return statistics.median(seconds)


def run(commands: int, repeats: int) -> Iterator[Row]:
    """All figures."""
    for name in CHIPS:
        engine = chip(name).engine("tiu")
        few, some, many = stream(name, FEW), stream(name, commands // 10), stream(name, commands)
        assert len(plain(engine, few)) == len(decode_stream(engine, few))
        ours, theirs, cpu = [], [], []
        for _ in range(repeats):
            ours.append(_median(lambda raw=many, e=engine: every_field(e, raw), 1))
            cpu.append(_median(lambda raw=many, e=engine: every_field(e, raw), 1, process_time))
            theirs.append(_median(lambda raw=few, e=engine: plain(e, raw), 1))
        rate, peer = commands / statistics.median(ours), FEW / statistics.median(theirs)
        yield Row(f"decode {commands:,} commands, {name}", rate, "commands/s", "plain loop", peer)
        yield Row(f"the same, {name}, processor time", commands / statistics.median(cpu), "commands/s")
        small = _median(lambda raw=some, e=engine: every_field(e, raw), repeats, clock=process_time)
        yield Row(f"time for {commands:,} over {commands // 10:,}, {name}", statistics.median(cpu) / small)
    for count in (commands, 2 * commands):
        yield Row(f"peak memory, {count:,} commands, BM1684X", peak(count), "MB")
    yield from _text()
    yield from _timed(commands // 2)


def peak(count: int) -> float:
    """Most megabytes of a process that decodes all fields of a stream of a file."""
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(stream("BM1684X", count))
        command = [sys.executable, __file__, "--peak", file.name]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def print_peak(file: str) -> None:
    """In that process."""
    found = decode_stream(chip("BM1684X").engine("tiu"), np.fromfile(file, np.uint8))
    columns = {kind.name: found.fields(kind) for kind in found.kinds()}
    assert columns
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6)


def _text() -> Iterator[Row]:
    of = chip("BM1690")
    raw = np.frombuffer(stream("BM1690", FEW), np.uint8)
    one = CommandStream("s", "tiu", raw, 0)
    lines = "".join(as_text(of, [one])).splitlines()
    assert bytes(assemble(lines)[1][0].data) == raw.tobytes()
    dis = _median(lambda: "".join(as_text(of, [one])), 3, process_time)
    asm = _median(lambda: assemble(lines), 3, process_time)
    yield Row("disassemble to text, BM1690", FEW / dis, "commands/s", "vendor, as reported", VENDOR)
    yield Row("assemble that text, BM1690", FEW / asm, "commands/s")


def _timed(n: int) -> Iterator[Row]:
    zeros = np.zeros(n, np.int8)
    ids = np.arange(1, n + 1)
    none = np.zeros(n, np.int64)
    lanes = [
        Lane(0, "tiu", ids, ids, zeros, none, none),
        Lane(0, "gdma", ids, np.maximum(ids - 2, 0), zeros, none, none),
    ]
    seconds = _median(lambda: schedule(lanes, [5, 9]), 3, process_time)
    yield Row("schedule two engines that wait for each other", 2 * n / seconds, "commands/s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peak"]:
        print_peak(sys.argv[2])
    else:
        benchmark(run, FILES, {"commands": 1_000_000, "repeats": 5}, {"commands": 100_000, "repeats": 1})
