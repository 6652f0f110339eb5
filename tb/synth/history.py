# SPDX-License-Identifier: Apache-2.0
"""What designs have cost, run by run: a JSON file per design, family and set of parameters."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.json_file import read_json
from goldbeat.tb.paths import plain_name
from goldbeat.tb.synth.families import RESOURCES

VERDICTS = "checks.json"
_KEPT = 100
"""Runs per file, the newest."""


def record_path(root: Path, design: str, family: str, params: Mapping[str, Any]) -> Path:
    """The file of a design with these parameters, below the folder for everything made."""
    mark = hashlib.sha256(json.dumps(params, sort_keys=True, default=list).encode()).hexdigest()[:8]
    return root / "synth" / plain_name(design) / f"{plain_name(family)}-{mark}.json"


def past_runs(path: Path) -> list[dict[str, Any]]:
    """The runs of a file, the oldest first; none where there is no file.

    Raises:
        InputError: the file is damaged.
    """
    if not path.is_file():
        return []
    try:
        return list(read_json(path, "runs of `goldbeat synth`; remove it")["runs"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{type(error).__name__}: {error}", "runs of `goldbeat synth`; remove it", file=path) from None


def add_run(path: Path, head: Mapping[str, Any], run: Mapping[str, Any]) -> dict[str, Any] | None:
    """Write a run down.

    Args:
        path: of :func:`record_path`.
        head: what all runs of the file share.
        run: with ``key``, the content that it is of; a run of the same content as the last takes its place.

    Returns:
        the run before it that was of another content, if any.
    """
    runs = past_runs(path)
    if runs and runs[-1]["key"] == run["key"]:
        runs.pop()
    before = runs[-1] if runs else None
    runs.append({"when": datetime.now(UTC).isoformat(timespec="seconds"), **run})
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.part")
    fresh.write_text(json.dumps({**head, "runs": runs[-_KEPT:]}, indent=2, default=list) + "\n")
    fresh.replace(path)
    return before


def write_verdicts(root: Path, design: str, params: Mapping[str, Any], git: str, verdicts: Mapping[str, bool]) -> None:
    """Keep whether each check has passed, as the newest verdict on a design with these parameters.

    Args:
        root: the folder for everything made.
        design: its name.
        params: all parameter values.
        git: revision.
        verdicts: by check.
    """
    path = root / "synth" / plain_name(design) / VERDICTS
    path.parent.mkdir(parents=True, exist_ok=True)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        known = json.loads(path.read_text())
    except (OSError, ValueError):
        # There is none, or it is damaged: what it said is lost either way.
        known = {}
    known[json.dumps(params, sort_keys=True, default=list)] = {"when": when, "git": git, "checks": dict(verdicts)}
    path.write_text(json.dumps(known, indent=1) + "\n")


def trend(before: Mapping[str, Any] | None, resources: Mapping[str, float]) -> dict[str, float]:
    """How much more of each resource than in the run before."""
    if before is None or not before.get("resources"):
        return {}
    return {name: resources[name] - before["resources"].get(name, 0) for name in RESOURCES}
