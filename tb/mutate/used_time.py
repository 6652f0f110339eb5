# SPDX-License-Identifier: Apache-2.0
"""How long a process has been at work, on a machine that may have little time for it."""

from __future__ import annotations

import os
import time
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_ASLEEP = "S"


class UsedTime:
    """The time that a process has used since this was made.

    Processor time counts, and so does time in which the process slept all along: what waits for something that never comes has to
    end some time. Time in which it would run but gets no processor, or in which a signal has stopped it, does not count.

    Args:
        process_id: of the process. Where the system does not tell of processes (no ``/proc``), all time counts.
    """

    def __init__(self, process_id: int) -> None:
        self._stat = Path(f"/proc/{process_id}/stat")
        self._used = 0.0
        self._looked = time.monotonic()
        self._state, self._processor = self._look()

    def _look(self) -> tuple[str, float]:
        """State and seconds of processor; of a process that has gone, or cannot be looked at, an empty state."""
        try:
            # The name before it, in brackets, may have any characters.
            fields = self._stat.read_text().rpartition(")")[2].split()
        except OSError:
            return "", 0.0
        # Fields 14 and 15 of proc_pid_stat(5); the state is field 3.
        return fields[0], (int(fields[11]) + int(fields[12])) / _TICKS

    def seconds(self) -> float:
        """Seconds used up to now; sleep is seen when this is asked several times."""
        state, processor = self._look()
        now = time.monotonic()
        if not state:
            self._used += now - self._looked
        elif processor > self._processor:
            self._used += processor - self._processor
        elif state == _ASLEEP == self._state:
            # Asleep at both looks: one that a signal had stopped, or that waited for a processor, may sleep by now.
            self._used += now - self._looked
        self._state, self._looked, self._processor = state, now, max(processor, self._processor)
        return self._used
