# SPDX-License-Identifier: Apache-2.0
"""Verilator builds with the kernel's ``main``, cached by content.

A build is named by a hash over everything that goes into it. It is made in a scratch folder of its own and renamed when it is
whole, so a killed build leaves nothing that the next one could mistake for a result, and a lock makes two processes that want
the same build compile it once (:mod:`goldbeat.tb.build.scratch`). What is still compiling ends with the process that
wants it. What builds have in common is compiled once (:mod:`goldbeat.tb.build.workshop`).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Literal

from goldbeat.pymodels.code_trust import check_code_file
from goldbeat.pymodels.errors import ToolError
from goldbeat.tb import orphan_guard
from goldbeat.tb.build import described, workshop
from goldbeat.tb.build.build_errors import failure
from goldbeat.tb.build.cache import SHARED, SIMULATORS, size_limit, trim
from goldbeat.tb.build.in_use import hold, is_held, let_go
from goldbeat.tb.build.scratch import file_lock, scratch_folder
from goldbeat.tb.build.sealed import is_whole, seal
from goldbeat.tb.build.toolchain import Verilator, has_fst, need_programs, verilator
from goldbeat.tb.build.workshop import Workshop
from goldbeat.tb.design.source_names import link_sources, source_names
from goldbeat.tb.design.source_text import read_code
from goldbeat.tb.kernel.launch import need_cocotb
from goldbeat.tb.paths import cache_root, check_root, plain_folder, plain_name
from goldbeat.tb.versions import version_of

EXECUTABLE = "sim"
_LOG = "build.log"
_FSM = "--coverage-fsm"
_ASKS_FOR_TIMING, _NEEDS_TIMING = "NEEDTIMINGOPT", "NOTIMING"
"""What Verilator calls delays without a switch that says what to do about them, and waits that cannot do without."""
_FREE_RUNNING = re.compile(r"\balways\s*#|\bforever\b")
"""Blocks that only time stops."""


@dataclass(frozen=True)
class Recipe:
    """What to build.

    Attributes:
        name: for the folder and for messages.
        top: the top module.
        sources: source files, in order.
        texts: generated files by name; those that end in ``.vlt`` come before the sources, others after them.
        watched: files that the sources may include.
        flags: more switches for Verilator.
        waves: ``vcd`` or ``fst``; None builds without any trace code.
        coverage: count line, toggle and user coverage.
        public: what is visible over VPI: ``ports`` of the top module, ``all`` signals (slow), or nothing but what ``texts`` and
            ``sources`` say.
        optimize: the compiler's switch for the code that Verilator makes of the design.
        inspect: looks at Verilator's messages before anything is compiled, and raises what it does not like.
        explain: looks at the messages of a call that failed, and raises what says more than they do.
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
    explain: Callable[[str], None] = lambda log: None


@dataclass(frozen=True)
class Build:
    """A simulator that is ready to run.

    Attributes:
        executable: the program.
        folder: where it lies, with its log.
        waves: the wave file's ending (``vcd`` or ``fst``), None for a build without waves.
        seconds: time it took to make, 0.0 when it was in the cache.
        compiled: files of C++ that were compiled for it; other builds have compiled the rest.
    """

    executable: Path
    folder: Path
    waves: str | None
    seconds: float
    compiled: int = 0


def waves_format() -> str:
    """``fst`` where Verilator can write it, else ``vcd``."""
    return "fst" if has_fst() else "vcd"


def is_built(recipe: Recipe) -> bool:
    """Whether the cache holds the simulator."""
    return is_whole(_place(verilator(), recipe) / EXECUTABLE, tell=False)


def compile_model(recipe: Recipe, tell: Callable[[str], None] = lambda text: None) -> Build:
    """Build, or take from the cache.

    Args:
        recipe: what to build.
        tell: is told before and after a build, not when the cache holds the simulator.

    Raises:
        ToolError: Verilator or the compiler failed; the message ends with what they said.
        UntrustedCodeError: a source file may not run.
        UsageError: make cannot work in the folder for everything made, or the limit of the cache is no size.
    """
    check_root(cache_root())
    for path in (*recipe.sources, *recipe.watched):
        check_code_file(path)
    tool = verilator()
    root = cache_root() / SIMULATORS
    first = not is_held(root)
    size_limit()
    hold(root)
    folder = _place(tool, recipe)
    executable = folder / EXECUTABLE
    if is_whole(executable):
        with suppress(OSError):
            # What was used last is cleaned last.
            os.utime(folder)
        return Build(executable, folder, recipe.waves, 0.0)
    if first:
        # Whoever adds to the cache makes room; to look at all that is in it takes longer than a short run.
        let_go(root)
        hold_cache()
    started, compiled = time.monotonic(), 0
    with file_lock(root / f"{folder.name}.lock"):
        if not is_whole(executable, tell=False):
            tell(f"building {recipe.name} once")
            with scratch_folder(folder, keep=_LOG) as scratch:
                compiled = _compile(tool, recipe, scratch)
                seal(scratch / EXECUTABLE)
    seconds = time.monotonic() - started
    if compiled:
        tell(f"built {recipe.name} once: {seconds:.0f} s, {compiled} file(s) compiled")
    return Build(executable, folder, recipe.waves, seconds, compiled)


def hold_cache() -> Path:
    """Nothing is removed from the cache until this process ends; before, it is brought within its limit.

    Returns:
        the folder of the simulators.
    """
    root = cache_root()
    if not is_held(root / SIMULATORS):
        trim(root, size_limit())
        hold(root / SIMULATORS)
    return root / SIMULATORS


def _place(tool: Verilator, recipe: Recipe) -> Path:
    """The folder of a simulator in the cache."""
    return cache_root() / SIMULATORS / f"{plain_name(recipe.name)}-{_key(tool, recipe)}"


def _digest(texts: Iterable[str], files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode(errors="surrogateescape") + b"\0")
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _key(tool: Verilator, recipe: Recipe) -> str:
    texts = [tool.version, version_of("cocotb"), recipe.top, *_kind(recipe), str(recipe.public)]
    texts += [recipe.optimize]
    # What lies in a folder counts, not where the folder lies.
    folders = {text for path in recipe.watched for text in (f"-I{path.parent}", str(path.parent))}
    texts += [*(f for f in recipe.flags if f not in folders), *(t for item in recipe.texts.items() for t in item)]
    own = (Path(__file__), Path(described.__file__), Path(workshop.__file__), *workshop.OWN)
    return _digest(texts, [*own, *recipe.sources, *recipe.watched])


def _compile(tool: Verilator, recipe: Recipe, folder: Path) -> int:
    """Build in a folder; how many files of C++ were compiled."""
    need_cocotb()
    need_programs("perl", "make", "c++")
    import cocotb_tools.config

    for name, text in recipe.texts.items():
        (folder / name).write_text(text)
    flags = ["-cc", "--vpi", "--prefix", "Vtop", "--top-module", recipe.top]
    # Both are drawn from the seed: variables that nothing has set, and the X that the RTL assigns.
    flags += ["--x-initial", "unique", "--x-assign", "unique"]
    # Nobody reads its lists of dependencies, and make breaks on spaces and dollar signs in them.
    flags += ["--no-MMD", "-Mdir", ".", "-Wno-fatal", "-Werror-USERFATAL", *recipe.flags]
    flags += [] if recipe.waves is None else [f"--trace-{recipe.waves}"]
    flags += ["--coverage-line", "--coverage-toggle", "--coverage-user"] if recipe.coverage else []
    flags += [_FSM] if recipe.coverage and tool.counts_fsms else []
    flags += ["--public-flat-rw"] if recipe.public == "all" else []
    first = [name for name in recipe.texts if name.endswith(".vlt")]
    names = source_names(recipe.sources)
    link_sources(names, folder)
    inputs = [*names, *(name for name in recipe.texts if name not in first)]
    log = folder / _LOG
    if recipe.public == "ports":
        # Which ports and parameters there are is known once the design is elaborated; a wildcard would keep all variables.
        # A file of another name: Verilator takes a call that looks as the one before it for done.
        every = folder / "every.vlt"
        every.write_text(f'`verilator_config\npublic_flat_rd -module "{recipe.top}" -var "*"\n')
        _verilate(flags, [*first, every.name, *inputs], folder, tool, log, recipe)
        ports = described.port_names((folder / "Vtop.h").read_text())
        lines = [f'public_flat_rw -module "{recipe.top}" -var "{name}"' for name in ports]
        constants = described.parameter_names(folder)
        every.unlink()
        lines += [f'public_flat_rd -module "{recipe.top}" -var "{name}"' for name in constants]
        (folder / "ports.vlt").write_text("\n".join(["`verilator_config", *lines]) + "\n")
        first.append("ports.vlt")
    _verilate(flags, [*first, *inputs], folder, tool, log, recipe)
    recipe.inspect(log.read_text(errors="replace"))
    described.hide_places(folder, names)
    (folder / "described.h").write_text(described.model_facts(folder))
    bench = Workshop(
        tool,
        folder,
        cache_root() / SHARED,
        flags=_compiler_switches(recipe),
        optimize=recipe.optimize,
        libraries=["-rdynamic", f"-L{plain_folder(Path(cocotb_tools.config.libs_dir))}", "-lcocotbvpi_verilator"],
        call=lambda command: _call(command, folder, tool, log, recipe),
    )
    compiled = bench.make(EXECUTABLE)
    for leftover in folder.glob("*.d"):
        leftover.unlink()
    # What the links lead to may be gone tomorrow.
    for links in (folder / "rtl", *folder.glob("headers_*")):
        shutil.rmtree(links, ignore_errors=True)
    return compiled


def _kind(recipe: Recipe) -> list[str]:
    """The switches that the simulator's code is compiled with."""
    switches = [f for f in recipe.flags if f.startswith(("--timing", "--threads", "--coverage", "--trace", "-CFLAGS"))]
    return [str(recipe.waves), str(recipe.coverage), *switches, *_compiler_switches(recipe)]


def _compiler_switches(recipe: Recipe) -> list[str]:
    return [value for name, value in pairwise(recipe.flags) if name == "-CFLAGS"]


def _verilate(flags: list[str], inputs: list[str], folder: Path, tool: Verilator, log: Path, recipe: Recipe) -> None:
    """Call Verilator; where it needs one switch more or less, this call and later ones have it so."""
    try:
        _call([str(tool.executable), *flags, *inputs], folder, tool, log, recipe)
    except ToolError:
        if _ASKS_FOR_TIMING in log.read_text(errors="replace") and not {"--timing", "--no-timing"} & {*flags}:
            _verilate_delays(flags, inputs, folder, tool, log, recipe)
            return
        # Verilator 5.048 has it with assertions that compare expressions: `if (rst_n && !((a ^ b) == c)) $error(...)`.
        if _FSM not in flags or "Internal Error" not in log.read_text(errors="replace"):
            raise
        flags.remove(_FSM)
        log.write_text(f"{_FSM} made Verilator fail with an internal error and is switched off: FSMs are not counted\n")
        _call([str(tool.executable), *flags, *inputs], folder, tool, log, recipe)


def _verilate_delays(
    flags: list[str], inputs: list[str], folder: Path, tool: Verilator, log: Path, recipe: Recipe
) -> None:
    """Call Verilator for sources with delays: without them, unless something in the design waits for one."""
    clocked = any(_FREE_RUNNING.search(read_code(path)) for path in recipe.sources)
    flags.append("--timing" if clocked else "--no-timing")
    # What the first call said is no warning of the design.
    log.write_text("")
    try:
        _verilate(flags, inputs, folder, tool, log, recipe)
    except ToolError:
        if clocked or _NEEDS_TIMING not in log.read_text(errors="replace"):
            raise
        flags[flags.index("--no-timing")] = "--timing"
        log.write_text("")
        _verilate(flags, inputs, folder, tool, log, recipe)


def _call(command: list[str], folder: Path, tool: Verilator, log: Path, recipe: Recipe) -> None:
    with log.open("a") as stream:
        stream.write(json.dumps(command) + "\n")
        stream.flush()
        # What compilers that are killed leave behind goes with the folder.
        code = orphan_guard.guarded_call(command, folder, tool.environment() | {"TMPDIR": str(folder)}, stream)
    if code:
        place = folder.with_name(folder.name.rsplit(".", 2)[0] + ".log")
        shutil.copyfile(log, place)
        said = log.read_text(errors="replace")
        recipe.explain(said)
        raise ToolError(failure(recipe.name, command, code, said, str(place), source_names(recipe.sources)))
