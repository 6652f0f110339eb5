# SPDX-License-Identifier: Apache-2.0
"""Code coverage of Verilator and functional coverage of the ports."""

import contextlib
import threading
from pathlib import Path

import numpy as np
import pytest
from commands import goldbeat

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.kernel.regions import ACCESS
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.run import Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.suite import Suite
from goldbeat.tb.regress.summary import Gathered
from goldbeat.tb.run.code_coverage import Point, add, by_file, lcov, read_counts
from goldbeat.tb.run.functional import burst_bins, stream_bins

SUPPORT = REPOSITORY / "tests" / "support"


def line(hits, **fields):
    return "C '" + "".join(f"\x01{k}\x02{v}" for k, v in fields.items()) + f"' {hits}\n"


def write(path, *lines):
    path.write_text("# SystemC::Coverage-3\n" + "".join(lines))
    return path


def test_instances_are_taken_together(tmp_path):
    first = {"f": "/x/a.sv", "l": 3, "n": 5, "page": "v_line/a", "o": "block"}
    path = write(
        tmp_path / "c.dat",
        line(2, **first, h="top.u0"),
        line(3, **first, h="top.u1"),
        line(0, f="/x/a.sv", l=4, n=1, page="v_toggle/a", o="q[0]:0->1", h="top"),
        line(9, f="harness.sv", l=1, n=1, page="v_line/harness", o="block", h="top"),
    )
    counts = read_counts(path)
    assert counts == {
        Point("line", "/x/a.sv", 3, 5, "block").text(): 5,
        Point("toggle", "/x/a.sv", 4, 1, "q[0]:0->1").text(): 0,
    }
    total = dict(counts)
    add(total, counts)
    (one,) = by_file(total)
    assert one.share("line") == 1.0
    assert one.share("toggle") == 0.0
    assert one.share("user") is None
    assert [p.what for p in one.missed] == ["q[0]:0->1"]
    assert lcov(total).splitlines() == [
        *("TN:goldbeat", "SF:/x/a.sv", "BRDA:4,2,0,0", "BRF:1", "BRH:0", "DA:3,10", "LF:1", "LH:1", "end_of_record"),
    ]


@pytest.mark.parametrize("text", ["hello\n", "# SystemC::Coverage-3\nrubbish\n", "# SystemC::Coverage-3\nC 'x' y\n"])
def test_other_files_are_refused(text, tmp_path):
    (tmp_path / "c.dat").write_text(text)
    with pytest.raises(InputError, match=r"c\.dat:\d"):
        read_counts(tmp_path / "c.dat")


def test_stream_bins_count_each_thing_once():
    trace = Trace.from_bytes(
        np.zeros((6, 4)),
        keep=[[1, 1, 1, 1]] * 4 + [[1, 1, 0, 0], [0, 0, 0, 0]],
        last=[0, 1, 1, 0, 0, 1],
        cycle=[0, 1, 2, 8, 9, 12],
        clock_ps=1000,
        tid=[1, 1, 1, 2, 2, 2],
    )
    bins = {name: hits for name, hits in stream_bins(trace).items() if hits}
    assert bins == {
        "gap 0": 3,
        "gap 2-3": 1,
        "gap 4-15": 1,
        "frame 1": 1,
        "frame 2-3": 2,
        "back-to-back frames": 1,
        "frames apart": 1,
        "part of a beat kept": 1,
        "nothing kept": 1,
        "id again": 1,
        "id changed": 1,
    }
    assert not any(stream_bins(trace[:0]).values())


def test_burst_bins_know_ids_that_are_in_use():
    log = np.zeros(4, ACCESS)
    log["kind"] = [0, 0, 0, 1]
    log["cycle"] = [0, 1, 9, 3]
    log["done"] = [5, 7, 12, 8]
    log["id"] = [1, 1, 1, 1]
    log["len"] = [0, 15, 3, 0]
    log["size"] = [2, 2, 3, 2]
    bins = {name: hits for name, hits in burst_bins(log).items() if hits}
    assert bins == {
        "read burst 1": 1,
        "read burst 4-15": 1,
        "read burst 16-63": 1,
        "read size 4": 2,
        "read size 8": 1,
        "read back-to-back": 1,
        "read id in use again": 1,
        "write burst 1": 1,
        "write size 4": 1,
    }


@pytest.mark.slow
@pytest.mark.sim
def test_coverage_of_a_run_with_a_crash(own_root):
    suite = Suite.model_validate(
        {
            "seeds": 7,
            "timeout_s": 2,
            "run": [{"designs": [str(SUPPORT / "moody.py")], "options": {"moods": "lie@1 crash@4 hang@6"}}],
        }
    )
    settings = Settings(jobs=1, waves=0, coverage=True)
    with Store() as store:
        run = begin(store, "moody", make_plan(suite, Path()), settings, seed=0)
        run = go_on(store, run, settings, Observer())
        assert store.counts(run.id) == {"pass": 4, "fail": 1, "crash": 1, "timeout": 1}
        # Simulators that count coverage may take longer.
        (hung,) = [row for row in store.bad(run.id, 9) if row.result.status == "timeout"]
        assert "still running after 8 s" in hung.result.failures[0]
        files = {Path(f.file).name: f for f in by_file(store.coverage(run.id))}
        bins = Gathered(store.measured(run.id)).functional["moody"]
    assert set(files) == {"moody.sv", "axis_skid.sv", "skid_buffer.sv"}
    # What a process did before it crashed is counted; the branch that ends the simulation was never taken.
    lines = (SUPPORT / "rtl" / "moody.sv").read_text().splitlines()
    missed = {lines[p.line - 1].strip() for p in files["moody.sv"].missed if p.kind in ("line", "branch")}
    assert any("$finish" in text for text in missed)
    assert not any("lie_q <= 1'b1" in text for text in missed)
    assert files["skid_buffer.sv"].share("line")
    assert "coverage.info" in (run.folder / "index.html").read_text()
    assert "moody.sv" in (run.folder / "coverage.info").read_text()
    # No back-pressure here: every beat goes at once.
    assert set(bins) == {"s_axis", "m_axis"}
    assert bins["m_axis"]["gap 0"] > 100
    assert bins["m_axis"]["stall 1"] == 0


@pytest.mark.sim
def test_stalls_are_counted_where_they_happen(own_root):
    suite = Suite.model_validate(
        {"run": [{"designs": ["axis_skid"], "cases": ["random"], "options": {"gaps": "none", "ready": "bursty:16"}}]}
    )
    settings = Settings(jobs=1, waves=0)
    with Store() as store:
        run = begin(store, "skid", make_plan(suite, Path(), seeds=4), settings, seed=0)
        go_on(store, run, settings, Observer())
        assert store.counts(run.id) == {"pass": 4}
        ports = Gathered(store.measured(run.id)).functional["axis_skid"]
    for port in ("s_axis", "m_axis"):
        assert ports[port]["stall 16-63"] + ports[port]["stall 4-15"] > 0, ports[port]


GATE = """
module gate (
  input  logic       clk, rst,
  input  logic [7:0] s_axis_tdata,
  input  logic       s_axis_tlast, s_axis_tvalid,
  output logic       s_axis_tready,
  output logic [7:0] m_axis_tdata,
  output logic       m_axis_tlast, m_axis_tvalid,
  input  logic       m_axis_tready
);
  typedef enum logic [1:0] {FIRST, SECOND, THIRD, NEVER} state_t;
  state_t state;
  always_ff @(posedge clk) begin
    if (rst) state <= FIRST;
    else case (state)
      FIRST: state <= SECOND;
      SECOND: state <= THIRD;
      default: state <= FIRST;
    endcase
  end
  assign m_axis_tdata = s_axis_tdata;
  assign m_axis_tlast = s_axis_tlast;
  assign m_axis_tvalid = s_axis_tvalid && state != NEVER;
  assign s_axis_tready = m_axis_tready && state != NEVER;
endmodule
"""


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.skipif(not verilator().counts_fsms, reason="this Verilator does not count state machines")
def test_states_and_arcs_of_state_machines_are_counted(own_root, tmp_path):
    (tmp_path / "gate.sv").write_text(GATE)
    goldbeat("new", tmp_path / "bench", tmp_path / "gate.sv", "--model", "identity")
    suite = Suite.model_validate(
        {"seeds": 2, "run": [{"designs": [str(tmp_path / "bench" / "gate.toml")], "cases": ["random"]}]}
    )
    with Store() as store:
        run = begin(store, "gate", make_plan(suite, Path()), Settings(jobs=1, waves=0, coverage=True), seed=0)
        run = go_on(store, run, Settings(jobs=1, waves=0, coverage=True), Observer())
        assert run.status == "pass"
        points = {Point.of(text): hits for text, hits in store.coverage(run.id).items()}
    arcs = {p.what.rpartition("::")[2]: hits for p, hits in points.items() if p.kind == "fsm_arc"}
    states = {p.what.rpartition("::")[2]: hits for p, hits in points.items() if p.kind == "fsm_state"}
    assert min(arcs["FIRST->SECOND"], arcs["SECOND->THIRD"], states["SECOND"]) > 10
    assert states["NEVER"] == 0


@pytest.mark.slow
@pytest.mark.sim
def test_the_file_is_whole_at_any_time(own_root, tmp_path):
    """The host kills simulators that it no longer needs: it must never find half a file."""
    (tmp_path / "gate.sv").write_text(GATE)
    goldbeat("new", tmp_path / "bench", tmp_path / "gate.sv", "--model", "identity")
    suite = Suite.model_validate(
        {"seeds": 30, "run": [{"designs": [str(tmp_path / "bench" / "gate.toml")], "cases": ["random"]}]}
    )
    ended, sizes = threading.Event(), set()

    def look():
        while not ended.wait(0.0005):
            for file in own_root.glob("jobs/*/coverage.dat"):
                with contextlib.suppress(FileNotFoundError):
                    sizes.add(file.read_text(errors="replace").count("\n"))

    watcher = threading.Thread(target=look)
    watcher.start()
    settings = Settings(jobs=1, waves=0, coverage=True)
    try:
        with Store() as store:
            run = go_on(store, begin(store, "gate", make_plan(suite, Path()), settings, seed=0), settings, Observer())
            assert run.status == "pass"
    finally:
        ended.set()
        watcher.join()
    assert len(sizes) == 1
    assert min(sizes) > 10
