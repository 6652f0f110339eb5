# SPDX-License-Identifier: Apache-2.0
"""Results of many masters in one database, on a real server."""

import subprocess
import sys
import threading
from pathlib import Path

import dry
import postgres_server
import pytest

from goldbeat.pymodels.errors import InputError, ToolError, UsageError
from goldbeat.tb.obligations.obligation import KINDS, Obligation
from goldbeat.tb.regress.history import read_history
from goldbeat.tb.regress.item import ItemResult, Status
from goldbeat.tb.regress.reports import report_text, run_junit
from goldbeat.tb.regress.run import Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.summary import Gathered

SUPPORT = Path(dry.__file__).parent
ITEMS = 300
MASTER = f"""
import dry
from goldbeat.tb.regress.run import BatchBackend, Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
with Store() as store:
    for _ in range(2):
        run = begin(store, "dry", dry.items({ITEMS}), Settings(), seed=0)
        print(run.id)
        go_on(store, run, Settings(waves=0), Observer(), BatchBackend(dry.run_and_cover, dry.build))
"""


@pytest.fixture(scope="module")
def server():
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    if why := postgres_server.lacking():
        pytest.skip(why)
    with postgres_server.server() as url:
        yield url


@pytest.fixture
def database(server, own_root, monkeypatch, request):
    """An empty database of this test."""
    import psycopg

    name = f"t{abs(hash(request.node.name))}"
    with psycopg.connect(server, autocommit=True) as base:
        base.execute(f"CREATE DATABASE {name}")
    url = server.replace("/postgres?", f"/{name}?")
    monkeypatch.setenv("GOLDBEAT_STORE", url)
    return url


@pytest.mark.slow
def test_three_masters_at_once_lose_and_double_nothing(database, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(SUPPORT))
    masters = [subprocess.Popen([sys.executable, "-c", MASTER], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [int(number) for master in masters for number in master.communicate(timeout=120)[0].split()]
    assert [master.returncode for master in masters] == [0, 0, 0]
    with Store(read_only=True) as store:
        assert sorted(said) == sorted(run.id for run in store.runs(last=-1)) == [1, 2, 3, 4, 5, 6]
        for run in store.runs(last=-1):
            assert (run.status, store.counts(run.id)) == ("pass", {"pass": ITEMS})
            assert [row.result.key for row in store.rows(run.id)] == [item.key for item in dry.items(ITEMS)]
        (covered,) = {tuple(sorted(store.coverage(run.id).items())) for run in store.runs()}
        assert covered
        with pytest.raises(ToolError, match="read-only"):
            store.settle(1, {})


def test_masters_make_tables_and_merge_one_after_the_other(database):
    import psycopg

    opened = []

    def merge():
        with opened[0], opened[0].together():
            pass

    with psycopg.connect(database) as base:
        for work in (lambda: opened.append(Store()), merge):
            base.execute("SELECT pg_advisory_xact_lock(24605, 0)")
            other = threading.Thread(target=work)
            other.start()
            other.join(0.3)
            assert other.is_alive()
            base.commit()
            other.join(30)
            assert not other.is_alive()


def _fill(store):
    """A run with one of everything that a row can have."""
    items = dry.items(4)
    run = begin(store, "dry", items, Settings(), seed=0)
    how = {"failures": ("expected 1?, got 100 %\0",), "waived": {"rule": 2}}
    bad = ItemResult(1, items[1].key, Status.FAIL, **how, wall_s=0.1, sim_ps=1 << 40)
    kind = next(iter(KINDS))
    told = (Obligation(kind, "m", "stalls", True, "seeds"), Obligation(kind, "m", "gaps", False, "more seeds"))
    good = dry.result(items[0], obligations=told)
    assert store.record(run.id, [good, bad], {"p": 1}) == [0, 1]
    assert store.record(run.id, [dry.result(items[0], 2, Status.FAIL), dry.result(items[2])], {"p": 5}) == [2]
    store.end(run.id, "fail", {"wall_s": 1.5})
    return store.run(run.id)


def _said(store, run):
    """Everything that is read of a run, without its times."""
    rows, gathered = store.briefs(run.id), Gathered(store.measured(run.id, waived=True))
    bad, obligations = store.bad(run.id, -1), store.obligations(run.id)
    texts = [run_junit(run, rows, bad, gathered.waived, obligations), report_text(store, run, rows, gathered.waivers)]
    read = [store.seconds(), store.coverage(run.id), store.counts(run.id), store.passed_params(run.id, "axis_skid")]
    read += [store.last_with(rows[0].key), store.find(run.id, "2").item.key, store.unfinished(None).id]
    history = read_history(store)
    read += [history.cases, history.flaky, history.patterns]
    read += [list(store.passed(run.id, 2)), gathered.waivers, store.numbers(run.id)]
    return [text.replace(run.started, "").replace(str(run.ended), "") for text in texts], read


def test_a_database_says_what_a_file_says(database, monkeypatch):
    found = []
    for url in (database, ""):
        monkeypatch.setenv("GOLDBEAT_STORE", url)
        with Store() as store:
            run = _fill(store)
            store.again(run.id)
            found.append(_said(store, run))
    assert found[0][1] == found[1][1]
    assert found[0][0][1] == found[1][0][1]


def test_a_run_in_a_database_belongs_to_one_master(database):
    with Store() as store, Store() as other:
        run = begin(store, "dry", dry.items(3), Settings(), seed=0)
        # Of another machine: the lock in the run's folder is not seen there.
        assert other._base.hold(run.id)
        with pytest.raises(UsageError, match="still running"):
            go_on(store, run, Settings(waves=0), Observer(), dry.DRY)
        other._base.release(run.id)
        assert go_on(store, run, Settings(waves=0), Observer(), dry.DRY).status == "pass"


@pytest.mark.parametrize(
    "change",
    [
        lambda url: url.replace("tester:", "nobody:"),
        lambda url: url.replace("?host=", "?host=/nowhere"),
        lambda url: url.replace("?host=", "?no_such_word="),
        lambda url: url.replace("postgresql", "mysql"),
    ],
)
def test_a_password_is_never_printed(database, monkeypatch, change):
    monkeypatch.setenv("GOLDBEAT_STORE", change(database))
    with pytest.raises((ToolError, UsageError)) as caught:
        Store()
    assert postgres_server.PASSWORD not in "".join(map(str, (caught.value, caught.value.__cause__)))
    assert "PostgreSQL" in str(caught.value) or "postgresql://USER" in str(caught.value)


def test_an_empty_database_has_no_runs(database):
    with Store(read_only=True) as store:
        assert store.runs() == []


def test_tables_of_another_program_are_left_alone(database):
    import psycopg

    with psycopg.connect(database, autocommit=True) as base:
        base.execute("CREATE TABLE runs (name text)")
    for read_only in (True, False):
        with pytest.raises(InputError, match="a table runs of another program"):
            Store(read_only=read_only)
