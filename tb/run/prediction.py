# SPDX-License-Identifier: Apache-2.0
"""Calls of a description's own functions: what they raise or return never ends a run without saying who it was."""

from __future__ import annotations

import dataclasses
import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from goldbeat.pymodels import trace as trace_module
from goldbeat.pymodels.errors import GoldbeatError, ModelTimeoutError, UserCodeError, said_of
from goldbeat.pymodels.process_end import process_goes_on
from goldbeat.pymodels.stimulus import MemoryContents, Outcome, PartwiseModel, Stimulus
from goldbeat.pymodels.stored_trace import Shelf
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import CaseContext, StimulusMaker
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.files_read import recording_reads
from goldbeat.tb.run import time_limit
from goldbeat.tb.run.time_limit import TimeLimit, TimeLimitError, model_seconds
from goldbeat.tb.visible import VisibleStream

T = TypeVar("T")


def function_name(function: Any) -> str:
    """``file.py:function``, as a description names it."""
    while isinstance(function, partial):
        function = function.func
    function = inspect.unwrap(function)
    name = getattr(function, "__qualname__", type(function).__name__)
    code = getattr(function, "__code__", None)
    return name if code is None else f"{Path(code.co_filename).name}:{name}"


def predict_outcome(
    design: Design, params: Mapping[str, Any], stimulus: Stimulus, shelf: Shelf | None = None
) -> Outcome:
    """What the golden model predicts.

    Args:
        design: has the model.
        params: parameter values.
        stimulus: of the episode.
        shelf: for what a model that predicts part by part says of long traces; None: everything stays in memory.

    Raises:
        UserCodeError: the model raised something of its own, or returned no
        :class:`~goldbeat.pymodels.stimulus.Outcome`.
        GoldbeatError: what the model raises of this family: a stimulus that the design cannot take.
    """
    who = f"the golden model {function_name(design.model)}"
    model = design.model
    try:
        if isinstance(model, PartwiseModel):
            parts = Shelf() if shelf is None else shelf
            outcome = _called(who, lambda: model.kept(params, stimulus, parts))
        else:
            outcome = _called(who, lambda: model(params, stimulus))
    except UserCodeError as error:
        beats = {name: len(trace) for name, trace in stimulus.inputs.items()}
        if len(set(beats.values())) > 1:
            error.args = (f"{error}; its inputs: {', '.join(f'{name} {n} beats' for name, n in beats.items())}",)
        raise
    _check_type(f"{who} returned", outcome, Outcome)
    for column, kind in (("ports", Trace), ("status", int), ("memories", MemoryContents)):
        values = getattr(outcome, column)
        _check_type(f"{who} returned {column} =", values, Mapping)
        for name, value in values.items():
            # numpy's whole numbers are status values too; they say so by __index__.
            if not (kind is int and hasattr(value, "__index__")):
                _check_type(f"{who} returned for {name!r}", value, kind)
    found: Outcome = outcome
    return found


def make_stimuli(design: Design, make: StimulusMaker, case: str, setting: CaseContext) -> Sequence[Stimulus]:
    """The episodes that a case makes; clocks that it does not name run as the setting says.

    Raises:
        UserCodeError: the stimulus maker raised something of its own, or returned no list of stimuli.
        GoldbeatError: what the maker raises of this family.
    """
    who = f"{design.name}: the stimulus maker {function_name(make)} of case {case}"
    stimuli = _called(who, lambda: make(setting))
    _check_type(f"{who} returned", stimuli, Sequence)
    for stimulus in stimuli:
        _check_type(f"{who} returned a list with", stimulus, Stimulus)
    return [_with_clocks(stimulus, setting) for stimulus in stimuli]


def _with_clocks(stimulus: Stimulus, setting: CaseContext) -> Stimulus:
    """The stimulus, with the clocks of the setting where it names none."""
    if setting.clocks.keys() <= stimulus.clocks.keys():
        return stimulus
    return replace(stimulus, clocks={**setting.clocks, **stimulus.clocks})


def call_case(
    function: Callable[[CaseContext, Stimulus, Any], T], context: CaseContext, made: Stimulus, record: Any
) -> T:
    """What a case's own function says of an episode that has run.

    Raises:
        UserCodeError: it raised something of its own.
        GoldbeatError: what it raises of this family.
    """
    found: T = _called(function_name(function), lambda: function(context, made, record))
    return found


def call_coverage(name: str, function: Callable[[], T]) -> T:
    """What a coverage function, or an item that it has made, gives.

    Args:
        name: of the function or item, for messages.
        function: calls it.

    Raises:
        UserCodeError: it raised anything.
    """
    try:
        found: T = _called(f"coverage {name}", function)
    except UserCodeError:
        raise
    except (GoldbeatError, OSError) as error:
        raise UserCodeError(f"coverage {name}: {error}") from error
    return found


def _check_type(said: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        what = "None" if value is None else f"a value of type {type(value).__name__}"
        raise UserCodeError(f"{said} {what}, expected {kind.__name__}")


def _called(who: str, function: Callable[[], Any]) -> Any:
    seconds = model_seconds()
    try:
        with TimeLimit(seconds, who), redirect_stdout(VisibleStream()), recording_reads(), process_goes_on():
            return function()
    except TimeLimitError as error:
        within = _skip(error.__traceback__, 2)
        late = ModelTimeoutError(f"{who} was still running after {seconds:g} s{_place(within)}")
        late.log = "".join(traceback.format_exception(TimeLimitError, error, within))
        raise late from None
    except GoldbeatError as error:
        frames = traceback.extract_tb(error.__traceback__)
        if frames[-1].filename != trace_module.__file__:
            raise
        # Columns that make no trace name neither the function nor its file.
        made = (trace_module.__file__, dataclasses.__file__, "<string>")
        own = [f for f in frames[2:] if f.filename not in made]
        place = f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""
        raise UserCodeError(f"{who} made a trace: {error}{place}") from error
    except OSError:
        # A full disk or a missing file is not the function's fault alone: callers report these by themselves.
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # A model that calls sys.exit() is no reason to end the run. The first two frames are this module's.
        within = _skip(error.__traceback__, 2)
        broken = UserCodeError(f"{who} raised {said_of(error)}{_place(within)}")
        broken.log = "".join(traceback.format_exception(type(error), error, within))
        raise broken from error


def _place(trace: TracebackType | None) -> str:
    """Where it happened, in brackets: file and line."""
    frames = [f for f in traceback.extract_tb(trace) if f.filename != time_limit.__file__]
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""


def _skip(trace: TracebackType | None, frames: int) -> TracebackType | None:
    for _ in range(frames):
        trace = trace.tb_next if trace is not None else None
    return trace
