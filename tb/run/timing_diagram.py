# SPDX-License-Identifier: Apache-2.0
"""The window around a first difference as a timing diagram, in SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from goldbeat.tb.run.first_mismatch import BeatPair, FirstMismatch, PortSignal, ShownBeat
from goldbeat.tb.run.svg_panel import escaped

_INK, _SOFT, _GRID, _BLUE, _FILL, _RED, _PINK = (
    "#1f2933", "#616e7c", "#e4e7eb", "#2166ac", "#c6dbef", "#b2182b", "#f4c7c3",
)  # fmt: skip
_LEFT, _CELL, _LANE, _TOP = 110, 58, 30, 44
_HIGH, _LOW = 5, 23
"""Of a lane, in pixels from its upper edge."""
_FITS = 8
"""Characters that a cell takes."""


def draw_mismatch(found: FirstMismatch) -> str:
    """The port's transfers as expected and as they came, and its signals where there are waves, cycle by cycle."""
    lanes: list[str] = []
    rows = [("expected", [p.expected for p in found.pairs])] if found.timed else []
    rows.append(("got", [p.got for p in found.pairs]))
    height = _TOP + _LANE * (len(rows) + len(found.signals)) + 12
    width = _LEFT + _CELL * len(found.cycles) + 12
    for number, (name, beats) in enumerate(rows):
        lanes += _beat_lane(_TOP + _LANE * number, name, beats, found)
    for number, signal in enumerate(found.signals, len(rows)):
        lanes += _signal_lane(_TOP + _LANE * number, signal)
    title = f"{found.port}, beat {found.beat}: {found.what}; seed {found.seed}, episode {found.episode}"
    left = _LEFT + _CELL * (found.cycle - found.first)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="ui-monospace, monospace" font-size="11" role="img">',
            f"<title>{escaped(title)}</title>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            f'<rect x="{left}" y="{_TOP - 16}" width="{_CELL}" height="{height - _TOP + 10}" fill="{_PINK}" opacity="0.5"/>',
            _label(8, 16, title, _INK),
            _label(8, _TOP - 5, f"cycle of {found.clock}", _SOFT),
            *_edges(found.cycles, height),
            *lanes,
            "</svg>\n",
        ]
    )


def _label(x: float, y: float, text: str, colour: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}"{more}>{escaped(text)}</text>'


def _edges(cycles: range, height: int) -> Iterator[str]:
    for number, cycle in enumerate(cycles):
        x = _LEFT + _CELL * number
        yield f'<line x1="{x}" y1="{_TOP - 2}" x2="{x}" y2="{height - 8}" stroke="{_GRID}"/>'
        yield _label(x + _CELL / 2, _TOP - 5, str(cycle), _SOFT, ' text-anchor="middle"')


def _beat_lane(top: int, name: str, beats: Sequence[ShownBeat | None], found: FirstMismatch) -> Iterator[str]:
    """A box for each transfer; red where expected and got are not the same."""
    yield _label(8, top + 18, name, _INK)
    differing = {pair.beat for pair in found.pairs if beat_differs(pair, found.timed)}
    for pair, beat in zip(found.pairs, beats, strict=True):
        if beat is None or beat.cycle not in found.cycles:
            continue
        colour = (_RED, _PINK) if pair.beat in differing else (_BLUE, _FILL)
        more = f"beat {pair.beat}, cycle {beat.cycle}: {beat.data}{' TLAST' if beat.last else ''}"
        yield from _box(top, beat.cycle - found.first, 1, _short(beat.data) + ("*" if beat.last else ""), more, colour)


def beat_differs(pair: BeatPair, timed: bool) -> bool:
    """Whether a beat came otherwise than expected; in another cycle too where the model is ``timed``."""
    if pair.expected is None or pair.got is None:
        return True
    one, other = pair.expected, pair.got
    return (one.data, one.last) != (other.data, other.last) or (timed and one.cycle != other.cycle)


def _signal_lane(top: int, signal: PortSignal) -> Iterator[str]:
    """Levels of a bit, boxes of a word."""
    yield _label(8, top + 18, signal.name, _INK)
    at = 0
    for value, run in groupby(signal.values):
        cells = len(list(run))
        x, end = _LEFT + _CELL * at, _LEFT + _CELL * (at + cells)
        if signal.width == 1 and value in (0, 1):
            y = top + (_HIGH if value else _LOW)
            yield f'<line x1="{x}" y1="{y}" x2="{end}" y2="{y}" stroke="{_INK}" stroke-width="1.4"/>'
            if at and signal.values[at - 1] in (0, 1):
                yield f'<line x1="{x}" y1="{top + _HIGH}" x2="{x}" y2="{top + _LOW}" stroke="{_INK}" stroke-width="1.4"/>'
        else:
            text = "?" if value is None else f"{value:0{-(-signal.width // 4)}x}" if isinstance(value, int) else value
            yield from _box(
                top, at, cells, text if len(text) <= _FITS * cells else _short(text), text, (_SOFT, "#ffffff")
            )
        at += cells


def _short(text: str) -> str:
    """The low end of a long number: what differs from beat to beat."""
    return text if len(text) <= _FITS else f"..{text[2 - _FITS :]}"


def _box(top: int, cell: int, cells: int, text: str, more: str, colours: tuple[str, str]) -> Iterator[str]:
    x, line, fill = _LEFT + _CELL * cell, *colours
    yield (
        f'<g><title>{escaped(more)}</title><rect x="{x + 2}" y="{top + _HIGH - 1}" width="{_CELL * cells - 4}" '
        f'height="{_LOW - _HIGH + 2}" rx="3" fill="{fill}" stroke="{line}"/>'
        + _label(x + _CELL * cells / 2, top + 18, text, _INK, ' text-anchor="middle"')
        + "</g>"
    )
