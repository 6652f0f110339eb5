# SPDX-License-Identifier: Apache-2.0
"""The clocks of a run: set by the user, or drawn; models follow every edge of them."""

from __future__ import annotations

import shlex
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Clock
from goldbeat.tb.cli import app
from goldbeat.tb.cli.run import split_clocks, window
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.clock_wish import ClockWish
from goldbeat.tb.design.clocks import RELATIONS, draw_clocks
from goldbeat.tb.run.runs import Request, run

FIFO = find_design("axis_async_fifo")


def request(case="sweep", seeds=(0,), **clocks):
    wishes = {name: ClockWish.parse(text) for name, text in clocks.items()}
    return Request(FIFO, FIFO.case(case), seeds, {"DEPTH": 4}, clocks=wishes)


@pytest.mark.parametrize("text", ["250", "312.5@700~40", "@0", "~0", "@12~3", "0.5"])
def test_a_wish_is_written_as_it_is_read(text):
    assert str(ClockWish.parse(text)) == text


@pytest.mark.parametrize("text", ["", "fast", "@", "250@x", "~-3", "0", "1e9", "1.2.3"])
def test_other_wishes_are_refused(text):
    with pytest.raises(UsageError, match="clock"):
        ClockWish.parse(text)


def test_what_is_wished_for_is_set_and_the_rest_is_drawn():
    setting = request(s_aclk="250@0~0", m_aclk="312.5@700~40").setting(3)
    assert setting.clocks["m_aclk"] == Clock(3200, 700, 40, setting.clocks["m_aclk"].seed)
    for seed in range(20):
        clocks = draw_clocks(setting, np.random.default_rng(seed))
        assert (clocks["s_aclk"].period_ps, clocks["s_aclk"].offset_ps, clocks["s_aclk"].jitter_ps) == (4000, 4000, 0)
        assert (clocks["m_aclk"].period_ps, clocks["m_aclk"].offset_ps, clocks["m_aclk"].jitter_ps) == (3200, 700, 40)
    # With one of them set, ratio and phase of the other are drawn.
    free = request(s_aclk="1000").setting(0)
    drawn = [draw_clocks(free, np.random.default_rng(seed)) for seed in range(60)]
    assert {c["s_aclk"].period_ps for c in drawn} == {1000}
    assert {8000, 124, 1000} <= {c["m_aclk"].period_ps for c in drawn}
    assert len({c["m_aclk"].offset_ps for c in drawn}) > 20


def test_one_clock_is_as_it_is_set():
    fifo = find_design("axis_fifo")
    setting = Request(fifo, fifo.case("sweep"), (0,), clocks={"aclk": ClockWish.parse("500~10")}).setting(0)
    assert draw_clocks(setting, np.random.default_rng(0))["aclk"] == setting.clocks["aclk"]
    assert (setting.clocks["aclk"].period_ps, setting.clocks["aclk"].jitter_ps) == (2000, 10)
    with pytest.raises(UsageError, match="no clock 'clk'; the design has: aclk"):
        Request(fifo, fifo.case("sweep"), (0,), clocks={"clk": ClockWish()}).setting(0)


def test_a_sweep_goes_through_every_relation_and_has_jitter():
    for seed in range(3):
        episodes = FIFO.case("sweep").make(request(s_aclk="~0").setting(seed))
        found = {tuple(c.period_ps for c in e.clocks.values()) for e in episodes}
        assert found == {(r.first_ps, r.second_ps) for r in RELATIONS}
        equal = [e.clocks for e in episodes if {c.period_ps for c in e.clocks.values()} == {4000}]
        assert {4000, 1, 3999} <= {c["m_aclk"].offset_ps for c in equal}
        assert any(e.clocks["m_aclk"].jitter_ps for e in episodes)
        assert not any(e.clocks["s_aclk"].jitter_ps for e in episodes)


@pytest.mark.sim
@pytest.mark.parametrize("transactors", ["native", pytest.param("cocotbext", marks=pytest.mark.slow)])
def test_the_model_follows_every_edge_of_clocks_with_jitter(transactors, tmp_path):
    if transactors == "cocotbext":
        pytest.importorskip("cocotbext.axi")
    wanted = replace(request(seeds=(0, 1), s_aclk="250@0~1000", m_aclk="248@3~900"), transactors=transactors)
    for result in run(wanted, tmp_path):
        assert result.passed, result.failures[:2]
        # The same clocks without jitter come to other cycles: it has been there.
        steady = replace(wanted, clocks={"s_aclk": ClockWish(250, 0, 0), "m_aclk": ClockWish(248, 3, 0)})
        calm = [
            FIFO.model(wanted.all_params, e).ports["m_axis"].cycle
            for e in FIFO.case("sweep").make(steady.setting(result.seed))
        ]
        got = [e.record.outcome.ports["m_axis"].cycle for e in result.episodes]
        assert any(len(a) != len(b) or (a != b).any() for a, b in zip(calm, got, strict=True))


def test_clocks_of_the_command_line_are_repeated_by_the_printed_command():
    mhz, wishes = split_clocks(["m_aclk=312.5@700~40", "250", "s_aclk=250"])
    assert mhz == 250.0
    wanted = replace(request("random"), clocks=wishes, metastability=window("500"))
    words = shlex.split(wanted.command(0))
    assert "--clock m_aclk=312.5@700~40 --clock s_aclk=250 --metastability 500" in " ".join(words)
    assert "--clock" not in request().command(0)


@pytest.mark.parametrize(
    "words",
    [
        *(["--clock", text] for text in ("m_aclk=", "m_aclk=fast", "fast", "clk=250")),
        *(["--metastability", text] for text in ("0", "-1", "some", "100000")),
        ["--metastability", "auto", "--transactors", "cocotbext"],
    ],
)
def test_what_makes_no_sense_is_refused(words):
    done = CliRunner().invoke(app, ["run", "axis_async_fifo", "--case", "random", *words])
    assert done.exit_code == 2, done.output
