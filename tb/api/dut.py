# SPDX-License-Identifier: Apache-2.0
"""A design that can be called like a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from goldbeat.pymodels.errors import InputError, ProtocolError, UsageError, WaitTimeoutError
from goldbeat.pymodels.samples import SampleType, sample_type
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.api.arrays_of_beats import Array, array_of_beats, array_of_bytes, beats_of_array, type_of
from goldbeat.tb.api.dut_page import dut_html
from goldbeat.tb.api.dut_run import DutRun
from goldbeat.tb.api.open_simulator import OpenSimulator, renewed
from goldbeat.tb.build.simulator import QUICK, build
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.inside.job import Episode, RawBeats, Record
from goldbeat.tb.kernel.waivers import sift, split
from goldbeat.tb.run.inputs import check_fit, file_ports
from goldbeat.tb.run.payload import payload_policies
from goldbeat.tb.run.runs import Origin, Request, check_request, judge, made_stimuli, predict

_QUIET_CYCLES = 1024
"""Cycles without a transfer after which a call is over."""
_WORDS = (8, 16, 32, 64)
"""Widths in bits that are those of an unsigned type."""
_MOST_CYCLES = 64
"""Cycles per beat, and a thousand times as many besides, after which a call ends in any case."""


class Dut:
    """A design under test, built and ready to be called. :func:`load_dut` (``goldbeat.load``) makes one.

    ``dut(x)`` drives samples and gives what comes out; ``dut.run(x)`` also compares with the golden model. All calls share one
    simulator process, and each begins with a reset. A context manager: leaving it ends the process.

    Attributes:
        design: its description.
        case: whose stimulus the calls use: register programs, clocks and memories are the case's, beats are the caller's.
        params: all parameter values.
    """

    def __init__(
        self,
        design: Design,
        case: Case,
        params: Mapping[str, Any],
        options: Mapping[str, Any],
        *,
        source: str | None = None,
        seed: int = 0,
        quick: bool = False,
        timeout_s: float = 600.0,
        payload: Sequence[str] = (),
    ) -> None:
        self.design, self.case = design, case
        self._request = Request(design, case, (seed,), params, options, origin=Origin(source), payload=payload)
        check_request(self._request)
        self.params = self._request.all_params
        self._payload = payload_policies(design, self.params, payload)
        self._seed, self._timeout_s, self._quick = seed, timeout_s, quick
        self._ports = {p.name: p for p in design.bundles(self.params)}
        self._simulator: OpenSimulator | None = None
        self._templates: dict[str, Stimulus] = {}

    # -- calls ----------------------------------------------------------------------------------------------------

    def __call__(
        self,
        x: Any = None,
        /,
        *,
        dtype: str | None = None,
        frame: int | None = None,
        quiet: int = _QUIET_CYCLES,
        **more: Any,
    ) -> Any:
        """Drive samples, and give what comes out.

        Args:
            x: for the only stream input: an array of samples, or a :class:`~goldbeat.pymodels.trace.Trace`.
            dtype: sample type of ports that have none of their own; None: the array's.
            frame: samples per frame; None: one frame.
            quiet: cycles without a transfer after which nothing more is expected.
            more: samples by input port, or options of the case.

        Returns:
            samples of the only stream output, or of all by name; traces if all inputs are traces.

        Raises:
            UsageError: no such port or option, or an input that is missing.
            InputError: samples that the port cannot carry, or an output whose beats are no whole samples.
            WaitTimeoutError: the design does not take all beats, or is not quiet in time.
            ProtocolError: the design breaks a protocol rule.
            ToolError: the build failed, or the simulator ended by itself.
        """
        values, options = self._sorted(x, more, needed=True)
        stimulus = self._template(options)
        inputs, kinds = self._beats(values, stimulus, dtype, frame)
        alone = any(kind is not None for kind in kinds.values())
        record = self._record(stimulus, inputs, quiet, alone=alone)
        self._judge(inputs, record)
        names = [port.name for port in self.outputs]
        if not alone:
            found: dict[str, Any] = {name: record.outcome.ports[name] for name in names}
        else:
            usual = next(kind for kind in kinds.values() if kind is not None)
            as_complex = any(np.iscomplexobj(one) for one in values.values() if not isinstance(one, Trace))
            found = {name: self._samples(name, record, dtype, usual, as_complex=as_complex) for name in names}
        return next(iter(found.values())) if len(found) == 1 else found

    def run(self, x: Any = None, /, *, dtype: str | None = None, frame: int | None = None, **more: Any) -> DutRun:
        """Drive samples, and compare all that happens with the golden model.

        Args:
            x: as for a call; without any input the case's own stimulus is driven.
            dtype: likewise.
            frame: likewise.
            more: likewise.

        Returns:
            verdict, traces and figures.

        Raises:
            GoldbeatError: as a call, but for what a verdict says: broken rules and missing beats are failures.
        """
        values, options = self._sorted(x, more, needed=False)
        request = replace(self._request, options={**self._request.options, **options})
        inputs = self._beats(values, self._clocked(), dtype, frame)[0]
        given = {name: one.trace() if isinstance(one, RawBeats) else one for name, one in inputs.items()}
        request = replace(request, inputs=given)
        check_request(request)
        self._check_build(request)
        plan = predict(request, self._seed)
        simulator = self._open()
        records = simulator.run(
            renewed(plan.episodes(request.design), self._seed, first=not simulator.running), self._timeout_s
        )
        return DutRun(judge(request, plan, records, "the simulator stopped"))

    def _sorted(self, x: Any, more: Mapping[str, Any], *, needed: bool) -> tuple[dict[str, Any], dict[str, Any]]:
        """What is for ports, and what is for the case."""
        ports = file_ports(self.design, self.params)
        options = {k: v for k, v in more.items() if k not in ports}
        given = {k: v for k, v in more.items() if k in ports}
        for name in options:
            if name not in self.case.options:
                raise UsageError(
                    f"{self.design.name} has no input port and its case {self.case.name} no option {name!r}; "
                    f"ports: {', '.join(ports) or 'none'}; options: {', '.join(self.case.options) or 'none'}"
                )
        if x is not None:
            if len(ports) != 1:
                raise UsageError(f"{self.design.name} has the inputs {', '.join(ports) or 'none'}: give them by name")
            given[next(iter(ports))] = x
        if needed and not given:
            raise UsageError(f"nothing to drive: give samples for {' or '.join(ports) or 'a port'}")
        return given, options

    def _beats(
        self, values: Mapping[str, Any], stimulus: Stimulus, dtype: str | None, frame: int | None
    ) -> tuple[dict[str, RawBeats | Trace], dict[str, SampleType | None]]:
        """The beats of inputs, and their types; None for a trace."""
        ports, found, kinds = file_ports(self.design, self.params), dict[str, RawBeats | Trace](), dict[str, Any]()
        for name, one in values.items():
            clock = stimulus.clocks[ports[name].clock]
            if isinstance(one, Trace):
                check_fit(ports[name], one)
                found[name], kinds[name] = replace(one, clock_ps=clock.period_ps, offset_ps=clock.offset_ps), None
            else:
                beats, kinds[name] = beats_of_array(one, ports[name], clock, dtype=dtype, frame=frame)
                if isinstance(beats, Trace):
                    check_fit(ports[name], beats)
                found[name] = beats
        return found, kinds

    def _samples(self, name: str, record: Record, dtype: str | None, usual: SampleType, *, as_complex: bool) -> Array:
        port = self._ports[name]
        kind = type_of(port, None, dtype) if port.dtype is not None or dtype is not None else usual
        if port.dtype is None and len(self.outputs) > 1 and int(port.width) < 8 * kind.bytes:
            # Events beside data: they are no parts of samples.
            kind = sample_type(f"uint{port.width}" if int(port.width) in _WORDS else "uint8")
        if name in record.data:
            return array_of_bytes(record.data[name], kind, as_complex=as_complex)
        try:
            return array_of_beats(record.outcome.ports[name], kind, as_complex=as_complex)
        except InputError as error:
            raise InputError(
                f"{error.found} of output {name}", f"{error.expected}; give a Trace to get a Trace"
            ) from None

    # -- the simulator --------------------------------------------------------------------------------------------

    def _clocked(self) -> Stimulus:
        """Only the clocks, at their usual periods."""
        return Stimulus({}, clocks={c.name: Clock(c.period_ps, c.period_ps) for c in self.design.clocks})

    def _check_build(self, request: Request) -> None:
        if request.all_params != self.params:
            raise UsageError("these options change parameters and need another build: give them to goldbeat.load")

    def _template(self, options: Mapping[str, Any]) -> Stimulus:
        """What the case drives with these options; made once."""
        key = repr(sorted(options.items()))
        if key not in self._templates:
            request = replace(self._request, options={**self._request.options, **options})
            check_request(request)
            self._check_build(request)
            stimuli = made_stimuli(request, request.setting(self._seed))
            if len(stimuli) != 1 or stimuli[0].stop_ps is not None:
                raise UsageError(
                    f"case {self.case.name} makes {len(stimuli)} episodes, a call is one; load another case, or use .run()"
                )
            self._templates[key] = stimuli[0]
        return self._templates[key]

    def _record(self, stimulus: Stimulus, inputs: Mapping[str, RawBeats | Trace], quiet: int, *, alone: bool) -> Record:
        traces = {name: one for name, one in inputs.items() if isinstance(one, Trace)}
        raw = {name: one for name, one in inputs.items() if isinstance(one, RawBeats)}
        kept = {name: one for name, one in stimulus.inputs.items() if name not in raw}
        whole = replace(stimulus, inputs={**kept, **traces})
        slowest = max(c.period_ps for c in stimulus.clocks.values())
        offered = max([0, *(int(t.cycle[-1]) for t in whole.inputs.values() if len(t))])
        beats = sum(len(t) for t in whole.inputs.values()) + sum(len(one.data) for one in raw.values())
        most = (offered + _MOST_CYCLES * (beats + 1000) + quiet) * slowest + 1
        while not all(c.divides(most) for c in stimulus.clocks.values()):
            most += 1
        simulator = self._open()
        episode = Episode(
            whole,
            most,
            draw_seed=self._seed,
            quiet_ps=quiet * slowest,
            raw=raw,
            data_alone=alone,
            payload=self._payload,
        )
        (record,) = simulator.run(renewed([episode], self._seed, first=not simulator.running), self._timeout_s)
        return record

    def _open(self) -> OpenSimulator:
        if self._simulator is None:
            built = build(self.design, self.params, quick=QUICK if self._quick else None)
            self._simulator = OpenSimulator(self.design, self.params, built, self._seed)
        return self._simulator

    def _judge(self, inputs: Mapping[str, RawBeats | Trace], record: Record) -> None:
        """Refuse what is no answer: beats that were not taken, broken rules."""
        for name, one in inputs.items():
            taken, offered = record.taken.get(name, 0), len(one.data)
            if taken < offered:
                stuck = "; ".join(record.hanging)
                raise WaitTimeoutError(
                    f"{self.design.name} took {taken} of {offered} beats at {name}, then nothing moved"
                    f"{f' ({stuck})' if stuck else ''}; quiet=N waits longer, .run() compares with the golden model"
                )
        broken, _ = sift(record.violations, self._request.waivers)
        wrong, _ = split(broken)
        if wrong:
            raise ProtocolError(f"{self.design.name} breaks {len(wrong)} rule(s): " + "; ".join(wrong[:3]))

    def close(self) -> None:
        """End the simulator process; the next call starts another one."""
        if self._simulator is not None:
            self._simulator.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- looks ----------------------------------------------------------------------------------------------------

    @property
    def process_id(self) -> int | None:
        """Of the simulator process that the next call uses; None: it starts with that call."""
        return None if self._simulator is None else self._simulator.process_id

    @property
    def inputs(self) -> tuple[StreamPort, ...]:
        """Stream ports that a call may drive."""
        return tuple(file_ports(self.design, self.params).values())

    @property
    def outputs(self) -> tuple[StreamPort, ...]:
        """Stream ports whose samples a call gives."""
        return tuple(p for p in self._ports.values() if p.direction == "out")

    def __repr__(self) -> str:
        params = ", ".join(f"{k}={v}" for k, v in self.params.items())
        ports = ", ".join(f"{p.name} {p.direction} {p.width} bit" for p in self._ports.values())
        return f"<Dut {self.design.name} ({params}): {ports}>"

    def _repr_html_(self) -> str:
        return dut_html(self.design, self.case, self.params)


def load_dut(
    name: str | Path,
    *,
    case: str | None = None,
    seed: int = 0,
    quick: bool = False,
    timeout_s: float = 600.0,
    payload: Sequence[str] = (),
    **settings: Any,
) -> Dut:
    """A design that can be called.

    Args:
        name: of a design that comes with Goldbeat, or the path of a description (``.toml``, ``.py``).
        case: whose stimulus calls use; None: the first that takes inputs,
            one of a single episode if there is one.
        seed: of everything that is drawn.
        quick: compile in less time what then simulates up to twice as slowly.
        timeout_s: wall time of each call.
        payload: what is driven on payload while valid is low, as ``POLICY`` or ``PORT=POLICY``.
        settings: parameters of the design, and options of the case.

    Raises:
        UsageError: no such design, case, parameter or option.
        InputError: the description is damaged.
    """
    design = find_design(str(name))
    takes = sorted((c for c in design.cases if c.inputs), key=lambda c: c.fills)
    chosen = design.case(case) if case is not None else next(iter(takes), None)
    if chosen is None:
        known = ", ".join(c.name for c in design.cases)
        raise UsageError(f"{design.name}: no case takes inputs; choose one: case=... ({known})")
    params = {k: v for k, v in settings.items() if k in design.parameters}
    # A call drives what it is given and takes what comes, unless it says otherwise.
    options = {k: "none" for k in ("gaps", "ready") if chosen.options.get(k) == "any"}
    for key, value in settings.items():
        if key in params:
            continue
        if key not in chosen.options:
            known = ", ".join([*design.parameters, *chosen.options]) or "none"
            raise UsageError(f"{design.name} has no parameter and case {chosen.name} no option {key!r}; known: {known}")
        options[key] = value
    source = str(name) if str(name).endswith((".toml", ".py")) else None
    return Dut(
        design, chosen, params, options, source=source, seed=seed, quick=quick, timeout_s=timeout_s, payload=payload
    )
