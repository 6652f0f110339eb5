# SPDX-License-Identifier: Apache-2.0
"""Suites with ``x_check``: RTL that passes by luck fails, and the report says in what it differs."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from goldbeat.tb.cli import app
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.run import Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.suite import Entry, Suite

RTL = Path(__file__).parents[1] / "run" / "initial_rtl" / "lucky.sv"


@pytest.mark.slow
@pytest.mark.sim
def test_a_suite_finds_what_depends_on_initial_values(own_root, tmp_path):
    said = CliRunner().invoke(app, ["new", str(tmp_path), str(RTL), "--model", "identity"], catch_exceptions=False)
    assert said.exit_code == 0, said.output
    lucky = {"designs": ("lucky.toml",), "cases": ("sweep",), "params": {"RESET": [0, 1]}}
    suite = Suite(run=(Entry(**lucky), Entry(**lucky, x_check=True)))
    settings = Settings(waves=0)
    with Store() as store:
        run = begin(store, "lucky", make_plan(suite, tmp_path, seeds=1), settings, seed=0)
        assert go_on(store, run, settings, Observer()).status == "fail"
        results = {row.item.key: row.result for row, _ in zip(store.rows(run.id), range(9), strict=False)}
    found = {key: result.failures for key, result in results.items() if not result.passed}
    ((key, texts),) = found.items()
    assert key == "lucky/sweep/RESET=0+x_check=True#0"
    assert "x_check: with other initial values of registers and memories, s_axis differs: beat 0" in texts[0]
    assert len(results) == 4
