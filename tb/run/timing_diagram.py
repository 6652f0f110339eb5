# SPDX-License-Identifier: Apache-2.0
"""The window around a first difference as a timing diagram, in SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from goldbeat.tb.run.first_mismatch import BeatPair, FirstMismatch, PortSignal, ShownBeat
from goldbeat.tb.run.svg_panel import escaped

INK, SOFT, GRID, _BLUE, _FILL, _RED, _PINK = (
    "#1f2933", "#616e7c", "#e4e7eb", "#2166ac", "#c6dbef", "#b2182b", "#f4c7c3",
)  # fmt: skip
SAME, DIFFERS = (_BLUE, _FILL), (_RED, _PINK)
LEFT, CELL, LANE, TOP = 92, 62, 30, 44
"""In pixels: the names, a cycle, a lane, and what is above the lanes."""
_HIGH, _LOW = 5, 23
"""Of a lane, in pixels from its upper edge."""
_FITS, _NAME = 8, 12
"""Characters that a cell takes, and those of a name."""


def draw_mismatch(found: FirstMismatch) -> str:
    """The port's transfers as expected and as they came, and its signals where there are waves, cycle by cycle."""
    lanes: list[str] = []
    rows = [("expected", [p.expected for p in found.pairs])] if found.timed else []
    rows.append(("got", [p.got for p in found.pairs]))
    for number, (name, beats) in enumerate(rows):
        lanes += _beat_lane(TOP + LANE * number, name, beats, found)
    for number, signal in enumerate(found.signals, len(rows)):
        lanes += _signal_lane(TOP + LANE * number, signal)
    title = f"{found.port}, beat {found.beat}: {found.what}; seed {found.seed}, episode {found.episode}"
    return _drawn(title, f"cycle of {found.clock}", found.cycles, found.cycle, len(rows) + len(found.signals), lanes)


def draw_signals(title: str, axis: str, cycles: range, marked: int, signals: Sequence[PortSignal]) -> str:
    """Signals alone, with one of the cycles marked.

    Args:
        title: what is shown.
        axis: what its cycles count.
        cycles: of the window: as many as each signal has values.
        marked: one of them.
        signals: one lane each.
    """
    lanes = [line for number, signal in enumerate(signals) for line in _signal_lane(TOP + LANE * number, signal)]
    return _drawn(title, axis, cycles, marked, len(signals), lanes)


def _drawn(title: str, axis: str, cycles: range, marked: int, count: int, lanes: Sequence[str]) -> str:
    """The frame around the lanes, as high as so many of them."""
    height = TOP + LANE * count + 12
    width = LEFT + CELL * len(cycles) + 4
    left = LEFT + CELL * (marked - cycles.start)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="ui-monospace, monospace" font-size="11" role="img">',
            f"<title>{escaped(title)}</title>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            f'<rect x="{left}" y="{TOP - 16}" width="{CELL}" height="{height - TOP + 10}" fill="{_PINK}" opacity="0.5"/>',
            svg_label(8, 16, title, INK),
            svg_label(8, TOP - 5, axis, SOFT),
            *_edges(cycles, height),
            *lanes,
            "</svg>\n",
        ]
    )


def svg_label(x: float, y: float, text: str, colour: str, more: str = "") -> str:
    """A text of a drawing, with its left end at ``x`` unless ``more`` says otherwise."""
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}"{more}>{escaped(text)}</text>'


def _edges(cycles: range, height: int) -> Iterator[str]:
    for number, cycle in enumerate(cycles):
        x = LEFT + CELL * number
        yield f'<line x1="{x}" y1="{TOP - 2}" x2="{x}" y2="{height - 8}" stroke="{GRID}"/>'
        yield svg_label(x + CELL / 2, TOP - 5, str(cycle), SOFT, ' text-anchor="middle"')


def _beat_lane(top: int, name: str, beats: Sequence[ShownBeat | None], found: FirstMismatch) -> Iterator[str]:
    """A box for each transfer; red where expected and got are not the same."""
    yield svg_label(8, top + 18, name, INK)
    differing = {pair.beat for pair in found.pairs if beat_differs(pair, found.timed)}
    for pair, beat in zip(found.pairs, beats, strict=True):
        if beat is None or beat.cycle not in found.cycles:
            continue
        colour = DIFFERS if pair.beat in differing else SAME
        yield from shown_box(top, beat.cycle - found.first, pair.beat, beat, colour)


def shown_box(top: int, cell: int, number: int, beat: ShownBeat, colours: tuple[str, str]) -> Iterator[str]:
    """A beat in its cell, with an asterisk where TLAST is set."""
    more = f"beat {number}, cycle {beat.cycle}: {beat.data}{' TLAST' if beat.last else ''}"
    yield from beat_box(top, cell, 1, short_data(beat.data) + ("*" if beat.last else ""), more, colours)


def beat_differs(pair: BeatPair, timed: bool) -> bool:
    """Whether a beat came otherwise than expected; in another cycle too where the model is ``timed``."""
    if pair.expected is None or pair.got is None:
        return True
    one, other = pair.expected, pair.got
    return (one.data, one.last) != (other.data, other.last) or (timed and one.cycle != other.cycle)


def _signal_lane(top: int, signal: PortSignal) -> Iterator[str]:
    """Levels of a bit, boxes of a word."""
    name = signal.name if len(signal.name) <= _NAME else f"..{signal.name[2 - _NAME :]}"
    yield svg_label(8, top + 18, name, INK)
    at = 0
    for value, run in groupby(signal.values):
        cells = len(list(run))
        x, end = LEFT + CELL * at, LEFT + CELL * (at + cells)
        if signal.width == 1 and value in (0, 1):
            y = top + (_HIGH if value else _LOW)
            yield f'<line x1="{x}" y1="{y}" x2="{end}" y2="{y}" stroke="{INK}" stroke-width="1.4"/>'
            if at and signal.values[at - 1] in (0, 1):
                yield f'<line x1="{x}" y1="{top + _HIGH}" x2="{x}" y2="{top + _LOW}" stroke="{INK}" stroke-width="1.4"/>'
        else:
            text = "?" if value is None else f"{value:0{-(-signal.width // 4)}x}" if isinstance(value, int) else value
            yield from beat_box(
                top, at, cells, text if len(text) <= _FITS * cells else short_data(text), text, (SOFT, "#ffffff")
            )
        at += cells


def short_data(text: str) -> str:
    """The low end of a long number: what differs from beat to beat."""
    return text if len(text) <= _FITS else f"..{text[2 - _FITS :]}"


def beat_box(top: int, cell: int, cells: int, text: str, more: str, colours: tuple[str, str]) -> Iterator[str]:
    """A box of so many cells from this one on, in the colours of its edge and its inside; ``more`` shows on pointing at it."""
    x, line, fill = LEFT + CELL * cell, *colours
    yield (
        f'<g><title>{escaped(more)}</title><rect x="{x + 1}" y="{top + _HIGH - 1}" width="{CELL * cells - 2}" '
        f'height="{_LOW - _HIGH + 2}" rx="3" fill="{fill}" stroke="{line}"/>'
        + svg_label(x + CELL * cells / 2, top + 18, text, INK, ' text-anchor="middle"')
        + "</g>"
    )
