# SPDX-License-Identifier: Apache-2.0
"""What stands in the columns of the results: damaged JSON is an error of the file, not an exception."""

import json
import sqlite3

import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.regress.item import Item, ItemResult, Status
from goldbeat.tb.regress.store import Store

PORT = {"direction": "out", "beats": 9, "frames": 3, "mb_per_s": 9.5, "share": None}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        item = Item(index=0, key="a/b#0", design="a", case="b", seed=0)
        run = store.begin("s", [item], git="g", code="c", host="h", seed=0, settings={"jobs": 1})
        store.record(run.id, [ItemResult(0, "a/b#0", Status.FAIL, failures=("no",), ports={"m": PORT})])
        store.end(run.id, "fail", {"wall_s": 1.5})
    return path


def test_what_was_written_is_read(path):
    with Store(path) as store:
        (row,) = store.rows(1)
        assert row.result == ItemResult(0, "a/b#0", Status.FAIL, failures=("no",), ports={"m": PORT})
        assert store.run(1).facts == {"wall_s": 1.5}
        assert store.run(1).settings == {"jobs": 1}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("items.result", '{"index": 0,'),
        ("items.result", "[]"),
        ("items.result", '{"index": 0, "key": "a", "status": "well"}'),
        ("items.result", json.dumps({"index": 0, "key": "a", "status": "pass", "ports": {"m": {"beats": 1}}})),
        ("items.result", '{"index": 0, "key": "a", "status": "pass", "wall_s": 1e999}'),
        ("items.result", '{"index": 0, "key": "a", "status": "pass", "wall_s": NaN}'),
        ("items.result", "[" * 100_000),
        ("items.spec", "{}"),
        ("items.artefacts", '{"log": 1}'),
        ("runs.settings", "7"),
        ("runs.settings", '{"files": []}'),
        ("runs.settings", '{"mixed": [{}]}'),
        ("runs.settings", '{"suite": 7}'),
        ("runs.facts", '{"wall_s": "long"}'),
        ("runs.facts", '{"changed_meanwhile": 3}'),
        ("runs.started", b"\xff"),
    ],
)
def test_damaged_columns_name_the_file(column, value, path):
    table, _, name = column.partition(".")
    base = sqlite3.connect(path)
    base.execute(f"UPDATE {table} SET {name}=?", (value,))
    base.commit()
    base.close()
    with Store(path) as store:
        read = store.runs if table == "runs" else lambda: store.rows(1)
        with pytest.raises(InputError, match=r"results\.sqlite: .*a file of results"):
            read()


def test_a_file_that_is_refused_is_not_kept_open(tmp_path):
    path = tmp_path / "results.sqlite"
    Store(path).close()
    base = sqlite3.connect(path, isolation_level=None)
    base.execute("PRAGMA user_version=99")
    with pytest.raises(InputError, match="format 99") as caught:
        Store(path)
    # Only a connection that is alone may leave the write-ahead log.
    base.execute("PRAGMA busy_timeout=100")
    assert base.execute("PRAGMA journal_mode=DELETE").fetchone() == ("delete",)
    base.close()
    assert caught.value
