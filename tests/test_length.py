# SPDX-License-Identifier: Apache-2.0
"""Functions fit on a screen."""

import ast

from goldbeat.tb.paths import REPOSITORY

MOST = 60
"""Lines of a function, its docstring included."""
LONGER = {
    "tests/support/naive_zynqnet.py:run": "a plain model to compare with: one loop nest, nothing shared with what it checks",
    "tests/support/naive_engine.py:edge": "a plain model to compare with: all that happens at a clock edge, in order",
    "tb/kernel/axi.py:run": "one call into C++: every array it is given must live until the call is over",
    "tb/design/traffic.py:stream_cases": "four short stimulus makers that share the design's traffic",
}
"""Functions that may be longer, and why."""


def functions(text: str) -> list[tuple[str, int]]:
    """Name and lines of every function of a module, methods and inner ones too."""
    nodes = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    return [(n.name, (n.end_lineno or n.lineno) - n.lineno + 1) for n in nodes]


def test_functions_fit_on_a_screen():
    long = {}
    for part in ("src/goldbeat", "tb", "pymodels", "tests"):
        for path in (REPOSITORY / part).rglob("*.py"):
            for name, lines in functions(path.read_text(encoding="utf-8")):
                if lines > MOST:
                    long[f"{path.relative_to(REPOSITORY)}:{name}"] = lines
    assert not {name: lines for name, lines in long.items() if name not in LONGER}
    assert not LONGER.keys() - long.keys(), "no exception is needed for these any more"


def test_lines_are_counted():
    body = "\n".join(["    x = 1"] * 60)
    assert functions(f"def f():\n{body}\n") == [("f", 61)]
    assert functions("class A:\n    async def g(self):\n        return 1\n") == [("g", 2)]
