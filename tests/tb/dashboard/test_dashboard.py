# SPDX-License-Identifier: Apache-2.0
"""The dashboard: green is what was measured and is good enough, and nothing else."""

import json
import re
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pytest
from commands import goldbeat, invoke

from goldbeat.tb.dashboard.evidence import gather
from goldbeat.tb.dashboard.page import age
from goldbeat.tb.dashboard.stages import judge_design
from goldbeat.tb.dashboard.testplan import plan_of
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.regress.item import Item, ItemResult, Status
from goldbeat.tb.regress.run import Settings, begin
from goldbeat.tb.regress.store import Store
from goldbeat.tb.run.code_coverage import Point

SKID = find_design("axis_skid")
CASES = [case.name for case in SKID.cases]
BROWSER = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    return tmp_path / "build"


def record(suite, bad=(), hit=100, params=SKID.variants, filters=(), recorded=(), tried=True):
    """A regression of axis_skid with code coverage; cases in ``bad`` do not pass, those in ``recorded`` have no golden model."""
    keys = [(case, more, seed) for case in CASES for more in params for seed in range(2)]
    items = [
        Item(
            index=n,
            key=f"axis_skid/{case}/{json.dumps(more)}#{seed}",
            design="axis_skid",
            case=case,
            params=more,
            seed=seed,
        )
        for n, (case, more, seed) in enumerate(keys)
    ]
    source = str(SKID.sources()[0])
    covered = {
        Point(kind, source, n, 1, "x").text(): int(n <= hit)
        for kind in ("line", "branch", "toggle")
        for n in range(1, 101)
    }
    with Store() as store:
        run = begin(store, suite, items, Settings(coverage=True), seed=0, filters=filters)
        wrong = "port m_axis, beat {0}: data differs: expected 0{0}, got ff"
        results = [
            ItemResult(
                item.index,
                item.key,
                Status.FAIL if item.case in bad else Status.RECORDED if item.case in recorded else Status.PASS,
                failures=(wrong.format(item.seed),) if item.case in bad else (),
                cycles=100_000,
                coverage={"m_axis": {"gap 0": 5, "gap 1": 1, "gap 2-3": 2, "never": 0}},
                log="the last line",
                obligations=(Obligation("reset", "aresetn", "fell", tried, "the case reset"),),
            )
            for item in items
        ]
        store.record(run.id, results, covered)
        store.end(run.id, "fail" if bad else "pass", {})
    return run


def mutants(score=0.99, mutants=101, of=101, parts=()):
    return {"score": score, "mutants": mutants, "of": of, "parts": parts, "counts": {"waived": 1}}


def verified(opened=0, status="pass"):
    return {"status": status, "obligations": {"all": 60, "met": 60 - opened, "waived": 0, "open": opened}}


def proven(*statuses):
    return {"git": "abc", "properties": [{"status": status} for status in statuses]}


def complete(root):
    """Everything that stages look at, good."""
    record("smoke")
    record("nightly")
    now = datetime.now(UTC).isoformat()
    (root / "lint.json").write_text(json.dumps({"axis_skid": {"found": 0, "variants": 3, "when": now, "git": "abc"}}))
    checks = {"{}": {"when": now, "git": "abc", "checks": {"latches": True, "loops": True}}}
    made = {
        "mutate/axis_skid/mutants.json": mutants(),
        "synth/axis_skid/checks.json": checks,
        "verify/axis_skid/verify.json": verified(),
        "prove/axis_skid/proof.json": proven("proven", "proven", "bounded"),
    }
    for place, content in made.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(json.dumps(content))


def standing(root):
    return judge_design(SKID, plan_of(SKID, None), gather([SKID], root, 10)["axis_skid"])


def states(root):
    return {c.name: c.state for c in standing(root).criteria}


def test_nothing_is_green_that_was_not_measured(root):
    one = standing(root)
    assert one.reached is None
    green = {c.name for c in one.criteria if c.state == "met"}
    # What the sources and the description say by themselves.
    assert green == {"assertions in the RTL", "the golden model predicts cycles"}
    assert {c.state for c in one.criteria} == {"met", "not measured"}


def test_the_last_stage_needs_everything(root):
    complete(root)
    one = standing(root)
    assert [c.name for c in one.criteria if c.state != "met"] == []
    assert one.reached == "V3"
    shown = {c.name: c.shown for c in one.criteria}
    assert shown["`goldbeat prove`: nothing refuted"] == "2 of 3 properties proven, 1 to some cycles"
    each = 2 * len(SKID.variants)
    runs = [(r.run, r.passed, r.of, r.whole) for r in one.evidence.history["sweep"].runs]
    assert runs == [(1, each, each, True), (2, each, each, True)]


@pytest.mark.parametrize(
    ("place", "change", "lost", "reached"),
    [
        (
            "lint.json",
            {"axis_skid": {"found": 1, "variants": 3, "when": "2026-01-01T00:00:00+00:00", "git": ""}},
            "lint: ",
            None,
        ),
        ("mutate/axis_skid/mutants.json", mutants(score=0.97), "mutants: ", "V2"),
        ("mutate/axis_skid/mutants.json", mutants(score=None, mutants=0), "mutants: ", "V2"),
        ("mutate/axis_skid/mutants.json", mutants(mutants=99), "mutants: ", "V2"),
        ("mutate/axis_skid/mutants.json", mutants(parts=["sweep"]), "mutants: ", "V2"),
        (
            "synth/axis_skid/checks.json",
            {
                "{}": {"when": "", "git": "", "checks": {"latches": True}},
                '{"DATA_W": 8}': {"when": "", "git": "", "checks": {"latches": False}},
            },
            "synthesis: ",
            "V2",
        ),
        ("synth/axis_skid/checks.json", {"{}": {"when": "", "git": "", "checks": {}}}, "synthesis: ", "V2"),
        ("verify/axis_skid/verify.json", verified(opened=1), "`goldbeat verify`: ", "V2"),
        ("verify/axis_skid/verify.json", verified(status="fail"), "`goldbeat verify`: ", "V2"),
        ("prove/axis_skid/proof.json", proven("refuted"), "`goldbeat prove`: ", "V2"),
    ],
)
def test_each_measurement_counts(root, place, change, lost, reached):
    complete(root)
    (root / place).write_text(json.dumps(change))
    one = standing(root)
    assert [c.name.startswith(lost) for c in one.criteria if c.state != "met"] == [True]
    assert one.reached == reached


def test_a_newer_failure_takes_its_stage_away(root):
    complete(root)
    record("smoke", bad=("sweep",))
    one = standing(root)
    assert one.reached is None
    assert {c.name for c in one.criteria if c.state == "not met"} == {"smoke: every case passes", "test points of V2"}
    (bucket,) = one.evidence.buckets
    assert len(bucket.keys) == 2 * len(SKID.variants)
    assert bucket.mismatch.startswith("port m_axis, beat 0")
    assert bucket.log == "the last line"
    assert "goldbeat rerun" in bucket.repeat


def test_what_is_the_same_as_a_recording_is_marked_and_does_not_count(root):
    complete(root)
    before = standing(root).evidence.facts["soak"].value
    record("smoke", recorded=("sweep",))
    one = standing(root)
    assert one.reached is None
    assert {c.name for c in one.criteria if c.state == "as recorded"} == {
        "smoke: every case passes",
        "test points of V2",
    }
    each = 2 * len(SKID.variants)
    fact = one.evidence.facts["suite smoke"]
    assert fact.text == f"{each * (len(CASES) - 1)} of {each * len(CASES)} pass, {each} the same as recorded (run 3)"
    assert one.evidence.facts["soak"].value - before == 100_000 * each * (len(CASES) - 1)
    goldbeat("dashboard", "axis_skid", code=0)
    text = (root / "dashboard" / "index.html").read_text()
    assert text.count('class="mark as-recorded') > 2
    assert f'class="rec" title="run 3: 0 of {each} pass, {each} the same as recorded"' in text
    record("smoke", recorded=("sweep",), bad=("reset",))
    assert states(root)["smoke: every case passes"] == "not met"


def test_code_that_was_not_covered_counts(root):
    complete(root)
    record("nightly", hit=94)
    assert states(root)["line coverage: 95 %"] == "not met"
    assert states(root)["branch coverage: 98 %"] == "not met"
    assert states(root)["toggle coverage: 90 %"] == "met"


def test_a_part_of_a_suite_is_not_the_suite(root):
    record("smoke", bad=("sweep",))
    record("smoke", filters=["sweep"])
    seen = states(root)
    assert seen["smoke: every case passes"] == "not met"
    assert seen["test points of V2"] == "not met"


def test_a_part_of_a_suite_alone_shows_nothing(root):
    record("smoke", filters=["sweep"])
    seen = states(root)
    assert seen["smoke: every case passes"] == "not measured"
    assert seen["test points of V2"] == "not measured"


def test_a_failure_in_a_part_of_a_suite_counts(root):
    complete(root)
    record("smoke", bad=("sweep",), filters=["sweep"])
    assert states(root)["test points of V2"] == "not met"


def test_open_obligations_take_the_second_stage_away(root):
    complete(root)
    shutil.rmtree(root / "regress")
    record("smoke", tried=False)
    record("nightly", tried=False)
    one = standing(root)
    assert (one.reached, one.evidence.facts["obligations"].text) == ("V1", "0 of 1 met")
    assert states(root)["obligations of the ports: none open"] == "not met"
    record("smoke")
    assert standing(root).reached == "V3"


def test_each_set_of_parameters_has_to_run(root):
    complete(root)
    assert states(root)["every set of parameter values that the design names has run"] == "met"
    shutil.rmtree(root / "regress")
    # As many sets as the design names, but not those.
    record("smoke", params=[*SKID.variants[:-1], {"DATA_W": 24}])
    assert states(root)["every set of parameter values that the design names has run"] == "not met"


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links, self.ids = [], [], set()

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.tags.append(tag)
        self.links += [v for k, v in named.items() if k in ("href", "src")]
        self.ids.add(named.get("id"))


def test_the_command_writes_one_page_and_json(root):
    complete(root)
    record("smoke", bad=("reset",))
    goldbeat("dashboard", "axis_skid", "axis_fifo", code=0)
    text = (root / "dashboard" / "index.html").read_text()
    page = Page()
    page.feed(text)
    assert "script" not in page.tags
    assert all(link == "data:," or link[1:] in page.ids for link in page.links)
    assert len(re.findall('class="mark met', text)) > 10
    assert len(text) < 100_000
    found = {d["design"]: d for d in json.loads((root / "dashboard" / "dashboard.json").read_text())["designs"]}
    assert found["axis_skid"]["stage"] is None
    each = 2 * len(SKID.variants)
    assert found["axis_skid"]["history"]["reset"][-1] == {"run": 3, "pass": 0, "recorded": 0, "of": each, "whole": True}
    assert {c["state"] for c in found["axis_fifo"]["criteria"]} == {"met", "not measured"}


def test_a_stage_can_be_demanded(root):
    complete(root)
    goldbeat("dashboard", "axis_skid", "--require", "V3", code=0)
    assert "not at V1: axis_fifo" in goldbeat("dashboard", "axis_skid", "axis_fifo", "--require", "V1", code=1).stderr
    assert invoke("dashboard", "--require", "V4").exit_code == 2


def test_ages():
    now = datetime(2026, 11, 23, 12, tzinfo=UTC)
    ages = [age((now - timedelta(hours=h)).isoformat(), now) for h in (0, 0.9, 5, 47, 49, 240)]
    assert ages == ["now", "now", "5 h old", "47 h old", "2 days old", "10 days old"]
    assert age("", now) == ""


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
@pytest.mark.parametrize("width", [390, 1280])
def test_a_browser_shows_it_without_an_error(root, width):
    complete(root)
    record("smoke", bad=("reset",))
    goldbeat("dashboard")
    page = root / "dashboard" / "index.html"
    assert page.stat().st_size < 2_000_000
    shot = root / "page.png"
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0"]
    command += [f"--window-size={width},1600", f"--screenshot={shot}", page.as_uri()]
    run = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
    assert shot.stat().st_size > 10_000
    assert "CONSOLE" not in run.stderr
