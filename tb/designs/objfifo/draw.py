# SPDX-License-Identifier: Apache-2.0
"""Random legal object FIFO designs around one memory tile, and each of their tiles as an engine's scene."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.registers import EngineShape
from goldbeat.pymodels.objfifo.plan.design import Dims, Fifo, FifoDesign, Link
from goldbeat.pymodels.objfifo.plan.device import ANY
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import Direction, Plan, TilePlan
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.objfifo.scene import EngineScene, random_halves
from goldbeat.tb.designs.objfifo.tiles import scene_of

_TRIES = 200
_DTYPES = (np.int32, np.int32, np.int32, np.int16, np.int8)
_MEMORY = ANY.tile(0, 1)


@dataclass(frozen=True)
class Drawn:
    """A random design and one of its tiles on an engine.

    Attributes:
        design: what was drawn.
        plan: what it became.
        tile: the tile that the engine stands for.
        scene: what the engine is given.
        sources: for each S2MM channel, the fifo whose words it is given.
        sinks: for each MM2S channel, the fifo whose words it sends.
        core: True where channels of a core stand behind those of the tile's DMA.
    """

    design: FifoDesign
    plan: Plan
    tile: Tile
    scene: EngineScene
    sources: tuple[str, ...]
    sinks: tuple[str, ...]
    core: bool


def draw(rng: Rng, shape: EngineShape, words: int) -> Drawn:
    """A design whose tile fits an engine of this shape.

    Args:
        rng: the only randomness.
        shape: of the engine. Of 128-bit words each one stands for a word of the plan.
        words: about how many are offered to each channel.

    Raises:
        UsageError: no design was found that fits.
    """
    for _ in range(_TRIES):
        design = _Draft(rng, shape).design()
        try:
            plan = lower(design)
            tiles = [t for t in plan.tiles if t.tile.kind is not TileKind.SHIM and t.channels]
            # The memory tile, where most happens, half of the time.
            first = [t for t in tiles if t.tile.kind is TileKind.MEM]
            chosen = first[0] if rng.random() < 0.5 else tiles[int(rng.integers(len(tiles)))]
            return _drawn(rng, design, plan, chosen, shape, words)
        except (RuleError, UsageError):
            continue
    raise UsageError(f"no design was found for an engine of {shape}")


def dims_of(rng: Rng, words: int, dtype: np.dtype[Any], most: int) -> Dims:
    """None, or at most so many dims that visit every word of the object once, in another order."""
    if rng.random() < 0.4:
        return ()
    per = WORD_BYTES // dtype.itemsize
    factors, rest = [], words
    for _ in range(most - 1 - (per > 1)):
        found = [f for f in range(1, rest + 1) if rest % f == 0]
        factors.append(int(rng.choice(found)))
        rest //= factors[-1]
    factors.append(rest)
    strides = [math.prod(factors[i + 1 :]) for i in range(len(factors))]
    order = rng.permutation(len(factors)).tolist()
    dims = tuple((factors[i], strides[i] * per) for i in order)
    return dims if per == 1 else (*dims, (per, 1))


# -- designs ---------------------------------------------------------------------------------------------------------


class _Draft:
    """Links on one memory tile until its channels, or those of the engine, are used up."""

    def __init__(self, rng: Rng, shape: EngineShape) -> None:
        self.rng, self.shape = rng, shape
        self.fifos: list[Fifo] = []
        self.links: list[Link] = []
        self.columns = 0
        self.left = {Direction.S2MM: shape.ns, Direction.MM2S: shape.nm}

    def design(self) -> FifoDesign:
        while min(self.left.values()) and (not self.links or self.rng.random() < 0.7):
            kinds = ["forward", "forward", "rechunk", "padding"]
            kinds += ["distribute"] * (self.left[Direction.MM2S] > 1) + ["join"] * (self.left[Direction.S2MM] > 1)
            getattr(self, "_" + str(self.rng.choice(kinds)))()
        return FifoDesign(ANY, self.fifos, self.links)

    def _number(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def _elsewhere(self, shim: bool = True) -> Tile:
        """A tile that no other fifo uses: the shim's or a core."""
        self.columns += 1
        return ANY.tile(self.columns, 0 if shim and self.rng.random() < 0.4 else 2)

    def _fifo(self, name: str, source: Tile, target: Tile, words: int, dtype: np.dtype[Any]) -> Fifo:
        """A fifo of random depths, with random dims at the ends that may have them."""
        to_stream = dims_of(self.rng, words, dtype, source.limits.dims) if source.kind is not TileKind.SHIM else ()
        from_stream = dims_of(self.rng, words, dtype, target.limits.dims) if target.kind is not TileKind.SHIM else ()
        obj = ObjectType((words * WORD_BYTES // dtype.itemsize,), dtype)
        depth = (self._number(1, 4), self._number(1, 4))
        fifo = Fifo(name, source, (target,), depth, obj, to_stream, (from_stream,) if from_stream else ())
        self.fifos.append(fifo)
        self.left[Direction.MM2S if source == _MEMORY else Direction.S2MM] -= 1
        return fifo

    def _name(self) -> str:
        return f"f{len(self.fifos)}"

    def _dtype(self) -> np.dtype[Any]:
        return np.dtype(_DTYPES[self._number(0, len(_DTYPES) - 1)])

    def _link(self, ins: Sequence[Fifo], outs: Sequence[Fifo], offsets: Sequence[int] = ()) -> None:
        join = len(ins) > 1
        names = tuple(f.name for f in ins), tuple(f.name for f in outs)
        self.links.append(Link(*names, tuple(offsets) if join else (), () if join else tuple(offsets)))

    def _repeats(self, fifos: Sequence[Fifo]) -> None:
        times = self._number(1, 3) if self.rng.random() < 0.4 else 1
        for fifo in fifos:
            fifo.repeat_count = times

    def _iterations(self, fifos: Sequence[Fifo]) -> None:
        if self.rng.random() < 0.2:
            count = self._number(1, 4)
            for fifo in fifos:
                fifo.iter_count = count

    def _forward(self) -> None:
        words, dtype = self._number(1, 24), self._dtype()
        first = self._fifo(self._name(), self._elsewhere(), _MEMORY, words, dtype)
        last = self._fifo(self._name(), _MEMORY, self._elsewhere(), words, dtype)
        self._link([first], [last])
        self._repeats([last])
        self._iterations([last if self.rng.random() < 0.5 else first])
        if self.rng.random() < 0.3:
            shape = (last.end_depth(0), last.obj.elements)
            values = self.rng.integers(-100, 100, shape).astype(dtype)
            last.init_values = tuple(values)

    def _rechunk(self) -> None:
        small, times, dtype = self._number(1, 12), self._number(2, 4), self._dtype()
        # A multiple, or any other size.
        large = small * times if self.rng.random() < 0.5 else self._number(1, 36)
        sizes = (small, large) if self.rng.random() < 0.5 else (large, small)
        first = self._fifo(self._name(), self._elsewhere(), _MEMORY, sizes[0], dtype)
        last = self._fifo(self._name(), _MEMORY, self._elsewhere(), sizes[1], dtype)
        first.from_stream = last.to_stream = ()
        self._link([first], [last])
        self._repeats([last])

    def _padding(self) -> None:
        rows, columns, dtype = self._number(1, 5), self._number(1, 6), self._dtype()
        per = WORD_BYTES // dtype.itemsize
        up, down, left, right = (self._number(0, 3) for _ in range(4))
        first = self._fifo(self._name(), self._elsewhere(), _MEMORY, rows * columns, dtype)
        padded = (rows + up + down) * (columns + left + right)
        last = self._fifo(self._name(), _MEMORY, self._elsewhere(), padded, dtype)
        last.to_stream = ((rows, columns * per), (columns * per, 1))
        last.padding = ((up, down), (left * per, right * per))
        # Values of all widths; their highest bits are lost in narrow elements.
        last.pad_value = self._number(-(1 << 31), (1 << 31) - 1) if any(map(any, last.padding)) else 0
        self._link([first], [last])
        self._repeats([last])

    def _lengths(self, most: int) -> tuple[list[int], list[int]]:
        lengths = [self._number(1, 12) for _ in range(self._number(2, most))]
        return lengths, [sum(lengths[:n]) for n in range(len(lengths))]

    def _distribute(self) -> None:
        (lengths, offsets), dtype = self._lengths(self.left[Direction.MM2S]), self._dtype()
        whole = self._fifo(self._name(), self._elsewhere(), _MEMORY, sum(lengths), dtype)
        whole.from_stream = ()
        legs = [self._fifo(self._name(), _MEMORY, self._elsewhere(), n, dtype) for n in lengths]
        self._link([whole], legs, [n * WORD_BYTES // dtype.itemsize for n in offsets])
        self._repeats(legs)
        self._iterations(legs)

    def _join(self) -> None:
        (lengths, offsets), dtype = self._lengths(self.left[Direction.S2MM]), self._dtype()
        legs = [self._fifo(self._name(), self._elsewhere(), _MEMORY, n, dtype) for n in lengths]
        whole = self._fifo(self._name(), _MEMORY, self._elsewhere(), sum(lengths), dtype)
        whole.to_stream = ()
        self._link(legs, [whole], [n * WORD_BYTES // dtype.itemsize for n in offsets])
        self._repeats([whole])
        self._iterations([whole] if self.rng.random() < 0.5 else legs)


# -- words -----------------------------------------------------------------------------------------------------------


def _drawn(rng: Rng, design: FifoDesign, plan: Plan, tile: TilePlan, shape: EngineShape, words: int) -> Drawn:
    """The tile on an engine, and words for all that come in."""
    made = scene_of(plan, tile, shape)
    core = tile.tile.kind is TileKind.CORE
    whole = {f.name: f for f in design.fifos}
    for channel, stream in enumerate(made.sources):
        unit = whole[stream.fifo].obj.words
        count = max(1, int(rng.integers(words // 2, words + 1)) // unit)
        link = next((k for k in design.links if stream.fifo in k.ins), None)
        if link is not None and not core:
            last = whole[link.outs[0]]
            if link.kind == "forward" and not last.padding and last.obj.words > unit:
                # Words that make whole objects on both sides, so that nothing stays half done.
                unit = last.obj.words
                count = max(1, count * whole[stream.fifo].obj.words // unit)
            if link.kind == "join":
                count = max(1, words // max(whole[n].obj.words for n in link.ins))
        made.scene.words[channel] = random_halves(shape, rng, count * unit)
    sources, sinks = (tuple(s.fifo for s in streams) for streams in (made.sources, made.sinks))
    return Drawn(design, plan, tile.tile, made.scene, sources, sinks, core)
