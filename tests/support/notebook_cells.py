# SPDX-License-Identifier: Apache-2.0
"""Runs the code cells of a notebook, one after the other in one namespace, and gives what each shows.

As a script it writes the outputs into the notebook: ``python tests/support/notebook_cells.py examples/notebook/fir.ipynb``.
"""

from __future__ import annotations

import ast
import json
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

Output = dict[str, Any]


def run_cell(source: str, space: dict[str, Any], name: str) -> list[Output]:
    """What a cell prints, and what its last expression shows."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, name, "exec"), space)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), space)
    outputs: list[Output] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": printed.getvalue()})
    if value is not None:
        shown = {"text/plain": repr(value)}
        if hasattr(value, "_repr_html_"):
            shown["text/html"] = value._repr_html_()
        outputs.append({"output_type": "execute_result", "data": shown, "metadata": {}, "execution_count": None})
    return outputs


def run_notebook(path: Path) -> tuple[dict[str, Any], list[list[Output]]]:
    """A notebook, and the outputs of its code cells, in order."""
    document = json.loads(path.read_text(encoding="utf-8"))
    space: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    return document, [run_cell("".join(c["source"]), space, f"{path.name}, cell {n}") for n, c in enumerate(cells, 1)]


def main(path: Path) -> None:
    """Write the outputs into the notebook."""
    document, found = run_notebook(path)
    cells = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    for number, (cell, outputs) in enumerate(zip(cells, found, strict=True), 1):
        cell["execution_count"] = number
        cell["outputs"] = [{**one, **({"execution_count": number} if "data" in one else {})} for one in outputs]
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
