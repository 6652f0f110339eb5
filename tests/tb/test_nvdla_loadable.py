# SPDX-License-Identifier: Apache-2.0
"""Compiled models on our RTL with a user's own input, from the command line to the arrays that come out."""

from __future__ import annotations

import json

import numpy as np
import pytest
from nvdla_models import after_sdp, bias_and_relu, both, cube, fused, maximum, pooled
from PIL import Image

from pymodels.nvdla.compose import Data, compose
from pymodels.nvdla.cubes import pack_feature
from pymodels.nvdla.loadable import ALLOC, INPUT, OUTPUT, to_bytes
from tb.cli import main


@pytest.fixture
def goldbeat(monkeypatch, tmp_path, capsys):
    """Write a model to model.nvdla and run it; gives the exit code, what was printed and complained of."""
    monkeypatch.chdir(tmp_path)
    # Simulators stay in the cache, runs go here.
    monkeypatch.setattr("tb.cli.nvdla_run.build_root", lambda: tmp_path)

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
    assert report["outputs"] == {"memory7": {"bytes": 2 * 9 * 8, "shape": [11, 3, 3]}}
    assert output(tmp_path).dtype == np.int8
    assert np.array_equal(output(tmp_path), pooled(after_sdp(data)))


@pytest.mark.sim
@pytest.mark.parametrize(("channels", "mode"), [(3, "RGB"), (1, "L")])
def test_a_picture_goes_in(channels, mode, goldbeat, tmp_path):
    pixels = np.random.default_rng(1).integers(0, 256, (8, 8, 3)).astype(np.uint8)
    picture = Image.fromarray(pixels).convert(mode)
    picture.save(tmp_path / "in.png")
    data = np.asarray(picture).reshape(8, 8, channels).transpose(2, 0, 1).astype(int) - 128
    code, out, err = goldbeat(both(channels, 8), "--input", "in.png")
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
    code, _, err = goldbeat(fused())
    assert code == 2
    assert "takes its data from SDP on the fly, which our hardware cannot" in " ".join(err.split())
