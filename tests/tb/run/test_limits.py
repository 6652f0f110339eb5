# SPDX-License-Identifier: Apache-2.0
"""Models and RTL without end: stopped, named, and bounded on disk."""

from __future__ import annotations

import json
import re
import threading
import time

import pytest
from commands import invoke
from pass_through import pass_through

from goldbeat.pymodels.errors import ModelTimeoutError
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.paths import build_root
from goldbeat.tb.regress.item import Batch, Item, Status
from goldbeat.tb.regress.worker import run_batch
from goldbeat.tb.run import bounded_log
from goldbeat.tb.run.runs import Request, predict
from goldbeat.tb.run.time_limit import TimeLimit, TimeLimitError, model_timeout


@pytest.fixture
def build(monkeypatch, tmp_path):
    """Runs go to a folder of the test's own; simulators stay in the common cache."""
    common, own = build_root(), tmp_path / "build"
    own.mkdir()
    for shared in ("sim", "runtime"):
        (common / shared).mkdir(parents=True, exist_ok=True)
        (own / shared).symlink_to(common / shared)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(own))
    return own


LOOPS = """
import time
from goldbeat.tb.design.catalog import find_design
SKID = find_design("axis_skid")
def model(params, stimulus):
    while {when}:
        try:
            time.sleep(1000) if {sleeps} else None
        except Exception:
            pass
    return SKID.model(params, stimulus)
DESIGN = SKID.model_copy(update={{"model": model}})
"""


@pytest.mark.parametrize("sleeps", [False, True])
def test_a_model_without_end_fails_its_run_by_name(build, tmp_path, sleeps):
    file = tmp_path / "loops.py"
    file.write_text(LOOPS.format(when="True", sleeps=sleeps))
    started = time.monotonic()
    run = invoke("run", file, "--timeout", 0.5, "--seeds", 2, "--seed", 3)
    assert time.monotonic() - started < 20
    assert run.exit_code == 1
    assert re.search(
        r"golden model loops.py:model was still running after 0.5 s \(loops.py:\d\)", " ".join(run.output.split())
    )
    report = json.loads((build / "runs" / "axis_skid-random" / "report.json").read_text())
    assert [s["status"] for s in report["seeds"]] == ["fail", "fail"]
    assert "--timeout 0.5" in report["repeat"]
    assert "in model" in report["failures"][0]


@pytest.mark.sim
def test_a_batch_goes_on_after_a_model_without_end(build, tmp_path):
    file = tmp_path / "loops.py"
    file.write_text(LOOPS.format(when="len(stimulus.inputs['s_axis']) > 50", sleeps=False))
    items = [
        Item(
            index=n,
            key=f"axis_skid/random#{n}",
            design="axis_skid",
            source=str(file),
            case="random",
            options={"beats": beats},
            seed=n,
            timeout_s=10 if beats == 20 else 0.5,
        )
        for n, beats in enumerate((20, 100, 20))
    ]
    from goldbeat.tb.regress.worker import build_simulator

    simulator, _ = build_simulator(items[0], None)
    results = run_batch(Batch(tuple(items), simulator)).results
    assert [r.status for r in results] == [Status.PASS, Status.TIMEOUT, Status.PASS]
    assert "loops.py:model was still running after 0.5 s" in results[1].failures[0]


def test_threads_have_limits_too():
    design = find_design("axis_skid")
    caught = []

    def model(params, stimulus):
        while True:
            try:
                time.sleep(0.01)
            except Exception:
                continue

    def work():
        try:
            with model_timeout(0.3):
                predict(Request(design.model_copy(update={"model": model}), design.cases[0]), 0)
        except ModelTimeoutError as error:
            caught.append(str(error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(20)
    assert len(caught) == 1
    assert "model was still running after 0.3 s" in caught[0]


def test_a_limit_that_is_kept_leaves_nothing_behind():
    with TimeLimit(0.2):
        pass
    time.sleep(0.4)
    with pytest.raises(TimeLimitError), TimeLimit(30), TimeLimit(0.1):
        time.sleep(10)


CHATTY = """
module chatty (
    input  wire aclk, input wire aresetn,
    input  wire [7:0] s_axis_tdata, input wire s_axis_tvalid, output wire s_axis_tready,
    output wire [7:0] m_axis_tdata, output wire m_axis_tvalid, input wire m_axis_tready
);
    assign s_axis_tready = m_axis_tready;
    assign m_axis_tdata  = s_axis_tdata;
    assign m_axis_tvalid = s_axis_tvalid;
    always @(posedge aclk) while (aresetn) $display("%t and so on, without end", $time);
endmodule
"""
CHATTY_TOML = pass_through("chatty", "chatty.sv")


@pytest.mark.sim
@pytest.mark.slow
def test_rtl_that_prints_without_end_is_stopped_and_its_log_bounded(build, tmp_path, monkeypatch):
    (tmp_path / "chatty.sv").write_text(CHATTY)
    (tmp_path / "chatty.toml").write_text(CHATTY_TOML)
    monkeypatch.setattr(bounded_log, "HEAD", 100_000)
    monkeypatch.setattr(bounded_log, "TAIL", 50_000)
    run = invoke("run", tmp_path / "chatty.toml", "--timeout", 4)
    assert run.exit_code == 1, run.output
    assert "the simulator was still running after 4 s" in run.output
    log = (build / "runs" / "chatty-sweep" / "sim" / "simulation.log").read_bytes()
    assert 150_000 <= len(log) <= 151_000
    assert int(re.search(rb"\n\[goldbeat: (\d+) bytes cut\]\n", log)[1]) > 1_000_000
    assert len(run.output) < 50_000
