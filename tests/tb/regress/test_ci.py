# SPDX-License-Identifier: Apache-2.0
"""What CI servers get of a run."""

import json
import re
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from goldbeat.tb.paths import HDL
from goldbeat.tb.regress.ci import MOST_ANNOTATIONS, write_ci
from goldbeat.tb.regress.cobertura import cobertura
from goldbeat.tb.regress.item import Item, ItemResult, Status
from goldbeat.tb.regress.run import Settings, begin
from goldbeat.tb.regress.store import Store
from goldbeat.tb.run.code_coverage import Point

ASSERTION = "rtl_assertion: skid_buffer, cycle 7 of clk: not_ready_while_skid_used: axis/skid_buffer.sv:79"
ODD = "port m_axis, beat 3: 100% wrong, `a|b`\nand a second line"
COVERED = {
    Point("line", str(HDL / "axis" / "skid_buffer.sv"), 40, 3, "block").text(): 5,
    Point("line", str(HDL / "axis" / "skid_buffer.sv"), 41, 3, "block").text(): 0,
    Point("branch", str(HDL / "axis" / "skid_buffer.sv"), 41, 5, "if").text(): 3,
    Point("toggle", str(HDL / "axis" / "skid_buffer.sv"), 40, 5, "a:0->1").text(): 0,
    Point("toggle", "/elsewhere/b.sv", 2, 5, "b:0->1").text(): 1,
}


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path))
    with Store() as opened:
        yield opened


def record(store, texts):
    """A run of as many cases of axis_skid, which fail for these reasons; an empty text is a pass."""
    items = [
        Item(index=n, key=f"axis_skid/random#{n}", design="axis_skid", case="random", seed=n) for n in range(len(texts))
    ]
    run = begin(store, "nightly|x", items, Settings(), seed=0)
    results = [
        ItemResult(n, items[n].key, Status.FAIL if text else Status.PASS, failures=(text,) if text else ())
        for n, text in enumerate(texts)
    ]
    store.record(run.id, results, COVERED)
    run.folder.mkdir(parents=True, exist_ok=True)
    return run


def parse(command):
    """Properties and message of a workflow command, decoded as the runner does it."""
    found = re.fullmatch(r"::error ([^:]*)::(.*)", command)
    assert found is not None
    properties = dict(part.split("=", 1) for part in found[1].split(","))
    return {name: unquote(value) for name, value in properties.items()}, unquote(found[2])


def test_github_gets_annotations_at_the_failing_line(store, monkeypatch, tmp_path):
    monkeypatch.chdir(HDL.parent)
    summary = tmp_path / "step"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    run = record(store, ["", ASSERTION, ODD])
    asserted, odd = (parse(line) for line in write_ci(store, run, "github"))
    assert asserted[0] == {"file": "hdl/axis/skid_buffer.sv", "line": "79", "title": "axis_skid/random#1"}
    assert asserted[1].splitlines() == [ASSERTION, f"repeat: {run.repeat('axis_skid/random#1')}"]
    assert odd[0]["line"] == "1"
    assert odd[0]["file"].startswith("hdl/axis/")
    assert odd[1].splitlines()[0] == ODD.splitlines()[0]
    text = summary.read_text()
    assert text.startswith("before\n## nightly\\|x: ")
    assert text == "before\n" + (run.folder / "summary.md").read_text()
    assert "1 of 3 cases pass" in text
    assert r"100% wrong, \`a\|b\` |" in text
    assert "| axis\\_skid | random | 1 | 3 |" in text
    assert "line 50.0%, branch 100.0%, toggle 50.0%" in text


def test_no_more_annotations_than_github_shows(store):
    run = record(store, [ODD] * 30)
    assert len(write_ci(store, run, "github")) == MOST_ANNOTATIONS
    assert "... and 10 more" in (run.folder / "summary.md").read_text()


def test_gitlab_gets_code_quality(store, monkeypatch):
    monkeypatch.chdir(HDL.parent)
    run = record(store, [ASSERTION, "", ODD, ODD])
    assert write_ci(store, run, "gitlab") == [
        "line coverage: 50.00%",
        "branch coverage: 100.00%",
        "toggle coverage: 50.00%",
    ]
    rows = json.loads((run.folder / "codequality.json").read_text())
    assert rows[0]["location"] == {"path": "hdl/axis/skid_buffer.sv", "lines": {"begin": 79}}
    assert len({row["fingerprint"] for row in rows}) == len(rows) == 3
    assert {row["check_name"] for row in rows} == {"goldbeat fail"}
    again = record(store, [ASSERTION])
    write_ci(store, again, "gitlab")
    (row,) = json.loads((again.folder / "codequality.json").read_text())
    assert row["fingerprint"] == rows[0]["fingerprint"]


def test_a_run_that_passes_has_no_annotation(store):
    run = record(store, ["", ""])
    assert write_ci(store, run, "github") == []
    assert "2 of 2 cases pass" in (run.folder / "summary.md").read_text()


def test_cobertura_has_lines_and_conditions():
    root = ElementTree.fromstring(cobertura(COVERED, HDL.parent).encode())
    assert {n: root.get(n) for n in ("lines-covered", "lines-valid", "branches-covered", "branches-valid")} == {
        "lines-covered": "2", "lines-valid": "2", "branches-covered": "2", "branches-valid": "3",
    }  # fmt: skip
    files = {one.get("filename"): one for one in root.iter("class")}
    assert list(files) == ["/elsewhere/b.sv", "hdl/axis/skid_buffer.sv"]
    lines = {one.get("number"): one.attrib for one in files["hdl/axis/skid_buffer.sv"].iter("line")}
    assert lines["40"] == {"number": "40", "hits": "5", "branch": "true", "condition-coverage": "0% (0/1)"}
    assert lines["41"] == {"number": "41", "hits": "3", "branch": "true", "condition-coverage": "100% (1/1)"}
    assert files["hdl/axis/skid_buffer.sv"].get("branch-rate") == "0.5000"
