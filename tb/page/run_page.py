# SPDX-License-Identifier: Apache-2.0
"""The page of a run: ``report.html``, one file that needs no network, made from what is in the run's folder.

It is made when somebody asks for it (``goldbeat report RUN``, ``goldbeat run --page``, failures of a regression), never by a
plain run: that would cost each one the import of jinja2 and pydantic and the drawing, a third of a second, for a page that is
ignored.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.kernel.waivers import waived
from goldbeat.tb.page.beat_lanes import DATA_BYTES, BeatTimeline, lane_sources, make_timeline
from goldbeat.tb.page.curves import (
    BusCurves,
    PairCurves,
    StepCurve,
    TimeCurve,
    bus_curves,
    pair_curves,
    throughput_curve,
)
from goldbeat.tb.page.drawings import (
    histogram_drawing,
    lanes_drawing,
    port_drawings,
    rounded,
    step_drawing,
    time_drawing,
)
from goldbeat.tb.page.kept_run import KeptPort, KeptRun, load_kept
from goldbeat.tb.run.run_folder import GTKWAVE_VIEW, PAGE, SURFER_VIEW, TIMELINE, view_commands
from goldbeat.tb.run.timing_diagram import beat_differs, draw_mismatch
from goldbeat.tb.visible import visible

TEMPLATES = Path(__file__).resolve().parent / "templates"
GENERATOR = '<meta name="generator" content="goldbeat report">'
"""By which a page is known as one that may be replaced."""
MB = 1_000_000
SMALL_BEATS = 10_000
"""A page of so many beats has at most one megabyte."""
MOST_BYTES = 5 * MB
"""Of any page."""
_BEATS = (40_000, 10_000, 3_000, 800, 0)
"""On the page; where it is too large with so many, the next."""
_DRAWN = (24, 24, 16, 8, 2)
"""Ports whose throughput is drawn, and pairs and buses that are, likewise."""
_MOST_FAILURES, _MOST_TEXT, _MOST_SEEDS, _MOST_ROWS = 20, 4000, 200, 60
_MOST_PICTURE = 200_000
UPLOT = "uPlot 1.6.32"
"""Draws the plots that can be zoomed; its author's release, unchanged, in 53 kB. bokeh has 1.3 MB, plotly 4.8 MB."""


@dataclass(frozen=True)
class MadePage:
    """A page and what it took.

    Attributes:
        path: where it is.
        size: in bytes.
        beats: beats and transactions of the run's main episode.
        shown: those that are on the page one by one.
    """

    path: Path
    size: int
    beats: int
    shown: int


def write_page(folder: Path, *, force: bool = False) -> MadePage:
    """Make the page of a run beside its report; an older one is replaced.

    Args:
        folder: of the run, or of one of its seeds.
        force: replace a ``report.html`` that is no page of a run.

    Raises:
        InputError: no run, or damaged files.
        UsageError: there is a file of that name that is not ours.
    """
    path = folder / PAGE
    run = load_kept(folder)
    if not force and path.exists() and GENERATOR not in _head(path):
        raise UsageError(f"{path} was not made by Goldbeat; move it, or replace it with --force")
    text, timeline = page_text(_failed_seed(run), run)
    path.write_text(text, encoding="utf-8")
    return MadePage(path, len(text.encode()), timeline.total, timeline.shown)


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(1000).decode(errors="replace")


def _failed_seed(run: KeptRun) -> KeptRun:
    """Of a run with several seeds the first that failed and was kept; else the run itself, which shows the first seed."""
    for one in run.report.seeds:
        folder = run.folder / "seeds" / str(one.seed)
        if one.status != "pass" and folder.is_dir():
            return load_kept(folder)
    return run


def page_text(shown: KeptRun, run: KeptRun) -> tuple[str, BeatTimeline]:
    """The page, small enough, and its timeline.

    Args:
        shown: whose traces are drawn.
        run: whose verdict it is; the same unless there are several seeds.
    """
    drawn = _Drawn(shown)
    for most, plots in zip(_BEATS, _DRAWN, strict=True):
        timeline = make_timeline(drawn.lanes, most, drawn.difference_ps)
        text = _render(shown, run, drawn, timeline, plots)
        limit = min(MOST_BYTES, MB * max(1.0, timeline.total / SMALL_BEATS))
        if len(text.encode()) <= limit:
            break
    return text, timeline


class _Drawn:
    """What is computed once, however often the page is made smaller."""

    def __init__(self, run: KeptRun) -> None:
        self.run = run
        self.lanes = lane_sources(run)
        self.pairs, self.notes = pair_curves(run.ports)
        self.buses = [bus_curves(name, bus) for name, bus in run.buses.items() if len(bus)]
        self.ports = sorted((p for p in run.ports if len(p.trace)), key=lambda p: -len(p.trace))
        self._rates: dict[str, dict[str, Any]] = {}

    @property
    def difference_ps(self) -> int | None:
        """When the first difference shows; None without one in the episode that is drawn."""
        found = self.run.report.difference
        if found is None or found.episode != self.run.report.main_episode:
            return None
        trace = next((p.trace for p in self.run.ports if p.name == found.port), None)
        return None if trace is None else trace.offset_ps + found.cycle * trace.clock_ps

    def rate(self, port: KeptPort, span_ps: tuple[int, int]) -> dict[str, Any]:
        """A port's throughput and gaps, for template and script."""
        if port.name not in self._rates:
            curve, unit, limit = throughput_curve(port)
            still, gaps = port_drawings(port, span_ps)
            data = {"unit": unit, "limit": limit, **_steps({"throughput": curve})}
            self._rates[port.name] = {
                "name": port.name,
                "still": Markup(still),
                "gaps": Markup(gaps),
                "data": data,
            }
        return self._rates[port.name]


def _render(shown: KeptRun, run: KeptRun, drawn: _Drawn, timeline: BeatTimeline, most_plots: int) -> str:
    span = (0.0, 1.0) if timeline.span is None else timeline.span
    ports = {p.name for p in drawn.ports[:most_plots]}
    rates = [
        drawn.rate(p, (int(span[0] * 1000), int(span[1] * 1000) - p.trace.clock_ps))
        for p in shown.ports
        if p.name in ports
    ]
    pairs = [_pair(one) for one in drawn.pairs[:most_plots]]
    buses = [_bus(one, shown) for one in drawn.buses[:most_plots]]
    data = {
        "span": timeline.span,
        "window": timeline.window if timeline.is_thinned else None,
        "difference": None if drawn.difference_ps is None else drawn.difference_ps / 1000,
        "lanes": timeline.lanes,
        "plots": {key: plot for one in (*rates, *pairs, *buses) for key, plot in _plots(one)},
    }
    environment = page_environment(TEMPLATES)
    environment.filters |= {"said": _said, "cut": _cut}
    return environment.get_template("run.html.j2").render(
        generator=Markup(GENERATOR),
        run=run,
        shown=shown,
        of_seed=shown is not run or len(run.report.seeds) > 1,
        uplot={"name": UPLOT, "script": page_part("uPlot.iife.min.js"), "style": page_part("uPlot.min.css")},
        data=Markup(script_json(data)),
        script=page_part("run.js"),
        difference=_difference(shown, run),
        timeline=timeline,
        lanes=Markup(lanes_drawing(timeline)),
        data_bytes=DATA_BYTES,
        rates=rates,
        left_out=[len(drawn.ports) - len(rates), len(drawn.pairs) - len(pairs), len(drawn.buses) - len(buses)],
        silent=[n for n, e in shown.report.ports.items() if e.throughput is not None and not e.throughput.beats],
        pairs=pairs,
        notes=drawn.notes,
        buses=buses,
        files=_files(shown, run),
        not_covered=list(_not_covered(run)),
        not_checked=list(_not_checked(run)),
        most={"failures": _MOST_FAILURES, "seeds": _MOST_SEEDS, "rows": _MOST_ROWS},
    )


def page_part(name: str) -> Markup:
    """A script or style that goes into the page as it is."""
    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))


def page_environment(*folders: Path) -> Environment:
    """Templates of pages: everything escaped, what cannot be seen made visible; style that pages share is found too."""
    return Environment(
        loader=FileSystemLoader([*folders, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_seen,
    )


def _seen(value: object) -> object:
    """What stands in a place of the template: texts from outside made visible, before they are escaped."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def script_json(value: Any) -> str:
    """JSON that may stand in a script element."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


# -- what the script draws --------------------------------------------------------------------------------------------


def _plots(one: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in one.items():
        if key == "data":
            yield f"rate {one['name']}", value
        elif key.endswith("_data"):
            yield f"{key.removesuffix('_data')} {one['name']}", value


def _steps(curves: Mapping[str, StepCurve]) -> dict[str, Any]:
    edges = next(iter(curves.values())).edges
    return {"edges": rounded_times(edges.tolist()), "steps": {n: rounded(c.values) for n, c in curves.items()}}


def _curves(curves: Mapping[str, TimeCurve], unit: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, curve in curves.items():
        found[name] = {"x": rounded_times(curve.x.tolist()), "y": rounded(curve.mean)}
        if curve.is_thinned:
            found[name] |= {"low": rounded(curve.low), "high": rounded(curve.high)}
    return {"unit": unit, "curves": found}


def rounded_times(times: Sequence[float]) -> list[float]:
    """Nanoseconds to a picosecond."""
    return [int(t) if t == int(t) else round(t, 3) for t in times]


def _pair(pair: PairCurves) -> dict[str, Any]:
    unit = "beats" if pair.by == "beat" else "frames"
    return {
        "name": pair.name,
        "pair": pair,
        "unit": unit,
        "latency": Markup(time_drawing({"latency": pair.latency}, f"{pair.name}: latency", "ns")),
        "backlog": Markup(time_drawing({"backlog": pair.backlog}, f"{pair.name}: backlog", unit)),
        "histogram": Markup(histogram_drawing(pair.histogram, "Latency: how often")),
        "latency_data": _curves({"latency": pair.latency}, "ns"),
        "backlog_data": {**_curves({"backlog": pair.backlog}, unit), "stairs": True},
    }


def _bus(bus: BusCurves, run: KeptRun) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": bus.name,
        "counts": bus.counts,
        "traffic": Markup(step_drawing(bus.rates, f"{bus.name}: traffic (read blue, written red)", "MB/s")),
        "open": Markup(time_drawing({"open": bus.open}, f"{bus.name}: open transactions", "")),
        "took": Markup(time_drawing(bus.latency, f"{bus.name}: latency (reads blue, writes red)", "ns")),
        "histograms": [Markup(histogram_drawing(h, f"Latency of {k}s: how often")) for k, h in bus.histograms.items()],
        "traffic_data": {"unit": "MB/s", **_steps(bus.rates)},
        "open_data": {**_curves({"open": bus.open}, ""), "stairs": True},
        "took_data": _curves(bus.latency, "ns"),
        "picture": _picture(run, run.report.memory_plots.get(bus.name)),
    }
    return found


def _picture(run: KeptRun, path: str | None) -> str | None:
    """A small PNG of the run as part of the page."""
    link = run.link(path)
    if link is None:
        return None
    content = (run.folder / link).read_bytes()
    if len(content) > _MOST_PICTURE or not content.startswith(b"\x89PNG\r\n"):
        return None
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"


# -- what the template says -------------------------------------------------------------------------------------------


def _difference(shown: KeptRun, run: KeptRun) -> dict[str, Any] | None:
    """The first difference: its diagram and the beats around it."""
    found = shown.report.difference
    if found is None:
        return None
    near = [p for p in found.pairs if abs(p.beat - found.beat) <= 3]
    return {
        "found": found,
        "diagram": Markup(draw_mismatch(found)),
        "pairs": [(p, beat_differs(p, found.timed)) for p in near],
        "drawn": found.episode == shown.report.main_episode,
        "no_views": shown.report.views and shown.report.views.none,
        **_views(shown, run),
    }


def _views(shown: KeptRun, run: KeptRun) -> dict[str, Any]:
    """Links to the views of the waves, and the commands that open them, from the folder of the page."""
    waves = run.link(_within(run, shown.report.waves))
    links = _from_page(shown, run, [SURFER_VIEW, GTKWAVE_VIEW]) if waves else []
    folder = shown.folder.resolve().relative_to(run.folder.resolve())
    return {"views": links, "commands": view_commands(folder, Path(waves or ""))}


def _not_checked(run: KeptRun) -> Iterator[str]:
    """Signals that nothing compares: open ones, confirmed ones, others."""
    report = run.report
    yield from report.open
    yield from (f"{name}, confirmed: {reason}" for name, reason in report.confirmed.items())
    told = {*report.confirmed, *(text.partition(":")[0] for text in report.open)}
    if unread := [name for name in report.unread if name not in told]:
        yield ", ".join(unread)


def _not_covered(run: KeptRun) -> Iterator[str]:
    """What the verdict says nothing of."""
    report = run.report
    yield from (text for text in report.partial if text not in (*report.open, *report.untried))
    if report.recording is not None:
        yield f"no golden model: {report.recording.meaning}"
    if not report.time_compared:
        yield "cycles: not predicted by the golden model; values are compared in order"
    if not report.order_compared:
        yield "the order of frames"
    for name, entry in report.ports.items():
        if entry.not_compared:
            yield f"{', '.join(entry.not_compared)} of {name}: not predicted by the golden model"
    for name, count in report.waived.items():
        yield waived(name, count)
    for name, what in report.undriven.items():
        yield f"{name} is not driven: {what}"


def _files(shown: KeptRun, run: KeptRun) -> list[str]:
    """The files of the run that are there, as links from the page."""
    report = shown.report
    entries = report.ports.values()
    named = [TIMELINE, *(e.file for e in entries), *(path for e in entries for path in (e.trace, e.expected))]
    named += [*report.memory_plots.values(), *(_within(shown, path) for path in (report.log, report.waves))]
    return _from_page(shown, run, named)


def _from_page(shown: KeptRun, run: KeptRun, named: Iterable[str | None]) -> list[str]:
    """Those files of the run or seed that is shown that are there, as links from the page of the run."""
    links = [link for path in named if (link := shown.link(path)) is not None]
    return [(shown.folder / link).resolve().relative_to(run.folder.resolve()).as_posix() for link in links]


def _within(run: KeptRun, path: str | None) -> str | None:
    """A file that the report names by its whole path, wherever the run's folder is now."""
    if path is None:
        return None
    return f"sim/{Path(path).name}"


def _said(value: Any) -> str:
    """A parameter or option for people."""
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return _cut(text or "-", 300)


def _cut(text: str, most: int = _MOST_TEXT) -> str:
    return text if len(text) <= most else f"{text[:most]} ... ({len(text):,} characters, all in report.json)"
