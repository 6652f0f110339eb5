# SPDX-License-Identifier: Apache-2.0
"""The host side of a simulator process: start it, watch it, fetch its records."""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goldbeat.pymodels.stored_trace import Shelf
from goldbeat.tb import orphan_guard
from goldbeat.tb.build.compile import Build
from goldbeat.tb.build.harness import TOP
from goldbeat.tb.design.crossing import Crossing
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.inside.job import (
    COVERAGE,
    DATA_FOLDERS,
    ENVIRONMENT,
    JOURNAL,
    ORDERS,
    PULSE,
    SHARED,
    Backend,
    Episode,
    Job,
    Record,
    read_record,
    write_job,
)
from goldbeat.tb.kernel.launch import seed_arguments, simulator_environment
from goldbeat.tb.kernel.rules import ASSERTION
from goldbeat.tb.run.bounded_log import BoundedLog

if TYPE_CHECKING:
    from goldbeat.tb.inside.shared_bytes import SharedBytes

TIMEOUT_S = 1800.0
"""Wall time after which a simulator process is taken to hang."""
PULSE_S = 0.25
"""Wall time between two reports of how far a simulation is, when somebody watches."""
_COMMON_PORTS = Bundle.__module__.rpartition(".")[0] + "."
"""Where the classes of the ports of every design are."""
SESSION = "goldbeat.tb.inside.session"
"""The module whose ``run_session`` runs a job inside the simulator."""
_FATAL = re.compile(r"^\[\d+\] %Fatal: (\S+:\d+): Assertion failed in harness\.dut([\w.\[\]]*)(: .*)?$", re.MULTILINE)
_LOG_LINES = 30

Watch = Callable[[int, int], None]
"""Is told how many episodes are done, and the picoseconds since the reset release of the one that runs."""


@dataclass(frozen=True)
class SimulatorResult:
    """What a simulator process left.

    Attributes:
        records: one an episode; shorter than the list of episodes when the process ended early.
        waves: the wave file, None where none was asked for.
        log: everything the process printed.
        failure: why it ended early, None when it did not.
    """

    records: tuple[Record, ...]
    waves: Path | None
    log: Path
    failure: str | None


@dataclass(frozen=True)
class JournalNote:
    """A line of the journal.

    Attributes:
        what: ``start``, ``end``, ``lost`` when the record could not be written, ``again`` when another process has to go on
            with this episode, or ``at`` when asked for.
        number: the episode's; of ``lost``, the system's error number; of ``at``, picoseconds since the reset release of the
            episode that started last.
        time_s: by the monotonic clock.
    """

    what: str
    number: int
    time_s: float


class Simulator:
    """A simulator process that runs a list of episodes; a context manager that leaves no process behind.

    Args:
        design: what is simulated.
        params: the parameter values of the build.
        built: from :func:`goldbeat.tb.build.simulator.build`.
        episodes: what to run.
        folder: an existing folder for the job, the records, the log and the waves.
        seed: of the simulator's own randomness (initial values of flip-flops), and of cocotb's.
        transactors: transactors that drive the ports.
        coverage: where code coverage goes, written after every episode; for builds that count it.
        pulse_s: seconds between two ``at`` notes; None: there are none.
        before: episodes that other processes have run; their log and waves are kept.
        crossings: clock crossings that the build shows.
        shelf: for records of long episodes.
        stays: the process waits for more episodes when it has run these, until it is left.
        shared: arrays go through shared memory, not through files, where the system has it; those of records, for one episode at a
            time.
        arguments: further ones for the simulator, as ``+NAME=VALUE``.
    """

    def __init__(
        self,
        design: Design,
        params: Mapping[str, Any],
        built: Build,
        episodes: Sequence[Episode],
        folder: Path,
        *,
        seed: int = 0,
        transactors: Backend = "native",
        coverage: Path | None = None,
        pulse_s: float | None = None,
        before: int = 0,
        crossings: Sequence[Crossing] = (),
        shelf: Shelf | None = None,
        stays: bool = False,
        shared: bool = False,
        arguments: Sequence[str] = (),
    ) -> None:
        self._folder = folder
        self.waves = folder / f"waves{f'-{before}' if before else ''}.{built.waves}" if built.waves else None
        self.log = folder / "simulation.log"
        for stale in folder.glob("record-*.pickle"):
            stale.unlink()
        # What the process reads is not held here as well.
        self._job = _job(design, params, transactors, crossings, Shelf() if shelf is None else shelf)
        self._jobs, self._records = _memories() if shared else (None, None)
        write_job(replace(self._job, episodes=tuple(episodes)), folder, self._jobs)
        command = [str(built.executable), *seed_arguments(seed), *arguments, "--inputs-low"]
        if self.waves is not None:
            command += ["--trace", "--trace-file", str(self.waves)]
        steps = _steps(self._job.bundles, episodes, stays=stays)
        environment = simulator_environment(TOP, seed) | {"PYGPI_USERS": ",".join(steps), **_data_folders(design)}
        # The simulator computes nothing with numpy that threads would help; starting them takes longer than a short simulation.
        environment.setdefault("OPENBLAS_NUM_THREADS", "1")
        self._journal, theirs = os.pipe()
        environment |= {ENVIRONMENT: str(folder), JOURNAL: str(theirs), orphan_guard.ENVIRONMENT: str(os.getpid())}
        if coverage is not None:
            command.append(f"+verilator+coverage+file+{coverage}")
            environment[COVERAGE] = "1"
        if pulse_s is not None:
            environment[PULSE] = str(pulse_s)
        self._text = b""
        self._orders: int | None = None
        pipes = [theirs]
        if stays:
            orders, self._orders = os.pipe()
            environment[ORDERS] = str(orders)
            pipes.append(orders)
        memory = [one.descriptor for one in (self._jobs, self._records) if one is not None]
        environment |= {SHARED: ",".join(map(str, memory))} if memory else {}
        try:
            self._output = BoundedLog(self.log, append=before > 0)
            self._process = self._start(command, environment, [*pipes, *memory])
        except BaseException:
            self._close_pipes()
            raise
        finally:
            for pipe in pipes:
                os.close(pipe)

    def _start(self, command: list[str], environment: dict[str, str], pipes: Sequence[int]) -> subprocess.Popen[bytes]:
        try:
            process = subprocess.Popen(
                command,
                cwd=self._folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=self._output.pipe,
                stderr=subprocess.STDOUT,
                pass_fds=pipes,
            )
        except BaseException:
            self._output.finish()
            raise
        self._output.started()
        return process

    def _close_pipes(self) -> None:
        os.close(self._journal)
        for memory in (self._jobs, self._records):
            if memory is not None:
                memory.close()
        if self._orders is not None:
            os.close(self._orders)

    @property
    def process_id(self) -> int:
        """Of the simulator."""
        return self._process.pid

    def run_more(self, episodes: Sequence[Episode]) -> None:
        """Have a process that stays run more episodes, numbered from 0 again; all before have ended.

        Raises:
            BrokenPipeError: it has ended.
        """
        assert self._orders is not None
        write_job(replace(self._job, episodes=tuple(episodes)), self._folder, self._jobs)
        os.write(self._orders, b"\n")

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # Also on Ctrl-C: no simulator is left behind.
        self._process.kill()
        self._process.wait()
        self._close_pipes()
        for spent in [*self._folder.glob("record-*.pickle"), *self._folder.glob("job.pickle")]:
            spent.unlink()
        try:
            self._output.finish()
        except OSError:
            # What ends the block comes first.
            if kind is None:
                raise

    def notes(self, wait_s: float) -> list[JournalNote] | None:
        """What the journal says by now: nothing new after ``wait_s`` gives an empty list, the end of the process None."""
        while b"\n" not in self._text:
            if not select.select([self._journal], [], [], max(wait_s, 0))[0]:
                return []
            fresh = os.read(self._journal, 1 << 16)
            if not fresh:
                return None
            self._text += fresh
        whole, _, self._text = self._text.rpartition(b"\n")
        rows = [line.split() for line in whole.decode().splitlines()]
        return [JournalNote(what, int(number), float(seconds)) for what, number, seconds in rows]

    def record(self, index: int) -> Record | None:
        """The record of an episode that has ended; it is given out once."""
        record = read_record(self._folder, index, self._records)
        if record is not None:
            (self._folder / f"record-{index}.pickle").unlink()
        return record

    def exit_code(self) -> int:
        """How the process ended; negative: by that signal."""
        code = self._process.wait()
        self._output.finish()
        return code

    def last_words(self, lines: int = _LOG_LINES) -> str:
        """The end of what it printed."""
        return self._output.end(lines)


def _data_folders(design: Design) -> dict[str, str]:
    return {DATA_FOLDERS: "\n".join(map(str, design.data_folders()))}


def _job(
    design: Design, params: Mapping[str, Any], transactors: Backend, crossings: Sequence[Crossing], shelf: Shelf
) -> Job:
    """A job without episodes."""
    return Job(
        design.top,
        design.clocks,
        tuple(design.bundles(params)),
        tuple(design.register_ports(params)),
        tuple(design.status_ports(params)),
        (),
        tuple(design.memory_ports(params)),
        transactors,
        tuple(crossings),
        shelf,
    )


def _steps(ports: Sequence[Bundle], episodes: Sequence[Episode], *, stays: bool) -> list[str]:
    """What the simulator's Python calls, one after the other: cocotb's own steps up to its runner of tests, and the session."""
    # Drivers, files of the user's and modules of designs, which make ports, need the real pydantic; so may later episodes.
    common = all(type(port).__module__.startswith(_COMMON_PORTS) and not port.plug_in for port in ports)
    plain = not stays and common and not any(e.stimulus.drivers for e in episodes)
    return [
        "goldbeat.tb.inside.lean:import_cocotb",
        "cocotb.logging:_configure",
        "cocotb._init:init_package_from_simulation",
        *(["goldbeat.tb.inside.plain_models:enter"] if plain else []),
        f"{SESSION}:run_session",
    ]


def _memories() -> tuple[SharedBytes | None, SharedBytes | None]:
    """For jobs and for records."""
    # Most runs start sooner without it.
    from goldbeat.tb.inside.shared_bytes import new_memory

    return new_memory(), new_memory()


def _first_seed(episodes: Sequence[Episode], seed: int) -> int:
    """Of a design that cannot be given new initial values, each process draws those of its first episode."""
    drawn = episodes[0].seed if episodes else None
    return seed if drawn is None else drawn


def simulate(
    design: Design,
    params: Mapping[str, Any],
    built: Build,
    episodes: Sequence[Episode],
    folder: Path,
    *,
    seed: int = 0,
    transactors: Backend = "native",
    timeout_s: float = TIMEOUT_S,
    watch: Watch | None = None,
    crossings: Sequence[Crossing] = (),
    shelf: Shelf | None = None,
    arguments: Sequence[str] = (),
    coverage: Path | None = None,
) -> SimulatorResult:
    """Run episodes in one simulator process and wait for its end.

    Args:
        design: as all up to ``transactors`` in :class:`Simulator`.
        params: parameter values.
        built: the simulator.
        episodes: what to run.
        folder: for the files.
        seed: of the simulator.
        transactors: transactors that drive the ports.
        timeout_s: wall time allowed.
        watch: is told how many episodes are done, and how many picoseconds ago the reset of the one that runs was released.
        crossings: as in :class:`Simulator`.
        shelf: likewise.
        arguments: likewise.
        coverage: likewise.
    """
    start = partial(
        Simulator,
        *(design, params, built),
        transactors=transactors,
        pulse_s=None if watch is None else PULSE_S,
        crossings=crossings,
        shelf=shelf,
        arguments=arguments,
        coverage=coverage,
    )
    records, waves, end = list[Record](), None, time.monotonic() + timeout_s
    while True:
        done = len(records)
        with start(episodes[done:], folder, seed=_first_seed(episodes[done:], seed), before=done) as process:
            failure, again = _follow(process, records, end, watch)
            if failure is None and time.monotonic() >= end:
                failure = f"the simulator was still running after {timeout_s:.0f} s"
            waves = waves or process.waves
            if again and len(records) > done:
                continue
            if len(records) < len(episodes):
                words = process.last_words()
                failure = (
                    f"{_fatal(words, design.top) or failure or 'the simulator stopped'} "
                    f"in episode {len(records)} of {len(episodes)}; log in {process.log}:\n{words}"
                )
            return SimulatorResult(tuple(records), waves, process.log, failure)


def _fatal(words: str, top: str) -> str:
    """The ``$fatal`` of the RTL that has ended a simulator, as a failed assertion; empty: there is none in what it printed."""
    match = _FATAL.search(words)
    if match is None:
        return ""
    place, path, said = match.groups()
    return f"{ASSERTION}: {top}{path} ({place}): $fatal{said or ''}, which ends the simulator"


def _follow(process: Simulator, records: list[Record], end: float, watch: Watch | None) -> tuple[str | None, bool]:
    """Collect a process's records until it ends.

    Returns:
        why it ended early, None when it did not or its time was up; whether another process has to go on.
    """
    again = False
    while time.monotonic() < end:
        notes = process.notes(end - time.monotonic())
        if notes is None:
            code = process.exit_code()
            return f"the simulator ended with {code}" if code else None, again
        for note in notes:
            if note.what == "lost":
                raise OSError(note.number, os.strerror(note.number), str(process.log.parent))
            again |= note.what == "again"
            if note.what == "end" and (record := process.record(note.number)) is not None:
                records.append(record)
            if watch is not None and note.what != "again":
                watch(len(records), note.number if note.what == "at" else 0)
    return None, False
