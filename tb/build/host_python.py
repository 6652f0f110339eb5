# SPDX-License-Identifier: Apache-2.0
"""Check that a Python can carry Goldbeat: version, venv with pip, shared library.

The Makefile runs this file with each Python on PATH before anything is installed, so it imports the standard library alone.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

MIN_PYTHON = (3, 11)
_NAME = f"python{sys.version_info[0]}.{sys.version_info[1]}"
VENV_PACKAGE = f"{_NAME}-venv"
"""Debian's package with this Python's ensurepip."""
LIBRARY_PACKAGE = f"lib{_NAME}"
"""Debian's package with this Python's shared library."""


def problems() -> list[str]:
    """What is wrong with this Python, with the way to mend it; empty when it can be used."""
    if sys.version_info[:2] < MIN_PYTHON:
        return [f"is Python {sys.version.split()[0]}, older than {'.'.join(map(str, MIN_PYTHON))}"]
    found = []
    if find_spec("venv") is None or find_spec("ensurepip") is None:
        found.append(f"makes no virtual environments (ensurepip is missing); to get it: apt install {VENV_PACKAGE}")
    library = str(sysconfig.get_config_var("INSTSONAME") or "")
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        found.append("has no shared library; use a Python built with --enable-shared (Debian's is)")
    elif not _loads(library):
        found.append(f"has no shared library ({library}); to get it: apt install {LIBRARY_PACKAGE}")
    return found


def _loads(library: str) -> bool:
    """Whether the linker, or Python's own folder of libraries, has it."""
    for place in (library, str(Path(sysconfig.get_config_var("LIBDIR") or "") / library)):
        try:
            ctypes.CDLL(place)
        except OSError:
            continue
        return True
    return False


if __name__ == "__main__":
    wrong = problems()
    for text in wrong:
        print(f"{sys.executable} {text}", file=sys.stderr)
    sys.exit(bool(wrong))
