# SPDX-License-Identifier: Apache-2.0
"""What a run was made with beside Goldbeat and the design: a case that behaves otherwise with another simulator is not flaky."""

from __future__ import annotations

import platform
import shutil
import subprocess
from functools import cache

from goldbeat.tb.build.toolchain import find_verilator
from goldbeat.tb.versions import version_of

TOOLS = "tools"
"""Under this name, a run's settings keep the versions."""
_PACKAGES = ("cocotb", "numpy", "pydantic")


def tool_versions() -> dict[str, str]:
    """Versions by name: Python, packages, simulator, compiler, processor."""
    found = {"Python": platform.python_version(), "processor": platform.machine(), "compiler": _compiler()}
    for package in _PACKAGES:
        try:
            found[package] = version_of(package)
        except ModuleNotFoundError:
            found[package] = "missing"
    tool, _ = find_verilator()
    found["Verilator"] = "missing" if tool is None else tool.version
    return found


@cache
def _compiler() -> str:
    path = shutil.which("c++")
    if path is None:
        return "missing"
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    return said.partition("\n")[0].strip()
