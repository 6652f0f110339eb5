# SPDX-License-Identifier: Apache-2.0
"""First on the path of a simulator, this writes down every step of a suite's own tasks: the time, and the lines they wait in.

Steps are in the order in which tasks go on. Code in site-packages and in Goldbeat is left out.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ENDED = "ended: its processor time is over"
_LEFT_OUT = ("site-packages", "/goldbeat/", "<")


def _lines(coroutine: Any) -> Iterator[str]:
    """Function and line of each coroutine of the suite that the task is in."""
    while (frame := getattr(coroutine, "cr_frame", None)) is not None:
        name = frame.f_code.co_filename
        if not any(part in name for part in _LEFT_OUT):
            yield f"{Path(name).name}:{frame.f_lineno}:{frame.f_code.co_name}"
        coroutine = coroutine.cr_await


def _write_early() -> None:
    """Let the results be written after each test: a run that is ended has some too."""
    from cocotb.regression import RegressionManager

    score = RegressionManager._score_test

    def score_and_write(self: Any, *args: Any, **more: Any) -> None:
        score(self, *args, **more)
        self.xunit.write(os.getenv("COCOTB_RESULTS_FILE", "results.xml"))

    RegressionManager._score_test = score_and_write

    end = RegressionManager._tear_down

    def end_in_time(self: Any) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        end(self)

    RegressionManager._tear_down = end_in_time


def _record(path: str) -> None:
    from cocotb.task import Task
    from cocotb.utils import get_sim_time

    # Open until the simulator ends, which may happen anywhere.
    seen = Path(path).open("a", encoding="utf-8", buffering=1)  # noqa: SIM115
    resume, over = Task._resume, _time_is_over(float(os.environ.get("GOLDBEAT_SEEN_SECONDS", "0")))

    def resume_and_note(self: Any) -> None:
        if over:
            seen.write(f"{ENDED}\n")
            os._exit(1)
        if places := [*_lines(self._coro)]:
            seen.write(f"{get_sim_time('step')} {' '.join(places)}\n")
        resume(self)

    Task._resume = resume_and_note


def _time_is_over(seconds: float) -> list[bool]:
    """Empty until the simulator has used so much processor time. A signal may come in the middle of a write."""
    over: list[bool] = []
    if seconds:
        signal.signal(signal.SIGPROF, lambda *_: over.append(True))
        signal.setitimer(signal.ITIMER_PROF, seconds)
    return over


if os.environ.get("COCOTB_TEST_MODULES"):
    if os.environ.get("GOLDBEAT_SEEN"):
        _write_early()
        _record(os.environ["GOLDBEAT_SEEN"])
    if os.environ.get("GOLDBEAT_COCOTB_1"):
        import cocotb1

        cocotb1.old_names()
        cocotb1.values_are_numbers()
