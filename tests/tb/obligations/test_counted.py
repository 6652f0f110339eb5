# SPDX-License-Identifier: Apache-2.0
"""Obligations of ports in ``goldbeat run``, ``regress`` and ``signoff``: counted, merged, needed where somebody says so."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from commands import goldbeat

from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.obligations.summary import Obligations
from goldbeat.tb.regress.item import Item, ItemResult, Status
from goldbeat.tb.regress.run import Settings, begin
from goldbeat.tb.regress.store import Store

RTL = Path(__file__).parent / "rtl" / "odd_fifo.sv"
NAME = "bench/odd_fifo.toml"
INITIAL = "initial rst_n: the same outputs with other values of registers and memories before reset"
RESET = "reset rst_n: fell while work was in flight"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bench of the module."""
    made = tmp_path_factory.mktemp("counted")
    shutil.copy(RTL, made)
    with chdir(made):
        goldbeat("new", "bench", "odd_fifo.sv", "--model", "identity")
    return made


@pytest.fixture(autouse=True)
def description(folder: Path) -> Iterator[Path]:
    """The bench's description, as it was before each test; the folder is the current one."""
    path = folder / NAME
    text = path.read_text()
    with chdir(folder):
        yield path
    path.write_text(text)


def add(description: Path, *lines: str) -> None:
    description.write_text("\n".join([description.read_text(), "[obligations]", *lines, ""]))


def ran(*words: Any, code: int) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(goldbeat("run", NAME, *words, "--json", code=code).stdout)
    return report


def opened(obligations: dict[str, Any]) -> list[str]:
    rows = [f"{one['kind']} {one['place']}: {one['what']}" for one in obligations["list"] if not one["met"]]
    assert len(rows) == obligations["open"] + obligations["waived"]
    return rows


def test_a_run_counts_them_and_passes_all_the_same() -> None:
    said = goldbeat("run", NAME, "--case", "random").stdout.splitlines()
    at = next(n for n, line in enumerate(said) if line.startswith("PASS odd_fifo random: "))
    assert said[at + 1].startswith("data and order compared; obligations: ")
    assert said[at + 1].endswith(" met; --obligations lists what was not tried")
    assert INITIAL not in "".join(said)
    report = json.loads(Path("build/runs/odd_fifo-random/report.json").read_text())
    assert (report["status"], report["obligations"]["required"]) == ("pass", False)
    assert {RESET, INITIAL} <= set(opened(report["obligations"]))


def test_open_ones_make_a_run_partial_where_they_are_needed(description: Path) -> None:
    said = goldbeat("run", NAME, "--case", "random", "--obligations", code=3).stdout
    assert "PARTIAL odd_fifo random: " in said
    assert f"not tried: {RESET}\n  may be met by the case reset or sweep\n" in said
    assert "waive it in the description" in said
    add(description, "required = true")
    report = ran("--case", "random", code=3)
    assert report["status"] == "partial"
    assert f"{report['obligations']['open']} obligations are open" in report["partial"]
    ran("--case", "random", "--allow-partial", code=0)


def test_all_cases_together_meet_what_one_leaves_open(description: Path) -> None:
    found = ran("--case", "all", "--obligations", code=3)
    assert {case["status"] for case in found["cases"]} == {"pass"}
    assert any(len(opened(case["obligations"])) > 1 for case in found["cases"])
    assert opened(found["obligations"]) == [INITIAL]


def test_what_is_waived_is_not_needed(description: Path) -> None:
    add(description, "required = true", '"initial *" = "nothing is kept"', '"values *" = "counted by verify alone"')
    found = ran("--case", "sweep", code=0)["obligations"]
    assert (found["open"], found["waived"], opened(found)) == (0, 1, [INITIAL])


def test_what_is_no_waiver_and_no_switch_is_refused(description: Path) -> None:
    text = description.read_text()
    add(description, 'required = "yes"')
    assert "obligations.required: found 'yes', expected true or false" in goldbeat("run", NAME, code=2).stderr
    description.write_text(text)
    add(description, '"values *" = true')
    assert "expected the reason" in goldbeat("run", NAME, code=2).stderr


def test_a_regression_merges_seeds_cases_and_workers(description: Path) -> None:
    suite = Path("suite.toml")
    suite.write_text(f'seeds = 2\n[[run]]\ndesigns = ["{NAME}"]\ncases = ["random", "sweep", "reset"]\n')
    said = goldbeat("regress", suite, "--jobs", 2).stdout
    assert "PASS suite.toml: 6 of 6 pass" in said
    assert "met\nnot tried: " in said
    number = json.loads(goldbeat("history", "--json").stdout)[0]["run"]
    found = json.loads(goldbeat("show", number, "--json").stdout)["obligations"]
    assert opened(found) == [INITIAL]
    assert {one["design"] for one in found["list"]} == {"odd_fifo"}
    (counted,) = [
        p.get("value")
        for p in ElementTree.parse(f"build/regress/run-{number}/junit.xml").iter("property")
        if p.get("name") == "obligations"
    ]
    assert counted == f"{found['met']} of {found['all']} met"
    assert INITIAL in Path(f"build/regress/run-{number}/index.html").read_text()


def test_a_regression_needs_them_where_it_is_asked(description: Path) -> None:
    suite = Path("few.toml")
    suite.write_text(f'obligations = true\n[[run]]\ndesigns = ["{NAME}"]\ncases = ["random"]\n')
    assert "PARTIAL few.toml: 1 of 1 pass" in goldbeat("regress", suite, "--jobs", 1, code=3).stdout
    run = json.loads(goldbeat("history", "--json").stdout)[0]
    assert run["status"] == "partial"
    # CI servers read it as a failure.
    (bad,) = ElementTree.parse(f"build/regress/run-{run['run']}/junit.xml").iter("failure")
    assert INITIAL in str(bad.text)

    suite.write_text(suite.read_text().replace("obligations = true", "") + "x_check = true\n")
    goldbeat("regress", suite, "--jobs", 1)
    assert INITIAL not in opened(json.loads(goldbeat("show", "last", "--json").stdout)["obligations"])
    goldbeat("regress", suite, "--jobs", 1, "--obligations", code=3)
    add(description, "required = true")
    description.rename(description.with_name("needed.toml"))
    suite.write_text(suite.read_text().replace("odd_fifo.toml", "needed.toml"))
    goldbeat("regress", suite, "--jobs", 1, code=3)
    with suite.open("a") as file:
        file.write("[run.limits.obligations]\nmax_open = 0\n")
    assert "set obligations = true at the top" in goldbeat("regress", suite, code=2).stderr


def test_coverage_adds_what_the_text_of_the_rtl_asks_for() -> None:
    goldbeat("regress", NAME, "--filter", "*/random*", "--seeds", 1, "--coverage", "--jobs", 1)
    found = json.loads(goldbeat("show", "last", "--json").stdout)["obligations"]
    values = {one["what"]: one["met"] for one in found["list"] if one["kind"] == "values"}
    assert values["`if (count == LIMIT)` is true"] is False
    assert values["`if (count == LIMIT)` is false"] is True
    # Payload is wider than a counter.
    assert not any("count[" in what for what in values)


def test_sign_off_holds_a_run_against_a_number(folder: Path) -> None:
    goldbeat("run", NAME, "--case", "sweep")
    limits = folder / "limits.toml"
    limits.write_text("[obligations]\nmax_open = 1\n")
    run = "build/runs/odd_fifo-sweep"
    said = goldbeat("signoff", run, "--limits", limits).stdout
    assert "2 of 2 limits kept: PASS" in said
    assert "note: obligations: " in said
    limits.write_text("[obligations]\nmax_open = 0\n")
    said = goldbeat("signoff", run, "--limits", limits, code=1).stdout
    assert f"FAIL obligations max_open: not tried: {INITIAL}" in said


def test_a_file_of_results_without_obligations_is_read(tmp_path: Path) -> None:
    """What is noted twice stays met; a file of an earlier version has no table."""
    item = Item(index=0, key="a/b#0", design="a", case="b", seed=0)
    with Store(tmp_path / "results.sqlite") as store:
        run = begin(store, "suite", [], Settings(), seed=0)
        store.record(run.id, [ItemResult(0, item.key, Status.PASS, obligations=(Obligation("reset", "r", "x", True),))])
        store.add_obligations(
            run.id, "a", [Obligation("reset", "r", "x", False), Obligation("values", "f", "y", False)]
        )
        assert store.obligations(run.id).counts == {"all": 2, "met": 1, "waived": 0, "open": 1}
        store._base.execute("DROP TABLE obligations")
        assert store.obligations(run.id) == Obligations({})
