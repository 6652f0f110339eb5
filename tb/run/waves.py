# SPDX-License-Identifier: Apache-2.0
"""Signals of a wave file (FST or VCD), read with pywellen."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

WAVES_READER = "pywellen"
"""The package that reads wave files."""


class WaveSignal:
    """A signal's values by time.

    Args:
        width: its bits.
        changes: time in ps and value of each change, in order.
        start_ps: what times count from.
    """

    def __init__(self, width: int, changes: list[tuple[int, Any]], start_ps: int = 0) -> None:
        self.width = width
        self.times = [time - start_ps for time, _ in changes]
        self.values = [value for _, value in changes]

    def at(self, time: int) -> Any:
        """Its value then; None before the first one."""
        index = bisect.bisect_right(self.times, time) - 1
        return self.values[index] if index >= 0 else None

    def moves(self, until: int | None) -> bool:
        """It changes after time 0, before ``until``."""
        return any(time > 0 and (until is None or time < until) for time in self.times)


def waves_readable() -> bool:
    """The package that reads wave files is there."""
    return find_spec(WAVES_READER) is not None


def wave_signals(path: Path, start_ps: int = 0, wanted: Callable[[str], bool] | None = None) -> dict[str, WaveSignal]:
    """Signals of a wave file by their paths.

    Args:
        path: of the file.
        start_ps: what times count from.
        wanted: which signals are read; None: all.
    """
    import pywellen

    # Its threads live as long as their process: in one that was forked behind them, it would wait for them for ever.
    waves = pywellen.Waveform(str(path), multi_threaded=False)
    found = (var for var in waves.all_vars() if wanted is None or wanted(var.full_name))
    return {var.full_name: WaveSignal(var.bitwidth or 1, var.tv, start_ps) for var in found}
