# SPDX-License-Identifier: Apache-2.0
"""What a run was made with beside Goldbeat and the design: a case that behaves otherwise with another simulator is not flaky."""

from __future__ import annotations

import platform
import shutil
import subprocess
from functools import cache

from goldbeat.tb.run.sources import tool_versions
from goldbeat.tb.versions import version_of

TOOLS = "tools"
"""Under this name, a run's settings keep the versions."""
_PACKAGES = ("cocotb", "numpy", "pydantic")


def recorded_tools() -> dict[str, str]:
    """Versions by name: Goldbeat, Python, packages, simulator, compiler, processor."""
    found = {**tool_versions(), "processor": platform.machine(), "compiler": _compiler()}
    for package in _PACKAGES:
        try:
            found[package] = version_of(package)
        except ModuleNotFoundError:
            found[package] = "missing"
    return found


@cache
def _compiler() -> str:
    path = shutil.which("c++")
    if path is None:
        return "missing"
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    return said.partition("\n")[0].strip()
