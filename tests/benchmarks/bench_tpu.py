# SPDX-License-Identifier: Apache-2.0
"""How fast TPU command streams are decoded, listed and scheduled, and how much memory that takes.

Run as a script: prints a table and writes ``build/bench/tpu.json``. The peer is what a script does: one command at a time,
a Python integer of its bytes, a shift and a mask a field. Both take turns; memory is measured in a process of its own.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from goldbeat.pymodels.tpu.streams.assemble import assemble
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.decode import decode_stream
from goldbeat.pymodels.tpu.streams.encode import encode_commands, interleave, padded
from goldbeat.pymodels.tpu.streams.listing import as_text
from goldbeat.pymodels.tpu.streams.schedule import Lane, schedule
from goldbeat.pymodels.tpu.streams.tables import EngineTable, chip

CHIPS = ("BM1684X", "BM1688", "BM1690")
MANY, SOME, FEW = 1_000_000, 100_000, 10_000
REPEATS = 5
VENDOR = 3_000
"""Commands a second of the vendor's disassembler, as its users report it; it cannot be run here."""
OUT = Path("build/bench/tpu.json")


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


def _median(work: Callable[[], object], repeats: int = REPEATS, clock: Callable[[], float] = perf_counter) -> float:
    seconds = []
    for _ in range(repeats):
        begin = clock()
        work()
        seconds.append(clock() - begin)
    return statistics.median(seconds)


def _row(name: str, value: float, unit: str, peer: str = "", other: float = 0.0) -> dict[str, Any]:
    row: dict[str, Any] = {"name": name, "value": value, "unit": unit}
    if peer:
        row |= {"peer": {"name": peer, "value": other}, "ratio": value / other}
    return row


def run() -> list[dict[str, Any]]:
    """All figures."""
    rows = []
    for name in CHIPS:
        engine = chip(name).engine("tiu")
        few, some, many = stream(name, FEW), stream(name, SOME), stream(name, MANY)
        assert len(plain(engine, few)) == len(decode_stream(engine, few))
        ours, theirs, cpu = [], [], []
        for _ in range(REPEATS):
            ours.append(_median(lambda raw=many, e=engine: every_field(e, raw), 1))
            cpu.append(_median(lambda raw=many, e=engine: every_field(e, raw), 1, process_time))
            theirs.append(_median(lambda raw=few, e=engine: plain(e, raw), 1))
        rate, peer = MANY / statistics.median(ours), FEW / statistics.median(theirs)
        rows.append(_row(f"decode {MANY} commands, all fields, {name}", rate, "commands/s", "plain loop", peer))
        rows.append(_row(f"the same in processor time, {name}", MANY / statistics.median(cpu), "commands/s"))
        small = _median(lambda raw=some, e=engine: every_field(e, raw), clock=process_time)
        rows.append(_row(f"time of {MANY} over {SOME} commands, {name}", statistics.median(cpu) / small, "times"))
    rows.append(_row(f"peak memory, {MANY} commands, BM1684X", peak(MANY), "MiB"))
    rows.append(_row(f"peak memory, {2 * MANY} commands, BM1684X", peak(2 * MANY), "MiB"))
    rows += _text() + _timed()
    return rows


def peak(count: int) -> float:
    """MiB at most of a process that decodes all fields of a stream of a file."""
    path = OUT.parent / "stream.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(stream("BM1684X", count))
    done = subprocess.run([sys.executable, __file__, "--peak", str(path)], capture_output=True, text=True, check=True)
    path.unlink()
    return float(done.stdout)


def _text() -> list[dict[str, Any]]:
    of = chip("BM1690")
    raw = np.frombuffer(stream("BM1690", FEW), np.uint8)
    one = CommandStream("s", "tiu", raw, 0)
    lines = "".join(as_text(of, [one])).splitlines()
    assert bytes(assemble(lines)[1][0].data) == raw.tobytes()
    dis = _median(lambda: "".join(as_text(of, [one])), 3, process_time)
    asm = _median(lambda: assemble(lines), 3, process_time)
    return [
        _row("disassemble to text, every field random, BM1690", FEW / dis, "commands/s", "vendor, as reported", VENDOR),
        _row("assemble it, BM1690", FEW / asm, "commands/s"),
    ]


def _timed() -> list[dict[str, Any]]:
    n = MANY // 2
    zeros = np.zeros(n, np.int8)
    ids = np.arange(1, n + 1)
    none = np.zeros(n, np.int64)
    lanes = [
        Lane(0, "tiu", ids, ids, zeros, none, none),
        Lane(0, "gdma", ids, np.maximum(ids - 2, 0), zeros, none, none),
    ]
    seconds = _median(lambda: schedule(lanes, [5, 9]), 3, process_time)
    return [_row("schedule two engines that wait for each other", 2 * n / seconds, "commands/s")]


def main() -> int:
    """Print the table, write the JSON."""
    if sys.argv[1:2] == ["--peak"]:
        engine = chip("BM1684X").engine("tiu")
        found = decode_stream(engine, np.fromfile(sys.argv[2], np.uint8))
        columns = {kind.name: found.fields(kind) for kind in found.kinds()}
        assert columns
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return 0
    rows = run()
    for row in rows:
        peer = f"  {row['ratio']:8.1f} x  {row['peer']['name']} ({row['peer']['value']:.0f})" if "peer" in row else ""
        print(f"{row['name']:<58} {row['value']:14.1f} {row['unit']:<11}{peer}")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
