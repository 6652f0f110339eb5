# SPDX-License-Identifier: Apache-2.0
"""What a script finds around it while it is read: its command line, and the modules of its folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def script_surroundings(path: Path, arguments: Sequence[str]) -> Iterator[None]:
    """The script's command line and folder; what it imports from there is forgotten again."""
    before, paths, modules = sys.argv, list(sys.path), set(sys.modules)
    folder = path.resolve().parent
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = before, paths
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).resolve().parent == folder:
                del sys.modules[name]
