# SPDX-License-Identifier: Apache-2.0
"""How fast PLIO text is read and written, against a plain loop over lines and against ``numpy.loadtxt``.

All candidates of one size take turns, and the medians are compared, so that a busy machine slows them all alike.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from io import BytesIO
from time import perf_counter
from typing import Any

import numpy as np
from measured import Row, benchmark

from goldbeat.pymodels.plio_file import TextStyle, format_text, parse_text
from goldbeat.pymodels.trace import Trace

FILES = ("pymodels/plio_file/*.py", "pymodels/trace.py")
FRAME = 256
CLOCK_PS = 4000
FIRST_CYCLE = 418
PICOSECONDS = {"ps": 1, "ns": 1000, "us": 1000_000, "ms": 1000_000_000, "s": 1000_000_000_000}


def make(beats: int) -> Trace:
    """A timed cint16 stream on 32 bits with frames, back to back as a simulator writes it."""
    data = np.random.default_rng(beats).integers(0, 256, (beats, 4), dtype=np.uint8)
    last = np.zeros(beats, np.bool_)
    last[FRAME - 1 :: FRAME] = True
    cycle = np.arange(beats, dtype=np.int64) + FIRST_CYCLE
    return Trace.from_bytes(data, last=last, cycle=cycle, clock_ps=CLOCK_PS)


def plain_read(raw: bytes, number: Callable[[str], float] = int, dtype: Any = np.int16) -> tuple[Any, ...]:
    """What a script does: one line at a time, no checks beyond what int() or float() does."""
    times, samples, last, marked = [], [], [], False
    for line in raw.decode().splitlines():
        words = line.split()
        if words[0] == "T":
            times.append(int(words[1]) * PICOSECONDS[words[2]])
        elif words[0] == "TLAST":
            marked = True
        else:
            samples.append([number(word) for word in words])
            last.append(marked)
            marked = False
    return np.array(times), np.array(samples, dtype), np.array(last)


def plain_write(trace: Trace, dtype: str = "cint16") -> bytes:
    """What a script does: one beat at a time."""
    lines = []
    samples = trace.samples(dtype).tolist()
    if dtype == "float":
        samples = [(f"{value:.9e}",) for value in samples]
    for time, last, numbers in zip(trace.time_ps.tolist(), trace.last.tolist(), samples, strict=True):
        unit = 0
        while time and time % 1000 == 0 and unit < 4:
            time, unit = time // 1000, unit + 1
        lines.append(f"T {time} {('ps', 'ns', 'us', 'ms', 's')[unit]}\n")
        if last:
            lines.append("TLAST\n")
        lines.append(" ".join(map(str, numbers)) + " \n")
    return "".join(lines).encode()


def _medians(candidates: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(repeats):
        for name, work in candidates.items():
            begin = perf_counter()
            work()
            seconds[name].append(perf_counter() - begin)
    return {name: statistics.median(values) for name, values in seconds.items()}


def run(sizes: tuple[int, ...], repeats: int) -> Iterator[Row]:
    """Median seconds."""
    for beats in sizes:
        trace = make(beats)
        single = np.random.default_rng(beats).normal(0, 1000, beats).astype(np.float32)
        floats = Trace.from_samples(single, "float", 32, clock_ps=CLOCK_PS, offset_ps=FIRST_CYCLE * CLOCK_PS)
        timed = format_text(trace, "cint16")
        data_only = format_text(trace, "cint16", TextStyle(time_lines=False))
        data_only = data_only.replace(b"TLAST\n", b"")
        assert timed == plain_write(trace)
        assert format_text(floats, "float") == plain_write(floats, "float")
        assert np.array_equal(plain_read(timed)[1], parse_text(timed, "cint16", 32).trace.samples("cint16"))
        timed_floats = format_text(floats, "float")
        candidates: dict[str, Callable[[], object]] = {
            "read timed cint16": lambda raw=timed: parse_text(raw, "cint16", 32),
            "plain loop, read": lambda raw=timed: plain_read(raw),
            "write timed cint16": lambda t=trace: format_text(t, "cint16"),
            "plain loop, write": lambda t=trace: plain_write(t),
            "read cint16 data lines": lambda raw=data_only: parse_text(raw, "cint16", 32),
            "numpy.loadtxt, data lines": lambda raw=data_only: np.loadtxt(BytesIO(raw), np.int16),
            "write timed float": lambda t=floats: format_text(t, "float"),
            "plain loop, write float": lambda t=floats: plain_write(t, "float"),
            "read timed float": lambda raw=timed_floats: parse_text(raw, "float", 32),
            "plain loop, read float": lambda raw=timed_floats: plain_read(raw, float, np.float32),
        }
        seconds = _medians(candidates, repeats)
        pairs = (
            ("read timed cint16", "plain loop, read"),
            ("write timed cint16", "plain loop, write"),
            ("read cint16 data lines", "numpy.loadtxt, data lines"),
            ("read timed float", "plain loop, read float"),
            ("write timed float", "plain loop, write float"),
        )
        for name, peer in pairs:
            yield Row(f"{name}, {beats:,} beats", seconds[name], "s", peer.partition(",")[0], seconds[peer])


if __name__ == "__main__":
    benchmark(run, FILES, {"sizes": (75_551, 1_000_000), "repeats": 5}, {"sizes": (75_551,), "repeats": 3})
