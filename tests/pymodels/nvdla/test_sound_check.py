# SPDX-License-Identifier: Apache-2.0
"""Loadables that no compiler makes are refused with the operation; right ones are not."""

import numpy as np
import pytest
from nvdla_chain import chain
from nvdla_models import bias_and_relu, both, cube, fused, maximum, race
from nvdla_network import classifier

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL
from goldbeat.pymodels.nvdla.engines.descriptors import check_descriptors
from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, compose
from goldbeat.pymodels.nvdla.loadable.layouts import OP_COMPLETED
from goldbeat.pymodels.nvdla.loadable.loadable import ALLOC, INPUT, OUTPUT
from goldbeat.pymodels.nvdla.loadable.network import dla_tasks, network
from goldbeat.pymodels.nvdla.sound_check import refuse_unsound


def pair(source, middle, read, target):
    """SDP, then PDP, between an input, a memory without contents, and an output."""
    layers = [
        bias_and_relu(source, middle, consumers={"PDP": (1, OP_COMPLETED)}),
        maximum(read, target, waits=1),
    ]
    picture = Data(contents=np.arange(128, dtype=np.uint8), flags=ALLOC | INPUT)
    return compose(layers, [picture, Data(128), Data(32, flags=ALLOC | OUTPUT)])


SOUND = {"classifier": classifier, "chain": chain, "both": lambda: both(11, 6, 24), "fused": fused}


@pytest.mark.parametrize("name", SOUND)
def test_right_models_pass(name):
    refuse_unsound(SOUND[name]())


def test_a_read_of_what_only_a_later_operation_writes_is_refused():
    refuse_unsound(race(ordered=True))
    layers = [
        bias_and_relu(cube(1, 8, 2), cube(2, 8, 2), consumers={"PDP": (1, OP_COMPLETED)}),
        maximum(cube(0, 8, 4), cube(1, 8, 2), waits=1),
    ]
    memories = [Data(contents=np.zeros(128, np.uint8), flags=ALLOC | INPUT), Data(32), Data(32, flags=ALLOC | OUTPUT)]
    with pytest.raises(InputError, match=r"0\.0 \(SDP\) reads src_data: 32 byte\(s\) of memory \d+ that nothing wrote"):
        refuse_unsound(compose(layers, memories))


WRONG = {
    "an output that nothing writes": ((cube(1, 8, 4), cube(1, 8, 4), cube(1, 8, 2)), "an output, which no operation writes"),
    "a memory that nothing wrote": ((cube(0, 8, 4), cube(1, 8, 4), cube(2, 8, 2)), r"0\.1 \(PDP\) reads .* 128 byte"),
    "part of it": ((cube(1, 8, 2), cube(1, 8, 4), cube(2, 8, 2)), r"0\.1 \(PDP\) reads .* 96 byte"),
    "narrower lines": (
        (cube(1, 8, 4), cube(1, 8, 4) | {"width": 2}, cube(2, 8, 2) | {"width": 1}),
        r"0\.1 \(PDP\) src_data.width 2, expected 4, dst_data.width of operation 0\.0 \(SDP\)",
    ),
    "sizes of pooling": ((cube(1, 8, 4), cube(1, 8, 4), cube(2, 8, 2) | {"width": 1}), r"\(PDP\) dst_data.width 1, expected 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_no_compiler_makes_is_refused(name):
    cubes, found = WRONG[name]
    middle, read, target = cubes
    source = cube(0, 8, 2) if name == "part of it" else cube(0, 8, 4)
    refuse_unsound(pair(cube(0, 8, 4), cube(1, 8, 4), cube(1, 8, 4), cube(2, 8, 2)))
    with pytest.raises(InputError, match=found):
        refuse_unsound(pair(source, middle, read, target))


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, None),
        ({"dilation_x": 2}, "dst_data.width 3, expected 1: src_data.width is 5 with padding, kernel 5, stride 1"),
        ({"conv_stride_x": 2, "pad_x_right": 4}, None),
        ({"pad_x_left": 1}, "dst_data.width 3, expected 4: src_data.width is 6 with padding, kernel 3, stride 1"),
        ({"input_height_cmac": 3}, "input_height_cmac 3, expected 4, dst_data.height"),
        ({"data_format": 0, "pad_x_left": 1}, None),
    ],
)
def test_sizes_of_convolutions_follow_from_each_other(changes, found):
    desc = {f"{name}_{axis}": 1 for name in ("conv_stride", "dilation") for axis in "xy"}
    desc |= {"data_format": 36, "kernel_width_csc": 3, "kernel_height_csc": 1, "pad_x_right": 1}
    desc |= {"input_width_cmac": 3, "input_height_cmac": 4} | changes
    cubes = {"src_data": cube(0, 8, 4) | {"height": 4}}
    cubes["dst_data"] = cube(1, 8, 4) | {"width": 3}
    loadable = compose([ComposedLayer("CONV", desc, cubes)], [Data(512), Data(512)])
    (operation,) = network(loadable, dla_tasks(loadable)[0]).operations
    if found is None:
        check_descriptors(operation, NV_SMALL, None)
        return
    with pytest.raises(InputError, match=rf"operation 0 \(CONV\) {found}"):
        check_descriptors(operation, NV_SMALL, None)
