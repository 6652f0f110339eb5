# SPDX-License-Identifier: Apache-2.0
"""The host side of a simulator process: start it, watch it, fetch its records."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tb.design import Design
from tb.harness import TOP
from tb.job import ENVIRONMENT, Backend, Episode, Job, Record, read_record, write_job
from tb.kernel.compile import Build
from tb.kernel.launch import cocotb_environment, seed_arguments

TIMEOUT_S = 1800.0
"""Wall time after which a simulator process is taken to hang."""
_POLL_S = 0.25


@dataclass(frozen=True)
class Result:
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
    count: Callable[[int, int], None] = lambda done, total: None,
) -> Result:
    """Run episodes in one simulator process.

    Args:
        design: what is simulated.
        params: the parameter values of the build.
        built: from :func:`tb.build.build`.
        episodes: what to run.
        folder: an existing folder for the job, the records, the log and the waves.
        seed: of the simulator's own randomness (initial values of flip-flops), and of cocotb's.
        transactors: who drives the ports.
        timeout_s: wall time allowed.
        count: is told now and then how many episodes of how many are done.
    """
    job = Job(
        design.clocks,
        tuple(design.bundles(params)),
        tuple(design.register_ports(params)),
        tuple(design.status_ports(params)),
        tuple(episodes),
        tuple(design.memory_ports(params)),
        transactors,
    )
    write_job(job, folder)
    waves = folder / f"waves.{built.waves}" if built.waves else None
    command = [str(built.executable), *seed_arguments(seed)]
    if waves is not None:
        command += ["--trace", "--trace-file", str(waves)]
    log = folder / "simulation.log"
    for stale in folder.glob("record-*.pickle"):
        stale.unlink()
    with log.open("w") as stream:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=cocotb_environment(TOP, "tb.session", seed, folder / "cocotb.xml") | {ENVIRONMENT: str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
        try:
            failure = _watch(process, timeout_s, lambda: count(_done(folder), len(episodes)))
        finally:
            # Also on Ctrl-C: no simulator is left behind.
            process.kill()
            process.wait()
    records = []
    for index in range(len(episodes)):
        record = read_record(folder, index)
        if record is None:
            failure = f"{failure or 'the simulator stopped'} in episode {index} of {len(episodes)}; log in {log}:\n"
            failure += "\n".join(log.read_text(errors="replace").splitlines()[-30:])
            break
        records.append(record)
    for spent in [*folder.glob("record-*.pickle"), *folder.glob("job.pickle")]:
        spent.unlink()
    return Result(tuple(records), waves, log, failure)


def _watch(process: subprocess.Popen[bytes], timeout_s: float, tell: Callable[[], None]) -> str | None:
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        try:
            code = process.wait(_POLL_S)
        except subprocess.TimeoutExpired:
            tell()
            continue
        return f"the simulator ended with {code}" if code else None
    return f"the simulator was still running after {timeout_s:.0f} s"


def _done(folder: Path) -> int:
    return sum(1 for _ in folder.glob("record-*.pickle"))
