# SPDX-License-Identifier: Apache-2.0
"""Child processes that do not outlive their parent, even one killed with -9.

Two ways: a child of ours asks the system for it itself (:func:`end_with`); somebody else's program and all that it starts gets a
guard, which runs this very file: it holds the read end of a pipe whose other end the parent alone has, and kills the whole process
group when that end closes.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

ENVIRONMENT = "GOLDBEAT_PARENT"
"""Names the parent's process id to a child that cannot be told otherwise."""
_PR_SET_PDEATHSIG = 1
_NOT_FOUND = 127
_BY_SIGNAL = 128


def end_with(parent: int) -> None:
    """Have the system kill this process when the thread that started it ends (Linux; elsewhere nothing happens)."""
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        # The parent died before the call.
        os._exit(1)


def guarded_call(command: Sequence[str], folder: Path, environment: Mapping[str, str], out: IO[str]) -> int:
    """Run a program that may start others, and wait for it; all of them end with this process, and on Ctrl-C.

    Args:
        command: program and arguments.
        folder: to run it in.
        environment: all of it.
        out: for what they print.

    Returns:
        the exit code; above 128: ended by that signal; 127: there is no such program.
    """
    theirs, ours = os.pipe()
    try:
        guard = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, str(theirs), *command],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            pass_fds=(theirs,),
            process_group=0,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    try:
        return guard.wait()
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(guard.pid, signal.SIGKILL)
        guard.wait()
        raise
    finally:
        os.close(ours)


def _guard(pipe: int, command: Sequence[str]) -> int:
    """What the guard does."""
    os.set_inheritable(pipe, False)

    def watch() -> None:
        # Nobody writes: this returns when the parent has gone.
        os.read(pipe, 1)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
    try:
        child = os.posix_spawnp(command[0], list(command), dict(os.environ))
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        return _NOT_FOUND
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else _BY_SIGNAL - code


if __name__ == "__main__":
    sys.exit(_guard(int(sys.argv[1]), sys.argv[2:]))
