# SPDX-License-Identifier: Apache-2.0
"""pytest collects what ``goldbeat regress`` runs, and both find the same in every cycle."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.run import Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.suite import load_suite

SUPPORT = REPOSITORY / "tests" / "support"


def run_pytest(folder, *words):
    (folder / "pytest.ini").write_text("[pytest]\n")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "goldbeat.tb.regress.pytest_plugin", "-p", "no:cacheprovider", *words],
        cwd=folder,
        # Of plugins that happen to be installed, none; and it is no worker of the pytest that runs these tests.
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
        | {"PYTHONPATH": str(REPOSITORY / "src"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def properties(case):
    return {p.get("name"): p.get("value") for p in case.iter("property")}


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize("seeds", [12, pytest.param(100, marks=pytest.mark.slow)])
def test_all_of_all_the_same(own_root, tmp_path, seeds):
    path = tmp_path / "moody.toml"
    path.write_text(
        f'seeds = {seeds}\n[[run]]\ndesigns = ["{SUPPORT / "moody.py"}"]\n[run.options]\nmoods = "lie@7 crash@11"\n'
    )
    done = run_pytest(tmp_path, "--goldbeat", "moody.toml", "--junitxml", "out.xml")
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"2 failed, {seeds - 2} passed" in done.stdout
    assert "crash: moody/random/moods=lie@7 crash@11#11" in done.stdout
    assert "Traceback" not in done.stdout
    cases = ET.parse(tmp_path / "out.xml").getroot().iter("testcase")
    found = {c.get("name"): properties(c)["trace_hash"] for c in cases}
    settings = Settings(jobs=1, waves=0)
    with Store() as store:
        run = begin(store, "moody", make_plan(load_suite(path), tmp_path), settings, seed=0)
        run = go_on(store, run, settings, Observer())
        expected = {r.item.key: str(r.result.trace_hash) for r in store.rows(run.id)}
    assert run.facts["built"] == 0, "the build of one is there for the other"
    assert len(expected) == seeds
    assert found == expected


def test_it_collects_what_is_asked_for(tmp_path):
    done = run_pytest(
        tmp_path, "--goldbeat", "smoke", "--collect-only", "-q", "-k", "axis_skid", "--goldbeat-seeds", "5"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "axis_skid/random#4" in done.stdout
    assert "axis_skid/sweep#0" in done.stdout
    assert "axis_fifo" not in done.stdout


def test_a_suite_that_is_not_there(tmp_path):
    done = run_pytest(tmp_path, "--goldbeat", "nosuch")
    assert done.returncode == 4
    assert "unknown suite 'nosuch'" in done.stderr + done.stdout
