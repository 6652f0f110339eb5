# SPDX-License-Identifier: Apache-2.0
"""A child process that does not outlive its parent, even one killed with -9."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

ENVIRONMENT = "GOLDBEAT_PARENT"
"""Names the parent's process id to a child that cannot be told otherwise."""
_PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Have the system kill this process when the thread that started it ends (Linux; elsewhere nothing happens)."""
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        # The parent died before the call.
        os._exit(1)
