# SPDX-License-Identifier: Apache-2.0
"""Shards of a regression merged into one run, without a simulator: equal to one machine's, and nothing foreign is believed."""

import json
import sqlite3
from contextlib import ExitStack

import dry
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.tb.cli import app
from goldbeat.tb.regress.item import Item, Status
from goldbeat.tb.regress.merge import find_shards, merge_shards
from goldbeat.tb.regress.run import BatchBackend, Observer, Settings, begin, go_on
from goldbeat.tb.regress.shard import Shard, items_of_shard, moved, parse_shard, plan_hash, shard_settings
from goldbeat.tb.regress.store import Store

SHARDS = 8


@pytest.fixture
def machine(own_root, tmp_path, monkeypatch):
    """Makes this process one on another machine: a clone in a folder with this name, with results of its own."""

    def enter(name, data="1"):
        project = tmp_path / name / "project"
        if not project.is_dir():
            (project / ".git").mkdir(parents=True)
            (project / "data.txt").write_text(data)
        monkeypatch.chdir(project)
        monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / name / "build"))
        return tmp_path / name

    return enter


def plan(folder, count=160, seed=0):
    """Items of three builds, with a file of the project."""
    data = {"s_axis": str(folder / "project" / "data.txt")}
    return [
        Item(
            index=n,
            key=f"axis_skid/random/DATA_W={8 << n % 3}#{seed + n}",
            design="axis_skid",
            case="random",
            params={"DATA_W": 8 << n % 3},
            inputs=data,
            seed=seed + n,
        )
        for n in range(count)
    ]


def run(folder, number=None, *, of=SHARDS, runner=dry.run_and_cover, **more):
    """The whole plan, or a shard of it, on one machine."""
    items = plan(folder, **more)
    mine, said = items, None
    if number is not None:
        shard = Shard(number, of)
        mine, said = items_of_shard(items, shard), shard_settings(items, shard, ["axis_skid"])
    settings = Settings(jobs=1, waves=0, coverage=True)
    with Store() as store:
        required = [] if number is not None else ["axis_skid"]
        begun = begin(store, "nightly", mine, settings, seed=more.get("seed", 0), shard=said, required=required)
        return go_on(store, begun, settings, Observer(), BatchBackend(runner, dry.build))


def shards(machine, numbers=range(1, SHARDS + 1), **more):
    found = []
    for number in numbers:
        run(folder := machine(f"machine-{number}"), number, **more)
        found.append(folder)
    return found


def merge(paths, **more):
    with ExitStack() as stack, Store() as store:
        found, _ = find_shards(paths, stack)
        done = merge_shards(store, found, **more)
        return done.run, contents(store, done.run)


def contents(store, run):
    """Everything that two runs of one thing have in common."""
    results = [(row.item, row.result and {**vars(row.result), "worker": ""}) for row in store.rows(run.id)]
    obligations = {d: {(o.key, o.weight) for o in some} for d, some in store.obligations(run.id).by_design.items()}
    settings = {
        name: run.settings.get(name) for name in ("files", "code", "coverage", "obligations", "suite", "filters")
    }
    facts = {name: run.facts[name] for name in ("counts", "lost", "interrupted")}
    said = (run.suite, run.status, run.total, run.seed, run.git, run.code, settings, facts)
    return said, results, obligations, store.coverage(run.id), store.counts(run.id)


def whole(machine, **more):
    done = run(machine("here"), **more)
    with Store() as store:
        return contents(store, done)


def goldbeat(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.parametrize("count", [1, 2, 7, 8, 160])
def test_every_item_is_in_one_shard(machine, count):
    items = plan(machine("here"))
    parts = [items_of_shard(items, Shard(number, count)) for number in range(1, count + 1)]
    assert sorted((i for part in parts for i in part), key=lambda i: i.index) == items
    assert max(map(len, parts)) - min(map(len, parts)) <= max(1, len(items) // (4 * count))
    other = plan(machine("there"))
    assert [[i.key for i in p] for p in parts] == [
        [i.key for i in items_of_shard(other, Shard(n, count))] for n in range(1, count + 1)
    ]
    assert plan_hash(items) == plan_hash(other)


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/", "a/b", "-1/2", "1/2/3", "1/99999"])
def test_a_wrong_shard_is_refused(text):
    with pytest.raises(UsageError, match="expected K/N"):
        parse_shard(text)


def test_more_shards_than_cases_are_refused(machine):
    with pytest.raises(UsageError, match="the plan has 3 cases; use at most 3 shards"):
        items_of_shard(plan(machine("here"), 3), Shard(1, 4))


def test_paths_move_with_the_project():
    before, now = {"project": "/a", "goldbeat": "/a/venv/hdl"}, {"project": "/b/c", "goldbeat": "/hdl"}
    there = {"input /a/x": ["/a/venv/hdl/y", "/ab/x", "x/a/x", 3], "a": ("/a/", "/a")}
    assert moved(there, before, now) == {"input /b/c/x": ["/hdl/y", "/ab/x", "x/a/x", 3], "a": ("/b/c/", "/a")}


@pytest.mark.parametrize("runner", [dry.run_and_cover, dry.run_and_fail_covered])
def test_shards_1_to_8_merged_equal_the_whole(machine, runner):
    want = whole(machine, runner=runner)
    found = shards(machine, runner=runner)
    machine("here")
    first, got = merge(found)
    assert got == want
    assert first.status == ("partial" if runner is dry.run_and_cover else "fail")
    # The same again is nothing new; in another order, one by one and twice, it is the same.
    assert merge(found) == (first, got)
    machine("there")
    for part in (*found[4:], *found[4:6], *found[:4]):
        _, again = merge([part])
    # Of another clone are the paths.
    text = [json.dumps(one, default=str, sort_keys=True) for one in (again, want)]
    assert text[0].replace("/there/", "/here/") == text[1].replace("/there/", "/here/")
    with Store() as store:
        assert len(store.runs()) == 1


def test_missing_shards_are_named_and_come_later(machine):
    found = shards(machine)
    machine("here")
    done = goldbeat("merge", *found[:2], found[5])
    assert done.exit_code == 3, done.output
    assert "missing: shards 3 to 5, 7 to 8 of 8, 100 of 160 cases" in done.stdout.replace(" 99 ", " 100 ")
    report = json.loads(goldbeat("merge", found[2], found[3], "--json").stdout)
    assert (report["status"], report["settings"]["merged"]["count"]) == ("incomplete", 8)
    assert report["missing"][0].startswith("missing: shards 5, 7 to 8 of 8")
    for words, said in ((("--resume", 1), "goldbeat merge"), (("--resume",), "no run to resume")):
        refused = goldbeat("regress", *words)
        assert (refused.exit_code, said in refused.stderr) == (2, True)
    done = goldbeat("merge", *found)
    assert "merged: 5, 7, 8; merged before: 1, 2, 3, 4, 6" in done.stderr
    # Nothing fails, and an obligation is open that has to be met.
    assert (done.exit_code, "PARTIAL nightly: 160 of 160 pass" in done.stdout) == (3, True), done.output
    assert goldbeat("merge", *found, "--new").exit_code == 3
    with Store() as store:
        assert [r.id for r in store.runs()] == [2, 1]


def test_a_failed_case_counts_more_than_a_missing_shard(machine):
    found = shards(machine, [2], runner=dry.run_and_fail_covered)
    machine("here")
    done = goldbeat("merge", found[0], "--ci", "github")
    assert done.exit_code == 1
    assert "INCOMPLETE nightly" in done.stdout
    folder = machine("here") / "build" / "regress" / "run-1"
    assert 'message="missing: shards 1, 3 to 8' in (folder / "junit.xml").read_text()
    assert "missing: shards 1, 3 to 8" in (folder / "index.html").read_text()
    assert "missing: shards 1, 3 to 8" in (folder / "summary.md").read_text()


def test_a_shard_that_was_stopped_is_completed(machine):
    want = whole(machine)
    found = shards(machine, range(2, SHARDS + 1))
    settings = Settings(jobs=1, waves=0, coverage=True)
    first = machine("machine-1")
    items = plan(first)
    mine = items_of_shard(items, Shard(1, SHARDS))
    with Store() as store:
        begun = begin(
            store, "nightly", mine, settings, seed=0, shard=shard_settings(items, Shard(1, SHARDS), ["axis_skid"])
        )
        store.record(begun.id, [dry.covered(i) for i in mine[:3]], {"line\t/x.sv\t1\t2\ta": 9})
        store.record(begun.id, [dry.result(mine[3], status=Status.KILLED)])
    machine("here")
    half, _ = merge([first, *found])
    assert half.status == "incomplete"
    assert half.missing == [f"shard 1/8 has no result of {len(mine) - 3} of its {len(mine)} cases"]
    machine("machine-1")
    with Store() as store:
        store._base.execute("DELETE FROM coverage")
        store.again(begun.id)
        store.record(begun.id, [dry.covered(i) for i in mine[3:]])
        for item in mine:
            store.add_coverage(begun.id, dry.covered_points(item))
        store.end(begun.id, "pass", {})
    machine("here")
    done, got = merge([first])
    assert done.id == half.id
    assert got[1:] == want[1:]


def _change(folder, statement, *values):
    base = sqlite3.connect(folder / "build" / "regress" / "results.sqlite")
    base.execute(statement, values)
    base.commit()
    base.close()


REFUSED = {
    "seed": ({"seed": 5}, r"first seed: 5, expected 0, as in .*machine-1"),
    "shards": ({"of": 4}, r"number of shards: 4, expected 8"),
    "suite": ({"count": 200}, r"number of cases: 200, expected 160"),
    "code": ({"data": "2"}, r"hash of input project:/data.txt: \w+, expected \w+, as in"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_shards_of_another_regression_are_refused(machine, kind):
    change, said = REFUSED[kind]
    found = shards(machine, [1, 2])
    other = machine("other", change.get("data", "1"))
    run(other, 3, **{name: value for name, value in change.items() if name != "data"})
    machine("here")
    with pytest.raises(InputError, match=said):
        merge([*found, other])
    with Store() as store:
        assert store.runs() == []


def test_a_shard_twice_is_refused(machine):
    found = shards(machine, [1, 2])
    run(other := machine("other"), 2)
    machine("here")
    with pytest.raises(InputError, match=r"other.*: found shard 2/8 of .*expected each shard once; .*machine-2"):
        merge([*found, other])
    merge(found)
    with pytest.raises(InputError, match=r"shard 2/8 of .*which run 1 has \(--new: another run\)"):
        merge([other])
    with Store() as store:
        assert len(store.runs()) == 1


def test_two_runs_of_a_shard_in_one_file_are_said(machine):
    first = machine("machine-1")
    for _ in range(2):
        run(first, 1)
    machine("here")
    with ExitStack() as stack:
        found, notes = find_shards([first, first / "build"], stack)
        assert [one.run.id for one in found] == [2]
    assert notes == [f"{first}/build/regress/results.sqlite: run 1 (shard 1/8) is older: left out"]


FOREIGN = {
    "overlap": (
        "UPDATE items SET idx=?1, spec=json_set(spec, '$.index', ?1), result=NULL, status=NULL WHERE idx=?2",
        "expected one that no other shard has",
    ),
    "status": ("UPDATE items SET result=json_set(result, '$.status', 'well')", "a file of results"),
    "another result": (
        "UPDATE items SET result=json_set(result, '$.key', 'a/b#1')",
        "a result of a/b#1, expected one of",
    ),
    "count": ("UPDATE runs SET total=3", "expected 3 cases of the 160"),
    "coverage": ("UPDATE coverage SET hits=-1", "a file of results"),
    "point": ("UPDATE coverage SET point=replace(point, char(9), ' ')", "a file of results"),
    "obligation": ("UPDATE obligations SET kind='x'", "an obligation of kind 'x'"),
    "shard": ("UPDATE runs SET settings=json_set(settings, '$.shard.number', 9)", "shard 9 of 8"),
    "facts": ("UPDATE runs SET facts=json_set(facts, '$.built', 'x')", "built"),
    "view": ("CREATE VIEW more AS SELECT 1", "the view 'more', expected tables only"),
    "trigger": ("CREATE TRIGGER t AFTER INSERT ON runs BEGIN SELECT 1; END", "the trigger 't'"),
    "no shard": ("UPDATE runs SET settings=json_remove(settings, '$.shard')", "missing shard, expected a run of"),
    "not SQLite": (None, "not a database"),
}


def _numbers(found):
    """A case of the first shard, and one of the second."""
    own = []
    for folder in found:
        with Store(folder / "build" / "regress" / "results.sqlite", read_only=True) as store:
            own.append(min(store.numbers(1)))
    return own


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files_are_not_believed(machine, kind):
    found = shards(machine, [1, 2])
    statement, said = FOREIGN[kind]
    path = found[1] / "build" / "regress" / "results.sqlite"
    if statement is None:
        path.write_bytes(b"no results at all" * 999)
    else:
        _change(found[1], statement, *(_numbers(found) if kind == "overlap" else ()))
    machine("here")
    with pytest.raises(InputError, match=said) as error:
        merge(found)
    assert "machine-2" in str(error.value)
    with Store() as store:
        assert store.runs() == []
    # Nothing is left that would be in the way.
    assert merge(found[:1])[0].id == 1


def test_changed_results_do_not_replace_merged_ones(machine):
    found = shards(machine, [1])
    machine("here")
    before = merge(found)
    _change(found[0], "UPDATE items SET result=json_set(result, '$.cycles', 99999)")
    with pytest.raises(InputError, match="as merged before"):
        merge(found)
    with Store() as store:
        assert contents(store, store.run(1)) == before[1]


def test_files_of_failed_cases_come_along(machine, tmp_path):
    found = shards(machine, [1], runner=dry.run_and_fail_covered)
    with Store() as store:
        bad = store.bad(1, 2)
        folder = store.run(1).folder / "failures"
        (folder / "1").mkdir(parents=True)
        (folder / "1" / "page.html").write_text("a page")
        (tmp_path / "secret").write_text("secret")
        (folder / "1" / "link").symlink_to(tmp_path / "secret")
        names = {"page": "failures/1/page.html", "log": "failures/1/link", "waves": "failures/../../../../secret"}
        store.artefacts(1, bad[0].item.index, {"alone": "fail", **names, "plot": "/etc/passwd"})
    machine("here")
    for _ in range(2):
        done, _ = merge(found)
        with Store() as store:
            rows = [r for r in store.rows(done.id) if r.artefacts]
        assert [r.artefacts for r in rows] == [{"alone": "fail", "page": "failures/1/page.html"}]
        assert [p.name for p in done.folder.rglob("*") if p.is_file()] == ["lock", "page.html"]


def test_a_merge_that_breaks_off_leaves_nothing(machine, monkeypatch):
    found = shards(machine, [1, 2])
    machine("here")
    with monkeypatch.context() as patched:
        patched.setattr(Store, "restate", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            merge(found)
    with Store() as store:
        assert store.runs() == []
    assert merge(found)[0].id == 1


@pytest.mark.parametrize("words", [["nowhere"], ["empty"]])
def test_where_there_are_no_results(machine, words):
    (machine("here") / "project" / "empty").mkdir()
    done = goldbeat("merge", *words)
    assert done.exit_code == 2
    assert "no such file or folder" in done.stderr or "missing results.sqlite, expected at least one" in done.stderr


def test_shard_and_resume_exclude_each_other(machine):
    machine("here")
    done = goldbeat("regress", "smoke", "--shard", "1/2", "--resume")
    assert (done.exit_code, "leave --shard out" in done.stderr) == (2, True)
    report = goldbeat("regress", "smoke", "--shard", "2/2", "--dry-run", "--json")
    every = goldbeat("regress", "smoke", "--dry-run", "--json")
    mine, all_of_them = (json.loads(one.stdout)["cases"] for one in (report, every))
    assert 0 < len(mine) < len(all_of_them)
    assert all(case in all_of_them for case in mine)


@pytest.mark.slow
@pytest.mark.sim
def test_simulated_shards_equal_the_whole(machine):
    folder = machine("machine-1")
    suite = folder / "project" / "suite.toml"
    suite.write_text('seeds = 6\n[[run]]\ndesigns = ["axis_skid"]\ncases = ["random"]\n')
    words = ("regress", suite, "--coverage", "--jobs", 1)
    for part in ("1/2", "2/2", None):
        assert goldbeat(*words, *(["--shard", part] if part else [])).exit_code == 0
    assert goldbeat("merge", folder / "build", "--json").exit_code == 0
    with Store() as store:
        merged, one = (store.rows(number) for number in (4, 3))
        for left, right in zip(merged, one, strict=True):
            # Time goes by, and processes differ.
            changes = {"wall_s": 0, "worker": ""}
            assert left.item == right.item
            assert {**vars(left.result), **changes} == {**vars(right.result), **changes}
        hits = [{point for point, count in store.coverage(number).items() if count} for number in (4, 3)]
        assert hits[0] == hits[1]
        assert store.coverage(4).keys() == store.coverage(3).keys()
        tried = [sorted((o.key, o.weight) for o in store.obligations(n).by_design["axis_skid"]) for n in (4, 3)]
        assert tried[0] == tried[1]
