# SPDX-License-Identifier: Apache-2.0
"""The seal of a report: a hash of its content, by which edits and mixed folders are noticed.

It protects against accidents, not against somebody who computes it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.json_file import read_json
from goldbeat.tb.run.run_folder import REPORT

_KEY, _SINCE = "seal", "versions"
"""The seal, and what every report has that has one."""
MISSING = "missing"
"""In place of the hash of a file that cannot be read."""


def sealed(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report as JSON has it, with its seal."""
    plain = json.loads(json.dumps(report, default=list, allow_nan=False))
    return {**plain, _KEY: _seal_of(plain)}


def check_seal(folder: Path) -> bool:
    """Whether the report of a run has a seal, which its content must fit.

    Raises:
        InputError: no report, or one that has been edited; or its seal was taken off.
    """
    report = read_json(folder / REPORT, "the report of a run")
    if not isinstance(report, dict) or not {_KEY, _SINCE} & report.keys():
        return False
    if _KEY not in report:
        raise InputError("no seal", "the one that the run wrote; run again", file=folder / REPORT)
    if report[_KEY] != _seal_of(report):
        raise InputError(
            "content that does not fit its seal", "it as the run wrote it; run again", file=folder / REPORT
        )
    return True


def check_digest(path: Path, digest: str | None) -> None:
    """Refuse a file that is not the one that a report was written with; None: the report does not say.

    Raises:
        InputError: another content.
    """
    if digest is not None and path.is_file() and (now := file_digest(path)) != digest:
        said = f"the file of this run, sha256 {digest[:16]}...; run again"
        raise InputError(f"another file, sha256 {now[:16]}...", said, file=path)


def file_digest(path: Path) -> str:
    """SHA-256 of a file's content; or :data:`MISSING` where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return MISSING


def _seal_of(report: Mapping[str, Any]) -> str:
    text = json.dumps({name: value for name, value in report.items() if name != _KEY}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
