# SPDX-License-Identifier: Apache-2.0
"""Obligations of a design's ports: what its streams and buses must have done, by what was driven and what came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from goldbeat.tb.build.harness import TOP
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import FILLING, KEPT
from goldbeat.tb.obligations.buses import bus_obligations
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.run.functional import STALL_BINS, add_bins, port_coverage, stream_bins
from goldbeat.tb.run.late_ready import passed_over
from goldbeat.tb.run.lost_places import fewer_places, full_twice
from goldbeat.tb.run.runs import RunResult

_TURNS = 64
"""Frames that an input may have to wait for, while another has them."""
_MORE = "the case sweep, or more seeds (--seeds N, of verify --budget 60s)"


def port_obligations(results: Sequence[RunResult]) -> list[Obligation]:
    """Obligations of all ports, by some runs of one design; merged with those of others they are met by any of them."""
    return [one for result in results for one in obligations_of(result, port_coverage(result))]


def obligations_of(result: RunResult, bins: Mapping[str, Mapping[str, int]]) -> list[Obligation]:
    """Obligations of all ports by one run, whose :func:`~goldbeat.tb.run.functional.port_coverage` is ``bins``."""
    found: list[Obligation] = []
    design, params = result.request.design, result.request.all_params
    for port in design.bundles(params):
        hits = bins.get(port.name, {})
        if port.direction == "in":
            # What the source offers: a slow design takes no beats back to back.
            offered = [e.stimulus.inputs[port.name] for e in result.episodes if port.name in e.stimulus.inputs]
            hits = {**add_bins(map(stream_bins, offered)), **{name: hits.get(name, 0) for name in STALL_BINS}}
        found += _of_stream(port, hits, unchecked=design.unchecked)
    buses = [*bus_obligations(result)]
    if design.registers or design.memories:
        # Register maps are loaded where there may be some.
        from goldbeat.tb.obligations.strobes import strobe_obligations

        buses += strobe_obligations(result)
    return [*found, *_of_turns(result), *_of_places(result), *_of_words(result), *buses, *_of_start(result)]


def _of_stream(port: StreamPort, bins: Mapping[str, int], *, unchecked: Mapping[str, str]) -> Iterator[Obligation]:
    """What each stream must have done.

    Args:
        port: the stream.
        bins: hits of its bins (:mod:`goldbeat.tb.run.functional`).
        unchecked: signals that the description confirms.
    """

    def tried(kind: str, role: str, what: str, *names: str) -> Obligation:
        return Obligation(kind, port.payload_place(role), what, any(bins.get(name) for name in names), _MORE)

    inward = port.direction == "in"
    if port.has("tready") and not (inward and (port.always_ready or port.pin("tready") in unchecked)):
        if inward:
            what = "fell while a beat was offered, and rose again"
            if port.inverts("tready"):
                what = "rose while a beat was offered, and fell again"
            yield tried("handshake", "tready", what, *STALL_BINS)
        else:
            yield tried("handshake", "tvalid", "waited for ready", *STALL_BINS)
            yield tried("handshake", "tvalid", "waited for ready for 64 cycles", STALL_BINS[-1])
    if port.gated:
        yield _of_gate(port)
    if inward and port.has("tvalid"):
        level = "high" if port.inverts("tvalid") else "low"
        yield tried("handshake", "tvalid", f"stayed {level} for 64 cycles between beats", "gap 64+")
        yield tried("handshake", "tvalid", "beats back to back", "gap 0")
    if inward and port.has("tlast"):
        yield tried("sizes", "tlast", "a frame of 1 beat", "frame 1")
        yield tried("sizes", "tlast", "a frame of 64 beats or more", "frame 64+")
        yield tried("sizes", "tlast", "two frames back to back", "back-to-back frames")
    if inward and port.has("tkeep") and int(port.width) > 8:
        yield tried("sizes", "tkeep", "a beat with some bytes left out", "part of a beat kept")
    if inward and port.has("tid"):
        yield tried("attributes", "tid", "two frames with one ID", "id again")
        yield tried("attributes", "tid", "two frames with different IDs", "id changed")


def _of_gate(port: StreamPort) -> Obligation:
    """What a gated stream is never shown: its enable beside a flag that is low."""
    enable, flag = ("tvalid", "tready") if port.direction == "in" else ("tready", "tvalid")
    what = f"high while {port.pin(flag)} is low"
    if port.inverts(flag):
        what = "high while the queue is full" if enable == "tvalid" else "high while the queue is empty"
    how = (
        "removing gated = true from the description if the RTL checks it itself, or a waiver if what is around never "
        "does that"
    )
    return Obligation("handshake", port.place(enable), what, False, how)


def _of_turns(result: RunResult) -> Iterator[Obligation]:
    """Where inputs share an output, or have outputs alike, that each gets its turn, in runs that offer much at all of them."""
    design, ports = result.request.design, result.request.design.bundles(result.request.all_params)
    inputs = [port for port in ports if port.direction == "in" and port.has("tready")]
    full = [e for e in result.episodes if e.stimulus.label.startswith(FILLING)]
    alike = len(ports) == 2 * len(inputs) and len({port.width for port in ports}) == 1
    shared = len(ports) == len(inputs) + 1 and not design.ordered
    if len(inputs) < 2 or not (alike or shared) or not full:
        return
    for port in inputs:
        most = max(passed_over(port, ports, e.stimulus, e.record.outcome) for e in full)
        what = f"served before another input had ended {_TURNS} frames"
        how = f"RTL that lets it wait for fewer than the {most} frames of another input, or a waiver if it comes last on purpose"
        yield Obligation("handshake", port.place("tready"), what, most < _TURNS, how, refuted=most >= _TURNS)


def _of_places(result: RunResult) -> Iterator[Obligation]:
    """That queues hold at the end of a long run what they held at its beginning: a place that is lost never comes back."""
    design, ports = result.request.design, result.request.design.bundles(result.request.all_params)
    inputs = [port for port in ports if port.direction == "in" and port.has("tready")]
    held = [
        full
        for e in result.episodes
        if e.stimulus.label == KEPT and (full := full_twice(ports, e.record.outcome)) is not None
    ]
    if not held or design.unchecked.keys() & {port.pin("tready") for port in inputs}:
        return
    first, last = min(held, key=lambda one: one[1] - one[0])
    lost = fewer_places(first, last)
    how = f"RTL that holds {first} beats at the end, too, not {last}, or a waiver if it holds fewer on purpose"
    what = "as many beats held at the end of a long run as at its beginning"
    yield Obligation("outstanding", inputs[0].place("tready"), what, not lost, how if lost else _MORE, refuted=lost)


def _of_words(result: RunResult) -> Iterator[Obligation]:
    """Words that a flip-flop of another clock has taken while several of their bits changed: it may see any mixture of them."""
    # A reset in mid-flight changes words at once; its own order is for the crossing's reset.
    whole = [e for e in result.episodes if e.stimulus.stop_ps is None]
    torn = dict.fromkeys(name for e in whole for name in e.record.torn_words)
    for name in torn:
        signal, _, clock = name.removeprefix(f"{TOP}.dut.").partition(" at ")
        what = f"one bit at a time changes where a flip-flop takes it to {clock}"
        how = (
            "Gray code, a word that rests while it is taken, or a waiver if its bits have nothing to do with each other"
        )
        yield Obligation("crossings", signal, what, False, how, refuted=True)


def _of_start(result: RunResult) -> Iterator[Obligation]:
    """Resets in mid-flight, and initial values."""
    design = result.request.design
    resets = [clock.reset for clock in design.clocks if clock.reset]
    if not resets:
        return
    stopped = [e for e in result.episodes if e.stimulus.stop_ps is not None]
    met = any(e.stimulus.cut or any(map(len, e.record.outcome.ports.values())) for e in stopped)
    yield Obligation("reset", resets[0], "fell while work was in flight", met, "the case reset or sweep")
    yield Obligation(
        "initial", resets[0], "the same outputs with other values of registers and memories before reset",
        result.x_check is not None, "--x-check, in suites x_check = true",
    )  # fmt: skip
