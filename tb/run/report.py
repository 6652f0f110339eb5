# SPDX-License-Identifier: Apache-2.0
"""What a run leaves behind: report, traces, PLIO files, plot."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.measure import measure, measures_dict
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.trace_file import SUFFIX
from goldbeat.tb.design.measurements import RunAnswer
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.extras import lacks_module
from goldbeat.tb.paths import as_named, plain_name
from goldbeat.tb.run.counted import counted_payload, whole_samples
from goldbeat.tb.run.episodes import FILE as EPISODES
from goldbeat.tb.run.episodes import save_episodes
from goldbeat.tb.run.inputs import InputClock
from goldbeat.tb.run.open_points import not_compared
from goldbeat.tb.run.plot import plot_memory, plot_run
from goldbeat.tb.run.run_folder import DIAGRAM, PLOT, REPORT, TIMELINE
from goldbeat.tb.run.runs import EpisodeResult, Request, RunResult, differing_ports, shown_result
from goldbeat.tb.run.scoreboard import compared_part
from goldbeat.tb.run.seal import file_digest, sealed
from goldbeat.tb.run.service import run_latencies, run_service
from goldbeat.tb.run.sources import sources_of, tool_versions
from goldbeat.tb.run.status import RECORDED
from goldbeat.tb.run.transactions import ahead_of_streams, bus_directions
from goldbeat.tb.run.user_coverage import add_hits
from goldbeat.tb.synth.netlist import NOT_IN_NETLIST


def write_report(
    results: Sequence[RunResult],
    folder: Path,
    *,
    repeat: str | None = None,
    timeline: bool = False,
    obligations: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write everything about a run with one or many seeds, and give the report back.

    With many seeds, the folder itself holds the traces of the first seed that failed, else of the first, and the timing
    of all seeds' episodes; ``seeds/<seed>`` has what there is of every seed that failed.

    Args:
        results: one a seed.
        folder: of the run.
        repeat: the command that repeats the run; the request's own unless given.
        timeline: write traces for Perfetto too, where traces of beats are.
        obligations: how many there are, met and ``open``, with a list; if they are ``required``, a run with open ones is partial.
    """
    request = results[0].request
    several = len(results) > 1
    differing = differing_ports(results)
    report = _write_one(shown_result(results), folder, differing, plot=True, timeline=timeline)
    streams = request.design.bundles(request.all_params)
    for name, service in run_service(results, {p.name: p.dtype for p in streams}).items():
        report["ports"][name] |= service.as_dict()
    report["latency"] = run_latencies(results, {p.name: p.direction for p in streams})
    report["repeat"] = repeat or request.command()
    report["status"] = worst_status(results)
    report |= {**sources_of(request, [e.record for r in results for e in r.episodes]), "versions": tool_versions()}
    if several:
        report |= _all_seeds(results)
        report["measured"] = _keep_episodes(results, folder)
        for result in results:
            if not result.passed:
                _write_one(result, folder / "seeds" / str(result.seed), differing, plot=False, timeline=timeline)
    report["obligations"] = obligations
    if obligations is not None and obligations["required"] and obligations["open"]:
        report["partial"] = [*report["partial"], f"{obligations['open']} obligations are open"]
        if report["status"] in ("pass", RECORDED):
            report["status"] = "partial"
    _dump(report, folder / REPORT)
    return report


def _all_seeds(results: Sequence[RunResult]) -> dict[str, Any]:
    """What a report of many seeds says of all of them."""
    seeds = []
    for r in results:
        seeds.append({"seed": r.seed, "status": r.status, "compared": r.compared, "episodes": len(r.episodes)})
        if r.blessed is not None:
            seeds[-1]["recording"] = r.blessed.as_dict()
        if not r.passed:
            seeds[-1]["repeat"] = r.request.command(r.seed)
    return {
        "seeds": seeds,
        "partial": list(dict.fromkeys(text for r in results for text in r.partial)),
        "open": list(dict.fromkeys(text for r in results for text in r.open)),
        "untried": list(dict.fromkeys(text for r in results for text in r.untried)),
        "compared": sum(r.compared for r in results),
        "episodes": sum(len(r.episodes) for r in results),
        "waived": waived_in_all(results),
        "late_bits": sum(r.late_bits for r in results),
        "coverage": add_hits(r.covered for r in results),
        "warnings": [f"seed {r.seed}: {text}" for r in results for text in r.warnings],
        "failures": [f"seed {r.seed}: {text}" for r in results for text in r.failures],
    }


def worst_status(results: Sequence[RunResult]) -> str:
    """``fail`` if one run failed, else ``partial`` if one is, else ``recorded`` if one is, else ``pass``.

    While a guess about its ports is open, what fails may come of it: that is ``partial``.
    """
    found = {"partial" if r.status == "fail" and r.request.design.guesses else r.status for r in results}
    return next((status for status in ("fail", "partial", RECORDED) if status in found), "pass")


def _keep_episodes(results: Sequence[RunResult], folder: Path) -> dict[str, Any]:
    """Keep what limits are held against; the report's entry of it."""
    whole = [e for r in results for e in r.whole_episodes]
    save_episodes(whole, folder / EPISODES)
    request = results[0].request
    return {
        "file": EPISODES,
        "sha256": file_digest(folder / EPISODES),
        "whole": len(whole),
        "cut": sum(len(r.episodes) for r in results) - len(whole),
        "dtypes": {p.name: p.dtype for p in request.design.bundles(request.all_params)},
    }


def waived_in_all(results: Sequence[RunResult]) -> dict[str, int]:
    """Violations that each waiver fitted, over all seeds."""
    return {name: sum(r.waived.get(name, 0) for r in results) for result in results for name in result.waived}


def _write_one(
    result: RunResult, folder: Path, differing: Mapping[str, tuple[int, int]], *, plot: bool, timeline: bool
) -> dict[str, Any]:
    """Write what there is of one seed; ``differing``: ports that differ somewhere in the run."""
    request, episode = result.request, result.main_episode
    report = _facts(result) | {"kept_in": str(as_named(folder)), "kept_at": str(folder.resolve())}
    report["buses"] = bus_directions(request.design, request.all_params)
    report["clocks"] = _clocks(request, episode)
    folder.mkdir(parents=True, exist_ok=True)
    report["measured"] = _keep_episodes([result], folder)
    report["coverage"] = result.covered
    report["labels"] = _keep_labelled(result, folder)
    if not result.passed:
        report |= _keep_mismatch(result, folder)
    report |= _keep_timeline(result, folder) if timeline else {}
    if episode is not None:
        report |= {"main_episode": result.episodes.index(episode), "ahead_of_streams": _ahead(request, episode)}
        shown: dict[str, tuple[Trace, str | None]] = {}
        for port in request.design.bundles(request.all_params):
            report["ports"][port.name] = entry = _port_entry(port, result, episode, folder)
            if port.name in differing:
                seed, number = differing[port.name]
                entry |= {"model": "differs", "differs_in": {"seed": seed, "episode": number}}
            shown[port.name] = counted_payload(episode.record.outcome.ports[port.name], port.dtype)
        report["status_outputs"] = dict(episode.record.outcome.status)
        report["tables"] = [asdict(table) for table in result.findings()]
        if result.answer is not None:
            report |= _keep_answer(result.answer, folder)
        if plot and any(len(t) for t, _ in shown.values()):
            traces = {name: trace for name, (trace, _) in shown.items()}
            dtypes = {name: dtype for name, (_, dtype) in shown.items()}
            plot_run(traces, folder / PLOT, f"{request.design.name} {request.case.name}", dtypes)
            report["plot"] = PLOT
        if plot:
            report |= _plot_memories(request, episode, folder)
    _dump(report, folder / REPORT)
    return report


def _facts(result: RunResult) -> dict[str, Any]:
    """What a report says of one seed as a whole."""
    request, design = result.request, result.request.design
    return {
        "design": design.name,
        "case": request.case.name,
        "params": request.all_params,
        "options": {**request.case.options, **request.options},
        "seed": result.seed,
        "status": result.status,
        "compared": result.compared,
        "time_compared": design.timed,
        "order_compared": design.ordered,
        "episodes": len(result.episodes),
        "failures": list(result.failures),
        "partial": list(result.partial),
        "open": list(result.open),
        "untried": list(result.untried),
        "unread": design.unread(request.all_params),
        "confirmed": dict(design.unchecked),
        "recording": None if result.blessed is None else result.blessed.as_dict(),
        "waived": dict(result.waived),
        "late_bits": result.late_bits,
        "late_crossings": result.late_crossings,
        "warnings": list(result.warnings),
        "undriven": design.undriven(),
        "netlist": None if result.netlist is None else {**result.netlist.as_dict(), "left_out": NOT_IN_NETLIST},
        "repeat": request.command(result.seed),
        "repeat_in": str(Path.cwd()),
        "build_s": round(result.build_s, 3),
        "waves": None if result.waves is None else str(result.waves),
        "log": None if result.log is None else str(result.log),
        "x_check": None if result.x_check is None else [asdict(one) for one in result.x_check],
        # Ports without a trace too: a limit for one of them is no mistake of the user's.
        "ports": {
            p.name: {"direction": p.direction, "dtype": p.dtype, "width": p.width, "clock": p.clock, "trace": None}
            for p in design.bundles(request.all_params)
        },
    }


def _clocks(request: Request, episode: EpisodeResult | None) -> dict[str, Any]:
    """The period of each clock in the episode that is shown, and who gave it."""
    by_clock = {
        port.clock: request.input_clocks[port.name]
        for port in request.design.bundles(request.all_params)
        if port.name in request.input_clocks
    }
    found = {}
    for clock in request.design.clocks:
        used = None if episode is None else episode.stimulus.clocks.get(clock.name)
        period = clock.period_ps if used is None else used.period_ps
        wish = request.clocks.get(clock.name)
        source = "description" if period == clock.period_ps else "drawn from the seed"
        if wish is not None and wish.mhz is not None:
            source = f"--clock {clock.name}={wish}"
        given = by_clock.get(clock.name, InputClock(source))
        # Of several clocks, periods are drawn.
        described = (
            clock.period_ps if "period_ps" in clock.model_fields_set and len(request.design.clocks) == 1 else None
        )
        found[clock.name] = {
            "period_ps": period,
            "described_ps": described,
            "from": given.source,
            "inferred": given.inferred,
        }
    return found


def _keep_mismatch(result: RunResult, folder: Path) -> dict[str, Any]:
    """Draw the first difference of a stream, and write views of its waves; the report's entries of it."""
    # Runs that pass start sooner without these.
    from goldbeat.tb.run.first_mismatch import find_first_mismatch
    from goldbeat.tb.run.saved_view import save_views
    from goldbeat.tb.run.timing_diagram import draw_mismatch

    found = find_first_mismatch(result)
    if found is None:
        return {}
    (folder / DIAGRAM).write_text(draw_mismatch(found), encoding="utf-8")
    return {"difference": asdict(found), "diagram": DIAGRAM, **save_views(result, found, folder)}


def _keep_timeline(result: RunResult, folder: Path) -> dict[str, Any]:
    """Write the trace for Perfetto, of a run in which an episode ended; the report's entry of it."""
    if not result.episodes:
        return {}
    # Most runs start sooner without it.
    from goldbeat.tb.run.timeline import save_timeline

    metadata = save_timeline(result, folder / TIMELINE)
    return {
        "timeline": {"file": TIMELINE, **{name: metadata[name] for name in ("episode", "not_predicted", "thinned")}}
    }


def _port_entry(port: StreamPort, result: RunResult, episode: EpisodeResult, folder: Path) -> dict[str, Any]:
    """What the report says of a port, whose traces are written where they are to be kept."""
    request = result.request
    trace = episode.record.outcome.ports[port.name]
    expected = compared_part(request.design, episode.stimulus, episode.expected).ports.get(port.name)
    if expected is not None and episode.stimulus.stop_ps is not None and not request.design.timed:
        expected = expected[: len(trace)]
    dtype, why = whole_samples(trace, port.dtype)
    counted, counted_as = counted_payload(trace, port.dtype)
    entry: dict[str, Any] = {
        "direction": port.direction,
        "dtype": dtype,
        "width": trace.width,
        "clock": port.clock,
        "trace": None,
        "expected": None,
        "model": _model_says(port.name, episode),
        "packets": counted is not trace,
        "headers": "" if counted is not trace else _unsure_headers(trace),
        "throughput": measures_dict(measure(counted, counted_as)),
    }
    if unseen := not_compared(episode.record.outcome, episode.expected, port.name):
        entry["not_compared"] = unseen
    if request.keeps(port.name, passed=result.passed):
        return entry | _keep_traces(port, trace, expected, dtype, why, folder)
    return entry | {"left_out": f"--traces {','.join(request.traces)}"}


def _ahead(request: Request, episode: EpisodeResult) -> dict[str, Any]:
    return ahead_of_streams(request.design, request.all_params, episode.stimulus, episode.record)


def _model_says(port: str, episode: EpisodeResult) -> str | None:
    """``equal`` or ``differs``; None where the golden model says nothing of the port."""
    compared = episode.verdict.ports.get(port)
    if compared is None:
        return None
    return "equal" if compared.equal else "differs"


def kept_trace(port: str) -> str:
    """The file of a port's trace in the folder of a run that keeps it."""
    return f"traces/{port}{SUFFIX}"


def _keep_traces(
    port: StreamPort, trace: Trace, expected: Trace | None, dtype: str | None, why: str | None, folder: Path
) -> dict[str, str]:
    """Write what a port has transferred and what was expected, and as a PLIO file if it can be; the report's entries of it."""
    entry = {"trace": kept_trace(port.name)}
    _save(trace, folder / entry["trace"])
    # A model may have forgotten the port; that is a failure, and all else is kept.
    if expected is not None:
        entry["expected"] = f"expected/{port.name}{SUFFIX}"
        _save(expected, folder / entry["expected"])
    if dtype is not None and len(trace):
        kind = "stimulus" if port.direction == "in" else "output"
        name = f"{kind}/{port.name}.txt"
        why = _write_plio(trace, dtype, folder / name, timed=port.direction == "out")
        if why is None:
            entry["file"] = name
    return entry if why is None else {**entry, "no_file": why}


def _keep_labelled(result: RunResult, folder: Path) -> list[str]:
    """Keep the traces of episodes that have names of their own, in a folder for each; the names."""
    names = []
    for episode in result.episodes:
        if not episode.stimulus.label or episode.stimulus.aside or episode.stimulus.stop_ps is not None:
            continue
        names.append(plain_name(episode.stimulus.label))
        for port, trace in episode.record.outcome.ports.items():
            _save(trace, folder / "traces" / names[-1] / f"{port}{SUFFIX}")
    return names


def _keep_answer(answer: RunAnswer, folder: Path) -> dict[str, Any]:
    """Write the arrays and files of a run's answer below ``output``; the report's entries of it."""
    for name, content in answer.files.items():
        (folder / "output").mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            (folder / "output" / name).write_bytes(content)
        else:
            np.save(folder / "output" / name, content)
    outputs = {}
    for number, (name, values) in enumerate(answer.outputs.items()):
        file = f"output/{number:02}-{re.sub('[^A-Za-z0-9_.-]', '_', name)}.npy"
        (folder / "output").mkdir(parents=True, exist_ok=True)
        np.save(folder / file, values)
        outputs[name] = {"file": file, "shape": list(values.shape), "dtype": str(values.dtype)}
    return {"subject": answer.subject, "outputs": outputs, **answer.facts}


def _plot_memories(request: Request, episode: EpisodeResult, folder: Path) -> dict[str, Any]:
    """Draw what every memory has answered; the report's entries of it: the files' names by port, or why there are none."""
    logs = {port: m.log for port, m in episode.record.outcome.memories.items() if m.log is not None and len(m.log)}
    if logs and (said := lacks_module(f"the plot of {', '.join(logs)}", "matplotlib")):
        return {"memory_plots": {}, "not_drawn": said}
    names: dict[str, str] = {}
    for port, log in logs.items():
        names[port] = f"memory/{port}.png"
        (folder / "memory").mkdir(exist_ok=True)
        title = f"{request.design.name} {request.case.name}: {port}"
        plot_memory(log, episode.stimulus.memories[port].regions, folder / names[port], title)
    return {"memory_plots": names}


def _save(trace: Trace, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    trace.save(path)


def _unsure_headers(trace: Trace) -> str:
    from goldbeat.pymodels.packet_payload import unsure_headers

    return unsure_headers(trace)


def _write_plio(trace: Trace, dtype: str, path: Path, *, timed: bool) -> str | None:
    """Write a port's file; the reason where the text format cannot say what was transferred, and nothing is written."""
    # Not every design has ports with samples.
    from goldbeat.pymodels import plio_file

    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        plio_file.write(path, trace, dtype, style=replace(plio_file.TextStyle(), time_lines=timed))
    except InputError as why:
        return str(why)
    return None


def _dump(report: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(sealed(report), indent=2, allow_nan=False) + "\n")
