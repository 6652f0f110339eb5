# SPDX-License-Identifier: Apache-2.0
"""JUnit XML: every verdict with what belongs to it, counted, and nothing in it that cannot be seen."""

import xml.etree.ElementTree as ET

from goldbeat.tb.run.junit import JUnitCase, JUnitSuite, junit_text

CASES = [
    JUnitCase("fifo", "a", seconds=1.25, properties={"seed": "3", "<x>": "&"}),
    JUnitCase("fifo", "b", "failure", 0.5, 'two "beats"', "fail", "line 1\nline 2\x1b", output="log\x00"),
    JUnitCase("fifo", "c", "error", message="no <limit>", output="limit 3"),
    JUnitCase("fifo", "d", "skipped", 0.0, "not run"),
]


def test_verdicts_and_what_belongs_to_them():
    top = ET.fromstring(junit_text([JUnitSuite("s", CASES, "2025-01-02T03:04:05")], "all"))
    suite = top.find("testsuite")
    for element in top, suite:
        counts = [element.get(n) for n in ("tests", "failures", "errors", "skipped", "time")]
        assert counts == ["4", "1", "1", "1", "1.750"]
    assert (top.get("name"), suite.get("name"), suite.get("timestamp")) == ("all", "s", "2025-01-02T03:04:05")
    good, failed, broken, skipped = suite
    assert [(c.get("classname"), c.get("name"), c.get("time")) for c in suite] == [
        ("fifo", "a", "1.250"),
        ("fifo", "b", "0.500"),
        ("fifo", "c", None),
        ("fifo", "d", "0.000"),
    ]
    assert {p.get("name"): p.get("value") for p in good.iter("property")} == {"seed": "3", "<x>": "&"}
    assert [e.tag for e in good] == ["properties"]
    assert failed.find("failure").attrib == {"message": 'two "beats"', "type": "fail"}
    assert failed.find("failure").text == "line 1\nline 2\\x1b"
    assert failed.find("system-out").text == "log\\x00"
    assert broken.find("error").attrib == {"message": "no <limit>"}
    assert skipped.find("skipped").get("message") == "not run"


def test_suites_are_added_up_and_time_is_left_out_where_nothing_was_timed():
    suites = [JUnitSuite(n, [JUnitCase("x", "y", "failure"), JUnitCase("x", "z")]) for n in ("p", "q")]
    top = ET.fromstring(junit_text(suites, "two"))
    assert (top.get("tests"), top.get("failures"), top.get("time")) == ("4", "2", None)
    assert [s.get("tests") for s in top] == ["2", "2"]
