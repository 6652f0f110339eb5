# SPDX-License-Identifier: Apache-2.0
"""Where a fault happens: a project of its own, the commands that run in it, and what must be true when all is over."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
import traceback
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from goldbeat.tb import orphan_guard
from goldbeat.tb.cli import starting
from goldbeat.tb.regress.pool import NAME as WORKER

REPOSITORY = Path(__file__).resolve().parents[2]
PLACE = Path(os.environ.get("GOLDBEAT_BUILD", REPOSITORY / "build")).resolve() / "attack"
"""Everything that attacks make."""
MOODY = PLACE / "bench" / "moody.py"
"""A copy of the tests' design with moods: nobody edits it while an attack goes on."""
SITE = Path(__file__).resolve().parent / "site"
"""A ``sitecustomize`` that makes processes fail from inside."""
MARK = "GOLDBEAT_ATTACK"
"""In the environment of everything that a fault has started: names its arena."""
LIMIT_S = 300.0
"""Wall time for one command: longer is a hang. Generous, since the machine may be busy."""
GONE_S = 30.0
"""For processes to end with their parent."""
_KNOWN = {"sim", "runtime", "blobs", "jobs", "regress", "runs", "farm", "dask"}

Ends = dict[int, tuple[Any, ...]]
"""By seed: status, cycles, trace hash and values compared."""


class BrokenError(Exception):
    """What was promised did not come true."""


class Said(NamedTuple):
    """How a command ended; below 0: by that signal."""

    code: int
    out: str
    err: str


def demand(condition: object, text: str) -> None:
    """Something that must be so."""
    if not condition:
        raise BrokenError(text)


def until(condition: Callable[[], Any], what: str, limit_s: float = 120.0) -> Any:
    """Wait for something to be true and give it."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise BrokenError(f"never happened: {what}")


# -- processes ----------------------------------------------------------------------------------------------------------


def children(pid: int) -> list[int]:
    """The processes below one, at any depth."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, task.read_text().split()):
                found += [child, *children(child)]
    return found


def words(pid: int) -> str:
    """A process's command line."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def alive(pid: int) -> bool:
    """It runs, or is stopped; a process that only waits to be collected is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def comm(pid: int) -> str:
    """The name that a process has given itself; empty when it has gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().rstrip("\n")
    except OSError:
        return ""


def strike(pid: int, number: int) -> bool:
    """Send a signal; False where the process has just gone."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


class Command:
    """A ``goldbeat`` that runs."""

    def __init__(self, arena: Arena, pid: int, number: int) -> None:
        self.arena, self.pid, self._number = arena, pid, number
        self.out = arena.folder / f"out-{number}"
        self._code: int | None = None
        self.seen: set[int] = set()

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        if self._code is None:
            self.seen.update(children(self.pid))
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def running(self) -> bool:
        """It has not ended."""
        return self.poll() is None

    def workers(self) -> list[int]:
        """Its worker processes."""
        return [p for p in children(self.pid) if comm(p) == WORKER]

    def simulators(self) -> list[int]:
        """The simulators that run for it."""
        found = []
        for pid in children(self.pid):
            with suppress(OSError):
                if Path(f"/proc/{pid}/exe").readlink().name == "sim":
                    found.append(pid)
        return found

    def compilers(self) -> list[int]:
        """The compilers that run for it."""
        return [p for p in children(self.pid) if "cc1plus" in words(p)]

    def one_of(self, find: Callable[[], list[int]]) -> int | None:
        """The first process that is found, or None when the command ends before."""
        while self.running():
            if found := find():
                return found[0]
            time.sleep(0.01)
        return None

    def wait(self, limit_s: float = LIMIT_S) -> Said:
        """Its end."""
        end = time.monotonic() + limit_s
        while self.running():
            if time.monotonic() > end:
                tree = [words(p)[-120:] for p in (self.pid, *children(self.pid))]
                raise BrokenError(f"hangs after {limit_s:g} s: {tree}; {self._text('err')[-600:]}")
            time.sleep(0.02)
        code = self.poll()
        assert code is not None
        return Said(code, self._text("out"), self._text("err"))

    def _text(self, name: str) -> str:
        return (self.arena.folder / f"{name}-{self._number}").read_bytes().decode(errors="backslashreplace")


# -- the project --------------------------------------------------------------------------------------------------------


class Arena:
    """A project and its build folder, for one fault.

    Args:
        folder: for everything; it must not exist.
        cache: a build folder whose simulators are used.
        own_cache: copy them, to damage them.
    """

    def __init__(self, folder: Path, cache: Path, *, own_cache: bool = False) -> None:
        self.folder, self.cache = folder, cache
        self.build, self.project, self.tmp = folder / "build", folder / "project", folder / "tmp"
        for path in (self.build, self.project, self.tmp):
            path.mkdir(parents=True)
        for name in ("sim", "runtime"):
            if own_cache:
                # Whoever damages a file puts another one in its place: what is linked stays whole.
                shutil.copytree(cache / name, self.build / name, copy_function=os.link)
            else:
                (self.build / name).symlink_to(cache / name)
        self._number = 0
        self._started: list[Command] = []
        self._mounts: list[Path] = []
        self.allowed: set[str] = set()

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Of every command."""
        own = {
            "GOLDBEAT_BUILD": str(self.build),
            "GOLDBEAT_CACHE": str(self.build),
            "TMPDIR": str(self.tmp),
            "COLUMNS": "300",
            MARK: str(self.folder),
            "PYTHONPATH": os.pathsep.join([str(SITE), str(REPOSITORY / "src")]),
        }
        return {**os.environ, **own, **(more or {})}

    def start(
        self, *arguments: object, fresh: bool = False, closed: bool = False, more: Mapping[str, str] | None = None
    ) -> Command:
        """Start ``goldbeat ARGUMENTS``.

        Args:
            arguments: of the command.
            fresh: as a program of its own; otherwise as a fork of this process, which has imported everything already.
            closed: nobody reads what it prints.
            more: environment variables.
        """
        line = [str(a) for a in arguments]

        def call() -> None:
            if fresh:
                os.execve(sys.executable, [sys.executable, "-m", "goldbeat.tb.cli", *line], self.environment(more))
            sys.argv = ["goldbeat", *line]
            from goldbeat.tb.cli import main

            main()

        return self.fork(call, closed=closed, more=more)

    def fork(self, call: Callable[[], None], *, closed: bool = False, more: Mapping[str, str] | None = None) -> Command:
        """Call something in a fork of this process, as a command; see :meth:`start`."""
        files = [self.folder / f"{name}-{self._number}" for name in ("out", "err")]
        for path in files:
            path.touch()
        # Ctrl-C waits until the fork is a command.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        slot, pid = os.getpid(), os.fork()
        if not pid:
            orphan_guard.end_with(slot)
            _become(call, self.project, self.environment(more), files, closed)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        command = Command(self, pid, self._number)
        self._number += 1
        self._started.append(command)
        return command

    def goldbeat(self, *arguments: object, **options: Any) -> Said:
        """Run ``goldbeat ARGUMENTS`` to its end."""
        return self.start(*arguments, **options).wait()

    def suite(self, *, seeds: int = 8, moods: str = "", timeout_s: float = 120, **options: object) -> Path:
        """A suite of the design with moods."""
        lines = [f"seeds = {seeds}", f"timeout_s = {timeout_s}", "[[run]]", f"designs = [{json.dumps(str(MOODY))}]"]
        lines += ["[run.options]", *(f"{k} = {json.dumps(v)}" for k, v in {"moods": moods, **options}.items())]
        path = self.project / "suite.toml"
        path.write_text("\n".join(lines) + "\n")
        return path

    # -- results ----------------------------------------------------------------------------------------------------

    def ends(self, run: int = 1) -> Ends:
        """The results of a run so far; the file must be whole, and no case there twice."""
        path = self.build / "regress" / "results.sqlite"
        if not path.is_file():
            return {}
        base = sqlite3.connect(path, timeout=60)
        try:
            demand(base.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "the file of results is damaged")
            rows = base.execute(
                "SELECT seed, status, cycles, trace_hash, compared FROM items WHERE run=? AND status IS NOT NULL",
                (run,),
            ).fetchall()
        except sqlite3.OperationalError:
            # Killed before the tables were made.
            return {}
        finally:
            base.close()
        demand(len({row[0] for row in rows}) == len(rows), f"a case is there twice: {rows}")
        return {row[0]: tuple(row[1:]) for row in rows}

    def why(self, run: int = 1) -> dict[int, str]:
        """The first failure of each case of a run that does not pass, by seed."""
        base = sqlite3.connect(self.build / "regress" / "results.sqlite", timeout=60)
        try:
            rows = base.execute("SELECT seed, mismatch FROM items WHERE run=? AND status<>'pass'", (run,)).fetchall()
        finally:
            base.close()
        return {seed: str(text) for seed, text in rows}

    def runs(self) -> int:
        """How many runs are recorded."""
        path = self.build / "regress" / "results.sqlite"
        if not path.is_file():
            return 0
        base = sqlite3.connect(path, timeout=60)
        try:
            return int(base.execute("SELECT count(*) FROM runs").fetchone()[0])
        except sqlite3.OperationalError:
            return 0
        finally:
            base.close()

    # -- places -----------------------------------------------------------------------------------------------------

    @contextmanager
    def mounted(self, where: Path, *options: str) -> Iterator[None]:
        """Mount something; only root can."""
        where.mkdir(exist_ok=True)
        subprocess.run(["mount", *options, str(where)], check=True)
        self._mounts.append(where)
        try:
            yield
        finally:
            subprocess.run(["umount", "-l", str(where)], check=False)
            self._mounts.remove(where)

    # -- the end ----------------------------------------------------------------------------------------------------

    def orphans(self) -> list[int]:
        """Processes of this arena that are still there."""
        mark = f"{MARK}={self.folder}\0".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and int(entry.name) != os.getpid():
                with suppress(OSError):
                    if mark in (entry / "environ").read_bytes() and alive(int(entry.name)):
                        found.append(int(entry.name))
        # A fork shows the environment of who forked it; those that it started are marked.
        seen = {p for command in self._started for p in (command.pid, *command.seen)}
        mine = {p for p in seen if alive(p) and str(self.folder) in _folder(p)}
        return sorted({*found, *mine})

    def settle(self) -> None:
        """Demand that nothing is left: no process, no job, no scratch, no socket, no temporary file, no strange name."""
        with suppress(BrokenError):
            until(lambda: not self.orphans(), "processes end", GONE_S)
        left = [f"{p}: {words(p)[-160:]}" for p in self.orphans()]
        demand(not left, f"orphan processes: {left}")
        jobs = self.build / "jobs"
        leftovers = [p for p in jobs.iterdir() if p.is_dir()] if jobs.is_dir() else []
        leftovers += list((self.build / "sim").glob("*.part"))
        leftovers += list(self.tmp.iterdir())
        leftovers += [p for p in self.build.iterdir() if p.name not in _KNOWN | self.allowed]
        leftovers += [p for p in self.folder.rglob("*") if stat.S_ISSOCK(p.lstat().st_mode)]
        leftovers += list((self.build / "regress").glob("*.sqlite-journal"))
        demand(not leftovers, f"left behind: {[str(p.relative_to(self.folder)) for p in leftovers]}")

    def destroy(self) -> None:
        """End and remove everything, whatever happened."""
        for pid in self.orphans():
            strike(pid, signal.SIGKILL)
        for command in self._started:
            with suppress(ChildProcessError):
                if command.running():
                    strike(command.pid, signal.SIGKILL)
                    os.waitpid(command.pid, 0)
        for where in reversed(self._mounts):
            subprocess.run(["umount", "-l", str(where)], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def _folder(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/cwd").readlink())
    except OSError:
        return ""


def _become(
    call: Callable[[], None], folder: Path, environment: dict[str, str], files: list[Path], closed: bool
) -> None:
    """Turn this fork into a command; does not come back."""
    code: Any = 1
    try:
        os.setpgid(0, 0)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        # Imports are over here; Ctrl-C is Goldbeat's from the beginning all the same.
        starting.begin(is_command=True)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        os.chdir(folder)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        for number, path in enumerate(files, 1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        if closed:
            ours, theirs = os.pipe()
            os.dup2(theirs, 1)
            os.close(ours)
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None
        sys.path.append(str(SITE))
        sys.stdout, sys.stderr = (os.fdopen(n, "w", encoding="utf-8", closefd=False) for n in (1, 2))
        # Worker processes would import the attack again.
        sys.modules["__main__"] = types.ModuleType("__main__")
        call()
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
