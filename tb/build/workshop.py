# SPDX-License-Identifier: Apache-2.0
"""Compiling and linking what Verilator has made, with as much as possible from what other builds have compiled.

Everything but the model is the same for all simulators: Verilator's runtime and the kernel are compiled once. Reading Verilator's
headers takes longer than compiling most of a model's files, so small files are compiled together, and the headers are kept in the
compiler's own form (:mod:`goldbeat.tb.build.precompiled`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from goldbeat.pymodels.buses import BUSES
from goldbeat.tb.build.cache import OBJECTS
from goldbeat.tb.build.object_store import ObjectStore, put
from goldbeat.tb.build.precompiled import link_header, precompiled
from goldbeat.tb.build.scratch import file_lock
from goldbeat.tb.build.toolchain import Verilator, writes_fst_alone
from goldbeat.tb.paths import plain_folder

KERNEL = Path(__file__).resolve().parents[1] / "kernel"
_MODEL = KERNEL / "model.cpp"
# Designs may bring transactors of their own.
SHARED = (*sorted(p for p in KERNEL.glob("*.cpp") if p != _MODEL), *sorted((KERNEL.parent / "designs").glob("*/*.cpp")))
"""The kernel's sources, the same for all simulators."""
OWN = (*SHARED, _MODEL, *sorted(KERNEL.glob("**/*.h")))
"""Everything of the kernel that goes into a simulator."""
_FST = ("fst/lz4.h", "fst/zlib.h", "verilated_fst_c.cpp")
"""Verilator's writer of FST files, after what it needs of other libraries."""
_MESSAGES = KERNEL / "messages.h"
_DRAWS = KERNEL / "draws.h"
_RULES = "simulator.mk"
# Switches of the compiler that change how fast code is, not what it is: the shared objects do without.
_SPEED = ("-O", "-march=", "-mtune=", "-DGOLDBEAT_PROCESSOR=")
_RUNTIME_OPTIMIZE = "-Os"
_KERNEL_OPTIMIZE = "-O3"
_KERNEL_STANDARD = "-std=c++20"
# Verilator's headers take a third longer to read with the next one, which only delays need.
_STANDARD = "-std=c++17"
_DELAYS = "verilated_timing"
# Files of Verilator's runtime that every simulator has, and that can be compiled as one.
_CORE = ("verilated", "verilated_dpi", "verilated_vpi", "verilated_threads")
_TOGETHER = 300_000
"""Bytes of C++ that are compiled as one file; larger files are alone."""
# All that Verilator's headers do with whether there are waves.
_WAVES_MARK = re.compile(rb"#if VM_TRACE\b[^\n]*\n# *define WAVES 1[^\n]*\n#endif")


@dataclass(frozen=True)
class SourceUnit:
    """One file to compile.

    Attributes:
        name: of the object, without its ending.
        source: the file.
        first: the header that it begins with, if not by itself.
        switches: the compiler's, in addition to those of Verilator's makefile.
        variables: of that makefile, which are another here.
    """

    name: str
    source: Path
    first: Path | None
    switches: tuple[str, ...]
    variables: Mapping[str, str]


class Workshop:
    """Makes one simulator.

    Args:
        tool: the Verilator.
        folder: where it has written the model ``Vtop``.
        shared: the folder for what simulators share.
        flags: the compiler's switches for the design's sake.
        optimize: the compiler's switch for the model.
        libraries: the linker's switches.
        call: runs a command in the folder.
    """

    def __init__(
        self,
        tool: Verilator,
        folder: Path,
        shared: Path,
        *,
        flags: Sequence[str],
        optimize: str,
        libraries: Sequence[str],
        call: Callable[[list[str]], None],
    ) -> None:
        self._tool, self._folder, self._shared, self._call = tool, folder, shared, call
        self._flags, self._optimize, self._libraries = list(flags), optimize, libraries
        made = (folder / "Vtop_classes.mk").read_text()
        # A design decides itself whether it needs, say, the runtime's part for delays.
        self._switches = dict(re.findall(r"^(VM_\w+) = (\d)$", made, re.MULTILINE))
        self._groups = {
            name: re.findall(r"\w+", words)
            for name, words in re.findall(r"^VM_(\w+) \+= \\\n((?:  \w+ \\\n)*)", made, re.MULTILINE)
        }
        root = re.search(r"^VERILATOR_ROOT = (.*)$", (folder / "Vtop.mk").read_text(), re.MULTILINE)
        self._include = Path(root[1] if root else tool.root or "") / "include"
        self._own_fst = writes_fst_alone(self._include)
        self._store = ObjectStore(shared / OBJECTS, [folder, KERNEL, self._include, self._include / "vltstd"])

    def make(self, executable: str) -> int:
        """Compile what nobody has compiled before, and link.

        Returns:
            how many files were compiled.
        """
        common = self._common_units()
        model = self._model_units()
        kept = {unit.name: self._kept(unit) for unit in (*common, *model)}
        compiled = 0
        # Two builds at once compile what they share once.
        with file_lock(self._shared / "common.lock"):
            compiled += self._compile(common, kept)
        lacking = [u for u in model if not self._store.has(kept[u.name])]
        objects = [str(kept[u.name]) for u in common]
        objects += [f"{u.name}.o" if u in lacking else str(kept[u.name]) for u in model]
        libraries = "$(filter-out -llz4 -lz,$(LDLIBS))" if self._own_fst else "$(LDLIBS)"
        link = f"\t$(LINK) $(LDFLAGS) {' '.join(objects)} $(LOADLIBES) {libraries} {' '.join(self._libraries)} -o $@\n"
        made = " ".join(f"{unit.name}.o" for unit in lacking)
        self._make(self._with_headers(lacking), executable, f"{executable}: {made}\n{link}")
        self._keep(lacking, kept)
        return compiled + len(lacking)

    def _compile(self, units: Sequence[SourceUnit], kept: Mapping[str, Path]) -> int:
        lacking = [u for u in units if not self._store.has(kept[u.name])]
        if lacking:
            self._make(lacking, "common", f"common: {' '.join(f'{u.name}.o' for u in lacking)}\n")
            self._keep(lacking, kept)
        return len(lacking)

    def _keep(self, units: Iterable[SourceUnit], kept: Mapping[str, Path]) -> None:
        for unit in units:
            made = self._folder / f"{unit.name}.o"
            put(made, kept[unit.name])
            made.unlink()

    def _with_headers(self, units: Iterable[SourceUnit]) -> list[SourceUnit]:
        """The units with their first header at a place where the compiler finds its own form of it too, if it has one."""
        if "clang" in _compiler():  # it takes the form for an error where gcc takes the header
            return list(units)
        groups: dict[Path, list[SourceUnit]] = {}
        for unit in units:
            groups.setdefault(self._kept(_first_header(unit)), []).append(unit)
        changed = []
        for number, (kept, members) in enumerate(groups.items()):
            make = partial(self._make_header, _first_header(members[0]))
            if precompiled(self._store, kept, len(members), make):
                place = link_header(self._folder / f"headers_{number}", _DRAWS, kept)
                members = [replace(unit, first=place) for unit in members]
            changed += members
        return changed

    def _make_header(self, header: SourceUnit) -> Path:
        self._make([header], "header", f"header: {header.name}.o\n")
        return self._folder / f"{header.name}.o"

    def _make(self, units: Iterable[SourceUnit], target: str, rule: str) -> None:
        """Call make with rules for these units and for the target that needs them."""
        # A clone or an installation may lie where make and the shell break on paths.
        home, plain = str(KERNEL.parent), str(plain_folder(KERNEL.parent))
        lines = ["include Vtop.mk", ""]
        for unit in units:
            name = f"{unit.name}.o"
            lines += [f"{name}: {variable} = {value}" for variable, value in unit.variables.items()]
            words = [
                "$(OBJCACHE) $(CXX) -Winvalid-pch $(CXXFLAGS) $(CPPFLAGS)",
                f"-I{plain}/{KERNEL.name}",
                *([f"-I{plain}/{KERNEL.name}/fst"] if self._own_fst else []),
                *unit.switches,
            ]
            words += [f"-include {str(unit.first).replace(home, plain)}"] if unit.first else []
            lines += [f"{name}: {str(unit.source).replace(home, plain)}", f"\t{' '.join(words)} -c -o $@ $<"]
        (self._folder / _RULES).write_text("\n".join([*lines, rule]))
        jobs = f"-j{os.cpu_count() or 1}"
        self._call(["make", "-f", _RULES, jobs, *self._tool.make_variables, target])

    def _kept(self, unit: SourceUnit) -> Path:
        variables = (f"{name}={value}" for name, value in unit.variables.items())
        switches = {k: v for k, v in self._switches.items() if k not in unit.variables and k != "VM_PARALLEL_BUILDS"}
        return self._store.place(
            [unit.source, *([unit.first] if unit.first else [])],
            [
                _compiler(),
                *self._tool.make_variables,
                unit.first.name if unit.first else "",
                *unit.switches,
                *variables,
                *map(str, sorted(switches.items())),
            ],
        )

    def _common_units(self) -> list[SourceUnit]:
        """Verilator's runtime and the kernel."""
        plain = [f for f in self._flags if not f.startswith(_SPEED)]
        variables = {"VM_USER_CFLAGS": " ".join(plain)}
        headers = [*self._include.glob("*.h"), *self._include.glob("vltstd/*.h")]
        # One object for all simulators: it must not matter to it what their models have.
        mentioned = re.findall(rb"\bVM_\w+", b"".join(_WAVES_MARK.sub(b"", p.read_bytes()) for p in headers))
        variables |= {name: "0" for name in self._switches if name.encode() not in mentioned}
        runtime = [name for group in ("GLOBAL_FAST", "GLOBAL_SLOW") for name in self._groups.get(group, ())]
        core = [name for name in runtime if name in _CORE]
        sources = [self._joined("runtime", [f"{name}.cpp" for name in core])]
        waves = [name for name in runtime if self._own_fst and f"{name}.cpp" == _FST[-1]]
        sources += [self._joined("verilated_fst", _FST) for _ in waves]
        sources += [self._include / f"{name}.cpp" for name in runtime if name not in (*core, *waves)]
        units = [
            SourceUnit(
                p.stem,
                p,
                _MESSAGES,
                (_RUNTIME_OPTIMIZE, _KERNEL_STANDARD if p.stem == _DELAYS else _STANDARD),
                variables,
            )
            for p in sources
        ]
        # Anonymous namespaces of files that are compiled together do not clash: the compiler says so if they do.
        switches = (_KERNEL_OPTIMIZE, _KERNEL_STANDARD, "-Wno-subobject-linkage")
        groups: dict[str, list[Path]] = {}
        for path in SHARED:
            groups.setdefault(_group(path), []).append(path)
        own = [
            paths[0] if len(paths) == 1 else self._joined(name, [p.name for p in paths])
            for name, paths in groups.items()
        ]
        return [*units, *(SourceUnit(p.stem, p, _MESSAGES, switches, variables) for p in own)]

    def _joined(self, name: str, files: Iterable[str]) -> Path:
        """A file that includes others."""
        path = self._folder / f"{name}.cpp"
        path.write_text("".join(f'#include "{file}"\n' for file in files))
        return path

    def _model_units(self) -> list[SourceUnit]:
        """What Verilator has made of the design, small files together, and the kernel's view of it."""
        standard = [] if self._switches.get("VM_TIMING") == "1" else [_STANDARD]
        fast, slow = (
            [f"{name}.cpp" for group in ("CLASSES", "SUPPORT") for name in self._groups.get(f"{group}_{speed}", ())]
            for speed in ("FAST", "SLOW")
        )
        shutil.copyfile(_MODEL, self._folder / _MODEL.name)
        sizes = {name: (self._folder / name).stat().st_size for name in (_MODEL.name, *fast, *slow)}
        if sum(sizes.values()) <= _TOGETHER:
            groups = [("fast", [_MODEL.name, *fast, *slow])]
        else:
            groups = [("fast", names) for names in together([_MODEL.name, *fast], sizes, _TOGETHER)]
            groups += [("slow", names) for names in together(slow, sizes, _TOGETHER)]
        units = []
        for number, (speed, names) in enumerate(groups):
            source = self._joined(f"unit_{number}", names)
            optimize = self._optimize if speed == "fast" else "-O0"
            variables = {"VM_USER_CFLAGS": " ".join(self._flags)}
            units.append(SourceUnit(source.stem, source, _DRAWS, (optimize, *standard), variables))
        return units


def _group(source: Path) -> str:
    """The kernel's sources of one group are compiled as one file: all of them together in half the time of each alone."""
    if source.parent != KERNEL:
        return source.stem
    bus = source.stem.partition("_")[0]
    if source.name.startswith("axi_"):
        return "kernel_axi"
    words = {one.name for one in BUSES} - {"axis", "axi"} | {"registers", "word"}
    return "kernel_registers" if bus in words else "kernel_rest"


def together(names: Sequence[str], sizes: Mapping[str, int], most: int) -> list[list[str]]:
    """Files in groups of at most so many bytes, in their order; a larger one is alone."""
    groups: list[list[str]] = []
    large = [name for name in names if sizes[name] > most]
    room = 0
    for name in names:
        if name in large:
            continue
        if sizes[name] > room:
            groups.append([])
            room = most
        groups[-1].append(name)
        room -= sizes[name]
    return [*([name] for name in large), *groups]


def _first_header(unit: SourceUnit) -> SourceUnit:
    """The compiler's own form of what a file of the model begins with."""
    return SourceUnit("first_header", _DRAWS, None, ("-x c++-header", *unit.switches), unit.variables)


@cache
def _compiler() -> str:
    """What the compiler says of itself."""
    return subprocess.run(["c++", "--version"], capture_output=True, text=True, check=False).stdout
