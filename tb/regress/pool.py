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
import signal
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Executor, Future
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from pymodels.errors import GoldbeatError, ToolError
from tb import lifeline

_T = TypeVar("_T")
_sender: Connection | None = None


class WorkerLostError(Exception):
    """A worker process died in the middle of a task."""


class TaskError(Exception):
    """A task raised something; the text is the traceback of the worker."""


def send_ahead(value: Any) -> None:
    """From inside a task: give something to the master now. Does nothing in a process that is no worker of a pool."""
    if _sender is not None:
        _sender.send(("ahead", value))


def _work(pipe: Connection, parent: int) -> None:
    """A worker process: tasks come in, results go out, until the pipe closes."""
    global _sender
    lifeline.end_with(parent)
    # Ctrl-C reaches the whole terminal: what becomes of the workers is the master's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _sender = pipe
    while True:
        try:
            function, arguments, keywords = pipe.recv()
        except EOFError:
            return
        try:
            answer: tuple[str, Any] = ("result", function(*arguments, **keywords))
        except Exception as error:
            answer = ("error", (_portable(error), traceback.format_exc()))
        try:
            pipe.send(answer)
        except BrokenPipeError:
            return
        except Exception as error:
            pipe.send(("error", (TaskError(f"{type(error).__name__}: {error}"), traceback.format_exc())))


def _portable(error: Exception) -> Exception:
    """The error, or one of the same family that says the same and survives the way to another process."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        said = str(error)
        return ToolError(said) if isinstance(error, GoldbeatError) else TaskError(f"{type(error).__name__}: {said}")
    return error


class LocalExecutor(Executor):
    """Runs tasks in worker processes of this machine.

    Args:
        jobs: number of workers.
        on_ahead: is called, in a thread of the pool, with what tasks send ahead.
    """

    def __init__(self, jobs: int, on_ahead: Callable[[Any], None] = lambda value: None) -> None:
        self._tasks: queue.SimpleQueue[tuple[Future[Any], Any] | None] = queue.SimpleQueue()
        self._on_ahead = on_ahead
        self._context = multiprocessing.get_context("spawn")
        self._guard = threading.Lock()
        self._closed = self._killed = False
        self._processes: dict[int, Any] = {}
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
        process, pipe = None, None
        while (task := self._tasks.get()) is not None:
            future, call = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                if process is None or not process.is_alive():
                    process, pipe = self._start(number)
                assert pipe is not None
                future.set_result(self._do(pipe, call))
            except (EOFError, BrokenPipeError, ConnectionResetError):
                assert process is not None
                process.join()
                code = process.exitcode
                process = None
                future.set_exception(WorkerLostError(f"the worker process ended with {code}"))
            except BaseException as error:
                future.set_exception(error)
        if pipe is not None:
            pipe.close()
        if process is not None:
            process.join()

    def _start(self, number: int) -> tuple[Any, Connection]:
        with self._guard:
            if self._killed:
                raise WorkerLostError("the pool was killed")
            ours, theirs = self._context.Pipe()
            process = self._context.Process(target=_work, args=(theirs, os.getpid()), daemon=True)
            process.start()
            theirs.close()
            self._processes[number] = process
        return process, ours

    def _do(self, pipe: Connection, call: Any) -> Any:
        pipe.send(call)
        while True:
            kind, value = pipe.recv()
            if kind == "ahead":
                self._on_ahead(value)
            elif kind == "result":
                return value
            else:
                error, text = value
                error.add_note(text)
                raise error
