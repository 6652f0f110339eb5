# SPDX-License-Identifier: Apache-2.0
"""Mutants that cases have killed, as ``goldbeat mutate`` has recorded them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, ValidationError

_FILE = "mutants.json"


class _Fate(BaseModel):
    status: str
    case: str = ""


class _Campaign(BaseModel):
    cases: list[str]
    fates: list[_Fate]


def kills_by_case(root: Path, note: Callable[[str], None] = lambda text: None) -> dict[str, float]:
    """Mutants that one seed of a case has noticed first, on average, by the case's key without the seed.

    Args:
        root: the folder for everything made.
        note: is told of files that cannot be read.
    """
    found: dict[str, float] = {}
    for path in sorted((root / "mutate").glob(f"*/{_FILE}")):
        try:
            campaign = _Campaign.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            note(f"{path}: not a report of goldbeat mutate; its kills are left out")
            continue
        seeds = Counter(_group(key) for key in campaign.cases)
        kills = Counter(_group(one.case) for one in campaign.fates if one.status == "killed")
        found |= {group: kills[group] / count for group, count in seeds.items() if kills[group]}
    return found


def _group(key: str) -> str:
    return key.rpartition("#")[0]
