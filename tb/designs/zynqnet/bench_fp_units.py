# SPDX-License-Identifier: Apache-2.0
"""ZynqNet's floating-point multipliers and adders alone, against numpy's float32."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.stream import StreamPort, silent
from goldbeat.tb.design.traffic import Rng, stream_cases
from goldbeat.tb.designs.zynqnet.blocks import COUNTED_LATE
from goldbeat.tb.paths import HDL

LATENCY = 3
"""MUL_LATENCY and ADD_LATENCY of docs/zynqnet-hardware.md."""
NAN = np.uint32(0x7FC00000)
_CHUNK = 1 << 20
_SPECIAL = np.array(
    (
        *(
            0,
            1,
            2,
            3,
            0x7FFFFF,
            0x800000,
            0x800001,
            0xFFFFFF,
            0x3F800000,
            0x3F800001,
            0x3FFFFFFF,
            0x40000000,
            0x4B000000,
        ),
        *(0x4B800000, 0x33800000, 0x34000000, 0x7E800000, 0x7F000000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000),
    ),
    np.uint32,
)


def _model(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    given = stimulus.inputs["s_axis"]
    pairs = np.ascontiguousarray(given.data).view("<f4").reshape(len(given), params["LANES"], 2)
    a, b = pairs[..., 0], pairs[..., 1]
    # Nothing transfers at edge 0, right behind reset release; a source that is late stays late.
    taken = given.cycle + int(len(given) > 0 and given.cycle[0] == 0)
    ports = {"s_axis": given.with_cycles(taken)}
    with np.errstate(all="ignore"):
        for name, value in (("m_mul", a * b), ("m_add", a + b)):
            bits = value.view(np.uint32).copy()
            bits[np.isnan(value)] = NAN
            data = bits.view(np.uint8).reshape(len(given), 4 * params["LANES"])
            ports[name] = Trace.from_bytes(
                data, cycle=taken + LATENCY, clock_ps=given.clock_ps, offset_ps=given.offset_ps
            )
    return Outcome(ports)


def _vectors(rng: Rng, count: int) -> npt.NDArray[np.uint32]:
    """(count, 2) pairs of bits: all patterns alike, exponents close to each other, sums that cancel, products near the ends."""
    a = rng.integers(0, 1 << 32, count, dtype=np.uint32)
    b = rng.integers(0, 1 << 32, count, dtype=np.uint32)
    kind = rng.integers(0, 8, count)
    exponent = (a >> 23) & 0xFF

    def with_exponent(bits: npt.NDArray[np.uint32], e: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
        new: npt.NDArray[np.uint32] = np.clip(e, 0, 255).astype(np.uint32) << np.uint32(23)
        return (bits & np.uint32(0x807FFFFF)) | new

    near = with_exponent(b, exponent.astype(np.int64) + rng.integers(-27, 28, count))
    b = np.where(kind == 1, near, b)
    # Few significant bits make ties; opposite signs and equal exponents cancel.
    few = np.uint32(0xFFFFFFFF) << rng.integers(8, 24, count).astype(np.uint32)
    a = np.where(kind == 2, a & few, a)
    b = np.where(kind == 2, near & (np.uint32(0xFFFFFFFF) << rng.integers(0, 13, count).astype(np.uint32)), b)
    b = np.where(kind == 3, (a ^ np.uint32(0x80000000)) + rng.integers(-4, 5, count).astype(np.uint32), b)
    # Exponents that add up to the ends of the range.
    ends = np.where(rng.integers(0, 2, count) == 0, 127, 381)
    b = np.where(kind == 4, with_exponent(b, ends - exponent.astype(np.int64) + rng.integers(-26, 4, count)), b)
    a = np.where(kind == 5, a & np.uint32(0x807FFFFF), a)
    b = np.where((kind == 5) & (rng.integers(0, 2, count) == 0), b & np.uint32(0x807FFFFF), b)
    special = rng.choice(_SPECIAL, (2, count)) | (rng.integers(0, 2, (2, count), dtype=np.uint32) << np.uint32(31))
    a = np.where(kind >= 6, special[0], a)
    b = np.where(kind == 7, special[1], b)
    pairs: npt.NDArray[np.uint32] = np.stack([a, b], axis=1).astype(np.uint32)
    return pairs


def _trace(setting: CaseContext, vectors: npt.NDArray[np.uint32]) -> Trace:
    clock = setting.clocks["aclk"]
    data = np.ascontiguousarray(vectors).view(np.uint8).reshape(-1, 8 * setting.params["LANES"])
    return Trace.from_bytes(data, clock_ps=clock.period_ps, offset_ps=clock.offset_ps)


def _fp_units(setting: CaseContext) -> list[Stimulus]:
    """Every pair of special values of both signs first, then so many random pairs."""
    rng, lanes = np.random.default_rng(setting.seed), setting.params["LANES"]
    both = np.concatenate([_SPECIAL, _SPECIAL | np.uint32(0x80000000)])
    grid = np.stack(np.meshgrid(both, both), axis=-1).reshape(-1, 2)
    parts = [grid[: len(grid) // lanes * lanes]]
    left = int(setting.options["vectors"])
    while left > 0:
        parts.append(_vectors(rng, _CHUNK if left > _CHUNK else -(-left // lanes) * lanes))
        left -= _CHUNK
    return [Stimulus({"s_axis": _trace(setting, part)}, clocks=setting.clocks) for part in parts]


def _traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    trace = _trace(setting, _vectors(rng, beats * setting.params["LANES"]))
    return Stimulus({"s_axis": trace}, clocks=setting.clocks)


DESIGN = Design(
    name="zynqnet_fp_units",
    summary="ZynqNet's IEEE single precision multipliers and adders alone",
    top="zynqnet_fp_units",
    files=("zynqnet/bench/zynqnet_fp_units.f",),
    root=HDL,
    cxx_flags=("-march=native",),
    parameters={"LANES": Parameter(default=16)},
    streams=(
        StreamPort(name="s_axis", direction="in", from_file=False, width="64*LANES", signals=silent("s_axis")),
        StreamPort(name="m_mul", direction="out", width="32*LANES", signals=silent("m_mul")),
        StreamPort(name="m_add", direction="out", width="32*LANES", signals=silent("m_add")),
    ),
    model=_model,
    cases=(
        Case(
            name="fp_units",
            slow=True,
            summary="all pairs of special values, then random ones: 10 million unless said otherwise",
            make=_fp_units,
            options={"vectors": 10_000_000},
        ),
        *stream_cases(_traffic, pauses=True),
    ),
    obligations=COUNTED_LATE,
)
