# SPDX-License-Identifier: Apache-2.0
"""In the simulator: the test module that runs one coroutine of another one, with the arguments that pytest has made."""

from __future__ import annotations

import os
import pickle
from importlib import import_module
from pathlib import Path
from typing import Any

import cocotb

from goldbeat.tb.regress.bench_run import JOB

_job = pickle.loads(Path(os.environ[JOB]).read_bytes())
_function = getattr(import_module(_job.module), _job.function)


@cocotb.test(name=_job.function)  # type: ignore[untyped-decorator]
async def run_job(dut: Any) -> None:
    """The coroutine."""
    await _function(**_job.arguments, **({"dut": dut} if _job.wants_dut else {}))


run_job.module, run_job.doc = _job.module, None
