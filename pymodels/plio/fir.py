# SPDX-License-Identifier: Apache-2.0
"""Model of ``plio_fir``: a symmetric FIR over cint16 behind a credit counter."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axis.elastic import (
    WORD_BITS,
    Passage,
    Take,
    choice,
    clock_of,
    integer,
    offered,
    offers,
    ready_from,
    transferred,
)
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.plio.fir_registers import FirRegisters, FirSettings, Reply
from goldbeat.pymodels.plio.keep_rule import WIDTHS, keep_of, valid_words
from goldbeat.pymodels.rounding import round_shift, saturate
from goldbeat.pymodels.stimulus import Outcome, PartwiseModel, Stimulus, answered
from goldbeat.pymodels.trace import Trace

FIR_STAGES = 5
"""Pipeline stages beside the adder tree (designs.md, plio_fir)."""

OUTPUT_FIFO_LATENCY = 2
"""Latency of the output FIFO: memory and output register (designs.md, plio_fir)."""

CREDIT_MARGIN = 2
"""Entries of the output FIFO beyond the latency, before rounding up to a power of two (designs.md, plio_fir)."""

TAPS_RANGE = (4, 64)
"""Smallest and largest ``NTAPS`` (designs.md, plio_fir)."""

_BLOCK = 1 << 18
"""Samples that are filtered at once."""

PART_BITS = 16
"""Bits of re and of im (designs.md, plio_fir)."""


def _clog2(value: int) -> int:
    return (value - 1).bit_length()


def fir_pipeline(ntaps: int) -> int:
    """``FIR_PIPELINE``: stages before the output FIFO."""
    return FIR_STAGES + _clog2(ntaps // 2)


def fir_latency(ntaps: int) -> int:
    """``fir_latency``: cycles from accept to the earliest output."""
    return fir_pipeline(ntaps) + OUTPUT_FIFO_LATENCY


def fifo_depth(ntaps: int) -> int:
    """Depth of the output FIFO, which is also the number of credits."""
    return 1 << _clog2(fir_latency(ntaps) + CREDIT_MARGIN)


def ntaps_of(params: Mapping[str, Any]) -> int:
    """``NTAPS``."""
    ntaps = integer(params, "NTAPS")
    low, high = TAPS_RANGE
    if ntaps % 2 or not low <= ntaps <= high:
        raise UsageError(f"parameter NTAPS = {ntaps} is not an even number from {low} to {high}")
    return ntaps


def registers(params: Mapping[str, Any]) -> FirRegisters:
    """The register file after reset."""
    ntaps = ntaps_of(params)
    samples = choice(params, "W", WIDTHS) // WORD_BITS
    return FirRegisters(ntaps, samples, fir_latency(ntaps), fifo_depth(ntaps))


def exact_sums(
    samples: npt.NDArray[np.int64], starts: npt.NDArray[np.int64], taps: tuple[int, ...]
) -> npt.NDArray[np.int64]:
    """sum_k h[k] x[n-k], exactly.

    Args:
        samples: (n, 2) re, im.
        starts: (n,) for each sample the first one its history reaches back to.
        taps: h.
    """
    total = np.zeros_like(samples)
    age = np.arange(len(samples), dtype=np.int64) - starts
    whole = not starts.any()
    for k, tap in enumerate(taps[: len(samples)]):
        if tap:
            part = samples[: len(samples) - k] * tap
            if not whole:
                part[age[k:] < k] = 0
            total[k:] += part
    return total


class Filter:
    """The filter's values, part by part.

    Args:
        settings: what the registers say.
    """

    def __init__(self, settings: FirSettings) -> None:
        self._settings = settings
        # As many samples as there are taps, or all so far; and how many there have been since the history was zeroed.
        self._history = np.zeros((0, 2), np.int16)
        self._age = 0
        self._ended = False
        self.changed = 0
        """Values that saturation has changed."""

    def __call__(self, part: Trace) -> Trace:
        """The output beats of the next input beats, at their cycles."""
        n, lanes = len(part), part.width // WORD_BITS
        words = valid_words(part)
        keep = keep_of(words, part.width)
        valid = keep[:, :: WORD_BITS // 8]
        samples = part.data.view("<i2").reshape(n, lanes, 2)[valid]
        known = len(self._history)
        starts = self._starts(part, words) + known if self._settings.frame_clear else None
        samples = np.concatenate([self._history, samples])
        kept, changed = _rounded_sums(samples, starts, self._settings, known)
        self._history = samples[max(0, len(samples) - len(self._settings.taps)) :]
        self.changed += changed
        data = np.zeros((n, lanes, 2), "<i2")
        data[valid] = kept
        columns = data.reshape(n, lanes * 2).view(np.uint8)
        return replace(part, data=columns, keep=keep, tid=None, tdest=None, tuser=None)

    def _starts(self, part: Trace, words: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """(samples,) the first sample that each one's history reaches back to; those before this part have negative numbers."""
        if not len(part):
            return np.zeros(0, np.int64)
        before = np.cumsum(words) - words  # samples before each beat
        opens = np.concatenate([[self._ended], part.last[:-1]])
        frame_start = np.maximum.accumulate(np.where(opens, before, -self._age))
        self._age = int(words.sum() - frame_start[-1])
        self._ended = bool(part.last[-1])
        return np.repeat(frame_start, words)


def filtered(source: Trace, settings: FirSettings) -> tuple[Trace, int]:
    """The output beats (at the input's cycles), and how many values saturation changed."""
    filter_ = Filter(settings)
    return filter_(source), filter_.changed


def _rounded_sums(
    samples: npt.NDArray[np.int16], starts: npt.NDArray[np.int64] | None, settings: FirSettings, known: int
) -> tuple[npt.NDArray[np.int16], int]:
    """The filter's values, and how many saturation changed; in blocks, as exact sums take many times the room of samples.

    Args:
        samples: (known + n, 2) re, im.
        starts: (n,) the first sample that each one's history reaches back to; None: there is no such limit.
        settings: what the registers say.
        known: samples before those whose values are wanted.
    """
    kept, changed = np.empty_like(samples[known:]), 0
    for first in range(known, len(samples), _BLOCK):
        # A block's history is at most one sample a tap.
        low, end = max(0, first - len(settings.taps)), min(len(samples), first + _BLOCK)
        since = np.zeros(end - low, np.int64)
        if starts is not None:
            since[first - low :] = np.maximum(starts[first - known : end - known] - low, 0)
        sums = exact_sums(samples[low:end].astype(np.int64), since, settings.taps)[first - low :]
        rounded = round_shift(sums, settings.shift, settings.rounding)
        values = saturate(rounded, PART_BITS, settings.saturation)
        changed += int(np.count_nonzero(values != rounded)) if settings.saturation else 0
        kept[first - known : end - known] = values
    return kept, changed


def stage(latency: int, depth: int, take: Take, first_ready: int) -> Take:
    """The filter's timing before ``take``."""
    outs = deque([first_ready - 1] * depth)  # of the last items, as many as there are credits
    credit, note = outs.popleft, outs.append
    out = first_ready - 1

    def put(offer: int) -> int:
        nonlocal out
        returned = credit()
        accept = offer if offer > returned else returned + 1
        due = accept + latency
        out = take(due if due > out else out + 1)
        note(out)
        return accept

    return put


def _source(params: Mapping[str, Any], stimulus: Stimulus) -> Trace:
    return offered(stimulus, "s_axis", choice(params, "W", WIDTHS), clock_of(stimulus, "aclk"))


def predict_accesses(params: Mapping[str, Any], stimulus: Stimulus) -> tuple[list[Reply], list[Reply]]:
    """The answers to the accesses of ``s_axil`` before and after the streams (all beats through)."""
    file = registers(params)
    before = file.apply(stimulus.program.get("s_axil", ()))
    source = _source(params, stimulus)
    file.run(len(source), filtered(source, file.settings)[1])
    return before, file.apply(stimulus.after.get("s_axil", ()))


@PartwiseModel
def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Iterator[Outcome]:
    """Golden model; parameters ``W NTAPS``."""
    ntaps = ntaps_of(params)
    clock = clock_of(stimulus, "aclk")
    source = _source(params, stimulus)
    file = registers(params)
    before = file.apply(stimulus.program.get("s_axil", ()))
    filter_ = Filter(file.settings)
    latency, depth = fir_latency(ntaps), fifo_depth(ntaps)
    pattern, first = stimulus.pattern("m_axis"), ready_from(stimulus)
    passage = Passage(lambda take: stage(latency, depth, take, first), latency, pattern, first)
    ports: dict[str, Trace] = {}
    for part, gaps in offers(source):
        if ports:
            yield Outcome(ports)
        accepts, outs = passage(gaps)
        ports = {"s_axis": transferred(part, clock, accepts), "m_axis": transferred(filter_(part), clock, outs)}
    file.run(len(source), filter_.changed)
    after = file.apply(stimulus.after.get("s_axil", ()))
    yield Outcome(ports, accesses={"s_axil": answered(stimulus, before, after)})
