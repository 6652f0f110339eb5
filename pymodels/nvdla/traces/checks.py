# SPDX-License-Identifier: Apache-2.0
"""Memory of a trace test, and what its checks find there while the test runs.

A check writes what it has found into a region that the hardware does not know: that it ran, the checksum, how many bytes differ
from a file, and the first of them.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.traces.statements import NvdlaTrace, TraceStatement

CHECKS = "checks"
"""Name of the region with what the checks have found."""
CHECK_BYTES = 16
"""Four words per check: 1 where it ran, checksum, bytes that differ, offset of the first one."""
_ALIGNMENT = 64
"""Hardware reads whole bursts: a region begins and ends at a multiple of this."""
_MOST_BYTES = 512 << 20


Extent = tuple[int, int]
"""The first byte, and the byte after the last one."""


def trace_regions(trace: NvdlaTrace, written: Sequence[Extent] = ()) -> tuple[Region, ...]:
    """The memory before the first statement, and the region of the checks behind it. What nothing fills is 0.

    Args:
        trace: the test.
        written: further memory, which only operations write.

    Raises:
        InputError: more than 512 MiB, or no room for the checks.
    """
    extents = [(m.base, m.base + max(at + len(d) for at, d in m.pieces)) for m in trace.memories]
    extents += [(one.base, one.base + one.size) for one in trace.checks]
    extents += written
    joined: list[tuple[int, int]] = []
    for low, high in sorted((low // _ALIGNMENT, -(-high // _ALIGNMENT)) for low, high in extents if high > low):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], high)
        else:
            joined.append((low, high))
    total = sum(high - low for low, high in joined) * _ALIGNMENT
    if total > _MOST_BYTES:
        raise InputError(f"{total} bytes of memory", f"at most {_MOST_BYTES}", file=trace.file)
    regions = [
        Region(f"memory_{low * _ALIGNMENT:08x}", low * _ALIGNMENT, np.zeros((high - low) * _ALIGNMENT, np.uint8))
        for low, high in joined
    ]
    bases = [region.base for region in regions]
    for memory in trace.memories:
        number = bisect_right(bases, memory.base) - 1
        if number >= 0 and memory.base < regions[number].end:
            home = regions[number]
            for offset, data in memory.pieces:
                at = memory.base - home.base + offset
                home.data[at : at + len(data)] = np.frombuffer(data, np.uint8)
    # Above 32 bits there is nothing that the hardware could reach.
    checks = np.zeros(max(1, len(trace.checks)) * CHECK_BYTES, np.uint8)
    return (*regions, Region(CHECKS, 1 << 32, checks))


def run_check(at: int, base: int, size: int, wanted: bytes, regions: Mapping[str, npt.NDArray[np.uint8]]) -> None:
    """Look at memory while the test runs; a step of the host.

    Args:
        at: where in the region of the checks the result goes.
        base: address of the first byte to look at.
        size: how many.
        wanted: what they should be; empty: only their checksum counts.
        regions: bytes by region; that of the checks is changed.
    """
    name = next(n for n in regions if n != CHECKS and 0 <= base - int(n.rpartition("_")[2], 16) < len(regions[n]))
    first = base - int(name.rpartition("_")[2], 16)
    data = regions[name][first : first + size]
    wrong = np.flatnonzero(data != np.frombuffer(wanted, np.uint8)) if wanted else np.zeros(0, np.int64)
    found = [1, zlib.crc32(data.tobytes()), len(wrong), int(wrong[0]) if len(wrong) else 0]
    regions[CHECKS][at : at + CHECK_BYTES] = np.array(found, "<u4").view(np.uint8)


@dataclass(frozen=True)
class TraceCheck:
    """What a check has found.

    Attributes:
        statement: the check.
        failure: what is wrong; empty: nothing.
    """

    statement: TraceStatement
    failure: str


def trace_checks(trace: NvdlaTrace, found: npt.NDArray[np.uint8]) -> list[TraceCheck]:
    """The checks of a test by the region that they have written."""
    rows = found.view("<u4").reshape(-1, CHECK_BYTES // 4)
    results = []
    for one, (ran, crc, wrong, first) in zip(trace.checks, rows.tolist(), strict=False):
        where = f"{trace.file.name}:{one.line}: memory from 0x{one.base:x} on, {one.size} bytes"
        failure = ""
        if not ran:
            failure = f"{where}: never checked, because {one.sync} did not happen"
        elif one.kind == "crc" and crc != one.value:
            failure = f"{where}: expected the checksum 0x{one.value or 0:08x}, got 0x{crc:08x}"
        elif wrong:
            failure = f"{where}: {wrong} bytes differ from the file, the first one at 0x{one.base + first:x}"
        results.append(TraceCheck(one, failure))
    return results
