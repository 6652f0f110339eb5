# SPDX-License-Identifier: Apache-2.0
"""Runs with a budget, without a simulator: what runs first, when it ends, and that what is left out never looks passed."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import dry
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import ToolError, UsageError
from goldbeat.tb.cli import app
from goldbeat.tb.cli.common import budget_seconds
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.regress import run as regress_run
from goldbeat.tb.regress.budget import RankedChunk, order_text, ranked_chunks
from goldbeat.tb.regress.compare import compare_runs
from goldbeat.tb.regress.engine import Hooks
from goldbeat.tb.regress.item import Batch, BatchResult, Item, Status
from goldbeat.tb.regress.ranked_engine import RankedEngine
from goldbeat.tb.regress.revision import revision_of
from goldbeat.tb.regress.run import BatchBackend, Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.worth import Ranked, Reason, ranked

SLOW = BatchBackend(dry.run_slowly, dry.build)


@pytest.fixture
def store(own_root):
    with Store() as store:
        yield store


class Clock:
    """The time of runs: a day goes by with the first results, however slow this machine is."""

    def __init__(self):
        self.late = 0.0
        self.goes = True
        self.monotonic_ns, self.sleep = time.monotonic_ns, time.sleep

    def monotonic(self):
        return time.monotonic() + self.late


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    record = Store.record

    def recorded_late(*arguments):
        fresh = record(*arguments)
        found.late += 86400.0 * (found.goes and bool(fresh))
        return fresh

    monkeypatch.setattr(Store, "record", recorded_late)
    monkeypatch.setattr(regress_run, "time", found)
    return found


def item(number, name, seed=0, case="random", **more):
    return Item(index=number, key=f"axis_skid/{name}#{seed}", design="axis_skid", case=case, seed=seed, **more)


def recorded(store, items, bad=(), suite="dry"):
    """A run of all of these, of which some fail."""
    run = begin(store, suite, items, Settings(), seed=0)
    store.record(
        run.id, [dry.result(i, status=Status.FAIL if i.key in bad else Status.PASS, wall_s=0.5) for i in items]
    )
    store.end(run.id, "pass", {})
    return run


def numbered(items):
    return [one.model_copy(update={"index": number}) for number, one in enumerate(items)]


def order(store, items, suite="dry"):
    return [(one.item.key.partition("/")[2], one.reason) for one in ranked(store, suite, items, revision_of(items))]


# -- what runs first ----------------------------------------------------------------------------------------------------


def test_what_finds_most_comes_first(store, own_root, tmp_path):
    data = {"s_axis": str(tmp_path / "data.txt")}
    (tmp_path / "data.txt").write_text("1")
    names = ("old", "dull", "keen", "wanted", "broken")
    known = numbered([item(0, name, case="sweep" if name == "wanted" else "random") for name in names])
    known.append(item(5, "changed", inputs=data))
    recorded(store, known)
    newer = recorded(store, numbered(known[1:]), bad=["axis_skid/broken#0"])
    store.add_obligations(
        newer.id,
        "axis_skid",
        [
            Obligation("sizes", "m", "long frames", met=False, how="the case reset or sweep"),
            Obligation("sizes", "m", "short frames", met=True, how="the case random"),
            Obligation("sizes", "m", "no frames", met=False, how="the case random", refuted=True),
        ],
    )
    campaign = own_root / "mutate" / "axis_skid"
    campaign.mkdir(parents=True)
    fates = [{"status": "killed", "case": f"axis_skid/{name}#1"} for name in ("keen", "keen", "dull")]
    cases = [f"axis_skid/{name}#1" for name in ("keen", "dull", "old")]
    (campaign / "mutants.json").write_text(json.dumps({"cases": cases, "fates": [*fates, {"status": "survived"}]}))
    (tmp_path / "data.txt").write_text("2")
    assert order(store, numbered([*known, item(6, "new")])) == [
        ("broken#0", Reason.FAILED),
        ("changed#0", Reason.CHANGED),
        ("new#0", Reason.CHANGED),
        ("wanted#0", Reason.OPEN),
        ("keen#0", Reason.KILLS),
        ("dull#0", Reason.KILLS),
        ("old#0", Reason.AGE),
    ]
    # What another suite has tried is not known of this one; the rest is.
    assert dict(order(store, known, suite="other"))["wanted#0"] is Reason.AGE
    (campaign / "mutants.json").write_text("{")
    notes = []
    ranked(store, "dry", known, {}, notes.append)
    assert "mutants.json: not a report of goldbeat mutate" in notes[0]


def test_a_change_counts_since_the_last_pass_of_the_same_seed(store, tmp_path):
    data = {"s_axis": str(tmp_path / "data.txt")}
    (tmp_path / "data.txt").write_text("1")
    items = [item(seed, "random", seed, inputs=data) for seed in range(3)]
    recorded(store, items)
    (tmp_path / "data.txt").write_text("2")
    # A budget has left the others out.
    recorded(store, items[:1])
    reasons = dict(order(store, [*items, item(3, "random", 3, inputs=data)]))
    assert [reasons[f"random#{seed}"] for seed in range(4)] == [Reason.AGE, Reason.CHANGED, Reason.CHANGED, Reason.AGE]


def test_seeds_of_one_case_do_not_take_it_all(store):
    known = [*dry.items(3, "axis_skid/a"), *dry.items(3, "axis_skid/b")]
    recorded(store, numbered(known), bad=["axis_skid/a#1"])
    fresh = [one.model_copy(update={"seed": 10 + n, "key": f"axis_skid/a#{10 + n}"}) for n, one in enumerate(known)]
    found = order(store, numbered([*fresh, *known]))
    assert order_text({"by age": [1, 2], "failed last time": [3, 3]}) == "3 of 3 failed last time, 1 of 2 by age"
    assert [key for key, reason in found if reason is Reason.FAILED] == ["a#1", "a#10", "a#11", "a#12"]
    # Those that have never run are the oldest; then the first of a case come before its later ones.
    assert [key for key, _ in found[4:]] == ["a#13", "a#14", "a#15", "b#0", "b#1", "b#2", "a#0", "a#2"]


def test_batches_keep_the_order_and_share_simulators():
    one, other = item(0, "random"), item(0, "random/DATA_W=16", params={"DATA_W": 16})
    row = [Ranked(other if n % 2 else one, Reason.AGE, 0.3) for n in range(40)]
    row = [row[0]._replace(reason=Reason.FAILED), *row[1:]]
    found = ranked_chunks(row, 1800.0)
    assert [len(chunk.items) for chunk in found] == [1, 6, 6, 6, 6, 6, 6, 2, 1]
    assert len({chunk.key for chunk in found}) == 2
    assert len(ranked_chunks([Ranked(one, Reason.AGE, None)] * 8, 1800.0)) == 2
    assert len(ranked_chunks([Ranked(one, Reason.AGE, 1.0)] * 8, 20.0)) == 8


# -- the engine ---------------------------------------------------------------------------------------------------------


def engine_of(pool, ran, *, over=lambda: False, build=dry.build):
    def run(batch, attempt=1, content=None):
        ran.extend(i.index for i in batch.items)
        return BatchResult([dry.result(i) for i in batch.items])

    hooks = Hooks(lambda chunk, simulator: Batch(tuple(chunk), simulator), lambda results, coverage: results)
    return RankedEngine(pool, pool, hooks, runner=run, build=build, over=over, jobs=1)


def chunks(count):
    """Batches of two items, of three simulators in turn."""
    items = dry.items(2 * count)
    return [RankedChunk(("dry", None, str(n % 3)), items[2 * n : 2 * n + 2]) for n in range(count)]


def test_batches_run_in_their_order_and_builds_as_they_are_needed():
    ran, built = [], []

    def build(item, cases):
        built.append((item.index, cases, len(ran)))
        if item.index == 2:
            raise ToolError("does not compile")
        return "simulator", 0.0

    with ThreadPoolExecutor(1) as pool:
        engine_of(pool, ran, build=build).run_ranked(chunks(6))
    # The batches of the second simulator, 1 and 4, cannot run.
    assert ran == [0, 1, 4, 5, 6, 7, 10, 11]
    assert built == [(0, 4, 0), (2, 4, 2), (4, 4, 2)]


def test_nothing_begins_when_the_time_is_over():
    ran = []
    with ThreadPoolExecutor(1) as pool:
        engine_of(pool, ran, over=lambda: len(ran) >= 6).run_ranked(chunks(50))
    assert ran == [0, 1, 2, 3, 4, 5]


# -- a run --------------------------------------------------------------------------------------------------------------


def regress(store, items, budget_s, backend=SLOW, **more):
    settings = Settings(jobs=2, waves=0, budget_s=budget_s, **more)
    return go_on(store, begin(store, "dry", items, settings, seed=0), settings, Observer(), backend)


def goldbeat(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, " ".join(done.output.split())


def test_what_is_left_out_is_named_and_does_not_look_passed(store, monkeypatch, clock):
    items = dry.items(1000)
    before = recorded(store, items)
    run = regress(store, items, 1800.0)
    counts = store.counts(run.id)
    assert run.status == "limited"
    assert 0 < counts["pass"] == 1000 - counts["open"] < 1000
    assert run.facts["order"] == {"by age": [counts["pass"], 1000]}
    left = counts["open"]
    assert run.limits == [f"left out: {left} of 1000 cases; the budget of 1800 s was over"]
    first, last = min(store.left(run.id)), max(store.left(run.id))
    report = json.loads((run.folder / "report.json").read_text())
    assert report["left_out"]["count"] == left
    assert report["left_out"]["cases"] == [f"dry/case#{first}..{last}"]
    page = (run.folder / "index.html").read_text()
    assert f"dry/case#{first}..{last}" in page
    assert f'class="open">{counts["pass"]}/1000<' in page
    assert (run.folder / "junit.xml").read_text().count("left out by the budget") == left
    change = compare_runs(store.briefs(before.id), store.briefs(run.id))
    assert (change.not_run, change.gone, change.common) == (left, 0, 1000 - left)
    assert store.unfinished(None, run.id).id == run.id
    with pytest.raises(UsageError, match="no run to resume"):
        store.unfinished("dry")

    code, said = goldbeat("show", run.id)
    assert f"LIMITED dry: {counts['pass']} of 1000 pass, {left} left out" in said
    assert f"to run them: goldbeat regress dry --resume {run.id}" in said
    monkeypatch.setattr(regress_run, "BatchBackend", lambda: dry.DRY)
    code, said = goldbeat("regress", "dry", "--resume", run.id, "--ci", "github")
    assert (code, "PASS dry: 1000 of 1000 pass" in said) == (0, True)
    assert store.run(run.id).left_out == 0


def test_exit_codes_of_runs_with_a_budget(own_root, monkeypatch, tmp_path, clock):
    backend = [SLOW]
    monkeypatch.setattr(regress_run, "BatchBackend", lambda: backend[0])
    (tmp_path / "suite.toml").write_text('seeds = 800\n[[run]]\ndesigns = ["axis_skid"]\ncases = ["random"]\n')
    words = ("regress", tmp_path / "suite.toml", "--jobs", 1, "--no-waves-on-fail")
    code, said = goldbeat(*words, "--budget", "30m", "--ci", "github")
    assert (code, "LIMITED" in said) == (0, True)
    summary = (own_root / "regress/run-1/summary.md").read_text()
    assert ": LIMITED, " in summary
    assert "| not run |" not in summary
    assert "* axis\\_skid/random#" in summary
    assert goldbeat(*words, "--budget", ".000001s")[0] == 3, "nothing has run"
    backend[0] = BatchBackend(dry.run_and_fail, dry.build)
    code, said = goldbeat(*words, "--budget", "30m")
    assert (code, "FAIL" in said, "left out" in said) == (1, True, True)
    code, said = goldbeat(*words, "--budget", "1m", "--dry-run")
    assert "failed last time" in said
    assert "800 cases: " in said
    clock.goes = False
    code, said = goldbeat(*words, "--budget", "30m")
    assert (code, "left out" in said) == (1, False), "all have run"
    assert goldbeat("history")[0] == 0


def test_shards_with_budgets_merge(own_root, monkeypatch, tmp_path, clock):
    monkeypatch.setattr(regress_run, "BatchBackend", lambda: SLOW)
    (tmp_path / "suite.toml").write_text('seeds = 400\n[[run]]\ndesigns = ["axis_skid"]\ncases = ["random"]\n')
    words = ("regress", tmp_path / "suite.toml", "--jobs", 1)
    for number in (1, 2):
        monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / f"machine-{number}"))
        assert goldbeat(*words, "--budget", "2h", "--shard", f"{number}/2")[0] == 0
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "here"))
    found = [tmp_path / f"machine-{number}" for number in (1, 2)]
    code, said = goldbeat("merge", found[0])
    assert (code, "missing: shard 2 of 2" in said) == (3, True)
    code, said = goldbeat("merge", *found)
    assert (code, "LIMITED" in said, "to run them" in said) == (0, True, False), said
    with Store() as store:
        run = store.run(1)
        assert run.missing == []
        assert run.left_out == store.counts(1)["open"] == 400 - store.counts(1)["pass"]
        assert run.facts["order"]["new or with changed files"] == [store.counts(1)["pass"], 400]
    assert "<error" not in (tmp_path / "here/regress/run-1/junit.xml").read_text()
    code, said = goldbeat("regress", "--resume", 1)
    assert (code, "merged from shards; resume those" in said) == (2, True)
    # A shard that is resumed completes the same run.
    for number in (1, 2):
        monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / f"machine-{number}"))
        assert goldbeat(*words[:2], "--resume", 1)[0] == 0
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "here"))
    code, said = goldbeat("merge", *found)
    assert (code, "PASS" in said, "400 of 400 pass" in said) == (0, True, True)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("30m", 1800), ("5min", 300), ("2h", 7200), ("1.5h", 5400), (".5s", 0.5)]
)
def test_budgets_are_times(text, seconds):
    assert budget_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "30", "0s", "-1s", "fast", "1d", "1e3s", "99999999s"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(UsageError, match="expected a time above 0"):
        budget_seconds(text)
