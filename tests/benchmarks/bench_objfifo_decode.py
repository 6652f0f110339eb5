# SPDX-License-Identifier: Apache-2.0
"""How fast compiled object FIFO files are read, listed and assembled again, and traces decoded.

``--files`` are measured beside those made here. Seconds are of the processor, the best of three.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measured import Row, Skipped, benchmark

from goldbeat.pymodels.objfifo.artefact.cdo import Cdo, cdo_words
from goldbeat.pymodels.objfifo.artefact.listing import decode_compiled, from_listing, to_listing
from goldbeat.pymodels.objfifo.artefact.operation import OpKind, RegisterOp, array_address
from goldbeat.pymodels.objfifo.artefact.transaction import Transaction, TxnHeader, usual_words
from goldbeat.pymodels.objfifo.trace_unit.frames import decode_frames
from goldbeat.pymodels.objfifo.trace_unit.packets import TraceKind, TraceSource, join_packets, split_packets
from goldbeat.pymodels.objfifo.trace_unit.spans import frames_to_spans, spans_of_cycles, spans_to_frames

FILES = ("pymodels/objfifo/artefact/*.py", "pymodels/objfifo/trace_unit/*.py")
ROUNDS = 3


def operations(count: int) -> list[RegisterOp]:
    """Per transfer: a descriptor, its address, a queue write and a wait; every fourth word a masked write."""
    found = []
    for n in range(count // 5):
        bd = n % 16
        at = array_address(n % 4, 0, 0x1D000 + 0x20 * bd)
        found.append(RegisterOp(OpKind.BLOCK, at, (64, 0, 0, 0, 0x80000000, 0, 0, 0x02000000)))
        found.append(RegisterOp(OpKind.PATCH, at + 4, numbers=(n % 3, 256 * n)))
        found.append(RegisterOp(OpKind.MASK, array_address(n % 4, 0, 0x1D200), (0xF00,), 0x1F00))
        found.append(RegisterOp(OpKind.WRITE, array_address(n % 4, 0, 0x1D204), (0x80000000 | bd,)))
        found.append(RegisterOp(OpKind.WAIT, numbers=(0, n % 4, 0, 1, 1, 0)))
    return found


def made_files(count: int) -> dict[str, bytes]:
    """An instruction stream of each version, and a configuration object."""
    ops, found = operations(count), {}
    for version in ((0, 1), (1, 0)):
        header = TxnHeader(*version, 3, 6, 4, 1, 0)
        worded = tuple(RegisterOp(o.kind, o.address, o.values, o.mask, o.numbers, usual_words(o, version)) for o in ops)
        found[f"transaction {version[0]}.{version[1]}"] = Transaction(header, worded).encode()
    plain = [o for o in ops if o.kind in (OpKind.BLOCK, OpKind.MASK, OpKind.WRITE)]
    worded = tuple(RegisterOp(o.kind, o.address, o.values, o.mask, o.numbers, cdo_words(o)) for o in plain)
    return found | {"CDO": Cdo(0x584C4E58, 0x200, worded).encode()}


def best(work: Callable[[], Any]) -> tuple[float, Any]:
    """The smallest time of some rounds, and the last result."""
    times, result = [], None
    for _ in range(ROUNDS):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
    return min(times), result


def file_rows(name: str, data: bytes, table: str) -> Iterator[Row]:
    """Speeds of one file, which must come out as it went in."""
    decoding, found = best(lambda: decode_compiled(data))
    listing, lines = best(lambda: "\n".join(to_listing(found)))
    assembling, again = best(lambda: from_listing(lines).encode())
    assert again == data, name
    ops = len(found.ops)
    seconds = {"decode": decoding, "list": listing, "assemble": assembling}
    yield Row(name, len(data), "bytes", column="size", table=table)
    yield Row(name, ops, column="operations", table=table)
    for column, taken in seconds.items():
        yield Row(name, ops / taken, "ops/s", column=column, table=table)


def trace_rows(events: int) -> Iterator[Row]:
    """Events per second of decoding a trace, and of writing it."""
    rng = np.random.default_rng(1)
    spans = {slot: spans_of_cycles(np.cumsum(rng.integers(2, 60, events // 8))) for slot in range(8)}
    writing, words = best(lambda: join_packets({TraceSource(TraceKind.MEMTILE, 1, 0, 1): spans_to_frames(spans, 0)}))

    def read() -> Any:
        return [frames_to_spans(decode_frames(data)) for data in split_packets(words).values()]

    decoding, (again,) = best(read)
    assert again == spans
    count = sum(len(s) for s in spans.values())
    yield Row("decode", count / decoding, "events/s", table="trace words")
    yield Row("write", count / writing, "events/s", table="trace words")


def run(files: tuple[str, ...], operations: int, events: int) -> Iterator[Row | Skipped]:
    """Made files, given files, a trace."""
    for name, data in made_files(operations).items():
        yield from file_rows(name, data, "made")
    if not files:
        yield Skipped("name compiled files with --files", "given")
    for file in map(Path, files):
        yield from file_rows(file.name, file.read_bytes(), "given")
    yield from trace_rows(events)


if __name__ == "__main__":
    benchmark(run, FILES, {"files": (), "operations": 60_000, "events": 200_000}, {"operations": 20_000})
