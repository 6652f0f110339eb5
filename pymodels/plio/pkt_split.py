# SPDX-License-Identifier: Apache-2.0
"""Model of ``plio_pkt_split``: packets to N ports by packet id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.packet_header import parse_header
from goldbeat.pymodels.plio.keep_rule import WIDTHS, keep_of, valid_words
from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace

SPLIT_LATENCY = 2
"""Cycles from accept to the earliest output: input and output skid buffer (designs.md, plio_pkt_split)."""

INPUT_LATENCY = 1
"""Cycles from accept to the earliest use by the core (designs.md, plio_pkt_split)."""

OUTPUT_LATENCY = SPLIT_LATENCY - INPUT_LATENCY
"""Cycles from emission to the earliest output (designs.md, plio_pkt_split)."""

ID_BITS = 5
"""Bits of a packet id, the lowest of a header (designs.md, Packet header)."""

COUNTER = 0xFFFFFFFF
"""Status outputs count modulo 2^32 (designs.md, plio_pkt_split)."""

DROPPED = -1
"""Stands for a port where there is none."""


def ids_of(params: Mapping[str, Any], ports: int) -> list[int]:
    """``IDS``: one packet id a port."""
    ids = [int(i) for i in params.get("IDS", ())]
    if len(ids) != ports or not all(0 <= i < 1 << ID_BITS for i in ids):
        raise UsageError(f"parameter IDS = {ids} is not {ports} packet ids from 0 to {(1 << ID_BITS) - 1}")
    return ids


@dataclass(frozen=True)
class SplitPlan:
    """What the core does with each input beat, whenever it does it.

    Attributes:
        emit: (n,) port that a beat emits to when it is consumed, or DROPPED.
        flush: (n,) whether a flush to the same port follows.
        outputs: what each port emits (cycles mean nothing yet).
        status: the counters at the end.
    """

    emit: npt.NDArray[np.int64]
    flush: npt.NDArray[np.bool_]
    outputs: list[Trace]
    status: dict[str, int]


def split_plan(source: Trace, ids: list[int], keep_header: bool) -> SplitPlan:
    """The part of the model without time."""
    n, lanes = len(source), source.width // WORD_BITS
    words = valid_words(source)
    lane_words = source.data.view("<u4").reshape(n, lanes)
    is_head = np.ones(n, np.bool_)
    is_head[1:] = source.last[:-1]
    heads = np.flatnonzero(is_head)
    packet = np.cumsum(is_head) - 1

    # Packet by packet: where does it go?
    header = parse_header(lane_words[heads, 0])
    alone = source.last[heads]
    headerless = alone & (words[heads] == 0)
    even = ~header.parity_ok & ~headerless
    port_of_id = np.full(1 << ID_BITS, DROPPED, np.int64)
    for port, packet_id in reversed(list(enumerate(ids))):
        port_of_id[packet_id] = port
    target = port_of_id[header.packet_id]
    target[headerless | even] = DROPPED
    if not keep_header:
        target[alone & (words[heads] <= 1)] = DROPPED
    status = {
        "packet_count": len(heads) & COUNTER,
        "drop_count": int((target == DROPPED).sum()) & COUNTER,
        "parity_error_count": int(even.sum()) & COUNTER,
    }

    # Beat by beat: what is emitted?
    emit = target[packet]
    flush = np.zeros(n, np.bool_)
    if not keep_header:
        silent = is_head & ~source.last if lanes > 1 else is_head
        if lanes > 1:
            flush = source.last & ~is_head & (words >= 2) & (emit != DROPPED)
        emit[silent] = DROPPED
    if keep_header or lanes == 1:
        columns = (source.data, keep_of(words, source.width), source.last, emit)
    else:
        columns = _shifted(source, lane_words, words, packet, heads, target, emit, flush)
    data, keep, last, port = columns
    outputs = [
        Trace.from_bytes(data[at], keep=keep[at], last=last[at], clock_ps=source.clock_ps)
        for at in (np.flatnonzero(port == p) for p in range(len(ids)))
    ]
    return SplitPlan(emit, flush, outputs, status)


def _shifted(
    source: Trace,
    lane_words: npt.NDArray[np.uint32],
    words: npt.NDArray[np.int64],
    packet: npt.NDArray[np.int64],
    heads: npt.NDArray[np.int64],
    target: npt.NDArray[np.int64],
    emit: npt.NDArray[np.int64],
    flush: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_], npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Data, keep, last and port of the beats emitted when the payload moves down by the header's word."""
    n, lanes = lane_words.shape
    emissions = np.bincount(packet, (emit != DROPPED).astype(np.int64) + flush, len(heads)).astype(np.int64)
    base = np.cumsum(emissions) - emissions
    total = int(emissions.sum())

    lane = np.arange(lanes)
    place = (np.arange(n) - heads[packet])[:, None] * lanes + lane - 1 if n else np.zeros((0, lanes), np.int64)
    # Words of a packet without an end that were kept back have no place.
    used = (place >= 0) & (lane < words[:, None]) & (place < (emissions[packet] * lanes)[:, None])
    at = (base[packet][:, None] * lanes + place)[used]
    out = np.zeros(total * lanes, "<u4")
    out[at] = lane_words[used]
    kept = np.zeros(total * lanes, np.bool_)
    kept[at] = True

    last = np.zeros(total, np.bool_)
    ended = np.zeros(len(heads), np.bool_)
    ended[packet[source.last]] = True
    ended &= emissions > 0
    last[(base + emissions - 1)[ended]] = True
    keep = np.repeat(kept.reshape(total, lanes), WORD_BITS // 8, axis=1)
    return out.view(np.uint8).reshape(total, source.width // 8), keep, last, np.repeat(target, emissions)


def timing(gaps: npt.NDArray[np.int64], todo: SplitPlan, takes: list[Take], first_ready: int) -> list[int]:
    """The cycles in which the input beats are accepted; the outputs go to ``takes``."""
    accepts: list[int] = []
    note = accepts.append
    older = newer = first_ready - 1  # when the core consumed the last two beats
    busy = first_ready - 1  # its last cycle, flushes included
    out_older = [first_ready - 1] * len(takes)
    out_newer = [first_ready - 1] * len(takes)
    free = 0
    for gap, port, flush in zip(gaps.tolist(), todo.emit.tolist(), todo.flush.tolist(), strict=True):
        accept = free + gap
        if accept <= older:
            accept = older + 1
        note(accept)
        free = accept + 1
        at = accept + INPUT_LATENCY
        if at <= busy:
            at = busy + 1
        older = newer
        if port < 0:
            newer = busy = at
            continue
        if at <= out_older[port]:
            at = out_older[port] + 1
        newer = busy = at
        out = out_newer[port]
        due = at + OUTPUT_LATENCY
        out_older[port], out_newer[port] = out, takes[port](due if due > out else out + 1)
        if flush:
            busy = (at if at > out else out) + 1
            out = out_newer[port]
            due = busy + OUTPUT_LATENCY
            out_older[port], out_newer[port] = out, takes[port](due if due > out else out + 1)
    return accepts


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model; parameters ``W N KEEP_HEADER IDS`` (IDS as a sequence)."""
    width = choice(params, "W", WIDTHS)
    ports = integer(params, "N")
    ids = ids_of(params, ports)
    clock = clock_of(stimulus, "aclk")
    source = offered(stimulus, "s_axis", width, clock)
    todo = split_plan(source, ids, bool(choice(params, "KEEP_HEADER", (0, 1))))
    names = [f"m_axis_{p}" for p in range(ports)]
    logs: list[list[int]] = [[] for _ in names]
    takes = [sink(stimulus.pattern(name), log) for name, log in zip(names, logs, strict=True)]
    accepts = timing(source.gaps, todo, takes, ready_from(stimulus))
    traces = {"s_axis": transferred(source, clock, accepts)}
    for name, beats, log in zip(names, todo.outputs, logs, strict=True):
        traces[name] = transferred(beats, clock, log)
    return Outcome(traces, todo.status)
