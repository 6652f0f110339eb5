# SPDX-License-Identifier: Apache-2.0
"""Compiled models on our RTL with a user's own input, from the command line to the arrays that come out."""

from __future__ import annotations

import json

import commands
import numpy as np
import pytest
from nvdla_chain import chain
from nvdla_models import after_sdp, bias_and_relu, both, cube, fused, maximum, pooled, race
from nvdla_network import FACTORS, classifier, picture
from PIL import Image

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.engines.cubes import pack_feature
from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, Processor, compose
from goldbeat.pymodels.nvdla.loadable.layouts import OP_COMPLETED
from goldbeat.pymodels.nvdla.loadable.loadable import ALLOC, INPUT, OUTPUT, Loadable, Submit, to_bytes
from goldbeat.tb.cli import main
from goldbeat.tb.designs.nvdla import loadable_case
from goldbeat.tb.designs.nvdla.pictures import read_picture
from goldbeat.tb.paths import build_root
from goldbeat.tb.run.run_folder import prepare


@pytest.fixture
def goldbeat(monkeypatch, tmp_path, capsys):
    """Write a model to model.nvdla and run it; gives the exit code, what was printed and complained of."""
    # Simulators stay in the cache, runs go here.
    monkeypatch.setenv("GOLDBEAT_BUILD", str(build_root()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("goldbeat.tb.cli.run.build_root", lambda: tmp_path)

    def call(model, *arguments):
        (tmp_path / "model.nvdla").write_bytes(to_bytes(model))
        monkeypatch.setattr("sys.argv", ["goldbeat", "run", "nvdla", "--loadable", "model.nvdla", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err

    return call


def output(folder, number=7):
    return np.load(folder / "runs" / "nvdla-model.nvdla" / "output" / f"memory{number}.npy")


@pytest.mark.sim
@pytest.mark.parametrize("gap", [0, 24])
def test_an_array_goes_in_and_an_array_comes_out(gap, goldbeat, tmp_path):
    data = np.random.default_rng(gap).integers(-128, 128, (11, 6, 6)).astype(np.int8)
    np.save(tmp_path / "in.npy", data)
    code, out, err = goldbeat(both(11, 6, gap), "--input", "in.npy", "--json")
    assert code == 0, out + err
    report = json.loads(out)
    assert report["status"] == "pass"
    assert report["time_compared"]
    assert {name: (one["bytes"], one["shape"], one["marked"]) for name, one in report["outputs"].items()} == {
        "memory7": (2 * 9 * 8, [11, 3, 3], True),
        "memory6": (2 * 36 * 8, [11, 6, 6], False),
    }
    assert output(tmp_path).dtype == np.int8
    assert np.array_equal(output(tmp_path), pooled(after_sdp(data)))
    assert np.array_equal(output(tmp_path, 6), after_sdp(data))


@pytest.mark.sim
@pytest.mark.parametrize(
    ("channels", "mode", "options", "number"),
    [
        # As the vendor's runtime does, unless the user says otherwise.
        (3, "RGB", (), lambda x: np.floor(x * 127 / 255 + 0.5)[::-1]),
        (1, "L", (), lambda x: np.floor(x * 127 / 255 + 0.5)),
        (1, "L", ("--image-scale", "half"), lambda x: np.minimum(127, np.rint(x / 2))),
        (3, "RGB", ("--image-scale", "offset", "--image-order", "rgb"), lambda x: x - 128),
    ],
)
def test_a_picture_goes_in(channels, mode, options, number, goldbeat, tmp_path):
    pixels = np.arange(192, dtype=np.uint8).reshape(8, 8, 3) + np.uint8(64)
    image = Image.fromarray(pixels).convert(mode)
    image.save(tmp_path / "in.png")
    data = number(np.asarray(image).reshape(8, 8, channels).transpose(2, 0, 1).astype(int))
    code, out, err = goldbeat(both(channels, 8), "--input", "in.png", *options)
    assert code == 0, out + err
    assert f"output memory 7: int8 ({channels}, 4, 4)" in out
    assert np.array_equal(output(tmp_path), pooled(after_sdp(data)))


@pytest.mark.sim
def test_without_a_marked_input_it_is_what_is_only_read(goldbeat, tmp_path):
    """Bytes as they lie in memory; those of the file stay behind them."""
    stored = np.random.default_rng(2).integers(-128, 128, (8, 4, 4)).astype(np.int8)
    model = compose(
        [maximum(cube(0, 8, 4), cube(1, 8, 2))],
        [Data(contents=pack_feature(stored)), Data(32, flags=ALLOC | OUTPUT)],
    )
    np.save(tmp_path / "in.npy", np.full(64, 9, np.uint8))
    code, out, err = goldbeat(model, "--input", "in.npy")
    assert code == 0, out + err
    stored[:, :2] = 9
    assert np.array_equal(output(tmp_path, 6), pooled(stored))


@pytest.mark.sim
def test_several_inputs_are_one_run(goldbeat, tmp_path):
    """A batch and two files: an episode each, one simulator; arrays have a leading axis."""
    data = np.random.default_rng(6).integers(-128, 128, (4, 8, 4, 4)).astype(np.int8)
    for name, array in (("batch", data[:2]), ("one, two", data[2]), ("last", data[3])):
        np.save(tmp_path / f"{name}.npy", array)
    files = ("--input", "batch.npy", "--input", "one, two.npy", "--input", "last.npy")
    code, out, err = goldbeat(both(8, 4), *files)
    assert code == 0, out + err
    assert "4 inputs, 2 memories each in" in out
    assert "4 episode(s)" in out
    found = output(tmp_path)
    assert np.array_equal(found, np.stack([pooled(after_sdp(one)) for one in data]))
    folder = tmp_path / "runs" / "nvdla-model.nvdla"
    assert (folder / "output" / "memory7.bin").read_bytes() == b"".join(pack_feature(one).tobytes() for one in found)
    trace = (folder / "output" / "driver.trace").read_text()
    assert [line for line in trace.splitlines() if "input" in line] == [f"# input {n}" for n in range(4)]
    report = json.loads((folder / "report.json").read_text())
    assert len({one["cycles"] for one in report["inputs"]}) == 1
    assert [one["outputs"]["memory7"]["shape"] for one in report["inputs"]] == [[8, 2, 2]] * 4
    assert "--input 'one, two.npy' --input last.npy" in report["repeat"]
    profile = json.loads(commands.goldbeat("nvdla", "profile", str(folder), "--json").stdout)
    assert [one["engine"] for one in profile["operations"]] == ["SDP", "PDP"]


@pytest.mark.sim
def test_of_several_inputs_the_wrong_one_is_named(goldbeat, tmp_path, monkeypatch):
    data = np.random.default_rng(7).integers(-128, 128, (3, 8, 4, 4)).astype(np.int8)
    np.save(tmp_path / "batch.npy", data)
    right = loadable_case.execute

    def wrong_for_the_second(placement, given):
        left = right(placement, given)
        if np.array_equal(given[5], pack_feature(data[1])):
            left[7][0] ^= 1
        return left

    monkeypatch.setattr(loadable_case, "execute", wrong_for_the_second)
    code, out, err = goldbeat(both(8, 4), "--input", "batch.npy")
    assert code == 1
    words = " ".join((out + err).split())
    assert "episode 1 (input 1): the first wrong tensor is that of task0.op1: channel 0, line 0, column 0" in words
    assert "(input 0)" not in words
    assert "(input 2)" not in words


@pytest.mark.parametrize(
    ("array", "found"),
    [
        (np.zeros((8, 4, 5), np.int8), "int8 of shape (8, 4, 5)"),
        (np.zeros((8, 4), np.int8), "int8 of shape (8, 4)"),
        (np.zeros((8, 4, 4), np.uint8), "uint8 of shape (8, 4, 4)"),
        (np.zeros((8, 4, 4)), "float64 of shape (8, 4, 4)"),
        (np.zeros(128, bool), "bool of shape (128,)"),
        (np.zeros(129, np.uint8), "129 bytes"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(array, found, goldbeat, tmp_path):
    np.save(tmp_path / "in.npy", array)
    prepare(tmp_path / "runs" / "nvdla-model.nvdla")
    earlier = tmp_path / "runs" / "nvdla-model.nvdla" / "output" / "memory7.npy"
    earlier.parent.mkdir(parents=True)
    earlier.write_text("of an earlier run")
    code, _, err = goldbeat(both(8, 4), "--input", "in.npy")
    assert earlier.exists()
    words = " ".join(err.split())
    assert code == 2
    assert f"in.npy: found {found}, expected" in words
    assert "up to 128 bytes in one dimension" in words


@pytest.mark.parametrize(
    ("channels", "size", "word"),
    [(3, (5, 4), "found int8 of shape (3, 4, 5), expected int8 of shape (3, 4, 4)"), (8, (4, 4), "1 or 3 channels")],
)
def test_pictures_that_do_not_fit_are_refused(channels, size, word, goldbeat, tmp_path):
    Image.new("RGB", size).save(tmp_path / "in.png")
    code, _, err = goldbeat(both(channels, 4), "--input", "in.png")
    assert code == 2
    assert word in " ".join(err.split())


@pytest.mark.parametrize(
    ("channels", "mode", "found"),
    [
        (1, "RGB", "a picture of three colours, expected a grey picture"),
        (1, "RGBA", "a picture of mode RGBA, expected a grey picture"),
        (1, "LA", "a picture of mode LA, expected a grey picture"),
        (1, "P", "a picture of three colours, expected a grey picture"),
        (3, "L", "a grey picture, expected a picture of three colours"),
        (3, "1", "a grey picture, expected a picture of three colours"),
        (3, "RGBA", "a picture of mode RGBA, expected a picture of three colours"),
    ],
)
def test_pictures_of_other_channels_are_refused(channels, mode, found, tmp_path):
    pixels = np.arange(64, dtype=np.uint8).reshape(4, 4, 4) * np.uint8(3)
    Image.fromarray(pixels).convert("RGB" if mode == "P" else "RGBA").convert(mode).save(tmp_path / "in.png")
    with pytest.raises(InputError, match=rf"in\.png: found {found}; convert it first"):
        read_picture(tmp_path / "in.png", (channels, 4, 4))


def test_grey_palettes_and_transparent_colours(tmp_path):
    grey = Image.fromarray(np.arange(16, dtype=np.uint8).reshape(4, 4))
    grey.save(tmp_path / "grey.png")
    grey.convert("P").save(tmp_path / "palette.png")
    one, other = (read_picture(tmp_path / name, (1, 4, 4)) for name in ("grey.png", "palette.png"))
    assert np.array_equal(one, other)
    grey.save(tmp_path / "clear.png", transparency=3)
    with pytest.raises(InputError, match=r"clear\.png: found a picture of mode L with transparency"):
        read_picture(tmp_path / "clear.png", (1, 4, 4))


def test_files_that_are_none_are_refused(goldbeat, tmp_path):
    for name in ("in.npy", "in.png"):
        assert goldbeat(both(3, 4), "--input", name)[0] == 2
        (tmp_path / name).write_bytes(b"nothing of the kind")
        code, _, err = goldbeat(both(3, 4), "--input", name)
        assert code == 2
        assert name in err


def test_two_inputs_are_refused(goldbeat, tmp_path):
    np.save(tmp_path / "in.npy", np.zeros(8, np.uint8))
    model = compose(
        [bias_and_relu(cube(0, 8, 4), cube(1, 8, 4))],
        [Data(128, flags=ALLOC | INPUT), Data(128, flags=ALLOC | INPUT)],
    )
    code, _, err = goldbeat(model, "--input", "in.npy")
    assert code == 2
    assert "2 input memories" in err


def test_what_our_hardware_never_begins_is_refused_at_once(goldbeat):
    wide = compose([maximum(cube(0, 8, 1026), cube(1, 8, 513))], [Data(8 * 1026**2), Data(8 * 513**2)])
    code, _, err = goldbeat(wide)
    assert code == 2
    assert "lines of 1026 points; our hardware takes up to 1024" in " ".join(err.split())


def cdp_alone():
    cdp = ComposedLayer(
        "CDP", {"lut_index": 0, "local_size": 3}, {"src_data": cube(0, 8, 4), "dst_data": cube(1, 8, 4)}
    )
    return compose([cdp], [Data(128, flags=ALLOC | INPUT), Data(128, flags=ALLOC | OUTPUT)], luts=[{}])


@pytest.mark.slow
@pytest.mark.sim
def test_a_loadable_of_cdp_runs(goldbeat):
    code, out, err = goldbeat(cdp_alone(), "--json")
    assert code == 0, out + err
    report = json.loads(out)
    assert (report["status"], report["partial"]) == ("pass", [])


@pytest.mark.slow
@pytest.mark.sim
def test_a_compiled_network_runs_on_our_hardware(goldbeat, tmp_path):
    """Convolutions, activation and pooling, one behind the other: every tensor and every cycle is compared."""
    np.save(tmp_path / "in.npy", picture(3))
    code, out, err = goldbeat(classifier(), "--input", "in.npy")
    assert code == 0, out + err
    assert "PASS nvdla loadable, model.nvdla" in out


@pytest.mark.slow
@pytest.mark.sim
def test_a_network_of_every_engine_runs_on_our_hardware(goldbeat, tmp_path):
    """Pooling on the fly and from memory, CDP, a processor's softmax; every tensor and every cycle is compared."""
    data = np.random.default_rng(1).integers(-128, 128, (3, 16, 16)).astype(np.int8)
    np.save(tmp_path / "in.npy", data)
    code, out, err = goldbeat(chain(), "--input", "in.npy", "--json")
    assert code == 0, out + err
    report = json.loads(out)
    assert (report["status"], report["partial"], report["time_compared"]) == ("pass", [], True)
    assert {"memory8", "memory9", "memory12", "memory13", "memory16", "memory17"} == set(report["outputs"])
    active = output(tmp_path, 12)
    assert np.array_equal(output(tmp_path, 13), pooled(active))
    assert len(np.unique(output(tmp_path, 9))) > 100


@pytest.mark.slow
@pytest.mark.sim
def test_a_pool_on_the_fly_gives_what_one_from_memory_gives(goldbeat, tmp_path):
    data = np.random.default_rng(2).integers(-128, 128, (8, 4, 4)).astype(np.int8)
    np.save(tmp_path / "in.npy", data)
    code, out, err = goldbeat(fused(), "--input", "in.npy")
    assert code == 0, out + err
    assert np.array_equal(output(tmp_path, 6), pooled(after_sdp(data)))


@pytest.mark.slow
@pytest.mark.sim
def test_unordered_operations_fail_a_run_whose_bytes_are_right(goldbeat):
    for arguments in ((), ("--unchecked",)):
        code, out, err = goldbeat(race(ordered=False), "--force", "--json", *arguments)
        assert code == 1, out + err
        report = json.loads(out)
        assert report["status"] == "fail"
        (why,) = [text for text in report["failures"] if "unordered" in text]
        assert "operation 0.1 (PDP) writes dst_data, operation 0.0 (SDP) reads src_data: 32 bytes of memory 6" in why
    assert goldbeat(race(ordered=True), "--force")[0] == 0


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (1, "operation 0.1 (PDP) waits for 0 event(s), but 1 decrease its count"),
        (77, "operation 0.1 (PDP) is never enabled"),
    ],
)
def test_run_and_execute_refuse_a_loadable_with_one_text(told, text, goldbeat, monkeypatch, capsys):
    """A consumer that counts too little, and one that there is not."""
    first = bias_and_relu(cube(0, 8, 4), cube(1, 8, 4), consumers={"PDP": (told, OP_COMPLETED)})
    model = compose(
        [first, maximum(cube(1, 8, 4), cube(2, 8, 2), waits=int(told != 1))], [Data(128), Data(128), Data(32)]
    )
    code, _, ran = goldbeat(model)
    monkeypatch.setattr("sys.argv", ["goldbeat", "nvdla", "execute", "model.nvdla", "--name", "once"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (code, ended.value.code) == (2, 2)
    assert capsys.readouterr().err == ran
    assert text in " ".join(ran.split())


@pytest.mark.parametrize("arguments", [(), ("--unchecked",)])
def test_operations_that_are_never_done_are_refused_before_the_run(arguments, goldbeat):
    code, _, err = goldbeat(race(ordered=True, waits=1), *arguments)
    assert code == 2
    assert "operation 0.0 (SDP) is never enabled: it waits for 2 event(s) and gets 1" in " ".join(err.split())


@pytest.mark.sim
def test_unchecked_says_that_nothing_was_compared(goldbeat, tmp_path):
    data = np.random.default_rng(3).integers(-128, 128, (8, 4, 4)).astype(np.int8)
    np.save(tmp_path / "in.npy", data)
    arguments = ("--input", "in.npy", "--unchecked")
    code, out, err = goldbeat(both(8, 4), *arguments)
    assert code == 3, out + err
    assert "PARTIAL nvdla loadable, model.nvdla" in out
    assert "nothing was compared (--unchecked)" in out
    assert np.array_equal(output(tmp_path), pooled(after_sdp(data)))
    code, out, _ = goldbeat(both(8, 4), *arguments, "--allow-partial", "--json")
    assert (code, json.loads(out)["status"], json.loads(out)["compared"]) == (0, "partial", 0)


def without_a_model():
    """Average pooling whose windows may lie in the padding as a whole."""
    pool = {
        "split_num": 1,
        "pool_mode": 0,
        "pool_width": 1,
        "pool_height": 1,
        "stride_x": 2,
        "stride_y": 2,
        "pad_left": 2,
    }
    wide = {"width": 3, "line_stride": 24, "surf_stride": 48, "size": 48}
    layer = ComposedLayer("PDP", pool, {"src_data": cube(0, 8, 4), "dst_data": cube(1, 8, 2) | wide})
    return compose([layer], [Data(128, flags=ALLOC | INPUT), Data(48, flags=ALLOC | OUTPUT)])


def test_where_a_model_is_missing_the_way_round_is_named(goldbeat):
    code, _, err = goldbeat(without_a_model())
    assert code == 2
    assert "--unchecked runs it and compares nothing" in " ".join(err.split())


@pytest.mark.sim
def test_tasks_of_the_processor_stand_between_those_of_the_hardware(goldbeat, tmp_path):
    """SDP on the hardware, softmax on the processor, SDP on what that left."""

    def point(number):
        sides = {"width": 1, "height": 1, "channel": 10, "size": 16, "line_stride": 8, "surf_stride": 8}
        return {"address": number, **sides}

    buffer = {**point(1), "format": 1}
    softmax = Processor("softmax", buffer, {**buffer, "address": 2}, FACTORS)
    first, last = bias_and_relu(point(0), point(1)), bias_and_relu(point(2), point(3))
    marked = Data(16, flags=ALLOC | OUTPUT, tensor="last", shape=(10, 1, 1))
    model = compose([first], [Data(16, flags=ALLOC | INPUT), Data(16), Data(16), marked], then=[[softmax], [last]])
    data = np.random.default_rng(4).integers(-60, 120, (10, 1, 1)).astype(np.int8)
    np.save(tmp_path / "in.npy", data)
    code, out, err = goldbeat(model, "--input", "in.npy")
    assert code == 0, out + err
    assert "PASS nvdla loadable, model.nvdla" in out
    inner = after_sdp(data).reshape(-1).astype(np.float32) * np.float32(FACTORS["input_scale_factor"])
    e = np.exp(inner.astype(np.float16).astype(np.float32) - inner.astype(np.float16).astype(np.float32).max())
    prob = np.trunc((e / e.sum()).astype(np.float16) / np.float32(FACTORS["output_scale_factor"]))
    assert np.array_equal(output(tmp_path, 7).reshape(-1), prob)
    assert np.array_equal(output(tmp_path, 8).reshape(-1), prob + 3)
    best = int(np.argmax(prob))
    assert "output memory 8 (last): int8 (10, 1, 1)" in out
    assert f"classes {best} ({int(prob[best]) + 3})" in out
    trace = (tmp_path / "runs" / "nvdla-model.nvdla" / "output" / "driver.trace").read_text()
    assert "task 1 on the processor (EMU)" in trace
    cycles = [int(line.lstrip("# ").split()[0]) for line in trace.splitlines()]
    assert cycles == sorted(cycles)


def test_a_loadable_of_another_configuration_is_refused_at_once(goldbeat):
    line = {"line_stride": 128, "surf_stride": 512, "size": 512}
    code, _, err = goldbeat(
        compose([bias_and_relu(cube(0, 8, 4) | line, cube(1, 8, 4) | line)], [Data(512), Data(512)])
    )
    assert code == 2
    assert "a loadable for nv_large or nv_full (atoms of 32 bytes, int8)" in " ".join(err.split())


def test_nothing_for_the_hardware_is_refused(goldbeat):
    made = classifier()
    code, _, err = goldbeat(Loadable(**{**vars(made), "submits": (Submit(0, (1,)),)}))
    assert code == 2
    assert "no task for the hardware; goldbeat nvdla execute" in " ".join(err.split())


@pytest.mark.parametrize("arguments", [("--image-scale", "half"), ("--image-order", "rgb"), ("--unchecked",)])
def test_options_of_loadables_need_one(arguments, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["goldbeat", "run", "nvdla", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "needs a compiled model: --loadable FILE" in " ".join(capsys.readouterr().err.split())


def test_what_is_given_twice_or_is_no_switch_is_refused(goldbeat, tmp_path):
    np.save(tmp_path / "in.npy", np.zeros(8, np.uint8))
    for words, message in (
        (("--input", "loadable=model.nvdla"), "loadable is given twice"),
        (("--unchecked", "maybe"), "--set unchecked=maybe: expected 1 or true"),
        (("--unheard",), "no option --unheard"),
    ):
        code, _, err = goldbeat(both(3, 4), *words)
        assert code == 2
        assert message in " ".join(err.split())


def test_an_unknown_convention_is_refused(goldbeat, tmp_path):
    Image.new("RGB", (4, 4)).save(tmp_path / "in.png")
    for option, value in (("--image-scale", "tenth"), ("--image-order", "grb")):
        code, _, err = goldbeat(both(3, 4), "--input", "in.png", option, value)
        assert code == 2
        assert f"{option} {value}: expected" in err
