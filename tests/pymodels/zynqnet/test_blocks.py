# SPDX-License-Identifier: Apache-2.0
"""The blocks alone: caches against plain indexing, the PE against numbers, addresses against the map."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.zynqnet.image_cache import IMAGE_CACHE_WORDS, ImageCache
from goldbeat.pymodels.zynqnet.memory_controller import MemoryController
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.networks import zynqnet
from goldbeat.pymodels.zynqnet.output_cache import SUM_CACHE_WORDS, OutputCache, PoolCache
from goldbeat.pymodels.zynqnet.pe import multiply_accumulate
from goldbeat.pymodels.zynqnet.weights_cache import ROWS, WeightsCache, place_of, rows_used


@settings(max_examples=30, deadline=None)
@given(height=st.integers(1, 9), width=st.integers(1, 7), ch_in=st.integers(1, 5), seed=st.integers(0, 2**32))
def test_the_image_cache_is_the_image_around_what_came_last(height, width, ch_in, seed):
    image = np.random.default_rng(seed).standard_normal((height, width, ch_in)).astype(np.float32)
    cache = ImageCache(width, height, ch_in)
    padded = np.pad(image, ((1, 1), (1, 1), (0, 0)))
    written = 0
    for y in range(height):
        for x in range(width):
            for word in image.reshape(-1)[written : ((y + 1) * width + x + 2) * ch_in]:
                at = cache.write(word)
                assert at == written % (4 * width * ch_in)
                written += 1
            for ci in range(ch_in):
                np.testing.assert_array_equal(cache.window(y, x, ci), padded[y : y + 3, x : x + 3, ci].reshape(-1))


def test_image_cache_addresses():
    cache = ImageCache(8, 100, 736)
    assert cache.address(0, 0, 0) == 0
    assert cache.address(3, 7, 735) == 4 * 8 * 736 - 1
    assert cache.address(6, 2, 5) == 2 * 8 * 736 + 2 * 736 + 5
    assert cache.read(-1, 0, 0) == cache.read(0, 8, 0) == cache.read(100, 0, 0) == 0
    assert not np.signbit(cache.read(-1, 0, 0))
    ImageCache(256, 1, IMAGE_CACHE_WORDS // 4 // 256)
    with pytest.raises(UsageError, match="the cache has"):
        ImageCache(256, 1, IMAGE_CACHE_WORDS // 4 // 256 + 1)


@settings(max_examples=30, deadline=None)
@given(ch_in=st.integers(1, 20), groups=st.integers(1, 6), kernel=st.sampled_from([1, 3]), seed=st.integers(0, 2**32))
def test_the_weights_cache_is_the_weights(ch_in, groups, kernel, seed):
    ch_out, taps = 16 * groups, kernel * kernel
    stream = np.random.default_rng(seed).standard_normal((ch_in * taps + 1) * ch_out).astype(np.float32)
    cache = WeightsCache(ch_in, ch_out, kernel)
    cache.load(stream)
    weights, biases = stream[: ch_in * taps * ch_out].reshape(ch_in, ch_out, taps), stream[ch_in * taps * ch_out :]
    for ci in range(ch_in):
        for co in range(ch_out):
            seen = cache.kernel_of(ci, co)
            if kernel == 3:
                np.testing.assert_array_equal(seen, weights[ci, co])
            else:
                assert seen[4] == weights[ci, co, 0]
                assert not seen[[0, 1, 2, 3, 5, 6, 7, 8]].any()
    assert [cache.bias(co) for co in range(ch_out)] == biases.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("ch_out", [16, 112, 512])
def test_no_two_weights_share_a_place(kernel, ch_out):
    # As many input channels as fit, the biases after them.
    ch_in = max(n for n in range(1, 1024) if rows_used(n, ch_out, kernel) <= ROWS)
    places = {place_of(ch_out, kernel, ci, co) for ci in range(ch_in + 1) for co in range(ch_out)}
    assert len(places) == (ch_in + 1) * ch_out
    assert max(p.block * 1024 + p.row for p in places) == rows_used(ch_in, ch_out, kernel) - 1
    assert all(p.block < 3 and p.row < 1024 and p.slot < (8 if kernel == 1 else 1) for p in places)


def test_weights_cache_places_by_hand():
    # 3x3, 48 output channels: three rows an input channel. 1x1: eight of them in a row.
    assert place_of(48, 3, 0, 17) == (p := place_of(48, 3, 0, 17))
    assert (p.pe, p.block, p.row, p.slot) == (1, 0, 1, 0)
    p = place_of(48, 3, 700, 47)
    assert (p.pe, p.block, p.row, p.slot) == (15, 2, 2102 - 2048, 0)
    p = place_of(48, 1, 5, 33)
    assert (p.pe, p.block, p.row, p.slot) == (1, 0, 2, 1)


def test_rows_of_zynqnet():
    rows = [rows_used(n.ch_in, n.ch_out, n.kernel) for n in zynqnet().layers]
    assert max(rows) == 2948
    assert rows[0] == 16


def test_weights_that_do_not_fit():
    with pytest.raises(UsageError, match="multiple of 16"):
        WeightsCache(3, 24, 3)
    with pytest.raises(UsageError, match="rows"):
        WeightsCache(400, 128, 3)
    with pytest.raises(UsageError, match="expected 160"):
        WeightsCache(1, 16, 3).load(np.zeros(161, np.float32))


def test_the_pe_adds_in_order():
    big = np.float32(2.0**24)
    ones = np.ones(9, np.float32)
    # 2**24 + 1 rounds back to 2**24: only the order tells these apart.
    assert multiply_accumulate(np.array([big, *ones[:8]]), ones) == big
    assert multiply_accumulate(np.array([*ones[:8], big]), ones) == big + 8
    assert not np.signbit(multiply_accumulate(np.full(9, -0.0, np.float32), ones))
    assert np.isnan(multiply_accumulate(np.array([np.inf, *np.zeros(8)], np.float32), np.zeros(9, np.float32)))


def test_the_pe_does_not_fuse():
    a = np.float32(1 + 2.0**-12)
    product = a * a
    pixels = np.array([product, a, *np.zeros(7)], np.float32)
    weights = np.array([-1, a, *np.zeros(7)], np.float32)
    assert multiply_accumulate(pixels, weights) == 0
    assert np.float64(a) * np.float64(a) - np.float64(product) != 0


@pytest.mark.parametrize("kind", [OutputCache, PoolCache])
def test_caches_that_sum(kind):
    cache = kind()
    cache.set(3, np.float32(1.5))
    cache.add(3, np.float32(2.25))
    cache.set(SUM_CACHE_WORDS - 1, np.float32(-0.0))
    assert cache.get(3) == np.float32(3.75)
    assert np.signbit(cache.get(SUM_CACHE_WORDS - 1))
    for at in (-1, SUM_CACHE_WORDS):
        with pytest.raises(UsageError, match="512 words"):
            cache.get(at)


def test_addresses_of_the_memory_controller():
    network, memory = zynqnet(), MemoryMap(zynqnet())
    dram = np.zeros(memory.words, np.float32)
    one, other = (MemoryController(dram, network.layer(n), memory) for n in ("f2/e1", "f2/e3"))
    base = memory.data_offset
    assert one.row_address(5) == other.row_address(5) == base + 1245184 + 5 * 64 * 16
    assert one.output_address(1, 2, 3) == base + 1310720 + 2 * (64 + 2) * 64 + 3
    assert other.output_address(1, 2, 3) == one.output_address(1, 2, 3) + 64
    last = MemoryController(dram, network.layer("c10/p2"), memory)
    assert last.output_address(7, 7, 511) == memory.words - 1
    assert last.pool_address(0) == base + 512
    last.output()[7, 7, 511] = 1
    assert dram[-1] == 1
    one.set_row(2)
    dram[one.row_address(2) + 1] = 7
    assert [one.read_pixel_word() for _ in range(2)] == [0, 7]
    with pytest.raises(UsageError, match="not inside"):
        MemoryController(dram[:-1], network.layer("c10/p2"), memory)
