# SPDX-License-Identifier: Apache-2.0
"""What a run could not have seen: signals that nothing compares, and back-pressure of the design that was never tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.stored_trace import StoredTrace
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.bundle import lanes
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import FILLING
from goldbeat.tb.design.unchecked import unchecked_signals, unpredicted
from goldbeat.tb.inside.job import Record
from goldbeat.tb.run.late_ready import first_wait, held_back, stays_low

Steps = Sequence[tuple[Stimulus, Outcome, Record]]
"""Episodes: what was driven, what was expected, what came."""


def open_signals(design: Design, params: Mapping[str, Any], steps: Steps) -> list[str]:
    """Signals of bundles that the verdict says nothing of and that nobody has confirmed, each with what it is."""
    found = unchecked_signals(design)
    if design.uncompared is not None:
        found = {**design.uncompared(params), **found}
    outputs = [lane.name for port in design.streams if port.direction == "out" for lane in lanes(port, params)]
    unknown = [name for name in outputs if _never_predicted(name, steps)]
    # A model that predicts no output at all has said so.
    if len(unknown) < len(outputs):
        found |= dict.fromkeys(unknown, "the golden model predicts nothing of it (unknown)")
    for port in design.streams:
        for lane in lanes(port, params) if port.direction == "out" else ():
            for _, expected, record in steps:
                if lane.name not in expected.unknown:
                    found |= unpredicted(not_compared(record.outcome, expected, lane.name), port)
    return [f"{name}: {what}" for name, what in found.items() if name not in design.unchecked]


def _never_predicted(port: str, steps: Steps) -> bool:
    """Beats have left a port, and the model knows nothing of it in any episode."""
    seen = [expected for _, expected, record in steps if len(record.outcome.ports.get(port, ()))]
    return bool(seen) and all(port in one.unknown and port not in one.ports for one in seen)


def not_compared(got: Outcome, expected: Outcome, port: str) -> list[str]:
    """Sidebands of a port that the model does not predict."""
    if port not in expected.ports:
        return []
    return [name for name in got.ports[port].sides if name not in expected.ports[port].sides]


def beats_left(steps: Steps, ports: Collection[str]) -> list[str]:
    """What to say of inputs whose beats did not all transfer, in episodes that run to their end.

    Args:
        steps: the episodes.
        ports: whose beats somebody has given. What a case makes may stay where another input is served first.
    """
    offered, left = Counter[str](), Counter[str]()
    for stimulus, _, record in steps:
        if stimulus.stop_ps is not None or stimulus.take is not None:
            continue
        for name, trace in stimulus.inputs.items():
            if name in ports and name in record.outcome.ports:
                offered[name] += len(trace)
                left[name] += len(trace) - len(record.outcome.ports[name])
    return [
        f"{name}: {n} of {offered[name]} beats that were offered never transferred" for name, n in left.items() if n > 0
    ]


def untried_ready(design: Design, params: Mapping[str, Any], case: Case, steps: Steps) -> list[str]:
    """What to say of inputs that the design took without a wait in every episode, although sinks held its outputs back.

    Where episodes fill queues, the ready must have stayed low in each. Long traces are looked through where the case is to fill
    queues.
    """
    ports = design.bundles(params)
    long = any(isinstance(trace, StoredTrace) for _, _, record in steps for trace in record.outcome.ports.values())
    if (long and not case.fills) or not any(held_back(ports, one, record.outcome) for one, _, record in steps):
        return []
    filled = [(one, record) for one, _, record in steps if one.label.startswith(FILLING)]
    found = []
    for port in ports:
        if (
            port.direction != "in"
            or not port.has("tready")
            or port.always_ready
            or port.pin("tready") in design.unchecked
        ):
            continue
        stuck = _never_rose(port, steps)
        if stuck is not None:
            found.append(stuck)
            continue
        fell = any(first_wait(port, one, record.outcome) is not None for one, _, record in steps)
        high = [one for one, record in filled if not stays_low(port, ports, one, record.outcome)]
        if any(len(one.inputs.get(port.name, ())) for one, _, _ in steps) and (high if filled else not fell):
            found.append(_untried(port, case, high[0] if high else None, fell=fell))
    return found


def _never_rose(port: StreamPort, steps: Steps) -> str | None:
    """What to say of an input that took nothing in any episode, or in any that fills queues; None: it took something."""
    offered = [
        (one.label.startswith(FILLING), len(record.outcome.ports.get(port.name, ())) > 0)
        for one, _, record in steps
        if len(one.inputs.get(port.name, ()))
    ]
    taken = [some for _, some in offered]
    filled = [some for fills, some in offered if fills]
    rose = "fell" if port.inverts("tready") else "rose"
    if taken and not any(taken):
        return f"{port.pin('tready')} never {rose}: no beat of {port.name} transferred"
    if filled and not any(filled):
        return f"{port.pin('tready')} never {rose} in episodes that fill queues: no beat of {port.name} transferred in them"
    return None


def _untried(port: StreamPort, case: Case, filling: Stimulus | None, *, fell: bool) -> str:
    """``filling``: the first episode that was to fill queues and did not."""
    pin = port.pin("tready")
    tried = ""
    if filling is not None and port.name in filling.inputs:
        tried = f" for {len(filling.inputs[port.name])} beats{filling.label.removeprefix(FILLING)}"
    stayed, moved = ("stayed high", "rose") if port.inverts("tready") else ("stayed low", "fell")
    said = f"{pin} never {stayed if fell else moved} although sinks held outputs back{tried}"
    if not case.fills:
        return said
    more = "send more beats than its queues hold (--set fill=N)" if "fill" in case.options else "send more beats"
    if fell:
        return f'{said}; {more}, or confirm it in the description: [unchecked] {pin} = "reason"'
    return f"{said}; {more}, or set always_ready = true for {port.name} if it never {'rises' if moved == 'rose' else 'falls'}"


def waits_wrongly(design: Design, params: Mapping[str, Any], stimulus: Stimulus, record: Record) -> list[str]:
    """Failures of inputs that are described as always ready."""
    return [
        f"port {port.name}: always_ready is set, but beat {beat} waited for {port.pin('tready')}"
        for port in design.bundles(params)
        if port.always_ready and (beat := first_wait(port, stimulus, record.outcome)) is not None
    ]
