# SPDX-License-Identifier: Apache-2.0
"""No design is named outside its folders."""

from __future__ import annotations

import re
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
