# SPDX-License-Identifier: Apache-2.0
"""Stimulus from files: which ports and cases take it, and how it gets into every episode of a case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.stimulus import Clock, Outcome, Stimulus
from goldbeat.pymodels.trace import SIDEBANDS, Trace, in_step
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.clock_wish import ClockWish
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort

if TYPE_CHECKING:
    from goldbeat.pymodels.plio_file import PlioFile

_DEFAULT_TYPE = "int32"


@dataclass(frozen=True)
class InputClock:
    """The clock that a stimulus file is read on.

    Attributes:
        source: ``as given``, ``--clock NAME=...``, ``description``, ``default``, or the T lines of a file.
        inferred: nobody gives it; the times of the beats suggest it.
        notes: what the user must know of it.
    """

    source: str
    inferred: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileInput:
    """Attributes: the beats of a stimulus file in cycles of the port's clock, and where that clock comes from."""

    trace: Trace
    clock: InputClock


def file_ports(design: Design, params: Mapping[str, Any]) -> dict[str, StreamPort]:
    """The stream ports whose stimulus may come from a file, by name, arrays taken apart."""
    return {p.name: p for p in design.bundles(params) if p.direction == "in" and p.from_file}


def read_input(
    design: Design,
    params: Mapping[str, Any],
    port: str,
    file: str | PathLike[str],
    clock_ps: int | None,
    wishes: Mapping[str, ClockWish] | None = None,
) -> FileInput:
    """A PLIO file as the stimulus of a port.

    T lines are read on the clock that is given. A beat between two edges moves to the nearest one, with a note.

    Args:
        design: the design.
        params: its parameter values.
        port: one of :func:`file_ports`.
        file: the PLIO file.
        clock_ps: period of the port's clock; None: that of ``wishes``, or else of the description. Where nobody gives
            one, T lines suggest it.
        wishes: what the user says of the design's clocks, by name.

    Raises:
        InputError: what the file says is no stimulus of that width and type, or its times are not of that clock.
        UsageError: no such port.
    """
    ports = file_ports(design, params)
    if port not in ports:
        raise _unknown_port(design, port, ports)
    period, source = _given_clock(design, ports[port].clock, clock_ps, wishes or {})
    found = _read(ports[port], file, period)
    own = next(c.period_ps for c in design.clocks if c.name == ports[port].clock)
    if period is None and found.timed and found.clock.known:
        said = f"T lines of {file}, {found.clock.confidence} confidence"
        note = (
            f"the clock of {port} is inferred from {said}: {found.clock.mhz:.6g} MHz; "
            "set period_ps in the description, or --clock MHZ"
        )
        return FileInput(_placed_on_clock(found, file, said), InputClock(said, True, (note,)))
    if not found.timed or not len(found.trace):
        return FileInput(replace(found.trace, clock_ps=own if period is None else period), InputClock(source))
    if period is None:
        return FileInput(replace(found.trace, clock_ps=own), InputClock(source))
    trace = replace(_placed_on_clock(found, file, source), clock_ps=period)
    return FileInput(trace, InputClock(source, notes=_moved(found, file, source)))


def _given_clock(
    design: Design, name: str, clock_ps: int | None, wishes: Mapping[str, ClockWish]
) -> tuple[int | None, str]:
    """The period that somebody gives of a clock, and who; None: nobody does."""
    if clock_ps is not None:
        return clock_ps, "as given"
    clock = next(c for c in design.clocks if c.name == name)
    wish = wishes.get(name, ClockWish())
    if wish.mhz is not None:
        return wish.period_ps(clock.period_ps), f"--clock {name}={wish}"
    return (clock.period_ps, "description") if "period_ps" in clock.model_fields_set else (None, "default")


def _read(port: StreamPort, file: str | PathLike[str], clock_ps: int | None) -> PlioFile:
    # Most runs read no file.
    from goldbeat.pymodels import plio_file

    period = None if clock_ps is None else plio_file.stamped_period(clock_ps)
    try:
        return plio_file.read(file, port.dtype or _DEFAULT_TYPE, int(port.width), clock_ps=period)
    except InputError as refused:
        if port.dtype is not None:
            raise
        hint = f"; port {port.name} has no sample type, so {_DEFAULT_TYPE} was assumed: set dtype in its [[streams]]"
        raise InputError(
            refused.found, refused.expected + hint, file=refused.file, line=refused.line, offset=refused.offset
        ) from None


def _placed_on_clock(found: PlioFile, file: str | PathLike[str], source: str) -> Trace:
    """The beats on the clock; a file of another clock is refused."""
    set_it = f"{found.clock.mhz:.6g} MHz clock ({source}); --clock MHZ sets it"
    try:
        trace = found.on_clock()
    except InputError as refused:
        expected = f"at most one beat per cycle of the {set_it}"
        raise InputError(refused.found, expected, file=file, line=refused.line) from None
    if 2 * found.clock.off_grid > found.clock.gaps:
        at = int(found.beats_off_grid()[0])
        said = f"{found.trace.time_ps[at]} ps, and {found.clock.off_grid} of {found.clock.gaps} gaps, off the grid"
        raise InputError(said, f"times on the edges of the {set_it}", file=file, line=int(found.lines[at]))
    return trace


def _moved(found: PlioFile, file: str | PathLike[str], source: str) -> tuple[str, ...]:
    """A note where beats are not on the edges of the clock."""
    off = found.beats_off_grid()
    if not len(off):
        return ()
    more = f"it and {len(off) - 1} more are" if len(off) > 1 else "it is"
    when = f"{found.trace.time_ps[off[0]]} ps"
    where = f"{file}:{found.lines[off[0]]}: the beat at {when} is off the grid"
    return (f"{where} of the {found.clock.mhz:.6g} MHz clock ({source}); {more} moved to the nearest cycle",)


def _unknown_port(design: Design, port: str, ports: Mapping[str, StreamPort]) -> UsageError:
    known = ", ".join(ports) or "none"
    if any(s.direction == "in" and not s.from_file and s.name == port for s in design.streams):
        return UsageError(
            f"port {port} of {design.name} carries control and cannot be driven from a file; ports that can: {known}"
        )
    return UsageError(f"{design.name} has no input port {port!r}; it has: {known}")


def check_inputs(design: Design, case: Case, params: Mapping[str, Any], inputs: Mapping[str, Trace]) -> None:
    """Refuse stimulus that the case, the ports or the clocks of the design do not take.

    Raises:
        UsageError: it names the cases, ports or signals that would do.
    """
    if not inputs:
        return
    ports = file_ports(design, params)
    for name, trace in inputs.items():
        if name not in ports:
            raise _unknown_port(design, name, ports)
        check_fit(ports[name], trace)
    if not case.inputs:
        known = ", ".join(c.name for c in design.cases if c.inputs) or "none"
        raise UsageError(f"case {case.name} of {design.name} cannot be driven from files; cases that can: {known}")
    clocks_of(design, params, inputs)


def check_fit(port: StreamPort, trace: Trace) -> None:
    """Refuse beats that a port cannot carry; raises :class:`UsageError`."""
    if trace.width != port.width:
        raise UsageError(f"port {port.name} is {port.width} bit wide, its stimulus {trace.width} bit")
    if not port.has("tkeep") and not trace.keep.all():
        beat = int(np.argmin(trace.keep.all(axis=1)))
        raise UsageError(f"port {port.name} has no TKEEP, but beat {beat} of its stimulus is partial")
    if not port.has("tlast") and trace.last.any():
        beat = int(np.argmax(trace.last))
        raise UsageError(f"port {port.name} has no TLAST, but beat {beat} of its stimulus ends a frame")


def clocks_of(design: Design, params: Mapping[str, Any], inputs: Mapping[str, Trace]) -> dict[str, Clock]:
    """The clocks whose periods the files say, by name; an odd number of picoseconds is rounded up.

    Raises:
        UsageError: two files of one clock differ.
    """
    ports = file_ports(design, params)
    found: dict[str, tuple[str, int]] = {}
    for name, trace in inputs.items():
        clock = ports[name].clock
        other, period = found.setdefault(clock, (name, trace.clock_ps))
        if period != trace.clock_ps:
            raise UsageError(
                f"the stimuli of {other} and {name} share clock {clock}, but have periods of {period} and "
                f"{trace.clock_ps} ps; set --clock"
            )
    # Both halves of a simulated period are whole picoseconds: 300 MHz, 3333 ps in files, runs at 3334 ps.
    even = {clock: period + period % 2 for clock, (_, period) in found.items()}
    return {clock: Clock(period, period) for clock, period in even.items()}


def fitted(design: Design, params: Mapping[str, Any], inputs: Mapping[str, Trace]) -> dict[str, Trace]:
    """The traces with every sideband that their ports have (zero where a file has none; TSTRB follows TKEEP there)."""
    ports = file_ports(design, params)
    found = {}
    for name, trace in inputs.items():
        absent = [s for s in SIDEBANDS if ports[name].has(s) and getattr(trace, s) is None]
        sides: dict[str, Any] = {s: np.zeros(len(trace), np.uint64) for s in absent if s != "tstrb"}
        found[name] = replace(trace, **sides)
    return found


def placed(stimulus: Stimulus, inputs: Mapping[str, Trace], clocks: Mapping[str, Clock]) -> Stimulus:
    """An episode with the files' beats at their ports, on the files' clocks.

    A port at which the case has put these very beats already keeps the case's gaps; any other one gets the file's own.
    """
    traces = dict(stimulus.inputs)
    for name, given in inputs.items():
        if name not in traces or not _same_beats(traces[name], given):
            traces[name] = given
    # Where the case draws phases, a clock that runs at the file's period already keeps its own.
    changed = {
        n: c for n, c in clocks.items() if n not in stimulus.clocks or stimulus.clocks[n].period_ps != c.period_ps
    }
    merged = replace(stimulus, inputs=traces, clocks={**stimulus.clocks, **changed})
    stop = stimulus.stop_ps
    if stop is None:
        return merged
    # A reset must not come at an edge: which of the two is first would be open.
    while not all(c.divides(stop) for c in merged.clocks.values()):
        stop += 1
    return replace(merged, stop_ps=stop)


def on_clocks(design: Design, params: Mapping[str, Any], stimulus: Stimulus) -> Stimulus:
    """The episode with each input's cycles at the edges of its port's clock.

    The cycles of stimulus are gaps. The time of cycle 0 comes from the clock, wherever the beats come from: a model that
    takes its times from an input then has those of the run.
    """
    return replace(stimulus, inputs=_at_edges(design, params, stimulus, stimulus.inputs, any_period=True))


def predicted_on_clocks(design: Design, params: Mapping[str, Any], stimulus: Stimulus, expected: Outcome) -> Outcome:
    """The prediction with cycle 0 of each port at edge 0 of its clock; a trace of another period stays as it is."""
    return replace(expected, ports=_at_edges(design, params, stimulus, expected.ports, any_period=False))


def _at_edges(
    design: Design, params: Mapping[str, Any], stimulus: Stimulus, traces: Mapping[str, Trace], *, any_period: bool
) -> dict[str, Trace]:
    found = dict(traces)
    for port in design.bundles(params):
        trace, clock = found.get(port.name), stimulus.clocks.get(port.clock)
        if trace is not None and clock is not None and (any_period or trace.clock_ps == clock.period_ps):
            found[port.name] = trace.on_edges(clock.period_ps, clock.offset_ps)
    return found


def _same_beats(one: Trace, other: Trace) -> bool:
    columns = ("data", "keep", "last")
    pairs = ((getattr(a, c), getattr(b, c)) for _, a, b in in_step(one, other) for c in columns)
    return (len(one), one.width) == (len(other), other.width) and all(np.array_equal(a, b) for a, b in pairs)
