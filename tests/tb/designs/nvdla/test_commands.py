# SPDX-License-Identifier: Apache-2.0
import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import NamedTuple

import numpy as np
import pytest
from nvdla_models import race
from typer.main import get_command

from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, compose
from goldbeat.pymodels.nvdla.loadable.loadable import to_bytes
from goldbeat.tb.cli import app

COMMAND = get_command(app)
CUBE = {"width": 4, "height": 2, "channel": 8, "size": 64, "line_stride": 32, "surf_stride": 64}


class Result(NamedTuple):
    code: int
    stdout: str
    stderr: str


def nvdla(*arguments):
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
        COMMAND.main(args=["nvdla", *(str(a) for a in arguments)], prog_name="goldbeat")
    return Result(int(caught.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture
def model(tmp_path):
    layer = ComposedLayer(
        "PDP",
        {"split_num": 1, "pool_mode": 1, "stride_x": 1, "stride_y": 1},
        {"src_data": {"address": 0, **CUBE}, "dst_data": {"address": 1, **CUBE}},
    )
    path = tmp_path / "model.nvdla"
    path.write_bytes(to_bytes(compose([layer], [Data(contents=np.arange(64, dtype=np.uint8)), Data(64)])))
    return path


def test_info(model):
    found = nvdla("info", model)
    assert found.code == 0
    assert "schema version  0.7.0" in found.stdout
    assert "descriptor version 0.12.3 is cube32" in found.stdout
    listed = json.loads(nvdla("info", model, "--json").stdout)
    assert listed["tasks"][0]["layout"] == "cube32"
    assert listed["tasks"][0]["operations"] == {"PDP": 1}


def test_ops(model):
    found = nvdla("ops", model, "--base", "0x1000")
    assert found.code == 0
    assert "union member" in found.stdout
    assert "4 x 2 x 8 at 0x00005000 (memory 5, address id 5), 64 bytes, line 32, surface 64" in found.stdout
    (listed,) = json.loads(nvdla("ops", model, "--json").stdout)
    assert listed["union_member"] == "pdp_op, pdp_surface"
    assert listed["surfaces"]["dst_data"]["address"] == 0x80005000


def test_memory(model):
    found = nvdla("memory", model)
    assert found.code == 0
    assert "0x80004000  64 bytes  DRAM  alloc set  data0 at 0" in found.stdout
    listed = json.loads(nvdla("memory", model, "--json").stdout)
    assert [m["bytes"] for m in listed["memories"]][-2:] == [64, 64]


def test_graph(model):
    assert "0.0 PDP" in nvdla("graph", model).stdout
    assert json.loads(nvdla("graph", model, "--json").stdout) == {
        "nodes": [{"name": "0.0", "type": "PDP", "fused": False}],
        "edges": [],
        "order": [],
    }
    assert nvdla("graph", model, "--dot").stdout.startswith("digraph network {")
    found = nvdla("graph", model, "--dot", "--json")
    assert (found.code, found.stderr) == (2, "error: --json and --dot exclude each other\n")


def test_program_and_image(model, tmp_path):
    found = nvdla("program", model)
    assert found.code == 0
    assert "0 write_reg 0x0b008 0x00000001\n" in found.stdout
    out, folder = tmp_path / "program.csv", tmp_path / "memory"
    assert nvdla("program", model, "--format", "csv", "-o", out, "--image", folder).code == 0
    assert "PDP.D_OP_ENABLE" in out.read_text()
    assert (folder / "80004000.bin").read_bytes() == bytes(range(64))
    again = nvdla("program", model, "-o", out)
    assert again.code == 2
    assert "exists; --force overwrites it" in again.stderr
    assert nvdla("program", model, "--image", folder).code == 2
    assert nvdla("program", model, "--image", folder, "--force").code == 0


def test_bad_input_is_one_line_and_exit_code_2(model, tmp_path):
    data = bytearray(model.read_bytes())
    data[data.index(b"\0\7\0", 20) + 1] = 5
    old = tmp_path / "old.nvdla"
    old.write_bytes(data)
    found = nvdla("info", old)
    assert found.code == 2
    assert "found loadable of schema version 0.5.0, expected schema version 0.7.0" in found.stderr
    assert nvdla("info", tmp_path / "none").code == 2
    for arguments, said in (
        (["info", tmp_path], "found Is a directory, expected a loadable"),
        (["execute", model, "--input", "none.png"], "none.png: no such file, expected a picture or a .npy file"),
        (["order", model, "--input", "none.npy"], "none.npy: no such file, expected a picture or a .npy file"),
        (["order", model, "--rtl", "none"], "--rtl none: no such folder; expected "),
    ):
        found = nvdla(*arguments)
        assert (found.code, said in found.stderr) == (2, True), found.stderr
    assert nvdla("program", model, "--format", "xml").stderr == "error: --format 'xml'; known: trace, csv, cfg\n"
    assert nvdla("ops", model, "--base", "here").code == 2


@pytest.mark.parametrize("command", ["info", "graph", "execute", "profile"])
def test_unordered_operations_fail_every_command(command, tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    path = tmp_path / "race.nvdla"
    for as_json in ((), ("--json",)):
        path.write_bytes(to_bytes(race(ordered=False)))
        again = ("--force",) if command == "execute" else ()
        found = nvdla(command, path, *as_json, *again)
        assert found.code == 1
        assert "FAIL  unordered: operation 0.1 (PDP) writes" in (found.stderr if as_json else found.stdout)
        if as_json:
            (one,) = json.loads(found.stdout)["order"]
            assert one["operations"] == [1, 0]
        path.write_bytes(to_bytes(race(ordered=True)))
        found = nvdla(command, path, *as_json, *again)
        assert found.code == 0
        assert "unordered:" not in found.stdout + found.stderr


def test_operations_that_are_never_done_are_named(tmp_path):
    path = tmp_path / "dead.nvdla"
    path.write_bytes(to_bytes(race(ordered=True, waits=1)))
    for command, code in (("info", 1), ("graph", 1), ("execute", 2), ("program", 2), ("profile", 2)):
        found = nvdla(command, path)
        assert found.code == code
        assert "operation 0.0 (SDP) is never enabled: it waits for 2 event(s) and gets 1" in found.stdout + found.stderr
    assert "FAIL" in nvdla("graph", path, "--dot").stderr
