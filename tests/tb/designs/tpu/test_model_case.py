# SPDX-License-Identifier: Apache-2.0
"""Compiled models on the TPU front end in RTL: groups, sub-nets, cores and barriers, by the road of every run."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from tpu_streams import segmented, with_subnets
from typer.testing import CliRunner

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.front_end.kinds import BM1690E, SG2380
from goldbeat.pymodels.tpu.streams.bmodel import AreaWriter, write_bmodel
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.tables import chip
from goldbeat.tb.cli import app
from goldbeat.tb.designs.tpu.bench import DESIGN
from goldbeat.tb.designs.tpu.model_case import read_model
from goldbeat.tb.designs.tpu.model_report import REASONS, EngineRan, timeline_verdict
from goldbeat.tb.run.runs import Request, judge, predict, run


def generated(cores=2, groups=2, subnet=0):
    """Copies and additions in turns on every core, a barrier between them, in several groups."""
    gen = CodeGen(chip("BM1690"), cores=cores, group_limit=4)
    for group in range(groups):
        for core in range(cores):
            gen.emit(f"gdma:{core}", "DMA_tensor", {"src_nsize": 1, "src_wsize": 16 + subnet, "dst_start_addr_l32": 64})
            gen.emit(f"tiu:{core}", "sAR", {"res0_n": 1, "res0_w": 16, "res0_addr": 128}, func=14)
        gen.barrier(group + 2)
        for core in range(cores):
            gen.emit(f"gdma:{core}", "DMA_tensor", {"src_nsize": 1, "src_wsize": 8})
        gen.checkpoint()
    return gen


@pytest.fixture
def model(tmp_path):
    file = tmp_path / "net.bmodel"
    file.write_bytes(with_subnets([generated(), generated(groups=1, subnet=1)]))
    return file


def goldbeat(*words):
    return CliRunner().invoke(app, [str(w) for w in words])


def test_groups_and_subnets_of_every_core_follow_each_other(model):
    found = read_model(model, ())
    assert [len(groups) for groups in found.cores] == [3, 3]
    # A group of the generator has DMA, TIU, SEND, WAIT, DMA and two ENDs.
    assert {key: found.counts[key] for key in found.counts if key[1] == 1} == {(0, 1): 15, (1, 1): 15}
    assert found.messages == 4


@pytest.mark.slow
@pytest.mark.sim
def test_every_command_is_dispatched(model, tmp_path, monkeypatch):
    monkeypatch.setattr("goldbeat.tb.cli.run.build_root", lambda: tmp_path / "build")
    done = goldbeat("run", "tpu", "--bmodel", model, "--latency", 9, "--jitter", 20, "--ready", "random:0.4", "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert (report["case"], report["status"]) == ("model", "pass")
    assert {k: report["params"][k] for k in ("CORES", "NMSG")} == {"CORES": 2, "NMSG": 4}
    assert [(e["core"], e["engine"], e["commands"]) for e in report["engines"]] == [
        (0, "tiu", 12),
        (0, "gdma", 15),
        (1, "tiu", 12),
        (1, "gdma", 15),
    ]
    assert (tmp_path / "build" / "runs" / "tpu-net.bmodel").is_dir()


@pytest.mark.sim
def test_streams_of_ends_alone_are_no_pass(tmp_path, monkeypatch):
    monkeypatch.setattr("goldbeat.tb.cli.run.build_root", lambda: tmp_path / "build")
    (tmp_path / "net.bmodel").write_bytes(CodeGen(chip("BM1688"), cores=1).bmodel("net"))
    done = goldbeat("run", "tpu", "--bmodel", tmp_path / "net.bmodel", "--json")
    assert done.exit_code == 3, done.output
    assert json.loads(done.stdout)["partial"] == ["no stream has a command but END"]


@pytest.mark.slow
@pytest.mark.sim
def test_streams_with_several_ends_run_to_the_last(tmp_path):
    """SG2380: ids and dependencies begin again behind an END."""
    streams = segmented("SG2380", [([0], [0]), ([2], [0, 0]), ([1, 0, 2], [0, 1])])
    area = AreaWriter()
    group = {"binary_bdc": area.add(streams[0].data), "binary_gdma": area.add(streams[1].data), "bdc_num": 9}
    file = tmp_path / "three.bmodel"
    net = {"parameter": [{"sub_net": [{"cmd_group": [group]}]}]}
    file.write_bytes(write_bmodel({"chip": "SG2380", "net": [net]}, area.data))
    (result,) = run(Request(DESIGN, DESIGN.case("model"), options={"bmodel": str(file)}), tmp_path / "sim")
    assert result.passed, result.failures
    assert result.request.all_params["CHIP"] == SG2380
    assert {e["engine"]: e["commands"] for e in result.answer.facts["engines"]} == {"tiu": 8, "gdma": 8}


@pytest.mark.sim
@pytest.mark.parametrize("what", ["lost", "changed"])
def test_a_command_that_differs_from_the_file_is_a_failure(what, model, tmp_path):
    """The file's own bytes count, whatever the golden model says of the registers."""
    request = Request(DESIGN, DESIGN.case("model"), options={"bmodel": str(model)})
    (result,) = run(request, tmp_path / "sim")
    assert result.passed, result.failures
    (episode,) = result.episodes
    port = "m_axis_1"
    trace = episode.record.outcome.ports[port]
    if what == "lost":
        broken = trace[:-1]
    else:
        data = trace.data.copy()
        data[3, 20] ^= 1
        broken = replace(trace, data=data)
    ports = {**episode.record.outcome.ports, port: broken}
    record = replace(episode.record, outcome=replace(episode.record.outcome, ports=ports))
    judged = judge(request, predict(request, 0), [record], "")
    wanted = r"core 0, gdma: " + (r"15 commands in the file, 14" if what == "lost" else r"byte \d+: 0x.. in the file")
    assert [text for text in judged.failures if re.match(wanted, text)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "needs a compiled model: --bmodel FILE"),
        (("--bmodel", "away.bmodel"), "away.bmodel"),
        (("--bmodel", "net.bmodel", "--cores", "1"), "--cores 1: the model uses 2 cores"),
        (("--bmodel", "net.bmodel", "--cores", "9"), "the front end has up to 8"),
        (("--bmodel", "other.bmodel"), "found BM1684"),
        (("--bmodel", "net.bmodel", "--profile", "some.txt"), "expected compiler_profile_N.txt with N of 0, 1"),
    ],
)
def test_what_the_front_end_cannot_run_is_refused(words, message, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gen = CodeGen(chip("BM1684"))
    gen.emit("gdma", "dma_tensor", {"src_nsize": 1})
    (tmp_path / "other.bmodel").write_bytes(gen.bmodel("x"))
    done = goldbeat("run", "tpu", "--case", "model", *words)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())


def test_bytes_of_a_group_are_those_of_its_commands(model):
    found = read_model(model, ())
    for (core, engine), raw in found.raw.items():
        parts = b"".join(group.raw[engine].rstrip(b"\0") for group in found.cores[core])
        assert np.frombuffer(raw, np.uint8).sum() == np.frombuffer(parts, np.uint8).sum()


def test_segments_are_groups_and_other_heads_are_refused(tmp_path):
    gen = CodeGen(chip("BM1684X2"))
    gen.emit("tiu", "sSFU", {"res0_n": 1})
    (tmp_path / "e.bmodel").write_bytes(gen.bmodel("x"))
    # Short special functions of BM1684X2 are longer than BM1690's.
    with pytest.raises(UsageError, match=r"tiu command 1 .*heads of BM1690, which differ from BM1684X2"):
        read_model(tmp_path / "e.bmodel", ())
    gen = CodeGen(chip("BM1690E"), cores=2)
    gen.barrier(0)
    (tmp_path / "e.bmodel").write_bytes(gen.bmodel("x"))
    assert read_model(tmp_path / "e.bmodel", ()).chip == BM1690E
    gen = CodeGen(chip("BM1690E"))
    gen.emit("gdma", "DMA_tensor", {"src_nsize": 1})
    (tmp_path / "one.bmodel").write_bytes(gen.bmodel("x"))
    assert read_model(tmp_path / "one.bmodel", ()).counts[0, 1] == 2
    assert read_model(tmp_path / "one.bmodel", (), "x").counts == read_model(tmp_path / "one.bmodel", (), "0").counts
    with pytest.raises(UsageError, match=r"--net y: .*expected a name or 0 to 0"):
        read_model(tmp_path / "one.bmodel", (), "y")


def test_the_verdict_finds_a_command_that_starts_late():
    start = np.array([30, 50, 90])
    nothing = np.zeros((3, len(REASONS)), np.int64)
    one = EngineRan(0, 0, 0, np.arange(1, 4), start, start + 9, nothing, ["a", "b", "c"], np.array([0, 2, 7]))
    verdict = timeline_verdict([one], 8)
    assert (verdict["equal"], verdict["compared"]) == (True, 3)
    late = replace(one, start=np.array([30, 50, 94]))
    verdict = timeline_verdict([late], 8)
    assert (verdict["equal"], verdict["same"]) == (False, 2)
    assert verdict["first"] == "core 0 tiu command 3 (c) starts in cycle 8, in the profile in 7"
