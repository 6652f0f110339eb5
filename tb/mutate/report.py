# SPDX-License-Identifier: Apache-2.0
"""The results of all mutants: a score, JSON, and a page that shows each beside its line of source."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from goldbeat.tb.git import git_revision
from goldbeat.tb.mutate.campaign import Fate
from goldbeat.tb.mutate.waivers import MutantWaiver
from goldbeat.tb.visible import visible

_TEMPLATES = Path(__file__).resolve().parent / "templates"
JSON_FILE, PAGE = "mutants.json", "index.html"
ORDER = ("survived", "not reached", "killed", "equivalent", "waived")
LEFT_OUT = ("equivalent", "waived")
"""Of the score: no case can notice these, or need not."""


@dataclass(frozen=True)
class Score:
    """How many mutants ended how.

    Attributes:
        counts: by status.
        by: killed ones by what noticed them.
    """

    counts: Mapping[str, int]
    by: Mapping[str, int]

    @property
    def judged(self) -> int:
        """Mutants that are neither waived nor proven to be equivalent."""
        return sum(n for status, n in self.counts.items() if status not in LEFT_OUT)

    @property
    def share(self) -> float | None:
        """Killed ones of all that are judged; None: there are none."""
        return self.counts.get("killed", 0) / self.judged if self.judged else None


def score(fates: Sequence[Fate]) -> Score:
    """Count."""
    return Score(Counter(f.status for f in fates), Counter(f.by for f in fates if f.status == "killed"))


def summary_dict(
    design: str, cases: Sequence[str], fates: Sequence[Fate], stale: Sequence[MutantWaiver], root: Path
) -> dict[str, Any]:
    """Everything for machines.

    Args:
        design: what was mutated.
        cases: keys of the cases.
        fates: of all mutants that ran.
        stale: waivers that fit no mutant.
        root: paths of sources are relative to it, where they are below it.
    """
    counted = score(fates)
    return {
        "design": design,
        "git": git_revision(),
        "cases": list(cases),
        "mutants": len(fates),
        "score": counted.share,
        "counts": {status: counted.counts.get(status, 0) for status in ORDER},
        "killed_by": dict(counted.by),
        "stale_waivers": [one.model_dump() for one in stale],
        "fates": [_row(one, root) for one in fates],
    }


def _row(fate: Fate, root: Path) -> dict[str, Any]:
    place = fate.mutant.place
    row = {
        "mutant": fate.mutant.number,
        "status": fate.status,
        "file": _relative(place.file, root),
        "line": place.line,
        "column": place.column,
        "operator": fate.mutant.operator,
        "change": fate.mutant.change,
    }
    more: dict[str, Any] = {
        "by": fate.by,
        "case": fate.case,
        "failure": fate.failure.partition("\n")[0],
        "reason": fate.reason,
    }
    more |= {"cycles": fate.cycles} if fate.status == "killed" else {}
    return row | {name: value for name, value in more.items() if value}


def _relative(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def write_results(folder: Path, result: Mapping[str, Any], fates: Sequence[Fate], root: Path) -> None:
    """Write ``mutants.json`` and ``index.html``.

    Args:
        folder: an existing one.
        result: from :func:`summary_dict`.
        fates: the same mutants.
        root: likewise.
    """
    (folder / JSON_FILE).write_text(json.dumps(result, indent=1) + "\n")
    files = []
    for path in dict.fromkeys(f.mutant.place.file for f in fates):
        by_line: dict[int, list[Fate]] = {}
        for one in fates:
            if one.mutant.place.file == path:
                by_line.setdefault(one.mutant.place.line, []).append(one)
        lines = [
            (number, visible(text, line=True), sorted(by_line.get(number, ()), key=lambda f: ORDER.index(f.status)))
            for number, text in enumerate(path.read_text(errors="replace").splitlines(), 1)
        ]
        files.append((_relative(path, root), score([f for one in by_line.values() for f in one]), lines))
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("mutants.html.j2").render(result=result, files=files, order=ORDER)
    (folder / PAGE).write_text(page, errors="replace")
