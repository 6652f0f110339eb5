# SPDX-License-Identifier: Apache-2.0
"""``goldbeat objfifo run --array``: a whole design in RTL, from host to host."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from objfifo_scripts import ADD_THREE
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
