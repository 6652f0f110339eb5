# SPDX-License-Identifier: Apache-2.0
"""Loadables of other configurations on the command line: an int16 network for atoms of 32 bytes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.engines.configuration import (
    CONFIGURATIONS,
    NV_FULL,
    NV_LARGE,
    NV_SMALL,
    configuration_named,
)
from goldbeat.pymodels.nvdla.engines.cubes import KINDS, ElementForm, pack_feature
from goldbeat.pymodels.nvdla.engines.registers import all_registers, csb_register
from goldbeat.pymodels.nvdla.engines.target import check_configuration, configuration_of
from goldbeat.pymodels.nvdla.engines.weights import pack_weights
from goldbeat.pymodels.nvdla.listing import info
from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, compose
from goldbeat.pymodels.nvdla.loadable.layouts import MEM_HW, OP_COMPLETED, OP_ENABLED, OP_PROGRAMMED
from goldbeat.pymodels.nvdla.loadable.loadable import ALLOC, INPUT, OUTPUT, to_bytes
from goldbeat.tb.cli import main

INT16 = 1
FORM = ElementForm(32, KINDS[INT16])
SHAPE, KERNELS = (20, 6, 8), 24
RNG = np.random.default_rng(5)
WEIGHTS = RNG.integers(-3000, 3000, (KERNELS, 20, 3, 3))
TRUNCATE, SHIFT = 8, 4


def cube(address, channels, height, width, lanes=16, **more):
    line = 32 * width
    sides = {"width": width, "height": height, "channel": channels, "size": line * height * -(-channels // lanes)}
    return {"address": address, **sides, "line_stride": line, "surf_stride": line * height, **more}


def network():
    """Convolution, SDP on the fly, maximum of 2 x 2."""
    channels, height, width = SHAPE
    wide = KERNELS, height, width
    flying = cube(-1, *wide, type=MEM_HW)
    source, active, pooled = cube(0, *SHAPE), cube(2, *wide), cube(3, KERNELS, 3, 4)
    weights = pack_weights(WEIGHTS, 1, NV_FULL, INT16)
    ones = dict.fromkeys(("batch", "fetch_grain", "dilation_x", "dilation_y", "conv_stride_x", "conv_stride_y"), 1)
    ones |= dict.fromkeys(("data_bank", "weight_bank", "pad_x_left", "pad_x_right", "pad_y_top", "pad_y_bottom"), 1)
    conv = ComposedLayer(
        "CONV",
        {
            **ones,
            **dict.fromkeys(("in_precision", "out_precision"), INT16),
            "data_format": 36,
            "entry_per_slice": width,
            "release": height,
            "input_width_csc": width,
            "input_height_csc": height,
            "input_channel_csc": channels,
            "kernel_width_csc": 3,
            "kernel_height_csc": 3,
            "kernel_channel_csc": channels,
            "input_width_cmac": width,
            "input_height_cmac": height,
            "bytes_per_kernel": channels * 18,
            "in_cvt": {"scale": 1},
            "out_cvt": {"scale": 1, "truncate": TRUNCATE, "enable": 1},
        },
        {
            "src_data": source,
            "dst_data": flying,
            "weight_data": {"address": 1, "width": 3, "height": 3, "channel": channels, "size": len(weights)},
        },
        waits=1,
        consumers={"SDP": (1, OP_PROGRAMMED)},
    )
    sdp = ComposedLayer(
        "SDP",
        {
            "batch_num": 1,
            "lut_index": -1,
            "src_precision": INT16,
            "dst_precision": INT16,
            "out_cvt": {"scale": 1, "truncate": SHIFT, "enable": 1},
        },
        {"src_data": flying, "dst_data": active},
        waits=1,
        fused=(0, OP_ENABLED),
        consumers={"PDP": (2, OP_COMPLETED)},
    )
    one = {"stride_x": 2, "stride_y": 2, "pool_width": 1, "pool_height": 1, "pool_mode": 1, "split_num": 1}
    pdp = ComposedLayer("PDP", {**one, "precision": INT16}, {"src_data": active, "dst_data": pooled}, waits=1)
    data = [
        Data(source["size"], flags=ALLOC | INPUT, tensor="data", shape=SHAPE),
        Data(contents=weights),
        Data(active["size"]),
        Data(pooled["size"], flags=ALLOC | OUTPUT, tensor="prob", shape=(KERNELS, 3, 4)),
    ]
    return compose([conv, sdp, pdp], data)


def rounded(value, shift, bits):
    value = np.sign(value) * ((np.abs(value) + (1 << shift - 1)) >> shift)
    return np.clip(value, -(1 << bits - 1), (1 << bits - 1) - 1)


def reference(data):
    padded = np.pad(data.astype(np.int64), ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (SHAPE[0], 3, 3))[0]
    sums = rounded(np.einsum("yxcrs,kcrs->kyx", windows, WEIGHTS), TRUNCATE, 32)
    active = rounded(sums, SHIFT, 16)
    return active, active.reshape(KERNELS, 3, 2, 4, 2).max(axis=(2, 4))


@pytest.fixture
def goldbeat(monkeypatch, tmp_path, capsys):
    """Write a model to model.nvdla and call goldbeat; gives the exit code, what was printed and complained of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("goldbeat.tb.designs.nvdla.execute_command.build_root", lambda: tmp_path)

    def call(model, *arguments):
        (tmp_path / "model.nvdla").write_bytes(to_bytes(model))
        monkeypatch.setattr("sys.argv", ["goldbeat", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err

    return call


def test_a_network_of_int16_is_executed(goldbeat, tmp_path):
    data = RNG.integers(-3000, 3000, SHAPE).astype(np.int16)
    np.save(tmp_path / "in.npy", data)
    code, out, err = goldbeat(
        network(), "nvdla", "execute", "model.nvdla", "--input", "in.npy", "--name", "one", "--json"
    )
    assert code == 0, err
    assert json.loads(out)["configuration"] == "nv_full"
    folder = tmp_path / "runs" / "one" / "output"
    active, pooled = reference(data)
    for ident, wanted in ((7, active), (8, pooled)):
        found = np.load(folder / f"memory{ident}.npy")
        assert found.dtype == np.int16
        assert np.array_equal(found, wanted)
    assert len(np.unique(pooled)) > 20


def test_an_input_of_another_type_is_refused(goldbeat, tmp_path):
    np.save(tmp_path / "in.npy", np.zeros(SHAPE, np.int8))
    code, _, err = goldbeat(network(), "nvdla", "execute", "model.nvdla", "--input", "in.npy")
    assert code == 2
    assert "found int8 of shape (20, 6, 8), expected int16 of shape (20, 6, 8)" in " ".join(err.split())


def test_a_program_has_the_addresses_of_its_configuration(goldbeat):
    code, out, err = goldbeat(network(), "nvdla", "program", "model.nvdla")
    assert code == 0, err
    cdma = csb_register("CDMA", "D_OP_ENABLE").address % 0x1000
    assert f"0 write_reg 0x{0x5000 + cdma:05x} 0x00000001" in out
    assert "0 read_reg 0x0000c 0x" in out, "GLB's status is at the beginning"
    code, _, err = goldbeat(network(), "nvdla", "program", "model.nvdla", "--configuration", "nv_large")
    assert code == 2
    wanted = (
        "found a loadable for nv_full (atoms of 32 bytes, int16), expected one for nv_large (atoms of 32 bytes, int8)"
    )
    assert wanted in " ".join(err.split())


def test_hardware_refuses_other_configurations_by_name(goldbeat):
    code, _, err = goldbeat(network(), "run", "nvdla", "--loadable", "model.nvdla")
    assert code == 2
    assert "found a loadable for nv_full (atoms of 32 bytes, int16), expected one for nv_small" in " ".join(err.split())


def test_an_unknown_configuration_is_named(goldbeat):
    code, _, err = goldbeat(network(), "nvdla", "execute", "model.nvdla", "--configuration", "nv_ful")
    assert code == 2
    assert "unknown configuration 'nv_ful'; did you mean nv_full?" in " ".join(err.split())


def test_what_a_file_was_compiled_for():
    assert info(network())["target"] == {
        **info(network())["target"],
        "name": "nv_full",
        "atom": 32,
        "reason": "atoms of 32 bytes, int16",
        "small": False,
    }
    data = [Data(contents=pack_feature(np.zeros((40, 4, 4)), form=ElementForm(32)))] * 2
    pool = {"stride_x": 1, "stride_y": 1, "split_num": 1}
    cubes = {"src_data": cube(0, 40, 4, 4, 32), "dst_data": cube(1, 40, 4, 4, 32)}
    large = compose([ComposedLayer("PDP", pool, cubes)], data)
    assert info(large)["target"]["name"] == "nv_large or nv_full"
    assert configuration_of(large) is NV_FULL
    assert configuration_of(large, "nv_large") is NV_LARGE
    with pytest.raises(InputError, match="expected one for nv_small"):
        check_configuration(large, NV_SMALL)
    with pytest.raises(UsageError, match="unknown configuration 'huge'; known: nv_small, "):
        configuration_named("huge")


def test_every_register_has_an_address_in_each_configuration():
    for one in CONFIGURATIONS.values():
        registers = [r for r in all_registers() if r.block in one.pages]
        there = [one.register_address(r.address) for r in registers]
        assert len(set(there)) == len(registers)
        assert [one.page_address(address) for address in there] == [r.address for r in registers]
    assert NV_FULL.page_address(0x11000) is None
    # The manual of nvdlav1.
    assert NV_FULL.register_address(csb_register("CDP", "S_STATUS").address) == 0xF000
    assert NV_FULL.register_address(csb_register("BDMA", "CFG_OP").address) == 0x4030
    assert NV_LARGE.register_address(csb_register("CDP", "S_STATUS").address) == 0xD000


def test_data_of_int16_lie_in_two_bytes():
    data = RNG.integers(-(2**15), 2**15, (17, 1, 2)).astype(np.int16)
    raw = pack_feature(data, form=FORM)
    assert raw[:4].tolist() == data[:2, 0, 0].copy().view(np.uint8).tolist()
    assert raw[64:66].tolist() == data[16, 0, :1].copy().view(np.uint8).tolist()
    assert not raw[66:96].any()


# -- goldbeat nvdla play --------------------------------------------------------------------------------------------


def copy_test(wanted=None):
    """Transactions of nv_full that copy 64 bytes, and their data files."""
    base, data = 0x80000000, bytes(range(64))

    def word(name):
        inside = csb_register(*name.split(".")).address
        return f"0x{0xFFFF0000 | NV_FULL.register_address(inside) >> 2:x}"

    rows = [f"load_mem 0x{base:x} 0x40 in.dat", f"load_mem 0x{base + 0x1000:x} 0x40 empty.dat"]
    for name, value in (
        ("BDMA.CFG_SRC_ADDR_LOW", base),
        ("BDMA.CFG_DST_ADDR_LOW", base + 0x1000),
        ("BDMA.CFG_LINE", 1),
        ("BDMA.CFG_OP", 1),
        ("BDMA.CFG_LAUNCH0", 1),
    ):
        rows.append(f"write_reg {word(name)} 0x{value:x} #NVDLA_{name}_0")
    rows.append(f"read_reg {word('BDMA.CFG_LINE')} 0x1fff 0x1")
    rows.append(f"read_reg {word('GLB.S_INTR_STATUS')} 0x40 0x40")
    rows.append(f"dump_mem 0x{base + 0x1000:x} 0x40 out.dat")
    dump = "dumped memory,start_address=0x80001000 size=0x40\nmemory type:dram\n====\n\n {}\n\n====\ndump done\n"
    text = " ".join(f"0x{byte:02x}" for byte in data)
    files = {"in.dat": text, "empty.dat": " ".join(["0x00"] * 64), "out.dat": dump.format(wanted or text)}
    return {**files, "input.txn": "\n".join(rows) + "\n"}


def put(folder, files):
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)


def test_play_compares_memory_and_registers(goldbeat, tmp_path):
    put(tmp_path / "copy", copy_test())
    code, out, err = goldbeat(network(), "nvdla", "play", "copy", "--configuration", "nv_full")
    assert (code, err) == (0, "")
    assert "pass        copy: 1 checks of memory, 1 of registers" in out
    put(tmp_path / "wrong", copy_test(wanted=" ".join(["0x01"] * 64)))
    code, out, _ = goldbeat(network(), "nvdla", "play", "wrong/input.txn", "--configuration", "nv_full")
    assert code == 1
    assert "FAIL        wrong: input.txn:10: memory from 0x80001000 on, 64 bytes: 63 bytes differ from the file" in out


def test_play_goes_through_a_folder(goldbeat, tmp_path):
    tests = tmp_path / "tests"
    tests.mkdir()
    put(tests / "a", copy_test())
    put(tests / "b", {"input.txn": "load_mem 0 4 no.dat\n"})
    (tests / "c.cfg").write_text("mem_init(sec_mem, 0x1000, 0x40, ALL_ZERO);\nreg_read(NVDLA_GLB.S_INTR_MASK_0, x);\n")
    code, out, _ = goldbeat(network(), "nvdla", "play", "tests", "--configuration", "nv_full", "--json")
    assert code == 3, "c compares nothing, and b is not played"
    found = json.loads(out)
    assert found["configuration"] == "nv_full"
    assert [(one["name"], one["passed"], one["checks"]) for one in found["tests"]] == [
        ("a", True, 1),
        ("b", False, 0),
        ("c", False, 0),
    ]
    assert "no such file" in found["tests"][1]["not_played"]
    code, _, err = goldbeat(network(), "nvdla", "play", "tests/c.cfg")
    assert code == 2
    assert "found memory sec_mem, expected pri_mem: nv_small has no second memory" in " ".join(err.split())


def test_a_status_that_never_comes_is_said(goldbeat, tmp_path):
    files = copy_test()
    files["input.txn"] = "\n".join(row for row in files["input.txn"].splitlines() if "LAUNCH" not in row)
    put(tmp_path / "copy", files)
    code, out, _ = goldbeat(network(), "nvdla", "play", "copy", "--configuration", "nv_full")
    assert code == 1
    wanted = "found GLB.S_INTR_STATUS is 0x00000000, expected 0x00000040 as the test says"
    assert wanted in " ".join(out.split())
