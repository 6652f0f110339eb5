# SPDX-License-Identifier: Apache-2.0
"""The HTML page of a run: whole, small, honest, and what a browser makes of it."""

import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from kept_runs import on_paper

from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.regress.failure_groups import mismatch_kind
from goldbeat.tb.regress.fingerprint import traffic_hash
from goldbeat.tb.regress.item import Item, ItemResult, Status
from goldbeat.tb.regress.reports import write_reports
from goldbeat.tb.regress.run import Settings, begin
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.trends import Trend, TrendPoint, sparkline, trends

BROWSER = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)
CASES = ("random", "sweep", "sizes", "reset", "a_case_with_a_long_name")
DESIGNS = ("axis_skid", "plio_fir", "objfifo")


class Links(HTMLParser):
    """Everything that a page refers to, and the ids that it has."""

    def __init__(self):
        super().__init__()
        self.links, self.ids, self.tags = [], set(), []

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.tags.append(tag)
        self.links += [v for k, v in named.items() if k in ("href", "src")]
        if "id" in named:
            self.ids.add(named["id"])


def make_run(store, seeds=4, bad=True, slower=1.0, coverage=True, traffic="t"):
    items = [
        Item(index=0, key=f"{d}/{c}#{s}", design=d, case=c, seed=s)
        for d in DESIGNS
        for c in CASES
        for s in range(seeds)
    ]
    items = [i.model_copy(update={"index": n}) for n, i in enumerate(items)]
    run = begin(store, "page", items, Settings(), seed=0)
    rng = np.random.default_rng(1)
    results = []
    for item in items[:-2] if bad else items:
        share = float(rng.uniform(0.2, 1.0))
        ports = {
            "s_axis": {"direction": "in", "beats": 100, "frames": 4, "mb_per_s": 1000 * share, "share": share},
            "m_axis": {"direction": "out", "beats": 99, "frames": 4, "mb_per_s": 900 * share, "share": share * 0.9},
        }
        status, failures, log = Status.PASS, (), ""
        if bad and item.index % 23 == 7:
            status = list(Status)[1 + item.index % 4]
            failures = (
                "port m_axis, beat 1: data differs: expected <b>fffe0071</b>, got ffff0071 & more\n" + "  x" * 60,
                "status errors: expected 0, got 1",
            )
            log = "a line of the log <script>alert(1)</script>"
        results.append(
            ItemResult(
                item.index,
                item.key,
                status,
                cycles=int(1000 * slower) + item.seed,
                failures=failures,
                ports=ports,
                latency={"s_axis->m_axis": {"by": "beat", "mean": 40000 * share, "max": 90000}},
                coverage={"s_axis": {"gap 0": 10, "gap 1": 0}, "m_axis": {"gap 0": 3, "stall 64+": 0}},
                trace_hash=item.key,
                traffic=traffic and f"{traffic} {item.key}",
                wall_s=item.index / 100,
                log=log,
            )
        )
    points = {
        "line\t/x/a.sv\t3\t1\tblock": 4,
        "toggle\t/x/a.sv\t9\t1\tq[3]:0->1": 0,
        "branch\t/x/b.sv\t5\t2\tif": 0,
    }
    store.record(run.id, results, points if coverage else None)
    for result in [r for r in results if not r.passed][:5]:
        folder = run.folder / "failures" / str(result.index)
        folder.mkdir(parents=True)
        (folder / "report.json").write_text("{}")
        (folder / "report.html").write_text("a page")
        alone = "pass" if result.index == 7 else "fail"
        files = {name: f"failures/{result.index}/report.{end}" for name, end in (("page", "html"), ("report", "json"))}
        store.artefacts(run.id, result.index, {"alone": alone, **files})
    store.end(run.id, "fail" if bad else "pass", {"built": 1, "cached": 2, "wall_s": 3.25})
    run = store.run(run.id)
    write_reports(store, run)
    return run


@pytest.fixture
def pages(own_root):
    """The page of a run with failures, after a run without."""
    with Store() as store:
        make_run(store, bad=False, coverage=False)
        run = make_run(store, slower=1.08)
    return run.folder


def parsed(folder):
    links = Links()
    text = (folder / "index.html").read_text()
    links.feed(text)
    return text, links


def test_nothing_is_loaded_and_every_link_leads_somewhere(pages):
    text, found = parsed(pages)
    assert "script" not in found.tags
    assert "http:" not in text
    assert "https:" not in text
    assert "url(" not in text
    assert len(found.links) > 10
    for link in found.links:
        if link.startswith("#"):
            assert link[1:] in found.ids, link
        elif link != "data:,":
            assert (pages / link).is_file(), link


def test_it_says_what_happened(pages):
    text, _ = parsed(pages)
    assert "&lt;b&gt;fffe0071&lt;/b&gt;" in text
    assert "<script>alert" not in text
    assert "goldbeat rerun &#39;2/" in text or "goldbeat rerun 2/" in text
    assert "Passes when run by itself" in text
    assert "Against run 1" in text
    assert "+8.0 %" in text
    assert "not run" in text
    assert "of 4 bins hit" in text


def test_a_run_of_nothing_but_passes_has_no_failures(own_root):
    with Store() as store:
        run = make_run(store, bad=False, coverage=False)
    text, found = parsed(run.folder)
    assert "failures" not in found.ids
    assert "No earlier run of this suite" in text
    assert "was not counted" in text


def test_ten_failures_alike_are_one_card(own_root):
    with Store() as store:
        run = make_run(store, seeds=40)
        bad = store.bad(run.id, 1000)
    text, found = parsed(run.folder)
    kinds = {(row.item.design, row.result.status) for row in bad}
    assert len(bad) > len(kinds)
    assert text.count('<section class="failure"') == len(kinds)
    assert text.count("cases</summary>") == text.count('class="keys"') > 0
    # Every case is on its card, and those that were run again lead to their page.
    for row in bad:
        assert row.item.key in text
    assert len([link for link in found.links if link.endswith("report.html")]) >= 5


def test_mismatches_are_alike_but_for_their_numbers():
    one = "port m_axis, beat 21: data differs: expected fade, got beef (cycle expected 22, got 22); 3 beat(s) differ in all"
    other = "port m_axis, beat 7: data differs: expected 00-- , got fa17e805 (cycle expected 9, got 10); 1 beat(s) differ in all"
    assert mismatch_kind(one) == mismatch_kind(other.replace("-- ,", "--,"))
    assert mismatch_kind(one) != mismatch_kind(one.replace("m_axis", "n_axis"))
    assert mismatch_kind(one) != mismatch_kind(one.replace("data", "last"))


def test_runs_with_other_traffic_are_not_compared(own_root):
    with Store() as store:
        make_run(store, bad=False)
        fast = make_run(store, bad=False, slower=0.9, traffic="u")
        assert trends(store, fast).trends == []
        assert trends(store, fast).other_traffic == fast.total
        make_run(store, bad=False, traffic=None)
        unknown = make_run(store, bad=False, traffic=None)
        assert trends(store, unknown).trends == []
        again = make_run(store, bad=False, slower=0.8, traffic="u")
        found = trends(store, again)
    assert [r.id for r in found.runs] == [fast.id]
    cycles = [t for t in found.trends if t.what == "cycles"]
    assert len(cycles) == len(DESIGNS) * len(CASES)
    assert all(not t.is_worse and t.change == pytest.approx(-100 / 900, rel=0.01) for t in cycles)
    assert all(t.is_flat for t in found.trends if t.what != "cycles")
    assert found.trends[0].what == "cycles"


def test_a_trend_is_worse_where_throughput_falls_or_cycles_and_latency_rise():
    point = TrendPoint(1, "abc", 0.5, 3)
    for what, ratio, worse in (("cycles", 0.5, True), ("latency", 2.0, False), ("throughput", 2.0, True)):
        trend = Trend("d", what, "x", (replace(point, ratio=1.0), replace(point, ratio=ratio)))
        assert trend.is_worse is worse
        assert [y for _, y in sparkline(trend)] == (
            [10.0 if ratio == 1 else 2.0, 18.0, 2.0] if ratio < 1 else [18.0, 2.0, 18.0]
        )


def test_traffic_is_what_the_testbench_does_and_nothing_else():
    trace = Trace.from_bytes(np.zeros((4, 4), np.uint8), clock_ps=4000)
    stimulus = Stimulus({"s": trace}, {"m": Pattern("random", 0.5, seed=1)}, {"clk": Clock(4000, 4000)})
    same = traffic_hash([replace(stimulus, ready={"m": Pattern("random", 0.5, seed=1)})])
    assert traffic_hash([stimulus]) == same
    others = [
        [stimulus, stimulus],
        [replace(stimulus, ready={"m": Pattern("random", 0.5, seed=2)})],
        [replace(stimulus, inputs={"s": trace.with_gaps([0, 1, 0, 0])})],
        [replace(stimulus, inputs={"t": trace})],
        [replace(stimulus, clocks={"clk": Clock(5000, 4000)})],
        [replace(stimulus, program={"csr": (Access("write", 0, 1),)})],
    ]
    assert len({same, *map(traffic_hash, others)}) == 1 + len(others)


@pytest.mark.slow
def test_ten_thousand_cases_make_a_page_that_opens(own_root):
    with Store() as store:
        run = make_run(store, seeds=700)
    assert (run.folder / "index.html").stat().st_size < 1_000_000


@pytest.mark.skipif(BROWSER is None, reason="no chromium; apt-get install chromium")
@pytest.mark.parametrize("width", [1280, 390])
def test_a_browser_shows_it_without_complaints(pages, tmp_path, width):
    shot = tmp_path / "page.png"
    done = subprocess.run(
        [
            *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
            *("--enable-logging=stderr", f"--user-data-dir={tmp_path / 'profile'}"),
            *(f"--screenshot={shot}", f"--window-size={width},1600", (pages / "index.html").as_uri()),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert shot.is_file(), done.stderr[-2000:]
    assert not re.findall(r".*CONSOLE.*", done.stderr)
    assert shot.stat().st_size > 20_000


@pytest.mark.skipif(BROWSER is None, reason="no chromium; apt-get install chromium")
def test_nothing_is_cut_on_paper(own_root, tmp_path):
    with Store() as store:
        run = make_run(store, seeds=40)
        text = (run.folder / "index.html").read_text()
    said = on_paper(run.folder / "index.html", tmp_path)
    # Further failures of each card are printed, logs are not.
    more = str(text.count("more failure(s)"))
    assert (said["cut"], said["tools"], said["open"], said["paper"]) == ("0", "0", more, "rgb(255, 255, 255)")
    assert int(more) > 3


@pytest.mark.skipif(BROWSER is None, reason="no chromium; apt-get install chromium")
def test_it_fits_on_a_phone(pages, tmp_path):
    """The page itself is no wider than the window; only the matrix and texts scroll, inside."""
    probe = tmp_path / "probe.html"
    text = (pages / "index.html").read_text()
    script = "<script>document.title = 'width ' + document.documentElement.scrollWidth + ' of ' + innerWidth</script>"
    inside = (text + script).replace("&", "&amp;").replace('"', "&quot;")
    frame = f'<iframe id="f" style="width:390px;height:900px;border:0" srcdoc="{inside}"></iframe>'
    after = "<script>f.onload = () => { document.body.dataset.said = f.contentDocument.title }</script>"
    probe.write_text(f"<!doctype html><body>{frame}{after}</body>")
    done = subprocess.run(
        [
            *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            *(f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=3000", "--dump-dom", probe.as_uri()),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    found = re.search(r'data-said="width (\d+) of (\d+)"', done.stdout)
    assert found, done.stdout[-500:] + done.stderr[-500:]
    assert int(found[1]) <= int(found[2]) == 390
