# SPDX-License-Identifier: Apache-2.0
"""Channels that are no multiple of 16: padded in memory, and nothing of it in what comes out."""

import numpy as np
import plain_zynqnet
import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.zynqnet import synth
from goldbeat.pymodels.zynqnet.golden import Golden, quantised
from goldbeat.pymodels.zynqnet.hardware import check_network
from goldbeat.pymodels.zynqnet.network import parse_network
from goldbeat.pymodels.zynqnet.padding import pad_weights

ODD = {
    "name": "odd",
    "input": {"width": 8, "height": 6, "channels": 3},
    "layer": [
        {"name": "c1", "ch_out": 10, "stride": 2},
        {"name": "e1", "ch_out": 5, "kernel": 1, "split": "first"},
        {"name": "e3", "ch_out": 5, "split": "second"},
        {"name": "c2", "ch_out": 33},
        {"name": "s1", "ch_out": 1, "kernel": 1},
        {"name": "p1", "ch_out": 7, "kernel": 1, "relu": False, "split": "first", "gpool": True},
        {"name": "p2", "ch_out": 7, "kernel": 1, "relu": False, "split": "second", "gpool": True},
    ],
}


def random_data(seed=1):
    rng = np.random.default_rng(seed)
    network = parse_network(ODD)
    weights = rng.standard_normal(network.used_weights).astype(np.float32)
    return network, weights, (rng.standard_normal((6, 8, 3)) * 50).astype(np.float32)


def test_sizes_in_memory_and_of_the_network():
    network, weights, _ = random_data()
    check_network(network)
    assert [layer.ch_out for layer in network.layers] == [16, 16, 16, 48, 16, 16, 16]
    assert [(layer.ch_in, layer.used_in) for layer in network.layers][1:5] == [(16, 10), (16, 10), (32, 10), (48, 33)]
    assert network.used_weights == (27 + 1) * 10 + 11 * 5 + 91 * 5 + 91 * 33 + 34 * 1 + 2 * 2 * 7
    assert len(pad_weights(network, weights)) == network.weights
    with pytest.raises(InputError, match=rf"\({network.used_weights},\) for odd"):
        pad_weights(network, weights[1:])


@pytest.mark.parametrize("seed", range(3))
def test_bits_are_those_of_the_network_without_padding(seed):
    network, weights, image = random_data(seed)
    model = Golden(network, pad_weights(network, weights), image)
    outputs, scores = plain_zynqnet.run(ODD, weights, image)
    for out in model.run():
        assert out.values.tobytes() == outputs[out.layer.name].tobytes(), out.layer.name
    assert model.scores().tobytes() == scores.tobytes()
    assert [c.number for c in model.top(14)] == np.argsort(-scores, kind="stable").tolist()


def test_without_padding_nothing_changes():
    mini = parse_network({**ODD, "layer": [{"name": "a", "ch_out": 16}, {"name": "b", "ch_out": 32}]})
    weights = synth.weights(mini)
    assert mini.used_weights == mini.weights
    np.testing.assert_array_equal(pad_weights(mini, weights), weights)


def test_int8_of_padded_channels_is_zero():
    network, weights, image = random_data()
    model = quantised(network, pad_weights(network, weights), image).golden()
    for out in model.run():
        whole = model.dram[model.memory.layer_output(out.layer).first :]
        grid = np.lib.stride_tricks.as_strided(
            whole, (out.values.shape[0] * out.values.shape[1], out.layer.ch_out), (4 * out.layer.pixel_step, 4)
        )
        assert not grid[:, out.layer.used_out :].any()
        np.testing.assert_array_equal(grid[:, : out.layer.used_out].reshape(out.values.shape), out.values)
    assert len(model.scores()) == 14


def test_weights_by_rule_leave_padding_out():
    network, _, image = random_data()
    weights = synth.weights(network)
    assert len(weights) == network.weights
    assert np.count_nonzero(weights) == network.used_weights
    assert np.isfinite(Golden(network, weights, image).dram).all()
