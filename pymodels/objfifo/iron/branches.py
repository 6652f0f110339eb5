# SPDX-License-Identifier: Apache-2.0
"""Branches of core bodies, written as ``with if_(c) as x:`` and ``with else_(x):``, as branches of Python."""

from __future__ import annotations

import ast
from importlib.util import decode_source
from pathlib import Path
from types import CodeType
from typing import Any


class _Branches(ast.NodeTransformer):
    def visit_With(self, node: ast.With) -> Any:
        self.generic_visit(node)
        call = node.items[0].context_expr if len(node.items) == 1 else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or not call.args:
            return node
        first = call.args[0]
        if call.func.id == "if_":
            target = node.items[0].optional_vars
            test: ast.expr = first
            if isinstance(target, ast.Name):
                test = ast.NamedExpr(ast.Name(target.id, ast.Store()), first)
        elif call.func.id == "else_":
            test = ast.UnaryOp(ast.Not(), first)
        else:
            return node
        return ast.fix_missing_locations(ast.copy_location(ast.If(test, node.body, []), node))


def compiled_script(path: Path) -> CodeType:
    """A script's code, with such branches.

    Raises:
        SyntaxError: it is no Python, or bytes of another encoding than it names, or than UTF-8.
    """
    raw = path.read_bytes()
    try:
        decode_source(raw)
    except UnicodeDecodeError as error:
        where = (str(path), raw[: error.start].count(b"\n") + 1, None, None)
        raise SyntaxError(f"(unicode error) {error}", where) from error
    tree = _Branches().visit(ast.parse(raw, str(path)))
    return compile(tree, str(path), "exec")
