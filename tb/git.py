# SPDX-License-Identifier: Apache-2.0
"""What git knows of the current folder."""

from __future__ import annotations

import subprocess


def git_revision() -> str:
    """The revision of the current folder, with ``+`` when files have been changed; ``unknown`` without git."""
    try:
        head = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True, timeout=30
        ).stdout.strip()
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--untracked-files=no"],
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return f"{head}+" if changed else head
