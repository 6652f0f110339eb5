# SPDX-License-Identifier: Apache-2.0
"""Worker processes of this machine, as an Executor.

The standard library's process pool gives up as a whole when one of its processes dies. Here, the death of a worker is the
failure of the one task that it had, and the next task gets a new worker. A task may also send things ahead of its result.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import select
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal, TypeVar

from goldbeat.pymodels.errors import GoldbeatError, ToolError
from goldbeat.tb import orphan_guard
from goldbeat.tb.run.time_limit import GRACE_S
from goldbeat.tb.visible import VisibleStream

NAME = "goldbeat-worker"
"""Of every worker process, as ``ps`` and ``top`` show it; at most 15 characters."""
STOPPED_S = 60.0
"""A worker that a signal has stopped for so long is ended, and others run what it had."""
_LOOK_S = 1.0
_IDLE_S = 30.0
"""A worker that has had nothing to do for so long gives up what it keeps for its next task."""

_END_S = 10.0
"""For workers that have nothing to do to end."""

_T = TypeVar("_T")
_sender: Connection | None = None
_at_idle: list[Callable[[], None]] = []


class WorkerLostError(Exception):
    """A worker process died in the middle of a task."""


class WorkerStuckError(WorkerLostError):
    """A worker process was ended in the middle of a task, since a call in it did not come back.

    Args:
        text: what happened.
        mark: as :func:`send_limit` got it.
    """

    def __init__(self, text: str, mark: Any) -> None:
        super().__init__(text, mark)
        self.mark = mark

    def __str__(self) -> str:
        return str(self.args[0])


class TaskError(Exception):
    """A task raised something; the text is the traceback of the worker."""


def send_ahead(value: Any) -> None:
    """From inside a task: give something to the master now. Does nothing in a process that is no worker of a pool."""
    _send("ahead", value)


def send_limit(seconds: float | None, what: str, mark: Any) -> None:
    """From inside a task: have the master end this process unless it hears from here again in time.

    Args:
        seconds: wall time until then; None: no limit any more.
        what: is done in that time.
        mark: for :class:`WorkerStuckError`.
    """
    _send("limit", (seconds, what, mark))


def _send(kind: str, value: Any) -> None:
    if _sender is not None:
        # A connection's own way takes five times as long, and there are several of these per case.
        _sender.send_bytes(pickle.dumps((kind, value), pickle.HIGHEST_PROTOCOL))


def when_idle(call: Callable[[], None]) -> None:
    """From inside a task: have something called when this worker process has had no task for long, and at its end."""
    _at_idle.append(call)


def _next_call(pipe: Connection) -> Any:
    """Wait for a task; None: there are no more."""
    try:
        if _at_idle and not pipe.poll(_IDLE_S):
            for call in _at_idle:
                call()
        return pipe.recv()
    except EOFError:
        for call in _at_idle:
            call()
        return None


def _work(pipe: Connection, parent: int, others: Sequence[Connection] = ()) -> None:
    """A worker process: tasks come in, results go out, until the pipe closes.

    Args:
        pipe: to the master.
        parent: the master's process id.
        others: what a copy of the master has of its pipes.
    """
    global _sender
    orphan_guard.end_with(parent)
    for other in others:
        other.close()
    with suppress(OSError):
        Path("/proc/self/comm").write_text(NAME)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Ctrl-C reaches the whole terminal: what becomes of the workers is the master's decision. Blocked until here.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _sender = pipe
    # Whatever models print there; nothing else does. Not the master's streams: in a copy, nobody would unlock them.
    sys.stdout = VisibleStream(os.fdopen(os.dup(1), "w", errors="backslashreplace"))
    sys.stderr = VisibleStream(os.fdopen(os.dup(2), "w", buffering=1, errors="backslashreplace"))
    while (task := _next_call(pipe)) is not None:
        function, arguments, keywords = task
        try:
            answer: tuple[str, Any] = ("result", function(*arguments, **keywords))
        except Exception as error:
            answer = ("error", (_portable(error), traceback.format_exc()))
        try:
            _send(*answer)
        except BrokenPipeError:
            return
        except Exception as error:
            _send("error", (TaskError(f"{type(error).__name__}: {error}"), traceback.format_exc()))


def _portable(error: Exception) -> Exception:
    """The error, or one of the same family that says the same and survives the way to another process."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        said = str(error)
        return ToolError(said) if isinstance(error, GoldbeatError) else TaskError(f"{type(error).__name__}: {said}")
    return error


@contextmanager
def _free_to_start() -> Iterator[None]:
    """Let a worker of dask, a daemonic process, have processes.

    Its own end with it in any case (:mod:`goldbeat.tb.orphan_guard`).
    """
    config: dict[str, Any] = getattr(multiprocessing.current_process(), "_config", {})
    daemon = config.get("daemon")
    config["daemon"] = False
    try:
        yield
    finally:
        config["daemon"] = daemon


@contextmanager
def _without_ctrl_c(way: Literal["fork", "spawn"]) -> Iterator[None]:
    """Processes that this thread starts have Ctrl-C blocked from their first instruction on; Python would end with a traceback."""
    if way == "spawn":
        # Its start would unblock the signal.
        resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _is_stopped(pid: int | None) -> bool:
    """A signal has stopped the process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    # The name before it, in brackets, may have any characters.
    return stat.rpartition(")")[2].split()[:1] == ["T"]


def may_be_copied() -> bool:
    """A copy of this process can run: other threads do not come with it, nor give back what they hold."""
    return sys.platform.startswith("linux") and threading.active_count() == 1


class LocalExecutor(Executor):
    """Runs tasks in worker processes of this machine.

    The first workers are copies of this process, which has imported everything, where it has one thread; others start anew.

    Args:
        jobs: number of workers.
        on_ahead: is called, in a thread of the pool, with what tasks send ahead.
    """

    def __init__(self, jobs: int, on_ahead: Callable[[Any], None] = lambda value: None) -> None:
        self._tasks: queue.SimpleQueue[tuple[Future[Any], Any] | None] = queue.SimpleQueue()
        self._on_ahead = on_ahead
        self._guard = threading.Lock()
        self._closed = self._killed = False
        self._busy = 0
        self._processes: dict[int, Any] = {}
        self._copies: dict[int, tuple[Any, Connection]] = {}
        for number in range(jobs) if may_be_copied() else ():
            self._copies[number] = self._start(number, "fork")
        self._threads = [threading.Thread(target=self._serve, args=(i,), daemon=True) for i in range(jobs)]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Schedule a call; everything must be picklable."""
        future: Future[_T] = Future()
        with self._guard:
            if self._closed:
                raise RuntimeError("the pool is closed")
            self._tasks.put((future, (fn, args, kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks, and end the workers when those there are have been done."""
        with self._guard:
            if not self._closed:
                self._closed = True
                if cancel_futures:
                    self._drop()
                for _ in self._threads:
                    self._tasks.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def kill(self) -> None:
        """End now: running tasks are lost, the others cancelled."""
        with self._guard:
            self._killed = self._closed = True
            self._drop()
            for _ in self._threads:
                self._tasks.put(None)
            for process in self._processes.values():
                process.kill()
        for thread in self._threads:
            thread.join()

    def end(self) -> None:
        """End the workers: in order, when none has anything to do; otherwise now."""
        with self._guard:
            idle = not self._busy and self._tasks.empty()
        if idle:
            self.shutdown(wait=False)
            until = time.monotonic() + _END_S
            for thread in self._threads:
                thread.join(max(0.0, until - time.monotonic()))
        self.kill()

    def worker_pids(self) -> list[int]:
        """The processes that are there now."""
        with self._guard:
            return [p.pid for p in self._processes.values() if p.is_alive() and p.pid is not None]

    def _drop(self) -> None:
        while True:
            try:
                task = self._tasks.get_nowait()
            except queue.Empty:
                return
            if task is not None:
                task[0].cancel()

    def _serve(self, number: int) -> None:
        """A thread that has one worker at a time."""
        process, pipe = self._copies.pop(number, (None, None))
        while (task := self._tasks.get()) is not None:
            future, call = task
            if not future.set_running_or_notify_cancel():
                continue
            with self._guard:
                self._busy += 1
            try:
                if process is None or not process.is_alive():
                    process, pipe = self._start(number, "spawn")
                assert pipe is not None
                future.set_result(self._do(process, pipe, call))
            except WorkerLostError as error:
                process = None
                future.set_exception(error)
            except (EOFError, BrokenPipeError, ConnectionResetError):
                assert process is not None
                process.join()
                code = process.exitcode
                process = None
                future.set_exception(WorkerLostError(f"the worker process ended with {code}"))
            except BaseException as error:
                future.set_exception(error)
            finally:
                with self._guard:
                    self._busy -= 1
        if pipe is not None:
            pipe.close()
        if process is not None:
            process.join()

    def _start(self, number: int, way: Literal["fork", "spawn"]) -> tuple[Any, Connection]:
        context: Any = multiprocessing.get_context(way)
        with self._guard:
            if self._killed:
                raise WorkerLostError("the pool was killed")
            ours, theirs = context.Pipe()
            others = [ours, *(pipe for _, pipe in self._copies.values())] if way == "fork" else []
            process = context.Process(target=_work, args=(theirs, os.getpid(), others), daemon=True)
            with _free_to_start(), _without_ctrl_c(way):
                process.start()
            theirs.close()
            self._processes[number] = process
        return process, ours

    @staticmethod
    def _end(process: Any) -> None:
        process.kill()
        process.join()

    def _do(self, process: Any, pipe: Connection, call: Any) -> Any:
        pipe.send(call)
        limit: tuple[float, float, str, Any] | None = None
        stopped = 0
        # A connection's own poll() takes longer than to read what has come.
        looker = select.poll()
        looker.register(pipe.fileno(), select.POLLIN)
        while True:
            if not looker.poll(1000 * _LOOK_S):
                if limit is not None and time.monotonic() > limit[0]:
                    self._end(process)
                    _, seconds, what, mark = limit
                    raise WorkerStuckError(
                        f"{what} was still running after {seconds:g} s, and did not return to Python", mark
                    )
                # By looks, not by time: when the master was stopped as well, all go on together.
                stopped = stopped + 1 if _is_stopped(process.pid) else 0
                if stopped * _LOOK_S > STOPPED_S:
                    self._end(process)
                    raise WorkerLostError(f"the worker process was stopped for {STOPPED_S:g} s")
                continue
            kind, value = pickle.loads(pipe.recv_bytes())
            if kind == "ahead":
                self._on_ahead(value)
            elif kind == "limit":
                seconds, what, mark = value
                limit = None if seconds is None else (time.monotonic() + seconds + GRACE_S, seconds, what, mark)
            elif kind == "result":
                return value
            else:
                error, text = value
                error.add_note(text)
                raise error
