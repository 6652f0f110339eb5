# SPDX-License-Identifier: Apache-2.0
"""The streaming cint16 FIR, the kernel of the PLIO system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.plio import fir_map as reg
from goldbeat.pymodels.plio.fir import predict
from goldbeat.pymodels.plio_file.generate import generate_parts
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.rounding import ROUNDINGS, rounding_mode, saturation_mode
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.storage import Storage, storage_of
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import (
    Rng,
    blocks_of,
    one_after_the_other,
    random_trace,
    registers_case,
    spaced,
    stream_cases,
)
from goldbeat.tb.paths import HDL

_LONG_BLOCK = 1 << 16
"""Samples of a long stimulus that are made at once, to the next whole frame."""
_SATURATION_CODES = {"none": 0, "saturate": 1, "symmetric": 3}
_LARGEST = ((0, 0), (33, 6), (33, 7), (34, 6), (34, 7), (35, 6), (35, 7), (36, 6), (36, 7), (47, 1), (50, 1))
"""Shift and rounding for sums of 2^33 to 2^35: ties, and shifts beyond the largest."""
_HALF_BAND = 0.2
"""Pass band edge of the default filter, as a share of the sampling rate."""


def lowpass_taps(ntaps: int, edge: float = _HALF_BAND, scale: int = 1 << 15) -> tuple[int, ...]:
    """First half of a symmetric Hamming-windowed low-pass, gain 1 at ``scale`` = 2^shift."""
    n = np.arange(ntaps) - (ntaps - 1) / 2
    taps = np.sinc(2 * edge * n) * np.hamming(ntaps)
    whole = np.round(taps / taps.sum() * (scale - 1)).astype(int)
    return tuple(int(t) for t in whole[: ntaps // 2])


def settings(half: Sequence[int], shift: int, rounding: int, saturation: int, *, ctrl: int = 0) -> tuple[Access, ...]:
    """The register program that sets the filter up."""
    writes = [
        Access("write", reg.CTRL, ctrl),
        Access("write", reg.SHIFT, shift),
        Access("write", reg.ROUND, rounding),
        Access("write", reg.SAT, saturation),
        *(Access("write", reg.COEF + 4 * k, int(h) & 0xFFFFFFFF) for k, h in enumerate(half)),
    ]
    return tuple(writes)


_AFTER = (
    *(Access("read", address) for address in (reg.BEATS, reg.SATCOUNT, reg.CTRL, reg.SHIFT, reg.ROUND, reg.SAT)),
    Access("write", reg.CTRL, reg.CTRL_CLEAR),
    Access("write", reg.SATCOUNT, 0),
    Access("read", reg.SATCOUNT),
)
"""Counters and settings at the end; then what clears the history, which is no longer empty, and the counter."""


def _random_program(setting: CaseContext, rng: Rng) -> tuple[Access, ...]:
    half = setting.params["NTAPS"] // 2
    size = int(rng.choice([100, 5000, 32767]))
    taps = rng.integers(-size - 1, size + 1, half)
    program = settings(
        taps.tolist(), int(rng.integers(0, 24)), int(rng.integers(8)), int(rng.integers(4)), ctrl=int(rng.integers(4))
    )
    program += (Access("write", reg.SATCOUNT, 0),)
    order = rng.permutation(len(program))
    return tuple(program[i] for i in order)


def _traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    keep = str(rng.choice(["words", "words", "any"]))
    trace = random_trace(
        rng,
        setting.params["W"],
        beats,
        setting.clocks["aclk"],
        keep=keep,
        finish=bool(rng.integers(2)),
        frames=setting.frames,
    )
    if rng.integers(4) == 0:
        # Full-scale values of both signs, where sums and saturation are at their limits.
        words = rng.choice(np.array([0x7FFF, 0x8000, 0xFFFF, 0], "<u2"), (len(trace), trace.width // 16))
        trace = replace(trace, data=words.view(np.uint8))
    program: dict[str, tuple[Access, ...]] = {}
    if rng.integers(8):
        program = {"s_axil": _random_program(setting, rng)}
    return Stimulus(inputs={"s_axis": trace}, clocks=setting.clocks, program=program, after={"s_axil": _AFTER})


def _chirp(setting: CaseContext) -> Iterator[Trace]:
    """A chirp with noise in parts of whole frames."""
    samples, frame = int(setting.options["samples"]), int(setting.options["frame"])
    # Frames that cannot be are refused by the first part.
    block = max(1, _LONG_BLOCK // max(1, frame)) * max(1, frame)
    made = generate_parts("chirp", samples, "cint16", block, amplitude=20000, noise=2000, seed=setting.seed)
    clock_ps = setting.clocks["aclk"].period_ps
    return one_after_the_other(
        Trace.from_samples(part, "cint16", setting.params["W"], clock_ps=clock_ps, frame=frame) for part in made
    )


def _filter(setting: CaseContext) -> list[Stimulus]:
    options, ntaps = setting.options, setting.params["NTAPS"]
    taps = options["taps"] or lowpass_taps(ntaps)
    if len(taps) != ntaps // 2:
        raise UsageError(f"option taps: found {len(taps)} values, expected {ntaps // 2} (half of NTAPS, symmetric)")
    clock = setting.clocks["aclk"]
    source = setting.inputs.get("s_axis")
    parts = _chirp(setting) if source is None else blocks_of(source)
    source = setting.shelf.keep(spaced(parts, setting.pattern("gaps")))
    program = settings(
        taps,
        int(options["shift"]),
        ROUNDINGS.index(rounding_mode(options["rounding"])),
        _SATURATION_CODES[saturation_mode(options["saturation"])],
    )
    return [
        Stimulus(
            inputs={"s_axis": source},
            ready={"m_axis": setting.pattern("ready", 1)},
            clocks={"aclk": clock},
            program={"s_axil": program},
            after={"s_axil": _AFTER},
        )
    ]


def _rounding(setting: CaseContext) -> list[Stimulus]:
    """Every rounding mode with every saturation mode, on sums full of ties and at the edges of 16 bits."""
    rng = np.random.default_rng(setting.seed)
    clock, half = setting.clocks["aclk"], setting.params["NTAPS"] // 2
    episodes = []
    for rounding in range(len(ROUNDINGS)):
        for saturation in range(4):
            # Small taps and shifts of 1 to 3 make every other sum a tie; the large values reach both limits.
            taps = rng.integers(-3, 4, half).tolist()
            edge = rng.choice(
                np.array([0x7FFF, 0x7FFE, 0x8000, 0x8001, 1, 0xFFFF, 0], "<u2"), (24, setting.params["W"] // 16)
            )
            small = rng.integers(-9, 10, (24, setting.params["W"] // 16)).astype("<i2").view("<u2")
            data = np.concatenate([edge, small]).view(np.uint8)
            program = settings(taps, int(rng.integers(1, 4)), rounding, saturation)
            trace = Trace.from_bytes(data, clock_ps=clock.period_ps, offset_ps=clock.offset_ps)
            episodes.append(
                Stimulus({"s_axis": trace}, {}, setting.clocks, {"s_axil": program}, after={"s_axil": _AFTER})
            )
    return episodes + [_largest_sum(setting, shift, rounding) for shift, rounding in _LARGEST]


def _largest_sum(setting: CaseContext, shift: int, rounding: int) -> Stimulus:
    """The one sum that needs all bits: every sample and every tap is the least there is."""
    half = setting.params["NTAPS"] // 2
    data = np.full((setting.params["NTAPS"] + 4, setting.params["W"] // 16), 0x8000, "<u2").view(np.uint8)
    clock = setting.clocks["aclk"]
    trace = Trace.from_bytes(data, clock_ps=clock.period_ps, offset_ps=clock.offset_ps)
    program = settings([-0x8000] * half, shift, rounding, 1)
    return Stimulus({"s_axis": trace}, {}, setting.clocks, {"s_axil": program}, after={"s_axil": _AFTER})


def _registers(setting: CaseContext) -> list[Stimulus]:
    """Every register written and read back, byte strobes, everything that must answer with an error."""
    rng = np.random.default_rng(setting.seed)
    half = setting.params["NTAPS"] // 2
    known = [reg.ID, reg.CONFIG, reg.CTRL, reg.SHIFT, reg.ROUND, reg.SAT, reg.BEATS, reg.SATCOUNT]
    known += [reg.COEF + 4 * k for k in range(half)]
    holes = [0x020, 0x03C, reg.COEF + 4 * half, 0x7FC, 0xFFC]
    # Registers once more, but for one address bit that is too many.
    holes += [address | 1 << bit for address in (reg.SHIFT, reg.COEF) for bit in range(9, 12)]
    accesses = [Access("read", a) for a in (*known, *holes)]
    for address in rng.permutation(known + holes).tolist():
        strobe = int(rng.choice([0xF, 0xF, 0x1, 0x2, 0x3, 0x6, 0xC, 0x8]))
        accesses.append(Access("write", address, int(rng.integers(1 << 32)), strobe))
        accesses.append(Access("read", address))
    # Every setting without its lowest byte, and with that alone.
    for address in (reg.CTRL, reg.SHIFT, reg.ROUND, reg.SAT, reg.COEF):
        accesses += [Access("write", address, 0xFFFFFFFF, strobe) for strobe in (0xE, 0x1)]
        accesses += [Access("read", address), Access("write", address, 0, 0xE), Access("read", address)]
    accesses += [Access("read", a) for a in known]
    trace = Trace.empty(setting.params["W"], clock_ps=setting.clocks["aclk"].period_ps)
    together = Stimulus(inputs={"s_axis": trace}, clocks=setting.clocks, program={"s_axil": tuple(accesses)})
    # An address that comes before its data is kept somewhere.
    apart = {"s_axil": RegisterTraffic("address-first", gap=2)}
    return [together, replace(together, traffic=apart)]


_STORAGE = (
    *storage_of(reg.REGISTERS[name] for name in ("SHIFT", "ROUND", "SAT")),
    # The least that NTAPS allows.
    Storage(base=reg.COEF, words=2),
)

_WORDS = "registers are accessed by whole words"

DESIGN = Design(
    name="plio_fir",
    summary="symmetric cint16 FIR: coefficients, shift and rounding by AXI-Lite, one beat per cycle",
    top="plio_fir",
    files=("plio/plio_fir.f",),
    root=HDL,
    parameters={"W": Parameter(default=32), "NTAPS": Parameter(default=16)},
    streams=(
        StreamPort(name="s_axis", direction="in", width="W", dtype="cint16"),
        StreamPort(name="m_axis", direction="out", width="W", dtype="cint16"),
    ),
    registers=(LitePort(name="s_axil", storage=_STORAGE),),
    model=predict,
    variants=(*({"W": w} for w in (32, 64, 128)), {"NTAPS": 4}, {"NTAPS": 6, "W": 64}),
    cases=(
        Case(
            name="filter",
            summary="a chirp with noise (or --input s_axis=FILE) through a low-pass",
            make=_filter,
            options={
                "taps": (),
                "shift": 15,
                "rounding": "floor",
                "saturation": "saturate",
                "samples": 1024,
                "frame": 256,
                "gaps": "none",
                "ready": "none",
            },
        ),
        *stream_cases(_traffic, pauses=True),
        Case(
            name="rounding",
            summary="every rounding and saturation mode on ties and limits",
            make=_rounding,
            inputs=False,
        ),
        registers_case(_registers),
    ),
    obligations={
        "values axil_regs.sv:*: *addr*[0] *": _WORDS,
        "values axil_regs.sv:*: *addr*[1] *": _WORDS,
        "values axil_regs.sv:*: ?resp_q[0] *": "registers answer OKAY or SLVERR",
        "values plio_fir_regs.sv:*: *addr[0] *": _WORDS,
        "values plio_fir_regs.sv:*: *addr[1] *": _WORDS,
        "values plio_saturate.sv:*: lowest[*": "the two lowest values differ in bit 0 alone",
        "values plio_fir_regs.sv:*: *sat_count_sum[32] ? *": "takes 2^32 saturated values",
        "values fifo_sync.sv:*: `(wptr_d ^ rptr_d) != WrapBit`*": (
            "there are credits for as many words as it holds, and one of them is in its output register"
        ),
    },
)
