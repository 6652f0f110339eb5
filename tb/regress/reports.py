# SPDX-License-Identifier: Apache-2.0
"""What a run leaves in its folder: an HTML page, JUnit XML, JSON, LCOV."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from goldbeat.tb.obligations.summary import Obligations, counts_text
from goldbeat.tb.regress.again import failure_rates
from goldbeat.tb.regress.brief import Brief
from goldbeat.tb.regress.budget import left_out_names
from goldbeat.tb.regress.cobertura import cobertura
from goldbeat.tb.regress.item import Status
from goldbeat.tb.regress.page import Content, run_page
from goldbeat.tb.regress.quarantine import Quarantined, quarantined
from goldbeat.tb.regress.store import INCOMPLETE, LIMITED, Row, Run, Store
from goldbeat.tb.regress.summary import Gathered
from goldbeat.tb.regress.trends import trends
from goldbeat.tb.regress.ucis_xml import FILE as UCIS_FILE
from goldbeat.tb.regress.ucis_xml import write_ucis
from goldbeat.tb.run.code_coverage import lcov
from goldbeat.tb.run.junit import JUnitCase, JUnitSuite, junit_text

_NONE_HELD = Quarantined()
MOST_CASES = 100
"""Cases of a run whose JSON has every one whole."""
MOST_WHOLE = 1000
"""Cases that do not pass and are reported whole; of others there is the first line of the first failure."""
MOST_BYTES = 900
"""Of a case that does not pass, in the JSON of a run of more cases: texts are cut. ``goldbeat show RUN/CASE --json`` has all."""
COLUMNS = ("group", "seed", "status", "cycles", "wall_s", "compared", "trace_hash", "mismatch")
"""Of ``results`` in the JSON of such a run. ``group`` is a number in ``groups``, which has the keys without their seeds."""
_LEFT_OUT = ("index", "ports", "latency_ps", "coverage", "wall_s", "attempt")
"""Of such a case."""


def write_reports(store: Store, run: Run) -> None:
    """Write every report of a run into its folder; those that are there are replaced."""
    rows, gathered = store.briefs(run.id), Gathered(store.measured(run.id))
    failures = store.bad(run.id, MOST_WHOLE)
    run.folder.mkdir(parents=True, exist_ok=True)
    obligations = store.obligations(run.id)
    held = quarantined(store, run, rows)
    junit = run_junit(run, rows, failures, gathered.waived, obligations, held)
    (run.folder / "junit.xml").write_text(junit, encoding="utf-8")
    (run.folder / "report.json").write_text(report_text(store, run, rows, gathered.waivers), encoding="utf-8")
    covered = store.coverage(run.id)
    if covered:
        (run.folder / "coverage.info").write_text(lcov(covered), encoding="utf-8")
        (run.folder / "cobertura.xml").write_text(cobertura(covered, Path.cwd()), encoding="utf-8")
    if gathered.functional:
        write_ucis(
            gathered.functional,
            run.folder / UCIS_FILE,
            passed=run.status in ("pass", "recorded", LIMITED),
            date=run.started,
        )
    content = Content(rows, gathered, failures, trends(store, run), covered, obligations, held)
    (run.folder / "index.html").write_text(run_page(run, content), encoding="utf-8")


# -- JUnit XML --------------------------------------------------------------------------------------------------------


def run_junit(
    run: Run,
    rows: Sequence[Brief],
    failures: Sequence[Row],
    waived: Mapping[int, Mapping[str, int]],
    obligations: Obligations,
    held: Quarantined = _NONE_HELD,
) -> str:
    """A run as JUnit XML: one suite a design, one testcase an item; what has not run is skipped.

    Args:
        run: the run.
        rows: its items.
        failures: those that do not pass and are shown whole; others are shown with the first line of their first failure.
        waived: violations that waivers fitted, by item and waiver.
        obligations: of the run: properties of the suite; where they have to be met and are open, a testcase that fails.
        held: failures in quarantine: skipped, with the reason.
    """
    by_design: dict[str, list[Brief]] = {}
    for row in rows:
        by_design.setdefault(row.design, []).append(row)
    whole = {row.item.index: row for row in failures}
    suites = (
        JUnitSuite(
            design,
            chain(
                (
                    _junit_held(_junit_case(run, row, whole.get(row.number), waived.get(row.number, {})), row, held)
                    for row in members
                ),
                _junit_open(design, obligations.only([design]), run),
            ),
            run.started,
            _junit_facts(obligations.only([design])),
        )
        for design, members in by_design.items()
    )
    missing = [JUnitCase("merge", text, "error", 0.0, text, INCOMPLETE) for text in run.missing]
    more = [JUnitSuite("merge", missing, run.started, {})] if missing else []
    return junit_text(chain(suites, more), f"goldbeat {run.suite}")


def _junit_facts(found: Obligations) -> dict[str, str]:
    """The obligations of a design as properties of its suite."""
    counts = found.counts
    opened = {f"not tried: {one.key}": one.how for some in found.by_design.values() for one in some if one.open}
    return {"obligations": counts_text(counts).partition(": ")[2], **opened} if counts["all"] else {}


def _junit_open(design: str, found: Obligations, run: Run) -> Iterator[JUnitCase]:
    """A testcase that fails, where obligations of a design have to be met and are open."""
    if (count := found.counts["open"]) and design in run.settings.get("obligations", ()):
        text = "\n".join(found.lines(None))
        yield JUnitCase(design, "obligations", "failure", None, f"{count} open", "partial", text)


def _junit_held(case: JUnitCase, row: Brief, held: Quarantined) -> JUnitCase:
    """The testcase of an item as its quarantine has it."""
    if row.number in held.excused:
        _, entry = held.excused[row.number]
        return replace(case, verdict="skipped", message=f"quarantined: {entry.text}: {case.message}")
    if row.number in held.ended:
        _, entry = held.ended[row.number]
        return replace(case, message=f"quarantine ended: {entry.text}: {case.message}")
    return case


def _junit_case(run: Run, row: Brief, whole: Row | None, waived: Mapping[str, int]) -> JUnitCase:
    name = row.key.partition("/")[2]
    if row.status is None:
        return JUnitCase(row.design, name, "skipped", 0.0, "left out by the budget" if run.left_out else "not run")
    facts = {"trace_hash": row.trace_hash or "", "cycles": str(row.cycles), "seed": str(row.seed)}
    facts |= {f"waived {rule}": str(count) for rule, count in waived.items()}
    if row.status is Status.RECORDED:
        facts["compared with"] = "a recording, no golden model"
    if row.passed:
        return JUnitCase(row.design, name, seconds=row.wall_s, properties=facts)
    result = None if whole is None else whole.result
    found = [row.mismatch] if result is None else result.failures
    return JUnitCase(
        row.design,
        name,
        "failure" if row.status is Status.FAIL else "error",
        row.wall_s,
        (found[0] if found else row.status.value).partition("\n")[0],
        row.status.value,
        "\n".join([*found, f"repeat: {run.repeat(row.key)}"]),
        facts,
        "" if result is None else result.log,
    )


# -- JSON -------------------------------------------------------------------------------------------------------------


def report_text(
    store: Store, run: Run, rows: Sequence[Brief], waivers: Mapping[tuple[str, str], int], *, failed: bool = False
) -> str:
    """A run as JSON.

    Args:
        store: where it is.
        run: the run.
        rows: its items.
        waivers: violations that each waiver fitted, by design and waiver.
        failed: only cases that do not pass.

    Returns:
        every case whole; of a run of more than :data:`MOST_CASES`, one row of ``results`` per case, and in short those that
        do not pass, up to :data:`MOST_WHOLE`.
    """
    shown = [r for r in rows if r.status is not None and not r.passed] if failed else rows
    found = {**run_dict(run, waivers), "obligations": store.obligations(run.id).as_dict()}
    if rates := failure_rates(run, rows):
        found["again"] = [one.as_dict() for one in rates]
    if run.left_out:
        found["left_out"] = {"count": run.left_out, "cases": left_out_names(rows)}
    found["quarantine"] = quarantined(store, run, rows).as_dict()
    found["cases"] = found.pop("cases")
    if len(shown) <= MOST_CASES:
        cases = store.bad(run.id, -1) if failed else store.rows(run.id)
        return json.dumps({**found, "cases": [row_dict(run, r) for r in cases]}, indent=1) + "\n"
    del found["cases"]
    head = json.dumps(found, indent=1).rpartition("\n")[0]
    bad = ",\n".join(_compact(short_case(row_dict(run, row))) for row in store.bad(run.id, MOST_WHOLE))
    groups: dict[str, int] = {}
    table = ",\n".join(
        _compact([groups.setdefault(r.group, len(groups)), *(getattr(r, name) for name in COLUMNS[1:])]) for r in shown
    )
    return (
        f'{head},\n "cases": [\n{bad}\n ],\n "results": {{\n  "columns": {json.dumps(COLUMNS)},\n'
        f'  "groups": {_compact(list(groups))},\n  "rows": [\n{table}\n  ]\n }}\n}}\n'
    )


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def short_case(case: Mapping[str, Any]) -> dict[str, Any]:
    """A case of :func:`row_dict` in at most :data:`MOST_BYTES`, where its names allow it: what is empty is left out."""
    short = {k: v for k, v in case.items() if k not in _LEFT_OUT and v not in ({}, [], "", None)}
    texts = [str(text) for text in short.pop("failures", [])]
    log = str(short.pop("log", ""))
    left = MOST_BYTES - len(_compact(short)) - len('"failures":[],"log":"",')
    short["failures"] = []
    for text in texts:
        # The first line of each; of the first one at least so much that it says something.
        said = _cut(text.partition("\n")[0], left - 3)
        if not said:
            break
        short["failures"].append(said)
        left -= len(_compact(said)) + 1
    if tail := _cut(log[::-1], left)[::-1]:
        short["log"] = tail
    return short


def _cut(text: str, most: int) -> str:
    """The beginning of a text that takes at most so many bytes as JSON."""
    text = text[: max(0, most)]
    while text and len(_compact(text)) - 2 > most:
        text = text[: len(text) * 3 // 4]
    return text


def run_dict(run: Run, waivers: Mapping[tuple[str, str], int] | None = None) -> dict[str, Any]:
    """A run for JSON, without its cases."""
    return {
        "run": run.id,
        "suite": run.suite,
        "status": run.status,
        "started": run.started,
        "ended": run.ended,
        "git": run.git,
        "host": run.host,
        "seed": run.seed,
        "total": run.total,
        "settings": dict(run.settings),
        "facts": dict(run.facts),
        "folder": str(run.folder),
        "missing": run.missing,
        "waived": {f"{design}: {name}": count for (design, name), count in (waivers or {}).items()},
        "cases": [],
    }


def row_dict(run: Run, row: Row) -> dict[str, Any]:
    """An item and its result for JSON."""
    item, result = row.item, row.result
    known: dict[str, Any] = {
        "case": item.key,
        "index": item.index,
        "design": item.design,
        "params": dict(item.params),
        "options": dict(item.options),
        "seed": item.seed,
        "status": None,
    }
    if result is None:
        return known
    return known | {
        "status": result.status.value,
        "cycles": result.cycles,
        "sim_ns": result.sim_ps / 1000,
        "wall_s": result.wall_s,
        "compared": result.compared,
        "trace_hash": result.trace_hash,
        "failures": list(result.failures),
        "warnings": list(result.warnings),
        "waived": dict(result.waived),
        "late_bits": dict(result.late_bits),
        "ports": result.ports,
        "latency_ps": result.latency,
        "coverage": result.coverage,
        "log": result.log,
        "worker": result.worker,
        "attempt": result.attempt,
        "artefacts": dict(row.artefacts),
        "repeat": run.repeat(item.key),
    }
