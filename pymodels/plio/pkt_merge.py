# SPDX-License-Identifier: Apache-2.0
"""Model of ``plio_pkt_merge``: N packet streams into one, a header before each packet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axis.elastic import (
    WORD_BITS,
    Take,
    choice,
    clock_of,
    integer,
    offered,
    ready_from,
    sink,
    transferred,
)
from goldbeat.pymodels.packet_header import make_header
from goldbeat.pymodels.plio.keep_rule import WIDTHS, valid_words
from goldbeat.pymodels.plio.pkt_split import ids_of
from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace

MERGE_LATENCY = 1
"""Cycles from emission to the earliest output (designs.md, plio_pkt_merge)."""

PACKET_TYPES = range(8)
"""Legal ``PKT_TYPE`` (designs.md, Packet header)."""

COUNTER = 0xFFFFFFFF
"""Status outputs count modulo 2^32 (designs.md, plio_pkt_merge)."""

_NEVER = 1 << 62

Segment = tuple[int, int, int]
"""A packet as it was taken: port, its first beat, one past its last beat."""


def timing(
    sources: list[Trace], words: list[npt.NDArray[np.int64]], take: Take, first_ready: int
) -> tuple[list[Segment], list[list[int]]]:
    """The packets in the order they are taken, and each port's accept cycles; the output goes to ``take``.

    A packet without an end holds the merger for ever: what the other ports offer after it is never taken.
    """
    ports = len(sources)
    lanes = sources[0].width // WORD_BITS
    alone = lanes == 1
    gaps = [s.gaps.tolist() for s in sources]
    ends = [s.last.tolist() for s in sources]
    full = [(s.last & (w == lanes)).tolist() for s, w in zip(sources, words, strict=True)]
    accepts: list[list[int]] = [[] for _ in sources]
    segments: list[Segment] = []
    offers = [g[0] if g else _NEVER for g in gaps]
    older = newer = first_ready - 1  # the last two outputs
    idle = first_ready
    port = ports - 1
    while True:
        # IDLE: one of those that are offering, from the port after the last one on.
        edge = max(idle, min(offers))
        if edge == _NEVER:
            return segments, accepts
        if alone and edge <= older:
            edge = older + 1
        port = next(p for p in ((port + d) % ports for d in range(1, ports + 1)) if offers[p] <= edge)
        at = edge
        if alone:
            due = at + MERGE_LATENCY
            older, newer = newer, take(due if due > newer else newer + 1)
        # DATA: every transfer emits a beat.
        note, port_gaps, port_ends = accepts[port].append, gaps[port], ends[port]
        first = beat = len(accepts[port])
        count = len(port_gaps)
        offer = offers[port]
        last = False
        while not last and beat < count:
            at += 1
            if at < offer:
                at = offer
            if at <= older:
                at = older + 1
            note(at)
            due = at + MERGE_LATENCY
            older, newer = newer, take(due if due > newer else newer + 1)
            last = port_ends[beat]
            beat += 1
            if beat < count:
                offer = at + 1 + port_gaps[beat]
        segments.append((port, first, beat))
        if not last:
            return segments, accepts
        offers[port] = offer if beat < count else _NEVER
        if not alone and full[port][beat - 1]:  # FLUSH
            at = (at if at > older else older) + 1
            due = at + MERGE_LATENCY
            older, newer = newer, take(due if due > newer else newer + 1)
        idle = at + 1


def merged(
    sources: list[Trace], words: list[npt.NDArray[np.int64]], segments: list[Segment], headers: list[int]
) -> Trace:
    """The beats emitted for these packets (their cycles mean nothing yet)."""
    width = sources[0].width
    lanes = width // WORD_BITS
    ports, firsts, stops = np.array(segments, np.int64).reshape(-1, 3).T
    sizes = stops - firsts
    # All ports' beats in one table, then in the order they were taken.
    starts = np.cumsum([0, *(len(s) for s in sources[:-1])])
    packet = np.repeat(np.arange(len(sizes)), sizes)
    within = np.arange(len(packet)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    beat = (starts[ports] + firsts)[packet] + within
    lane_words = np.concatenate([s.data for s in sources]).view("<u4")[beat]
    used_words = np.concatenate(words)[beat]
    ended = np.concatenate([s.last for s in sources])[beat]

    # Emissions a packet: one an input beat, the header's own (W = 32) or the flush.
    extra = ended & (used_words == lanes) if lanes > 1 else within == 0
    emissions = np.bincount(packet, 1 + extra.astype(np.int64), len(sizes)).astype(np.int64)
    base = np.cumsum(emissions) - emissions
    total = int(emissions.sum())
    lane = np.arange(lanes)
    place = within[:, None] * lanes + lane + 1
    # The word held back of a packet without an end has no place.
    used = (lane < used_words[:, None]) & (place < (emissions[packet] * lanes)[:, None])
    at = (base[packet][:, None] * lanes + place)[used]
    out = np.zeros(total * lanes, "<u4")
    kept = np.zeros(total * lanes, np.bool_)
    out[at] = lane_words[used]
    kept[at] = True
    out[base * lanes] = np.array(headers, np.uint32)[ports]
    kept[base * lanes] = True
    last = np.zeros(total, np.bool_)
    complete = packet[ended]
    last[base[complete] + emissions[complete] - 1] = True
    return Trace.from_bytes(
        out.view(np.uint8).reshape(total, width // 8),
        keep=np.repeat(kept.reshape(total, lanes), WORD_BITS // 8, axis=1),
        last=last,
        clock_ps=sources[0].clock_ps,
    )


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model; parameters ``W N IDS PKT_TYPE`` (IDS as a sequence)."""
    width = choice(params, "W", WIDTHS)
    ports = integer(params, "N")
    packet_type = choice(params, "PKT_TYPE", PACKET_TYPES)
    headers = [int(make_header(packet_id, packet_type)) for packet_id in ids_of(params, ports)]
    clock = clock_of(stimulus, "aclk")
    names = [f"s_axis_{p}" for p in range(ports)]
    sources = [offered(stimulus, name, width, clock) for name in names]
    words = [valid_words(s) for s in sources]
    outs: list[int] = []
    segments, accepts = timing(sources, words, sink(stimulus.pattern("m_axis"), outs), ready_from(stimulus))
    beats = merged(sources, words, segments, headers)
    traces = {n: transferred(s, clock, a) for n, s, a in zip(names, sources, accepts, strict=True)}
    traces["m_axis"] = transferred(beats, clock, outs)
    return Outcome(traces, {"packet_count": int(beats.last.sum()) & COUNTER})
