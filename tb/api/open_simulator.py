# SPDX-License-Identifier: Apache-2.0
"""A simulator process that stays: episodes go in, records come out, until it is closed."""

from __future__ import annotations

import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import ToolError, WaitTimeoutError
from goldbeat.tb.build.compile import Build
from goldbeat.tb.design.design import Design
from goldbeat.tb.inside.job import Episode, Record
from goldbeat.tb.run.simulate import Simulator


class OpenSimulator:
    """The process. It starts with the first episodes, and again when the one before has ended by itself.

    Args:
        design: what is simulated.
        params: parameter values of the build.
        built: the simulator.
        seed: of the initial values of flip-flops.
    """

    def __init__(self, design: Design, params: Mapping[str, Any], built: Build, seed: int) -> None:
        self._make: Callable[[Sequence[Episode], Path], Simulator] = lambda episodes, folder: Simulator(
            design, params, built, episodes, folder, seed=seed, stays=True, shared=True
        )
        self._process: Simulator | None = None
        self._end: weakref.finalize[Any, Any] | None = None

    @property
    def running(self) -> bool:
        """Whether there is a process."""
        return self._process is not None

    @property
    def process_id(self) -> int | None:
        """Of the process; None: there is none."""
        return None if self._process is None else self._process.process_id

    def run(self, episodes: Sequence[Episode], timeout_s: float) -> list[Record]:
        """Run episodes, and give their records.

        Raises:
            WaitTimeoutError: they took longer; the process is ended.
            ToolError: the process has ended by itself.
        """
        # A design that takes no new initial values needs a process for each episode that wants some.
        rest, records = list(episodes), list[Record]()
        end = time.monotonic() + timeout_s
        while rest:
            try:
                done = self._run(rest, end, timeout_s)
            except BaseException:
                self.close()
                raise
            records += done
            rest = rest[len(done) :]
            if rest:
                self.close()
        return records

    def _run(self, episodes: Sequence[Episode], end: float, timeout_s: float) -> list[Record]:
        """Those that this process runs, at least one of a new process."""
        if self._process is None:
            self._open(episodes)
        else:
            self._process.run_more(episodes)
        process = self._process
        assert process is not None
        records = list[Record]()
        while len(records) < len(episodes):
            notes = process.notes(end - time.monotonic())
            if notes is None:
                raise ToolError(f"the simulator ended with {process.exit_code()}. Its output:\n{process.last_words()}")
            if not notes and time.monotonic() >= end:
                raise WaitTimeoutError(f"the simulator was still running after {timeout_s:g} s")
            for note in notes:
                if note.what == "again":
                    return records
                if note.what == "lost":
                    raise ToolError("the simulator could not write its record: is the disk full?")
                if note.what == "end" and (record := process.record(note.number)) is not None:
                    records.append(record)
        return records

    def _open(self, episodes: Sequence[Episode]) -> None:
        folder = Path(tempfile.mkdtemp(prefix="goldbeat-"))
        try:
            process = self._make(episodes, folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._process = process
        # Also when nobody closes it: at the end of a notebook, or when the object is gone.
        self._end = weakref.finalize(self, _close, process, folder)

    def close(self) -> None:
        """End the process."""
        self._process = None
        if self._end is not None:
            self._end()
            self._end = None


def _close(process: Simulator, folder: Path) -> None:
    process.__exit__(None)
    shutil.rmtree(folder, ignore_errors=True)


def renewed(episodes: Sequence[Episode], seed: int, *, first: bool) -> list[Episode]:
    """The episodes with initial values drawn for the very first one alone: a reset parts all others."""
    return [replace(e, seed=seed if first and n == 0 else None) for n, e in enumerate(episodes)]
