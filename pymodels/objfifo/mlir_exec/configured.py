# SPDX-License-Identifier: Apache-2.0
"""A sequence that configures devices one after the other (``aiex.configure``, ``aiex.run``).

Each device begins as it is declared. Data memory keeps what the device before it left, where the new one declares no
initial values: mlir-aie's test ``reconfigure_loadpdi_persistent_memtile`` expects it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.dma import LiveWords
from goldbeat.pymodels.objfifo.live.execute import LiveResult, run_live
from goldbeat.pymodels.objfifo.live.timings import joined_order
from goldbeat.pymodels.objfifo.mlir_exec.device_build import HostCalls, HostPart, TextArray
from goldbeat.pymodels.objfifo.mlir_exec.memref_ops import bracket_lists
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.plan.host_array import ArrayFile
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile

_VIEWS = ("memref.subview", "memref.reinterpret_cast", "memref.cast")
_CALLS = "a sequence that configures devices has only aiex.configure and aiex.run, on static parts of its arrays"


@dataclass(frozen=True)
class _Configuration:
    """A device, its sequence, and what each call of it gets."""

    text: TextArray
    calls: HostCalls

    def build(self, kept: Mapping[Tile, LiveWords]) -> LiveArray:
        """A fresh array, with what another one left in data memory."""
        array = self.text.build(self.calls)
        for buffer in array.buffers.values():
            if buffer.initial is None and buffer.tile in kept:
                part = slice(buffer.address or 0, (buffer.address or 0) + buffer.obj.size)
                array.memory(buffer.tile).view(np.uint8)[part] = kept[buffer.tile].view(np.uint8)[part]
        return array


def execute_text(
    text: TextArray,
    inputs: Mapping[str, npt.ArrayLike | ArrayFile] | None = None,
    *,
    runs: int = 1,
    lose_pushes: bool = False,
) -> LiveResult:
    """Execute text without time, as :func:`run_live` does; devices that its sequence configures run in turn.

    Raises:
        UsageError: several runs of a sequence that configures devices.
        MlirError: such a sequence does something else as well.
    """
    steps = _configurations(text)
    if not steps:
        return run_live(text.build, inputs, runs=runs, lose_pushes=lose_pushes)
    if runs > 1:
        raise UsageError("a sequence that configures devices is executed once: leave --runs out")
    given: Mapping[str, npt.ArrayLike | ArrayFile] | None = inputs
    kept: Mapping[Tile, LiveWords] = {}
    found: list[LiveResult] = []
    for step in steps:
        made: list[LiveArray] = []

        def build(
            step: _Configuration = step, made: list[LiveArray] = made, kept: Mapping[Tile, LiveWords] = kept
        ) -> LiveArray:
            made.append(step.build(kept))
            return made[-1]

        found.append(run_live(build, given, lose_pushes=lose_pushes))
        if not found[-1].good:
            break
        given, kept = found[-1].hosts, {**kept, **made[0].memories}
    return _joined(found)


def _joined(found: list[LiveResult]) -> LiveResult:
    """The last result, with what is to be said of all."""
    words: dict[str, int] = {}
    for one in found:
        for name, count in one.words.items():
            words[name] = words.get(name, 0) + count
    return replace(
        found[-1],
        differing=tuple(dict.fromkeys(name for one in found for name in one.differing)),
        order=joined_order(one.order for one in found),
        remarks=tuple(dict.fromkeys(text for one in found for text in one.remarks)),
        words=words,
        active=any(one.active for one in found),
        steered=any(one.steered for one in found),
    )


def _configurations(text: TextArray) -> list[_Configuration]:
    """What the sequence of a device configures; empty if it is the sequence of that device itself."""
    own = text.device.symbols[:1]
    ops = [*text.lines.sequences[0].ops] if text.lines.sequences else []
    if not any(op.name == "aiex.configure" and op.symbols[:1] != own for op in ops):
        return []
    hosts = {line.name: line.obj for line in text.lines.hosts.values() if line.obj is not None}
    known = {value: HostPart(line.name, 0) for value, line in text.lines.hosts.items()}
    found = []
    for op in ops:
        if op.name == "aiex.configure":
            calls = _calls(op, known)
            if len({call.symbols[0] for call, _ in calls}) != 1:
                op.fail(f"sequences of @{op.symbols[0]}: {len(calls)}", "calls of one of its sequences")
            device = TextArray(text.path, text.kernels, op.symbols[0], calls[0][0].symbols[0])
            for call, parts in calls:
                _check_call(call, device, parts)
            found.append(_Configuration(device, HostCalls(hosts, [parts for _, parts in calls])))
        elif op.name != "arith.constant":
            op.fail(repr(op.name), _CALLS)
    return found


def _calls(op: MlirOp, known: Mapping[str, HostPart]) -> list[tuple[MlirOp, list[HostPart]]]:
    """The calls inside ``aiex.configure``, each with the parts of arrays that it passes."""
    values, found = dict(known), []
    for inner in op.ops:
        if inner.name == "aiex.run":
            found.append((inner, [_part(inner, name, values) for name in inner.operands]))
        elif inner.name in _VIEWS:
            part = _part(inner, inner.operands[0], values)
            lists = bracket_lists(inner.tokens) if inner.name != "memref.cast" else [[0]]
            offset, strides = lists[0], lists[2] if len(lists) > 2 else [1]
            if len(offset) != 1 or not isinstance(offset[0], int) or strides != [1]:
                inner.fail("a part that is not of consecutive elements", _CALLS)
            values[inner.results[0]] = HostPart(part.host, part.first + offset[0])
        elif inner.name != "arith.constant":
            inner.fail(repr(inner.name), _CALLS)
    return found


def _part(op: MlirOp, name: str, values: Mapping[str, HostPart]) -> HostPart:
    if name not in values:
        op.fail(name, "a part of an array of the sequence")
    return values[name]


def _check_call(call: MlirOp, device: TextArray, parts: list[HostPart]) -> None:
    """A sequence gets as many arrays as it has, in whole words."""
    lines = list(device.lines.hosts.values())
    if len(lines) != len(parts):
        call.fail(f"{len(parts)} arguments", f"{len(lines)}, as @{call.symbols[0]} has")
    for line, part in zip(lines, parts, strict=True):
        if line.obj is None or part.first * line.obj.dtype.itemsize % WORD_BYTES:
            call.fail(f"{line.name} from element {part.first} of {part.host}", "an array that begins at a whole word")
