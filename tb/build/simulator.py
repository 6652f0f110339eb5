# SPDX-License-Identifier: Apache-2.0
"""Simulators of our designs: the generated harness around one, built by the kernel's builder."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import ToolError, UsageError, naming_description
from goldbeat.tb.build.comparisons import FILE as WATCH_FILE
from goldbeat.tb.build.comparisons import comparison_watch
from goldbeat.tb.build.compile import Build, Recipe, compile_model, is_built, waves_format
from goldbeat.tb.build.harness import TOP, WRAPPER_MARK, make_harness, make_shell, misfits
from goldbeat.tb.design.crossing import Crossing
from goldbeat.tb.design.design import Design, itself

QUICK = "-O1"
"""The compiler's switch where a simulation is short: about half the time to compile, and up to twice the time to simulate."""
QUICKEST = "-O0"
"""And where it is very short: again half the time to compile, and up to ten times that to simulate."""
_LEVELS = (QUICKEST, QUICK, "-O2", "-O3")
_TIMES = ("--timescale", "1ps/1ps")
CONDITIONS = ("--coverage-expr", "--coverage-max-width", "24")
"""Verilator's switches that count conditions; wider signals are payload more often than counters."""
ASKED = "GOLDBEAT_OPTIMIZE"
"""Environment variable: one of these switches for every simulator, as in a suite of nothing but short runs."""
_MISSING_PIN = re.compile(r"Instance has missing pin: '([^']+)'")
_UNLISTED = r"\1: the description does not list it, expected in the signals of a bundle, in ties or in ignored"
_OPEN = r"\1: a port of the RTL, expected among the connections"


@naming_description(itself)
def build(
    design: Design,
    params: Mapping[str, Any],
    *,
    waves: bool = False,
    coverage: bool = False,
    conditions: bool = False,
    crossings: Sequence[Crossing] = (),
    quick: str | None = None,
    netlist: Path | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Build:
    """Build a design for one set of parameter values, or take it from the cache.

    Args:
        design: what to build.
        params: parameter values.
        waves: able to write waves.
        coverage: counting coverage.
        conditions: counting every condition of expressions as well, and toggles of narrow signals alone.
        crossings: clock crossings that the kernel is to blur.
        quick: the compiler's switch for a short simulation, unless the cache holds a faster simulator.
        netlist: Verilog that runs in place of the RTL, with the ports of the harness.
        tell: is told before and after a build, not when the cache holds the simulator.

    Raises:
        ToolError: Verilator or the compiler failed; the message ends with what they said.
        UsageError: the description does not fit the RTL, or ``GOLDBEAT_OPTIMIZE`` is no switch of the compiler's.
    """
    # Only the harness is visible from outside: making everything public slows big designs several times.
    texts = {
        "public.vlt": f'`verilator_config\npublic_flat_rw -module "{TOP}" -var "*"\n',
        f"{TOP}.sv": make_harness(design, params),
    }
    if crossings:
        texts["crossings.vlt"] = _shown(crossings)
    if netlist is not None:
        texts[f"{TOP}.sv"] = make_shell(design, params)
        design = _on_netlist(design, netlist)
    counted = CONDITIONS if conditions else ()
    recipe = Recipe(
        name=design.name,
        top=TOP,
        sources=design.sources(),
        texts=texts,
        watched=design.included_files(),
        flags=[*_TIMES, *design.compile_flags(), *design.build_flags(), *counted, *processor_mark(design)],
        waves=waves_format() if waves else None,
        coverage=coverage or conditions,
        optimize=design.optimize,
        inspect=partial(_check_fit, design),
        explain=partial(_check_directions, design, params, texts[f"{TOP}.sv"]),
    )
    quick = _asked_switch() or quick
    watch = comparison_watch(design, params) if conditions and netlist is None else ""
    if watch:
        with suppress(ToolError):
            return _compiled(replace(recipe, texts={**texts, WATCH_FILE: watch}), quick, tell)
        # What slang reads, Verilator may not: then it counts what it counts by itself.
    return _compiled(recipe, quick, tell)


def _compiled(recipe: Recipe, quick: str | None, tell: Callable[[str], None]) -> Build:
    return compile_model(recipe if quick is None else _quickly(recipe, quick), tell)


def _check_fit(design: Design, log: str) -> None:
    """Refuse a description that does not fit its RTL, by what Verilator says."""
    wrong = misfits(log)
    if wrong:
        said = "\n".join(_MISSING_PIN.sub(_UNLISTED, text) for text in wrong)
        raise UsageError(f"the description of {design.name} does not match its RTL:\n{said}")
    wrong = misfits(log, design.top) if _wrapped(design) else []
    if others := dict.fromkeys(_MISSING_PIN.sub(_OPEN, text) for text in wrong if "expects" not in text):
        raise UsageError(
            f"{design.top}.sv, written by goldbeat new, does not match its RTL; make it again with goldbeat new:\n"
            + "\n".join(others)
        )
    if wrong:
        raise UsageError(
            f"{design.top}.sv, written by goldbeat new, does not fit these parameter values; make it again "
            "with -G NAME=VALUE for each of them:\n" + "\n".join(wrong)
        )


def _check_directions(design: Design, params: Mapping[str, Any], harness: str, log: str) -> None:
    """Refuse a description that drives outputs of its RTL, by the errors of Verilator."""
    # Only a failure needs it.
    from goldbeat.tb.build.directions import driven_outputs

    if wrong := driven_outputs(design, params, harness, log):
        raise UsageError("\n".join([f"the description of {design.name} does not match its RTL:", *wrong]))


def _wrapped(design: Design) -> bool:
    """Whether the top is a wrapper that ``goldbeat new`` has written."""
    paths = [path for path in design.sources() if path.name == f"{design.top}.sv" and path.is_file()]
    return any(path.read_text(errors="replace").startswith(WRAPPER_MARK) for path in paths)


def _on_netlist(design: Design, netlist: Path) -> Design:
    """The design with a netlist in place of all its sources."""
    change: dict[str, Any] = {"name": f"{design.name}-netlist", "files": (netlist.name,), "root": netlist.parent}
    nothing: dict[str, Any] = {"include_dirs": (), "library_dirs": (), "defines": {}, "flags": ()}
    return design.model_copy(update=change | nothing)


def _asked_switch() -> str | None:
    """The switch that the environment asks for, if any."""
    asked = os.environ.get(ASKED)
    if asked and asked not in _LEVELS:
        raise UsageError(f"{ASKED}={asked}: expected one of {', '.join(_LEVELS)}")
    return asked or None


def _quickly(recipe: Recipe, switch: str) -> Recipe:
    """The fastest simulator that the cache holds, or else the one that is compiled with the switch, if that takes less time."""
    if recipe.optimize not in _LEVELS:
        return recipe
    lower = _LEVELS[_LEVELS.index(switch) : _LEVELS.index(recipe.optimize)]
    recipes = [recipe, *(replace(recipe, optimize=level) for level in reversed(lower) if level in (QUICK, QUICKEST))]
    return next((one for one in recipes if is_built(one)), recipes[-1])


def _shown(crossings: Sequence[Crossing]) -> str:
    """What makes the signals of crossings, and the flip-flops that take them, visible to the kernel."""
    paths = {path for crossing in crossings for path in (crossing.signal, *crossing.copies)}
    names = sorted({path.rpartition(".")[2] for path in paths if "." in path})
    return "\n".join(["`verilator_config", *(f'public_flat_rw -module "*" -var "{name}"' for name in names), ""])


NATIVE = "-march=native"
"""The switch of designs that are built for all instructions of the machine's processor."""


def processor_mark(design: Design) -> list[str]:
    """A mark of this machine's processor for builds that use all its instructions: other machines build their own."""
    return ["-CFLAGS", f"-DGOLDBEAT_PROCESSOR={_instructions()}"] if NATIVE in design.cxx_flags else []


@cache
def processor_flags() -> str:
    """The instructions that this machine's processor has, as the system names them."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:  # Not Linux: the name of the processor is all there is.
        lines = []
    return next((line for line in lines if line.startswith(("flags", "Features"))), platform.processor())


def _instructions() -> str:
    return "x" + hashlib.sha256(processor_flags().encode()).hexdigest()[:12]
