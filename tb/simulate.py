# SPDX-License-Identifier: Apache-2.0
"""The host side of a simulator process: start it, watch it, fetch its records."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymodels.errors import ToolError
from tb.build import Build
from tb.design import Design
from tb.job import ENVIRONMENT, Episode, Job, Record, read_record, write_job

TIMEOUT_S = 1800.0
"""Wall time after which a simulator process is taken to hang."""


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
    timeout_s: float = TIMEOUT_S,
) -> Result:
    """Run episodes in one simulator process.

    Args:
        design: what is simulated.
        params: the parameter values of the build.
        built: from :func:`tb.build.build`.
        episodes: what to run.
        folder: an existing folder for the job, the records, the log and the waves.
        seed: of the simulator's own randomness (initial values of flip-flops), and of cocotb's.
        timeout_s: wall time allowed.
    """
    write_job(
        Job(design.clocks, tuple(design.bundles(params)), design.registers, design.status, tuple(episodes)), folder
    )
    waves = folder / f"waves.{built.waves}" if built.waves else None
    # Verilator takes seeds from 1 to 2^31-1.
    command = [str(built.executable), f"+verilator+seed+{seed % 0x7FFFFFFE + 1}", "+verilator+rand+reset+2"]
    if waves is not None:
        command += ["--trace", "--trace-file", str(waves)]
    log = folder / "simulation.log"
    failure = None
    with log.open("w") as stream:
        try:
            run = subprocess.run(
                command,
                cwd=folder,
                env=_environment(folder, seed),
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                timeout=timeout_s,
                check=False,
            )
            if run.returncode:
                failure = f"the simulator ended with {run.returncode}"
        except subprocess.TimeoutExpired:
            failure = f"the simulator was still running after {timeout_s:.0f} s"
    records = []
    for index in range(len(episodes)):
        record = read_record(folder, index)
        if record is None:
            failure = f"{failure or 'the simulator stopped'} in episode {index} of {len(episodes)}; log in {log}:\n"
            failure += "\n".join(log.read_text(errors="replace").splitlines()[-30:])
            break
        records.append(record)
    return Result(tuple(records), waves, log, failure)


def _environment(folder: Path, seed: int) -> dict[str, str]:
    import cocotb_tools.config
    import find_libpython

    library = find_libpython.find_libpython()
    if library is None:
        raise ToolError("this Python has no shared library (libpython), which cocotb needs; use one built with it")
    env = dict(os.environ)
    env.pop("PYTEST_CURRENT_TEST", None)
    paths = [str(Path(__file__).resolve().parents[1]), *sys.path]
    env |= {
        "PYTHONPATH": os.pathsep.join(p for p in paths if p),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": f"{library};{cocotb_tools.config.pygpi_entry_point()}",
        "COCOTB_TOPLEVEL": "harness",
        "COCOTB_TEST_MODULES": "tb.session",
        "COCOTB_RANDOM_SEED": str(seed % 0x7FFFFFFE + 1),
        "COCOTB_RESULTS_FILE": str(folder / "cocotb.xml"),
        "COCOTB_TRUST_INERTIAL_WRITES": "1",
        "TOPLEVEL_LANG": "verilog",
        ENVIRONMENT: str(folder),
    }
    return env
