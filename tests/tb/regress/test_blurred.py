# SPDX-License-Identifier: Apache-2.0
"""Regressions with blurred clock crossings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.cli import app
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.plan import build_key, make_plan
from goldbeat.tb.regress.run import Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.suite import Entry, Suite
from goldbeat.tb.regress.worker import make_request


def plan(**entry):
    suite = Suite(run=(Entry(designs=("axis_async_fifo",), cases=("random",), params={"DEPTH": 4}, **entry),))
    return make_plan(suite, Path(), seeds=2)


def test_the_option_is_part_of_the_key_the_build_and_the_request():
    (plain, _), (item, other) = plan(), plan(metastability="auto")
    assert item.key == "axis_async_fifo/random/DEPTH=4+metastability=auto#0"
    assert build_key(item) == build_key(other) != build_key(plain)
    assert Item.model_validate_json(item.model_dump_json()) == item
    request = make_request(item, find_design("axis_async_fifo"))
    assert request.metastability == "auto"
    assert "--metastability auto" in request.command(0)


@pytest.mark.slow
@pytest.mark.sim
def test_a_case_keeps_the_crossings_that_were_late(own_root):
    settings = Settings(waves=0)
    with Store() as store:
        run = begin(store, "blurred", plan(metastability="auto"), settings, seed=0)
        assert go_on(store, run, settings, Observer()).status == "pass"
        row, _ = store.rows(run.id)
    late = row.result.late_bits
    assert sum(late.values()) > 0
    done = CliRunner().invoke(app, ["show", f"1/{row.item.key}"])
    for name, count in late.items():
        assert f"  late bits    {count} of {name}\n" in done.output, done.output
    said = json.loads(CliRunner().invoke(app, ["show", f"1/{row.item.key}", "--json"]).output)
    assert said["late_bits"] == late
    assert {name.partition(" at ")[2] for name in late} <= {"s_aclk", "m_aclk"}


@pytest.mark.parametrize("window", [0, -5, "some"])
def test_other_windows_are_refused(window):
    with pytest.raises((ValueError, GoldbeatError)):
        plan(metastability=window)
