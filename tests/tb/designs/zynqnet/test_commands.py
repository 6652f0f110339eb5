# SPDX-License-Identifier: Apache-2.0
"""``goldbeat zynqnet``, and what it reads."""

import json
import struct
import warnings
import zlib
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import NamedTuple

import numpy as np
import pytest
from mutations import bounded
from typer.main import get_command

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.zynqnet import synth
from goldbeat.pymodels.zynqnet.networks import mini
from goldbeat.tb.cli import app
from goldbeat.tb.designs.zynqnet.inputs import find_image

COMMAND = get_command(app)


class Result(NamedTuple):
    code: int
    stdout: str
    stderr: str


def goldbeat(*arguments):
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
        COMMAND.main(args=["zynqnet", *(str(a) for a in arguments)], prog_name="goldbeat")
    return Result(int(caught.value.code or 0), out.getvalue(), err.getvalue())


def test_golden_prints_every_layer():
    found = goldbeat("golden", "--network", "mini", "--json")
    assert found.code == 0
    data = json.loads(found.stdout)
    assert [row["layer"] for row in data["layers"]] == [layer.name for layer in mini().layers]
    assert all(len(row["sha256"]) == 64 for row in data["layers"])
    assert len(data["top"]) == 5
    assert sum(c["probability"] for c in data["top"]) <= 1
    text = goldbeat("golden", "--network", "mini", "--top", 2).stdout
    assert all(row["sha256"][:16] in text for row in data["layers"])
    assert text.count("class") == 2


def test_seeds_and_formats_matter():
    runs = [
        goldbeat("golden", "--network", "mini", "--json", *more).stdout
        for more in ((), ("--weights", "synth:2"), ("--image", "synth:8"), ("--number", "int8"))
    ]
    digests = [json.loads(run)["layers"][0]["sha256"] for run in runs]
    assert len(set(digests)) == 4
    assert json.loads(runs[3])["layers"][0]["shifts"]


def test_files_give_what_the_rule_gives(tmp_path):
    expected = json.loads(goldbeat("golden", "--network", "mini", "--json").stdout)["layers"]
    weights, image = synth.weights(mini()), synth.image(mini().input)
    weights.tofile(tmp_path / "weights.bin")
    np.save(tmp_path / "weights.npy", weights)
    np.save(tmp_path / "image.npy", image)
    for name in ("weights.bin", "weights.npy"):
        found = goldbeat(
            "golden", "--network", "mini", "--weights", tmp_path / name, "--image", tmp_path / "image.npy", "--json"
        )
        assert json.loads(found.stdout)["layers"] == expected


def test_a_picture_is_turned_and_its_mean_taken_off(tmp_path):
    image = pytest.importorskip("PIL.Image")
    shape = mini().input
    picture = np.random.default_rng(3).integers(0, 256, (shape.width, shape.height, 3), np.uint8)
    image.fromarray(picture).save(tmp_path / "a.png")
    np.save(tmp_path / "a.npy", picture)
    found = find_image(str(tmp_path / "a.png"), mini())
    # Row y, column x of the memory is row x, column y of the picture; blue comes first.
    assert found[2, 5].tolist() == [picture[5, 2, 2] - 104.0, picture[5, 2, 1] - 117.0, picture[5, 2, 0] - 123.0]
    np.testing.assert_array_equal(find_image(str(tmp_path / "a.npy"), mini()), found)


def test_a_large_picture_is_scaled_and_cut_around_its_centre(tmp_path):
    image = pytest.importorskip("PIL.Image")
    picture = np.zeros((64, 128, 3), np.uint8)
    picture[:, 32:96, 0] = 255
    image.fromarray(picture).save(tmp_path / "wide.png")
    found = find_image(str(tmp_path / "wide.png"), mini())
    assert found.shape == (16, 16, 3)
    assert (found[1:-1, :, 2] == 255 - 123).all()
    assert (found[:, :, :2] == [-104, -117]).all()


def test_a_picture_that_claims_to_be_huge_is_not_decoded(tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.zeros((16, 16, 3), np.uint8)).save(tmp_path / "a.png")
    data = bytearray((tmp_path / "a.png").read_bytes())
    data[16:24] = struct.pack(">II", 13_000, 13_000)
    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    (tmp_path / "a.png").write_bytes(data)
    with bounded(memory=256 << 20), pytest.raises(InputError, match=r"a\.png: found 13000 x 13000 pixels"):
        find_image(str(tmp_path / "a.png"), mini())


def test_a_picture_of_more_than_eight_bits_is_refused(tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.full((16, 16), 300, np.uint16)).save(tmp_path / "a.png")
    with pytest.raises(InputError, match=r"a\.png: found a picture of mode I.*, expected 8 bits per channel"):
        find_image(str(tmp_path / "a.png"), mini())


def test_map_tells_of_the_overrun():
    found = goldbeat("map")
    assert found.code == 0
    assert "131072 bytes behind the end" in found.stdout
    data = json.loads(goldbeat("map", "--json").stdout)
    assert (data["words"], data["original_host"]["overrun_bytes"]) == (5965344, 131072)
    assert data["stretches"][0]["byte_address"] == 0x38000000
    assert json.loads(goldbeat("map", "--json", "--base", "0x1000").stdout)["base"] == 0x1000


def test_time_of_every_layer():
    found = goldbeat("time", "--network", "mini")
    assert found.code == 0
    assert all(layer.name in found.stdout for layer in mini().layers)
    plain, narrow, late = (
        json.loads(goldbeat("time", "--network", "mini", "--json", *more).stdout)
        for more in ((), ("--data-width", 32), ("--memory-latency", 100))
    )
    assert plain["cycles"] == sum(row["CYCLES"] for row in plain["layers"])
    assert plain["frames_per_s"] == pytest.approx(200e6 / plain["cycles"])
    assert plain["cycles"] < narrow["cycles"]
    assert plain["cycles"] < late["cycles"]


def test_a_picture_of_a_layer(tmp_path):
    target = tmp_path / "layer.png"
    assert goldbeat("plot", "--network", "mini", "--layer", "f3/s3", "--out", target).code == 0
    assert target.read_bytes().startswith(b"\x89PNG")
    again = goldbeat("plot", "--network", "mini", "--layer", "f3/s3", "--out", target)
    assert (again.code, "--force" in again.stderr) == (2, True)
    assert goldbeat("plot", "--network", "mini", "--layer", "c1", "--out", target, "--force").code == 0


def test_program_of_one_layer_and_of_all():
    found = goldbeat("program", "--layer", "c1")
    assert "0x0018  0x00000100  WIDTH" in found.stdout
    assert "f2/s3" not in found.stdout
    parts = json.loads(goldbeat("program", "--json").stdout)
    assert len(parts) == 28
    assert parts[1]["writes"][-1] == {"register": "AP_CTRL", "address": 0, "value": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["golden", "--network", "nothing"], "unknown network"),
        (["golden", "--network", "nothing.toml"], "no such file"),
        (["golden", "--network", "mini", "--weights", "synth:x"], "whole number"),
        (["golden", "--network", "mini", "--weights", "missing.bin"], "no such file"),
        (["golden", "--network", "mini", "--image", "missing.png"], "no such file"),
        (["golden", "--network", "mini", "--weights", "."], "found a folder, expected a file"),
        (["golden", "--number", "fp16"], "unknown format"),
        (["program", "--layer", "c99"], "c99"),
        (["map", "--base", "here"], "not an address"),
        (["time", "--npe", "5"], "NPE: found 5"),
    ],
)
def test_bad_input(arguments, message):
    found = goldbeat(*arguments)
    assert found.code == 2
    assert message in found.stderr


def test_files_that_are_something_else(tmp_path):
    (tmp_path / "short.bin").write_bytes(b"1234")
    (tmp_path / "text.png").write_text("no picture")
    np.save(tmp_path / "ints.npy", np.zeros(4, np.int32))
    (tmp_path / "wide.toml").write_text(
        'input = {width = 7, height = 7, channels = 3}\n[[layer]]\nname = "a"\nch_out = 16\nstride = 2\n'
    )
    for arguments, message in [
        (["--weights", "short.bin"], "4 bytes"),
        (["--weights", "ints.npy"], "int32"),
        (["--image", "text.png"], "a picture"),
        (["--image", "ints.npy"], "int32"),
        (["--network", "wide.toml"], "wide.toml: layer a: 7 x 7 pixels, expected even sizes"),
    ]:
        found = goldbeat(
            "golden",
            *(["--network", "mini"] if "--network" not in arguments else []),
            arguments[0],
            tmp_path / arguments[1],
        )
        assert (found.code, message in found.stderr) == (2, True), found.stderr


def _numbers_gone_wrong(tmp_path, what, value):
    weights, image = synth.weights(mini()), synth.image(mini().input)
    (weights if what == "weights" else image.reshape(-1))[5] = value
    np.save(tmp_path / "weights.npy", weights)
    np.save(tmp_path / "image.npy", image)
    return ["golden", "--network", "mini", "--weights", tmp_path / "weights.npy", "--image", tmp_path / "image.npy"]


@pytest.mark.parametrize("value", [np.nan, np.inf, 3e38])
def test_scores_that_are_not_finite_leave_valid_json(value, tmp_path):
    weights = synth.weights(mini())
    # The last layer's biases: classes 18 and 19 alone go wrong.
    weights[-14:-12] = value
    np.save(tmp_path / "w.npy", weights)
    found = goldbeat("golden", "--network", "mini", "--weights", tmp_path / "w.npy", "--top", 32, "--json")
    assert found.code == 0, found.stderr
    data = json.loads(found.stdout, parse_constant=pytest.fail)
    assert data["scores_not_finite"] == 2
    ranks = [one["number"] for one in data["top"]]
    assert ranks[-2:] == [18, 19] if np.isnan(value) else ranks[:2] == [18, 19]
    assert {one["number"] for one in data["top"] if one["score"] is None} == {18, 19}
    assert all(one["probability"] is None for one in data["top"])
    text = goldbeat("golden", "--network", "mini", "--weights", tmp_path / "w.npy", "--top", 32).stdout
    assert "class   18     undefined  score not finite" in text
    assert "note: 2 of 32 scores are NaN or infinite" in text


@pytest.mark.parametrize(
    ("what", "value", "message"),
    [
        ("weights", np.nan, "weights.npy: found nan at word 5"),
        ("weights", -np.inf, "weights.npy: found -inf at word 5"),
        ("image", np.inf, "image.npy: found inf at word 5"),
        ("image", 3e38, "layer c1: "),
        ("weights", 1e30, "layer f2/s1: fraction lengths"),
        ("weights", 1e38, "layer c1: "),
    ],
)
def test_int8_refuses_what_it_has_no_fraction_length_for(what, value, message, tmp_path):
    arguments = _numbers_gone_wrong(tmp_path, what, value)
    found = goldbeat(*arguments, "--number", "int8", "--json")
    assert (found.code, found.stdout) == (2, "")
    assert message in found.stderr
    assert goldbeat(*arguments, "--json").code == 0


def test_int8_refuses_weights_that_are_too_small(tmp_path):
    np.save(tmp_path / "w.npy", synth.weights(mini()) * np.float32(1e-12))
    found = goldbeat("golden", "--network", "mini", "--weights", tmp_path / "w.npy", "--number", "int8")
    assert (found.code, "make a shift" in found.stderr) == (2, True), found.stderr
    np.save(tmp_path / "w.npy", np.zeros(mini().weights, np.float32))
    assert goldbeat("golden", "--network", "mini", "--weights", tmp_path / "w.npy", "--number", "int8").code == 0


def test_doubles_that_float32_does_not_hold_are_refused(tmp_path):
    path = tmp_path / "w.npy"
    for value, code in ((1e39, 2), (0.1, 2), (1e-50, 2), (0.5, 0), (np.nan, 0)):
        np.save(path, np.full(mini().weights, value))
        found = goldbeat("golden", "--network", "mini", "--weights", path)
        assert (found.code, f"w.npy: found {value} (float64) as number 0" in found.stderr) == (code, code == 2)
    np.save(path, np.full((16, 16, 3), 0.1))
    found = goldbeat("golden", "--network", "mini", "--image", path)
    assert (found.code, "expected numbers that float32 holds exactly" in found.stderr) == (2, True), found.stderr


def test_the_originals_input_file(tmp_path):
    # As the original's converter writes it: for every column, for every row, blue, green, red less the mean.
    picture = np.random.default_rng(3).integers(0, 256, (16, 16, 3), np.uint8)
    rows = [
        [picture[y, x, 2] - 104.0, picture[y, x, 1] - 117.0, picture[y, x, 0] - 123.0]
        for x in range(16)
        for y in range(16)
    ]
    (tmp_path / "indata.bin").write_bytes(b"".join(struct.pack("<3f", *pixel) for pixel in rows))
    np.save(tmp_path / "picture.npy", picture)
    runs = [
        json.loads(goldbeat("golden", "--network", "mini", "--image", tmp_path / name, "--json").stdout)["layers"]
        for name in ("indata.bin", "picture.npy")
    ]
    assert runs[0] == runs[1]
    (tmp_path / "indata.bin").write_bytes(bytes(4 * 16 * 16 * 3 + 4))
    found = goldbeat("golden", "--network", "mini", "--image", tmp_path / "indata.bin")
    assert (found.code, "found 3076 bytes, expected 3072" in found.stderr) == (2, True), found.stderr


def test_a_network_with_padded_channels(tmp_path):
    (tmp_path / "odd.toml").write_text(
        'name = "odd"\ninput = {width = 8, height = 8, channels = 3}\n'
        '[[layer]]\nname = "c1"\nch_out = 10\n[[layer]]\nname = "c2"\nch_out = 7\nkernel = 1\ngpool = true\n'
    )
    weights = np.linspace(-1, 1, 28 * 10 + 11 * 7, dtype=np.float32)
    weights.tofile(tmp_path / "weights.bin")
    network = ["--network", tmp_path / "odd.toml"]
    found = goldbeat("golden", *network, "--weights", tmp_path / "weights.bin", "--top", 20, "--json")
    data = json.loads(found.stdout)
    assert [row["shape"] for row in data["layers"]] == [[8, 8, 10], [8, 8, 7]]
    assert sorted(one["number"] for one in data["top"]) == list(range(7))
    assert "note: c1 has 10 output channels, 16 in memory\n" in goldbeat("map", *network).stdout
    assert json.loads(goldbeat("map", *network, "--json").stdout)["padding"] == {"c1": 6, "c2": 9}
    assert data["padding_not_zero"] == []
    weights[0] = np.inf
    weights.tofile(tmp_path / "infinite.bin")
    np.save(tmp_path / "image.npy", np.full((8, 8, 3), np.float32(np.inf)))
    for args, spoiled in (
        (["--weights", tmp_path / "infinite.bin"], ["c2"]),
        (["--image", tmp_path / "image.npy"], ["c1", "c2"]),
    ):
        # An infinite weight of c1 meets no padded channel of c1, but its result those of c2; a pixel meets those of c1.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = goldbeat("golden", *network, *args, "--json")
        assert json.loads(found.stdout)["padding_not_zero"] == spoiled
        text = goldbeat("golden", *network, *args).stdout
        assert f"note: padded channels of {', '.join(spoiled)} are NaN" in text
    # In the last layer, words of the file are not those of memory.
    weights[0], weights[-1] = 1, np.inf
    weights.tofile(tmp_path / "last.bin")
    refused = goldbeat("golden", *network, "--weights", tmp_path / "last.bin", "--number", "int8")
    assert refused.code == 2
    assert f"last.bin: found inf at word {len(weights) - 1}, expected finite" in " ".join(refused.stderr.split())
    weights[0], weights[-1] = np.inf, 1
    weights[1:].tofile(tmp_path / "short.bin")
    short = goldbeat("golden", *network, "--weights", tmp_path / "short.bin")
    assert (short.code, "found 1424 bytes, expected 1428" in short.stderr) == (2, True), short.stderr


@pytest.mark.parametrize("option", ["--weights", "--image"])
@pytest.mark.parametrize(("kind", "said"), [("short", "of shape"), ("inf", "found inf at word 5, expected finite")])
def test_messages_on_weights_and_images_name_the_file(tmp_path, option, kind, said):
    network = mini()
    size = (network.input.height, network.input.width, network.input.channels)
    values = np.zeros(network.used_weights if option == "--weights" else size, np.float32)
    values.reshape(-1)[5] = np.inf if kind == "inf" else 0
    np.save(tmp_path / "given.npy", values[:-1] if kind == "short" else values)
    found = goldbeat("golden", "--network", "mini", option, tmp_path / "given.npy", "--number", "int8")
    assert found.code == 2
    assert f"{tmp_path / 'given.npy'}: found " in found.stderr.replace("\n", "")
    assert said in found.stderr.replace("\n", "")
    if option == "--image" and kind == "short":
        np.save(tmp_path / "given.npy", np.zeros((4, 4, 3), np.uint8))
        found = goldbeat("golden", "--network", "mini", option, tmp_path / "given.npy")
        assert f"{tmp_path / 'given.npy'}: found a picture of shape" in found.stderr.replace("\n", "")
