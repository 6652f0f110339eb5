# SPDX-License-Identifier: Apache-2.0
"""A user's file, opened once for all that a command asks of it: a script, its kernels and designs that it calls run once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import GoldbeatError, UsageError, UserCodeError, line_in
from goldbeat.pymodels.objfifo.compiled_array import FileArray, execute_file, open_file_array
from goldbeat.pymodels.objfifo.compiled_design import SUFFIXES
from goldbeat.pymodels.objfifo.iron.worker import NoStandInError, StandInError, kernels_stand_in
from goldbeat.pymodels.objfifo.live.execute import HostSequenceError, LiveResult, array_order
from goldbeat.pymodels.objfifo.live.open_live import KernelFunctions, StandIns, kernel_functions
from goldbeat.pymodels.objfifo.live.random_data import random_array
from goldbeat.pymodels.objfifo.live.record import recorded_runs
from goldbeat.pymodels.objfifo.live.record_events import RunRecord
from goldbeat.pymodels.objfifo.live.record_file import RecordedRun
from goldbeat.pymodels.objfifo.live.record_scene import recorded_scenes
from goldbeat.pymodels.objfifo.live.timings import ArrayOrder, joined_order
from goldbeat.pymodels.objfifo.mlir_exec.interpreter import ProgramTextError
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.host_array import ArrayFile
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.lower import violations
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.script.declared import Declared, planned_form
from goldbeat.pymodels.objfifo.script.jit import CalledUse
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse
from goldbeat.tb.design.file_stamp import file_stamp

HostInputs = Mapping[str, npt.ArrayLike | ArrayFile]
_MOST = 4


class OpenedDesign:
    """A file.

    Args:
        path: it.
        arguments: its command line.
        kernels: ``NAME=FILE.py:FUNCTION`` for compiled kernels.
        device: the NPU that a script finds.
        whole: designs that a script calls are executed even if a plan says all of them.
    """

    def __init__(
        self, path: Path, arguments: Sequence[str], kernels: Sequence[str], device: str | None, *, whole: bool
    ) -> None:
        self.path, self.arguments, self.device = path, tuple(arguments), device
        self.functions = kernel_functions(kernels)
        use = None if whole else self._use_of
        self.script = None
        if path.suffix not in SUFFIXES:
            self.script = ScriptArray(path, arguments, self.functions, device, use=use)
        self.records: list[RunRecord] = []
        """Of the designs that the script calls."""

    @cached_property
    def written(self) -> FifoDesign:
        """The design for planning.

        Raises:
            RuleError: a rule that is broken while the design is being made.
            GoldbeatError: the file cannot be read, or no plan says all of it.
        """
        with kernels_stand_in(self.functions), self.rules_placed():
            if self.script is None:
                return open_fifo_design(self.path, self.arguments, self.device)
            _ = self.called
            return self.script.planned()

    @cached_property
    def called(self) -> list[LiveResult]:
        """Results of the designs that a script calls; none where it only declares one, or is no script."""
        if self.script is None:
            return []
        rng = np.random.default_rng(0)

        def fill(_: str, kind: ObjectType) -> npt.NDArray[Any]:
            return random_array(rng, kind)

        with kernels_stand_in(self.functions), self.rules_placed(), recorded_runs(fill) as self.records:
            return self.script.results

    def execute(self, inputs: HostInputs, sequence: str | None) -> list[LiveResult]:
        """Execute the design that the file declares."""
        if self.script is not None:
            with self.rules_placed():
                return self.script.execute(inputs)
        return [execute_file(self._array(sequence), inputs)]

    @property
    def only_executed(self) -> bool:
        """Compiled files that no plan says all of, but an execution does."""
        fixed = self.written.fixed
        if fixed is None or not fixed.unsupported:
            return False
        try:
            self._array()
        except UsageError:
            return False
        return True

    def _array(self, sequence: str | None = None) -> FileArray:
        return open_file_array(self.path, self.arguments, self.functions, self.device, sequence)

    @cached_property
    def order(self) -> tuple[ArrayOrder, str]:
        """Accesses that nothing orders in a design that completes, and why they were not looked for, or empty.

        Raises:
            HostSequenceError: nothing can execute the host's sequence.
            NoStandInError: a kernel has no stand-in.
            ProgramTextError: a core's program fails.
            StandInError: what stands for a kernel fails.
        """
        try:
            if self.called:
                return joined_order(one.order for one in self.called), ""
            with kernels_stand_in(self.functions):
                if self.script is None:
                    return array_order(self._array().build), ""
                return self.script.order(), ""
        except (HostSequenceError, NoStandInError, ProgramTextError, StandInError):
            raise
        except GoldbeatError as error:
            return ArrayOrder(), str(error)

    def placed(self, error: RuleError) -> RuleError:
        """A broken rule with the file and line where the script breaks it, if the error has passed the script."""
        line = line_in(error, self.path)
        place = f"{self.path}:{line}: "
        return error if line is None or error.text.startswith(place) else RuleError(error.rule, place + error.text)

    @contextmanager
    def rules_placed(self) -> Iterator[None]:
        """Rules that are broken inside the block, as of :meth:`placed`."""
        try:
            yield
        except RuleError as error:
            if (found := self.placed(error)) is error:
                raise
            raise found from error

    @property
    def called_planned(self) -> bool:
        """A design that the script calls is planned."""
        return self.script is not None and self.script.session.planned is not None

    def _use_of(self, found: Declared) -> CalledUse:
        """A design that the script calls is executed if no plan says all of it."""
        try:
            return CalledUse.EXECUTED if needs_execution(planned_form(found)) else CalledUse.PLANNED
        except RuleError:
            return CalledUse.ENDS
        except GoldbeatError:
            return CalledUse.EXECUTED


def unused_lines(kernels: StandIns) -> list[str]:
    """Functions that stand for no kernel of a design, a line each."""
    return [f"note: --kernel {name}: the design asks for no such kernel" for name in kernels.unused]


def needs_execution(found: FifoDesign) -> bool:
    """A plan lacks room that the memory tiles beside a tile have.

    Raises:
        RuleError: another rule that is broken.
    """
    if spreads(found):
        return True
    lower(found)
    return False


def broken_rules(found: FifoDesign, *, strict: bool = True) -> list[RuleError]:
    """Rules that a design breaks, in every command; buffers may spread to the memory tiles beside a tile."""
    return [] if strict and spreads(found) else violations(found, strict=strict)


def refuse_broken(read: Callable[[], FifoDesign], kernels: KernelFunctions) -> None:
    """Refuse a design as a plan does.

    Raises:
        RuleError: the first rule that it breaks.
    """
    try:
        with kernels_stand_in(kernels):
            broken = broken_rules(read())
    except RuleError:
        raise
    except GoldbeatError:
        return  # No plan says all of it.
    if broken:
        raise broken[0]


def by_its_plan(found: LiveResult, read: Callable[[], FifoDesign], kernels: KernelFunctions) -> LiveResult:
    """The result, with a hang that the streams' storage hid in an execution."""
    hangs = _plan_hangs(read, kernels) if found.completes else ()
    return replace(found, completes=False, report=hangs) if hangs else found


def recorded_results(design: str, results: Sequence[LiveResult], records: Sequence[RunRecord]) -> RecordedRun:
    """The record of executions; the host's arrays are those of the last one.

    Raises:
        UserCodeError: one of them hangs, ends in the middle of an object, or depends on the timing.
    """
    if not all(one.completes for one in results):
        report = next(one.report for one in results if not one.completes)
        raise UserCodeError("\n  ".join(("the design hangs", *report)))
    for line in (line for one in results for line in one.unfinished):
        raise UserCodeError(line)
    if wrong := [line for one in results for line in one.order.wrong]:
        # The engine's model may read what this order of the accesses has left unwritten.
        raise UserCodeError("\n  ".join(("the result depends on the timing", *wrong)))
    scenes = [recorded_scenes(record, f"run {n}: " if len(records) > 1 else "") for n, record in enumerate(records, 1)]
    refused = tuple(dict.fromkeys(text for one in scenes for text in one.refused))
    return RecordedRun(design, results[-1], tuple(e for one in scenes for e in one.episodes), refused)


def _plan_hangs(read: Callable[[], FifoDesign], kernels: KernelFunctions) -> tuple[str, ...]:
    """Why a design does not complete by its plan, as ``check`` says it; empty where it does, or where no plan says all."""
    try:
        with kernels_stand_in(kernels):
            made = read()
            if needs_execution(made):
                return ()
            report = analyse(made)
    except GoldbeatError:
        return ()
    sure = report.verdict in (DesignVerdict.HANGS, DesignVerdict.DEPENDS)
    return tuple(report.text().splitlines()) if sure else ()


def spreads(found: FifoDesign) -> bool:
    """The buffers that do not fit a memory tile fit the tiles beside it."""
    try:
        lower(found)
    except RuleError as error:
        if error.rule != "memory":
            return False
    else:
        return False
    try:
        lower(found, spread=True)
    except RuleError:
        return False
    return True


_opened: OrderedDict[tuple[object, ...], OpenedDesign] = OrderedDict()


def opened_design(
    path: Path,
    arguments: Sequence[str] = (),
    kernels: Sequence[str] = (),
    device: str | None = None,
    *,
    whole: bool = False,
) -> OpenedDesign:
    """Open a file; arguments as of :class:`OpenedDesign`, of which there is one while they and the file are the same."""
    key = (path, tuple(arguments), tuple(kernels), device, file_stamp(path))
    found = _opened.pop(key, None)
    if found is None or (whole and found.called_planned):
        found = OpenedDesign(path, arguments, kernels, device, whole=whole)
    _opened[key] = found
    while len(_opened) > _MOST:
        _opened.popitem(last=False)
    return found
