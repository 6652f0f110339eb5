# SPDX-License-Identifier: Apache-2.0
"""A compiled classifier of two tasks, with odd sizes, in every command that takes loadables."""

from __future__ import annotations

import json

import numpy as np
import pytest
from nvdla_models import bias_and_relu, cube
from nvdla_network import (
    ACTIVE,
    DATA,
    LOGITS,
    POOLED,
    PROB,
    SHAPE,
    WEIGHTS,
    classifier,
    memory,
    packed,
    picture,
    reference,
)
from PIL import Image

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.driver.instant_hardware import loadable_program
from goldbeat.pymodels.nvdla.driver.program_text import to_csv
from goldbeat.pymodels.nvdla.engines.cubes import unpack_feature
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.listing import info
from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, compose
from goldbeat.pymodels.nvdla.loadable.loadable import Loadable, LoadableTask, parse_loadable, to_bytes
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.tb.cli import main
from goldbeat.tb.designs.nvdla.tensors import first_wrong


@pytest.mark.parametrize("layout", ["cube28", "cube32"])
def test_the_functional_model_gives_what_plain_numpy_gives(layout):
    made = parse_loadable(to_bytes(classifier(layout)))
    found = execute(place_memories(made), {memory(DATA): packed(1)})
    for number, array in reference(picture(1), layout).items():
        assert np.array_equal(unpack_feature(found[memory(number)], *array.shape), array)


def test_listing_has_both_tasks():
    found = info(parse_loadable(to_bytes(classifier())))
    assert [(t["interface"], t["layout"], t["operations"]) for t in found["tasks"]] == [
        ("DLA1", "cube32", {"CONV": 2, "SDP": 2, "PDP": 1}),
        ("EMU1", "cube32", {"softmax": 1}),
    ]
    assert [(t["name"], t["c"]) for t in found["tensors"]] == [("data", 3), ("features", 20), ("prob", 10)]
    assert found["target"]["name"] == "nv_small"


def test_weights_of_any_size_are_programmed():
    """As the vendor's driver does, whose own check of the size compiles to nothing."""
    assert WEIGHTS.size == 540
    text = to_csv(loadable_program(place_memories(classifier())))
    assert f",CDMA.D_WEIGHT_BYTES,0x{544:08x}" in text
    assert text.index("D_OP_ENABLE") < text.index("task 1 on the processor (EMU)")


def test_only_some_tasks():
    made = classifier()
    after = execute(place_memories(made), {memory(DATA): packed(2)}, made.tasks[:1])
    assert not after[memory(8)].any()
    whole = execute(place_memories(made), after, made.tasks[1:])
    assert np.array_equal(whole[memory(8)], execute(place_memories(made), {memory(DATA): packed(2)})[memory(8)])


def test_the_first_wrong_tensor_is_named():
    made = classifier()
    want = execute(place_memories(made), {memory(DATA): packed(2)})
    assert first_wrong(made, want, want) == ""
    got = {ident: data.copy() for ident, data in want.items()}
    for number in (LOGITS, POOLED):
        got[memory(number)][0] += 1
    # Channel 2, line 3, column 1 of surface 0; the one behind it is of a later operation.
    got[memory(ACTIVE)][8 * (3 * 8 + 1) + 2] += 1
    said = first_wrong(made, got, want)
    assert said.startswith("the first wrong tensor is that of task0.op1: channel 2, line 3, column 1: expected ")
    assert said.endswith("1 of 1280 elements differ")
    got[memory(ACTIVE)] = want[memory(ACTIVE)]
    assert "task0.op2: channel 0, line 0, column 0" in first_wrong(made, got, want)


def test_a_task_of_neither_interface_is_refused():
    made = classifier()
    strange = Loadable(**{**vars(made), "tasks": (made.tasks[0], LoadableTask(1, 3))})
    with pytest.raises(UsageError, match="task 1 has interface 3, neither DLA nor EMU"):
        execute(place_memories(strange))


def wide(number, width=4):
    """A cube of 32-byte atoms."""
    line = 32 * width
    sides = {"width": width, "height": 4, "channel": 8}
    return {"address": number, **sides, "size": 4 * line, "line_stride": line, "surf_stride": 4 * line}


def precise(code):
    layer = bias_and_relu(cube(0, 8, 4), cube(1, 8, 4))
    return ComposedLayer("SDP", {**layer.desc, "src_precision": code, "dst_precision": code}, layer.surface)


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
    for refuse in (loadable_program, execute):
        with pytest.raises(InputError) as caught:
            refuse(place_memories(made))
        assert f"found a loadable for {name}, expected one for nv_small (atoms of 8 bytes, int8)" in str(caught.value)


def test_engines_of_another_configuration_are_named():
    made = compose([ComposedLayer("BDMA", {"num_transfers": 0})], [])
    assert info(made)["target"]["name"] == "nv_large or nv_full"
    with pytest.raises(UsageError, match="nv_small has no BDMA engine"):
        loadable_program(place_memories(made))


def test_lines_with_gaps_are_no_other_configuration():
    made = compose([bias_and_relu(cube(0, 8, 4, gap=96), cube(1, 8, 4))], [Data(512), Data(512)])
    assert info(made)["target"]["atom"] == 8


# -- goldbeat nvdla execute -----------------------------------------------------------------------------------------


@pytest.fixture
def goldbeat(monkeypatch, tmp_path, capsys):
    """Write a model to model.nvdla and call a command of nvdla; gives the exit code, what was printed and complained of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("goldbeat.tb.designs.nvdla.execute_command.build_root", lambda: tmp_path)

    def call(model, command, *arguments):
        (tmp_path / "model.nvdla").write_bytes(to_bytes(model))
        monkeypatch.setattr("sys.argv", ["goldbeat", "nvdla", command, "model.nvdla", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err

    return call


def outputs(folder, name="nvdla-execute-model.nvdla"):
    return {path.name: np.load(path) for path in (folder / "runs" / name / "output").iterdir()}


@pytest.mark.parametrize("layout", ["cube28", "cube32"])
def test_execute_keeps_every_memory_that_is_written(layout, goldbeat, tmp_path):
    np.save(tmp_path / "in.npy", picture(1))
    code, out, err = goldbeat(classifier(layout), "execute", "--input", "in.npy")
    assert code == 0, err
    expected = {f"memory{memory(n)}.npy": array for n, array in reference(picture(1), layout).items()}
    found = outputs(tmp_path)
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert np.array_equal(found[name], array)
    prob = expected[f"memory{memory(PROB)}.npy"].reshape(-1)
    best = int(np.argmax(prob))
    assert f"output memory {memory(PROB)} (prob): int8 (10, 1, 1)" in out
    assert f"classes {best} ({prob[best]}), " in out
    assert f"written memory {memory(LOGITS)}: int8 (10, 1, 1)" in out


def test_execute_takes_several_inputs(goldbeat, tmp_path):
    """Two files, one of them a batch of two: arrays get a leading axis."""
    np.save(tmp_path / "one.npy", picture(1))
    np.save(tmp_path / "two.npy", np.stack([picture(2), picture(3)]))
    code, out, err = goldbeat(
        classifier(), "execute", "--input", "one.npy", "--input", "two.npy", "--name", "three", "--json"
    )
    assert code == 0, err
    report = json.loads(out)
    found = outputs(tmp_path, "three")
    for n in (ACTIVE, POOLED, LOGITS, PROB):
        assert np.array_equal(found[f"memory{memory(n)}.npy"], np.stack([reference(picture(i))[n] for i in (1, 2, 3)]))
    assert len(report["runs"]) == 3
    for i, one in enumerate(report["runs"], 1):
        prob = reference(picture(i))[PROB].reshape(-1)
        best = one[f"memory{memory(PROB)}"]["classes"][0]
        assert (best["class"], best["value"]) == (int(np.argmax(prob)), int(prob.max()))
    assert json.loads((tmp_path / "runs" / "three" / "report.json").read_text())["inputs"] == [
        "one.npy",
        "two.npy",
    ]
    code, out, _ = goldbeat(classifier(), "execute", "--input", "two.npy")
    assert "input 1: output memory 13 (prob): classes " in out
    assert "2 inputs, 4 memories each in " in out


def test_execute_takes_bytes_one_below_the_other(goldbeat, tmp_path):
    np.save(tmp_path / "in.npy", np.stack([packed(1), packed(2)]))
    assert goldbeat(classifier(), "execute", "--input", "in.npy")[0] == 0
    assert np.array_equal(outputs(tmp_path)["memory12.npy"], np.stack([reference(picture(i))[LOGITS] for i in (1, 2)]))


def test_execute_takes_pictures(goldbeat, tmp_path):
    pixels = np.random.default_rng(9).integers(0, 256, (8, 8, 3)).astype(np.uint8)
    Image.fromarray(pixels).save(tmp_path / "in.png")
    channels = pixels.transpose(2, 0, 1).astype(int)
    for options, data in (
        ((), np.floor(channels * 127 / 255 + 0.5)[::-1]),
        (("--image-scale", "half", "--image-order", "rgb"), np.minimum(127, np.rint(channels / 2))),
    ):
        assert goldbeat(classifier(), "execute", "--input", "in.png", *options)[0] == 0
        assert np.array_equal(outputs(tmp_path)["memory8.npy"], reference(data.astype(np.int8))[ACTIVE])


@pytest.mark.parametrize(
    ("array", "found"),
    [
        (np.zeros((0, *SHAPE), np.int8), "a batch of no inputs"),
        (np.zeros((2, 3, 8, 7), np.int8), "int8 of shape (3, 8, 7)"),
        (np.zeros((2, *SHAPE)), "float64 of shape (3, 8, 8)"),
        (np.zeros((2, 511), np.int8), "int8 of shape (2, 511)"),
    ],
)
def test_execute_refuses_batches_that_do_not_fit(array, found, goldbeat, tmp_path):
    np.save(tmp_path / "in.npy", array)
    code, _, err = goldbeat(classifier(), "execute", "--input", "in.npy")
    assert code == 2
    assert f"in.npy: found {found}, expected" in " ".join(err.split())
    assert not (tmp_path / "runs").exists()


def test_memories_that_several_operations_write_keep_what_is_left(goldbeat, tmp_path):
    """As compilers reuse memory: the second operation overwrites the first one's cube, the third lies behind it."""

    def place(at, size):
        return cube(1, 8, size) | {"offset": at}

    layers = [
        bias_and_relu(cube(0, 8, 4), place(0, 4)),
        bias_and_relu(place(0, 2), place(64, 2)),
        bias_and_relu(place(64, 2), place(256, 2)),
    ]
    layers = [
        ComposedLayer(
            one.type, one.desc, one.surface, consumers={} if i == 2 else {"SDP": (i + 1, 1)}, waits=int(i > 0)
        )
        for i, one in enumerate(layers)
    ]
    data = np.random.default_rng(1).integers(-100, 100, (8, 4, 4)).astype(np.int8)
    np.save(tmp_path / "in.npy", data)
    code, _, err = goldbeat(compose(layers, [Data(128, flags=5), Data(512)]), "execute", "--input", "in.npy")
    assert code == 0, err
    found = outputs(tmp_path)
    assert sorted(found) == ["memory6.npy", "memory6.task0.op1.npy", "memory6.task0.op2.npy"]
    assert found["memory6.npy"].shape == (512,)
    assert np.array_equal(found["memory6.task0.op2.npy"], found["memory6.task0.op1.npy"].astype(int) + 3)


def test_every_command_takes_the_classifier(goldbeat):
    for command in ("info", "ops", "memory", "graph", "program"):
        code, out, err = goldbeat(classifier(), command)
        assert code == 0, err
        assert out
