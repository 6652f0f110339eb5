# SPDX-License-Identifier: Apache-2.0
"""Coverage items of a description, in runs and regressions."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from commands import invoke

from goldbeat.pymodels.coverpoints import Coverpoint, Cross, Transitions
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.paths import HDL
from goldbeat.tb.regress.ucis_xml import write_ucis
from goldbeat.tb.run.functional import port_coverage
from goldbeat.tb.run.report import write_report
from goldbeat.tb.run.runs import Request, run


def lengths(sampled):
    trace = sampled.outcome.ports["m_axis"]
    return np.diff(np.flatnonzero(trace.last), prepend=-1)


def kept(sampled):
    trace = sampled.outcome.ports["m_axis"]
    return trace.keep[trace.last].sum(axis=1)


LENGTH = Coverpoint("frame length", lengths, {"one": 1, "some": (2, 8), "huge": (1000, None)})
KEPT = Coverpoint("kept bytes of the last beat", kept, {"none": 0, "all": 4})


def request(coverage, **more):
    design = find_design("axis_skid").model_copy(update={"coverage": coverage})
    return Request(design, design.case("random"), (0, 1), options={"beats": 200}, **more)


@pytest.mark.sim
def test_hits_are_those_of_the_recorded_traces(tmp_path):
    items = [LENGTH, KEPT, Cross("both", [LENGTH, KEPT]), Transitions("turn", lengths, {"short, long": [1, (2, None)]})]
    results = run(request(lambda params: items))
    assert all(result.passed for result in results)
    report = write_report(results, tmp_path)
    every = [e.record.outcome.ports["m_axis"] for r in results for e in r.episodes]
    long = [n for t in every for n in np.diff(np.flatnonzero(t.last), prepend=-1).tolist()]
    hits = report["coverage"]
    assert hits["frame length"] == {"one": long.count(1), "some": sum(2 <= n <= 8 for n in long), "huge": 0}
    assert sum(hits["both"].values()) <= len(long)
    assert set(hits["both"]) == {f"{a} x {b}" for a in ("one", "some", "huge") for b in ("none", "all")}
    assert port_coverage(results[0])["coverpoint turn"]["short, long"] > 0
    assert json.loads((tmp_path / "report.json").read_text())["coverage"] == hits


@pytest.mark.sim
@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([Coverpoint("f", lengths, {}, illegal={"a frame": (1, None)})], "coverpoint f: illegal bin a frame: "),
        ([LENGTH, LENGTH], "duplicate name 'frame length'"),
        ([Coverpoint("f", lambda sampled: sampled.nothing, {"a": 1})], "has no attribute 'nothing'"),
        ([Coverpoint("f", lambda sampled: [0.5], {"a": 1})], "expected (n,) whole numbers"),
        (None, "'NoneType' object is not iterable"),
    ],
)
def test_what_is_illegal_or_broken_fails(items, said):
    (result, _) = run(request(lambda params: items))
    assert not result.passed
    assert said in result.failures[0], result.failures


@pytest.mark.sim
def test_a_description_names_its_function(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = invoke(
        "new", tmp_path / "bench", "-f", HDL / "axis" / "axis_skid.f", "--top", "axis_skid", "--model", "identity"
    )
    assert said.exit_code == 0, said.output
    path = tmp_path / "bench" / "axis_skid.toml"
    path.write_text(path.read_text().replace('model = "identity"', 'model = "identity"\ncoverage = "cover.py:items"'))
    (path.parent / "cover.py").write_text(
        "from goldbeat.pymodels.coverpoints import Coverpoint\n"
        "def items(params):\n"
        "    return [Coverpoint('last', lambda s: s.outcome.ports['m_axis'].last, {'no': 0, 'yes': 1, 'odd': 3})]\n"
    )
    said = invoke("run", path)
    assert "coverage: last: 2 of 3 bins hit; not hit: odd" in said.output


def test_ucis_has_every_bin(tmp_path):
    functional = {"d": {"m_axis": {"gap 0": 4, "gap 64+": 0}, "coverpoint size": {"one": 2, "a<b": 0}}}
    path = tmp_path / "c.xml"
    write_ucis(functional, path, passed=True, date="2026-11-23T01:00:00+01:00")
    root = ElementTree.parse(path).getroot()
    found = {
        (group.get("name"), point.get("name"), one.get("name")): int(one.find(".//contents").get("coverageCount"))
        for group in root.iter("cgInstance")
        for point in group.iter("coverpoint")
        for one in point.iter("coverpointBin")
    }
    assert found == {
        ("coverage", "size", "one"): 2, ("coverage", "size", "a<b"): 0,
        ("ports", "m_axis", "gap 0"): 4, ("ports", "m_axis", "gap 64+"): 0,
    }  # fmt: skip
    node = root.find("historyNodes")
    assert (node.get("testStatus"), node.get("date"), root.get("writtenTime")) == ("true", *["2026-11-23T00:00:00"] * 2)
    # What the schema of UCIS 1.0 requires, in its order.
    assert [one.tag for one in root] == ["sourceFiles", "historyNodes", "instanceCoverages"]
    assert [one.tag for one in root.find(".//cgInstance")] == ["options", "cgId", "coverpoint"]
    assert [one.tag for one in root.find(".//coverpoint")] == ["options", "coverpointBin", "coverpointBin"]
    needed = {"historyNodeId", "logicalName", "testStatus", "date", "toolCategory", "ucisVersion"}
    assert needed | {"vendorId", "vendorTool", "vendorToolVersion"} == set(node.keys())
