# SPDX-License-Identifier: Apache-2.0
"""A few beats of each stream port over time, the model's beside the RTL's, in SVG: the timeline of a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from goldbeat.pymodels.trace import Trace
from goldbeat.tb.run.first_mismatch import BeatPair, FirstMismatch, find_first_mismatch, shown_beat
from goldbeat.tb.run.runs import RunResult
from goldbeat.tb.run.scoreboard import compared_part
from goldbeat.tb.run.svg_panel import escaped
from goldbeat.tb.run.timing_diagram import (
    CELL,
    DIFFERS,
    GRID,
    INK,
    LANE,
    LEFT,
    SAME,
    SOFT,
    TOP,
    beat_box,
    beat_differs,
    shown_box,
    svg_label,
)  # fmt: skip

BEATS, COLUMNS, LANES = 16, 40, 16
"""At most so many beats per lane, columns of time, and lanes."""
_IDLE = 3
"""More empty cycles than this are one column."""
_CHARACTER, _NAME = 6.7, 30
_SIDES = 72
"""In pixels, for what is left out on either side."""


@dataclass(frozen=True, eq=False)
class StripLane:
    """The beats of a port as they came, or as the model predicts them.

    Attributes:
        name: as it is labelled.
        beats: all of them.
        other: what they are held against; None: nothing.
        timed: a beat in another cycle differs.
    """

    name: str
    beats: Trace
    other: Trace | None = None
    timed: bool = True

    def differs(self, number: int) -> bool:
        """Whether a beat is not as in the other trace."""
        if self.other is None:
            return False
        return beat_differs(
            BeatPair(number, shown_beat(self.other, number), shown_beat(self.beats, number)), self.timed
        )


@dataclass(frozen=True)
class _Columns:
    """What the drawing shows of time: an instant in ps per column; None where cycles are left out, and how many."""

    instants: Sequence[int | None]
    idle: Mapping[int, int]

    def of(self, time_ps: int) -> int:
        return self.instants.index(time_ps)


def run_strip(result: RunResult) -> str:
    """The beats of a run: around its first difference, else the first ones of its main episode.

    Returns:
        An SVG of at most :data:`LANES` lanes and :data:`COLUMNS` columns; empty where no stream has a beat.
    """
    first = find_first_mismatch(result)
    episode = result.main_episode if first is None else result.episodes[first.episode]
    if episode is None:
        return ""
    design = result.request.design
    expected = compared_part(design, episode.stimulus, episode.expected)
    model = "recorded" if result.status == "recorded" else "model"
    lanes: list[StripLane] = []
    for port in design.bundles(result.request.all_params):
        got, want = episode.record.outcome.ports[port.name], expected.ports.get(port.name)
        if port.direction == "in" or want is None or port.name in expected.unknown:
            lanes.append(StripLane(port.name, got))
            continue
        checked = design.ordered
        if design.timed:
            lanes.append(StripLane(f"{port.name} {model}", want, got if checked else None))
        lanes.append(StripLane(f"{port.name} RTL", got, want if checked else None, design.timed))
    return draw_strip(lanes, first)


def draw_strip(lanes: Sequence[StripLane], first: FirstMismatch | None) -> str:
    """Lanes over one axis of time, with the first difference in the middle where there is one."""
    filled = [lane for lane in lanes if len(lane.beats)]
    shown = _chosen_lanes(filled, first)
    if not shown:
        return ""
    middle = None if first is None else _instant(shown, first)
    ranges = [_near(lane.beats, middle) for lane in shown]
    times = sorted(
        set(
            chain.from_iterable(
                lane.beats[r.start : r.stop].time_ps.tolist() for lane, r in zip(shown, ranges, strict=True)
            )
        )
    )
    columns = _columns(times, min(lane.beats.clock_ps for lane in shown), middle)
    kept = {t for t in columns.instants if t is not None}
    names = round(max(len(_name(lane)) for lane in shown) * _CHARACTER) + 16
    width = names + 2 * _SIDES + CELL * len(columns.instants)
    notes = _notes(lanes, filled, shown)
    height = TOP + LANE * len(shown) + 12 + 16 * len(notes)
    rows: list[str] = []
    for number, (lane, numbers) in enumerate(zip(shown, ranges, strict=True)):
        rows += _row(
            TOP + LANE * number, lane, [n for n in numbers if int(lane.beats[n : n + 1].time_ps[0]) in kept], columns
        )
    title = _title(first)
    below = TOP + LANE * len(shown)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="ui-monospace, monospace" font-size="11" role="img">',
            f"<title>{escaped(title)}</title>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            svg_label(8, 16, title, INK),
            svg_label(8, TOP - 5, "time [ns]", SOFT),
            *(svg_label(8, TOP + LANE * n + 18, _name(lane), INK) for n, lane in enumerate(shown)),
            f'<g transform="translate({names + _SIDES - LEFT},0)">',
            *_axis(columns, middle, below),
            *rows,
            "</g>",
            *(svg_label(8, below + 14 + 16 * n, text, SOFT) for n, text in enumerate(notes)),
            "</svg>\n",
        ]
    )


def _title(first: FirstMismatch | None) -> str:
    if first is None:
        return "first beats of each port"
    return (
        f"first difference: {first.port}, beat {first.beat}: {first.what}; seed {first.seed}, episode {first.episode}"
    )


def _name(lane: StripLane) -> str:
    return lane.name if len(lane.name) <= _NAME else f"{lane.name[: _NAME - 3]}..."


def _chosen_lanes(filled: Sequence[StripLane], first: FirstMismatch | None) -> list[StripLane]:
    """The first lanes, and those of the port that differs whatever their place."""
    if first is None:
        return list(filled[:LANES])
    mine = [lane for lane in filled if lane.name.partition(" ")[0] == first.port]
    others = [lane for lane in filled if lane not in mine][: max(0, LANES - len(mine))]
    return [lane for lane in filled if lane in mine or lane in others]


def _instant(lanes: Sequence[StripLane], first: FirstMismatch) -> int:
    """When the first difference shows, in picoseconds."""
    beats = next((lane.beats for lane in lanes if lane.name.partition(" ")[0] == first.port), lanes[0].beats)
    return beats.offset_ps + first.cycle * beats.clock_ps


def _near(beats: Trace, middle: int | None) -> range:
    """Numbers of the beats to draw: the first ones, or those on both sides of an instant."""
    at = 0 if middle is None else max(0, beats.beats_before(middle) - BEATS // 2)
    return range(at, min(len(beats), at + BEATS))


def _columns(times: Sequence[int], period: int, middle: int | None) -> _Columns:
    """A column for each instant; short pauses have theirs, long ones share one."""
    instants: list[int | None] = [times[0]]
    idle: dict[int, int] = {}
    for before, now in pairwise(times):
        pause = (now - before) // period - 1
        if pause > _IDLE:
            idle[len(instants)] = pause
            instants.append(None)
        else:
            instants += [before + period * n for n in range(1, pause + 1) if before + period * n < now]
        instants.append(now)
    start = 0
    if middle is not None:
        nearest = min(
            (n for n, t in enumerate(instants) if t is not None), key=lambda n: abs((instants[n] or 0) - middle)
        )
        start = max(0, min(nearest - COLUMNS // 2, len(instants) - COLUMNS))
    held = instants[start : start + COLUMNS]
    return _Columns(held, {n - start: count for n, count in idle.items() if start <= n < start + COLUMNS})


def _axis(columns: _Columns, middle: int | None, below: int) -> Iterator[str]:
    for number, instant in enumerate(columns.instants):
        x = LEFT + CELL * number
        if instant is None:
            yield f'<rect x="{x}" y="{TOP - 2}" width="{CELL}" height="{below - TOP}" fill="{GRID}"/>'
            more = f"<title>{columns.idle[number]} cycles without a beat that is drawn</title>"
            label = svg_label(x + CELL / 2, TOP - 5, f"+{columns.idle[number]}", SOFT, ' text-anchor="middle"')
            yield f"<g>{more}{label}</g>"
            continue
        if instant == middle:
            yield f'<rect x="{x}" y="{TOP - 16}" width="{CELL}" height="{below - TOP + 14}" fill="{DIFFERS[1]}" opacity="0.5"/>'
        yield f'<line x1="{x}" y1="{TOP - 2}" x2="{x}" y2="{below - 2}" stroke="{GRID}"/>'
        yield svg_label(x + CELL / 2, TOP - 5, f"{instant / 1000:g}", SOFT, ' text-anchor="middle"')


def _row(top: int, lane: StripLane, numbers: Sequence[int], columns: _Columns) -> Iterator[str]:
    """The beats of a lane, and how many are left out on either side."""
    if not numbers:
        yield svg_label(LEFT, top + 18, f"none of {len(lane.beats)} beats is in this time", SOFT)
        return
    cells = []
    for number in numbers:
        beat = shown_beat(lane.beats, number)
        assert beat is not None
        cells.append(columns.of(int(lane.beats[number : number + 1].time_ps[0])))
        yield from shown_box(top, cells[-1], number, beat, DIFFERS if lane.differs(number) else SAME)
    early, late = numbers[0], len(lane.beats) - 1 - numbers[-1]
    if early:
        yield svg_label(LEFT - 6, top + 18, f"{early:,} before", SOFT, ' text-anchor="end"')
    end = len(columns.instants)
    if late and end - 1 > cells[-1]:
        yield from beat_box(
            top, cells[-1] + 1, end - 1 - cells[-1], f"{late:,} more", f"{late:,} more beats", (GRID, "#ffffff")
        )
    elif late:
        yield svg_label(LEFT + CELL * end + 6, top + 18, f"{late:,} more", SOFT)


def _notes(lanes: Sequence[StripLane], filled: Sequence[StripLane], shown: Sequence[StripLane]) -> list[str]:
    """What is left out."""
    beats = sum(len(lane.beats) for lane in shown)
    notes = [
        f"at most {BEATS} beats of each lane and {COLUMNS} columns of {beats:,} beats; * is TLAST; red: not as the other"
    ]
    if len(filled) > len(shown):
        notes.append(f"left out: {', '.join(_name(lane) for lane in filled if lane not in shown)[:200]}")
    if len(lanes) > len(filled):
        notes.append(f"without beats: {', '.join(_name(lane) for lane in lanes if lane not in filled)[:200]}")
    return notes
