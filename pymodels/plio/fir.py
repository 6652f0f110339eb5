# SPDX-License-Identifier: Apache-2.0
"""Model of ``plio_fir``: a symmetric FIR over cint16 behind a credit counter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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
    through,
    transferred,
)
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.plio.fir_registers import FirRegisters, FirSettings, Reply
from goldbeat.pymodels.plio.keep_rule import WIDTHS, keep_of, valid_words
from goldbeat.pymodels.rounding import round_shift, saturate
from goldbeat.pymodels.stimulus import Outcome, Stimulus, answered
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


def filtered(source: Trace, settings: FirSettings) -> tuple[Trace, int]:
    """The output beats (at the input's cycles), and how many values saturation changed."""
    n, lanes = len(source), source.width // WORD_BITS
    words = valid_words(source)
    keep = keep_of(words, source.width)
    valid = keep[:, :: WORD_BITS // 8]
    samples = source.data.view("<i2").reshape(n, lanes, 2)[valid]

    starts = None
    if settings.frame_clear:
        before = np.cumsum(words) - words  # samples before each beat
        opens = np.zeros(n, np.bool_)
        opens[1:] = source.last[:-1]
        frame_start = np.maximum.accumulate(np.where(opens, before, 0))
        starts = np.repeat(frame_start, words)

    kept, changed = _rounded_sums(samples, starts, settings)
    data = np.zeros((n, lanes, 2), "<i2")
    data[valid] = kept
    columns = data.reshape(n, lanes * 2).view(np.uint8)
    return replace(source, data=columns, keep=keep, tid=None, tdest=None, tuser=None), changed


def _rounded_sums(
    samples: npt.NDArray[np.int16], starts: npt.NDArray[np.int64] | None, settings: FirSettings
) -> tuple[npt.NDArray[np.int16], int]:
    """The filter's values, and how many saturation changed; in blocks, as exact sums take many times the room of samples."""
    kept, changed = np.empty_like(samples), 0
    for first in range(0, len(samples), _BLOCK):
        # A block's history is at most one sample a tap.
        low, end = max(0, first - len(settings.taps)), min(len(samples), first + _BLOCK)
        since = np.zeros(end - low, np.int64) if starts is None else np.maximum(starts[low:end] - low, 0)
        sums = exact_sums(samples[low:end].astype(np.int64), since, settings.taps)[first - low :]
        rounded = round_shift(sums, settings.shift, settings.rounding)
        values = saturate(rounded, PART_BITS, settings.saturation)
        changed += int(np.count_nonzero(values != rounded)) if settings.saturation else 0
        kept[first:end] = values
    return kept, changed


def stage(latency: int, depth: int, take: Take, first_ready: int) -> Take:
    """The filter's timing before ``take``."""
    outs = [first_ready - 1] * depth  # out[i - depth] is outs[i]
    credit = iter(outs)  # follows the list as it grows
    note = outs.append
    out = first_ready - 1

    def put(offer: int) -> int:
        nonlocal out
        returned = next(credit)
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


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model; parameters ``W NTAPS``."""
    ntaps = ntaps_of(params)
    clock = clock_of(stimulus, "aclk")
    source = _source(params, stimulus)
    file = registers(params)
    file.apply(stimulus.program.get("s_axil", ()))
    beats, _ = filtered(source, file.settings)
    latency = fir_latency(ntaps)
    pattern, first = stimulus.pattern("m_axis"), ready_from(stimulus)
    accepts, outs = through(
        source.gaps, lambda take: stage(latency, fifo_depth(ntaps), take, first), latency, pattern, first
    )
    ports = {"s_axis": transferred(source, clock, accepts), "m_axis": transferred(beats, clock, outs)}
    return Outcome(ports, accesses={"s_axil": answered(stimulus, *predict_accesses(params, stimulus))})
