# SPDX-License-Identifier: Apache-2.0
"""Designs and runs as HTML for notebooks: tables, and the beats and the plot of a run as SVG. No scripts, and no network."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from goldbeat.pymodels.measure import Throughput
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.run.beat_strip import run_strip
from goldbeat.tb.run.counted import whole_samples
from goldbeat.tb.run.plot import plot_run
from goldbeat.tb.run.runs import RunResult, differing_ports

_COLOURS = {"pass": "#1b7837", "fail": "#b2182b"}
_OTHER = "#9a6700"
_FAILURES = 5
_CELL = 'style="text-align:left;padding:2px 10px;font-variant-numeric:tabular-nums"'


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag} {_CELL}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return f"<table><thead>{line(head, 'th')}</thead><tbody>{''.join(line(row, 'td') for row in rows)}</tbody></table>"


def dut_html(design: Design, case: Case, params: Mapping[str, Any]) -> str:
    """A design: its ports and settings."""
    ports = [
        (p.name, "in" if p.direction == "in" else "out", f"{p.width} bit", p.dtype or "-", p.clock)
        for p in design.bundles(params)
    ]
    settings = [(name, str(value), "parameter") for name, value in params.items()]
    settings += [(name, str(value), f"option of case {case.name}") for name, value in case.options.items()]
    return "".join(
        [
            f"<b>{escape(design.name)}</b> {escape(design.summary)}",
            _table(("port", "direction", "width", "samples", "clock"), ports),
            _table(("setting", "value", "what"), settings) if settings else "",
        ]
    )


def _head(result: RunResult) -> str:
    request, shown = result.request, result.main_episode
    which = f", episode {result.episodes.index(shown)}" if shown is not None and len(result.episodes) > 1 else ""
    return f"{request.design.name} {request.case.name}, seed {result.seed}{which}"


def run_text(result: RunResult) -> str:
    """A run in a line."""
    first = f"; {result.failures[0].splitlines()[0]}" if result.failures else ""
    return f"<DutRun {result.status}: {_head(result)}, {result.compared} output values compared{first}>"


def run_html(result: RunResult, ports: Mapping[str, tuple[Trace, Throughput]]) -> str:
    """A run: verdict, ports, what is wrong, a timeline of a few beats per port, throughput over time.

    Args:
        result: of the run.
        ports: trace and figures by stream port; none where no episode ran to its end.
    """
    status = "same as recorded" if result.status == "recorded" else result.status
    colour = _COLOURS.get(result.status, _OTHER)
    parts = [
        f'<b style="color:{colour}">{escape(status.upper())}</b> {escape(_head(result))}: '
        f"{result.compared} output values compared with the golden model",
    ]
    differing = differing_ports([result])
    rows = [(*_row(name, trace, found), _model(result, name, differing)) for name, (trace, found) in ports.items()]
    if rows:
        parts.append(_table(("port", "beats", "frames", "cycles", "Msamples/s", "MB/s", "of limit", "model"), rows))
    parts += [f"<pre>{escape(text)}</pre>" for text in result.failures[:_FAILURES]]
    if len(result.failures) > _FAILURES:
        parts.append(f"<p>and {len(result.failures) - _FAILURES} more in .failures</p>")
    parts += [f"<p>not compared: {escape(text)}</p>" for text in result.unmodelled]
    parts += [f"<p>not checked: {escape(text)}</p>" for text in result.open]
    parts += [f"<p>not tried: {escape(text)}</p>" for text in result.untried]
    strip = run_strip(result)
    if strip:
        parts.append(f'<div style="overflow-x:auto">{strip}</div>')
    if any(len(trace) for trace, _ in ports.values()):
        parts.append(_plot({name: trace for name, (trace, _) in ports.items()}, result))
    return "".join(parts)


def _model(result: RunResult, name: str, differing: Mapping[str, tuple[int, int]]) -> str:
    """What the model says of a port, over all episodes."""
    if name in differing:
        return "differs"
    shown = result.main_episode
    known = shown is not None and name in shown.verdict.ports and name not in shown.expected.unknown
    return "equal" if known else "-"


def _row(name: str, trace: Trace, found: Throughput) -> tuple[str, ...]:
    rate = found.sustained
    span = f"{trace[:1].cycle[0]}..{trace[-1:].cycle[0]}" if len(trace) else "-"
    samples = f"{rate.msamples_per_s:.2f}" if rate and rate.msamples_per_s is not None else "-"
    use = (f"{rate.mb_per_s:.1f}", f"{found.share(rate):.1%}") if rate else ("-", "-")
    return (name, str(len(trace)), str(found.frames), span, samples, *use)


def _plot(ports: Mapping[str, Trace], result: RunResult) -> str:
    design, params = result.request.design, result.request.all_params
    dtypes = {p.name: whole_samples(ports[p.name], p.dtype)[0] for p in design.bundles(params)}
    with tempfile.TemporaryDirectory(prefix="goldbeat-") as folder:
        path = Path(folder) / "plot.svg"
        plot_run(ports, path, _head(result), dtypes)
        text = path.read_text(encoding="utf-8")
    return text[text.index("<svg") :]
