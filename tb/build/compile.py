# SPDX-License-Identifier: Apache-2.0
"""Verilator builds with the kernel's ``main``, cached by content.

A build is named by a hash over everything that goes into it. It is made in a scratch folder of its own and renamed when it is
whole, so a killed build leaves nothing that the next one could mistake for a result, and a lock makes two processes that want
the same build compile it once (:mod:`goldbeat.tb.build.scratch`). What is still compiling ends with the process that
wants it. Objects that are the same for all builds (Verilator's runtime and the kernel) are compiled once and copied,
headers that every file includes are precompiled once.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Literal

from filelock import FileLock

from goldbeat.pymodels.errors import ToolError
from goldbeat.tb import orphan_guard
from goldbeat.tb.build.in_use import hold
from goldbeat.tb.build.object_store import ObjectStore, put
from goldbeat.tb.build.scratch import scratch_folder
from goldbeat.tb.build.sealed import is_whole, seal
from goldbeat.tb.build.toolchain import Verilator, has_fst, verilator
from goldbeat.tb.paths import build_root, check_root, plain_name

EXECUTABLE = "sim"
_LOG = "build.log"
_KERNEL = Path(__file__).resolve().parents[1] / "kernel"
_MAIN = _KERNEL / "main.cpp"
# Designs may bring transactors of their own.
_DESIGNS = _KERNEL.parent / "designs"
_SHARED = (*sorted(p for p in _KERNEL.glob("*.cpp") if p != _MAIN), *sorted(_DESIGNS.glob("*/*.cpp")))
_HEADERS = tuple(sorted(_KERNEL.glob("*.h")))
_PRELUDE = _KERNEL / "prelude.h"
_MESSAGES = _KERNEL / "messages.h"
# Switches of the compiler that change how fast code is, not what it is: the shared objects do without.
_SPEED = ("-O", "-march=", "-mtune=", "-DGOLDBEAT_PROCESSOR=")
_SHARED_OPTIMIZE = "-O3"
_PORT = re.compile(r"VL_(IN|OUT|INOUT)(?:8|16|64|W)?\(&?(\w+),(\d+),(\d+)(?:,\d+)?\);")
_NO_DELAYS = "No delays in the design"
# Members of these types are not drawn by a constructor.
_CONTAINER = re.compile(
    r"^ +(Vl(Queue|AssocArray|ClassRef|ProcessRef|ForkSync|SampledQueue)\b|std::string ).*;$", re.MULTILINE
)
_EVAL = "void Vtop___024root___eval(Vtop___024root* vlSelf);"


@dataclass(frozen=True)
class Recipe:
    """What to build.

    Attributes:
        name: for the folder and for messages.
        top: the top module.
        sources: source files, in order.
        texts: generated files by name; those that end in ``.vlt`` come before the sources, others after them.
        watched: files that the sources may include.
        flags: further switches for Verilator.
        waves: ``vcd`` or ``fst``; None builds without any trace code.
        coverage: count line, toggle and user coverage.
        public: what is visible over VPI: ``ports`` of the top module, ``all`` signals (slow), or nothing but what ``texts`` and
            ``sources`` say.
        optimize: the compiler's switch for the code that Verilator makes of the design.
        inspect: looks at Verilator's messages before anything is compiled, and raises what it does not like.
    """

    name: str
    top: str
    sources: Sequence[Path]
    texts: Mapping[str, str] = field(default_factory=dict)
    watched: Sequence[Path] = ()
    flags: Sequence[str] = ()
    waves: str | None = None
    coverage: bool = False
    public: Literal["ports", "all"] | None = None
    optimize: str = "-O3"
    inspect: Callable[[str], None] = lambda log: None


@dataclass(frozen=True)
class Build:
    """A simulator that is ready to run.

    Attributes:
        executable: the program.
        folder: where it lies, with its log.
        waves: the wave file's ending (``vcd`` or ``fst``), None for a build without waves.
        seconds: time it took to make, 0.0 when it was in the cache.
    """

    executable: Path
    folder: Path
    waves: str | None
    seconds: float


def waves_format() -> str:
    """``fst`` where its headers are installed, else ``vcd``."""
    return "fst" if has_fst() else "vcd"


def is_built(recipe: Recipe) -> bool:
    """Whether the cache holds the simulator."""
    return is_whole(_place(verilator(), recipe) / EXECUTABLE, tell=False)


def compile_model(recipe: Recipe) -> Build:
    """Build, or take from the cache.

    Raises:
        ToolError: Verilator or the compiler failed; the message ends with what they said.
        UsageError: make cannot work in the folder for everything made.
    """
    check_root(build_root())
    tool = verilator()
    root = build_root() / "sim"
    folder = _place(tool, recipe)
    executable = folder / EXECUTABLE
    hold(root)
    if is_whole(executable):
        with suppress(OSError):
            # What was used last is cleaned last.
            os.utime(folder)
        return Build(executable, folder, recipe.waves, 0.0)
    started = time.monotonic()
    with FileLock(root / f"{folder.name}.lock"):
        if not is_whole(executable, tell=False):
            with scratch_folder(folder, keep=_LOG) as scratch:
                _compile(tool, recipe, scratch)
                seal(scratch / EXECUTABLE)
    return Build(executable, folder, recipe.waves, time.monotonic() - started)


def _place(tool: Verilator, recipe: Recipe) -> Path:
    """The folder of a simulator in the cache."""
    return build_root() / "sim" / f"{plain_name(recipe.name)}-{_key(tool, recipe)}"


def _digest(texts: Iterable[str], files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode(errors="surrogateescape") + b"\0")
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _key(tool: Verilator, recipe: Recipe) -> str:
    texts = [tool.version, str(tool.executable), version("cocotb"), recipe.top, *_kind(recipe), str(recipe.public)]
    texts += [recipe.optimize]
    # What lies in a folder counts, not where the folder lies.
    folders = {f"-I{path.parent}" for path in recipe.watched}
    texts += [*(f for f in recipe.flags if f not in folders), *(t for item in recipe.texts.items() for t in item)]
    own = (Path(__file__), _MAIN, *_SHARED, *_HEADERS)
    return _digest(texts, [*own, *recipe.sources, *recipe.watched])


def _compile(tool: Verilator, recipe: Recipe, folder: Path) -> None:
    import cocotb_tools.config

    for name, text in recipe.texts.items():
        (folder / name).write_text(text)
    libraries = cocotb_tools.config.libs_dir
    flags = ["-cc", "--exe", "--vpi", "--prefix", "Vtop", "--top-module", recipe.top]
    # Both are drawn from the seed: variables that nothing has set, and the X that the RTL assigns.
    flags += ["--x-initial", "unique", "--x-assign", "unique"]
    # Nobody reads its lists of dependencies, and make breaks on spaces and dollar signs in them.
    flags += ["--no-MMD", "-Mdir", ".", "-o", EXECUTABLE, "-Wno-fatal", "-Werror-USERFATAL", *recipe.flags]
    flags += [] if recipe.waves is None else [f"--trace-{recipe.waves}"]
    flags += ["--coverage-line", "--coverage-toggle", "--coverage-user"] if recipe.coverage else []
    flags += ["-LDFLAGS", f"-rdynamic -Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"]
    flags += ["-CFLAGS", f"-I{_KERNEL}"]
    flags += ["--public-flat-rw"] if recipe.public == "all" else []
    first = [name for name in recipe.texts if name.endswith(".vlt")]
    inputs = [*map(str, recipe.sources), *(name for name in recipe.texts if name not in first)]
    inputs += [str(_MAIN), *map(str, _SHARED)]
    log = folder / _LOG
    if recipe.public == "ports":
        # Which ports there are is known once the design is elaborated; Verilator takes no wildcard for them.
        _call([str(tool.executable), *flags, *first, *inputs], folder, tool, log, recipe)
        names = [plain for _, _, plain, _ in _ports((folder / "Vtop.h").read_text())]
        lines = [f'public_flat_rw -module "{recipe.top}" -var "{name}"' for name in names]
        (folder / "ports.vlt").write_text("\n".join(["`verilator_config", *lines]) + "\n")
        first.append("ports.vlt")
    _call([str(tool.executable), *flags, *first, *inputs], folder, tool, log, recipe)
    recipe.inspect(log.read_text(errors="replace"))
    header, source, symbols = ((folder / name).read_text() for name in ("Vtop.h", "Vtop.cpp", "Vtop__Syms.h"))
    parts = "".join(path.read_text() for path in sorted([*folder.glob("Vtop_*.h"), *folder.glob("Vtop_*__Slow.cpp")]))
    (folder / "model.h").write_text(describe_model(header, source) + describe_renewal(source, symbols, parts))
    workshop = _Workshop(tool, recipe, folder, log)
    workshop.fetch_objects()
    workshop.make_simulator()
    for leftover in [*folder.glob("*.o"), *folder.glob("*.a"), *folder.glob("*.d"), *folder.glob("*.gch")]:
        leftover.unlink()


def _ports(header: str) -> list[tuple[str, str, str, int]]:
    """Direction (``IN`` or ``OUT``), name in C++, name in Verilog, and bits of the ports that a model's class has.

    Ports that are unpacked arrays have no single address and are left out; so are ``inout`` ports.
    """
    found = []
    for way, name, msb, lsb in _PORT.findall(header):
        # Characters that C++ names cannot hold are written as __0 and two hexadecimal digits.
        plain = re.sub(r"__0([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), name)
        found.append((way, name, plain, abs(int(msb) - int(lsb)) + 1))
    return [port for port in found if port[0] != "INOUT"]


def describe_model(header: str, source: str) -> str:
    """What main.cpp must know of a model, from the text of Verilator's ``Vtop.h`` and ``Vtop.cpp``."""
    rows = [
        f'{{"{plain}", &top.{name}, {bits}, {"true" if way == "IN" else "false"}}}'
        for way, name, plain, bits in _ports(header)
    ]
    lines = [f"#define GOLDBEAT_PORTS(top) {', '.join(rows)}"]
    # Only where the model is as main.cpp takes it to be: one thread, and this very function.
    if _EVAL in source and "threads() const { return 1; }" in source:
        lines.append("#define GOLDBEAT_DIRECT_EVAL 1")
    return "\n".join(lines) + "\n"


def describe_renewal(source: str, symbols: str, classes: str) -> str:
    """How main.cpp puts a model back to before its first evaluation; empty where that would leave something as it is.

    Variables are drawn anew by what the constructors of a model's parts call, and initial blocks run at the next evaluation.
    A part with delays has processes that are waiting, and containers keep what they hold: such models have to start anew.

    Args:
        source: ``Vtop.cpp``.
        symbols: ``Vtop__Syms.h``.
        classes: headers and constructors of the model's parts.
    """
    parts = re.findall(r"^    (Vtop_\w+) +(TOP\w*);$", symbols, re.MULTILINE)
    if _NO_DELAYS not in source or "bool __Vm_didInit = false;" not in symbols or _CONTAINER.search(classes):
        return ""
    draws: dict[str, list[str]] = {}
    for function, kind in re.findall(r"^ +((Vtop_\w+?)___ctor_var_reset\w*)\(this\);$", classes, re.MULTILINE):
        draws.setdefault(kind, []).append(function)
    functions = [(kind, f) for kind in dict.fromkeys(kind for kind, _ in parts) for f in draws.get(kind, ())]
    if not functions:
        return ""
    lines = ["#define GOLDBEAT_RENEWABLE 1", '#include "Vtop__Syms.h"']
    lines += [f"void {function}({kind}* vlSelf);" for kind, function in functions]
    lines += ["static inline void goldbeat_renew(Vtop& top) {", "  Vtop__Syms& all = *top.rootp->vlSymsp;"]
    lines += [f"  {function}(&all.{part});" for kind, part in parts for function in draws.get(kind, ())]
    return "\n".join([*lines, "  all.__Vm_didInit = false;", "}"]) + "\n"


def _kind(recipe: Recipe) -> list[str]:
    """The switches that the simulator's code is compiled with."""
    switches = [f for f in recipe.flags if f.startswith(("--timing", "--threads", "--coverage", "--trace", "-CFLAGS"))]
    return [str(recipe.waves), str(recipe.coverage), *switches, *_compiler_switches(recipe)]


def _compiler_switches(recipe: Recipe) -> list[str]:
    return [value for name, value in pairwise(recipe.flags) if name == "-CFLAGS"]


class _Workshop:
    """Compiles what Verilator has made of a recipe, with as much as possible from what other builds have compiled.

    What is shared lies below ``runtime``, in a folder for each set of switches; locks and renames keep two builds apart.
    """

    def __init__(self, tool: Verilator, recipe: Recipe, folder: Path, log: Path) -> None:
        self._tool, self._recipe, self._folder, self._log = tool, recipe, folder, log
        made = (folder / "Vtop_classes.mk").read_text()
        # A design decides itself whether it needs, say, the runtime's part for delays.
        self._switches = dict(re.findall(r"^VM_(\w+) = (\d)$", made, re.MULTILINE))
        self._parallel = self._switches.pop("PARALLEL_BUILDS", "0") == "1"
        self._runtime = [
            name
            for group in re.findall(r"^VM_GLOBAL_\w+ \+= \\\n((?:  \w+ \\\n)*)", made, re.MULTILINE)
            for name in re.findall(r"\w+", group)
        ]
        # Without extensions, by how Verilator's makefile optimises them.
        self._classes = {
            speed: [
                name
                for group in re.findall(
                    rf"^VM_(?:CLASSES|SUPPORT)_{speed.upper()} \+= \\\n((?:  \w+ \\\n)*)", made, re.MULTILINE
                )
                for name in re.findall(r"\w+", group)
            ]
            for speed in ("fast", "slow")
        }
        self._flags = _compiler_switches(recipe)

    def fetch_objects(self) -> None:
        """Put the objects of Verilator's runtime and of the kernel into the folder; the first build of a kind compiles them."""
        plain = [f for f in self._flags if not f.startswith(_SPEED)]
        kernel = [p.stem for p in _SHARED]
        own = f"VM_USER_CFLAGS=-I{_KERNEL} -include {_MESSAGES.name} {' '.join(plain)}"
        variables = [f"OPT_FAST={_SHARED_OPTIMIZE}", own]
        shared = self._shared("objects", plain, [Path(__file__), *_SHARED, *_HEADERS])
        with FileLock(f"{shared}.lock"):
            lacking = [n for n in [*self._runtime, *kernel] if not is_whole(shared / f"{n}.o")]
            if lacking:
                shared.mkdir(parents=True, exist_ok=True)
                self._make(*variables, *(f"{n}.o" for n in lacking))
                for name in lacking:
                    put(self._folder / f"{name}.o", shared / f"{name}.o")
        for name in [*self._runtime, *kernel]:
            shutil.copyfile(shared / f"{name}.o", self._folder / f"{name}.o")

    def make_simulator(self) -> None:
        """Compile the model and main.cpp, and link."""
        fast = f"OPT_FAST={self._recipe.optimize}"
        prelude = self._prelude("fast", self._recipe.optimize)
        several = bool(prelude) and self._parallel
        slow = self._prelude("slow", "") if several else []
        if several:
            # Verilator's makefile would precompile the model's headers, for each model and twice.
            for header in (*prelude, *slow):
                (self._folder / f"Vtop__pch.h{header.suffix}.gch").touch()
        parts = self._fetch_parts(several)
        main = [fast, *[f"OPT=-Winvalid-pch -include {p}" for p in prelude]]
        if several:
            self._make(*main, "main.o")
            self._make(fast, *[f"VK_PCH_I_{p.suffix[1:].upper()}=-include {p}" for p in (*prelude, *slow)])
        else:
            self._make(*main)
        parts.keep()

    def _fetch_parts(self, several: bool) -> ObjectStore:
        """Put what other builds have compiled of the same text into the folder; what is compiled now is to be kept for them."""
        switches = [self._tool.version, str(self._tool.executable), _compiler(), *self._flags]
        switches += [*(f"{k}={v}" for k, v in self._switches.items()), *(h.read_text() for h in (*_HEADERS, _PRELUDE))]
        parts = ObjectStore(build_root() / "runtime" / "parts", self._folder, switches)
        parts.fetch(_MAIN, [self._recipe.optimize])
        if several:
            for speed, names in self._classes.items():
                for name in names:
                    parts.fetch(self._folder / f"{name}.cpp", [speed, self._recipe.optimize if speed == "fast" else ""])
        return parts

    def _prelude(self, speed: str, optimize: str) -> list[Path]:
        """What to include in order to have the precompiled headers; nothing where the compiler is not known to take them.

        Args:
            speed: ``fast`` or ``slow``, as Verilator's makefile calls its two switches for optimisation.
            optimize: the switch. GCC breaks down when a file is compiled with another one than its precompiled header.
        """
        if not _is_gcc():
            return []
        shared = self._shared("prelude", [speed, optimize, str(_KERNEL), *self._flags], [_PRELUDE])
        header = shared / f"{_PRELUDE.name}.{speed}"
        ready = header.with_name(f"{header.name}.gch")
        with FileLock(f"{shared}.lock"):
            if not is_whole(ready) or header.read_bytes() != _PRELUDE.read_bytes():
                shared.mkdir(parents=True, exist_ok=True)
                # The compiler reads this one when it does not like the other.
                shutil.copyfile(_PRELUDE, header)
                shutil.copyfile(_PRELUDE, self._folder / _PRELUDE.name)
                self._make(f"OPT_{speed.upper()}={optimize}", ready.name)
                put(self._folder / ready.name, ready)
        return [header]

    def _shared(self, what: str, switches: Iterable[str], files: Iterable[Path]) -> Path:
        texts = [self._tool.version, str(self._tool.executable), what, str(self._switches), *switches]
        folder = build_root() / "runtime" / _digest(texts, files)
        folder.parent.mkdir(parents=True, exist_ok=True)
        return folder

    def _make(self, *arguments: str) -> None:
        command = ["make", "-f", "Vtop.mk", f"-j{os.cpu_count() or 1}", *self._tool.make_variables, *arguments]
        _call(command, self._folder, self._tool, self._log, self._recipe)


@cache
def _is_gcc() -> bool:
    """Whether the compiler is GCC, which takes no precompiled header that does not fit; others make that an error."""
    return "Free Software Foundation" in _compiler()


@cache
def _compiler() -> str:
    """What the compiler says of itself."""
    return subprocess.run(["c++", "--version"], capture_output=True, text=True, check=False).stdout


def _call(command: list[str], folder: Path, tool: Verilator, log: Path, recipe: Recipe) -> None:
    with log.open("a") as stream:
        stream.write(json.dumps(command) + "\n")
        stream.flush()
        # What compilers that are killed leave behind goes with the folder.
        code = orphan_guard.guarded_call(command, folder, tool.environment() | {"TMPDIR": str(folder)}, stream)
    if code:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-25:])
        raise ToolError(f"building {recipe.name} failed ({command[0]} ended with {code}), log in {log}:\n{tail}")
