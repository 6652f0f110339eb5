# SPDX-License-Identifier: Apache-2.0
"""The results of many masters in one PostgreSQL database: a connection that takes the SQL text of the SQLite file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from goldbeat.pymodels.errors import InputError, ToolError, UsageError
from goldbeat.tb.extras import need_module

if TYPE_CHECKING:
    from psycopg import Cursor

STORE = "GOLDBEAT_STORE"
"""This variable of the environment has the address of the database; without it, results go to a file."""
_SCHEMES = ("postgresql://", "postgres://")
_LOCKS = 0x601D
"""Class of the advisory locks: of a run by its number, and of changes that must not overlap under 0."""
_CONNECT_S = 10
_TYPES = (
    ("INTEGER PRIMARY KEY AUTOINCREMENT", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    (" INTEGER", " BIGINT"),
    (" REAL", " DOUBLE PRECISION"),
    (" WITHOUT ROWID", ""),
    ("CREATE TABLE IF NOT EXISTS obligations (", "CREATE TABLE IF NOT EXISTS obligations (rowid BIGSERIAL,"),
)
"""What tables are called here. The order of obligations is that of their rows."""


class DatabaseFullError(ToolError):
    """The server has no room to write."""


def store_url() -> str | None:
    """The address of the database; None: results go to a file.

    Raises:
        UsageError: it is none of PostgreSQL.
    """
    url = os.environ.get(STORE)
    if not url:
        return None
    if not url.startswith(_SCHEMES):
        # The text may hold a password.
        raise UsageError(f"{STORE}: expected postgresql://USER@HOST/DATABASE")
    return url


class PostgresBase:
    """A connection with the methods of :class:`sqlite3.Connection` that the store uses.

    Args:
        url: of the database. Its password is never shown.
        read_only: refuse to change anything.

    Attributes:
        name: the database and its server, for people.

    Raises:
        ToolError: psycopg is not installed, or there is no such database.
    """

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        need_module(f"a database in {STORE}", "psycopg")
        import psycopg

        self._secrets: list[str] = []
        self.name = "PostgreSQL"
        try:
            said = psycopg.conninfo.conninfo_to_dict(url)
        except psycopg.Error:
            # The message repeats the address, with its password.
            raise UsageError(f"{STORE}: expected postgresql://USER@HOST/DATABASE") from None
        self._secrets = [str(said[key]) for key in ("password", "sslpassword") if said.get(key)]
        self.name = f"PostgreSQL database {said.get('dbname', '')} on {said.get('host', 'this machine')}"
        with self._plain():
            self._base = psycopg.connect(
                url,
                autocommit=True,
                connect_timeout=int(said.get("connect_timeout") or _CONNECT_S),
                application_name="goldbeat",
                row_factory=_rows,
                cursor_factory=_cursor_class(),
            )
        if read_only:
            self.execute("SET default_transaction_read_only = on")

    @contextmanager
    def _plain(self) -> Iterator[None]:
        """Errors of the server as ours, without the password."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            text = str(error).strip().partition("\n")[0] or type(error).__name__
            for secret in self._secrets:
                text = text.replace(secret, "***")
            kind = DatabaseFullError if isinstance(error, psycopg.errors.DiskFull) else ToolError
            raise kind(f"{self.name}: {text}") from None

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction has begun; a failed one has."""
        from psycopg.pq import TransactionStatus

        return self._base.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR)

    def execute(self, query: str, values: Sequence[Any] = ()) -> Any:
        """Execute a query with ``?`` for values; a cursor."""
        with self._plain():
            return self._base.execute(_translated(query), [_storable(v) for v in values])

    def executemany(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        """Execute a query for each row of values, without waiting for each."""
        with self._plain():
            self._base.cursor().executemany(_translated(query), [[_storable(v) for v in row] for row in rows])

    def has_tables(self, version: int) -> bool:
        """Whether the database has the tables of results.

        Raises:
            InputError: those of another version of Goldbeat, or of another program.
        """
        known = self.execute("SELECT to_regclass('goldbeat_format')").fetchone()[0] is not None
        if not known or self.execute("SELECT version FROM goldbeat_format").fetchone() is None:
            for name in ("runs", "items"):
                if self.execute("SELECT to_regclass(?)", (name,)).fetchone()[0] is not None:
                    raise InputError(f"a table {name} of another program", "a schema of its own", file=self.name)
        if not known:
            return False
        row = self.execute("SELECT version FROM goldbeat_format").fetchone()
        if row is not None and row[0] != version:
            raise InputError(f"results of format {row[0]}", f"format {version}, of this version", file=self.name)
        return row is not None

    def make_tables(self, statements: Iterable[str], version: int) -> None:
        """Make what is missing; of several masters at once, one after the other."""
        self.execute("BEGIN")
        try:
            self.alone()
            self.execute("CREATE TABLE IF NOT EXISTS goldbeat_format (version BIGINT NOT NULL)")
            if not self.has_tables(version):
                self.execute("INSERT INTO goldbeat_format VALUES (?)", (version,))
            for statement in statements:
                for ours, theirs in _TYPES:
                    statement = statement.replace(ours, theirs)
                self.execute(statement)
            self.execute("COMMIT")
        except BaseException:
            if self.in_transaction:
                self.execute("ROLLBACK")
            raise

    def alone(self) -> None:
        """Wait until no other transaction has asked for this, and keep others waiting to the end of this one."""
        self.execute("SELECT pg_advisory_xact_lock(?, 0)", (_LOCKS,))

    def hold(self, run: int) -> bool:
        """Hold a run until the connection ends; False if another master has it."""
        row = self.execute("SELECT pg_try_advisory_lock(?, ?)", (_LOCKS, run)).fetchone()
        return bool(row and row[0])

    def release(self, run: int) -> None:
        """Let others have a run."""
        self.execute("SELECT pg_advisory_unlock(?, ?)", (_LOCKS, run))

    def close(self) -> None:
        """Close the connection."""
        self._base.close()


def _translated(query: str) -> str:
    """A query of SQLite with the driver's placeholders."""
    return query.replace("BEGIN IMMEDIATE", "BEGIN").replace("%", "%%").replace("?", "%s")


def _storable(value: Any) -> Any:
    """A text without NUL, which PostgreSQL has not."""
    return value.replace("\0", "") if isinstance(value, str) else value


class _NamedRow(tuple[Any, ...]):
    """A row by number and by name, as :class:`sqlite3.Row` is."""

    names: Sequence[str]

    def keys(self) -> Sequence[str]:
        return self.names

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.names.index(key) if isinstance(key, str) else key)


def _rows(cursor: Any) -> Any:
    names = [column.name for column in cursor.description or ()]
    return type("_NamedRow", (_NamedRow,), {"names": names})


def _cursor_class() -> type[Cursor[Any]]:
    """Cursors that know the number of the row that they have inserted."""
    import psycopg

    class NumberingCursor(psycopg.Cursor[Any]):
        @property
        def lastrowid(self) -> int:
            (number,) = self.connection.execute("SELECT lastval()").fetchone() or (0,)
            return int(number)

    return NumberingCursor
