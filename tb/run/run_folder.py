# SPDX-License-Identifier: Apache-2.0
"""Folders of runs: their names, and how Goldbeat knows its own, so that it never deletes what a user owns."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from pathlib import Path

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.in_use import try_lock
from goldbeat.tb.paths import PLAIN, plain_name
from goldbeat.tb.run.episodes import FILE as EPISODES
from goldbeat.tb.run.episodes import OLD_FILE as OLD_EPISODES

MARKER = "goldbeat-run.json"
"""The file by which a run's folder is recognised."""
SCHEMA = "goldbeat-run-1"
REPORT = "report.json"
PLOT = "plot.svg"
DIAGRAM = "difference.svg"
"""The window around the first difference of a run that failed."""
SURFER_VIEW, GTKWAVE_VIEW = "difference.sucl", "difference.gtkw"
"""The waves of a run that failed, at the first difference."""
TIMELINE = "trace.json.gz"
"""The trace for Perfetto."""
PAGE = "report.html"
"""The page of a run: made on request from everything else."""
OLD_PLOT = "plot.png"
"""What earlier versions drew."""
MADE = (
    *(REPORT, EPISODES, OLD_EPISODES, "traces", "expected"),
    *(
        "stimulus",
        "output",
        PLOT,
        DIAGRAM,
        SURFER_VIEW,
        GTKWAVE_VIEW,
        TIMELINE,
        PAGE,
        OLD_PLOT,
        "memory",
        "seeds",
        "sim",
    ),
)
"""What runs leave in their folder; nothing else there is ever touched."""
_MARKER_BYTES = 4096
_mine: list[int] = []


def run_folder(root: Path, label: str | None, default: str) -> Path:
    """The folder of a run below ``runs``.

    Args:
        root: the folder for everything made.
        label: the user's ``--name``; None: there is none.
        default: what it is called then; may hold anything.

    Raises:
        UsageError: the name is not a plain one, so that it could be outside.
    """
    if label is not None and not PLAIN.fullmatch(label):
        raise UsageError(
            f"--name {label!r}: expected letters, digits, '.', '_' and '-', beginning with a letter, a digit or '_'; "
            "runs go to build/runs (GOLDBEAT_BUILD puts build elsewhere)"
        )
    return root / "runs" / (label or plain_name(default))


def is_run(folder: Path) -> bool:
    """Whether a run has made this folder."""
    marker = folder / MARKER
    try:
        if marker.stat().st_size > _MARKER_BYTES:
            return False
        said = json.loads(marker.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(said, dict) and said.get("schema") == SCHEMA


def view_commands(folder: Path, waves: Path) -> dict[str, str]:
    """The command of each viewer that opens the waves at the first difference.

    Args:
        folder: with the views.
        waves: the wave file.
    """
    return {
        "Surfer": shlex.join(["surfer", "--command-file", str(folder / SURFER_VIEW), str(waves)]),
        "GTKWave": shlex.join(["gtkwave", str(waves), str(folder / GTKWAVE_VIEW)]),
    }


def check_ours(folder: Path, *, force: bool = False) -> None:
    """Refuse a folder with something in a run's place that no run has made.

    Args:
        folder: of a run; it need not exist.
        force: what is in a run's place may be deleted all the same.

    Raises:
        UsageError: the folder is the user's, or no folder.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    taken = next((name for name in (*MADE, MARKER) if _there(folder / name)), None)
    if taken is not None and not force and not is_run(folder):
        raise UsageError(
            f"{folder / taken} was not written by a run: {folder} has no {MARKER}; choose another --name, move the folder "
            "away, or replace a run's files in it with --force"
        )


def prepare(folder: Path, *, force: bool = False) -> None:
    """Make a run's folder, clearing what an earlier run left there and nothing else.

    Call it when nothing is refused any more: a request that makes no sense leaves the earlier run as it is.

    Args:
        folder: of the run.
        force: clear it although no run has made it.

    Raises:
        UsageError: as for :func:`check_ours`, or another process is writing to the folder.
    """
    check_ours(folder, force=force)
    folder.mkdir(parents=True, exist_ok=True)
    if not is_run(folder):
        part = folder / f"{MARKER}.part"
        part.write_text(json.dumps({"schema": SCHEMA}) + "\n")
        part.replace(folder / MARKER)
    _lock(folder)
    for name in MADE:
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _lock(folder: Path) -> None:
    """Hold a run's folder until this process ends, or prepares another: no other run writes to it, and cleaning keeps it."""
    if _mine:
        os.close(_mine.pop())
    lock = os.open(folder / MARKER, os.O_RDWR | os.O_CLOEXEC)
    if not try_lock(lock):
        os.close(lock)
        raise UsageError(f"another process is writing to {folder}; choose another --name")
    _mine.append(lock)


def _there(path: Path) -> bool:
    """Also for a link to nowhere."""
    return path.exists() or path.is_symlink()
