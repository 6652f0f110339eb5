# SPDX-License-Identifier: Apache-2.0
"""Numbers of the RTL: those that its counters may be compared with, and those that its payload may be.

Literals, parameters, local parameters and sizes of memories.

The text is enough: a number too many costs a few beats, and no elaboration has to know the parameters of the run.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from goldbeat.tb.design.source_text import read_code

_MOST = 1 << 64
_LONGEST_FILE = 1 << 20
"""Bytes; longer files are netlists and tables."""
_SIZED = re.compile(r"(?:\b\d[\d_]*\s*)?'[sS]?([bodhBODH])\s*([0-9a-fA-F_]+)")
_WIDEST = 512
_PLAIN = re.compile(r"(?<![\w.$])\d[\d_]*(?![\w.'])")
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}
_LOCAL = re.compile(r"\blocalparam\b([^;]*);")
_VALUE = re.compile(r"(\w+)\s*=\s*([^,;]+)")
_RANGE = re.compile(r"\[([^\[\]:]+):([^\[\]:]+)\]")
_OPERATORS: Mapping[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.LShift: lambda a, b: a << min(b, 64),
    ast.RShift: operator.rshift,
    ast.Pow: lambda a, b: a ** min(b, 64) if abs(a) <= _MOST else _MOST,
}


def source_numbers(sources: Sequence[Path], params: Mapping[str, Any]) -> tuple[int, ...]:
    """Numbers above 1 of at most 64 bits, in order.

    Args:
        sources: SystemVerilog.
        params: parameters of the top module.
    """
    names = {name: value for name, value in params.items() if isinstance(value, int)}
    found = set(names.values())
    for path in sources:
        if not path.is_file() or path.stat().st_size > _LONGEST_FILE:
            continue
        text = _SIZED.sub(_plain, read_code(path))
        found |= {int(word.replace("_", "")) for word in _PLAIN.findall(text)}
        for name, value in (pair for local in _LOCAL.findall(text) for pair in _VALUE.findall(local)):
            if (number := _number(value, names)) is not None:
                names[name] = number
                found.add(number)
        for ends in _RANGE.findall(text):
            left, right = (_number(end, names) for end in ends)
            if left is not None and right is not None:
                found.add(abs(left - right) + 1)
    return tuple(sorted(number for number in found if 1 < number < _MOST))


def source_values(sources: Sequence[Path], params: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """Values above 1 that payload may be compared with, and the bits of each, in order.

    Args:
        sources: SystemVerilog.
        params: parameters of the top module.
    """
    found = {(number, number.bit_length()) for number in source_numbers(sources, params)}
    for path in sources:
        if not path.is_file() or path.stat().st_size > _LONGEST_FILE:
            continue
        for sized in _SIZED.finditer(read_code(path)):
            number, bits = int(_plain(sized)), int(sized[0].partition("'")[0].replace("_", "") or 0)
            found.add((number, max(bits, number.bit_length())))
    return tuple(sorted(one for one in found if one[0] > 1 and one[1] <= _WIDEST))


def _plain(sized: re.Match[str]) -> str:
    """A sized literal as a plain one; one that does not fit its base becomes 0."""
    try:
        return f" {int(sized[2], _BASES[sized[1].lower()])} "
    except ValueError:
        return " 0 "


def _number(text: str, names: Mapping[str, int]) -> int | None:
    """The value of an expression; None: it is not one of numbers, known names and plain arithmetic."""
    try:
        return _value(ast.parse(text.strip().replace("/", "//").replace("$clog2", "clog2"), mode="eval").body, names)
    except (SyntaxError, ValueError, KeyError, ArithmeticError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr, names: Mapping[str, int]) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_value(node.left, names), _value(node.right, names))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "clog2":
        return max(0, _value(node.args[0], names) - 1).bit_length()
    raise ValueError
