# SPDX-License-Identifier: Apache-2.0
"""A farm whose workers are jobs of a batch system: ``--engine slurm``, ``lsf`` or ``sge``.

dask-jobqueue writes the directives of a job, from the suite's resources and the site's ``jobqueue.yaml``, and knows the
commands. The nodes are Goldbeat's own (:mod:`goldbeat.tb.regress.farm_node`): keys decide who gets in. A job that has ended, was
preempted or lost its node is replaced; what it had is run by others, as on any farm.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import ToolError
from goldbeat.tb.extras import module_hint
from goldbeat.tb.paths import IMPORT_ROOT, build_root
from goldbeat.tb.regress.farm import LOOPBACK, connect, scheduler_process
from goldbeat.tb.regress.farm_keys import make_keys
from goldbeat.tb.regress.farm_pool import FarmExecutor
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.suite import Resources

_LOOK_S = 2.0
_COMMAND_S = 60.0
"""A command of the batch system that takes longer is ended, and tried again later."""
_LOST_S = 90.0
"""A running job whose worker has been away for so long is replaced: its node has gone."""
_START_S = 600.0
"""And one whose worker has not come for so long."""
_MOST_FAILED = 3
"""So many jobs end before any worker has come: the job itself is wrong."""
_MEMORY = "2GB"
_ENDED = re.compile(
    r"CANCELLED|COMPLETED|FAILED|TIMEOUT|NODE_FAIL|PREEMPTED|BOOT_FAIL|DEADLINE|OUT_OF_ME|DONE|EXIT|ZOMBI"
)
_RUNNING = re.compile(r"RUNNING|RUN|r|COMPLETING|[tRh]*r")


@dataclass(frozen=True)
class BatchSystem:
    """The commands of a batch system.

    Attributes:
        job: class of dask-jobqueue that makes its jobs.
        submit, cancel: programs.
        listing: command that lists jobs; their numbers follow, joined by ``between``, unless it lists all of the user.
        between: None: no numbers follow.
        columns: of the number and the state in a line of the listing.
    """

    job: str
    submit: str
    cancel: str
    listing: tuple[str, ...]
    between: str | None
    columns: tuple[int, int]


SYSTEMS = {
    "slurm": BatchSystem("SLURMJob", "sbatch", "scancel", ("squeue", "-h", "-o", "%i %T", "-j"), ",", (0, 1)),
    "lsf": BatchSystem("LSFJob", "bsub", "bkill", ("bjobs", "-noheader", "-o", "jobid stat"), " ", (0, 1)),
    "sge": BatchSystem("SGEJob", "qsub", "qdel", ("qstat",), None, (0, 4)),
}


@dataclass
class _BatchJob:
    """A job that should be there.

    Attributes:
        kind: class of resources.
        name: of its worker.
        number: the batch system's.
        state: as the batch system said last.
        since: when it was submitted, or began to run.
        seen: when its worker was there last; None: never.
    """

    kind: str
    name: str
    number: str
    state: str = ""
    since: float = field(default_factory=time.monotonic)
    seen: float | None = None


def need_batch(engine: str) -> None:
    """Check that a batch system can be used.

    Raises:
        ToolError: dask-jobqueue or a command is missing.
    """
    try:
        import dask_jobqueue  # noqa: F401
        import distributed  # noqa: F401
    except ModuleNotFoundError as error:
        hint = module_hint(error.name or "dask_jobqueue")
        raise ToolError(f"--engine {engine} needs the Python package {error.name}: {hint}") from None
    system = SYSTEMS[engine]
    for program in (system.submit, system.cancel, system.listing[0]):
        if shutil.which(program) is None:
            raise ToolError(f"--engine {engine}: no command {program}; run on a machine that submits jobs")


@dataclass(frozen=True)
class BatchJobs:
    """What jobs a run may submit.

    Attributes:
        engine: of :data:`SYSTEMS`.
        resources: of jobs, by the class of items.
        most: of each class at a time, unless its resources say another number.
        host: address of this machine that nodes reach; None: its name.
    """

    engine: str
    resources: Mapping[str, Resources]
    most: int
    host: str | None = None

    def wanted(self, items: Iterable[Item]) -> dict[str, int]:
        """How many jobs of each class: no more than there are items."""
        found = Counter(item.resources for item in items)
        return {
            kind: min(count, self.resources.get(kind, Resources()).jobs or self.most) for kind, count in found.items()
        }


@contextmanager
def batch_farm(
    jobs: BatchJobs, items: Iterable[Item], keys: Path | None, *, native: bool, wait_s: float | None
) -> Iterator[FarmExecutor]:
    """A scheduler on this machine, and jobs of a batch system as its workers, until the end of the block.

    Args:
        jobs: what may be submitted.
        items: that will run.
        keys: folder of the farm's keys, for all nodes to read; None: made for this run.
        native: simulators need all instructions of this machine's processor.
        wait_s: as :func:`goldbeat.tb.regress.farm.connect` takes it.

    Raises:
        ToolError: what it needs is missing.
    """
    engine = jobs.engine
    need_batch(engine)
    folder = build_root() / "farm" / f"{engine}-{os.getpid()}"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    own = folder / "keys"
    try:
        if keys is None:
            make_keys(keys := own, days=30)
        with (
            scheduler_process(jobs.host or socket.getfqdn(), keys, folder) as address,
            connect(address, keys, native=native, wait_s=wait_s) as farm,
        ):
            launcher = Launcher(jobs, items, address, keys, farm, folder)
            farm.outside = launcher.report
            try:
                launcher.start()
                yield farm
            finally:
                launcher.close()
    finally:
        shutil.rmtree(own, ignore_errors=True)


class Launcher:
    """Keeps as many jobs in a batch system as are wanted, and replaces those that have gone.

    Args:
        jobs: what may be submitted.
        items: that will run.
        address: of the scheduler.
        keys: folder of the farm's keys.
        farm: whose workers they are.
        folder: for scripts and logs of jobs, for all nodes to reach.
    """

    def __init__(
        self, jobs: BatchJobs, items: Iterable[Item], address: str, keys: Path, farm: Any, folder: Path
    ) -> None:
        self._engine, self._system = jobs.engine, SYSTEMS[jobs.engine]
        self._address, self._keys, self._folder, self._farm = address, keys, folder, farm
        self._resources, self._wanted = jobs.resources, jobs.wanted(items)
        self._jobs: list[_BatchJob] = []
        self._count = self._failed = 0
        self._notes: list[str] = []
        self._told: set[str] = set()
        self._broken = ""
        self._closed = threading.Event()
        self._guard = threading.Lock()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        """Submit the first jobs."""
        self._thread.start()

    def close(self) -> None:
        """Cancel every job."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(2 * _COMMAND_S)
        with self._guard:
            if self._jobs:
                self._cancel(*self._jobs)
            self._jobs.clear()

    def report(self) -> tuple[list[str], bool]:
        """What people should know since the last call, and whether jobs wait in the queue: then a farm without workers waits.

        Raises:
            ToolError: jobs end without a worker, again and again.
        """
        with self._guard:
            if self._broken:
                raise ToolError(self._broken)
            notes, self._notes = self._notes, []
            return notes, any(not _RUNNING.fullmatch(job.state) for job in self._jobs)

    # -- the loop -----------------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        while not self._closed.is_set():
            try:
                self.look()
            except Exception as error:
                self._tell(f"{self._engine}: {type(error).__name__}: {error}")
            self._closed.wait(_LOOK_S)

    def look(self) -> None:
        """Ask for the state of all jobs, forget those that have gone, submit what is missing."""
        there = self._farm.worker_names()
        with self._guard:
            states = self._states()
            if states is not None:
                self._judge(states, there, time.monotonic())
                if self._jobs and not there and not any(_RUNNING.fullmatch(job.state) for job in self._jobs):
                    self._tell(f"{self._engine}: the run waits for its jobs in the queue")
            for kind, wanted in self._wanted.items():
                while not self._broken and sum(job.kind == kind for job in self._jobs) < wanted:
                    if self._closed.is_set() or not self._submit(kind):
                        break

    def _judge(self, states: Mapping[str, str], there: set[str], now: float) -> None:
        """Keep the jobs that are well."""
        kept = []
        for job in self._jobs:
            state = states.get(job.number, "")
            running = _RUNNING.fullmatch(state) is not None
            if running and not _RUNNING.fullmatch(job.state):
                job.since = now
            job.state = state
            if job.name in there:
                job.seen, self._failed = now, 0
            if not state or _ENDED.match(state):
                self._gone(job, state)
            elif running and now - (job.since if job.seen is None else job.seen) > (
                _START_S if job.seen is None else _LOST_S
            ):
                self._tell(f"{self._engine} job {job.number} runs without its worker: replaced", once=False)
                self._cancel(job)
            else:
                kept.append(job)
        self._jobs = kept

    def _gone(self, job: _BatchJob, state: str) -> None:
        """Note that a job has ended."""
        if job.seen is not None:
            self._tell(f"{self._engine} job {job.number} has ended ({state or 'gone'}): replaced", once=False)
            return
        self._failed += 1
        if self._failed >= _MOST_FAILED:
            logs = sorted(self._folder.glob("*.log"), key=lambda path: path.stat().st_mtime)
            tail = "\n".join(logs[-1].read_text(errors="replace").splitlines()[-5:]) if logs else "it has no log"
            self._broken = (
                f"{self._failed} {self._engine} jobs in a row ended before their worker came; "
                f"the log of job {job.number} in {self._folder} ends with:\n{tail}"
            )

    def _tell(self, text: str, *, once: bool = True) -> None:
        if not once or text not in self._told:
            self._told.add(text)
            self._notes.append(text)

    # -- commands -----------------------------------------------------------------------------------------------------

    def _states(self) -> dict[str, str] | None:
        """What the batch system says of the jobs, by their numbers; None: it does not answer."""
        if not self._jobs:
            return {}
        numbers = [job.number for job in self._jobs]
        words = list(self._system.listing)
        if self._system.between is not None:
            words += [self._system.between.join(numbers)] if self._system.between == "," else numbers
        code, out, err = self._call(words)
        # A number that has been forgotten is an error for some of them, though others are listed.
        if code and not out.strip() and not re.search(r"[Ii]nvalid job|not found|do not exist", err):
            self._tell(f"{words[0]}: {_first_line(err) or f'exit code {code}'}")
            return None
        found = {}
        first, second = self._system.columns
        for line in out.splitlines():
            fields = line.split()
            if len(fields) > second and fields[first].split(".")[0] in numbers:
                found[fields[first].split(".")[0]] = fields[second]
        return found

    def _submit(self, kind: str) -> bool:
        """Submit a job; False: the batch system takes none now."""
        self._count += 1
        name = f"{kind or 'worker'}-{self._count}"
        job = self._job(kind, name)
        script = self._folder / f"{name}.sh"
        script.write_text(job_script(job, self._command(kind, name)))
        stdin = script if self._system.submit == "bsub" else None
        words = [*shlex.split(job.submit_command), *([] if stdin else [str(script)])]
        code, out, err = self._call(words, stdin)
        number = re.search(job.job_id_regexp, out)
        if code or number is None:
            self._tell(f"{words[0]}: {_first_line(err or out) or f'exit code {code}'}; it is tried again")
            return False
        self._jobs.append(_BatchJob(kind, name, number["job_id"], "PENDING"))
        return True

    def _cancel(self, *jobs: _BatchJob) -> None:
        # One that has just ended is an error for them.
        self._call([self._system.cancel, *(job.number for job in jobs)])

    @staticmethod
    def _call(words: Sequence[str], stdin: Path | None = None) -> tuple[int, str, str]:
        try:
            with open(stdin or os.devnull, "rb") as stream:
                done = subprocess.run(words, stdin=stream, capture_output=True, timeout=_COMMAND_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return -1, "", str(error)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def _job(self, kind: str, name: str) -> Any:
        """dask-jobqueue's job, with the directives of this class and of the site."""
        import dask
        import dask_jobqueue

        asked = self._resources.get(kind, Resources())
        memory = asked.memory or dask.config.get(f"jobqueue.{self._engine}.memory") or _MEMORY
        # The site's directives, and the log behind them.
        more = dask.config.get(f"jobqueue.{self._engine}.job-extra-directives", None) or []
        log = f"-o {self._folder / name}.log"
        words: dict[str, Any] = {"cores": asked.cores, "processes": 1, "memory": memory, "queue": asked.queue}
        words |= {"walltime": asked.walltime, "job_name": f"goldbeat-{name}", "job_extra_directives": [*more, log]}
        module = getattr(dask_jobqueue, self._engine)
        return getattr(module, self._system.job)(self._address, name, **words)

    def _command(self, kind: str, name: str) -> str:
        """The command of a worker."""
        loopback = f"//{LOOPBACK}" in self._address
        words = ["farm", "worker", self._address, "--tls", str(self._keys.resolve()), "--name", name]
        words += ["--resource", kind] if kind else []
        line = shlex.join([sys.executable, "-m", "goldbeat.tb.cli", *words])
        return f"{line} --host {LOOPBACK}" if loopback else f'{line} --host "$(hostname -f)"'


def job_script(job: Any, command: str) -> str:
    """The script of a job: directives, the site's prologue, and a worker with a build folder on the node."""
    import dask

    prologue = dask.config.get(f"jobqueue.{job.config_name}.job-script-prologue", None) or []
    lines = [
        job.shebang,
        job.job_header,
        *prologue,
        f"export PYTHONPATH={shlex.quote(str(IMPORT_ROOT))}${{PYTHONPATH:+:$PYTHONPATH}}",
        "folder=$(mktemp -d) && trap 'rm -rf \"$folder\"' EXIT",
        'export GOLDBEAT_BUILD="$folder"',
        command,
    ]
    return "\n".join(filter(None, lines)) + "\n"


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
