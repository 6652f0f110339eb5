# SPDX-License-Identifier: Apache-2.0
"""Mutants on a farm: the same fates as here, whatever is lost on the way."""

from __future__ import annotations

import json
from concurrent.futures import CancelledError, Executor, Future
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import goldbeat
from pass_through import pass_through

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.mutate.campaign import Campaign, plan_cases
from goldbeat.tb.mutate.farm import MutantFarm
from goldbeat.tb.mutate.farm_task import CaseCourse, MutantTask, MutantTaskResult, run_mutants
from goldbeat.tb.mutate.points import find_mutants
from goldbeat.tb.regress.engine import ClusterLostError
from goldbeat.tb.regress.fingerprint import content_hash
from goldbeat.tb.regress.pool import LocalExecutor, WorkerLostError


class Here(Executor):
    """Runs each task at once, in this process."""

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        try:
            future.set_result(fn(*args))
        except BaseException as error:
            future.set_exception(error)
        return future


def plan(simulator: Path):
    """What a farm asks of a campaign: one simulator and one case."""
    item = SimpleNamespace(source=None, key="a")
    case = SimpleNamespace(item=item, seconds=1.0, looks=(1, 4))
    group = SimpleNamespace(cases=[case], built=SimpleNamespace(executable=simulator))
    return SimpleNamespace(
        groups=[group],
        items=[item],
        judged=lambda mutant, found, *, reached: (mutant.number, found, reached),
    )


def test_contents_are_sent_once_asked_for_and_lost_workers_are_replaced(tmp_path):
    """Twenty mutants on a worker that has nothing at first, and dies twice on the second range."""
    simulator = tmp_path / "sim"
    simulator.write_bytes(b"a simulator")
    campaign = plan(simulator)
    has: set[str] = set()
    deaths = []

    def call(task: MutantTask, content):
        assert task.courses == (CaseCourse(1.0, (1, 4)),)
        has.update(content or ())
        if missing := tuple(n for n in task.blobs.values() if n not in has):
            return MutantTaskResult(missing=missing)
        if task.numbers[0] == 9 and len(deaths) < 2:
            deaths.append(task.numbers)
            raise WorkerLostError("killed")
        return MutantTaskResult([(n, None, n % 2 == 0) for n in task.numbers], replaced=1)

    mutants = [SimpleNamespace(number=n) for n in range(1, 21)]
    farm = MutantFarm(Here(), call=call)
    assert sorted(farm.fates(campaign, mutants)) == [(n, None, n % 2 == 0) for n in range(1, 21)]
    assert (farm.replaced, len(deaths)) == (3, 2)
    assert has == {content_hash(b"a simulator")}


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (WorkerLostError("killed"), ClusterLostError),
        (CancelledError(), ClusterLostError),
        (ConnectionError("gone"), ClusterLostError),
        (GoldbeatError("another Goldbeat"), GoldbeatError),
        (ZeroDivisionError("a bug"), ZeroDivisionError),
    ],
)
def test_what_cannot_go_on_ends_the_campaign(tmp_path, error, expected):
    simulator = tmp_path / "sim"
    simulator.touch()

    def call(task, content):
        raise error

    farm = MutantFarm(Here(), call=call)
    with pytest.raises(expected):
        list(farm.fates(plan(simulator), [SimpleNamespace(number=1)]))


def test_a_farm_that_is_not_there_is_refused_before_anything_is_written(tmp_path):
    pytest.importorskip("distributed", reason="dask.distributed is not installed (extra farm)")
    words = ("mutate", "axis_skid", "--out", tmp_path / "out", "--engine")
    assert "expected local, or an address" in goldbeat(*words, "nowhere", code=2).stderr
    assert not (tmp_path / "out").exists()


def test_a_worker_of_another_version_refuses():
    with pytest.raises(GoldbeatError, match="runs another version of Goldbeat"):
        run_mutants(MutantTask((), (), (1,), {}, "another"))


@pytest.mark.sim
def test_fates_from_another_process_are_those_of_this_one(tmp_path):
    """One worker process: contents travel, simulators stay from one range to the next."""
    design = find_design("axis_skid")
    mutants = find_mutants(design.sources(), include_dirs=design.include_paths())
    pool = LocalExecutor(1)
    try:
        with Campaign(plan_cases("axis_skid", ["random"], 1), mutants, tmp_path / "all") as campaign:
            campaign.check_original()
            here = {f.mutant.number: (f.status, f.by, f.case) for f in campaign.fates(mutants, 1)}
            farm = MutantFarm(pool)
            there = {f.mutant.number: (f.status, f.by, f.case) for f in farm.fates(campaign, mutants)}
        assert there == here
        assert {status for status, *_ in there.values()} == {"killed", "survived"}
        pool.end()
    finally:
        pool.kill()


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("name", ["axis_fifo", "description"])
def test_a_farm_of_two_workers_gives_the_fates_of_this_machine(tmp_path, name):
    pytest.importorskip("distributed", reason="dask.distributed is not installed (extra farm)")
    from local_farm import running_farm

    if name == "description":
        (tmp_path / "rtl.sv").write_text(RTL)
        name = str(tmp_path / "pipe.toml")
        Path(name).write_text(BENCH)
    words = ["mutate", name, "--json", "--goal", "0", "--seeds", "1", "--out"]
    here = json.loads(goldbeat(*words, tmp_path / "here").stdout)
    with running_farm(tmp_path / "farm") as (address, _, _, folders):
        there = json.loads(goldbeat(*words, tmp_path / "there", "--engine", address).stdout)
        kept = [list((folder / "blobs").iterdir()) for folder in folders]
    assert all(kept), "both workers took part"
    assert there["counts"] == here["counts"]
    assert [f["status"] for f in there["fates"]] == [f["status"] for f in here["fates"]]
    assert there["counts"]["killed"] > 10
    # Those that survive ran once more, on other simulators.
    assert name == "axis_fifo" or there["counts"]["survived"] > 5


RTL = """module pipe (
  input  logic       aclk, aresetn,
  input  logic [7:0] s_axis_tdata,
  input  logic       s_axis_tlast, s_axis_tvalid,
  output logic       s_axis_tready,
  output logic [7:0] m_axis_tdata,
  output logic       m_axis_tlast, m_axis_tvalid,
  input  logic       m_axis_tready
);
  logic [7:0] beats;
  assign s_axis_tready = aresetn && (!m_axis_tvalid || m_axis_tready);
  always_ff @(posedge aclk) begin
    if (s_axis_tready) m_axis_tvalid <= s_axis_tvalid;
    if (s_axis_tready && s_axis_tvalid) beats <= beats + 8'd1;
    if (s_axis_tready) begin
      m_axis_tdata <= s_axis_tdata;
      m_axis_tlast <= s_axis_tlast;
    end
    if (!aresetn) begin
      m_axis_tvalid <= 1'b0;
      beats <= 8'd0;
    end
  end
endmodule
"""
BENCH = pass_through("pipe", "rtl.sv", last=True)
