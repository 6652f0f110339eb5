# SPDX-License-Identifier: Apache-2.0
"""MLIR's ``memref`` dialect on numpy arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.mlir_exec.scalars import OperationError, bf16_value
from goldbeat.pymodels.objfifo.mlir_text.lexer import Token, TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.tree import Code, MlirOp
from goldbeat.pymodels.objfifo.mlir_text.values import bf16_bits, dense, read_memref
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType

Failure = Callable[[MlirOp, str, str], NoReturn]
Slots = list[str | int]


def memref_type(op: MlirOp, last: bool = True) -> ObjectType | None:
    """The last (or first) memref type that an operation names."""
    places = [n for n, t in enumerate(op.tokens) if t.text in ("memref", "vector", "tensor") and t.kind == "word"]
    if not places:
        return None
    return read_memref(TokenCursor.on(op.tokens[places[-1 if last else 0] :], op.token, op.file))


def dense_value(op: MlirOp) -> npt.NDArray[Any]:
    """``dense<...> : type`` of an operation's tokens."""
    at = next(n for n, t in enumerate(op.tokens) if t.text == "dense")
    return dense(TokenCursor.on(op.tokens[at:], op.token, op.file), memref_type(op))


def bracket_lists(tokens: list[Token]) -> list[Slots]:
    """Every ``[a, 1, ...]``: names of values and numbers."""
    found: list[Slots] = []
    depth = 0
    for token in tokens:
        if token.text == "[" and token.kind == "punct":
            found.append([])
            depth += 1
        elif token.text == "]" and token.kind == "punct":
            depth -= 1
        elif depth and token.kind == "ssa":
            found[-1].append(token.text)
        elif depth and token.kind == "number":
            found[-1].append(int(token.text, 0))
    return found


def slot_values(slots: Slots, env: dict[str, Any]) -> list[int]:
    """Numbers of a list."""
    return [int(env[s]) if isinstance(s, str) else s for s in slots]


def memref_code(op: MlirOp, fail: Failure) -> Code:
    """How an operation of ``memref`` is executed."""
    name = op.name.partition(".")[2]
    if name in ("load", "store"):
        return _access(op, name == "load")
    if name == "subview":
        return _subview(op)
    if name in ("reinterpret_cast", "collapse_shape", "expand_shape", "cast", "view", "memory_space_cast"):
        return _reshape(op, fail)
    if name in ("alloc", "alloca"):
        obj = memref_type(op)
        assert obj is not None
        made = obj

        def alloc(env: dict[str, Any]) -> None:
            env[op.results[0]] = made.zeros()

        return alloc
    if name == "copy":
        source, target = op.operands[:2]

        def copy(env: dict[str, Any]) -> None:
            env[target][...] = env[source].reshape(env[target].shape)

        return copy
    if name == "get_global":
        symbol = op.symbols[0]

        def get(env: dict[str, Any]) -> None:
            env[op.results[0]] = env[f"@{symbol}"]

        return get
    if name in ("assume_alignment", "dealloc"):
        return lambda env: None
    return fail(op, repr(op.name), "an operation that is executed: see docs/objfifo-exec.md")


def _access(op: MlirOp, load: bool) -> Code:
    names = op.operands
    slots = bracket_lists(op.tokens)[0]
    bfloat = "bf16" in op.text
    if load:
        source, result = names[0], op.results[0]

        def read(env: dict[str, Any]) -> None:
            where = tuple(slot_values(slots, env))
            found = env[source][_inside(env[source], where)].item()
            env[result] = bf16_value(found) if bfloat else found

        return read
    value, target = names[0], names[1]

    def write(env: dict[str, Any]) -> None:
        array = env[target]
        where = _inside(array, tuple(slot_values(slots, env)))
        one = bf16_bits(env[value]) if bfloat else env[value]
        if array.dtype.kind == "u" and not isinstance(one, float):
            one &= (1 << (8 * array.dtype.itemsize)) - 1
        array[where] = one

    return write


def _inside(array: npt.NDArray[Any], where: tuple[int, ...]) -> tuple[int, ...]:
    if any(not 0 <= at < size for at, size in zip(where, array.shape, strict=True)):
        raise OperationError(f"element {list(where)} of an array of {list(array.shape)}", "an element of it")
    return where


def _subview(op: MlirOp) -> Code:
    source, result = op.operands[0], op.results[0]
    offsets, sizes, strides = bracket_lists(op.tokens)[:3]
    obj = memref_type(op)

    def view(env: dict[str, Any]) -> None:
        parts = [*zip(slot_values(offsets, env), slot_values(sizes, env), slot_values(strides, env), strict=True)]
        for (first, count, step), size in zip(parts, env[source].shape, strict=True):
            last = first + (count - 1) * step
            if first < 0 or count < 1 or step < 1 or last >= size:
                raise OperationError(f"elements {first} to {last} in steps of {step}", f"elements 0 to {size - 1}")
        found = env[source][tuple(slice(o, o + n * s, s) for o, n, s in parts)]
        env[result] = found.reshape(obj.shape) if obj is not None else found

    return view


def _reshape(op: MlirOp, fail: Failure) -> Code:
    source, result = op.operands[0], op.results[0]
    obj = memref_type(op)
    if obj is None:
        return fail(op, "a type that is not read", "memref<...> with known sizes")
    made = obj
    offsets = bracket_lists(op.tokens)[0] if op.name in ("memref.reinterpret_cast", "memref.view") else []

    def shape(env: dict[str, Any]) -> None:
        flat = env[source].reshape(-1)
        first = sum(slot_values(offsets, env))
        if op.name == "memref.view":
            first //= made.dtype.itemsize
        if made.dtype.itemsize != flat.dtype.itemsize:
            flat = flat.view(made.dtype)
        end = first + math.prod(made.shape)
        if first < 0 or end > flat.size:
            raise OperationError(f"elements {first} to {end - 1}", f"elements 0 to {flat.size - 1}")
        env[result] = flat[first:end].reshape(made.shape)

    return shape


def typed_zeros(obj: ObjectType) -> npt.NDArray[Any]:
    """An array of zeros."""
    return np.zeros(obj.shape, obj.dtype)
