# SPDX-License-Identifier: Apache-2.0
"""A mutant's limit is time at work: a simulator that gets no processor is not one that hangs."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.mutate import kept
from goldbeat.tb.mutate.campaign import Campaign, plan_cases
from goldbeat.tb.mutate.points import find_mutants
from goldbeat.tb.mutate.used_time import UsedTime
from goldbeat.tb.run.simulate import Simulator


def go_on(process_id: int) -> None:
    # Killed before its pause ended.
    with contextlib.suppress(ProcessLookupError):
        os.kill(process_id, signal.SIGCONT)


def used_by(code: str, wall_s: float, *, stopped: bool = False) -> float:
    """Seconds that a Python process has used after so long, from its first line on."""
    with subprocess.Popen(
        [sys.executable, "-S", "-c", f"print(flush=True)\n{code}"], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        if stopped:
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.1)
        used = UsedTime(process.pid)
        end = time.monotonic() + wall_s
        while (found := used.seconds()) < wall_s and time.monotonic() < end:
            time.sleep(0.05)
        process.kill()
    return found


def test_work_and_sleep_count_and_a_stop_does_not():
    assert used_by("while True: pass", 0.5) > 0.02
    assert used_by("import time; time.sleep(60)", 0.5) > 0.3
    assert used_by("while True: pass", 0.5, stopped=True) <= 0.02


def test_sleep_behind_a_stop_does_not_count_before_the_next_look():
    """The state at a look says nothing of the time before it, where the look before saw another state."""
    with subprocess.Popen(
        [sys.executable, "-S", "-c", "print(flush=True)\nimport time; time.sleep(60)"], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.2)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        used = UsedTime(process.pid)
        time.sleep(0.5)
        process.send_signal(signal.SIGCONT)
        time.sleep(0.1)
        behind = used.seconds()
        time.sleep(0.3)
        later = used.seconds()
        process.kill()
    assert behind < 0.2 <= later


@pytest.mark.sim
def test_a_simulator_that_was_paused_is_no_kill_and_one_without_an_end_is(tmp_path, monkeypatch):
    """Simulators are stopped for longer than the limit as soon as a mutant is chosen; one that nothing notices survives."""
    design = find_design("axis_skid")
    mutants = find_mutants(design.sources(), include_dirs=design.include_paths())
    quiet = next(m for m in mutants if m.operator == "dropped" and "s_ready_q <= 1'b0" in m.change)
    paused = []
    real = Simulator.run_more

    def pause(process: Simulator, episodes) -> None:
        os.kill(process.process_id, signal.SIGSTOP)
        real(process, episodes)
        paused.append(process)
        threading.Timer(1.0, go_on, (process.process_id,)).start()

    with Campaign(plan_cases("axis_skid", ["random"], 1), mutants, tmp_path / "all") as campaign:
        campaign.check_original()
        monkeypatch.setattr(kept, "_LEAST_S", 0.5)
        monkeypatch.setattr(kept, "_SLOWER", 0.0)
        monkeypatch.setattr(Simulator, "run_more", pause)
        assert campaign.fate(quiet).status == "survived"
        assert paused
        # The same with a limit that any time passes; a simulator that is not paused may end before anybody looks.
        monkeypatch.setattr(kept, "_LEAST_S", -1.0)
        monkeypatch.setattr(kept, "_SLOWER", -1e9)
        fate = campaign.fate(quiet)
        assert (fate.status, fate.by) == ("killed", "hang")
