# SPDX-License-Identifier: Apache-2.0
"""Results: one SQLite file a project, or one PostgreSQL database for many (:mod:`goldbeat.tb.regress.postgres`).

Every run writes its own rows and no others; within a run, the master is the only writer. In WAL mode with full synchronisation a
transaction is there or it is not, whatever is killed when. An item is a row from the start; its result is written once,
where there is none yet.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from goldbeat.pymodels.errors import InputError, ToolError, UsageError
from goldbeat.pymodels.validation import first_mistake
from goldbeat.tb.obligations.obligation import KINDS, Obligation
from goldbeat.tb.obligations.summary import Obligations
from goldbeat.tb.paths import build_root
from goldbeat.tb.regress.brief import (
    COLUMNS,
    MOST_TEXT,
    Brief,
    ItemFigures,
    PassedItem,
    read_brief,
    read_measured,
    read_passed,
)
from goldbeat.tb.regress.item import Item, ItemResult, Status
from goldbeat.tb.regress.postgres import DatabaseFullError, PostgresBase, store_url
from goldbeat.tb.regress.recorded import MergedSettings, read_artefacts, read_facts, read_result, read_settings

FORMAT = 1
INCOMPLETE = "incomplete"
"""Status of a merged run with results missing."""
LIMITED = "limited"
"""Status of a run whose budget was over before every case had run; nothing that ran has failed."""
LEFT = "(status IS NULL OR status='killed')"
"""What ``--resume`` runs: items without a result, and those whose simulator something outside has ended."""
BAD = "status NOT IN ('pass', 'recorded')"
"""Of items: those that have run and do not pass."""
_BUSY_S = 60.0
_CACHE_KB = 64 * 1024
_SHARE = 8
"""The index of all cases is read sooner than the rows of one run in so many."""
_MEASURED = ("status", "cycles", "sim_ps", "wall_s", "compared", "trace_hash", "mismatch", "result")
"""Columns of an item that its result fills."""
_CLEARED = ", ".join(f"{name}=NULL" for name in (*_MEASURED, "artefacts"))
_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    suite TEXT NOT NULL,
    started TEXT NOT NULL,
    ended TEXT,
    status TEXT NOT NULL,
    git TEXT NOT NULL,
    code TEXT NOT NULL,
    host TEXT NOT NULL,
    seed INTEGER NOT NULL,
    total INTEGER NOT NULL,
    settings TEXT NOT NULL,
    facts TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS items (
    run INTEGER NOT NULL REFERENCES runs(id),
    idx INTEGER NOT NULL,
    key TEXT NOT NULL,
    design TEXT NOT NULL,
    case_name TEXT NOT NULL,
    params TEXT NOT NULL,
    seed INTEGER NOT NULL,
    spec TEXT NOT NULL,
    status TEXT,
    cycles INTEGER,
    sim_ps INTEGER,
    wall_s REAL,
    compared INTEGER,
    trace_hash TEXT,
    mismatch TEXT,
    result TEXT,
    artefacts TEXT,
    PRIMARY KEY (run, idx)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS coverage (
    run INTEGER NOT NULL REFERENCES runs(id),
    point TEXT NOT NULL,
    hits INTEGER NOT NULL,
    PRIMARY KEY (run, point)
) WITHOUT ROWID;
"""
_OBLIGATIONS = """
CREATE TABLE IF NOT EXISTS obligations (
    run INTEGER NOT NULL REFERENCES runs(id),
    design TEXT NOT NULL,
    kind TEXT NOT NULL,
    place TEXT NOT NULL,
    what TEXT NOT NULL,
    met INTEGER NOT NULL,
    how TEXT NOT NULL,
    waived TEXT,
    PRIMARY KEY (run, design, kind, place, what)
)
"""
_INDEXES = (
    "CREATE INDEX IF NOT EXISTS items_history ON items (key, run, status, cycles, sim_ps, wall_s, compared)",
    f"CREATE INDEX IF NOT EXISTS items_bad ON items (run, idx) WHERE {BAD}",
    "DROP INDEX IF EXISTS items_by_key",
)
"""The history of all cases is read from the first index alone. The last one is of earlier versions, and in the first."""


def regress_root() -> Path:
    """The folder of everything that regressions leave."""
    return build_root() / "regress"


@dataclass(frozen=True)
class Run:
    """A run as it is recorded.

    Attributes:
        id: its number.
        suite: name or file.
        started, ended: UTC, ISO 8601; ``ended`` None while it has not.
        status: ``running``, ``stopped`` (Ctrl-C, ``--fail-fast``, a full disk: it can be resumed), ``pass``, ``recorded`` (every
            case is the same as recorded), ``fail``, ``limited`` (nothing failed, the budget left cases out), or ``incomplete``
            (merged, and results are missing).
        git: revision, with ``+`` behind it when files had been changed.
        code: hash of Goldbeat's own sources.
        host: where its master ran.
        seed: the first one.
        total: number of items.
        settings: of the command line; under ``files`` what the results depend on
        (:mod:`goldbeat.tb.regress.revision`), under ``mixed``
            what had changed when the run went on all the same.
        facts: what is known at the end: builds made, seconds and so on.
    """

    id: int
    suite: str
    started: str
    ended: str | None
    status: str
    git: str
    code: str
    host: str
    seed: int
    total: int
    settings: Mapping[str, Any]
    facts: Mapping[str, Any]

    @property
    def folder(self) -> Path:
        """Where its reports and artefacts lie."""
        return regress_root() / f"run-{self.id}"

    def repeat(self, key: str, *, waves: bool = True) -> str:
        """The command that runs one item again."""
        return shlex.join(["goldbeat", "rerun", f"{self.id}/{key}", *(["--waves"] if waves else [])])

    def repeat_with_batch(self, key: str) -> str:
        """The command that runs one item again after what its simulator process had run before it."""
        return shlex.join(["goldbeat", "rerun", f"{self.id}/{key}", "--with-batch"])

    @property
    def title(self) -> str:
        """The suite, and which part of it."""
        part = self.settings.get("shard")
        return self.suite if part is None else f"{self.suite}, shard {part['number']}/{part['count']}"

    @property
    def missing(self) -> list[str]:
        """What a merged run lacks, for people."""
        merged = self.settings.get("merged")
        return [] if merged is None else MergedSettings.model_validate(merged).lines

    @property
    def left_out(self) -> int:
        """Cases that a budget has left out."""
        return int(self.facts.get("left_out", 0))

    @property
    def limits(self) -> list[str]:
        """What a budget has left out, for people."""
        if not self.left_out:
            return []
        budget = self.facts.get("budget_s")
        of = f"the budget of {budget:g} s" if budget else "the budget"
        return [f"left out: {self.left_out} of {self.total} cases; {of} was over"]

    @property
    def mixture(self) -> list[str]:
        """What makes it incomplete, or a run of several versions, for people; empty for most."""
        said = [*self.missing, *self.limits]
        said += [
            f"went on at git {one['git']} with changes in {', '.join(one['changed'])}: results are of several versions"
            for one in self.settings.get("mixed", ())
        ]
        if meanwhile := self.facts.get("changed_meanwhile"):
            said.append(f"changed during the run: {', '.join(meanwhile)}; results may be of both versions")
        return said


_RUN = TypeAdapter(Run)


class LastRuns(NamedTuple):
    """The newest runs with a verdict on a case.

    Attributes:
        last: with any verdict; a case that was killed from outside has none.
        passed: in which it passed; None: in none.
    """

    last: int
    passed: int | None


@dataclass(frozen=True)
class Row:
    """An item and its result, None when there is none yet; artefacts by name, relative to the run's folder."""

    item: Item
    result: ItemResult | None
    artefacts: Mapping[str, str]


class PastCase(NamedTuple):
    """What the results of a case come to.

    Attributes:
        key: the case.
        results, killed, passed: how many there are, were killed from outside, and pass.
        seconds: wall time of those that were not killed.
        last_pass: the newest run that passes; None: none does.
        cycles, sim_ps, compared: of that run.
    """

    key: str
    results: int
    killed: int
    passed: int
    seconds: float
    last_pass: int | None
    cycles: int
    sim_ps: int
    compared: int


class DiskFullError(ToolError):
    """There is no room to write; the run can be resumed when there is."""


@contextmanager
def _plain_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except DatabaseFullError as error:
        raise DiskFullError(str(error)) from error
    except sqlite3.OperationalError as error:
        if "full" in str(error) or "disk I/O" in str(error):
            raise DiskFullError(f"{path}: {error}") from error
        if "locked" in str(error):
            raise ToolError(
                f"{path}: locked by another process for {_BUSY_S:g} s; continue the run with --resume"
            ) from error
        raise ToolError(f"{path}: {error}") from error
    except ValidationError as error:
        # Of the columns: what stands there is not what a run has written.
        wrong = first_mistake(error)
        raise InputError(wrong.found, f"a file of results ({wrong.expected})", file=path) from error
    except (sqlite3.DatabaseError, TypeError, ValueError) as error:
        raise InputError(str(error), "a file of results", file=path) from error


@contextmanager
def _transaction(base: sqlite3.Connection | PostgresBase) -> Iterator[None]:
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
        base.execute("COMMIT")
    except BaseException:
        if base.in_transaction:
            base.execute("ROLLBACK")
        raise


def _names(folder: Path) -> set[str]:
    """What is in a folder; nothing where there is none."""
    try:
        return {entry.name for entry in folder.iterdir()}
    except FileNotFoundError:
        return set()


class Store:
    """The results of a project.

    Args:
        path: the file; None: ``regress/results.sqlite`` in the folder for everything made.
        read_only: change nothing, not even by making the file, so that the folder need not be writable. Without a file there are
            no runs.
    """

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        self._stack = ExitStack()
        url = store_url() if path is None else None
        self._base: sqlite3.Connection | PostgresBase
        if url is not None:
            self._base = self._open_database(url, read_only=read_only)
            return
        self.path = path or regress_root() / "results.sqlite"
        try:
            with _plain_errors(self.path):
                self._base = self._open_to_read() if read_only else self._open_to_write()
        except BaseException:
            # Whoever keeps the exception would keep the connection, and its locks, with it.
            self._stack.close()
            raise

    def _open_database(self, url: str, *, read_only: bool) -> sqlite3.Connection | PostgresBase:
        base = PostgresBase(url, read_only=read_only)
        self._stack.callback(base.close)
        self.path = Path(base.name)
        if not read_only:
            base.make_tables([*filter(str.strip, _TABLES.split(";\n")), _OBLIGATIONS, *_INDEXES], FORMAT)
        elif not base.has_tables(FORMAT):
            return self._without_runs()
        return base

    def _without_runs(self) -> sqlite3.Connection:
        base = self._connect(":memory:")
        self._make_tables(base)
        return base

    def _open_to_write(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        base = self._connect(self.path)
        # Two that start at once may not both change the mode.
        with FileLock(f"{self.path}.lock"):
            base.execute("PRAGMA journal_mode=WAL")
            base.execute("PRAGMA synchronous=FULL")
            if not self._version(base):
                self._make_tables(base)
            for statement in (_OBLIGATIONS, *_INDEXES):
                base.execute(statement)
        return base

    def _connect(self, name: Path | str) -> sqlite3.Connection:
        base = sqlite3.connect(name, timeout=_BUSY_S, isolation_level=None, uri=isinstance(name, str))
        base.row_factory = sqlite3.Row
        self._stack.callback(base.close)
        return base

    def _version(self, base: sqlite3.Connection) -> int:
        """The format; 0 for a file without tables."""
        version = int(base.execute("PRAGMA user_version").fetchone()[0])
        if version not in (0, FORMAT):
            raise InputError(
                f"results of format {version}, from another version of Goldbeat",
                f"format {FORMAT}; another GOLDBEAT_BUILD keeps the two apart",
                file=self.path,
            )
        return version

    def _open_to_read(self) -> sqlite3.Connection:
        base = self._existing() if self.path.name in _names(self.path.parent) else None
        return self._without_runs() if base is None or not self._version(base) else base

    def _existing(self) -> sqlite3.Connection:
        """The file as it is, or a copy where its folder does not let SQLite put its index of the write-ahead log beside it."""
        base = self._connect(f"{self.path.resolve().as_uri()}?mode=ro")
        # Nothing of the file's own schema runs: it may have come from anywhere.
        base.execute("PRAGMA trusted_schema=OFF")
        try:
            # Rows are wide, so the tree is deep: its upper part is read once.
            base.execute(f"PRAGMA cache_size=-{_CACHE_KB}")
            base.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return base
        except sqlite3.OperationalError:
            # What has been written and is still in the log belongs to the results: the log is copied with them.
            folder = Path(self._stack.enter_context(TemporaryDirectory(prefix="goldbeat-")))
            for suffix in ("", "-wal"):
                part = self.path.with_name(self.path.name + suffix)
                if part.is_file():
                    copyfile(part, folder / part.name)
            return self._connect(folder / self.path.name)

    @staticmethod
    def _make_tables(base: sqlite3.Connection) -> None:
        with _transaction(base):
            for statement in _TABLES.split(";\n"):
                base.execute(statement)
            base.execute(f"PRAGMA user_version={FORMAT}")

    def close(self) -> None:
        """Close the file."""
        self._stack.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _transaction(self) -> AbstractContextManager[None]:
        return nullcontext() if self._base.in_transaction else _transaction(self._base)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make everything that is written in this block one transaction."""
        with _plain_errors(self.path), _transaction(self._base):
            if isinstance(self._base, PostgresBase):
                # What is read here must be true until it is written, as it is where one at a time can write to a file.
                self._base.alone()
            yield

    @contextmanager
    def held(self, run: Run) -> Iterator[None]:
        """Hold a run for oneself, among all that write to these results.

        Raises:
            UsageError: another process is working on it.
        """
        base = self._base
        with locked(run):
            if isinstance(base, PostgresBase) and not base.hold(run.id):
                raise UsageError(f"run {run.id} is still running, on {run.host} or another machine")
            try:
                yield
            finally:
                if isinstance(base, PostgresBase) and not base.in_transaction:
                    base.release(run.id)

    # -- writing ------------------------------------------------------------------------------------------------------

    def begin(
        self,
        suite: str,
        items: Sequence[Item],
        *,
        git: str,
        code: str,
        host: str,
        seed: int,
        settings: Mapping[str, Any],
    ) -> Run:
        """Record a new run with its whole plan."""
        with _plain_errors(self.path), self._transaction():
            cursor = self._base.execute(
                "INSERT INTO runs (suite, started, status, git, code, host, seed, total, settings, facts)"
                " VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?, '{}')",
                (suite, _now(), git, code, host, seed, len(items), json.dumps(dict(settings))),
            )
            number = int(cursor.lastrowid or 0)
            self.add_items(number, items)
        return self.run(number)

    def add_items(self, run: int, items: Iterable[Item]) -> None:
        """Record items of a run's plan."""
        with _plain_errors(self.path), self._transaction():
            self._base.executemany(
                "INSERT INTO items (run, idx, key, design, case_name, params, seed, spec) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        run,
                        i.index,
                        i.key,
                        i.design,
                        i.case,
                        _json(i.params),
                        i.seed,
                        i.model_dump_json(exclude_defaults=True),
                    )
                    for i in items
                ),
            )

    def record(self, run: int, results: Iterable[ItemResult], coverage: Mapping[str, int] | None = None) -> list[int]:
        """Write results, and the coverage and obligations that belong to them, in one transaction.

        Returns:
            the items that were new; a result that is there already stays as it is.
        """
        fresh = []
        with _plain_errors(self.path), self._transaction():
            for r in results:
                cursor = self._base.execute(
                    f"UPDATE items SET {', '.join(f'{name}=?' for name in _MEASURED)}"
                    " WHERE run=? AND idx=? AND status IS NULL",
                    (
                        *(r.status.value, r.cycles, r.sim_ps, r.wall_s, r.compared, r.trace_hash),
                        *(
                            r.failures[0] if r.failures else None,
                            json.dumps({**vars(r), "obligations": ()}),
                            run,
                            r.index,
                        ),
                    ),
                )
                if r.obligations:
                    self._add_obligations(run, r.key.partition("/")[0], r.obligations)
                if cursor.rowcount:
                    fresh.append(r.index)
            if coverage and fresh:
                self.add_coverage(run, coverage)
        return fresh

    def add_coverage(self, run: int, coverage: Mapping[str, int]) -> None:
        """Add hits of code coverage, by point."""
        with _plain_errors(self.path), self._transaction():
            self._base.executemany(
                "INSERT INTO coverage (run, point, hits) VALUES (?, ?, ?)"
                " ON CONFLICT (run, point) DO UPDATE SET hits = coverage.hits + excluded.hits",
                ((run, point, hits) for point, hits in coverage.items()),
            )

    def add_obligations(self, run: int, design: str, obligations: Iterable[Obligation]) -> None:
        """Note obligations of a design; what is noted as met stays so, unless a run refutes it."""
        with _plain_errors(self.path), self._transaction():
            self._add_obligations(run, design, obligations)

    def _add_obligations(self, run: int, design: str, obligations: Iterable[Obligation]) -> None:
        self._base.executemany(
            "INSERT INTO obligations (run, design, kind, place, what, met, how, waived) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (run, design, kind, place, what) DO UPDATE SET met = excluded.met, how = excluded.how"
            " WHERE excluded.met > obligations.met",
            ((run, design, o.kind, o.place, o.what, o.weight, o.how, o.waived) for o in obligations),
        )

    def artefacts(self, run: int, index: int, artefacts: Mapping[str, str]) -> None:
        """Note where files of an item lie, by name, relative to the run's folder."""
        with _plain_errors(self.path), self._transaction():
            self._base.execute("UPDATE items SET artefacts=? WHERE run=? AND idx=?", (_json(artefacts), run, index))

    def end(self, run: int, status: str, facts: Mapping[str, Any]) -> None:
        """Note how a run ended."""
        with _plain_errors(self.path), self._transaction():
            self._base.execute(
                "UPDATE runs SET status=?, ended=?, facts=? WHERE id=?", (status, _now(), _json(facts), run)
            )

    def forget_killed(self, run: int, items: Iterable[int]) -> None:
        """Note that those of some items that were killed from outside have no result from now on."""
        with _plain_errors(self.path), self._transaction():
            self._base.executemany(
                f"UPDATE items SET {_CLEARED} WHERE run=? AND idx=? AND status='killed'", ((run, i) for i in items)
            )

    def again(self, run: int) -> None:
        """Note that a run goes on; what was killed from outside has no result from now on."""
        with _plain_errors(self.path), self._transaction():
            self._base.execute(f"UPDATE items SET {_CLEARED} WHERE run=? AND status='killed'", (run,))
            self._base.execute("UPDATE runs SET status='running', ended=NULL WHERE id=?", (run,))

    def drop_left(self, run: int) -> None:
        """Take the items without a result out of a run's plan."""
        with _plain_errors(self.path), self._transaction():
            self._base.execute("DELETE FROM items WHERE run=? AND status IS NULL", (run,))
            self._base.execute("UPDATE runs SET total=(SELECT count(*) FROM items WHERE run=id) WHERE id=?", (run,))

    def settle(self, run: int, settings: Mapping[str, Any]) -> None:
        """Replace what is known of how a run was begun."""
        with _plain_errors(self.path), self._transaction():
            self._base.execute("UPDATE runs SET settings=? WHERE id=?", (json.dumps(dict(settings)), run))

    def restate(self, run: Run) -> None:
        """Replace everything that is known of a merged run, except for its items, its suite and its code."""
        values = (
            run.started,
            run.ended,
            run.status,
            run.total,
            json.dumps(dict(run.settings)),
            _json(run.facts),
            run.git,
            run.id,
        )
        with _plain_errors(self.path), self._transaction():
            self._base.execute(
                "UPDATE runs SET started=?, ended=?, status=?, total=?, settings=?, facts=?, git=? WHERE id=?", values
            )

    # -- reading ------------------------------------------------------------------------------------------------------

    def check_foreign(self) -> None:
        """Refuse a file of another machine that is damaged, or has more than tables.

        Raises:
            InputError: it is, or has.
        """
        with self._selected("PRAGMA quick_check(1)") as rows:
            said = str(rows.fetchone()[0])
        if said != "ok":
            raise InputError(said.splitlines()[0], "a whole file of results", file=self.path)
        with self._selected("SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index')") as rows:
            more = rows.fetchone()
        if more is not None:
            raise InputError(f"the {more[0]} {more[1]!r}", "tables only", file=self.path)

    def digest(self, run: int) -> str:
        """A hash over all results of a run."""
        found = hashlib.sha256()
        with self._selected("SELECT idx, result FROM items WHERE run=? ORDER BY idx", run) as rows:
            for row in rows:
                found.update(f"{row[0]} {row[1]}\n".encode())
        return found.hexdigest()[:16]

    def run(self, number: int) -> Run:
        """A run by its number.

        Raises:
            UsageError: there is none.
        """
        found = self._runs("WHERE id=?", number)
        if not found:
            raise UsageError(f"there is no run {number}; `goldbeat history` lists them")
        return found[0]

    def runs(self, *, suite: str | None = None, last: int = 20) -> list[Run]:
        """Runs, the newest first."""
        if suite is None:
            return self._runs("ORDER BY id DESC LIMIT ?", _limit(last))
        return self._runs("WHERE suite=? ORDER BY id DESC LIMIT ?", suite, _limit(last))

    def unfinished(self, suite: str | None, number: int | None = None) -> Run:
        """A run that has not ended, or has ended with items that something outside has killed.

        Args:
            suite: it must be of this one; None: of any.
            number: the run's; None: the newest.

        Raises:
            UsageError: there is none, or it is of another suite.
        """
        if number is not None:
            run = self.run(number)
            if run.status == INCOMPLETE:
                raise UsageError(f"run {number} lacks results of other machines; `goldbeat merge` adds them")
            # What a budget has left out runs for those who ask for this run.
            where = f"AND {LEFT}" if run.facts.get("left_out") else "AND status='killed'"
            if run.status not in ("running", "stopped") and not self.rows(number, where, most=1):
                raise UsageError(f"run {number} has already ended ({run.status})")
            if "merged" in run.settings:
                raise UsageError(f"run {number} is merged from shards; resume those, and merge them again")
            if suite not in (None, run.suite):
                raise UsageError(f"run {number} is of the suite {run.suite}, not of {suite}")
            return run
        killed = f"SELECT 1 FROM items WHERE run=runs.id AND status='killed' AND runs.status!='{INCOMPLETE}'"
        where = f"WHERE (status IN ('running', 'stopped') OR EXISTS ({killed}))"
        found = (
            self._runs(f"{where} ORDER BY id DESC LIMIT 1")
            if suite is None
            else self._runs(f"{where} AND suite=? ORDER BY id DESC LIMIT 1", suite)
        )
        if not found:
            raise UsageError("there is no run to resume" + (f" of suite {suite}" if suite else ""))
        return found[0]

    def _runs(self, where: str, *values: Any) -> list[Run]:
        with _plain_errors(self.path):
            rows = self._base.execute(f"SELECT * FROM runs {where}", values).fetchall()
            return [
                _RUN.validate_python(
                    {**dict(r), "settings": read_settings(r["settings"]), "facts": read_facts(r["facts"])}
                )
                for r in rows
            ]

    def rows(self, run: int, where: str = "", *values: Any, most: int = -1) -> list[Row]:
        """The items of a run with their results, in the plan's order; ``most`` of them, all if negative."""
        with _plain_errors(self.path):
            found = self._base.execute(
                f"SELECT spec, result, artefacts FROM items WHERE run=? {where} ORDER BY idx LIMIT ?",
                (run, *values, _limit(most)),
            ).fetchall()
            return [
                Row(Item.model_validate_json(r["spec"]), read_result(r["result"]), read_artefacts(r["artefacts"]))
                for r in found
            ]

    def items(self, run: int) -> list[Item]:
        """The items of a run without their results, in the plan's order."""
        with self._selected("SELECT spec FROM items WHERE run=? ORDER BY idx", run) as rows:
            return [Item.model_validate_json(row["spec"]) for row in rows]

    def numbers(self, run: int) -> set[int]:
        """The numbers of a run's items."""
        with self._selected("SELECT idx FROM items WHERE run=?", run) as rows:
            return {row["idx"] for row in rows}

    def left(self, run: int) -> list[int]:
        """The numbers of a run's items without a result."""
        with self._selected("SELECT idx FROM items WHERE run=? AND status IS NULL ORDER BY idx", run) as rows:
            return [row["idx"] for row in rows]

    @contextmanager
    def _selected(self, query: str, *values: Any) -> Iterator[Any]:
        """Rows one at a time. An error that somebody keeps must not keep the file locked, so the cursor does not wait for it."""
        with _plain_errors(self.path), closing(self._base.execute(query, values)) as rows:
            yield rows

    def briefs(self, run: int) -> list[Brief]:
        """The items of a run in short, in the plan's order."""
        with self._selected(f"SELECT {COLUMNS} FROM items WHERE run=? ORDER BY idx", run) as rows:
            return [read_brief(tuple(row)) for row in rows]

    def passed_params(self, run: int, design: str) -> list[dict[str, Any]]:
        """The sets of parameter values, as differences from the cases', with which cases of a design pass."""
        with self._selected(
            "SELECT DISTINCT params FROM items WHERE run=? AND design=? AND status='pass'", run, design
        ) as found:
            return [json.loads(row["params"]) for row in found]

    def measured(self, run: int, *, waived: bool = False) -> Iterator[ItemFigures]:
        """The figures of every result of a run, one at a time, in the plan's order; ``waived``: only of those with waivers."""
        where = """AND result LIKE '%"waived": {"%'""" if waived else ""
        with self._selected(
            f"SELECT idx, design, status, result FROM items WHERE run=? AND result IS NOT NULL {where} ORDER BY idx",
            run,
        ) as rows:
            yield from read_measured(tuple(row) for row in rows)

    def past(self, first: int, last: int, suite: str | None = None) -> list[PastCase]:
        """What the results of every case come to, from one run to another, and of one suite."""
        of_suite = "" if suite is None else "AND run IN (SELECT id FROM runs WHERE suite=?)"
        # A sign keeps SQLite from the table, which is sorted by runs and wide, where the index of all cases is read sooner.
        number = "+run" if last < _SHARE * (last - first + 1) else "run"
        good = "status IN ('pass', 'recorded')"
        with self._selected(
            "SELECT c.key, c.results, c.killed, c.passed, c.seconds, c.last_pass, coalesce(i.cycles, 0),"
            " coalesce(i.sim_ps, 0), coalesce(i.compared, 0) FROM (SELECT key, count(*) AS results,"
            " sum(CASE WHEN status='killed' THEN 1 ELSE 0 END) AS killed,"
            f" sum(CASE WHEN {good} THEN 1 ELSE 0 END) AS passed,"
            " sum(CASE WHEN status='killed' THEN 0 ELSE coalesce(wall_s, 0) END) AS seconds,"
            f" max(CASE WHEN {good} THEN run END) AS last_pass"
            f" FROM items WHERE {number} BETWEEN ? AND ? AND status IS NOT NULL {of_suite} GROUP BY key) AS c"
            " LEFT JOIN items AS i ON i.key = c.key AND i.run = c.last_pass ORDER BY c.key",
            first,
            last,
            *(() if suite is None else (suite,)),
        ) as rows:
            return [PastCase(*row) for row in rows]

    def statuses(self, case: str, first: int) -> list[tuple[int, str]]:
        """The status of a case in every run that has a result of it, from a run on."""
        query = "SELECT run, status FROM items WHERE key=? AND run >= ? AND status IS NOT NULL ORDER BY run"
        with self._selected(query, case, first) as rows:
            return [(int(run), str(status)) for run, status in rows]

    def failed_since(self, first: int) -> Iterator[tuple[int, str, str, str, str]]:
        """Run, case, design, status and first mismatch of everything that does not pass, from a run on."""
        with self._selected(
            f"SELECT run, key, design, status, coalesce(substr(mismatch, 1, {MOST_TEXT}), '') FROM items"
            f" WHERE {BAD} AND run >= ? ORDER BY run, idx",
            first,
        ) as rows:
            for run, key, design, status, mismatch in rows:
                yield int(run), str(key), str(design), Status(status).value, str(mismatch).partition("\n")[0]

    def fails_in(self, cases: Iterable[str], first: int, end: int) -> bool:
        """Whether a case has a result that does not pass in a run from ``first`` on, before ``end``."""
        query = f"SELECT 1 FROM items WHERE key=? AND run >= ? AND run < ? AND {BAD} LIMIT 1"
        with _plain_errors(self.path):
            return any(self._base.execute(query, (case, first, end)).fetchone() is not None for case in cases)

    def results_of(self, case: str, runs: Sequence[int]) -> list[tuple[int, str, str]]:
        """Run, item and result of one case, as they are recorded, in some runs."""
        places = ", ".join("?" * len(runs))
        query = (
            f"SELECT run, spec, result FROM items WHERE key=? AND run IN ({places}) AND result IS NOT NULL ORDER BY run"
        )
        with self._selected(query, case, *runs) as rows:
            return [(int(run), str(spec), str(result)) for run, spec, result in rows]

    def passed(self, run: int, most: int) -> Iterator[PassedItem]:
        """The first items of a run that pass, with what is held against other runs, one at a time."""
        with self._selected(
            "SELECT key, design, case_name, coalesce(cycles, 0), result FROM items"
            " WHERE run=? AND status IN ('pass', 'recorded') ORDER BY idx LIMIT ?",
            run,
            most,
        ) as rows:
            yield from read_passed(tuple(row) for row in rows)

    def bad(self, run: int, most: int) -> list[Row]:
        """The first items of a run that do not pass, whole."""
        return self.rows(run, "AND status NOT IN ('pass', 'recorded')", most=most)

    def find(self, run: int, case: str) -> Row:
        """An item of a run by its key or its number.

        Raises:
            UsageError: there is none, or a part of a key fits several.
        """
        found = self.rows(run, "AND key=?", case)
        if not found and case.isdigit():
            found = self.rows(run, "AND idx=?", int(case))
        if not found:
            raise UsageError(f"run {run} has no case {case!r}; `goldbeat show {run}` lists them")
        return found[0]

    def last_with(self, case: str) -> int:
        """The newest run that has a case.

        Raises:
            UsageError: none has.
        """
        with _plain_errors(self.path):
            (found,) = self._base.execute("SELECT max(run) FROM items WHERE key=?", (case,)).fetchone() or (None,)
        if found is None:
            raise UsageError(f"no run has a case {case!r}")
        return int(found)

    def seeds(self, group: str, run: int | None = None) -> set[int]:
        """The seeds of a case, by its key without the seed, in the plan of one run or of any."""
        where, values = ("", ()) if run is None else (" AND run=?", (run,))
        # What comes after what depends on the database, so no range is asked for.
        query = f"SELECT DISTINCT key FROM items WHERE substr(key, 1, ?)=?{where}"
        with self._selected(query, len(group) + 1, f"{group}#", *values) as rows:
            seeds = (str(row["key"]).rpartition("#")[2] for row in rows)
            return {int(seed) for seed in seeds if seed.isdecimal()}

    def last_runs(self) -> dict[str, LastRuns]:
        """The newest runs with a verdict, by case."""
        with self._selected(
            "SELECT key, max(run), max(CASE WHEN status IN ('pass', 'recorded') THEN run END) FROM items"
            " WHERE status IS NOT NULL AND status != 'killed' GROUP BY key"
        ) as rows:
            return {str(key): LastRuns(int(last), passed) for key, last, passed in rows}

    def counts(self, run: int) -> dict[str, int]:
        """How many items have which status; ``None`` ones under ``open``."""
        with _plain_errors(self.path):
            rows = self._base.execute(
                "SELECT coalesce(status, 'open'), count(*) FROM items WHERE run=? GROUP BY 1", (run,)
            ).fetchall()
        return {str(r[0]): int(r[1]) for r in rows}

    def seconds(self) -> dict[str, float]:
        """What an item of a group took on average in the last runs, by the key without the seed."""
        with _plain_errors(self.path):
            rows = self._base.execute(
                "SELECT design || '/' || case_name, params, avg(wall_s) FROM items"
                " WHERE run > (SELECT coalesce(max(id), 0) - 3 FROM runs) AND status IS NOT NULL GROUP BY 1, 2"
            ).fetchall()
        return {f"{r[0]} {r[1]}": float(r[2]) for r in rows}

    def obligations(self, run: int) -> Obligations:
        """What the designs of a run have tried, and what not; none of a run of an earlier version."""
        with _plain_errors(self.path):
            if not self._has_obligations():
                return Obligations({})
            rows = self._base.execute(
                "SELECT design, kind, place, what, met, how, waived FROM obligations WHERE run=? ORDER BY design, rowid",
                (run,),
            ).fetchall()
            found: dict[str, list[Obligation]] = {}
            for design, kind, place, what, weight, how, waived in rows:
                if kind not in KINDS:
                    raise ValueError(f"an obligation of kind {kind!r}")
                one = Obligation(kind, place, what, weight == 1, how, waived, refuted=weight == 2)
                found.setdefault(design, []).append(one)
            return Obligations(found).merged()

    def _has_obligations(self) -> bool:
        """False for files of earlier versions."""
        return isinstance(self._base, PostgresBase) or bool(
            self._base.execute("SELECT 1 FROM sqlite_master WHERE name='obligations'").fetchone()
        )

    def coverage(self, run: int) -> dict[str, int]:
        """Merged code coverage by point."""
        with _plain_errors(self.path):
            return dict(self._base.execute("SELECT point, hits FROM coverage WHERE run=?", (run,)).fetchall())


def _limit(most: int) -> int:
    """All if negative, in the SQL of every database."""
    return most if most >= 0 else 1 << 62


def timing_name(item: Item) -> str:
    """What :meth:`Store.seconds` calls an item's group."""
    return f"{item.design}/{item.case} {_json(item.params)}"


def locked(run: Run) -> FileLock:
    """Hold a run for oneself.

    Raises:
        UsageError: another process is working on it.
    """
    run.folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(run.folder / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise UsageError(f"run {run.id} is still running in another process") from None
    return lock


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), sort_keys=True, default=list)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
