# SPDX-License-Identifier: Apache-2.0
"""Regressions with blurred clock crossings."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.plan import build_key, make_plan
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


@pytest.mark.parametrize("window", [0, -5, "some"])
def test_other_windows_are_refused(window):
    with pytest.raises((ValueError, GoldbeatError)):
        plan(metastability=window)
