# SPDX-License-Identifier: Apache-2.0
"""Tensors against a reference: how far they are apart, and which command made the first element that differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.tpu.compare.blame import makers
from goldbeat.pymodels.tpu.compare.watch import CommandKey, TakenTensor
from goldbeat.pymodels.tpu.execute.memories import Array
from goldbeat.pymodels.tpu.execute.model import StaticNet


@dataclass
class ComparedTensor:
    """One tensor.

    Attributes:
        tensor: as the model has it.
        count, different: elements, and those that differ by more than is allowed.
        index, found, expected: of the first of these.
        largest: difference of two numbers, at most; infinite where one is no number.
        cosine: similarity of both as vectors, 1 where they are equal.
        commands: that made the first element, the last one first.
    """

    tensor: TakenTensor
    count: int
    different: int = 0
    index: tuple[int, ...] = ()
    found: float = 0.0
    expected: float = 0.0
    largest: float = 0.0
    cosine: float = 1.0
    commands: list[CommandKey] = field(default_factory=list)


def compared(
    net: StaticNet, taken: list[TakenTensor], reference: Mapping[str, Array], allowed: float
) -> Iterator[ComparedTensor]:
    """Every tensor that a reference has, in the order of time.

    Args:
        net: that has run.
        taken: its tensors.
        reference: by name.
        allowed: largest difference, as a part of the reference's greatest magnitude; 0: equal.

    Raises:
        InputError: a reference has another number of elements, or is no number.
    """
    for tensor in taken:
        given = reference.get(tensor.name)
        if given is None:
            continue
        values = tensor.values
        if given.dtype.kind not in "fiub" or given.size != values.size:
            raise InputError(
                f"reference {tensor.name} of {given.dtype} and shape {given.shape}", f"numbers of shape {values.shape}"
            )
        if tensor.scale and given.dtype.kind == "f":
            values = ((values - tensor.zero) * tensor.scale).astype(np.float32)
        made = _compared(tensor, values, given.reshape(values.shape), allowed)
        if made.different:
            made.commands = makers(net, tensor, made.index)
        yield made


def _compared(tensor: TakenTensor, values: Array, given: Array, allowed: float) -> ComparedTensor:
    made = ComparedTensor(tensor, int(values.size))
    a, b = values.astype(np.float64), given.astype(np.float64)
    neither = np.isnan(a) & np.isnan(b)
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.where((a == b) | neither, 0.0, np.nan_to_num(np.abs(a - b), nan=np.inf, posinf=np.inf))
    finite = np.abs(b[np.isfinite(b)])
    wrong = apart > allowed * float(finite.max(initial=0.0))
    if not allowed and tensor.element.floating:
        # Two zeros of other signs are two numbers.
        wrong |= (np.signbit(a) != np.signbit(b)) & ~neither
    made.largest, made.different = float(apart.max(initial=0.0)), int(wrong.sum())
    made.cosine = _cosine(a, b)
    if made.different:
        made.index = tuple(int(one[0]) for one in np.nonzero(wrong))
        made.found, made.expected = float(a[made.index]), float(b[made.index])
    return made


def _cosine(a: Array, b: Array) -> float:
    """Similarity of what both have as numbers."""
    both = np.isfinite(a) & np.isfinite(b)
    x, y = a[both], b[both]
    if np.array_equal(x, y):
        return 1.0
    size = float(np.linalg.norm(x) * np.linalg.norm(y))
    return float(x @ y / size) if size else 0.0


def as_json(one: ComparedTensor) -> dict[str, Any]:
    """For machines; infinite numbers as text."""
    layer = one.tensor.layer
    made: dict[str, Any] = {
        "tensor": one.tensor.name,
        "layer": layer.name if layer else None,
        "operation": layer.op if layer else None,
        "line": layer.line if layer else None,
        "memory": one.tensor.place,
        "type": one.tensor.element.name,
        "shape": list(one.tensor.values.shape),
        "different": one.different,
        "largest": _number(one.largest),
        "cosine": one.cosine,
    }
    if one.different:
        made |= {"index": list(one.index), "found": _number(one.found), "expected": _number(one.expected)}
    return made


def _number(value: float) -> float | str:
    return value if np.isfinite(value) else str(value)
