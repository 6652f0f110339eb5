# SPDX-License-Identifier: Apache-2.0
"""How fast compiled object FIFO files are read, listed and assembled again, and traces decoded.

Run as a script: prints a table and writes ``build/bench/objfifo_decode.json``. Files that are named as arguments are
measured instead of those made here. Seconds are of the processor, the best of three.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from goldbeat.pymodels.objfifo.artefact.cdo import Cdo, cdo_words
from goldbeat.pymodels.objfifo.artefact.listing import decode_compiled, from_listing, to_listing
from goldbeat.pymodels.objfifo.artefact.operation import OpKind, RegisterOp, array_address
from goldbeat.pymodels.objfifo.artefact.transaction import Transaction, TxnHeader, usual_words
from goldbeat.pymodels.objfifo.trace_unit.frames import decode_frames
from goldbeat.pymodels.objfifo.trace_unit.packets import TraceKind, TraceSource, join_packets, split_packets
from goldbeat.pymodels.objfifo.trace_unit.spans import frames_to_spans, spans_of_cycles, spans_to_frames

OUT = Path("build/bench/objfifo_decode.json")
OPS, EVENTS, ROUNDS = 60_000, 200_000, 3


def operations() -> list[RegisterOp]:
    """Per transfer: a descriptor, its address, a queue write and a wait; every fourth word a masked write."""
    found = []
    for n in range(OPS // 5):
        bd = n % 16
        at = array_address(n % 4, 0, 0x1D000 + 0x20 * bd)
        found.append(RegisterOp(OpKind.BLOCK, at, (64, 0, 0, 0, 0x80000000, 0, 0, 0x02000000)))
        found.append(RegisterOp(OpKind.PATCH, at + 4, numbers=(n % 3, 256 * n)))
        found.append(RegisterOp(OpKind.MASK, array_address(n % 4, 0, 0x1D200), (0xF00,), 0x1F00))
        found.append(RegisterOp(OpKind.WRITE, array_address(n % 4, 0, 0x1D204), (0x80000000 | bd,)))
        found.append(RegisterOp(OpKind.WAIT, numbers=(0, n % 4, 0, 1, 1, 0)))
    return found


def made_files() -> dict[str, bytes]:
    """An instruction stream of each version, and a configuration object."""
    ops, found = operations(), {}
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


def file_row(name: str, data: bytes) -> dict[str, Any]:
    """Speeds of one file, which must come out as it went in."""
    decoding, found = best(lambda: decode_compiled(data))
    listing, lines = best(lambda: "\n".join(to_listing(found)))
    assembling, again = best(lambda: from_listing(lines).encode())
    assert again == data, name
    ops = len(found.ops)
    seconds = {"decode": decoding, "list": listing, "assemble": assembling}
    return {"name": name, "bytes": len(data), "operations": ops} | {k: ops / s for k, s in seconds.items()}


def trace_row() -> dict[str, Any]:
    """Events per second of decoding a trace, and of writing it."""
    rng = np.random.default_rng(1)
    spans = {slot: spans_of_cycles(np.cumsum(rng.integers(2, 60, EVENTS // 8))) for slot in range(8)}
    writing, words = best(lambda: join_packets({TraceSource(TraceKind.MEMTILE, 1, 0, 1): spans_to_frames(spans, 0)}))

    def read() -> Any:
        return [frames_to_spans(decode_frames(data)) for data in split_packets(words).values()]

    decoding, (again,) = best(read)
    assert again == spans
    count = sum(len(s) for s in spans.values())
    return {"name": "trace words", "bytes": 4 * len(words), "events": count, "decode": count / decoding,
            "write": count / writing}  # fmt: skip


def main(files: list[str]) -> None:
    """Measure, print, write."""
    given = {Path(f).name: Path(f).read_bytes() for f in files} or made_files()
    rows = [file_row(name, data) for name, data in given.items()]
    print(f"{'file':30} {'bytes':>10} {'operations':>10} {'decode/s':>10} {'list/s':>10} {'assemble/s':>10}")
    for row in rows:
        speeds = " ".join(f"{row[k]:10.0f}" for k in ("decode", "list", "assemble"))
        print(f"{row['name'][:30]:30} {row['bytes']:10} {row['operations']:10} {speeds}")
    trace = trace_row()
    print(f"trace words: {trace['events']} events, decode {trace['decode']:.0f}/s, write {trace['write']:.0f}/s")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({"files": rows, "trace": trace}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
