# SPDX-License-Identifier: Apache-2.0
"""Which trace tests a path names, and what they are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.traces.statements import trace_name

_SUFFIXES = (".cfg", ".txn")


def traces_at(path: Path) -> list[Path]:
    """The test, or the tests of a folder, in it and one level below.

    Raises:
        UsageError: a folder without a test.
    """
    if not path.is_dir():
        return [path]
    found = [f for pattern in ("*", "*/*") for f in path.glob(pattern) if f.suffix in _SUFFIXES]
    if not found:
        raise UsageError(f"{path}: no trace test ({' or '.join(_SUFFIXES)}) in it or one level below")
    return sorted(found)


def trace_names(files: Sequence[Path]) -> dict[Path, str]:
    """The tests' names; of those that share one, folder and file."""
    names = {file: trace_name(file) for file in files}
    shared = Counter(names.values())
    return {file: name if shared[name] == 1 else f"{file.parent.name}/{file.name}" for file, name in names.items()}
