# SPDX-License-Identifier: Apache-2.0
"""ZynqNet's output cache, drain and pool cache: sums of tiles go in, results and pool sums come out in the order of memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet.int8 import finish
from goldbeat.pymodels.zynqnet.registers import shifts_word
from goldbeat.pymodels.zynqnet.shifts import Shifts
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.bundle import StatusPort
from goldbeat.tb.design.ports.stream import StreamPort, silent
from goldbeat.tb.design.traffic import Rng, stream_cases
from goldbeat.tb.designs.zynqnet.blocks import COUNTED_LATE, nan_bits, packed_rows, random_words, row_words
from goldbeat.tb.obligations.obligation import high_bits
from goldbeat.tb.paths import HDL

# docs/zynqnet-hardware.md: POOL_PIXEL, POOL_WAIT, and a step's way to the output FIFO and to the queue of bursts.
_POOL_PIXEL, _POOL_WAIT, _WORDS, _QUEUE = 8, 8, 6, 1
_ACC, _BURST = 256, 16
_RESULTS, _SUMS = 0x10000, 0x1000
_READ = 1
# As in zynqnet_block_gpool: numbers, and the limits of the format.
_BIASES = np.array(
    [
        *(0x3FC00000, 0x81012345, 0x00000000, 0x80000000, 0x01912345, 0x82C12345, 0x00000001, 0x807FFFFF),
        *(0x00800000, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00001, 0x04923456, 0x82345678, 0x08812345),
    ],
    np.uint32,
)
_SHIFTS = Shifts(bias=2, out=7, concat=1)

_PLAIN = 0.3
_WHOLE = 1000
"""Beats from which on the whole image comes."""


def _tiles(params: Mapping[str, Any]) -> list[int]:
    """Pixels of each tile of the image, in order."""
    width, most = params["W_OUT"], _ACC // (params["CH_OUT"] // params["NPE"])
    row = [min(most, width - x) for x in range(0, width, most)]
    tiles: list[int] = row * params["H_OUT"]
    return tiles


def _shifts(params: Mapping[str, Any]) -> Shifts:
    values = reg.REGISTERS["SHIFTS"].unpack(params["SHIFTS"]).values()
    bias, out, concat = (value - 256 if value > 127 else value for value in values)
    return Shifts(bias=bias, out=out, concat=concat if params["SPLIT"] else 0)


def _biases(params: Mapping[str, Any]) -> npt.NDArray[Any]:
    """(ch_out,) float32, or int64."""
    row, element = np.divmod(np.arange(params["CH_OUT"]), params["NPE"])
    place = (element + 3 * row + 5 * (row >> 4)) % len(_BIASES)
    whole: npt.NDArray[Any] = (37 * place + 100).astype(np.uint8).view(np.int8).astype(np.int64)
    return whole if params["INT8"] else _BIASES.view(np.float32)[place]


def _results(params: Mapping[str, Any], acc: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """(pixels, ch_out) bits of results of sums."""
    if params["INT8"]:
        sums = acc.view(np.int32).astype(np.int64)
        return finish(sums, _biases(params), _shifts(params), bool(params["RELU"])).view(np.uint32)
    with np.errstate(all="ignore"):
        value = acc.view(np.float32) + _biases(params)
    return nan_bits(np.where(value < 0, np.float32(0), value) if params["RELU"] else value)


class _Drain:
    """What leaves, and when."""

    def __init__(self, params: Mapping[str, Any], credited: list[int]) -> None:
        self.params, self.lanes = params, params["DATA_W"] // 32
        self.words: list[npt.NDArray[Any]] = []
        self.steps: list[int] = []
        self.ends: list[bool] = []
        self.bursts: list[tuple[int, int, int]] = []
        self.sums: npt.NDArray[Any] | None = None
        self.address = _RESULTS // (4 * self.lanes)
        self.last, self.credited = -1, credited

    def put(self, row: npt.NDArray[Any], address: int, earliest: int) -> None:
        """One pixel's words, the first step not before ``earliest``."""
        beats = row.reshape(-1, self.lanes)
        for n, words in enumerate(beats):
            step = max(earliest, self.last + 1, self.credited[len(self.steps)] + 1)
            place = (address + n) % _BURST
            if n == 0 or place == 0:
                self.bursts.append((step, (address + n) * 4 * self.lanes, min(len(beats) - n, _BURST - place) - 1))
            self.words.append(words)
            self.steps.append(step)
            self.ends.append(n == len(beats) - 1 or place == _BURST - 1)
            self.last = step

    def tile(self, sums: npt.NDArray[Any], there: int) -> None:
        """Drain a tile, (pixels, ch_out), whose last sum was taken in cycle ``there``."""
        params, earliest = self.params, max(there + 1, self.last + 1) + 1
        for row in _results(params, sums):
            if params["GPOOL"]:
                earliest = max(earliest, self.last + _POOL_PIXEL - len(row) // self.lanes + 1)
            self.put(row, self.address, earliest)
            self.address += params["CH_OUT"] * (1 + params["SPLIT"]) // self.lanes
            if self.sums is None:
                self.sums = row.copy()
            elif params["INT8"]:
                self.sums = self.sums + row
            else:
                with np.errstate(all="ignore"):
                    self.sums = nan_bits(self.sums.view(np.float32) + row.view(np.float32))


def _model(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    given = stimulus.inputs["s_sums"]
    npe, tiles, words = params["NPE"], _tiles(params), row_words(given)
    groups, gaps = params["CH_OUT"] // npe, given.gaps.tolist()
    credit = stimulus.inputs["s_credit"]
    given_at: list[int] = []
    for gap in credit.gaps.tolist():
        given_at.append(max(given_at[-1] + 1 + gap, 1) if given_at else max(gap, 1))
    drain = _Drain(params, given_at)
    drained: list[int] = []
    taken: list[int] = []
    written: dict[tuple[int, int], npt.NDArray[Any]] = {}
    read: list[tuple[int, npt.NDArray[Any]]] = []
    at, cycle = 0, -1
    for number, pixels in enumerate(tiles):
        beats = words[at : at + groups * pixels, 1:]
        for n in range(len(beats)):
            room = drained[number - 2] + 1 if n == 0 and number >= 2 else 1
            cycle = max(cycle + 1 + gaps[at + n], room)
            taken.append(cycle)
            if number >= 2:
                read.append((cycle + _READ, written[number % 2, n]))
            written[number % 2, n] = beats[n]
        at += len(beats)
        if len(beats) < groups * pixels:
            break
        drain.tile(beats.reshape(groups, pixels, npe).transpose(1, 0, 2).reshape(pixels, -1), cycle)
        drained.append(drain.last)
    whole = len(drained) == len(tiles)
    if whole and params["GPOOL"] and drain.sums is not None:
        drain.put(drain.sums, _SUMS // (4 * drain.lanes), drain.last + _POOL_WAIT)
    steps = np.array(drain.steps, np.int64)
    out = np.array(drain.words, np.uint32).reshape(-1, drain.lanes)
    bursts = [[*address.to_bytes(4, "little"), length] for _, address, length in drain.bursts]
    ports = {
        "s_sums": given.with_cycles(np.array(taken, np.int64)),
        "s_credit": credit.with_cycles(np.array(given_at, np.int64)),
        "m_axis": packed_rows(out, given, steps + _WORDS, np.array(drain.ends, np.bool_)),
        "m_burst": packed_rows(
            np.array(bursts, np.uint8).reshape(-1, 5), given, np.array([b[0] for b in drain.bursts], np.int64) + _QUEUE
        ),
        "m_read": packed_rows(
            np.array([row for _, row in read], np.uint32).reshape(-1, npe),
            given,
            np.array([c for c, _ in read], np.int64),
        ),
    }
    return Outcome(ports, {"finished": int(whole)})


def _int8_sums(rng: Rng, params: Mapping[str, Any], channels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sums whose results are about everywhere, or near ties and limits."""
    shape, shifts, bias = channels.shape, _shifts(params), _biases(params)[channels]
    top = 40_000 << max(0, shifts.out - 7)
    wide = rng.integers(-top, top, shape) >> rng.integers(0, 17, shape)
    result = np.where(
        rng.random(shape) < 0.5, rng.choice([-128, -127, 126, 127], shape), rng.integers(-130, 131, shape)
    )
    tie = (1 << max(0, shifts.out)) // 2
    total = (result << max(0, shifts.out)) + rng.choice([0, -tie, tie, tie - 1, 1 - tie], shape) >> max(0, -shifts.out)
    near = total - (bias << max(0, shifts.bias)) >> max(0, -shifts.bias)
    return np.where(rng.random(shape) < 0.5, near, wide).astype(np.int32).view(np.uint32)


def _sums(rng: Rng, params: Mapping[str, Any], channels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sums of these channels, as bits: ordinary ones, or such as are near the limits of the format and of their bias."""
    shape = channels.shape
    if params["INT8"]:
        return _int8_sums(rng, params, channels)
    plain = random_words(rng, shape)
    bits = rng.integers(0, 1 << 32, shape, dtype=np.uint32)
    near = _BIASES[rng.integers(0, len(_BIASES), shape)] ^ (bits & np.uint32(0x80000003))
    # Differences of every length.
    low = np.uint32(0x80000000) | ((np.uint32(1) << rng.integers(0, 24, shape, dtype=np.uint32)) - np.uint32(1))
    own = _biases(params).view(np.uint32)[channels] ^ (bits & low)
    scaled = own ^ (bits & np.uint32(0x0FFFFFFF))
    wild = np.choose(rng.integers(0, 5, shape), [plain, bits, near, own, scaled])
    # Huge numbers hide what is missing in a pool sum.
    return np.where((rng.random(params["CH_OUT"]) < _PLAIN)[channels], plain, wild)


def _traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    params = setting.params
    groups, tiles = params["CH_OUT"] // params["NPE"], _tiles(params)
    # Fewer would not make a tile, and a long run brings the whole image.
    beats = max(beats, groups * tiles[0], 12) if beats < _WHOLE else groups * sum(tiles)
    places = [(i, number) for number, pixels in enumerate(tiles) for i in range(groups * pixels)]
    ends = np.cumsum([groups * pixels for pixels in tiles]) - 1
    count = min(beats, len(places))
    rows = np.zeros((count, params["NPE"] + 1), np.uint32)
    channels = np.array([index // tiles[number] for index, number in places[:count]])[:, None] * params["NPE"]
    rows[:, 1:] = _sums(rng, params, channels + np.arange(params["NPE"]))
    for n, (index, number) in enumerate(places[:count]):
        rows[n, 0] = index | (number & 1) << 8 | int(n in ends) << 9
    clock = setting.clocks["aclk"]
    steps = (params["W_OUT"] * params["H_OUT"] + params["GPOOL"]) * params["CH_OUT"] // (params["DATA_W"] // 32)
    # More than there are steps: none may come behind the last.
    enough = packed_rows(np.zeros((steps + 3, 1), np.uint8), clock)
    return Stimulus({"s_sums": packed_rows(rows, clock), "s_credit": enough}, clocks=setting.clocks)


DESIGN = Design(
    name="zynqnet_gpool",
    summary="ZynqNet's output cache, drain and pool cache",
    top="zynqnet_block_gpool",
    files=("zynqnet/bench/zynqnet_gpool.f",),
    root=HDL,
    parameters={
        "NPE": Parameter(default=16),
        "DATA_W": Parameter(default=128),
        "INT8": Parameter(default=0),
        "W_OUT": Parameter(default=3),
        "H_OUT": Parameter(default=4),
        "CH_OUT": Parameter(default=16),
        "RELU": Parameter(default=1),
        "GPOOL": Parameter(default=1),
        "SPLIT": Parameter(default=0),
        "SHIFTS": Parameter(default=shifts_word(_SHIFTS)),
    },
    streams=(
        StreamPort(
            name="s_sums",
            direction="in",
            width="32+32*NPE",
            from_file=False,
            signals={role: f"s_sums_{role}" for role in ("tdata", "tvalid", "tready")},
        ),
        StreamPort(
            name="s_credit",
            direction="in",
            width=8,
            from_file=False,
            signals={role: f"s_credit_{role}" for role in ("tdata", "tvalid", "tready")},
        ),
        StreamPort(
            name="m_axis",
            direction="out",
            width="DATA_W",
            signals={role: f"m_axis_{role}" for role in ("tdata", "tlast", "tvalid")},
        ),
        StreamPort(name="m_burst", direction="out", width=40, signals=silent("m_burst")),
        StreamPort(name="m_read", direction="out", width="32*NPE", signals=silent("m_read")),
    ),
    status=(StatusPort(name="finished", width=1),),
    model=_model,
    variants=(
        {},
        {"CH_OUT": 32, "W_OUT": 2, "H_OUT": 5},
        # Three tiles in a row, the last one smaller; a beat is as wide as the elements; bursts that begin anywhere.
        {"NPE": 4, "CH_OUT": 80, "W_OUT": 27, "H_OUT": 2, "GPOOL": 0, "SPLIT": 1, "RELU": 0},
        {"INT8": 1, "SPLIT": 1, "DATA_W": 64},
    ),
    cases=stream_cases(_traffic, pauses=True),
    obligations={
        **high_bits(
            "a layer of this bench has few tiles, and needs few steps; the widths are those of the largest layer",
            ("zynqnet_drain.sv", "tiles_computed", 3, 15),
            ("zynqnet_drain.sv", "tiles_drained", 3, 15),
            ("zynqnet_drain.sv", "drained_q", 3, 15),
            ("zynqnet_block_gpool.sv", "tiles_q", 3, 15),
            ("zynqnet_block_gpool.sv", "tiles_drained", 3, 15),
            ("zynqnet_block_gpool.sv", "credits_q", 5, 15),
        ),
        "values zynqnet_drain.sv:*left_q - pixels_q*": "a row of the default layer is one tile; variants have rows of three",
        "values zynqnet_drain.sv:*: ((group_q + 8'h1) ==*": "the default layer has one group; variants have more",
        **COUNTED_LATE,
        "handshake s_credit_tready: fell*": "credits are always taken",
    },
)
