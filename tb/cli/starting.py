# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while the commands are still being imported, and behind their end: no traceback, no death by the signal."""

from __future__ import annotations

# Each import here is time in which Ctrl-C still is Python's.
import atexit
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_NAMES = ("goldbeat", "-m")
"""What the program is called while ``goldbeat`` or ``python -m goldbeat.tb.cli`` starts; others that import the
package keep theirs.
"""

_is_command = bool(sys.argv) and os.path.basename(sys.argv[0]) in _NAMES  # noqa: PTH119
"""Whether this process is the command; its name changes once it has started."""


_LATER_S = 0.02
"""How long Ctrl-C waits for the end of an import before it looks again."""
_LONGEST_S = 2.0
"""How long it waits in all: a user's module may never end."""
_LOST_S = 0.5
"""After which a Ctrl-C that nobody has seen was lost."""

_again = False
"""Whether the next SIGINT is ours, not the user's."""
_looks = 0
"""How often Ctrl-C has found an import under way."""


def begin(*, is_command: bool = _is_command) -> None:
    """End quietly on Ctrl-C from now on, where this process is the command."""
    if is_command and signal.getsignal(signal.SIGINT) in (signal.default_int_handler, _interrupt):
        try:
            signal.signal(signal.SIGINT, _stop)
        except ValueError:
            # Only the main thread may.
            return
        # Called last: all is said and done, but while Python takes itself apart, Ctrl-C would end it by the signal.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def end() -> None:
    """From now on commands see Ctrl-C themselves, as ``KeyboardInterrupt``."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, _interrupt)


def _stop(number: int, frame: object) -> None:
    os.write(2, b"stopped\n")
    os._exit(128 + number)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise ``KeyboardInterrupt`` where it is not lost, and once more where it was.

    Modules written in C lose it or make another error of it while they are imported, and so do callbacks of weak
    references at any time.
    """
    global _again, _looks
    ours, _again = _again, False
    _looks += 1
    if _looks * _LATER_S < _LONGEST_S and _imports(frame):
        _send_again(_LATER_S)
    elif not ours or not _is_seen():
        _send_again(_LOST_S)
        raise KeyboardInterrupt


def _imports(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _is_seen() -> bool:
    """Whether a block is being left because of it right now."""
    error = sys.exc_info()[1]
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _send_again(seconds: float) -> None:
    from threading import Timer

    timer = Timer(seconds, _send)
    timer.daemon = True
    timer.start()


def _send() -> None:
    global _again
    if signal.getsignal(signal.SIGINT) is _interrupt:
        _again = True
        os.kill(os.getpid(), signal.SIGINT)
