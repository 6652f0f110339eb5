# SPDX-License-Identifier: Apache-2.0
"""The program ``verilator`` as cocotb's runner, its makefiles and cocotb-test call it, with Goldbeat's builds behind it.

It builds with the kernel in place of cocotb's ``main``, takes builds from the cache, and leaves what the caller expects: a
makefile ``Vtop.mk`` with nothing to do, and the simulator. Calls that are not for a cocotb simulator go to Verilator itself.
"""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

import cocotb_tools.config

from goldbeat.pymodels.errors import GoldbeatError, ToolError
from goldbeat.tb.build.compile import Recipe, compile_model, waves_format
from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.dropin.outside import off_path
from goldbeat.tb.kernel.launch import COCOTB, cocotb_fits, gpi_users, python_entries
from goldbeat.tb.paths import IMPORT_ROOT
from goldbeat.tb.versions import version_of

_SOURCES = (".v", ".sv", ".vh", ".svh", ".vlt")
ENTRIES = python_entries("goldbeat.tb.dropin.inside:install")
_VALUED = {
    "-Mdir": "folder",
    "--Mdir": "folder",
    "--top-module": "top",
    "--top": "top",
    "-o": "name",
    "--prefix": "prefix",
}
_IMPLIED = {"-cc", "--cc", "--exe", "--vpi", "--public-flat-rw"}
_TAKEN = {"--timescale", "-CFLAGS", "-f", "-F", "-y", "--build-jobs", "-j"}
"""Switches that take the next word."""


@dataclass
class VerilatorCall:
    """What the caller wants.

    Attributes:
        folder: where it looks for the simulator.
        top: the top module.
        name: of the simulator.
        prefix: of the model's classes.
        cocotb: cocotb's ``main`` is among the sources.
        strict: warnings are errors.
    """

    folder: str = "obj_dir"
    top: str = ""
    name: str = ""
    prefix: str = "Vtop"
    cocotb: bool = False
    strict: bool = True
    waves: bool = False
    coverage: bool = False
    sources: list[Path] = field(default_factory=list)
    includes: list[Path] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)


def parse_call(words: list[str]) -> VerilatorCall:
    """A command line of Verilator."""
    made = VerilatorCall()
    rest = iter(words)
    for word in rest:
        if word in _VALUED:
            setattr(made, _VALUED[word], next(rest, ""))
        elif word == "-LDFLAGS":
            next(rest, "")
        elif word in _IMPLIED:
            continue
        elif word.startswith("--trace"):
            made.waves = True
        elif word in _TAKEN:
            made.flags += [word, next(rest, "")]
        elif word.startswith(("-I", "+incdir+")):
            start = "-I" if word.startswith("-I") else "+incdir+"
            made.includes.append(Path(word.removeprefix(start)).absolute())
            made.flags.append(start + str(made.includes[-1]))
        elif word.startswith(("-", "+")):
            made.strict &= word not in ("-Wno-fatal", "-Wno-lint")
            made.flags.append(word)
        elif word.endswith(_SOURCES):
            made.sources.append(Path(word).absolute())
        elif Path(word).name == "verilator.cpp":
            made.cocotb = True
        else:
            made.other.append(word)
    return made


def expanded(words: list[str]) -> list[str]:
    """The words with those of ``-f`` files in their place."""
    made: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "-f" and (file := Path(next(rest, ""))).is_file():
            lines = [line.split("//")[0] for line in file.read_text().splitlines() if not line.lstrip().startswith("#")]
            made += expanded([part for line in lines for part in shlex.split(line)])
        else:
            made.append(word)
    return made


def build_call(request: VerilatorCall) -> None:
    """Make the simulator, or take it from the cache.

    Raises:
        ToolError: Verilator or the compiler failed, or Verilator warns and the caller takes warnings for errors.
    """

    def inspect(log: str) -> None:
        warnings = [line for line in log.splitlines() if line.startswith("%Warning")]
        if request.strict and warnings:
            raise ToolError("\n".join([*warnings, f"%Error: Exiting due to {len(warnings)} warning(s)"]))

    included = [f for folder in request.includes if folder.is_dir() for f in sorted(folder.iterdir()) if f.is_file()]
    built = compile_model(
        Recipe(
            name=request.top,
            top=request.top,
            sources=request.sources,
            watched=included,
            flags=request.flags,
            waves=waves_format() if request.waves else None,
            public="all",
            inspect=inspect,
        )
    )
    folder = Path(request.folder)
    folder.mkdir(parents=True, exist_ok=True)
    name = request.name or request.prefix
    (folder / f"{request.prefix}.mk").write_text(f".PHONY: {name}\n{name}:\n\t@touch {shlex.quote(name)}\n")
    _leave(folder / name, built.executable)


def _leave(place: Path, executable: Path) -> None:
    """Write what the caller starts: the simulator in the environment that it needs."""
    libraries, ours, entries = cocotb_tools.config.libs_dir, ENTRIES[-2], ",".join(ENTRIES)
    lines = [
        "#!/bin/sh",
        f'export LD_LIBRARY_PATH="{libraries}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"',
        f'export PYTHONPATH="${{PYTHONPATH:+$PYTHONPATH:}}{IMPORT_ROOT}"',
        # edalize leaves this to cocotb's makefiles.
        f'export GPI_USERS="${{GPI_USERS:-{gpi_users()}}}"',
        # A caller with entries of its own, such as cocotb's plugin for pytest, has the one that runs the tests last.
        f'export PYGPI_USERS="${{PYGPI_USERS:-{entries}}}"',
        f'case "$PYGPI_USERS" in *{ours}*) ;; *,*) PYGPI_USERS="${{PYGPI_USERS%,*}},{ours},${{PYGPI_USERS##*,}}";; esac',
        f'exec {shlex.quote(str(executable.absolute()))} "$@"',
    ]
    fresh = place.with_name(f"{place.name}.{os.getpid()}")
    fresh.write_text("\n".join(lines) + "\n")
    fresh.chmod(0o755)
    fresh.replace(place)


def program(words: list[str]) -> int:
    """The program."""
    off_path(os.environ)
    tool = verilator()
    if words == ["--version"]:
        major, minor, *_ = [*tool.version.split()[1].split("."), "0"]
        print(f"Verilator {major}.{int(minor):03} Goldbeat")
        return 0
    request = parse_call(words)
    if request.cocotb and not request.top:
        # edalize's words are in a file.
        request = parse_call(expanded(words))
    cocotb = version_of("cocotb")
    if request.cocotb and not cocotb_fits(cocotb):
        note = (
            f"goldbeat: cocotb {cocotb} is older than {COCOTB}: this simulator is Verilator's, nothing in it is native"
        )
        print(note, flush=True)
    if not request.cocotb or request.other or not request.top or not cocotb_fits(cocotb):
        os.execvpe(str(tool.executable), [str(tool.executable), *words], tool.environment())
    try:
        build_call(request)
    except GoldbeatError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(program(sys.argv[1:]))
