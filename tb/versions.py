# SPDX-License-Identifier: Apache-2.0
"""Versions of installed packages."""

from __future__ import annotations

import sys
from pathlib import Path


def version_of(package: str) -> str:
    """The version of a package, from the name of the folder that says what is installed.

    ``importlib.metadata`` opens that folder, and takes longer to import than all that a short command does.

    Args:
        package: its name with underscores, in lower case.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    for place in sys.path:
        for folder in Path(place).glob(f"{package}-*.dist-info"):
            return folder.name.removeprefix(f"{package}-").removesuffix(".dist-info")
    from importlib.metadata import version

    return version(package)
