# SPDX-License-Identifier: Apache-2.0
"""Tells two contents of a file apart, for what cases remember of a user's files."""

from __future__ import annotations

from pathlib import Path


def file_stamp(file: Path) -> tuple[int, int]:
    """Time of the last change in nanoseconds and size in bytes; zeros for a missing file, which its reader reports."""
    try:
        stat = file.stat()
    except OSError:
        return (0, 0)
    return (stat.st_mtime_ns, stat.st_size)
