# SPDX-License-Identifier: Apache-2.0
"""``goldbeat tpu execute``: tensors in and out, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from tpu_twice import SIZE, TENSOR, write_model
from typer.testing import CliRunner

from goldbeat.pymodels.tpu.execute.model import StaticNet
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.container import read_container
from goldbeat.pymodels.tpu.streams.tables import chip
from goldbeat.tb.cli import app

RUN = CliRunner()
SIZE_OF_LOAD = 96
"""Bytes of the command before the store."""


def call(*arguments: object) -> tuple[int, str]:
    done = RUN.invoke(app, ["tpu", "execute", *map(str, arguments)])
    return done.exit_code, done.output


@pytest.fixture
def given(tmp_path: Path) -> Path:
    np.savez(tmp_path / "x.npz", x=np.arange(64, dtype=np.float32).reshape(1, 64) / 8)
    return tmp_path / "x.npz"


def test_the_tensors_come_out(tmp_path: Path, given: Path):
    model = write_model(tmp_path / "m.bmodel")
    code, text = call(model, "--input", given, "--out", tmp_path / "y.npz")
    assert code == 0, text
    assert "BM1688: net twice, stage 0, 6 commands on 1 core" in text
    found = np.load(tmp_path / "y.npz")["y"]
    assert found.dtype == np.float16
    assert found.tolist() == (np.load(given)["x"] * 2).tolist()


def test_zero_by_zero_is_no_number(tmp_path: Path, given: Path):
    code, text = call(write_model(tmp_path / "m.bmodel", func=12), "--input", given, "--out", tmp_path / "y.npz")
    assert code == 0, text
    found = np.load(tmp_path / "y.npz")["y"][0]
    assert np.isnan(found).tolist() == [True] + [False] * 63
    assert np.abs(found[1:] - 1).max() < 0.01


def _copy(gen: CodeGen, engine: str, source: int, target: int) -> None:
    fields = SIZE | {"src_data_format": 1, "localmem_mask_h32": 0xFFFFFFFF}
    for end, address in (("src", source), ("dst", target)):
        fields |= {f"{end}_start_addr_l32": address, f"{end}_start_addr_h13": 1 << 8}
    gen.emit(engine, "DMA_tensor", fields)


@pytest.mark.parametrize(("send", "wait"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_core_goes_on_to_its_next_group_alone(tmp_path: Path, send: int, wait: int):
    """Core 0 copies and sends, core 1 waits and copies, in groups of their own; SDMA of core 1 copies on in group 2."""
    gen = CodeGen(chip("BM1690"), 2, group_limit=1)
    dma = gen.chip.engine("gdma")
    for group in (0, 1):
        for core, mine, spec in ((0, send, dma.send), (1, wait, dma.wait)):
            for turn in range(2):
                _copy(gen, f"gdma:{core}", 0, 0x90000 + 0x1000 * (4 * turn + 2 * group + core))
            steps = [
                lambda core=core: _copy(gen, f"gdma:{core}", 0x10000 * core, 0x10000 * (core + 1)),
                lambda core=core, spec=spec: gen.emit(
                    f"gdma:{core}", "sDMA_sys", {spec.field: 3 | 1 << 9}, func=spec.func
                ),
            ]
            for step in (steps, steps[::-1])[core] if mine == group else ():
                step()
        assert gen.checkpoint()
    _copy(gen, "sdma:1", 0x20000, 0x30000)
    tensor = TENSOR | {"data_type": 1, "size": 128}
    places = {"input_tensor": [tensor | {"name": "x", "device_addr": 1 << 40}]}
    places |= {"output_tensor": [tensor | {"name": "y", "device_addr": (1 << 40) + 0x30000}]}
    (tmp_path / "m.bmodel").write_bytes(gen.bmodel("net", tensors=places))
    np.savez(tmp_path / "x.npz", x=np.arange(64, dtype=np.float32).reshape(1, 64))
    code, text = call(tmp_path / "m.bmodel", "--input", tmp_path / "x.npz", "--out", tmp_path / "y.npz")
    assert code == 0, text
    assert np.load(tmp_path / "y.npz")["y"].tolist() == [list(range(64))]


def test_json(tmp_path: Path, given: Path):
    code, text = call(write_model(tmp_path / "m.bmodel"), "--input", given, "--out", tmp_path / "y.npz", "--json")
    said = json.loads(text)
    assert code == 0
    assert said["operations"] == {
        "dma.tensor": 2,
        "arith.cast": 1,
        "arith.add": 1,
        "system.end": 1,
        "dma.sys.chain_end": 1,
    }
    assert said["outputs"] == {"y": {"shape": [1, 64], "type": "float16"}}


def test_what_is_not_modelled_stops_the_run(tmp_path: Path, given: Path):
    code, text = call(write_model(tmp_path / "m.bmodel", func=7), "--input", given, "--out", tmp_path / "y.npz")
    assert code == 2
    assert "core0.sub0.g0.tiu: tiu command 2 (arith.and, sAR) is not modelled: floating point" in text
    assert not (tmp_path / "y.npz").exists()


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({}, "x.npz: missing input x, expected an array of shape (1, 64)"),
        ({"x": np.zeros((1, 63), np.float32)}, "x.npz: found input x of shape (1, 63), expected (1, 64)"),
        (
            {"x": np.zeros((1, 64), np.float32), "z": np.zeros(1)},
            "x.npz: found input z, expected those of net twice: x",
        ),
        ({"x": np.zeros((1, 64), np.complex64)}, "input x of complex64, expected fp32"),
    ],
)
def test_inputs_that_do_not_fit(tmp_path: Path, arrays: dict[str, np.ndarray], said: str):
    np.savez(tmp_path / "x.npz", **arrays)
    code, text = call(write_model(tmp_path / "m.bmodel"), "--input", tmp_path / "x.npz", "--out", tmp_path / "y.npz")
    assert code == 2
    assert said in text.replace("\n", " ")


@pytest.mark.parametrize(
    ("parameter", "options", "said"),
    [
        ({"is_dynamic": 1}, (), "net twice is dynamic"),
        ({}, ("--net", "other"), "net other: there is twice"),
        ({}, ("--stage", "1"), "net twice has 1 stages"),
    ],
)
def test_nets_that_cannot_run(tmp_path: Path, given: Path, parameter: dict, options: tuple[str, ...], said: str):
    model = write_model(tmp_path / "m.bmodel", **parameter)
    code, text = call(model, "--input", given, "--out", tmp_path / "y.npz", *options)
    assert code == 2
    assert said in text.replace("\n", " ")


@pytest.mark.parametrize("address", [0xB0 << 32, (0xA0 << 32) + 64, (0xA0 << 32) - 2])
def test_an_output_with_bytes_that_no_command_writes_is_partial(tmp_path: Path, given: Path, address: int):
    elsewhere = [TENSOR | {"name": "y", "device_addr": address, "data_type": 1, "size": 128}]
    model = write_model(tmp_path / "m.bmodel", output_tensor=elsewhere)
    code, text = call(model, "--input", given, "--out", tmp_path / "y.npz")
    assert code == 3
    assert "partial: no command writes all of y" in text


@pytest.mark.parametrize(
    ("changed", "command", "missing"),
    [
        ({"loaded": 32}, "tiu command 1 (arith.cast) reads 128 bytes of opd0", "lane 0 0x4080 to 0x40ff"),
        ({"loaded": 63}, "tiu command 1 (arith.cast) reads 4 bytes of opd0", "lane 0 0x40fc to 0x40ff"),
        ({"added": 63}, "gdma command 2 (dma.tensor) reads 2 bytes of src", "lane 0 0xc07e to 0xc07f"),
        (
            {"input_tensor": [TENSOR | {"name": "x", "device_addr": (0x90 << 32) + 8}]},
            "gdma command 1 (dma.tensor) reads 8 bytes of src",
            "global memory 0x9000000000 to 0x9000000007",
        ),
    ],
)
def test_an_operand_that_was_written_in_part_is_named(
    tmp_path: Path, given: Path, changed: dict, command: str, missing: str
):
    model = write_model(tmp_path / "m.bmodel", **changed)
    code, text = call(model, "--input", given, "--out", tmp_path / "y.npz")
    assert code == 3
    assert f"{command} that nothing wrote: " in text
    assert f"{missing}\n" in text
    # What lies in global memory is not in the file.
    checked = RUN.invoke(app, ["tpu", "check", str(model)])
    assert checked.exit_code == ("input_tensor" not in changed), checked.output
    assert ("part-unwritten" in checked.output and missing in checked.output) == ("input_tensor" not in changed)


def test_commands_that_race_make_the_result_one_of_several(tmp_path: Path, given: Path):
    """The store waits for nothing: its dependency is 0."""
    model = write_model(tmp_path / "m.bmodel")
    assert not StaticNet(read_container(model)).races()
    (stream,) = (one for one in read_container(model).streams() if one.engine == "gdma")
    bit, width = chip("BM1688").engine("gdma").head["dep"]
    raw = bytearray(model.read_bytes())
    at = stream.offset + SIZE_OF_LOAD + bit // 8
    raw[at : at + width // 8] = bytes(width // 8)
    model.write_bytes(raw)
    code, text = call(model, "--input", given, "--out", tmp_path / "y.npz")
    assert code == 3
    assert "partial: 1 hazard(s), the first write-after-read in core0.sub0.g0.tiu" in text
    assert StaticNet(read_container(model)).races() in text


def test_a_size_that_is_not_that_of_shape_and_type_is_refused(tmp_path: Path, given: Path):
    wrong = [TENSOR | {"name": "y", "device_addr": 0xA0 << 32, "data_type": 1, "size": 64}]
    model = write_model(tmp_path / "m.bmodel", output_tensor=wrong)
    code, text = call(model, "--input", given, "--out", tmp_path / "y.npz")
    assert code == 2
    assert "tensor y: size 64, expected 128 bytes" in text.replace("\n", " ")


def test_nothing_is_overwritten(tmp_path: Path, given: Path):
    (tmp_path / "y.npz").write_bytes(b"mine")
    code, _ = call(write_model(tmp_path / "m.bmodel"), "--input", given, "--out", tmp_path / "y.npz")
    assert code == 2
    assert (tmp_path / "y.npz").read_bytes() == b"mine"


def test_an_input_that_is_no_npz(tmp_path: Path):
    (tmp_path / "x.npz").write_bytes(b"no")
    code, text = call(write_model(tmp_path / "m.bmodel"), "--input", tmp_path / "x.npz", "--out", tmp_path / "y.npz")
    assert code == 2
    assert "expected an .npz" in text.replace("\n", " ")


@pytest.mark.parametrize(
    ("value", "code", "said"),
    [
        (1e300, 2, "input x[0, 2] 1e+300, expected values of fp32"),
        (
            2**40 + 1,
            0,
            "note: 1 of 64 values are rounded; the first, x[0, 2] 1099511627777.0, becomes 1099511627776.0 in fp32",
        ),
        (np.inf, 0, ""),
        (np.nan, 0, ""),
        (0.5, 0, ""),
    ],
)
def test_inputs_that_their_type_does_not_hold(tmp_path: Path, value: float, code: int, said: str):
    x = np.ones((1, 64))
    x[0, 2] = value
    np.savez(tmp_path / "x.npz", x=x)
    found, text = call(write_model(tmp_path / "m.bmodel"), "--input", tmp_path / "x.npz", "--out", tmp_path / "y.npz")
    assert found == code, text
    assert said in " ".join(text.split())
    assert bool(said) == ("rounded" in text or "expected values" in text)


def test_an_operand_behind_the_end_of_a_memory_is_named_by_both(tmp_path: Path, given: Path):
    model = write_model(tmp_path / "m.bmodel", stored=0xFFFF80)
    code, text = call(model, "--input", given, "--out", tmp_path / "y.npz")
    assert (code, "gdma command 2 (dma.tensor, DMA_tensor): an operand ends at byte" in " ".join(text.split())) == (
        2,
        True,
    )
    done = RUN.invoke(app, ["tpu", "check", str(model)])
    assert done.exit_code == 1
    assert "FAIL outside: core0.sub0.g0.dma: gdma command 2 (dma.tensor) reads src" in " ".join(done.output.split())
    assert "expected at most 0x10000 bytes of static memory" in " ".join(done.output.split())


def test_an_operand_in_no_memory_is_named_by_both(tmp_path: Path, given: Path):
    model = write_model(tmp_path / "m.bmodel", stored=0xFFFFFF80)
    code, text = call(model, "--input", given, "--out", tmp_path / "y.npz")
    assert (code, "command 2 (dma.tensor, DMA_tensor) is not modelled: src: an address in no memory" in text) == (
        2,
        True,
    )
    done = RUN.invoke(app, ["tpu", "check", str(model)])
    assert done.exit_code == 1
    assert "no memory 0xffffff80 to 0xffffff80), expected an address of a memory" in " ".join(done.output.split())


FAR, NEAR, W = 1 << 40, 31 << 40, 32


def _moved(gen: CodeGen, source: int, target: int, rows: int = 1) -> None:
    fields = SIZE | {"src_csize": rows, "src_wsize": W, "src_data_format": 1, "localmem_mask_h32": 0xFFFFFFFF}
    fields |= {f"{end}_{axis}stride": W for end in ("src", "dst") for axis in "nc"}
    for end, address in (("src", source), ("dst", target)):
        fields |= {f"{end}_start_addr_l32": address & 0xFFFFFFFF, f"{end}_start_addr_h13": address >> 32}
    gen.emit("gdma", "DMA_tensor", fields)


@pytest.mark.parametrize(("lanes", "code"), [((0, 1), 0), ((0,), 1)])
def test_a_bias_is_read_in_the_lanes_of_the_rows(tmp_path: Path, lanes: tuple[int, ...], code: int):
    """BM1690's product of two rows reads its bias in lanes 0 and 1, and nowhere else."""
    gen = CodeGen(chip("BM1690"))
    _moved(gen, FAR, NEAR, rows=2)
    _moved(gen, FAR + 0x1000, NEAR + 0x80, rows=W)
    for lane in lanes:
        _moved(gen, FAR + 0x2000, NEAR + 0x140 + lane * (1 << 18))
    precisions = {f"opt_{one}_prec": 1 for one in ("res0", "opd0", "opd1", "opd2")}
    sizes = {"res0_c": 2, "res0_w": W, "opd1_c": W, "opd1_w": W}
    places = {"res0_addr": 0x4000, "opd1_addr": 0x80, "opd2_addr": 0x140}
    gen.emit("tiu", "sMM2", precisions | sizes | places, func=4)
    _moved(gen, NEAR + 0x4000, FAR + 0x4000, rows=2)

    def tensor(name: str, at: int, *shape: int) -> dict:
        size = 2 * int(np.prod(shape))
        return {"name": name, "data_type": 1, "shape": [{"dim": list(shape)}], "size": size, "device_addr": FAR + at}

    inputs = [tensor("x", 0, 2, W), tensor("w", 0x1000, W, W), tensor("b", 0x2000, 1, W)]
    model = tmp_path / "bias.bmodel"
    model.write_bytes(
        gen.bmodel("n", bytes(64), {"input_tensor": inputs, "output_tensor": [tensor("y", 0x4000, 2, W)]})
    )
    bias = np.arange(1, W + 1, dtype=np.float32).reshape(1, W)
    np.savez(tmp_path / "in.npz", x=np.zeros((2, W), np.float32), w=np.zeros((W, W), np.float32), b=bias)
    checked = RUN.invoke(app, ["tpu", "check", str(model)])
    assert checked.exit_code == code, checked.output
    done, text = call(model, "--input", tmp_path / "in.npz", "--out", tmp_path / "y.npz")
    assert done == (3 if code else 0), text
    if code:
        assert "reads opd2" in " ".join(checked.output.split())
        assert "bytes of opd2 that nothing wrote: local memory lane 1" in " ".join(text.split())
    else:
        assert (np.load(tmp_path / "y.npz")["y"] == bias).all()
