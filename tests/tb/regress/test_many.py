# SPDX-License-Identifier: Apache-2.0
"""Runs of very many cases: reports of bounded size that still name every case, from the columns of the results."""

import json
import tracemalloc
import xml.etree.ElementTree as ET

import pytest

from goldbeat.tb.regress import reports
from goldbeat.tb.regress.brief import MOST_TEXT
from goldbeat.tb.regress.compare import compare_runs
from goldbeat.tb.regress.item import Item, ItemResult, Status
from goldbeat.tb.regress.reports import write_reports
from goldbeat.tb.regress.run import Settings, begin
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.summary import Gathered

CASES = 60


def result(item, *, cycles=100):
    passes = item.seed % 7 != 3
    share = item.seed / CASES
    return ItemResult(
        item.index,
        item.key,
        Status.PASS if passes else Status.FAIL,
        cycles=cycles + item.seed,
        compared=5,
        wall_s=0.25,
        trace_hash=f"{item.seed:032x}",
        failures=() if passes else (f"wrong {item.seed} <&>\n" + "  x\n" * MOST_TEXT, "and more"),
        ports={"m": {"direction": "out", "beats": 3, "frames": 1, "mb_per_s": 100 * share, "share": share}},
        latency={"s->m": {"by": "beat", "mean": 1000 * item.seed, "max": 70_000}},
        coverage={"m": {"gap 0": item.seed % 2, "gap 1": 0}},
        log="" if passes else "the log",
        waived={"axis_valid_held": 2} if item.seed == 8 else {},
    )


def make_run(store, count=CASES, **changes):
    items = [Item(index=n, key=f"d{n % 2}/c/K={n % 3}#{n}", design=f"d{n % 2}", case="c", seed=n) for n in range(count)]
    run = begin(store, "many", items, Settings(), seed=0)
    store.record(run.id, [result(i, **changes) for i in items[:-1]])
    store.end(run.id, "fail", {})
    return store.run(run.id)


def read(run):
    report = json.loads((run.folder / "report.json").read_text())
    return report, ET.parse(run.folder / "junit.xml").getroot(), (run.folder / "index.html").read_text()


@pytest.fixture
def run(own_root):
    with Store() as store:
        run = make_run(store)
        write_reports(store, run)
    return run


def test_reports_of_many_cases_name_every_case(own_root, monkeypatch):
    with Store() as store:
        run = make_run(store)
        write_reports(store, run)
        whole, tree, page = read(run)
        monkeypatch.setattr(reports, "MOST_CASES", 20)
        monkeypatch.setattr(reports, "MOST_WHOLE", 5)
        write_reports(store, run)
    short, other_tree, other_page = read(run)
    size = (run.folder / "report.json").stat().st_size

    assert [c["case"] for c in whole["cases"]] == [f"d{n % 2}/c/K={n % 3}#{n}" for n in range(CASES)]
    assert "results" not in whole
    bad = [c for c in whole["cases"] if c["status"] == "fail"]
    assert len(bad) == 8
    for one, case in zip(short["cases"], bad, strict=False):
        assert one == {**{k: case[k] for k in one}, "failures": [t.partition("\n")[0] for t in case["failures"]]}
        assert {"case", "status", "seed", "params", "trace_hash", "repeat", "log"} - one.keys() == {"params"}
    assert len(short["cases"]) == 5
    columns, groups = short["results"]["columns"], short["results"]["groups"]
    rows = [dict(zip(columns, row, strict=True)) for row in short["results"]["rows"]]
    assert len(rows) == CASES
    for row, case in zip(rows, whole["cases"], strict=True):
        assert (f"{groups[row['group']]}#{row['seed']}", row["status"]) == (case["case"], case["status"])
        if case["status"] is not None:
            assert [row[n] for n in columns[3:7]] == [case[n] for n in columns[3:7]]
            assert row["mismatch"] == (case["failures"] or [""])[0].partition("\n")[0]
    assert size < 1500 + 100 * CASES + 1000 * 5
    heads = ({k: v for k, v in r.items() if k not in ("cases", "results")} for r in (whole, short))
    assert next(heads) == next(heads)

    for one in tree, other_tree:
        assert [s.get("tests") for s in one.iter("testsuite")] == ["30", "30"]
        assert len(list(one.iter("skipped"))) == 1
        failures = list(one.iter("failure"))
        assert len(failures) == 8
        assert all("<&>" in f.text and "goldbeat rerun" in f.text for f in failures)
        assert "waived axis_valid_held" in {p.get("name") for p in one.iter("property")}
    # Beyond the first ones there is the first line of the first failure.
    assert sum("and more" in f.text for f in tree.iter("failure")) == 8
    assert sum("and more" in f.text for f in other_tree.iter("failure")) == 5
    assert sum(e.text == "the log" for e in other_tree.iter("system-out")) == 5
    for one in page, other_page:
        # The same mismatch of each of the two designs.
        assert one.count('class="failure"') == 2
        assert one.count("and 3 more</span>") == 2
        assert all(f"<li>{case['case']}</li>" in one for case in bad)


def test_a_case_of_a_large_report_is_cut_to_its_size():
    case = {
        "case": "d/c#1",
        "status": "fail",
        "log": "\x00" * 400 + "the end",
        "params": {},
        "coverage": {"m": {"x": 1}},
    }
    short = reports.short_case(case | {"failures": ["first " + "ä" * 5000 + "\nmore", "second"]})
    assert len(json.dumps(short, separators=(",", ":"))) <= reports.MOST_BYTES
    assert short["failures"][0].startswith("first ää")
    assert short.keys() == {"case", "status", "failures"} | (short.keys() & {"log"})
    # Nothing is left for the third, fewer bytes than none.
    many = reports.short_case(case | {"failures": ["x" * n for n in range(780, 900, 3)]})
    assert len(json.dumps(many, separators=(",", ":"))) <= reports.MOST_BYTES
    few = reports.short_case(case | {"failures": ["one\nmore", "two"]})
    assert few["failures"] == ["one", "two"]
    assert few["log"].endswith("\x00the end")
    assert len(json.dumps(few, separators=(",", ":"))) <= reports.MOST_BYTES


def test_briefs_and_figures_say_what_the_rows_say(run):
    with Store() as store:
        rows, briefs = store.rows(run.id), store.briefs(run.id)
        gathered = Gathered(store.measured(run.id))
        few = Gathered(store.measured(run.id, waived=True))
    for row, brief in zip(rows, briefs, strict=True):
        assert (brief.number, brief.key, brief.seed) == (row.item.index, row.item.key, row.item.seed)
        if row.result is None:
            assert brief.status is None
            continue
        said = (brief.status, brief.cycles, brief.compared, brief.wall_s, brief.trace_hash)
        assert said == tuple(getattr(row.result, n) for n in ("status", "cycles", "compared", "wall_s", "trace_hash"))
    passed = [r for r in rows if r.result is not None and r.result.passed]
    ports = {p.design: p for p in gathered.ports()}
    assert ports["d1"].share.count == sum(r.item.design == "d1" for r in passed)
    assert ports["d1"].beats == 3 * ports["d1"].share.count
    assert ports["d0"].share.most == max(r.result.ports["m"]["share"] for r in passed if r.item.design == "d0")
    assert {p.most for p in gathered.latencies()} == {70.0}
    assert gathered.functional["d1"]["m"] == {"gap 0": 29, "gap 1": 0}
    assert gathered.waivers == few.waivers == {("d0", "axis_valid_held"): 2}
    assert few.functional.keys() == {"d0"}


def test_comparing_runs_of_many_cases(own_root):
    with Store() as store:
        runs = [store.briefs(make_run(store, cycles=c).id) for c in (100, 101)]
    change = compare_runs(*runs)
    assert (change.common, change.same, change.gone, change.added) == (CASES - 1, CASES - 1, 0, 0)
    assert len(change.slower) == 51
    assert not change.broken
    assert compare_runs(*runs[::-1]).faster


@pytest.mark.slow
def test_memory_of_a_report_grows_little_with_the_cases(own_root):
    peaks = []
    for count in (500, 4500):
        with Store() as store:
            run = make_run(store, count)
            tracemalloc.start()
            write_reports(store, run)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert (run.folder / "report.json").stat().st_size < 6 << 20
    # An item and its result as objects take 10 kB.
    assert peaks[1] - peaks[0] < 4000 * 3500, peaks
