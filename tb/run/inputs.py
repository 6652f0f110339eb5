# SPDX-License-Identifier: Apache-2.0
"""Stimulus from files: which ports and cases take it, and how it gets into every episode of a case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.stimulus import Clock, Outcome, Stimulus
from goldbeat.pymodels.trace import SIDEBANDS, Trace, in_step
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort

_DEFAULT_TYPE = "int32"


def file_ports(design: Design, params: Mapping[str, Any]) -> dict[str, StreamPort]:
    """The stream ports whose stimulus may come from a file, by name, arrays taken apart."""
    return {p.name: p for p in design.bundles(params) if p.direction == "in" and p.from_file}


def read_input(
    design: Design, params: Mapping[str, Any], port: str, file: str | PathLike[str], clock_ps: int | None
) -> Trace:
    """A PLIO file as the stimulus of a port.

    Args:
        design: the design.
        params: its parameter values.
        port: one of :func:`file_ports`.
        file: the PLIO file.
        clock_ps: period of the port's clock; None: what the file's times say, or else the design's own.

    Raises:
        InputError: what the file says is no stimulus of that width and type.
        UsageError: no such port.
    """
    ports = file_ports(design, params)
    if port not in ports:
        raise _unknown_port(design, port, ports)
    # Most runs read no file.
    from goldbeat.pymodels import plio_file

    dtype = ports[port].dtype
    try:
        found = plio_file.read(file, dtype or _DEFAULT_TYPE, int(ports[port].width), clock_ps=clock_ps)
    except InputError as refused:
        if dtype is not None:
            raise
        hint = f"; port {port} has no sample type, so {_DEFAULT_TYPE} was assumed: set dtype in its [[streams]]"
        raise InputError(
            refused.found, refused.expected + hint, file=refused.file, line=refused.line, offset=refused.offset
        ) from None
    if found.timed or clock_ps is not None:
        return found.on_clock()
    own = next(c.period_ps for c in design.clocks if c.name == ports[port].clock)
    return replace(found.trace, clock_ps=own)


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
