# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while the commands are still being imported, and behind their end: no traceback, no death by the signal."""

from __future__ import annotations

# Each import here is time in which Ctrl-C still is Python's.
import atexit
import os
import signal
import sys

_NAMES = ("goldbeat", "-m")
"""What the program is called while ``goldbeat`` or ``python -m goldbeat.tb.cli`` starts; others that import the
package keep theirs.
"""

_is_command = bool(sys.argv) and os.path.basename(sys.argv[0]) in _NAMES  # noqa: PTH119
"""Whether this process is the command; its name changes once it has started."""


def begin() -> None:
    """End quietly on Ctrl-C from now on, where this process is the command."""
    if _is_command and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        try:
            signal.signal(signal.SIGINT, _stop)
        except ValueError:
            # Only the main thread may.
            return
        # Called last: all is said and done, but while Python takes itself apart, Ctrl-C would end it by the signal.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def end() -> None:
    """From now on commands see Ctrl-C themselves."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _stop(number: int, frame: object) -> None:
    os.write(2, b"stopped\n")
    os._exit(128 + number)
