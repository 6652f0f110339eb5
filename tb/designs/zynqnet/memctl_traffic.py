# SPDX-License-Identifier: Apache-2.0
"""What runs on ZynqNet's memory controller alone: layers, rows that are released, drain steps, memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet.hardware import BURST
from goldbeat.pymodels.zynqnet.memctl import FIRST_STEP, LAST_STEP, LAYER_WORDS, LAYERS, MEMORY, ROWS, STEPS, layer_beat
from goldbeat.pymodels.zynqnet.memory_map import DRAM_BASE, WORD_BYTES
from goldbeat.pymodels.zynqnet.registers import HELD
from goldbeat.pymodels.zynqnet.timing_reader import cut
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.zynqnet.blocks import packed_rows

PATTERNS = ("none", "random:0.3", "random:0.7", "bursty:16", "bursty:3", "worst")
CHANNELS = 5
_PAGE = 1024
"""Words between two addresses that no AXI4 burst may cross."""
_SLOWEST = 20
LONG_PAUSE = 70
"""Cycles in which a source has nothing, or a channel is not ready."""
_ALIGNED = 4
"""Words; images, weights and results begin at multiples of it."""
_NOTHING = dict.fromkeys(HELD, 0)


def _aligned(words: int) -> int:
    return -(-words // _ALIGNED) * _ALIGNED


@dataclass(frozen=True)
class TrafficShape:
    """A layer as the controller sees it.

    Attributes:
        width, height, ch_in, ch_out, kernel: as in the registers.
        steps: about so many drain steps, at least one.
        short: drain bursts are one or two beats long, not as long as they can be.
        skew: words, a multiple of 4, from a multiple of 4 KiB to the image, to the weights and to the results; None: any.
    """

    width: int
    height: int
    ch_in: int
    ch_out: int = 16
    kernel: int = 1
    steps: int = 8
    short: bool = False
    skew: tuple[int, int, int] | None = None

    @property
    def words_in(self) -> int:
        """Of the image."""
        return self.width * self.height * self.ch_in

    @property
    def weights(self) -> int:
        """Weights and biases."""
        return (self.kernel**2 * self.ch_in + 1) * self.ch_out


def random_shape(rng: Rng, beats: int) -> TrafficShape:
    """A layer whose image and drain steps are of this size."""
    if rng.random() < 0.2:
        # The drain ends last.
        return TrafficShape(4, 1, 1, steps=beats, short=bool(rng.integers(2)))
    ch_in = int(rng.choice([1, 2, 3, 4, 5, 7, 8, 12, 16]))
    width = max(-(-_ALIGNED // ch_in), int(rng.integers(1, 2 + beats // (2 * ch_in))))
    height = int(rng.integers(1, 2 + min(24, 4 * beats // (width * ch_in) + 4)))
    return TrafficShape(
        width=width,
        height=height,
        ch_in=ch_in,
        ch_out=16 * int(rng.integers(1, 4)),
        kernel=int(rng.choice([1, 3])) if beats > 20 else 1,
        steps=int(rng.integers(1, beats + 1)),
        short=bool(rng.random() < 0.3),
    )


@dataclass
class Traffic:
    """An episode that is being made.

    Args:
        setting: of the run.
        rng: randomness.
    """

    setting: CaseContext
    rng: Rng
    configs: list[list[int]] = field(default_factory=list)
    rows: list[tuple[int, bool]] = field(default_factory=list)
    row_gaps: list[int] = field(default_factory=list)
    steps: list[npt.NDArray[np.uint32]] = field(default_factory=list)
    ends: list[bool] = field(default_factory=list)
    _free: int = 0
    _results: int | None = None

    @property
    def lanes(self) -> int:
        """Words in a beat."""
        return int(self.setting.params["DATA_W"]) // 32

    def _place(self, words: int, skew: int | None) -> int:
        """The first of so many words of memory that nothing else has."""
        if skew is None:
            first = self._free + _ALIGNED * int(self.rng.integers(0, 2 * BURST))
        else:
            first = -(-self._free // _PAGE) * _PAGE + skew
        # Whole beats are read.
        self._free = first + _aligned(words)
        return first

    def add(self, shape: TrafficShape) -> None:
        """One more layer."""
        rng = self.rng
        skew = shape.skew or (None, None, None)
        chained = self._results is not None and shape.skew is None and rng.random() < 0.3
        if chained:
            # What the layer before has written.
            image = self._results or 0
            self._free = max(self._free, image + _aligned(shape.words_in))
        else:
            image = self._place(shape.words_in, skew[0])
        weights = self._place(shape.weights, skew[1])
        self._release(shape)
        self._drain(shape, skew[2])
        self.configs.append(
            layer_beat(
                _NOTHING
                | {
                    reg.WIDTH: shape.width,
                    reg.HEIGHT: shape.height,
                    reg.CH_IN: shape.ch_in,
                    reg.CH_OUT: shape.ch_out,
                    reg.KERNEL: shape.kernel,
                    reg.STRIDE: 1,
                    reg.NUM_WEIGHTS: shape.weights,
                    reg.MEM_IN: image,
                    reg.MEM_WEIGHTS: weights,
                    reg.MEM_OUT: self._results or 0,
                    reg.DRAM_BASE: DRAM_BASE,
                    reg.MEM_WORDS: HELD[reg.MEM_WORDS],
                }
            )
        )

    def judge(self, values: Mapping[int, int]) -> None:
        """One more layer, which is judged alone; values of its registers by address."""
        self.configs.append(layer_beat(values, alone=True))

    def _release(self, shape: TrafficShape) -> None:
        """Base rows that let the reader go on to the last row; sometimes in time, sometimes late."""
        least = max(0, shape.height - int(self.setting.params["LINES"]) + 1)
        bases = [int(self.rng.integers(0, 2)) if shape.height > 1 else 0]
        while bases[-1] < least:
            bases.append(min(bases[-1] + int(self.rng.integers(1, 4)), shape.height - 1))
        row_beats = -(-shape.width * shape.ch_in // self.lanes)
        # The longest pauses leave the reader waiting with a full image cache.
        most = int(self.rng.choice([0, 3 * row_beats + 10, _SLOWEST * (row_beats + 10)]))
        self.row_gaps += self.rng.integers(0, most + 1, len(bases)).tolist()
        self.rows += [(base, n == len(bases) - 1) for n, base in enumerate(bases)]

    def _drain(self, shape: TrafficShape, skew: int | None) -> None:
        """Drain steps in bursts that cross no border."""
        rng, lanes = self.rng, self.lanes
        at = self._place(0, skew)
        self._results = at
        beat, left = at // lanes, shape.steps
        while left:
            most = int(rng.integers(1, 3)) if shape.short else left
            first, size = next(cut(beat, beat + min(left, most, BURST)))
            for n in range(size):
                row = np.zeros(lanes + 2, np.uint32)
                row[:lanes] = rng.integers(0, 1 << 32, lanes, dtype=np.uint32)
                row[lanes] = DRAM_BASE + first * lanes * WORD_BYTES
                row[lanes + 1] = size - 1 | (FIRST_STEP if n == 0 else 0) | (LAST_STEP if n == size - 1 else 0)
                self.steps.append(row)
                self.ends.append(False)
            left -= size
            # Short bursts jump, as those of a split layer do.
            beat = first + size + (int(rng.integers(0, 4)) if shape.short else 0)
        self.ends[-1] = True
        self._free = _aligned(beat * lanes)

    def stimulus(self, timing: MemoryTiming, gaps: str = "none", holes: bool = False) -> Stimulus:
        """The episode.

        Args:
            timing: of the memory.
            gaps: pattern of the drain's pauses.
            holes: parts of the memory cannot be read or written, or are not there.
        """
        (clock,) = self.setting.clocks.values()
        count = len(self.steps)
        pauses = Pattern.parse(gaps, seed=int(self.rng.integers(1 << 31))).gaps(count)
        layers = np.array(self.configs, np.uint32).reshape(-1, LAYER_WORDS)
        between = self.rng.integers(0, 4, len(layers))
        between[1::2] = LONG_PAUSE
        rows = np.array(self.rows, np.int64).reshape(-1, 2)
        inputs = {
            LAYERS: packed_rows(layers, clock).with_gaps(between),
            ROWS: packed_rows(rows[:, :1].astype(np.uint32), clock, last=rows[:, 1] != 0).with_gaps(self.row_gaps),
            STEPS: packed_rows(np.array(self.steps, np.uint32), clock, last=self.ends).with_gaps(pauses),
        }
        memory = MemoryImage(self._regions(holes), timing, refusals=holes)
        return Stimulus(inputs, clocks=self.setting.clocks, memories={MEMORY: memory})

    def _regions(self, holes: bool) -> tuple[Region, ...]:
        words = self._free + BURST * _ALIGNED
        data = self.rng.integers(0, 256, WORD_BYTES * words, dtype=np.uint8)
        if not holes:
            return (Region("memory", DRAM_BASE, data),)
        cuts = np.unique(self.rng.integers(1, words, int(self.rng.integers(2, 12)))).tolist()
        regions = []
        for n, (first, end) in enumerate(pairwise([0, *cuts, words])):
            if self.rng.random() < 0.15:
                continue
            base = DRAM_BASE + WORD_BYTES * first
            readable, writable = (bool(self.rng.random() < 0.8) for _ in range(2))
            part = data[WORD_BYTES * first : WORD_BYTES * end]
            regions.append(Region(f"part {n}", base, part, readable=readable, writable=writable))
        return tuple(regions)


def holding_back(patterns: Sequence[str], seed: int) -> MemoryTiming:
    """A memory that holds back on AW, W, AR, R and B by one pattern each; an after-valid one leaves R and B alone."""
    aw, w, ar, r, b = (Pattern.parse(pattern, seed=seed + n) for n, pattern in enumerate(patterns))
    r, b = (Pattern() if gaps.waits else gaps for gaps in (r, b))
    return MemoryTiming(aw_ready=aw, w_ready=w, ar_ready=ar, r_gaps=r, b_gaps=b, seed=seed)


def memctl_timing(rng: Rng) -> MemoryTiming:
    """A memory of any kind: fixed latency, or late, jittering and holding back."""
    plain = bool(rng.random() < 0.3)
    patterns = ["none"] * CHANNELS if plain else [str(rng.choice(PATTERNS)) for _ in range(CHANNELS)]
    read, write = ((1, 1) if plain else ((1, 1), (3, 4), (1, 3))[int(rng.integers(3))] for _ in range(2))
    jitters = (0, 0) if plain else (int(rng.choice([0, 7, 30])), int(rng.choice([0, 7, 30])))
    return replace(
        holding_back(patterns, int(rng.integers(1 << 30))),
        read_latency=int(rng.choice([1, 8, 25, 120])),
        read_jitter=jitters[0],
        data_ahead=int(rng.choice([0, 4, 64])),
        write_latency=int(rng.choice([1, 4, 30, 120])),
        write_jitter=jitters[1],
        max_reads=int(rng.choice([1, 2, 8, 16])),
        max_writes=int(rng.choice([1, 4, 16, 32])),
        read_bandwidth=read,
        write_bandwidth=write,
    )
