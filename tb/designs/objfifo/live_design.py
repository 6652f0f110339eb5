# SPDX-License-Identifier: Apache-2.0
"""A user's design as ``goldbeat objfifo exec`` runs it, recorded, and put on engines."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.pymodels.objfifo.compiled_design import SUFFIXES, TEXT
from goldbeat.pymodels.objfifo.iron.worker import kernels_stand_in
from goldbeat.pymodels.objfifo.live.execute import LiveResult, run_live
from goldbeat.pymodels.objfifo.live.open_live import KernelFunctions, kernel_functions
from goldbeat.pymodels.objfifo.live.record import recorded_runs
from goldbeat.pymodels.objfifo.live.record_scene import LiveEpisode, recorded_scenes
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.host_array import ArrayFile, array_file
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import TileKind
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray
from goldbeat.tb.design.file_stamp import file_stamp
from goldbeat.tb.designs.objfifo.user_design import named_files

_PLANS_RULES = ("transfer-", "memory")
"""Rules of plans that an execution does not need: of the host's transfers, and of buffers beside the tile's own memory."""


def is_executed(path: Path, arguments: Sequence[str], kernels: Sequence[str], names: Collection[str] = ()) -> bool:
    """A file that ``run`` executes whole, since no plan of object FIFOs says all of it, or knows none of these arrays' names.

    Raises:
        RuleError: a rule of object FIFOs that is broken.
    """
    if path.suffix in SUFFIXES and path.suffix != TEXT:
        return False
    if path.suffix == TEXT:
        if any(word == "--core" or word.startswith("--core=") for word in arguments):
            return False
        if path.is_file() and "aie.core" in path.read_text(encoding="utf-8", errors="replace"):
            return True
    try:
        with kernels_stand_in(kernel_functions(kernels)):
            found = open_fifo_design(path, arguments)
        lower(found)
    except RuleError as error:
        if not error.rule.startswith(_PLANS_RULES) or not _spreads(path, arguments, kernels, error.rule):
            raise
        return True
    except GoldbeatError:
        return path.is_file()
    if path.suffix != TEXT:
        return False
    fed = {t.fifo for t in found.transfers}
    ports = (f.name for f in found.fifos if f.producer.kind is TileKind.SHIM and f.name not in fed)
    known = {*(h.name for h in found.hosts), *ports}
    lacks = found.fixed is not None and bool(found.fixed.unsupported or found.fixed.waiting)
    return lacks or not known.issuperset(names)


def _spreads(path: Path, arguments: Sequence[str], kernels: Sequence[str], rule: str) -> bool:
    """The buffers that do not fit a memory tile fit the tiles beside it; True for another rule."""
    if rule != "memory":
        return True
    with kernels_stand_in(kernel_functions(kernels)):
        found = open_fifo_design(path, arguments)
    try:
        lower(found, spread=True)
    except RuleError:
        return False
    return True


def case_of_design(
    path: Path,
    arguments: Sequence[str],
    kernels: Sequence[str],
    names: Collection[str] = (),
    *,
    planned: bool = False,
    executed: bool = False,
) -> str:
    """The case that runs a file.

    Args:
        path: the file.
        arguments: its command line.
        kernels: ``NAME=FILE.py:FUNCTION``, as ``--kernel`` takes them.
        names: of the arrays that are given or expected.
        planned: an option is given that only plans know.
        executed: an option is given that only whole executions know.

    Raises:
        UsageError: options of both.
    """
    if planned and executed:
        raise UsageError(
            "--iterations, --lax and --array are for designs that are planned, "
            "--device, --sequence and --partial for those that are executed whole"
        )
    return "executed" if executed or (not planned and is_executed(path, arguments, kernels, names)) else "design"


@dataclass(frozen=True, eq=False)
class RecordedDesign:
    """A design after its execution.

    Attributes:
        result: of its last run.
        episodes: of all runs.
        refused: what the engine does not have, a text for each.
    """

    result: LiveResult
    episodes: tuple[LiveEpisode, ...]
    refused: tuple[str, ...]


def recorded_design(options: Mapping[str, Any], seed: int) -> RecordedDesign:
    """The design of a case's options; every question about a seed has the same answer.

    Raises:
        UsageError: it hangs, it moves nothing, or the engine does not have what it uses.
        InputError: the file cannot be executed.
    """
    if not options["design"]:
        raise UsageError("case executed needs a design: --design FILE")
    path = Path(str(options["design"]))
    given = tuple(named_values(options.get("inputs", ())).items())
    words = tuple(str(options[name]) for name in ("arguments", "kernels", "device", "sequence"))
    stamps = tuple(file_stamp(p) for p in (path, *(Path(v) for _, v in given if isinstance(v, str))))
    found = _recorded(path, words, given, seed, stamps)
    if found.refused and not options["partial"]:
        more = f"; the other {len(found.episodes)} episode(s) run with --partial" if found.episodes else ""
        raise UsageError("the engine cannot run all of it: " + "; ".join(found.refused) + more)
    if not found.episodes:
        raise UsageError("; ".join(("no tile's DMA moves a word that the engine can run", *found.refused)))
    return found


def named_values(items: Sequence[str]) -> dict[str, str | int]:
    """``NAME=FILE`` or ``NAME=NUMBER`` by name."""
    return {
        name: int(text) if (text := str(path)).lstrip("-").isdecimal() else text
        for name, path in named_files(items).items()
    }


@lru_cache(maxsize=4)
def _recorded(
    path: Path, words: tuple[str, ...], given: tuple[tuple[str, str | int], ...], seed: int, stamps: object
) -> RecordedDesign:
    arguments, kernels, device, sequence = words
    inputs = {name: array_file(Path(v)) if isinstance(v, str) else v for name, v in given}
    functions = kernel_functions(shlex.split(kernels))
    return record_file(path, shlex.split(arguments), functions, inputs, (device or None, sequence or None), seed)


def record_file(
    path: Path,
    arguments: Sequence[str],
    kernels: KernelFunctions,
    inputs: Mapping[str, npt.ArrayLike | ArrayFile] | None,
    chosen: tuple[str | None, str | None] = (None, None),
    seed: int = 0,
) -> RecordedDesign:
    """Execute a file and make episodes of its runs.

    Args:
        path: MLIR text or a script.
        arguments: command line of a script.
        kernels: stand-ins.
        inputs: host arrays; small random numbers where there is none.
        chosen: device and runtime sequence of a text that has several.
        seed: of the random numbers.

    Raises:
        UsageError: it hangs.
    """
    rng = np.random.default_rng(seed)
    made: dict[str, npt.NDArray[Any]] = {}

    def fill(name: str, kind: ObjectType) -> npt.NDArray[Any]:
        if name not in made or made[name].shape != kind.shape:
            made[name] = rng.integers(0, 100, kind.shape).astype(kind.dtype)
        return made[name]

    with recorded_runs(fill) as records:
        if path.suffix == TEXT:
            if arguments:
                raise UsageError(f"{path} is text: arguments after -- are for scripts, or stand-ins (--core)")
            results = [run_live(TextArray(path, kernels, *chosen).build, inputs)]
        else:
            results = ScriptArray(path, arguments, kernels).execute(inputs)
    if not all(one.completes for one in results):
        report = next(one.report for one in results if not one.completes)
        raise UsageError("\n  ".join(("the design hangs", *report)))
    scenes = [recorded_scenes(record, f"run {n}: " if len(records) > 1 else "") for n, record in enumerate(records, 1)]
    refused = dict.fromkeys(text for one in scenes for text in one.refused)
    return RecordedDesign(results[-1], tuple(e for one in scenes for e in one.episodes), tuple(refused))
