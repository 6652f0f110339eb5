# SPDX-License-Identifier: Apache-2.0
"""Fates as they come in, in a file, so that a campaign that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.mutate.campaign import Fate
from goldbeat.tb.mutate.mutant import Mutant
from goldbeat.tb.regress.item import Item

_FILE = "fates.jsonl"


def fingerprint(items: Sequence[Item], mutants: Sequence[Mutant]) -> str:
    """What a campaign is about: its cases, its sources and its mutants."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(item.model_dump_json(exclude={"index"}).encode())
    for path in dict.fromkeys(m.place.file for m in mutants):
        digest.update(path.read_bytes())
    for one in mutants:
        digest.update(f"{one.number} {one.place.start} {one.place.end} {one.operator} {one.change}\n".encode())
    return digest.hexdigest()[:16]


class Journal:
    """The file of one campaign.

    Args:
        folder: of the campaign.
        about: its fingerprint.
        resume: go on with what is there.

    Raises:
        UsageError: there is nothing to go on with, or it is about something else.
    """

    def __init__(self, folder: Path, about: str, *, resume: bool) -> None:
        self._path = folder / _FILE
        self._rows: list[dict[str, str | int]] = []
        if resume:
            self._read(about)
        else:
            self._path.write_text(json.dumps({"about": about}) + "\n")

    def _read(self, about: str) -> None:
        if not self._path.is_file():
            raise UsageError(f"{self._path}: no campaign to resume; omit --resume")
        head, *rest = self._path.read_text().splitlines()
        if json.loads(head)["about"] != about:
            raise UsageError(f"{self._path.parent}: sources, cases or mutants have changed since then; omit --resume")
        for line in rest:
            try:
                self._rows.append(json.loads(line))
            except json.JSONDecodeError:
                # The last line of a process that was killed.
                break

    def known(self, mutants: Sequence[Mutant]) -> Mapping[int, Fate]:
        """The fates that are known, by number of the mutant."""
        by_number = {m.number: m for m in mutants}
        return {
            number: _fate(by_number[number], row) for row in self._rows if (number := int(row["mutant"])) in by_number
        }

    def add(self, fate: Fate) -> None:
        """Keep a fate."""
        row = {"mutant": fate.mutant.number, "status": fate.status, "by": fate.by, "case": fate.case}
        row["cycles"] = fate.cycles
        row |= {"reason": fate.reason} if fate.reason else {}
        with self._path.open("a") as file:
            file.write(json.dumps(row | {"failure": fate.failure.partition("\n")[0]}) + "\n")


def _fate(mutant: Mutant, row: Mapping[str, str | int]) -> Fate:
    status, by, case, failure = (str(row[name]) for name in ("status", "by", "case", "failure"))
    return Fate(mutant, status, by, case, failure, str(row.get("reason", "")), int(row["cycles"]))
