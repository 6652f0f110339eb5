# SPDX-License-Identifier: Apache-2.0
"""What git knows of the current folder."""

from __future__ import annotations

import subprocess
from pathlib import Path


def installed_revision() -> str:
    """The revision of Goldbeat's own clone; empty where it was not installed from one."""
    root = Path(__file__).resolve().parent.parent
    if not (root / ".git").exists():
        return ""
    revision = git_revision(root)
    return "" if revision == "unknown" else revision


def top_level(folder: Path) -> Path | None:
    """The clone that a folder is in."""
    resolved = folder.resolve()
    return next((one for one in (resolved, *resolved.parents) if (one / ".git").exists()), None)


def git_revision(folder: Path | None = None) -> str:
    """The revision of a folder, by default the current one, with ``+`` when files have been changed; ``unknown`` without git."""
    try:
        head = _git(folder, "rev-parse", "--short=12", "HEAD")
        changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return f"{head}+" if changed else head


def _git(folder: Path | None, *words: str) -> str:
    done = subprocess.run(["git", *words], capture_output=True, text=True, check=True, timeout=30, cwd=folder)
    return done.stdout.strip()
