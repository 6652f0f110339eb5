# SPDX-License-Identifier: Apache-2.0
"""What a run leaves in its folder: an HTML page, JUnit XML, JSON, LCOV."""

from __future__ import annotations

import json
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Any

from tb.regress.code_coverage import lcov
from tb.regress.item import Item, Status
from tb.regress.store import Row, Run, Store
from tb.regress.summary import waivers
from tb.visible import xml_text


def repeat_command(run: Run, item: Item, *, waves: bool = True) -> str:
    """The command that runs one item again."""
    return shlex.join(["goldbeat", "rerun", f"{run.id}/{item.key}", *(["--waves"] if waves else [])])


def with_batch_command(run: Run, item: Item) -> str:
    """The command that runs one item again after what its simulator process had run before it."""
    return shlex.join(["goldbeat", "rerun", f"{run.id}/{item.key}", "--with-batch"])


def mixture(run: Run) -> list[str]:
    """What makes a run one of several versions, for people; empty for most."""
    said = [
        f"went on at git {one['git']} with changes in {', '.join(one['changed'])}: results are of several versions"
        for one in run.settings.get("mixed", ())
    ]
    if meanwhile := run.facts.get("changed_meanwhile"):
        said.append(f"changed while the run was going on: {', '.join(meanwhile)}; results may be of both versions")
    return said


def write_reports(store: Store, run: Run) -> None:
    """Write every report of a run into its folder; those that are there are replaced."""
    from tb.regress.page import page

    rows = store.rows(run.id)
    run.folder.mkdir(parents=True, exist_ok=True)
    (run.folder / "junit.xml").write_text(junit(run, rows), encoding="utf-8")
    (run.folder / "report.json").write_text(json.dumps(as_dict(run, rows), indent=1) + "\n", encoding="utf-8")
    covered = store.coverage(run.id)
    if covered:
        (run.folder / "coverage.info").write_text(lcov(covered), encoding="utf-8")
    last = store.before(run)
    before = None if last is None else (last, store.rows(last.id))
    (run.folder / "index.html").write_text(page(run, rows, before, covered), encoding="utf-8")


def junit(run: Run, rows: Sequence[Row]) -> str:
    """A run as JUnit XML: one suite a design, one testcase an item; what has not run is skipped."""
    top = ET.Element("testsuites", {"name": f"goldbeat {run.suite}"})
    by_design: dict[str, list[Row]] = {}
    for row in rows:
        by_design.setdefault(row.item.design, []).append(row)
    for design, members in by_design.items():
        done = [r.result for r in members if r.result is not None]
        counts = {
            "tests": str(len(members)),
            "failures": str(sum(r.status is Status.FAIL for r in done)),
            "errors": str(sum(r.status in (Status.ERROR, Status.TIMEOUT, Status.CRASH) for r in done)),
            "skipped": str(len(members) - len(done)),
            "time": f"{sum(r.wall_s for r in done):.3f}",
        }
        suite = ET.SubElement(top, "testsuite", {"name": design, "timestamp": run.started, **counts})
        for row in members:
            _testcase(suite, run, row)
    return xml_text(top)


def _testcase(suite: ET.Element, run: Run, row: Row) -> None:
    item, result = row.item, row.result
    seconds = f"{result.wall_s:.3f}" if result is not None else "0"
    name = item.key.partition("/")[2]
    case = ET.SubElement(suite, "testcase", {"classname": item.design, "name": name, "time": seconds})
    if result is None:
        ET.SubElement(case, "skipped", {"message": "not run"})
        return
    properties = ET.SubElement(case, "properties")
    for key, value in (
        ("trace_hash", result.trace_hash or ""),
        ("cycles", str(result.cycles)),
        ("seed", str(item.seed)),
        *((f"waived {name}", str(count)) for name, count in result.waived.items()),
    ):
        ET.SubElement(properties, "property", {"name": key, "value": value})
    if not result.passed:
        kind = "failure" if result.status is Status.FAIL else "error"
        first = result.failures[0] if result.failures else result.status.value
        element = ET.SubElement(case, kind, {"message": first.partition("\n")[0], "type": result.status.value})
        element.text = "\n".join([*result.failures, f"repeat: {repeat_command(run, item)}"])
        if result.log:
            ET.SubElement(case, "system-out").text = result.log


def as_dict(run: Run, rows: Sequence[Row]) -> dict[str, Any]:
    """A run for JSON."""
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
        "waived": {f"{design}: {name}": count for (design, name), count in waivers(rows).items()},
        "cases": [row_dict(run, r) for r in rows],
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
        "waived": dict(result.waived),
        "ports": result.ports,
        "latency_ps": result.latency,
        "coverage": result.coverage,
        "log": result.log,
        "worker": result.worker,
        "attempt": result.attempt,
        "artefacts": dict(row.artefacts),
        "repeat": repeat_command(run, item),
    }
