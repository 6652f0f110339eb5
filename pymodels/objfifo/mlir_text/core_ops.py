# SPDX-License-Identifier: Apache-2.0
"""A core's program, as far as it acquires and releases: loops with constant bounds, branches."""

from __future__ import annotations

from goldbeat.pymodels.objfifo.mlir_text.lexer import Token
from goldbeat.pymodels.objfifo.mlir_text.lines import AccessLine, CoreLine
from goldbeat.pymodels.objfifo.mlir_text.scope import DeviceScope
from goldbeat.pymodels.objfifo.mlir_text.values import attributes, skip_type
from goldbeat.pymodels.objfifo.plan.access import ENDLESS

_NO_ACCESS = ("aie.end", "aie.use_lock", "aie.get_cascade", "aie.put_cascade", "aie.event")
"""Operations of a core that are passed over: what uses locks by itself is at the lowered level."""


def read_core(scope: DeviceScope, _: list[str], name: Token) -> None:
    """``aie.core``."""
    cursor = scope.cursor
    cursor.expect("(")
    tile = scope.tile()
    cursor.expect(")")
    while cursor.now.text != "{" and cursor.now.kind != "end":
        cursor.take()
    body = _body(scope)
    attributes(cursor)
    scope.lines.cores.append(CoreLine(name, tile, tuple(body)))


def _body(scope: DeviceScope) -> list[AccessLine]:
    found: list[AccessLine] = []

    def inside(results: list[str], one: Token) -> None:
        if one.text in ("aie.objectfifo.acquire", "aie.objectfifo.release"):
            found.append(_access(scope, one))
        elif one.text == "scf.for":
            _loop(scope, one, found)
        elif one.text in ("scf.if", "scf.index_switch", "scf.while", "scf.execute_region"):
            _branch(scope, one, found)
        elif one.kind == "block" or one.text in _NO_ACCESS or one.text.startswith(("scf.", "aie.objectfifo")):
            scope.cursor.skip_operation()
        else:
            scope.passed(one)

    scope.region(inside)
    return found


def _access(scope: DeviceScope, name: Token) -> AccessLine:
    cursor = scope.cursor
    fifo = cursor.symbol()
    cursor.expect("(")
    port = cursor.kind("word", "Produce or Consume")
    if port.text not in ("Produce", "Consume"):
        cursor.fail("Produce or Consume", port)
    cursor.expect(",")
    count = scope.number()
    cursor.expect(")")
    attributes(cursor)
    acquire = name.text.endswith("acquire")
    if acquire and cursor.accept(":"):
        skip_type(cursor)
    return AccessLine(name, fifo, port.text, count, acquire)


def _loop(scope: DeviceScope, name: Token, found: list[AccessLine]) -> None:
    cursor = scope.cursor
    bounds: list[int | None] = []
    cursor.kind("ssa", "the loop's index")
    for word in ("=", "to", "step"):
        cursor.expect(word)
        value = cursor.kind("ssa", "a bound").text
        bounds.append(scope.constants.get(value))
    while cursor.now.text != "{" and cursor.now.kind != "end":
        cursor.take()
    body = _body(scope)
    attributes(cursor)
    start, stop, step = bounds
    known = start is not None and stop is not None and step is not None and step > 0
    passes = max(0, -(-((stop or 0) - (start or 0)) // (step or 1))) if known else 1
    if not body or passes == 0:
        return
    found.append(AccessLine(name, passes=None if passes >= ENDLESS else passes, body=body, branch=not known))


def _branch(scope: DeviceScope, name: Token, found: list[AccessLine]) -> None:
    """Regions of which one is run: accesses inside keep the design from being decided."""
    cursor = scope.cursor
    body: list[AccessLine] = []
    line = name.line
    while cursor.now.kind != "end":
        if cursor.now.text == "{":
            body += _body(scope)
            line = cursor.tokens[cursor.at - 1].line
        elif cursor.now.text == "(" or cursor.now.text == "<":
            cursor.balanced()
        elif cursor.now.text in ("else", "do", "case", "default") or cursor.now.line == line:
            if cursor.now.text == "}":
                break
            line = cursor.take().line
        else:
            break
    if body:
        found.append(AccessLine(name, passes=1, body=body, branch=True))
