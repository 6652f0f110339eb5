# SPDX-License-Identifier: Apache-2.0
"""Layers to be judged: good ones of every size, and at every limit one that just keeps it and one that just does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet.described import described_layer
from goldbeat.pymodels.zynqnet.hardware import LINE_ENTRIES, LINE_LANES, MAX_CH_OUT, MAX_SIZE, WEIGHT_PES, WEIGHT_ROWS
from goldbeat.pymodels.zynqnet.memory_map import Space
from goldbeat.pymodels.zynqnet.network import Layer
from goldbeat.pymodels.zynqnet.registers import HELD
from goldbeat.tb.design.traffic import Rng

Registers = dict[int, int]
_STEP = 16
"""Of output channels."""
_QUAD = 4
_WORDS = HELD[reg.MEM_WORDS]
_MOST_IN = HELD[reg.CH_IN]
SHIFT_LIMITS = ((0, -16, 15), (8, -16, 31), (16, -8, 7))
"""Of the register SHIFTS: bit, least and largest value."""


def _layer(**sizes: int) -> Registers:
    """Registers of a layer whose image, results and weights lie one behind the other, in a memory that ends with them."""
    values = dict.fromkeys(HELD, 0) | {reg.KERNEL: 1, reg.STRIDE: 1, reg.MEM_WORDS: _WORDS}
    values |= {getattr(reg, name): value for name, value in sizes.items()}
    return placed_layer(values, (reg.MEM_IN, reg.MEM_OUT, reg.MEM_WEIGHTS))


def placed_layer(values: Mapping[int, int], order: tuple[int, ...], base: int = 0) -> Registers:
    """The same layer with image, results and weights in this order, in a memory that ends with what it needs.

    Args:
        values: of its registers; with the offsets that it is to have.
        order: MEM_IN, MEM_OUT and MEM_WEIGHTS.
        base: DRAM_BASE.
    """
    layer, space = described_layer(values)
    sizes = {reg.MEM_IN: layer.words_in, reg.MEM_OUT: layer.span_out, reg.MEM_WEIGHTS: layer.weights}
    free, places = 0, {}
    for name in order:
        offset = space.weights_offset if name == reg.MEM_WEIGHTS else space.data_offset
        free = max(free, offset)
        places[name] = free - offset
        free += -(-sizes[name] // _QUAD) * _QUAD
    last = {**values, **places, reg.NUM_WEIGHTS: layer.weights, reg.DRAM_BASE: base}
    return last | {reg.MEM_WORDS: min(needed(last), _WORDS)}


def needed(values: Mapping[int, int]) -> int:
    """Words of memory that a layer needs."""
    layer, space = described_layer(values)
    image, pool = space.layer_input(layer), space.layer_pool(layer)
    ends = [
        image.first + -(-image.words // _QUAD) * _QUAD,
        space.layer_weights(layer).end,
        space.layer_output(layer).end,
    ]
    return max(*ends, 0 if pool is None else pool.end)


def random_layer(rng: Rng, npe: int) -> Registers:
    """A good layer, most of them large in one way and small in another."""
    while True:
        kernel, stride = int(rng.choice([1, 3])), int(rng.integers(1, 3))
        width, height = (
            stride * int(rng.integers(1, 1 + (MAX_SIZE >> int(rng.integers(0, 8))) // stride)) for _ in "wh"
        )
        ch_in = int(rng.integers(1, 2 + (_MOST_IN >> int(rng.integers(0, 9)))))
        groups = int(rng.integers(1, 1 + (MAX_CH_OUT // _STEP >> int(rng.integers(0, 5)))))
        entries = -(-width // _QUAD) * -(-ch_in // LINE_LANES)
        rows = (ch_in if kernel == 3 else -(-ch_in // LINE_LANES)) * groups * _STEP // npe
        if (
            width * ch_in >= _QUAD
            and ch_in <= _MOST_IN
            and entries <= LINE_ENTRIES
            and rows <= WEIGHT_ROWS * WEIGHT_PES // npe
        ):
            break
    flags = {name: int(rng.integers(0, 2)) for name in (reg.RELU, reg.GLOBAL_POOL)}
    split = dict(zip((reg.FIRST_SPLIT, reg.SECOND_SPLIT), ((0, 0), (1, 0), (0, 1))[int(rng.integers(3))], strict=True))
    offsets = {
        name: _QUAD * int(rng.integers(0, 1 << int(rng.integers(1, 17))))
        for name in (reg.WEIGHTS_OFFSET, reg.INPUT_OFFSET)
    }
    shifts = sum((int(rng.integers(low, high + 1)) & 0xFF) << bit for bit, low, high in SHIFT_LIMITS)
    sizes = {reg.WIDTH: width, reg.HEIGHT: height, reg.CH_IN: ch_in, reg.CH_OUT: groups * _STEP}
    values = dict.fromkeys(HELD, 0) | sizes | flags | split | offsets
    values |= {reg.KERNEL: kernel, reg.STRIDE: stride, reg.SHIFTS: shifts, reg.MEM_WORDS: _WORDS}
    order = rng.permutation([reg.MEM_IN, reg.MEM_OUT, reg.MEM_WEIGHTS]).tolist()
    return placed_layer(values, tuple(order), 16 * int(rng.integers(0, 1 << 28)))


def wrong_layers(good: Mapping[int, int]) -> Iterator[Registers]:
    """What becomes of a good layer by one change, most of which make a bad one."""
    yield from (placed_layer({**good, reg.KERNEL: value}, _order(good), good[reg.DRAM_BASE]) for value in range(4))
    yield from ({**good, reg.STRIDE: value} for value in range(4))
    for name, value in ((reg.WIDTH, good[reg.WIDTH]), (reg.HEIGHT, good[reg.HEIGHT])):
        for other in (0, value ^ 1, MAX_SIZE, MAX_SIZE + 1, HELD[name]):
            yield placed_layer({**good, name: other}, _order(good), good[reg.DRAM_BASE])
    yield {**good, reg.FIRST_SPLIT: 1, reg.SECOND_SPLIT: 1}
    for name in (reg.NUM_WEIGHTS, reg.MEM_IN, reg.MEM_OUT, reg.MEM_WEIGHTS, reg.WEIGHTS_OFFSET, reg.INPUT_OFFSET):
        yield from ({**good, name: good[name] ^ 1 << bit} for bit in range(HELD[name].bit_length()))
    yield from ({**good, reg.DRAM_BASE: good[reg.DRAM_BASE] ^ 1 << bit} for bit in range(32))
    yield from ({**good, reg.MEM_WORDS: good[reg.MEM_WORDS] + more & _WORDS} for more in (-4, -1, 1))
    yield from ({**good, reg.CH_OUT: good[reg.CH_OUT] ^ 1 << bit} for bit in range(10))
    for bit, low, high in SHIFT_LIMITS:
        for value in (low - 1, low, 0, high, high + 1, -128, 127):
            yield {**good, reg.SHIFTS: good[reg.SHIFTS] & ~(0xFF << bit) | (value & 0xFF) << bit}


def _order(values: Mapping[int, int]) -> tuple[int, ...]:
    """Image, results and weights as they lie in memory."""
    layer, space = described_layer(values)
    return tuple(sorted((reg.MEM_IN, reg.MEM_OUT, reg.MEM_WEIGHTS), key=lambda name: _first(name, layer, space)))


def _first(name: int, layer: Layer, space: Space) -> int:
    parts = {reg.MEM_IN: space.layer_input, reg.MEM_OUT: space.layer_output, reg.MEM_WEIGHTS: space.layer_weights}
    return parts[name](layer).first


def limit_layers() -> Iterator[Registers]:
    """Layers at the limits of sizes and caches, on both sides."""
    for size in (MAX_SIZE, MAX_SIZE + 1):
        yield _layer(WIDTH=size, HEIGHT=1, CH_IN=3, CH_OUT=16)
        yield _layer(WIDTH=4, HEIGHT=size, CH_IN=1, CH_OUT=16, KERNEL=3)
    for width, ch_in in ((1, 3), (1, 4), (3, 1), (4, 1), (2, 2), (2, 1), (4, 0)):
        yield _layer(WIDTH=width, HEIGHT=2, CH_IN=ch_in, CH_OUT=32)
    for ch_out in (0, 16, 496, 512, 528, 1008):
        yield _layer(WIDTH=8, HEIGHT=8, CH_IN=8, CH_OUT=ch_out, GLOBAL_POOL=1)
    # 255, 256, 258 and 260 entries of a line.
    for width, ch_in in ((68, 120), (256, 32), (8, 1023), (24, 344), (256, 33), (260, 25), (6, 1023), (12, 681)):
        yield _layer(WIDTH=width, HEIGHT=2, CH_IN=ch_in, CH_OUT=16)
    # Rows of weights, for 16, 8 and 4 elements: just enough, and one or a few more.
    for ch_in, ch_out in (
        (96, 512),
        (97, 512),
        (1023, 48),
        (1023, 64),
        (439, 112),
        (512, 96),
        (513, 96),
        (768, 64),
        (769, 64),
    ):
        yield _layer(WIDTH=1, HEIGHT=1, CH_IN=ch_in, CH_OUT=ch_out, KERNEL=3)
        yield _layer(WIDTH=1, HEIGHT=1, CH_IN=ch_in, CH_OUT=ch_out)
    yield from _memory_limits()


def _memory_limits() -> Iterator[Registers]:
    """Memories that are just large enough for one part, or just not; images and results that touch or overlap."""
    sizes = {"WIDTH": 3, "HEIGHT": 3, "CH_IN": 3, "CH_OUT": 16}
    base = _layer(**sizes)
    names = (reg.MEM_IN, reg.MEM_OUT, reg.MEM_WEIGHTS)
    for last in names:
        order = (*(name for name in names if name != last), last)
        for offsets in ({}, {reg.WEIGHTS_OFFSET: 1 << 20}, {reg.INPUT_OFFSET: 1 << 20}):
            good = placed_layer({**base, **offsets}, order)
            yield from ({**good, reg.MEM_WORDS: good[reg.MEM_WORDS] + more} for more in (-4, -1, 0))
            # At the end of all that an address can say, and beyond it.
            yield from ({**good, last: _WORDS + 1 - more, reg.MEM_WORDS: _WORDS} for more in (4, 28, 144, 288, 1024))
    # Only the pool sums reach the end.
    for second in (0, 1):
        for pool in (0, 1):
            small = _layer(WIDTH=1, HEIGHT=1, CH_IN=4, CH_OUT=512, SECOND_SPLIT=second, GLOBAL_POOL=pool, RELU=1)
            small |= {reg.MEM_OUT: 0, reg.MEM_IN: 512, reg.MEM_WEIGHTS: 0, reg.NUM_WEIGHTS: 2560}
            small |= {reg.INPUT_OFFSET: 2560}
            full = needed(small)
            yield from ({**small, reg.MEM_WORDS: full + more} for more in (-1, 0))
    layer, _ = described_layer(base)
    image, results = layer.words_in, layer.span_out
    for below, above, words in ((reg.MEM_IN, reg.MEM_OUT, image), (reg.MEM_OUT, reg.MEM_IN, results)):
        for place in (words // 4 * 4 - 4, words // 4 * 4, words // 4 * 4 + 4):
            yield {**base, below: 64, above: 64 + place, reg.MEM_WEIGHTS: 4096, reg.MEM_WORDS: _WORDS}
