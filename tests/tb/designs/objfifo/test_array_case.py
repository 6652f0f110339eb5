# SPDX-License-Identifier: Apache-2.0
"""``goldbeat objfifo run --array``: a whole design in RTL, from host to host."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from objfifo_scripts import ADD_THREE, IRREGULAR
from typer.testing import CliRunner

from goldbeat.pymodels.objfifo.engine.array import predict
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.tb.cli import app
from goldbeat.tb.designs.objfifo import user_design
from goldbeat.tb.designs.objfifo.bench_array import DESIGN
from goldbeat.tb.run.runs import Request

PORTS = """
import numpy as np
from goldbeat.pymodels.objfifo import object_fifo, object_fifo_link, tile

obj = np.ndarray[(8,), np.dtype[np.int32]]
source = object_fifo("samples", tile(0, 0), tile(0, 1), 2, obj, plio=True)
result = object_fifo("columns", tile(0, 1), tile(1, 0), 2, obj, [(2, 1), (4, 2)], plio=True)
object_fifo_link(source, result)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("goldbeat.tb.cli.run.build_root", lambda: tmp_path / "build")
    (tmp_path / "design.py").write_text(ADD_THREE)
    return tmp_path


def call(*arguments):
    return CliRunner().invoke(app, ["objfifo", "run", "design.py", "--array", *arguments])


def report(*arguments):
    result = call("--json", "--force", *arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.sim
@pytest.mark.parametrize(("sent", "code"), [(96, 0), (112, 3), (192, 1)])
def test_words_that_no_task_takes_have_one_verdict(sent, code):
    more = f"rt.sequence(np.ndarray[({sent},), np.dtype[np.int32]], words)"
    Path("design.py").write_text(ADD_THREE.replace("rt.sequence(words, words)", more))
    views = (["check"], ["exec"], ["run", "--force"], ["run", "--force", "--array"])
    found = [CliRunner().invoke(app, ["objfifo", view, "design.py", *rest]) for view, *rest in views]
    assert [one.exit_code for one in found] == [code] * 4
    assert code != 3 or all("words have come to S2MM 0" in one.output for one in found)


@pytest.mark.sim
def test_whole_design_from_host_to_host(folder, monkeypatch):
    fast, slow = report(), report("--work", "tile_0_2=40")
    assert fast["status"] == slow["status"] == "pass"
    assert [(h["name"], h["words"]) for h in fast["host"]] == [("source", 96), ("sink", 96)]
    # Nothing reaches the host before the core has taken an object, computed and given another one.
    (core,) = slow["cores"]
    assert core["objects"] == 12
    assert slow["host"][1]["first"] > core["first"] + 40 + 8
    assert slow["cycles"] == slow["host"][1]["last"] + 1
    # Twelve objects, one behind the other on one core: each costs its 40 cycles more.
    assert slow["cycles"] - fast["cycles"] == 12 * 40
    assert fast["engines"] == {"mem_tile_0_1": 0, "tile_0_2": 1}
    trace = json.loads((folder / "build/runs/design/output/trace.json").read_text())
    assert {"memtile_trace for tile1,0", "mem_trace for tile2,0"} <= {
        e["args"]["name"] for e in trace if e["name"] == "process_name"
    }
    # A design that says something else moved is not passed over.
    real = user_design.run_untimed

    def lies(*args, **kwargs):
        told = real(*args, **kwargs)
        return replace(told, streams={**told.streams, "sink": told.streams["sink"] + 1})

    monkeypatch.setattr(user_design, "run_untimed", lies)
    # Cases remember what a design does with a file until the file changes.
    os.utime("design.py", ns=(0, 0))
    wrong = call("--force")
    assert wrong.exit_code == 1
    assert "the words of sink are not those of the design: 96 differ, first" in wrong.output
    assert "word 0 of sink" in " ".join(wrong.output.split())


@pytest.mark.sim
@pytest.mark.parametrize("profile", ["ideal", pytest.param("npu1", marks=pytest.mark.slow)])
def test_a_core_whose_requests_do_not_repeat(folder, profile):
    (folder / "design.py").write_text(IRREGULAR)
    found = [report("--profile", profile, "--work", str(work)) for work in (40, 240)]
    assert all(
        (one["status"], one["host"][1]["words"], one["cores"][0]["objects"]) == ("pass", 192, 24) for one in found
    )
    # Headers take their time from what the core computes.
    assert found[1]["cycles"] - found[0]["cycles"] == pytest.approx(24 * 200, rel=0.01)


def last_requests(work):
    """When the cores of the three tiles of the example end."""
    file = Path(__file__).parents[4] / "examples/objfifo/add.py"
    case = DESIGN.case("design")
    request = Request(DESIGN, case, options={**case.options, "design": str(file), "work": work})
    (stimulus,) = case.make(request.setting(0))
    ports = predict(request.all_params, stimulus).ports
    channels = ArrayShape.of(request.all_params).engine.channels
    # Engines 1 to 3 are tiles of their column; the second channel into memory stands for the core.
    return np.array([ports[f"evt_{engine * channels + 1}"].cycle[-1] for engine in (1, 2, 3)])


def test_work_of_one_of_several_workers_of_a_function():
    assert (last_requests("tile_0_3=300") - last_requests("")).tolist() == [0, 300, 0]


def test_options_that_do_not_fit():
    assert "--work x: expected CYCLES or TILE=CYCLES" in call("--work", "x").output
    assert "--work tile_0_3=1: no core there; cores: tile_0_2" in call("--work", "tile_0_3=1").output
    alone = CliRunner().invoke(app, ["objfifo", "run", "design.py", "--work", "3"])
    assert alone.exit_code == 2
    assert "--work is for --array" in alone.output


@pytest.mark.sim
@pytest.mark.slow
def test_silicon_timing_back_pressure_and_ports(folder):
    quick = report("--profile", "npu1")
    # The host's first word comes when a cold shim has started; a request of the core takes 13 cycles.
    assert quick["host"][0]["first"] > 1500
    assert quick["cores"][0]["last"] - quick["cores"][0]["first"] > 11 * (4 * 13 + 8)
    for seed in range(3):
        held = report("--profile", "npu1", "--ready", "bursty:8", "--gaps", "random:0.3", "--seed", str(seed))
        assert held["cycles"] > quick["cycles"]
    (folder / "design.py").write_text(PORTS)
    (folder / "in.txt").write_text("".join(f"{n}\n" for n in range(32)))
    ports = report("--input", "samples=in.txt")
    text = (folder / "build/runs/design" / ports["files"]["columns"]).read_text()
    found = [int(line) for line in text.splitlines() if not line.startswith("T") and line != "TLAST"]
    assert found == [8 * k + 2 * i + j for k in range(4) for j in range(2) for i in range(4)]


DISPATCHES = """
import sys
import numpy as np
from aie.dialects.aie import *
from aie.dialects.aiex import *
from aie.extras.context import mlir_mod_ctx
count, waits = int(sys.argv[1]), sys.argv[2] == "waits"
part = np.ndarray[(64,), np.dtype[np.int32]]
host = np.ndarray[(64 * count,), np.dtype[np.int32]]
with mlir_mod_ctx() as ctx:
    @device(AIEDevice.npu1_1col)
    def body():
        s, m = tile(0, 0), tile(0, 1)
        x, y = object_fifo("x", s, m, 2, part), object_fifo("y", m, s, 2, part)
        object_fifo_link(x, y)
        @runtime_sequence(host, host)
        def seq(a, b):
            for k in range(count):
                for n, (fifo, array) in enumerate(((x, a), (y, b))):
                    npu_dma_memcpy_nd(metadata=fifo, bd_id=8 * n + k, mem=array, offsets=[0, 0, 0, 64 * k],
                                      sizes=[1, 1, 1, 64], strides=[0, 0, 0, 1], issue_token=True)
                if waits:
                    dma_wait(x, y)
            if not waits:
                for k in range(count):
                    dma_wait(x, y)
    print(ctx.module)
"""


def spans(count, waits="waits", *more):
    """The host's tasks of a chain: the first start to the last end of the fill, and of the drain; and each start and end."""
    Path("design.py").write_text(DISPATCHES)
    told = report("--profile", "npu1", *more, "--", str(count), waits)
    fill, drain = told["tasks"]
    assert told["status"] == "pass"
    assert (fill["name"], drain["name"]) == ("x", "y")
    return fill, drain


@pytest.mark.sim
def test_waits_and_the_controller_take_their_time(folder):
    # Silicon, single runs: K = 4: 10,503 cycles (MM2S); K = 8: 24,827 (MM2S), 22,025 (S2MM).
    assert spans(4)[0]["span"] == pytest.approx(10503, rel=0.1)
    fill, drain = spans(8)
    assert (fill["span"], drain["span"]) == (pytest.approx(24827, rel=0.1), pytest.approx(22025, rel=0.1))
    # Measured from a drain's end to the next one's start: 2785 to 2870.
    between = [begin - end for begin, end in zip(drain["started"][1:], drain["ended"], strict=False)]
    assert all(2785 <= gap <= 2870 for gap in between)
    assert drain["between"] == pytest.approx(2828, abs=1)
    # Gaps of the host's words move what comes after a wait.
    later, _ = spans(4, "waits", "--gaps", "array:3")
    assert later["span"] > spans(4)[0]["span"] + 500


@pytest.mark.sim
def test_without_waits_only_the_controllers_writes_are_in_front_of_tasks(folder):
    fill, drain = spans(4, "none")
    # A block write of 8 words, a token's request and a write to the queue: 203 + 210 + 100.5, fill and drain in turn.
    assert fill["started"] == [round(513.5 * (2 * k + 1)) for k in range(4)]
    assert drain["started"] == [round(513.5 * (2 * k + 2)) for k in range(4)]
    assert fill["span"] < spans(4)[0]["span"] / 2


@pytest.mark.parametrize(
    ("changed", "waits_for"),
    [
        (("dma_wait(x, y)\n            if", "dma_wait(x, y, y)\n            if"), "S2MM 0"),
        ((", issue_token=True", ""), "MM2S 0"),
    ],
)
def test_a_wait_for_a_token_that_no_task_gives_hangs(folder, changed, waits_for):
    Path("design.py").write_text(DISPATCHES.replace(*changed))
    said = f"the host's sequence waits for a token of {waits_for} of shim tile (0, 0), which no task is left to give"
    done = CliRunner().invoke(app, ["objfifo", "check", "design.py", "--", "2", "waits"])
    assert done.exit_code == 1
    assert f"\nthe design hangs\n  {said}\n" in done.output
    found = json.loads(CliRunner().invoke(app, ["objfifo", "check", "design.py", "--json", "--", "2", "waits"]).output)
    assert (found["run"]["verdict"], found["run"]["waits"][0]) == ("hangs", said)
    ran = call("--json", "--", "2", "waits")
    assert ran.exit_code == 1
    assert any(said in failure for failure in json.loads(ran.stdout)["failures"])


def test_a_wait_in_front_of_what_feeds_the_task_hangs(folder):
    # The drain is waited for before its fill is started.
    Path("design.py").write_text(
        DISPATCHES.replace("((x, a), (y, b))", "((y, b), (x, a))")
        .replace(
            "                if waits:",
            "                    if waits and fifo is y:\n                        dma_wait(y)\n                if waits:",
        )
        .replace("dma_wait(x, y)\n            if", "dma_wait(x)\n            if")
    )
    done = CliRunner().invoke(app, ["objfifo", "check", "design.py", "--", "1", "waits"])
    said = "  the host's sequence waits for a token of S2MM 0 of shim tile (0, 0), whose task never ends"
    assert done.exit_code == 1
    assert said in done.output.splitlines()


def test_steps_of_the_runtime_sequence_are_recorded(folder):
    Path("design.py").write_text(DISPATCHES)
    opened = user_design.opened_of({"design": "design.py", "arguments": "2 waits", "kernels": ""})
    steps = opened.order[0].host_steps
    assert [(step.descriptors, step.token) for step in steps] == [(1, True), (1, True), (0, False), (0, False)] * 2
