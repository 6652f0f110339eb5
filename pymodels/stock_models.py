# SPDX-License-Identifier: Apache-2.0
"""Ready-made golden models: what comes out, in which order, and nothing about when.

They suit modules whose data path is one of a few simple things (FIFOs, registers, clock crossings, broadcasts, arbiters, width
converters). Their cycles mean nothing; whoever uses them compares data and order alone, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.null_bytes import frames_with_null_bytes, without_null_bytes
from goldbeat.pymodels.sidebands import SIDEBANDS
from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace


@dataclass(frozen=True)
class StreamShape:
    """What a ready-made model needs to know of a stream port.

    Attributes:
        name: of the port.
        clock: it runs on.
        width: of TDATA in bits.
        roles: the signals that are there.
    """

    name: str
    clock: str
    width: int
    roles: frozenset[str]


ReadyModel = Callable[[Sequence[StreamShape], Sequence[StreamShape], Stimulus], Mapping[str, Trace]]
"""input ports, output ports, stimulus -> what the output ports give."""


def identity(sources: Sequence[StreamShape], sinks: Sequence[StreamShape], stimulus: Stimulus) -> dict[str, Trace]:
    """Every input's beats come out of the output in the same place of the list, as they are and in order."""
    if len(sources) != len(sinks):
        raise UsageError(
            f"model identity: found {len(sources)} inputs and {len(sinks)} outputs, expected as many of each"
        )
    return {
        sink.name: _at(_same_width(source, sink, stimulus), sink, stimulus)
        for source, sink in zip(sources, sinks, strict=True)
    }


def broadcast(sources: Sequence[StreamShape], sinks: Sequence[StreamShape], stimulus: Stimulus) -> dict[str, Trace]:
    """The only input's beats come out of every output, as they are and in order."""
    if len(sources) != 1 or not sinks:
        raise UsageError(f"model broadcast: found {len(sources)} inputs and {len(sinks)} outputs, expected 1 and some")
    return {sink.name: _at(_same_width(sources[0], sink, stimulus), sink, stimulus) for sink in sinks}


def route(sources: Sequence[StreamShape], sinks: Sequence[StreamShape], stimulus: Stimulus) -> dict[str, Trace]:
    """The only input's beats come out of the output whose place in the list is their TDEST, as they are and in order.

    Beats of a TDEST without an output come nowhere.
    """
    if len(sources) != 1 or len(sinks) < 2:
        raise UsageError(f"model route: found {len(sources)} inputs and {len(sinks)} outputs, expected 1 and several")
    if "tdest" not in sources[0].roles:
        raise UsageError(f"model route: {sources[0].name} has no TDEST, which would say where each beat goes")
    given = stimulus.inputs[sources[0].name].tdest
    return {
        sink.name: _at(_same_width(sources[0], sink, stimulus)[np.flatnonzero(given == number)], sink, stimulus)
        for number, sink in enumerate(sinks)
    }


def merge(sources: Sequence[StreamShape], sinks: Sequence[StreamShape], stimulus: Stimulus) -> dict[str, Trace]:
    """Every input's frames come out of the only output, whole; their order is left open (``compare_order = false``).

    Where no port has TLAST, each word is a frame.
    """
    if len(sinks) != 1 or not sources:
        raise UsageError(f"model merge: found {len(sources)} inputs and {len(sinks)} outputs, expected some and 1")
    parts = [_at(_same_width(source, sinks[0], stimulus), sinks[0], stimulus) for source in sources]
    ports = (*sources, sinks[0])
    framed = [port.name for port in ports if "tlast" in port.roles]
    if 0 < len(framed) < len(ports):
        bare = next(port.name for port in ports if port.name not in framed)
        raise UsageError(f"model merge: {framed[0]} has TLAST and {bare} has none, expected all ports or none with it")
    for source, part in zip(sources, parts, strict=True):
        if framed and len(part) and not part.last[-1]:
            raise UsageError(f"model merge: the stimulus of {source.name} ends within a frame")
    return {sinks[0].name: Trace.concat(parts, gap=0)}


def repack(sources: Sequence[StreamShape], sinks: Sequence[StreamShape], stimulus: Stimulus) -> dict[str, Trace]:
    """The only input's kept bytes come out of the only output at its width, frame by frame, without null bytes.

    Without TLAST and TKEEP, a last word that the input does not fill is not expected.

    Position bytes stay what they are. Other sidebands are left out, since a beat of one width has no one counterpart at another.
    In frames of the input that have null bytes, at the end as well, the design may pass them on, drop or move them
    (:attr:`Outcome.bytewise`). All other frames come out packed.
    """
    _need_one_each("repack", sources, sinks)
    packed = without_null_bytes(stimulus.inputs[sources[0].name], sinks[0].width)
    if not {"tlast", "tkeep"} & sinks[0].roles and "tlast" not in sources[0].roles and len(packed):
        # Nothing ends the last word.
        packed = packed[: len(packed) - (not packed.keep[-1].all())]
    return {sinks[0].name: _at(packed, sinks[0], stimulus)}


def repack_msb(sources: Sequence[StreamShape], sinks: Sequence[StreamShape], stimulus: Stimulus) -> dict[str, Trace]:
    """As :func:`repack`, but the first of the words that make a wider one is in its high lanes; for ports without TKEEP.

    AXI-Stream has it in the low lanes (IHI 0051). FIFOs with sides of different widths often have it in the high ones.
    """
    _need_one_each("repack_msb", sources, sinks)
    for port in (*sources, *sinks):
        if named := sorted({"tkeep", "tstrb"} & port.roles):
            raise UsageError(
                f"model repack_msb: {port.name} has {named[0].upper()}, whose lanes begin with the low one"
            )
    narrow, wide = sorted(one.width // 8 for one in (*sources, *sinks))
    if wide % narrow:
        raise UsageError(
            f"model repack_msb: found {8 * narrow} and {8 * wide} bit, expected a multiple of the narrower width"
        )
    given = stimulus.inputs[sources[0].name]
    turned = replace(stimulus, inputs={**stimulus.inputs, sources[0].name: _turned(given, narrow)})
    return {name: _turned(trace, narrow) for name, trace in repack(sources, sinks, turned).items()}


def _need_one_each(model: str, sources: Sequence[StreamShape], sinks: Sequence[StreamShape]) -> None:
    if len(sources) != 1 or len(sinks) != 1:
        raise UsageError(f"model {model}: found {len(sources)} inputs and {len(sinks)} outputs, expected 1 and 1")


def _turned(trace: Trace, lanes: int) -> Trace:
    """The words of so many lanes in the opposite order within each beat."""
    order = np.arange(trace.data.shape[1]).reshape(-1, lanes)[::-1].ravel()
    return replace(trace, data=trace.data[:, order], keep=trace.keep[:, order])


def _same_width(source: StreamShape, sink: StreamShape, stimulus: Stimulus) -> Trace:
    if source.width != sink.width:
        raise UsageError(
            f"{source.name} is {source.width} bit wide and {sink.name} {sink.width} bit; model repack takes such a pair"
        )
    return stimulus.inputs[source.name]


def _at(trace: Trace, port: StreamShape, stimulus: Stimulus) -> Trace:
    """A trace as a port can show it: without the signals that it does not have, on its clock."""
    clock = stimulus.clocks[port.clock]
    sides: dict[str, Any] = {s: getattr(trace, s) if s in port.roles else None for s in SIDEBANDS}
    return replace(
        trace,
        keep=trace.keep if "tkeep" in port.roles else np.ones_like(trace.keep),
        last=trace.last if "tlast" in port.roles else np.zeros_like(trace.last),
        cycle=np.arange(len(trace)),
        clock_ps=clock.period_ps,
        offset_ps=clock.offset_ps,
        **sides,
    )


READY_MODELS: Mapping[str, ReadyModel] = {
    "identity": identity,
    "broadcast": broadcast,
    "route": route,
    "merge": merge,
    "repack": repack,
    "repack_msb": repack_msb,
}


def outcome(
    model: ReadyModel, sources: Sequence[StreamShape], sinks: Sequence[StreamShape], stimulus: Stimulus
) -> Outcome:
    """What a ready-made model predicts: every input beat is taken, and the outputs give what the model says."""
    whole = replace(stimulus, inputs=_all_inputs(sources, stimulus))
    found = model(sources, sinks, whole)
    loose = frames_with_null_bytes(whole.inputs[sources[0].name]) if model is repack else np.zeros(0, np.bool_)
    return Outcome(
        {**taken_inputs(sources, whole), **found},
        queues={sinks[0].name: [len(whole.inputs[one.name]) for one in sources]} if model is merge else {},
        # Without TLAST, all frames are one.
        bytewise={p.name: loose if "tlast" in p.roles else loose[:1] | True for p in sinks} if loose.any() else {},
    )


def taken_inputs(sources: Sequence[StreamShape], stimulus: Stimulus) -> dict[str, Trace]:
    """Every beat that the inputs are offered, as they can show it."""
    inputs = _all_inputs(sources, stimulus)
    return {port.name: _at(inputs[port.name], port, stimulus) for port in sources}


def _all_inputs(sources: Sequence[StreamShape], stimulus: Stimulus) -> dict[str, Trace]:
    """The inputs' traces, empty where the stimulus has none."""
    clocks = {port.name: stimulus.clocks[port.clock] for port in sources}
    empty = {
        port.name: Trace.empty(port.width, clock_ps=clocks[port.name].period_ps, offset_ps=clocks[port.name].offset_ps)
        for port in sources
    }
    return {**empty, **stimulus.inputs}
