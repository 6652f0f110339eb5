# SPDX-License-Identifier: Apache-2.0
"""A batch system of one machine: sbatch, squeue, scancel and those of LSF and SGE as scripts on the path.

There is no daemon: every command first ends and starts what is due. Jobs are process groups; the state is one file.
Limits are files of the folder: ``running`` (jobs at a time) and ``queued`` (jobs in all; more are refused).
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

COMMANDS = ("sbatch", "squeue", "scancel", "bsub", "bjobs", "bkill", "qsub", "qstat", "qdel")


def install(folder: Path) -> Path:
    """Write the commands; the folder for the path."""
    commands = folder / "bin"
    commands.mkdir(parents=True)
    for name in COMMANDS:
        script = f"#!{sys.executable} -S\nimport runpy, sys\nsys.argv[:1] = [{__file__!r}, {name!r}, {str(folder)!r}]\n"
        (commands / name).write_text(script + f"runpy.run_path({__file__!r}, run_name='__main__')\n")
        (commands / name).chmod(0o755)
    return commands


def limit(folder: Path, name: str, value: int) -> None:
    (folder / name).write_text(str(value))


@contextmanager
def state(folder: Path):
    """All jobs by number, for this process alone; written back at the end."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        path = folder / "jobs.json"
        jobs = json.loads(path.read_text()) if path.exists() else {}
        _look(folder, jobs)
        yield jobs
        _look(folder, jobs)
        path.write_text(json.dumps(jobs))


def lose(folder: Path, number: str, *, said: str = "NODE_FAIL", silent: bool = False) -> None:
    """A node is lost with its job, or preempted; silent: the batch system has not noticed."""
    with state(folder) as jobs:
        _kill(jobs[number]["pid"])
        jobs[number]["state"] = "RUNNING" if silent else said
        jobs[number]["silent"] = silent


def running(folder: Path) -> list[str]:
    with state(folder) as jobs:
        return [number for number, job in jobs.items() if job["state"] == "RUNNING" and not job.get("silent")]


def _kill(pid: int, number: int = signal.SIGKILL) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, number)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _most(folder: Path, name: str) -> int:
    path = folder / name
    return int(path.read_text()) if path.exists() else 1000


def _look(folder: Path, jobs: dict) -> None:
    for job in jobs.values():
        if job["state"] == "RUNNING" and not job.get("silent") and not _lives(job["pid"]):
            job["state"] = "COMPLETED"
    for number, job in jobs.items():
        if sum(other["state"] == "RUNNING" for other in jobs.values()) >= _most(folder, "running"):
            break
        if job["state"] == "PENDING":
            out = re.search(r"^#(?:SBATCH|BSUB|\$) -o (\S+\.log)$", job["script"], re.MULTILINE)
            path = folder / f"{number}.sh"
            path.write_text(job["script"])
            with open(out[1] if out else os.devnull, "ab") as log:
                words = ["/usr/bin/env", f"FAKE_WORKER={_worker(job['script'])}", "/bin/bash", str(path)]
                process = subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                )
            job |= {"state": "RUNNING", "pid": process.pid}


def _worker(script: str) -> str:
    """The name of the worker that a job starts."""
    found = re.search(r" --name (\S+)", script)
    return found[1] if found else ""


def _submit(folder: Path, name: str, words: list[str]) -> None:
    script = sys.stdin.read() if name == "bsub" else Path(words[-1]).read_text()
    with state(folder) as jobs:
        if sum(job["state"] in ("RUNNING", "PENDING") for job in jobs.values()) >= _most(folder, "queued"):
            sys.exit(f"{name}: error: QOSMaxSubmitJobPerUserLimit")
        number = str(len(jobs) + 1)
        jobs[number] = {"state": "PENDING", "script": script}
    said = {"sbatch": "Submitted batch job {}", "bsub": "Job <{}> is submitted to default queue <normal>."}
    print(said.get(name, 'Your job {} ("goldbeat") has been submitted').format(number))


def _list(folder: Path, name: str, words: list[str]) -> None:
    with state(folder) as jobs:
        shown = [w for word in words for w in word.split(",") if w.isdigit()] or list(jobs)
        for number in shown:
            there = jobs[number]["state"]
            if name == "squeue" and there in ("RUNNING", "PENDING"):
                print(number, there)
            if name == "bjobs":
                print(number, {"RUNNING": "RUN", "PENDING": "PEND", "COMPLETED": "DONE"}.get(there, "EXIT"))
            if name == "qstat" and there in ("RUNNING", "PENDING"):
                print(number, "0.5 goldbeat me", {"RUNNING": "r", "PENDING": "qw"}[there], "11/29/2026")


def _cancel(folder: Path, words: list[str]) -> None:
    with state(folder) as jobs:
        for number in words:
            if "pid" in jobs[number]:
                _kill(jobs[number]["pid"])
            jobs[number]["state"] = "CANCELLED"


if __name__ == "__main__":
    command, home, *rest = sys.argv[1:]
    if command in ("sbatch", "bsub", "qsub"):
        _submit(Path(home), command, rest)
    elif command in ("squeue", "bjobs", "qstat"):
        _list(Path(home), command, rest)
    else:
        _cancel(Path(home), rest)
