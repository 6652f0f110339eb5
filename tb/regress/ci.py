# SPDX-License-Identifier: Apache-2.0
"""What CI servers show of a run: GitHub's annotations and step summary, GitLab's code quality report.

Formats: GitHub's "Workflow commands" (``::error file=,line=,title=::message``, percent-encoded) and "Adding a job summary";
GitLab's "Code Quality report format" (an array of description, check_name, fingerprint, severity, location).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.regress.brief import Brief
from goldbeat.tb.regress.budget import left_out_names, order_text
from goldbeat.tb.regress.item import Status
from goldbeat.tb.regress.quarantine import Quarantined, quarantined
from goldbeat.tb.regress.quarantine_file import QuarantineEntry
from goldbeat.tb.regress.reports import MOST_WHOLE
from goldbeat.tb.regress.store import Row, Run, Store
from goldbeat.tb.regress.summary import cells, recorded_text
from goldbeat.tb.run.code_coverage import KINDS, by_file
from goldbeat.tb.visible import visible

Service = Literal["github", "gitlab"]
MOST_ANNOTATIONS = 10
"""GitHub shows no more errors of a step."""
_NONE_HELD = Quarantined()
_MOST_FAILURES = 20
_MOST_TEXT = 400
_PLACE = re.compile(r"([\w.+/-]+\.(?:sv|svh|v|vh)):(\d+)")


@dataclass(frozen=True)
class Annotation:
    """A failure at a place of the user's files.

    Attributes:
        key: of the case.
        path: of the file, from the current folder; empty where it lies elsewhere.
        line: of the file.
        message: what failed first, and the command that repeats it.
        check: the kind of failure: a status.
        excused: it is in quarantine: a warning.
    """

    key: str
    path: str
    line: int
    message: str
    check: str
    excused: bool = False


def find_annotations(
    run: Run, failures: Iterable[Row], excused: Mapping[int, QuarantineEntry] | None = None
) -> list[Annotation]:
    """One for each case that does not pass, at the line that a failed assertion names, else at its description or top module."""
    found = [_annotation(run, row, (excused or {}).get(row.item.index)) for row in failures]
    return sorted(found, key=lambda one: one.excused)


def _annotation(run: Run, row: Row, entry: QuarantineEntry | None) -> Annotation:
    assert row.result is not None
    texts = row.result.failures
    first = visible(texts[0].partition("\n")[0]) if texts else row.result.status.value
    path, line = _place(row, texts)
    message = f"{first[:_MOST_TEXT]}\nrepeat: {run.repeat(row.item.key)}"
    if entry is not None:
        message = f"quarantined: {entry.text}: {message}"
    return Annotation(row.item.key, path, line, message, row.result.status.value, entry is not None)


def _place(row: Row, texts: Sequence[str]) -> tuple[str, int]:
    try:
        sources = list(find_design(row.item.source or row.item.design).sources())
    except GoldbeatError:
        # The description has gone or is broken since; the failure is shown all the same.
        sources = []
    for match in (m for text in texts for m in _PLACE.finditer(text)):
        named = [s for s in sources if s.as_posix().endswith(match[1].lstrip("./"))]
        if named:
            return _local(named[0]), int(match[2])
    described = [Path(row.item.source)] if row.item.source else sources[-1:]
    return (_local(described[0]) if described else ""), 1


def _local(path: Path) -> str:
    path, here = path.resolve(), Path.cwd().resolve()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else ""


def write_ci(store: Store, run: Run, service: Service) -> list[str]:
    """Write what the service shows into the run's folder, job summary and outputs where GitHub wants them; lines to print."""
    rows, covered = store.briefs(run.id), store.coverage(run.id)
    held = quarantined(store, run, rows)
    found = find_annotations(run, store.bad(run.id, MOST_WHOLE), {n: entry for n, (_, entry) in held.excused.items()})
    if service == "gitlab":
        (run.folder / "codequality.json").write_text(code_quality(found), encoding="utf-8")
        # GitLab reads a job's coverage from its log: coverage: '/line coverage: \d+\.\d+%/'.
        return [f"{kind} coverage: {share:.2%}" for kind, share in coverage_shares(covered).items()]
    text = markdown(run, rows, covered, held)
    (run.folder / "summary.md").write_text(text, encoding="utf-8")
    bad = sum(row.status is not None and not row.passed and row.number not in held.excused for row in rows)
    said = f"run={run.id}\nstatus={run.status}\nfailed={bad}\ntotal={run.total}\n"
    for variable, more in (("GITHUB_STEP_SUMMARY", text), ("GITHUB_OUTPUT", said)):
        if file := os.environ.get(variable):
            with Path(file).open("a", encoding="utf-8") as stream:
                stream.write(more)
    return github_lines(found)


# -- GitHub -----------------------------------------------------------------------------------------------------------


def github_lines(found: Sequence[Annotation]) -> list[str]:
    """Workflow commands, as many as GitHub shows."""
    return [
        "::{} {}::{}".format(
            "warning" if one.excused else "error",
            ",".join(
                f"{name}={_property(value)}"
                for name, value in (("file", one.path), ("line", str(one.line) * bool(one.path)), ("title", one.key))
                if value
            ),
            _data(one.message),
        )
        for one in found[:MOST_ANNOTATIONS]
    ]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _as_recorded(rows: Sequence[Brief]) -> str:
    return recorded_text(sum(row.status is Status.RECORDED for row in rows))


def markdown(run: Run, rows: Sequence[Brief], covered: Mapping[str, int], held: Quarantined = _NONE_HELD) -> str:
    """A run in short for a job summary."""
    left = [r for r in rows if r.status is None]
    # What a budget has left out is no failure.
    bad = [r for r in rows if not (r.passed or r.number in held.excused or (run.left_out and r.status is None))]
    good = sum(r.passed for r in rows)
    lines = [
        f"## {_plain(run.title)}: {run.status.upper()}, {good} of {run.total} cases pass{_as_recorded(rows)}{held.count_text}",
        "",
    ]
    lines += [f"run {run.id}, revision {_plain(run.git)}, first seed {run.seed}", ""]
    lines += [f"{text}\n" for text in (*run.missing, *run.limits)]
    if run.left_out:
        lines += [f"Ran: {order_text(run.facts.get('order', {}))}\n", *_left_out(left)]
    if bad:
        lines += ["| case | first failure | repeat |", "|---|---|---|"]
        for row in bad[:_MOST_FAILURES]:
            why = row.mismatch if row.status is not None else "not run"
            lines.append(f"| {_plain(row.key)} | {_plain(why[:_MOST_TEXT])} | `{visible(run.repeat(row.key))}` |")
        more = len(bad) - _MOST_FAILURES
        lines += [*([f"\n... and {more} more"] if more > 0 else []), ""]
    lines += [f"- {_plain(text[:_MOST_TEXT])}" for text in held.lines[:_MOST_FAILURES]]
    lines += ["", "| design | case | pass | of | cycles | values |", "|---|---|---:|---:|---:|---:|"]
    for cell in cells(rows).values():
        name = f"{_plain(cell.design)} | {_plain(cell.case)}"
        lines.append(f"| {name} | {cell.passed} | {cell.total} | {cell.cycles:,} | {cell.compared:,} |")
    if covered:
        shares = ", ".join(f"{kind} {value:.1%}" for kind, value in coverage_shares(covered).items())
        lines += ["", f"Code coverage: {shares}"]
    return "\n".join(lines) + "\n"


def _left_out(rows: Sequence[Brief]) -> list[str]:
    """The cases that a budget has left out, folded."""
    names = left_out_names(rows)
    more = [f"* and {len(names) - _MOST_FAILURES} more"] if len(names) > _MOST_FAILURES else []
    listed = [f"* {_plain(name)}" for name in names[:_MOST_FAILURES]]
    return ["<details><summary>Cases left out</summary>", "", *listed, *more, "", "</details>", ""]


def coverage_shares(covered: Mapping[str, int]) -> dict[str, float]:
    """Part of the points that were hit, by kind; kinds without points are left out."""
    files = by_file(covered)
    totals = {kind: sum(f.total.get(kind, 0) for f in files) for kind in KINDS}
    return {kind: sum(f.hit.get(kind, 0) for f in files) / total for kind, total in totals.items() if total}


def _plain(text: str) -> str:
    """A text that is no Markdown in a table."""
    return re.sub(r"([\\|<>*_`\[\]])", r"\\\1", visible(text).replace("\n", " "))


# -- GitLab -----------------------------------------------------------------------------------------------------------


def code_quality(found: Iterable[Annotation]) -> str:
    """The report that merge requests show; the same failure has the same fingerprint in every run."""
    rows = [
        {
            "description": f"{one.key}: {one.message}",
            "check_name": f"goldbeat {one.check}",
            "fingerprint": hashlib.sha256(f"{one.key}\n{one.message.partition(chr(10))[0]}".encode()).hexdigest(),
            "severity": "minor" if one.excused else "critical",
            "location": {"path": one.path or "unknown", "lines": {"begin": one.line}},
        }
        for one in found
    ]
    return json.dumps(rows, indent=1) + "\n"
