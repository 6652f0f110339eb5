# SPDX-License-Identifier: Apache-2.0
"""What ``goldbeat run`` prints of its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from goldbeat.pymodels.measure import measure
from goldbeat.pymodels.stimulus import Outcome
from goldbeat.tb.cli.screen import Screen, literal, show_findings, show_table
from goldbeat.tb.cli.windows import latency_line, told_line
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.unchecked import unchecked_signals, undecided
from goldbeat.tb.kernel.waivers import accepted_by, waived
from goldbeat.tb.obligations.summary import Obligations
from goldbeat.tb.run.counted import counted_payload
from goldbeat.tb.run.report import waived_in_all, worst_status
from goldbeat.tb.run.run_folder import DIAGRAM, SURFER_VIEW, view_commands
from goldbeat.tb.run.runs import Request, RunResult, differing_ports, shown_result
from goldbeat.tb.run.status import RECORDED
from goldbeat.tb.run.user_coverage import coverage_lines
from goldbeat.tb.synth.netlist import NOT_IN_NETLIST

_SHOWN_FAILURES = 3
_FRAMES, _CYCLES, _ORDER = "frames", "data, order and cycles", "data and order"
_MARKS = {
    "fail": "[bold red]FAIL[/]",
    "partial": "[bold yellow]PARTIAL[/]",
    RECORDED: "[bold cyan]SAME AS RECORDED[/]",
    "pass": "[bold green]PASS[/]",
}


def show_results(
    report: Mapping[str, Any],
    results: list[RunResult],
    failed: list[RunResult],
    folder: Path,
    obligations: Obligations,
) -> None:
    """Print the tables of the first run that failed, or of the first, what is to be said of all, and the verdict.

    Args:
        report: as :func:`goldbeat.tb.run.report.write_report` gives it.
        results: one a seed.
        failed: those of them that failed.
        folder: of the run.
        obligations: of the run.
    """
    out = Screen(highlight=False)
    first = shown_result(results)
    request, episode = first.request, first.main_episode
    if episode is not None:
        if request.design.streams:
            show_table(_port_table(first, differing_ports(results)))
            _show_windows(out, report)
        for table in (*first.findings(), *(() if first.answer is None else first.answer.tables)):
            show_findings(table)
    _show_gaps(out, report, request.design)
    for item in waived_in_all(results).items():
        out.print(waived(*item), markup=False, soft_wrap=True)
    if request.metastability is not None:
        out.print(_crossed(results), markup=False, soft_wrap=True)
    for text in dict.fromkeys(text for result in results for text in result.warnings):
        out.print(f"warning: {text}", markup=False, soft_wrap=True)
    if first.netlist is not None:
        said = f"on the netlist ({first.netlist.cells}, {first.netlist.tool}); not checked: {NOT_IN_NETLIST}"
        out.print(said, markup=False, soft_wrap=True)
    for line in coverage_lines(report["coverage"]):
        out.print(line, markup=False, soft_wrap=True)
    _show_failures(out, failed, folder)
    if (diagram := _diagram(failed, folder)) is not None:
        out.print(f"the first difference as a timing diagram: {diagram}", markup=False, soft_wrap=True)
        _show_views(out, diagram.parent, failed[0])
    for text in dict.fromkeys(text for r in results for text in r.unmodelled):
        what = "not compared with a model" if worst_status(results) == RECORDED else "not compared"
        out.print(f"{what}: {text}", markup=False, soft_wrap=True)
    _show_open(out, results)
    for line in _recordings(results):
        out.print(line, markup=False, soft_wrap=True)
    if request.bless and failed:
        out.print("nothing was recorded because the run failed", markup=False, soft_wrap=True)
    if first.answer is not None:
        for line in first.answer.lines:
            out.print(line.replace("{folder}", str(folder)), markup=False, soft_wrap=True)
    _show_verdict(out, report, results, obligations)
    out.print(f"in {folder}", markup=False, soft_wrap=True)


def _show_verdict(out: Screen, report: Mapping[str, Any], results: list[RunResult], obligations: Obligations) -> None:
    """The verdict, what it rests on, and what was not tried."""
    first = shown_result(results)
    request, failed = first.request, sum(r.status == "fail" for r in results)
    episodes = sum(len(r.episodes) for r in results)
    mark = _MARKS[report["status"]]
    said = f"{failed} of {len(results)} seeds fail" if failed else f"{len(results)} of {len(results)} seeds"
    tally = f"{said}, " if len(results) > 1 else ""
    subject = "" if first.answer is None else f", {first.answer.subject}"
    out.print(
        f"{mark} {literal(request.design.name)} {literal(request.case.name)}{literal(subject)}: {tally}{episodes} episode(s), "
        f"{_compared(request, results)}",
        soft_wrap=True,
    )
    what = "as recorded" if worst_status(results) == RECORDED else f"{_what(request, results)} compared"
    for line in obligations.report(f"{what}; ", needed=report["obligations"]["required"]):
        out.print(line, markup=False, soft_wrap=True)


def _show_windows(out: Screen, report: Mapping[str, Any]) -> None:
    """The slowest window of each port that had beats, and the latencies between ports."""
    for name, port in report["ports"].items():
        if port.get("throughput", {}).get("beats"):
            out.print(f"{name}: {told_line(port)}", markup=False, soft_wrap=True)
    for name, path in report["latency"].items():
        out.print(f"{name}: {latency_line(path)}", markup=False, soft_wrap=True)


def _show_open(out: Screen, results: list[RunResult]) -> None:
    """What nothing compared or tried, and what somebody has confirmed of it."""
    design = results[0].request.design
    for name, reason in design.unchecked.items():
        out.print(f"not checked, confirmed: {name}: {reason}", markup=False, soft_wrap=True)
    for text in dict.fromkeys(text for r in results for text in r.untried):
        out.print(f"not tried: {text}", markup=False, soft_wrap=True)
    for text in dict.fromkeys(text for r in results for text in r.left):
        out.print(f"not transferred: {text}", markup=False, soft_wrap=True)
    opened = list(dict.fromkeys(text for r in results for text in r.open))
    for text in opened:
        out.print(f"not checked: {text}", markup=False, soft_wrap=True)
    if opened:
        said = 'compare these signals, or confirm each in the description: [unchecked] SIGNAL = "reason"'
        out.print(said, markup=False, soft_wrap=True)


def _recordings(results: list[RunResult]) -> Iterator[str]:
    """What recordings say of the run: that is never the word of a model."""
    checks = [r.blessed for r in results if r.blessed is not None]
    for state in dict.fromkeys(check.state for check in checks):
        mine = [check for check in checks if check.state == state]
        file, count = mine[0].file, sum(check.count for check in mine)
        seeds = ", ".join(str(check.run.seed) for check in mine)
        yield {
            "none": f"not compared: {file} has no recording of this case with seed {seeds} and these settings; --bless makes one",
            "same": f"same as recorded in {file}; not checked by a golden model",
            "changed": f"changed since it was recorded in {file}; if this is intended, record it again with --rebless",
            "written": f"recorded: {count} beats and values in {file}; commit it: later runs compare with it",
            "replaced": f"recorded again: {count} beats and values in {file}, replacing the old recording",
        }[state]
        if state == "replaced":
            yield from (f"  {text}" for check in mine for text in check.changes)


def _show_gaps(out: Screen, report: Mapping[str, Any], design: Design) -> None:
    """What of the ports is not compared, not kept and not driven."""
    for port, entry in report["ports"].items():
        if "not_compared" in entry:
            said = f"not compared: {', '.join(entry['not_compared'])} of {port}; not predicted by the golden model"
            out.print(said, markup=False, soft_wrap=True)
        if "no_file" in entry:
            out.print(f"no PLIO file of {port}: {entry['no_file']}", markup=False, soft_wrap=True)
    if "not_drawn" in report:
        out.print(f"not drawn: {report['not_drawn']}", markup=False, soft_wrap=True)
    left_out = [port for port, entry in report["ports"].items() if "left_out" in entry]
    if left_out:
        what = report["ports"][left_out[0]]["left_out"]
        out.print(f"traces left out ({what}): {', '.join(left_out)}", markup=False, soft_wrap=True)
    if undriven := design.undriven():
        said = "; ".join(f"{port}: {what}" for port, what in undriven.items())
        out.print(f"not driven: {said}", markup=False, soft_wrap=True)
    told = {*design.unchecked, *unchecked_signals(design)}
    if unread := [name for name in report["unread"] if name not in told]:
        out.print(f"not checked: {', '.join(unread)}", markup=False, soft_wrap=True)


def _show_failures(out: Screen, failed: list[RunResult], folder: Path) -> None:
    """The first failures of the first runs that failed, and how to repeat them."""
    for result in failed[:_SHOWN_FAILURES]:
        out.print(f"[bold red]seed {result.seed} failed:[/]")
        for text in result.failures[:_SHOWN_FAILURES]:
            out.print(text, markup=False, soft_wrap=True)
        if len(result.failures) > _SHOWN_FAILURES:
            out.print(
                f"... and {len(result.failures) - _SHOWN_FAILURES} more; all in {folder}/report.json", markup=False
            )
        out.print(f"repeat: {result.request.command(result.seed)}", markup=False, soft_wrap=True)
    if failed and (guesses := failed[0].request.design.guesses):
        out.print(undecided(guesses), markup=False, soft_wrap=True)
    if rules := accepted_by(text for result in failed for text in result.failures):
        said = f"a rule that the design breaks on purpose is waived with --waive RULE:PORT: {rules}"
        out.print(said, markup=False, soft_wrap=True)


def _diagram(failed: list[RunResult], folder: Path) -> Path | None:
    """The picture of the first run that failed, where it has one: of several seeds each has a folder."""
    places = [folder / DIAGRAM, *(folder / "seeds" / str(result.seed) / DIAGRAM for result in failed[:1])]
    return next((path for path in places if path.is_file()), None)


def _show_views(out: Screen, folder: Path, result: RunResult) -> None:
    """How to open the waves at the first difference."""
    if result.waves is None or not (folder / SURFER_VIEW).is_file():
        return
    for viewer, command in view_commands(folder, result.waves).items():
        out.print(f"waves in {viewer}: {command}", markup=False, soft_wrap=True)


def _crossed(results: list[RunResult]) -> str:
    """What has been blurred, and how cycles are compared then."""
    late, design = sum(r.late_bits for r in results), results[0].request.design
    how = "cycles are compared as a range" if design.timed else "its model predicts no range of cycles"
    return f"metastability: {late} bits were delayed at clock crossings; {how}"


def _compared(request: Request, results: list[RunResult]) -> str:
    """How much was compared, and with what."""
    compared = sum(r.compared for r in results)
    if worst_status(results) != RECORDED:
        return f"{compared} output values compared {_how(request, results)}"
    count = sum(r.blessed.count for r in results if r.blessed is not None)
    return f"{count} beats and values as recorded, with their cycles; {compared} output values compared with a model"


def _how(request: Request, results: list[RunResult]) -> str:
    """What the comparison looked at beside the values."""
    return {
        _FRAMES: "frame by frame; neither their order nor their cycles are compared",
        _CYCLES: "with their cycles",
        _ORDER: "in order; their cycles are not compared",
    }[_what(request, results)]


def _what(request: Request, results: list[RunResult]) -> str:
    """What was compared, in short."""
    design = request.design
    if not design.ordered:
        return _FRAMES
    # Accesses to registers have cycles where the model predicts them.
    registers = request.case.registers and not any(_has_cycles(e.expected) for r in results for e in r.episodes)
    return _CYCLES if design.timed and not registers else _ORDER


def _has_cycles(predicted: Outcome) -> bool:
    """The prediction has a cycle of something."""
    answers = (answer for one in predicted.accesses.values() for answer in one)
    return any(len(trace) for trace in predicted.ports.values()) or any(a.cycle is not None for a in answers)


def _port_table(result: RunResult, differing: Mapping[str, tuple[int, int]]) -> Table:
    """The ports in the episode that is shown; ``differing``: those that differ somewhere in the run."""
    episode = result.main_episode
    assert episode is not None
    which = (
        f", episode {result.episodes.index(episode)}" if result.status == "fail" and len(result.episodes) > 1 else ""
    )
    table = Table(title=literal(f"{result.request.design.name} {result.request.case.name}, seed {result.seed}{which}"))
    for column in ("port", "beats", "frames", "cycles", "Msamples/s", "MB/s", "of limit", "model"):
        table.add_column(column, justify="left" if column in ("port", "model") else "right")
    for port in result.request.design.bundles(result.request.all_params):
        trace = episode.record.outcome.ports[port.name]
        found = measure(*counted_payload(trace, port.dtype))
        rate = found.sustained
        samples = f"{rate.msamples_per_s:.2f}" if rate and rate.msamples_per_s is not None else "-"
        span = f"{trace[:1].cycle[0]}..{trace[-1:].cycle[0]}" if len(trace) else "-"
        equal = port.name not in differing and port.name in episode.verdict.ports
        open_end = port.name in episode.expected.unknown
        table.add_row(
            port.name,
            str(len(trace)),
            str(found.frames),
            span,
            samples,
            f"{rate.mb_per_s:.1f}" if rate else "-",
            f"{found.share(rate):.1%}" if rate else "-",
            _open_end(result) if open_end else "[green]equal[/]" if equal else "[red]differs[/]",
        )
    return table


def _open_end(result: RunResult) -> str:
    """What stands for the model's word on a port that no model knows."""
    return "as recorded" if result.status == RECORDED else "-"
