# SPDX-License-Identifier: Apache-2.0
"""Wave files as signals."""

import multiprocessing
from pathlib import Path

import pytest

from goldbeat.tb.run.waves import wave_signals, waves_readable

VARIABLES = 40


@pytest.fixture
def waves(tmp_path: Path) -> Path:
    """A file that is long enough for its reader to think of threads."""
    names = [chr(33 + n) for n in range(VARIABLES)]
    head = ["$timescale 1ps $end", "$scope module top $end"]
    head += [f"$var wire 8 {name} s{n} $end" for n, name in enumerate(names)]
    head += ["$upscope $end", "$enddefinitions $end"]
    body = [line for time in range(2000) for line in (f"#{time}", *(f"b{time % 256:b} {name}" for name in names))]
    (tmp_path / "waves.vcd").write_text("\n".join([*head, *body]))
    return tmp_path / "waves.vcd"


def values(path: Path) -> int:
    found = wave_signals(path)
    assert len(found) == VARIABLES
    return sum(len(signal.values) for signal in found.values())


@pytest.mark.skipif(not waves_readable(), reason="pywellen is not installed")
def test_a_forked_process_reads_what_its_parent_has_read(waves: Path):
    assert values(waves) == VARIABLES * 2000
    child = multiprocessing.get_context("fork").Process(target=values, args=(waves,), daemon=True)
    child.start()
    child.join(20)
    assert child.exitcode == 0
