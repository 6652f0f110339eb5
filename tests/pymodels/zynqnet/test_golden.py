# SPDX-License-Identifier: Apache-2.0
"""The whole network: every layer's bits, the order they depend on, and the int8 format."""

import numpy as np
import pytest
from zynqnet_reference import IMAGE_SHA256, LAYERS, SUMS_SHA256, TOP, WEIGHTS_SHA256

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.zynqnet import synth
from goldbeat.pymodels.zynqnet.classify import softmax
from goldbeat.pymodels.zynqnet.golden import Golden, quantised, sha256
from goldbeat.pymodels.zynqnet.layer_run import run_layer, split_weights
from goldbeat.pymodels.zynqnet.networks import mini, zynqnet


@pytest.fixture(scope="module")
def data():
    return synth.weights(zynqnet(), 1), synth.image(zynqnet().input, 7)


@pytest.fixture(scope="module")
def reference_run(data):
    golden = Golden(zynqnet(), *data)
    return golden, {out.layer.name: (out.sha256, out.values.copy()) for out in golden.run()}


def test_weights_and_image_follow_the_rule(data):
    weights, image = data
    assert (sha256(weights), sha256(image)) == (WEIGHTS_SHA256, IMAGE_SHA256)
    assert not np.array_equal(synth.weights(mini(), 1), synth.weights(mini(), 2))
    assert not np.array_equal(synth.image(mini().input, 7), synth.image(mini().input, 8))


def test_all_27_layers_bit_for_bit(reference_run):
    _, found = reference_run
    assert {name: digest for name, (digest, _) in found.items()} == {row[0]: row[-1] for row in LAYERS}


def test_the_answer(reference_run):
    golden, _ = reference_run
    assert sha256(golden.sums()) == SUMS_SHA256
    found = golden.top(5)
    assert [(c.number, c.score) for c in found] == [(number, score) for number, _, score in TOP]
    assert [c.probability for c in found] == pytest.approx([p for _, p, _ in TOP], rel=1e-12)
    assert softmax(golden.scores()).sum() == pytest.approx(1)


@pytest.mark.parametrize("name", [row[0] for row in LAYERS if row[0] != "c1"])
def test_another_order_gives_other_bits(name, data, reference_run):
    # Reversing the input channels (and with them their weights) leaves the sums' mathematics alone, and changes their bits.
    golden, found = reference_run
    layer = zynqnet().layer(name)
    memory = golden.memory
    dram = golden.dram.copy()
    source, weights = memory.layer_input(layer), memory.layer_weights(layer)
    shape = (layer.height, layer.width, layer.ch_in)
    pixels = dram[source.first : source.end].reshape(shape)
    # The pool sums of the reference run lie over the image alone, which no layer after the first one reads.
    pixels[:] = pixels[:, :, ::-1].copy()
    kernels, _ = split_weights(dram[weights.first : weights.end], layer)
    kernels[:] = kernels[::-1].copy()
    out = run_layer(dram, layer, memory).output()
    assert sha256(out) != found[name][0]
    np.testing.assert_allclose(out, found[name][1], rtol=1e-3, atol=1e-2)


def test_a_frame_can_be_repeated_after_the_image_is_loaded_again(data):
    small = mini()
    weights, image = synth.weights(small), synth.image(small.input)
    golden = Golden(small, weights, image)
    first = [out.sha256 for out in golden.run()]
    assert [out.sha256 for out in golden.run()] != first
    golden.load_image(image)
    assert [out.sha256 for out in golden.run()] == first


def test_weights_and_images_of_the_wrong_size():
    small = mini()
    weights, image = synth.weights(small), synth.image(small.input)
    with pytest.raises(InputError, match="weights of shape"):
        Golden(small, weights[1:], image)
    with pytest.raises(InputError, match="image of shape"):
        Golden(small, weights, image[1:])
    with pytest.raises(UsageError, match="not inside"):
        Golden(small, weights, image, words=100)


def test_int8_keeps_the_answer(data, reference_run):
    golden, _ = reference_run
    model = quantised(zynqnet(), *data).golden()
    for out in model.run():
        assert -128 <= out.values.min() <= out.values.max() <= 127
        # A group of numbers that leaves half of the range unused has one fraction bit too few, unless a split pair shares them.
        assert np.abs(out.values).max() > (63 if out.layer.split == "none" else 31)
    assert model.top(2)[0].number == golden.top(2)[0].number
    assert np.corrcoef(model.scores(), golden.scores())[0, 1] > 0.999


def test_int8_needs_shifts():
    small = mini()
    with pytest.raises(UsageError, match="has no shifts"):
        next(Golden(small, synth.weights(small), np.zeros((16, 16, 3), np.int32), "int8").run())
