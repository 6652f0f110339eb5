# SPDX-License-Identifier: Apache-2.0
"""Limits of transactions: what designs without streams are signed off with."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.tb.cli import app
from goldbeat.tb.design.description import load_description
from goldbeat.tb.run import signoff
from goldbeat.tb.run.report import write_report
from goldbeat.tb.run.runs import Request, run

RTL = Path(__file__).parent / "bus_rtl"


@pytest.fixture(scope="module")
def bridges(tmp_path_factory):
    """A run of three bridges, and its folder."""
    folder = tmp_path_factory.mktemp("bridges")
    words = ["new", folder, RTL / "bridges.sv", "--model", "adapter"]
    said = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert said.exit_code == 0, said.output
    design = load_description(folder / "bridges.toml")
    results = run(Request(design, design.case("random"), (0, 1)))
    assert all(r.passed for r in results)
    write_report(results, folder / "run")
    return results, folder / "run"


def limits(folder, text):
    path = folder.parent / "limits.toml"
    path.write_text(text)
    return signoff.load_limits(path)


def slowest(results, port, kind):
    """The longest burst or access in cycles, from the raw records."""
    found = []
    for result in results:
        for episode in result.episodes:
            if port in episode.record.bursts:
                asked, got = episode.stimulus.bursts[port].bursts, episode.record.bursts[port]
                found += [
                    int(e - b)
                    for k, b, e in zip(asked.kind, got.offered, got.done, strict=True)
                    if k == (kind == "write")
                ]
            else:
                steps, answers = episode.stimulus.program[port], episode.record.accesses[port]
                found += [a.cycle - a.first for s, a in zip(steps, answers, strict=True) if s.op == kind]
    return max(found)


@pytest.mark.sim
@pytest.mark.parametrize("port", ["s_axi", "s_axil", "s_apb"])
@pytest.mark.parametrize("kind", ["read", "write"])
def test_the_slowest_of_all_seeds_counts(bridges, port, kind):
    results, folder = bridges
    subject = signoff.load_run(folder)
    period = results[0].episodes[0].stimulus.clocks[subject_clock(results, port)].period_ps / 1000
    longest = slowest(results, port, kind) * period
    (status, kept) = signoff.check_subject(subject, limits(folder, f"[transactions.{port}]\nmax_{kind}_ns = {longest}"))
    assert status.passed
    assert kept.passed
    assert kept.measured == longest > 0
    (_, broken) = signoff.check_subject(
        subject, limits(folder, f"[transactions.{port}]\nmax_{kind}_ns = {longest - 0.5}")
    )
    assert not broken.passed
    assert "is above" in broken.reason


def subject_clock(results, port):
    design, params = results[0].request.design, results[0].request.all_params
    return next(p.clock for p in (*design.memory_ports(params), *design.register_ports(params)) if p.name == port)


@pytest.mark.sim
def test_masters_have_throughput_alone(bridges):
    _, folder = bridges
    subject = signoff.load_run(folder)
    text = "[transactions.m_axi]\nmin_read_mb_per_s = 1\nmin_write_mb_per_s = 100000"
    _, read, write = signoff.check_subject(subject, limits(folder, text))
    assert read.passed
    assert read.unit == "MB/s"
    assert not write.passed
    with pytest.raises(UsageError, match="m_axi is a master of the design"):
        signoff.check_subject(subject, limits(folder, "[transactions.m_axi]\nmax_read_ns = 1000"))
    with pytest.raises(UsageError, match=r"port 's_ax'; bus ports of bridges random: .*s_axi"):
        signoff.check_subject(subject, limits(folder, "[transactions.s_ax]\nmax_read_ns = 1000"))


@pytest.mark.sim
def test_what_was_not_counted_is_not_kept(bridges):
    """As in the folder of an older version, whose episodes have no transactions."""
    results, folder = bridges
    whole = [e for r in results for e in r.whole_episodes]
    bare = [signoff.Measured({}, e.seed, e.episode) for e in whole]
    subject = signoff.Subject("old", [], bare, "pass", buses={"s_axi": "in"})
    _, check = signoff.check_subject(subject, limits(folder, "[transactions.s_axi]\nmax_read_ns = 1e9"))
    assert check.verdict == "unmeasured"
    assert "no traffic" in check.reason
    with pytest.raises(InputError, match=r'"s_axi".* without a limit'):
        limits(folder, "[transactions.s_axi]\n")


@pytest.mark.sim
def test_the_command(bridges):
    _, folder = bridges
    limits(folder, "[transactions.s_axi]\nmax_mean_read_ns = 1e6\nmax_first_read_ns = 1e6\nmin_read_mb_per_s = 1")
    words = ["signoff", folder, "--limits", folder.parent / "limits.toml", "--json"]
    said = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert said.exit_code == 0, said.output
    checks = {c["name"]: c for c in json.loads(said.output)["checks"]}
    assert checks["max_first_read_ns"]["measured"] > 0
    assert checks["max_mean_read_ns"]["measured_in"] == 2
