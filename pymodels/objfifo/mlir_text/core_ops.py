# SPDX-License-Identifier: Apache-2.0
"""A core's program, as far as it acquires and releases: loops with constant bounds, branches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goldbeat.pymodels.objfifo.mlir_text.dma_ops import Numbers, whole_constants
from goldbeat.pymodels.objfifo.mlir_text.scope import typed_number
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.plan.access import ENDLESS
from goldbeat.pymodels.objfifo.plan.rules import RuleError

ACCESSES = ("aie.objectfifo.acquire", "aie.objectfifo.release")
_BY_ITSELF = ("aie.use_lock", "aie.get_cascade", "aie.put_cascade", "aie.get_stream", "aie.put_stream", "aie.event",
              "aie.objectfifo.subview.access", "aie.debug", "aie.buffer", "aie.lock",
              "aiex.read_scratchpad_parameter")  # fmt: skip
"""Operations of a core that no fifo knows of: executions have them."""
_BRANCHES = ("scf.if", "scf.index_switch", "scf.while", "scf.execute_region", "scf.parallel", "scf.forall")


@dataclass
class AccessLine:
    """An acquire or release of a core; or a loop or branch with its body."""

    op: MlirOp
    fifo: str = ""
    port: str = ""
    count: int = 0
    acquire: bool = False
    passes: int | None = 1
    body: list[AccessLine] | None = None
    branch: bool = False


def core_accesses(op: MlirOp, numbers: Numbers) -> list[AccessLine]:
    """What ``aie.core`` acquires and releases.

    Args:
        op: the core.
        numbers: constants of the device.

    Raises:
        MlirError: an operation of ``aie`` that a core has not.
        RuleError: an acquire or release of nothing.
    """
    known = {**numbers, **whole_constants(op.everything)}
    for inner in op.everything:
        if inner.name.startswith(("aie.", "aiex.")) and inner.name not in (*ACCESSES, *_BY_ITSELF, "aie.end"):
            inner.fail(repr(inner.name), "an operation that is read: see docs/objfifo-mlir.md")
    return _body(op.ops, known)


def _body(ops: Sequence[MlirOp] | Iterator[MlirOp], numbers: Numbers) -> list[AccessLine]:
    found: list[AccessLine] = []
    for op in ops:
        if op.name in ACCESSES:
            found.append(read_access(op))
        elif op.name in ("scf.for", "affine.for"):
            found += _loop(op, numbers)
        elif op.name in _BRANCHES:
            body = _body(op.ops, numbers)
            found += [AccessLine(op, passes=1, body=body, branch=True)] if body else []
    return found


def read_access(op: MlirOp) -> AccessLine:
    """``aie.objectfifo.acquire`` or ``aie.objectfifo.release``."""
    cursor = op.cursor
    fifo = cursor.symbol()
    cursor.expect("(")
    port = cursor.kind("word", "Produce or Consume")
    if port.text not in ("Produce", "Consume"):
        cursor.fail("Produce or Consume", port)
    cursor.expect(",")
    count = typed_number(cursor)
    cursor.expect(")")
    if count < 1:
        what = op.name.rpartition(".")[2]
        raise RuleError("acquire-count", f"{op.place}: {fifo}: {what} of {count} objects, expected at least 1")
    return AccessLine(op, fifo, port.text, count, op.name == ACCESSES[0])


def _loop(op: MlirOp, numbers: Numbers) -> list[AccessLine]:
    body = _body(op.ops, numbers)
    if op.name == "affine.for":
        bounds = [int(t.text) for t in op.tokens if t.kind == "number"] + [1]
    else:
        bounds = [numbers[name] for name in op.operands[1:4] if name in numbers]
    known = len(bounds) >= 3
    if known and bounds[2] < 1:
        op.fail(f"{op.name} with a step of {bounds[2]}", "a step of at least 1")
    passes = max(0, -(-(bounds[1] - bounds[0]) // bounds[2])) if known else 1
    if not body or passes == 0:
        return []
    return [AccessLine(op, passes=None if passes >= ENDLESS else passes, body=body, branch=not known)]
