# SPDX-License-Identifier: Apache-2.0
"""What stands in a design, a model or a file reaches no terminal, XML file or page as anything but text."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from commands import invoke

from goldbeat.pymodels.process_end import process_goes_on
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli.screen import Screen, literal
from goldbeat.tb.design.measurements import MeasurementTable
from goldbeat.tb.regress.item import Item, ItemResult, Status
from goldbeat.tb.regress.reports import write_reports
from goldbeat.tb.regress.run import Settings, begin
from goldbeat.tb.regress.store import Store
from goldbeat.tb.run.plot import plot_trace
from goldbeat.tb.run.signoff import LimitCheck, Subject, limits_junit
from goldbeat.tb.visible import GuardedStream, VisibleStream, visible
from tests.support.objfifo_texts import ADD

NASTY = (
    "\x1b]0;owned\x07\x1b[2J\x9b31m[bold red]x[/] [/] :bomb: \u202eevil\u2066 \udc80 \x00 \ufffe <b>&amp;</b> \\[ end\\"
)
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def test_every_control_character_is_escaped_and_everything_else_kept():
    for code in range(0x110000):
        one = chr(code)
        kind = unicodedata.category(one)
        if kind in ("Cc", "Cs", "Zl", "Zp") or code in (0xFFFE, 0xFFFF):
            assert visible(one, line=True).startswith("\\"), hex(code)
            assert (visible(one) == one) == (one in "\n\t")
        elif kind[0] != "C":
            assert visible(one, line=True) == one
    for mark in "\u200b\u200e\u202e\u2066\ufeff\U000e0041":
        assert visible(mark).startswith("\\")


def test_lines_ends_stay_in_texts_and_are_escaped_in_names():
    assert visible("a\r\nb\tc\rd") == "a\r\nb\tc\\rd"
    assert visible("a\r\nb\tc", line=True) == "a\\r\\nb\\tc"


COMMANDS = [
    "::error::x",
    " \t::set-env name=A::b",
    "a\n::stop-commands::x",
    "x ##[error]y",
    "##vso[task.setvariable]",
    "##teamcity[x]",
]


@pytest.mark.parametrize("text", COMMANDS)
def test_no_text_is_a_command_for_a_ci_server(text, capsys):
    whole = visible(text)
    assert re.search(r"^\s*::|##\w*\[", whole, re.M) is None
    assert whole.count("\\x") == 1
    # Written in pieces of any length.
    for size in range(1, len(text)):
        stream = VisibleStream()
        for at in range(0, len(text), size):
            stream.write(text[at : at + size])
        assert capsys.readouterr().err == whole


PRINTS = """
import logging, sys, warnings
def show():
    for text in ("::error::A", "##vso[x]B"):
        print(text)
        print(text, file=sys.stderr)
        warnings.warn(text)
        logging.error(text)
        sys.stdout.buffer.write(f"{text}\\xff\\n".encode("latin-1"))
        sys.stderr.writelines([text, "\\n"])
show()
"""


def test_what_user_code_prints_is_no_command(tmp_path):
    (tmp_path / "design.py").write_text(PRINTS + ADD.replace("def add(x, y):\n", "def add(x, y):\n    show()\n"))
    (tmp_path / "kernels.py").write_text(PRINTS + "def kernel(a):\n    show()\n")
    given = ("design.py", "--kernel", "none=kernels.py:kernel")
    for command in (["exec", *given], ["check", *given], ["exec", "design.py", "--json"]):
        line = [sys.executable, "-m", "goldbeat", "objfifo", *command]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=100)
        said = done.stdout + done.stderr
        assert (done.returncode, "\\x3aerror::A" in said or ":\\x3a" in said) == (0, True), said
        assert re.search(r"^\s*::|##\w*\[", said, re.M) is None, said
    assert json.loads(done.stdout[done.stdout.index("{") :])["runs"] == 1


def test_a_guarded_stream_passes_on_what_goldbeat_prints():
    kept = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    guarded = GuardedStream(kept)
    guarded.write("::group::x\n")
    with process_goes_on():
        guarded.write("::group::y\n")
        guarded.buffer.write(b"::group::z\n")
    guarded.buffer.write(b"")
    guarded.flush()
    assert kept.buffer.getvalue().decode() == "::group::x\n:\\x3agroup::y\n:\\x3agroup::z\n"


def test_what_only_looks_like_a_command_stays():
    for text in ("a::b", "std::x", "req |-> ##[1:2] ack", "## title", "d/case#0", "port :: x"[:6]):
        assert visible(text) == text


@pytest.mark.parametrize("text", [NASTY, "[red]x", "x\\", "\\[/]", "a[/b]c", ":x:", "\\\\[ \\\\[b] \\\\", "[" * 9])
def test_the_screen_shows_texts_as_they_are(text, capsys):
    screen = Screen(highlight=False)
    screen.width = 500
    screen.print(text, markup=False, soft_wrap=True)
    screen.print(f"[bold]{literal(text)}[/]", soft_wrap=True)
    screen.print(literal(text), soft_wrap=True)
    assert capsys.readouterr().out.split("\n") == [*[visible(text)] * 3, ""]


def test_tables_show_cells_as_they_are(capsys):
    from goldbeat.tb.cli.screen import show_findings

    show_findings(MeasurementTable("title [red]", ("[/] column", "n"), (("\x1b[31m", "[red]1"),), (NASTY,)))
    out = capsys.readouterr().out
    assert BAD.search(out) is None
    for text in "title [red]", "[/] column", "\\x1b[31m", "[red]1", visible(NASTY):
        assert text in out


@pytest.fixture
def build(monkeypatch, tmp_path):
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    return tmp_path / "build"


DESCRIPTION = """
from goldbeat.tb.design.catalog import find_design
NASTY = {nasty!r}
SKID = find_design("axis_skid")
def model(params, stimulus):
    raise ValueError(NASTY + "\\nsecond line")
CASE = SKID.cases[0].model_copy(update={{"name": NASTY, "summary": NASTY}})
DESIGN = SKID.model_copy(update={{"name": NASTY, "summary": NASTY, "model": model, "cases": (CASE,)}})
"""


def test_names_and_errors_of_a_description_are_text_on_the_terminal(build, tmp_path):
    file = tmp_path / "odd.py"
    file.write_text(DESCRIPTION.format(nasty=NASTY))
    run = invoke("run", file)
    assert run.exit_code == 1
    assert visible(NASTY) in run.output
    assert BAD.search(run.output) is None
    listed = invoke("list", file)
    assert listed.exit_code == 0
    assert visible(NASTY) in listed.output
    assert BAD.search(listed.output) is None
    report = invoke("run", file, "--json")
    assert report.exit_code == 1
    assert BAD.search(report.output) is None


def test_an_error_with_anything_in_it_is_text(build, tmp_path):
    file = tmp_path / "bad\x1b[31m.toml"
    file.write_text('name = "\\u001b[2J"\n')
    run = invoke("run", file)
    assert run.exit_code == 2
    assert "bad\\x1b[31m.toml" in run.output
    assert BAD.search(run.output) is None


def test_reports_of_a_regression_are_whole_whatever_names_and_logs_hold(build):
    item = Item(
        index=0, key=f"{NASTY}/{NASTY}\n#1".replace("\udc80", ""), design="d\x1b", case=f"c\x1b\n{NASTY[:20]}", seed=1
    )
    with Store() as store:
        run = begin(store, "s\x1b[1m", [item], Settings(), seed=1)
        store.record(
            run.id, [ItemResult(0, item.key, Status.FAIL, failures=("", "two\x1b"), log="log\x1b[2J\n\ttab\u202e")]
        )
        store.end(run.id, "fail", {})
        write_reports(store, store.run(run.id))
    xml = (run.folder / "junit.xml").read_text(encoding="utf-8")
    case = ET.fromstring(xml).find("testsuite/testcase")
    assert case.get("name") == visible(item.key.partition("/")[2], line=True)
    assert case.find("system-out").text == "log\\x1b[2J\n\ttab\\u202e"
    page = (run.folder / "index.html").read_text(encoding="utf-8")
    for text in xml, page:
        assert BAD.search(text) is None
    assert "log\\x1b[2J\n\ttab\\u202e" in page
    for words in ("show", str(run.id)), ("show", str(run.id), "--failed"), ("show", f"{run.id}/0"), ("history",):
        shown = invoke(*words)
        assert shown.exit_code == 0, shown.output
        assert BAD.search(shown.output) is None
        assert "\\x1b" in shown.output


def test_junit_of_a_sign_off_is_whole():
    check = LimitCheck(NASTY, NASTY, 1.0, 2.0, "ns", "fail", NASTY)
    text = limits_junit(Subject(NASTY, [], [], "pass"), [check])
    assert BAD.search(text) is None
    case = ET.fromstring(text).find("testsuite/testcase")
    assert case.get("name") == visible(NASTY)
    assert case.find("failure").get("message") == visible(NASTY)


def test_titles_of_plots_are_no_formulas(tmp_path):
    trace = Trace.from_bytes(np.zeros((3, 4), np.uint8), last=np.array([0, 0, 1], bool), clock_ps=1000)
    plot_trace(trace, tmp_path / "a.png", title=r"case $\frac{$")
    assert (tmp_path / "a.png").stat().st_size
