# SPDX-License-Identifier: Apache-2.0
"""Small layers: the fast model against plain loops and against the blocks, whatever the sizes and the numbers."""

import naive_layer
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from goldbeat.pymodels.zynqnet import fp32, int8
from goldbeat.pymodels.zynqnet.golden import Golden
from goldbeat.pymodels.zynqnet.network import parse_network
from goldbeat.pymodels.zynqnet.shifts import Shifts
from goldbeat.pymodels.zynqnet.stepwise import Stepwise

SPECIALS = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 1e-38, 3.4e38, -3.4e38, 1.0, -1.0], np.float32)


def numbers(rng, shape, specials):
    values = (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(np.float32)
    if specials:
        values = np.where(rng.random(shape) < 0.2, rng.choice(SPECIALS, shape), values)
    return values


@st.composite
def layers(draw, most_pixels=6, most_channels=5):
    stride = draw(st.sampled_from([1, 2]))
    size = st.integers(1, most_pixels)
    return {
        "width": draw(size) * stride,
        "height": draw(size) * stride,
        "ch_in": draw(st.integers(1, most_channels)),
        "ch_out": 16 * draw(st.integers(1, 2)),
        "kernel": draw(st.sampled_from([1, 3])),
        "stride": stride,
        "relu": draw(st.booleans()),
    }


@settings(max_examples=25, deadline=None)
@given(layer=layers(most_pixels=3, most_channels=3), seed=st.integers(0, 2**32), specials=st.booleans())
def test_fp32_is_the_triple_loop(layer, seed, specials):
    rng = np.random.default_rng(seed)
    image = numbers(rng, (layer["height"], layer["width"], layer["ch_in"]), specials)
    weights = numbers(rng, (layer["ch_in"], layer["ch_out"], layer["kernel"] ** 2), specials)
    biases = numbers(rng, (layer["ch_out"],), specials)
    shape = layer["kernel"], layer["stride"], layer["relu"]
    expected = naive_layer.fp32(image, weights, biases, *shape)
    assert naive_layer.same_bits(fp32.convolve(image, weights, biases, *shape), expected)


@pytest.mark.parametrize(("height", "width", "ch_out"), [(40, 30, 16), (4, 4, 512), (300, 200, 16)])
def test_blocks_of_the_fast_model_do_not_show(height, width, ch_out):
    rng = np.random.default_rng(height)
    image, weights = numbers(rng, (height, width, 2), False), numbers(rng, (2, ch_out, 9), False)
    biases = numbers(rng, (ch_out,), False)
    found = fp32.convolve(image, weights, biases, 3, 1, False)
    for y, x in ((0, 0), (height - 1, width - 1), (height // 2, width // 2), (height - 1, 0)):
        window = np.zeros((3, 3, 2), np.float32)
        for dy in range(3):
            for dx in range(3):
                for ci in range(2):
                    window[dy, dx, ci] = naive_layer.pixel(image, y + dy - 1, x + dx - 1, ci)
        expected = naive_layer.fp32(window, weights[:, :16], biases[:16], 3, 1, False)[1, 1]
        assert naive_layer.same_bits(found[y, x, :16], expected)


def test_the_order_of_the_taps_shows():
    rng = np.random.default_rng(1)
    image, weights, biases = numbers(rng, (3, 3, 2), False), numbers(rng, (2, 16, 9), False), numbers(rng, (16,), False)
    found = fp32.convolve(image, weights, biases, 3, 1, False)
    assert naive_layer.same_bits(found, naive_layer.fp32(image, weights, biases, 3, 1, False))
    assert not naive_layer.same_bits(found, naive_layer.fp32(image, weights, biases, 3, 1, False, reverse=True))


def test_zeros_keep_their_signs():
    image, negative = np.zeros((1, 1, 1), np.float32), np.full(16, -0.0, np.float32)
    for kernel in (1, 3):
        weights = np.full((1, 16, kernel**2), -1.0, np.float32)
        found = fp32.convolve(image, weights, negative, kernel, 1, True)
        # The sum begins at +0, so that a product of -0 does not show, nor does a bias of -0.
        assert naive_layer.same_bits(found, np.zeros((1, 1, 16)))


@settings(max_examples=15, deadline=None)
@given(
    layer=layers(most_pixels=4, most_channels=3),
    split=st.booleans(),
    gpool=st.booleans(),
    number=st.sampled_from(["fp32", "int8"]),
    seed=st.integers(0, 2**32),
)
def test_the_fast_model_is_the_blocks(layer, split, gpool, number, seed):
    rng = np.random.default_rng(seed)
    common = {k: layer[k] for k in ("ch_out", "stride", "kernel", "relu")} | {"gpool": gpool}
    common["shifts"] = {
        "bias": int(rng.integers(-4, 8)),
        "out": int(rng.integers(-2, 12)),
        "concat": int(rng.integers(-2, 3)),
    }
    parts = [{"name": "a", "split": "first"}, {"name": "b", "split": "second"}] if split else [{"name": "a"}]
    # Rows of fewer than four words cannot be.
    assume(layer["width"] * layer["ch_in"] >= 4)
    size = {"width": layer["width"], "height": layer["height"], "channels": layer["ch_in"]}
    network = parse_network({"input": size, "layer": [common | part for part in parts]})
    shape = (layer["height"], layer["width"], layer["ch_in"])
    if number == "fp32":
        weights, image = numbers(rng, network.weights, False), numbers(rng, shape, False)
    else:
        weights, image = rng.integers(-128, 128, network.weights), rng.integers(-128, 128, shape)
    fast, slow = (Golden(network, weights, image, number) for _ in range(2))
    for one in network.layers:
        fast.run_layer(one)
        Stepwise(slow.dram, one, slow.memory, number).run()
        np.testing.assert_array_equal(fast.dram.view(np.uint32), slow.dram.view(np.uint32))


# value (in units of 1), fraction length of the input, of the weights, of the output -> stored. Halves go away from zero.
ROUNDED = [
    (2, 1, 1, 1, 1),  # 0.5 with one fraction bit is 1
    (1, 1, 1, 0, 0),  # 0.25
    (2, 1, 1, 0, 1),  # 0.5
    (-2, 1, 1, 0, -1),  # -0.5: half-up and half-even would give 0
    (6, 1, 1, 0, 2),  # 1.5
    (10, 1, 1, 0, 3),  # 2.5: half-even would give 2
    (-10, 1, 1, 0, -3),  # -2.5: both others would give -2
    (-6, 1, 1, 0, -2),
    (509, 1, 1, 0, 127),  # 127.25
    (510, 1, 1, 0, 127),  # 127.5 rounds to 128 and saturates
    (-514, 1, 1, 0, -128),  # -128.5
    (-2000, 1, 1, 0, -128),
    (3, -1, 0, 0, 6),  # a negative fraction length: 3 stands for 6
    (70, -1, 0, 0, 127),
    (5, 0, 0, 3, 40),  # more fraction bits than there are: left
    (20, 0, 0, 3, 127),
]


@pytest.mark.parametrize(("acc", "of_in", "of_weights", "of_out", "stored"), ROUNDED)
def test_int8_rounding_by_value(acc, of_in, of_weights, of_out, stored):
    shifts = Shifts.of_fractions(of_in, of_weights, of_out)
    assert int8.finish(np.array([acc]), np.array([0]), shifts, False).tolist() == [stored]


def test_int8_bias_relu_and_concatenation():
    # 1.5 (fractions 2 and 2: 24) + bias -4.25 (fraction 2: -17) = -2.75
    shifts = Shifts.of_fractions(2, 2, 1)
    acc, bias = np.array([24]), np.array([-17])
    assert int8.finish(acc, bias, shifts, False).tolist() == [-6]  # -2.75 * 2 = -5.5
    assert int8.finish(acc, bias, shifts, True).tolist() == [0]
    # Rounded twice: first to one fraction bit, then to none: -6 / 2 = -3. From -5 it would be -2.5, again -3.
    assert int8.finish(acc, bias, Shifts.of_fractions(2, 2, 1, 0), False).tolist() == [-3]
    assert int8.finish(np.array([-4]), np.array([0]), Shifts.of_fractions(2, 2, 2, 0), False).tolist() == [0]
    assert int8.finish(np.array([-8]), np.array([0]), Shifts.of_fractions(2, 2, 2, 0), False).tolist() == [-1]
    # A negative input fraction length lifts the sum instead of the bias: 3 * 4 + 1.
    assert int8.finish(np.array([3]), np.array([1]), Shifts.of_fractions(-2, 0, 0), False).tolist() == [13]
    # More fraction bits in the concatenation: up, and saturated.
    assert int8.finish(np.array([40, 100]), np.array([0, 0]), Shifts(concat=-1), False).tolist() == [80, 127]


def test_the_shift_of_the_concatenation_is_for_split_layers_alone():
    layer = {"ch_out": 16, "kernel": 1, "relu": False, "shifts": {"concat": 1}}
    size = {"width": 4, "height": 1, "channels": 1}
    alone = parse_network({"input": size, "layer": [layer | {"name": "a"}]})
    pair = parse_network({"input": size, "layer": [layer | {"name": n, "split": n} for n in ("first", "second")]})
    image = np.array([10, 20, -30, 40]).reshape(1, 4, 1)
    found = []
    for network in (alone, pair):
        weights = np.where(np.arange(network.weights) % 32 < 16, 1, 0)
        found.append([next(Golden(network, weights, image, "int8").run()).values[0, :, 0].tolist()])
    assert found == [[[10, 20, -30, 40]], [[5, 10, -15, 20]]]


@settings(max_examples=50, deadline=None)
@given(layer=layers(), seed=st.integers(0, 2**32))
def test_int8_sums_are_exact(layer, seed):
    rng = np.random.default_rng(seed)
    image = rng.integers(-128, 128, (layer["height"], layer["width"], layer["ch_in"])).astype(np.int32)
    weights = rng.integers(-128, 128, (layer["ch_in"], layer["ch_out"], layer["kernel"] ** 2)).astype(np.int32)
    found = int8.sums(image, weights, layer["kernel"], layer["stride"])
    y, x = (int(rng.integers(n)) for n in found.shape[:2])
    around = range(9) if layer["kernel"] == 3 else [4]
    expected = np.zeros(layer["ch_out"], np.int64)
    for ci in range(layer["ch_in"]):
        for tap, i in enumerate(around):
            at = y * layer["stride"] + i // 3 - 1, x * layer["stride"] + i % 3 - 1
            expected += int(naive_layer.pixel(image, *at, ci)) * weights[ci, :, tap].astype(np.int64)
    assert found[y, x].tolist() == expected.tolist()


@given(st.floats(1e-6, 1e6))
def test_fraction_lengths_use_the_range(largest):
    fraction = int8.fraction_for(largest)
    assert abs(int(int8.quantise(largest, fraction))) <= 127
    assert np.ldexp(largest, fraction) < 127.5
    assert np.ldexp(largest, fraction + 1) > 127.4


def test_quantising_rounds_half_away_and_saturates():
    values = [0.5, -0.5, 1.49, 2.5, -2.5, 127.4, 127.5, 500, -128.4, -500, 0]
    assert int8.quantise(values, 0).tolist() == [1, -1, 1, 3, -3, 127, 127, 127, -128, -128, 0]
    assert int8.quantise([0.75], 2).tolist() == [3]
