# SPDX-License-Identifier: Apache-2.0
"""A user's design as ``goldbeat objfifo exec`` runs it, recorded, and put on engines."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import GoldbeatError, NothingMovesError, UsageError
from goldbeat.pymodels.objfifo.compiled_design import SUFFIXES, TEXT
from goldbeat.pymodels.objfifo.live.random_data import random_array
from goldbeat.pymodels.objfifo.live.record import recorded_runs
from goldbeat.pymodels.objfifo.live.record_file import SUFFIX as RECORD
from goldbeat.pymodels.objfifo.live.record_file import RecordedRun, load_record
from goldbeat.pymodels.objfifo.mlir_text.text_file import device_in_text, read_operations
from goldbeat.pymodels.objfifo.plan.host_array import array_file
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import TileKind
from goldbeat.tb.design.file_stamp import file_stamp
from goldbeat.tb.designs.objfifo.opened_design import (
    OpenedDesign,
    by_its_plan,
    needs_execution,
    opened_design,
    recorded_results,
    refuse_broken,
)
from goldbeat.tb.designs.objfifo.user_design import design_file, named_files, opened_of


def is_executed(opened: OpenedDesign, names: Collection[str] = ()) -> bool:
    """A file that ``run`` executes whole, since no plan of object FIFOs says all of it, or knows none of these arrays' names.

    Raises:
        RuleError: a rule of object FIFOs that is broken.
    """
    path = opened.path
    if path.suffix == RECORD:
        return True
    if path.suffix in SUFFIXES and path.suffix != TEXT:
        return opened.only_executed
    if path.suffix == TEXT:
        if any(word == "--core" or word.startswith("--core=") for word in opened.arguments):
            return False
        if any(op.name == "aie.core" for op in device_in_text(read_operations(path), path).ops):
            return True
    try:
        with opened.rules_placed():
            found = opened.written
            if needs_execution(found):
                return True
    except RuleError:
        raise
    except GoldbeatError:
        return path.is_file()
    if path.suffix != TEXT:
        return False
    fed = {t.fifo for t in found.transfers}
    ports = (f.name for f in found.fifos if f.producer.kind is TileKind.SHIM and f.name not in fed)
    known = {*(h.name for h in found.hosts), *ports}
    lacks = bool(found.unplanned)
    if found.fixed is not None:
        lacks = bool(found.fixed.unsupported or found.fixed.waiting)
    return lacks or not known.issuperset(names)


def case_of_options(options: Mapping[str, Any]) -> str:
    """The case that runs a design with these options, where none is named."""
    planned = str(options["lax"]) not in ("0", "False", "false", "") or str(options["iterations"]) != "0"
    names = [str(item).partition("=")[0] for item in options["inputs"]]
    names += [item.partition("=")[0] for item in shlex.split(str(options["expect"]))]
    if not options["design"] or planned:
        return "design"
    return "executed" if is_executed(opened_of(options), names) else "design"


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
    if executed or planned:
        return "executed" if executed else "design"
    return "executed" if is_executed(opened_design(path, arguments, kernels), names) else "design"


def recorded_design(options: Mapping[str, Any], seed: int) -> RecordedRun:
    """The design of a case's options; every question about a seed has the same answer.

    Raises:
        UserCodeError: it hangs, ends in the middle of an object, or depends on the timing.
        NothingMovesError: no tile's DMA moves a word.
        UsageError: the engine does not have what it uses.
        InputError: the file cannot be executed.
    """
    given = tuple(named_values(options.get("inputs", ())).items())
    if (path := design_file(options)).suffix == RECORD:
        for name, _ in given:
            raise UsageError(f"--input {name}: {path} is a record, which has its own data")
        return _runs_on_engine(path, _loaded(path, file_stamp(path)), bool(options["partial"]))
    opened = opened_of(options, whole=True)
    stamps = tuple(file_stamp(Path(v)) for _, v in given if isinstance(v, str))
    found = _recorded(opened, str(options["sequence"]) or None, given, seed, stamps)
    return _runs_on_engine(opened.path, found, bool(options["partial"]))


@lru_cache(maxsize=4)
def _loaded(path: Path, stamp: object) -> RecordedRun:
    return load_record(path)


def _runs_on_engine(path: Path, found: RecordedRun, partial: bool) -> RecordedRun:
    """Refuse what the engine cannot run, unless a part is enough."""
    if found.refused and not partial:
        more = f"; the other {len(found.episodes)} episode(s) run with --partial" if found.episodes else ""
        raise UsageError(f"{path}: the engine cannot run all of it: " + "; ".join(found.refused) + more)
    if not found.episodes:
        nothing = f"{path}: no tile's DMA moves a word that the engine can run"
        if not found.refused:
            raise NothingMovesError(f"nothing moves: {nothing}")
        raise UsageError("; ".join((nothing, *found.refused)))
    return found


def named_values(items: Sequence[str]) -> dict[str, str | int]:
    """``NAME=FILE`` or ``NAME=NUMBER`` by name."""
    return {
        name: int(text) if (text := str(path)).lstrip("-").isdecimal() else text
        for name, path in named_files(items).items()
    }


@lru_cache(maxsize=4)
def _recorded(
    opened: OpenedDesign, sequence: str | None, given: tuple[tuple[str, str | int], ...], seed: int, stamps: object
) -> RecordedRun:
    """Execute a file and make episodes of its runs; small random numbers are in host arrays that are not given."""
    inputs = {name: array_file(Path(v)) if isinstance(v, str) else v for name, v in given}
    rng = np.random.default_rng(seed)
    made: dict[str, npt.NDArray[Any]] = {}

    def fill(name: str, kind: ObjectType) -> npt.NDArray[Any]:
        if name not in made or made[name].shape != kind.shape:
            made[name] = random_array(rng, kind)
        return made[name]

    results, records = opened.called, opened.records
    if not results:
        with recorded_runs(fill) as records:
            results = opened.execute(inputs, sequence)
    with opened.rules_placed():
        refuse_broken(lambda: opened.written, opened.functions)
    results = [*results[:-1], by_its_plan(results[-1], lambda: opened.written, opened.functions)]
    return recorded_results(opened.path.name, results, records)
