# SPDX-License-Identifier: Apache-2.0
"""First on the path of a simulator, this writes down every step of a suite's own tasks: the time, and the lines they wait in.

Steps are in the order in which tasks go on. Code in site-packages and in Goldbeat is left out.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_LEFT_OUT = ("site-packages", "/goldbeat/", "<")


def _lines(coroutine: Any) -> Iterator[str]:
    """Function and line of each coroutine of the suite that the task is in."""
    while (frame := getattr(coroutine, "cr_frame", None)) is not None:
        name = frame.f_code.co_filename
        if not any(part in name for part in _LEFT_OUT):
            yield f"{Path(name).name}:{frame.f_lineno}:{frame.f_code.co_name}"
        coroutine = coroutine.cr_await


def _record(path: str) -> None:
    from cocotb.task import Task
    from cocotb.utils import get_sim_time

    # Open until the simulator ends, which may happen anywhere.
    seen = Path(path).open("a", encoding="utf-8", buffering=1)  # noqa: SIM115
    resume = Task._resume

    def resume_and_note(self: Any) -> None:
        if places := [*_lines(self._coro)]:
            seen.write(f"{get_sim_time('step')} {' '.join(places)}\n")
        resume(self)

    Task._resume = resume_and_note


if os.environ.get("GOLDBEAT_SEEN") and os.environ.get("COCOTB_TEST_MODULES"):
    _record(os.environ["GOLDBEAT_SEEN"])
