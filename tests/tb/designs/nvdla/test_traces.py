# SPDX-License-Identifier: Apache-2.0
"""Trace tests on our RTL, from the command line."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pytest
import typer
from commands import goldbeat
from nvdla_chain import chain
from nvdla_models import both

from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL
from goldbeat.pymodels.nvdla.loadable.loadable import to_bytes
from goldbeat.tb.designs.nvdla import play_command
from goldbeat.tb.paths import build_root


@pytest.fixture
def tests(monkeypatch, tmp_path):
    """A folder with a trace test of two operations."""
    # Simulators stay in the cache.
    monkeypatch.setenv("GOLDBEAT_BUILD", str(build_root()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("goldbeat.tb.cli.run.build_root", lambda: tmp_path)
    (tmp_path / "model.nvdla").write_bytes(to_bytes(both(8, 4)))
    np.save("in.npy", np.random.default_rng(1).integers(-128, 128, (8, 4, 4)).astype(np.int8))
    out = goldbeat("nvdla", "export", "model.nvdla", "traces/model", "--input", "in.npy").stdout
    assert "traces/model/model.cfg: 2 memories checked" in out
    return tmp_path / "traces"


@pytest.mark.sim
def test_an_exported_model_passes_beside_one_that_cannot_run(tests):
    """Of a folder, what cannot be run is named, and the run is partial."""
    result = json.loads(goldbeat("run", "nvdla", "--trace", "traces", "--json").stdout)
    assert (result["status"], result["time_compared"]) == ("pass", True)
    assert [(one["name"], one["checks"], one["checks_passed"]) for one in result["tests"]] == [("model", 2, 2)]
    (tests / "other").mkdir()
    (tests / "other" / "other.cfg").write_text("reg_write(NVDLA_BDMA.CFG_CMD_0, 1);")
    result = goldbeat("run", "nvdla", "--trace", "traces", "--read-latency", "90", code=3)
    text = " ".join(result.stdout.split())
    assert "PARTIAL nvdla trace, traces: 1 episode(s)" in text
    assert "other was not run: " in text
    assert "found NVDLA_BDMA.CFG_CMD_0, expected a register of nv_small" in text


_IN_FLIGHT = """\
mem_init(pri_mem, 0x80000000, 0x1000, FIVEA);
reg_write(NVDLA_SDP.D_DATA_CUBE_WIDTH_0, 0x3);
reg_write(NVDLA_SDP_RDMA.D_DATA_CUBE_WIDTH_0, 0x3);
reg_write(NVDLA_SDP_RDMA.D_SRC_BASE_ADDR_LOW_0, 0x80000000); reg_write(NVDLA_SDP_RDMA.D_SRC_DMA_CFG_0, 0x1);
reg_write(NVDLA_SDP.D_DST_BASE_ADDR_LOW_0, 0x80000800); reg_write(NVDLA_SDP.D_DST_DMA_CFG_0, 0x1);
reg_write(NVDLA_SDP_RDMA.D_FEATURE_MODE_CFG_0, 0x0);
reg_write(NVDLA_SDP.D_OP_ENABLE_0, 0x1);
"""
_FETCH = "reg_write(NVDLA_SDP_RDMA.D_OP_ENABLE_0, 0x1);\n"
_READ = "reg_read_check(NVDLA_SDP.D_DATA_CUBE_WIDTH_0, 0x3);\n"


_SCALE = "reg_write(NVDLA_SDP.D_CVT_SCALE_0, 0x5);\n"


@pytest.mark.sim
@pytest.mark.parametrize(
    ("text", "code"),
    [
        (_IN_FLIGHT + _FETCH + "reg_read_check(NVDLA_SDP.S_POINTER_0, 0x0);\n", 3),
        (_IN_FLIGHT + _FETCH + "intr_notify(SDP_0, done)\ncheck_nothing(done);\n", 3),
        (_IN_FLIGHT + _FETCH + _READ, 0),
        (_IN_FLIGHT + _READ, 1),
        (_SCALE + "reg_read_check(NVDLA_SDP.D_CVT_SCALE_0, 0x5);\n", 0),
        (_IN_FLIGHT + "intr_notify(SDP_0, done)\ncheck_nothing(done);\n", 1),
    ],
    ids=[
        "in flight",
        "awaited",
        "in flight, a register read",
        "never done",
        "registers alone",
        "awaited and never done",
    ],
)
def test_models_and_rtl_give_one_verdict(text, code, tests):
    file = tests / "test.cfg"
    file.write_text(text)
    played = goldbeat("nvdla", "play", str(file), code=code).stdout
    ran = goldbeat("run", "nvdla", "--trace", str(file), code=code).stdout
    why = {0: "", 1: "SDP group 0 is enabled and never done: SDP_RDMA group 0 is not enabled", 3: "compares nothing"}[
        code
    ]
    assert why in played
    assert why in " ".join(ran.split())


@pytest.mark.sim
def test_an_operation_that_the_models_lack_is_not_driven(tests):
    file = tests / "test.cfg"
    file.write_text(_IN_FLIGHT.replace("0x0);", "0x0);\nreg_write(NVDLA_SDP.D_DATA_FORMAT_0, 0xa);") + _FETCH)
    for command in (("nvdla", "play"), ("run", "nvdla", "--trace")):
        assert "enables an operation that was not computed" in " ".join(
            goldbeat(*command, str(file), code=3).stdout.split()
        )


@pytest.mark.sim
@pytest.mark.parametrize(
    ("old", "new", "code", "text"),
    [
        (r"sync_wait\(NVDLA_PDP(_RDMA)?, event_0\);\n", "", 1, "unordered: SDP group 0 (line "),
        (r"sync_wait\(NVDLA_PDP, event_0\);\n", "", 0, ""),
        (
            r"(.*NVDLA_PDP.D_OP_ENABLE_0, 0x1.*\n)",
            r"\1reg_write(NVDLA_PDP.D_DST_BASE_ADDR_LOW_0, 0x0);\n",
            0,
            "ignores",
        ),
    ],
    ids=["no wait", "one wait", "a write behind an enable"],
)
def test_models_and_rtl_agree_on_order_and_late_writes(old, new, code, text, tests):
    file = tests / "model" / "model.cfg"
    changed = re.sub(old, new, file.read_text())
    assert changed != file.read_text()
    file.write_text(changed)
    played = goldbeat("nvdla", "play", str(file), code=code).stdout
    ran = goldbeat("run", "nvdla", "--trace", str(file), code=code).stdout
    for found in (played, ran):
        assert text in " ".join(found.split())


@pytest.mark.sim
def test_tests_of_one_name_all_run(tests):
    """The second one's checksum is wrong: were one of them lost, this would pass or have one test."""
    text = (tests / "model" / "model.cfg").read_text()
    shutil.copytree(tests / "model", tests / "twin")
    (tests / "model" / "model.cfg").write_text(re.sub(r"0x[0-9a-f]{8}\);\n$", "0x00000001);\n", text))
    result = json.loads(goldbeat("run", "nvdla", "--trace", "traces", "--json", code=1).stdout)
    found = [(one["name"], one["checks"], one["checks_passed"]) for one in result["tests"]]
    assert found == [("model/model.cfg", 2, 1), ("twin/model.cfg", 2, 2)]


@pytest.mark.sim
def test_a_wrong_checksum_and_a_wrong_read_fail(tests):
    file = tests / "model" / "model.cfg"
    text = file.read_text()
    crc = re.search(r"0x([0-9a-f]{8})\);\n$", text)[1]
    file.write_text(text.replace(f"0x{crc}", "0x00000001"))
    out = " ".join(goldbeat("run", "nvdla", "--trace", str(file), code=1).stdout.split())
    assert f"32 bytes: expected the checksum 0x00000001, got 0x{crc}" in out
    assert "1 of 2" in out
    file.write_text("reg_read_check(NVDLA_SDP.S_POINTER_0, 0x0);\nreg_read_check(NVDLA_SDP.S_POINTER_0, 0x1);\n")
    found = goldbeat("run", "nvdla", "--trace", str(file), code=1)
    assert "SDP.S_POINTER is 0x00000000, expected 0x00000001 as the test says" in " ".join(found.stdout.split())


def test_what_is_no_test_is_refused(tests):
    (tests / "alone").mkdir()
    for name in ("x.cfg", "y.txn"):
        (tests / "alone" / name).write_text("nothing")
    (tests / "empty").mkdir()
    for path, message in (
        ("none.cfg", "none.cfg: no such file"),
        ("alone", "none of 2 trace tests can be run"),
        ("empty", "no trace test (.cfg or .txn) in it or one level below"),
    ):
        result = goldbeat("run", "nvdla", "--trace", str(tests / path), code=2)
        assert message in " ".join(result.stderr.split())


def test_an_export_overwrites_nothing(tests):
    result = goldbeat("nvdla", "export", "model.nvdla", "traces/model", code=2)
    assert "model.cfg exists; --force overwrites it" in " ".join(result.stderr.split())
    goldbeat("nvdla", "export", "model.nvdla", "traces/model", "--force")


@pytest.mark.slow
@pytest.mark.sim
def test_an_exported_network_passes(tests):
    """Every engine; what the driver does between interrupts is waited for by events."""
    (tests.parent / "chain.nvdla").write_bytes(to_bytes(chain()))
    out = goldbeat("nvdla", "export", "chain.nvdla", "traces/chain").stdout
    assert "left out: task 1 of the processor (EMU)" in out
    result = json.loads(goldbeat("run", "nvdla", "--trace", "traces", "--json").stdout)
    assert result["status"] == "pass"
    assert {one["name"] for one in result["tests"]} == {"chain", "model"}
    assert all(one["checks"] == one["checks_passed"] > 1 for one in result["tests"])


def test_an_internal_error_keeps_the_verdicts_of_a_folder(monkeypatch, tmp_path, capsys):
    """The first of two tests meets a defect of the model."""
    played = []

    def broken(trace):
        played.append(trace.name)
        raise OverflowError("int too big")

    monkeypatch.setattr(play_command, "play_trace", broken)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.cfg").write_text("reg_write(NVDLA_GLB.S_INTR_MASK_0, 0x0);\n")
    with pytest.raises(typer.Exit):
        play_command.play_command(tmp_path, NV_SMALL, as_json=False)
    assert played == ["one", "two"]
    assert capsys.readouterr().out.count("internal error: OverflowError: int too big") == 2
