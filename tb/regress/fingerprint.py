# SPDX-License-Identifier: Apache-2.0
"""A hash over everything that a run recorded: two runs with the same hash did the same in every cycle."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import SIDEBANDS, Trace
from goldbeat.tb.inside.job import Record


def trace_hash(records: Iterable[Record]) -> str:
    """Over the records of all episodes: beats with their cycles, sidebands, status outputs, register answers, memory contents.

    Bytes that are no data count as 0, as in every comparison of traces.
    """
    digest = hashlib.sha256()

    def put(*values: Any) -> None:
        digest.update(repr(values).encode() + b"\n")

    def put_array(array: Any) -> None:
        values = np.ascontiguousarray(array)
        put(values.dtype.str, values.shape)
        digest.update(values.tobytes())

    def put_trace(trace: Trace) -> None:
        put(trace.clock_ps, trace.offset_ps)
        data = np.where(trace.data_bytes, trace.data, 0).astype(np.uint8)
        for column in (data, trace.keep, trace.last, trace.cycle):
            put_array(column)
        for side in SIDEBANDS:
            column = getattr(trace, side)
            if side == "tstrb" and column is None:
                # As before traces had it.
                continue
            put(side, column is None)
            if column is not None:
                put_array(column)

    for record in records:
        for name, trace in sorted(record.outcome.ports.items()):
            put("port", name)
            put_trace(trace)
        put("status", sorted(record.outcome.status.items()))
        for name, memory in sorted(record.outcome.memories.items()):
            for region, data in sorted(memory.regions.items()):
                put("memory", name, region)
                put_array(data)
        for name, accesses in sorted(record.accesses.items()):
            put("registers", name, [(a.value, a.error, a.cycle) for a in accesses])
    return digest.hexdigest()[:32]


_WHOLE_BYTES = 1 << 20
"""Of an array that goes into a hash of traffic; of a larger one (the contents of a memory) so many from its beginning."""


def traffic_hash(stimuli: Iterable[Stimulus]) -> str:
    """Over what the testbench does in all episodes: data and gaps of every source, patterns, clocks, programs, memories.

    Programs that act on what they read count as what they are, not as what they did.
    """
    digest = hashlib.sha256()
    for stimulus in stimuli:
        _put_part(digest, stimulus)
    return digest.hexdigest()[:16]


def _put_part(digest: Any, value: Any) -> None:
    """Put a value and all it is made of into a hash, the same in every process."""
    if isinstance(value, np.ndarray):
        flat = np.ascontiguousarray(value).reshape(-1)
        digest.update(f"{value.dtype.str}{value.shape}".encode())
        digest.update(flat[: _WHOLE_BYTES // max(1, value.itemsize)].tobytes())
    elif isinstance(value, Mapping):
        for key in sorted(value, key=str):
            digest.update(f"{key}=".encode())
            _put_part(digest, value[key])
    elif isinstance(value, list | tuple):
        digest.update(f"[{len(value)}]".encode())
        for one in value:
            _put_part(digest, one)
    elif is_dataclass(value) and not isinstance(value, type):
        digest.update(type(value).__name__.encode())
        for one in fields(value):
            _put_part(digest, getattr(value, one.name))
    elif value is None or isinstance(value, bool | int | float | str | bytes | np.generic):
        digest.update(f"{value!r};".encode())
    else:
        # A function or an object of the user's: its name alone is the same in every process.
        digest.update(f"<{getattr(value, '__qualname__', type(value).__qualname__)}>".encode())


def content_hash(data: bytes) -> str:
    """Names data by what it is."""
    return hashlib.sha256(data).hexdigest()


def check_code(wanted: str) -> None:
    """Refuse work of a Goldbeat with other sources than this worker's.

    Raises:
        GoldbeatError: they differ.
    """
    if wanted != code_hash():
        raise GoldbeatError(
            f"the worker on {socket.gethostname()} runs another version of Goldbeat ({code_hash()} instead of {wanted}): "
            "install the same version there"
        )


@cache
def code_hash() -> str:
    """Of the Python and C++ sources of Goldbeat itself: a worker with other ones could give other results."""
    root = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for package in ("pymodels", "tb"):
        for path in sorted(p for s in ("*.py", "*.cpp", "*.h", "*.j2") for p in (root / package).rglob(s)):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
