# SPDX-License-Identifier: Apache-2.0
"""No design is named outside its folders, and two things never have the same name."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

from goldbeat.tb.design.catalog import designs
from goldbeat.tb.design.families import families

ROOT = Path(__file__).parents[1]
# PLIO files and AXI-Stream are everybody's; the designs that are made of them are not.
COMMON = {"plio", "axis"}
# What designs speak of beside their own names.
WORDS = {"csb", "dbb", "bmodel", "loadable"}


def _files():
    own = [ROOT / "tb" / "designs", *(ROOT / "pymodels" / name for name in families())]
    for top in ("tb", "pymodels", "src"):
        for path in (ROOT / top).rglob("*"):
            named = path.suffix in (".py", ".cpp", ".h", ".toml", ".j2")
            if named and not path.is_symlink() and not any(path.is_relative_to(folder) for folder in own):
                yield path


def test_no_design_is_named_outside_its_folders():
    names = (set(families()) | set(designs()) | WORDS) - COMMON
    pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(sorted(names))})(?![A-Za-z0-9])", re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in _files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


# -- two things never have the same name ----------------------------------------------------------------------------------

# What every golden model of a kind has under one name.
MODEL = {"predict", "predict_accesses", "stage", "hanging", "timing"}
# Other names that two modules may share, and why.
SHARED = {
    "Kernel": "mlir-aie's name for a compiled function, and the simulation's kernel",
    "convolve": "fp32 and int8 have one face: the number type is the module",
    "pool": "as convolve",
    "read": "public verbs of PLIO files, and of register programs",
    "write": "as read",
}


def _commands(path):
    """Functions of command modules are called as their commands are."""
    return path.name in ("commands.py", "__main__.py") or path.stem.endswith("_command") or "cli" in path.parts


def test_two_things_never_have_the_same_name():
    places = defaultdict(list)
    for top in ("pymodels", "tb"):
        for path in sorted((ROOT / top).rglob("*.py")):
            if _commands(path):
                continue
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                named = isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
                if named and not node.name.startswith("_") and node.name not in MODEL:
                    places[node.name].append(str(path.relative_to(ROOT)))
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert {name: where for name, where in twice.items() if name not in SHARED} == {}
    assert set(SHARED) <= set(twice), "a reason without a pair"
