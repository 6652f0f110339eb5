# SPDX-License-Identifier: Apache-2.0
"""The host's sequence: transfers and tasks of the shim; waits only order what is in order already."""

from __future__ import annotations

from goldbeat.pymodels.objfifo.mlir_text.lexer import Token
from goldbeat.pymodels.objfifo.mlir_text.lines import BdLine, MoveLine
from goldbeat.pymodels.objfifo.mlir_text.lowered_ops import read_bd_line
from goldbeat.pymodels.objfifo.mlir_text.scope import DeviceScope
from goldbeat.pymodels.objfifo.mlir_text.values import attributes, read_memref, skip_type

_WAITS = ("aiex.npu.dma_wait", "aiex.npu.sync", "aiex.dma_await_task", "aiex.dma_free_task", "aiex.dma_start_task")


def read_sequence(scope: DeviceScope, _: list[str], name: Token) -> None:
    """``aiex.runtime_sequence``."""
    cursor = scope.cursor
    if cursor.now.kind == "symbol":
        cursor.take()
    cursor.expect("(")
    names: dict[str, str] = {}
    while not cursor.accept(")"):
        value = cursor.kind("ssa", "an argument").text
        cursor.expect(":")
        label = f"arg{len(names)}"
        if cursor.now.text in ("memref", "tensor"):
            scope.lines.hosts[label] = read_memref(cursor)
        else:
            skip_type(cursor)
        names[value] = label
        cursor.accept(",")
    tasks: dict[str, MoveLine] = {}

    def inside(results: list[str], one: Token) -> None:
        if one.text == "aiex.npu.dma_memcpy_nd":
            scope.lines.moves.append(_move(scope, one, names))
        elif one.text in ("aiex.dma_configure_task_for", "aiex.dma_configure_task"):
            move = _task(scope, one, names)
            for result in results:
                tasks[result] = move
        elif one.text in _WAITS:
            if one.text == "aiex.dma_start_task":
                _started(scope, tasks)
            cursor.skip_operation()
        elif one.text == "aie.end":
            return
        else:
            scope.passed(one)

    scope.region(inside)


def _started(scope: DeviceScope, tasks: dict[str, MoveLine]) -> None:
    token = scope.cursor.ahead()
    if token.text not in tasks:
        scope.cursor.fail("a task that was configured", token)
    scope.lines.moves.append(tasks[token.text])


def _host(scope: DeviceScope, names: dict[str, str]) -> str:
    token = scope.cursor.kind("ssa", "an argument of the sequence")
    if token.text not in names:
        scope.cursor.fail(f"one of {', '.join(names) or 'no arguments'}", token)
    return names[token.text]


def _row(scope: DeviceScope) -> list[int]:
    cursor = scope.cursor
    cursor.expect("[")
    found = []
    while not cursor.accept("]"):
        if cursor.now.kind == "ssa":
            token = cursor.take()
            if token.text not in scope.constants:
                cursor.fail("a number that is known", token)
            found.append(scope.constants[token.text])
        else:
            found.append(scope.number())
        cursor.accept(",")
    return found


def _move(scope: DeviceScope, name: Token, names: dict[str, str]) -> MoveLine:
    cursor = scope.cursor
    cursor.expect("(")
    while cursor.now.kind == "number":  # column and row, which older text has
        cursor.take()
        cursor.expect(",")
    host = _host(scope, names)
    offsets, sizes, strides = _row(scope), _row(scope), _row(scope)
    if cursor.accept(","):
        cursor.fail("a transfer without packet header or padding")
    cursor.expect(")")
    found = attributes(cursor)
    if cursor.accept(":"):
        read_memref(cursor)
    strides = strides if len(strides) == len(sizes) else [*strides, 1]
    if not len(offsets) == len(sizes) == len(strides) == 4:
        cursor.fail("four offsets, sizes and strides", name)
    if "metadata" not in found:
        cursor.fail("metadata = @fifo", name)
    offset = sum(o * s for o, s in zip(offsets, strides, strict=True))
    bd = found.get("id")
    return MoveLine(name, host, str(found["metadata"]), offset, tuple(zip(sizes, strides, strict=True)),
                    bool(found.get("issue_token", False)), None if bd is None else int(bd))  # fmt: skip


def _task(scope: DeviceScope, name: Token, names: dict[str, str]) -> MoveLine:
    cursor = scope.cursor
    if name.text == "aiex.dma_configure_task":
        cursor.fail("aiex.dma_configure_task_for @fifo", name)
    metadata = cursor.symbol()
    bds: list[BdLine] = []

    def inside(_: list[str], one: Token) -> None:
        if one.text == "aie.dma_bd":
            bds.append(read_bd_line(scope, one))
        elif one.text != "aie.end":
            scope.passed(one)

    scope.region(inside)
    found = attributes(cursor)
    if len(bds) != 1:
        cursor.fail("one aie.dma_bd: chains are not read", name, f"a task of {len(bds)}")
    bd = bds[0]
    if bd.buffer not in names:
        cursor.fail("an argument of the sequence", bd.token)
    repeat = int(found.get("repeat_count", 0))
    if bd.length is None:
        cursor.fail("a length", bd.token)
    dims = bd.dims or ((bd.length, 1),)
    if repeat:
        dims = ((repeat + 1, 0), *dims) if not bd.dims or len(dims) < 4 else dims
    return MoveLine(name, names[bd.buffer], metadata, bd.offset, dims, bool(found.get("issue_token", False)), None)
