# SPDX-License-Identifier: Apache-2.0
"""A compiled classifier of two tasks, with odd sizes, in every command that takes loadables."""

from __future__ import annotations

import numpy as np
import pytest
from nvdla_models import bias_and_relu, cube
from nvdla_network import DATA, WEIGHTS, classifier, memory, packed, picture, reference

from pymodels.errors import InputError, UsageError
from pymodels.nvdla.compose import Data, Layer, compose
from pymodels.nvdla.cubes import unpack_feature
from pymodels.nvdla.execute import execute
from pymodels.nvdla.ideal import program
from pymodels.nvdla.listing import info
from pymodels.nvdla.loadable import Loadable, Task, parse, to_bytes
from pymodels.nvdla.placement import place
from pymodels.nvdla.program_text import to_csv


@pytest.mark.parametrize("layout", ["cube28", "cube32"])
def test_the_functional_model_gives_what_plain_numpy_gives(layout):
    made = parse(to_bytes(classifier(layout)))
    found = execute(place(made), {memory(DATA): packed(1)})
    for number, array in reference(picture(1), layout).items():
        assert np.array_equal(unpack_feature(found[memory(number)], *array.shape), array)


def test_listing_has_both_tasks():
    found = info(parse(to_bytes(classifier())))
    assert [(t["interface"], t["layout"], t["operations"]) for t in found["tasks"]] == [
        ("DLA1", "cube32", {"CONV": 2, "SDP": 2, "PDP": 1}),
        ("EMU1", "cube32", {"softmax": 1}),
    ]
    assert [(t["name"], t["c"]) for t in found["tensors"]] == [("data", 3), ("features", 20), ("prob", 10)]
    assert found["target"]["name"] == "nv_small"


def test_weights_of_any_size_are_programmed():
    """As the vendor's driver does, whose own check of the size compiles to nothing."""
    assert WEIGHTS.size == 540
    text = to_csv(program(place(classifier())))
    assert f",CDMA.D_WEIGHT_BYTES,0x{544:08x}" in text


def test_only_some_tasks():
    made = classifier()
    after = execute(place(made), {memory(DATA): packed(2)}, made.tasks[:1])
    assert not after[memory(8)].any()
    whole = execute(place(made), after, made.tasks[1:])
    assert np.array_equal(whole[memory(8)], execute(place(made), {memory(DATA): packed(2)})[memory(8)])


def test_a_task_of_neither_interface_is_refused():
    made = classifier()
    strange = Loadable(**{**vars(made), "tasks": (made.tasks[0], Task(1, 3))})
    with pytest.raises(UsageError, match="task 1 has interface 3, neither DLA nor EMU"):
        execute(place(strange))


def wide(number, width=4):
    """A cube of 32-byte atoms."""
    line = 32 * width
    sides = {"width": width, "height": 4, "channel": 8}
    return {"address": number, **sides, "size": 4 * line, "line_stride": line, "surf_stride": 4 * line}


def precise(code):
    layer = bias_and_relu(cube(0, 8, 4), cube(1, 8, 4))
    return Layer("SDP", {**layer.desc, "src_precision": code, "dst_precision": code}, layer.surface)


@pytest.mark.parametrize(
    ("layer", "name"),
    [
        (bias_and_relu(wide(0), wide(1)), "nv_large or nv_full (atoms of 32 bytes, int8)"),
        (bias_and_relu(cube(0, 8, 4) | {"width": 1}, wide(1)), "nv_large or nv_full (atoms of 32 bytes, int8)"),
        (precise(1), "nv_full (atoms of 8 bytes, int16)"),
        (precise(2), "nv_full (atoms of 8 bytes, fp16)"),
    ],
)
def test_what_is_built_for_another_configuration_is_named(layer, name):
    made = compose([layer], [Data(512), Data(512)])
    found = info(made)["target"]
    assert f"{found['name']} ({found['reason']})" == name
    assert not found["small"]
    for refuse in (program, execute):
        with pytest.raises(InputError) as caught:
            refuse(place(made))
        assert f"found a loadable for {name}, expected one for nv_small (atoms of 8 bytes, int8)" in str(caught.value)


def test_engines_of_another_configuration_are_named():
    made = compose([Layer("BDMA", {"num_transfers": 0})], [])
    assert info(made)["target"]["name"] == "nv_full"
    with pytest.raises(UsageError, match="nv_small has no BDMA engine"):
        program(place(made))


def test_lines_with_gaps_are_no_other_configuration():
    made = compose([bias_and_relu(cube(0, 8, 4, gap=96), cube(1, 8, 4))], [Data(512), Data(512)])
    assert info(made)["target"]["atom"] == 8
