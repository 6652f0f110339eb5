# SPDX-License-Identifier: Apache-2.0
"""Panels of a plot as SVG, for the picture that every run leaves: matplotlib takes longer to import and draw than a short run does.

A panel takes the calls of matplotlib's axes that :mod:`goldbeat.tb.run.plot` makes, so one function draws on either.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.tb.visible import visible

_DASHES = {"--": ' stroke-dasharray="5 3"', ":": ' stroke-dasharray="1.5 2.5"', "-": ""}
_SOFT, _GRID, _INK = "#616e7c", "#e4e7eb", "#1f2933"
_CHARACTER = 5.4
"""About the width of a character of the legend, in pixels."""
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_MARGIN = 0.04

_Numbers = Sequence[float] | npt.NDArray[Any]


def escaped(text: str) -> str:
    """A line of text as SVG has it; what cannot be seen as its escape."""
    return visible(text, line=True).translate(_ESCAPES)


def _text(x: float, y: float, text: str, *, size: float = 10, colour: str = _SOFT, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{colour}"{more}>{escaped(text)}</text>'


def _steps(low: float, high: float, most: int) -> tuple[list[float], int]:
    """Round numbers in a range, at most so many, and the decimals that they need."""
    rough = (high - low) / most or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * n for n in (1, 2, 5, 10) if power * n >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [n * step for n in range(first, last + 1)], max(0, -math.floor(math.log10(step) + 1e-9))


@dataclass
class _Axis:
    """One direction of a panel: its range, how it is shown, and what stands along it."""

    label: str = ""
    limits: tuple[float, float] | None = None
    log: bool = False
    ticks: tuple[list[float], list[str]] | None = None
    grid: bool = True

    def place(self, values: npt.ArrayLike, seen: tuple[float, float]) -> npt.NDArray[np.float64]:
        """From 0 at the low end to 1 at the high end."""
        low, high = seen
        numbers = np.asarray(values, float)
        if self.log:
            numbers, low, high = np.log10(np.maximum(numbers, 1e-300)), math.log10(low), math.log10(high)
        share: npt.NDArray[np.float64] = (numbers - low) / ((high - low) or 1.0)
        return share

    def range_of(self, values: Iterable[float]) -> tuple[float, float]:
        """As it was set, or what the values need and a little more."""
        if self.limits is not None:
            return self.limits
        found = list(values) or [0.0, 1.0]
        low, high = min(found), max(found)
        if self.log:
            return low / 1.3, high * 1.3
        room = (high - low) * _MARGIN or 1.0
        return low - room, high + room

    def labelled(self, seen: tuple[float, float], most: int) -> tuple[list[float], list[str]]:
        """The ticks and what they are called."""
        if self.ticks is not None:
            return self.ticks
        if self.log:
            powers = range(math.ceil(math.log10(seen[0])), math.floor(math.log10(seen[1])) + 1)
            apart = -(-len(powers) // most) or 1
            return [10.0**n for n in powers[::apart]], [f"{10.0**n:g}" for n in powers[::apart]]
        at, decimals = _steps(*seen, most)
        return at, [f"{value:.{decimals}f}" for value in at]


class SvgPanel:
    """One panel: what is drawn is kept, and written when its range is known.

    Args:
        left, top, width, height: of the area that is drawn in, in pixels.
    """

    transAxes = "panel"  # noqa: N815 as matplotlib has it
    """Says that a text's place is from 0 to 1 over the panel."""

    def __init__(self, left: float, top: float, width: float, height: float) -> None:
        self._box = (left, top, width, height)
        self._x, self._y = _Axis(), _Axis()
        self._title = ""
        self._shapes: list[tuple[_Numbers, _Numbers, str]] = []
        self._labels: list[tuple[float, float, str]] = []
        self._legend: list[tuple[str, str]] | None = None
        self._named: list[tuple[str, str]] = []
        self._said: list[tuple[float, float, str]] = []

    # -- what is said around it -------------------------------------------------------------------------------------

    def set_title(self, text: str, **_: Any) -> None:
        """Over the panel."""
        self._title = text

    def set_xlabel(self, text: str, **_: Any) -> None:
        """Below."""
        self._x.label = text

    def set_ylabel(self, text: str, **_: Any) -> None:
        """At its left."""
        self._y.label = text

    def set_xlim(self, low: float, high: float) -> None:
        """The range from left to right."""
        self._x.limits = (low, high)

    def set_ylim(self, low: float, high: float) -> None:
        """The range from bottom to top."""
        self._y.limits = (low, high)

    def set_xscale(self, kind: str) -> None:
        """``log`` or ``linear``."""
        self._x.log = kind == "log"

    def set_yscale(self, kind: str) -> None:
        """Likewise."""
        self._y.log = kind == "log"

    def set_xticks(self, at: _Numbers, labels: Sequence[str] | None = None) -> None:
        """Where there are ticks, and what they are called."""
        self._x.ticks = ([float(v) for v in at], list(labels or [f"{v:g}" for v in at]))

    def set_yticks(self, at: _Numbers, labels: Sequence[str] | None = None) -> None:
        """Likewise."""
        self._y.ticks = ([float(v) for v in at], list(labels or [f"{v:g}" for v in at]))

    def grid(self, on: bool, axis: str = "both") -> None:
        """Whether there are lines at the ticks."""
        self._x.grid = on if axis in ("both", "x") else self._x.grid
        self._y.grid = on if axis in ("both", "y") else self._y.grid

    def legend(self, **_: Any) -> None:
        """Say what the lines are that have a label."""
        self._legend = self._named

    def text(self, x: float, y: float, text: str, **_: Any) -> None:
        """A text in the panel, from 0 to 1 over it."""
        self._said.append((x, y, text))

    # -- what is drawn ----------------------------------------------------------------------------------------------

    def stairs(
        self, values: _Numbers, edges: _Numbers, *, color: str, fill: bool = False, linewidth: float = 1
    ) -> None:
        """(n,) values between (n + 1,) edges."""
        x = np.repeat(np.asarray(edges, float), 2)
        y = np.concatenate([[0.0], np.repeat(np.asarray(values, float), 2), [0.0]])
        self._shapes.append(
            (x, y, f'fill="{color}"' if fill else f'fill="none" stroke="{color}" stroke-width="{linewidth}"')
        )

    def axhline(
        self, y: float, *, color: str, linewidth: float, linestyle: str = "-", label: str | None = None
    ) -> None:
        """A line from side to side."""
        style = f'fill="none" stroke="{color}" stroke-width="{linewidth}"{_DASHES[linestyle]}'
        self._shapes.append(([], [y], style))
        if label is not None:
            self._named.append((label, f'stroke="{color}" stroke-width="{linewidth}"{_DASHES[linestyle]}'))

    def vlines(self, x: _Numbers, low: float, high: _Numbers, *, color: str, linewidth: float) -> None:
        """(n,) lines from one low end up."""
        for at, top in zip(x, high, strict=True):
            self._shapes.append(([at, at], [low, top], f'stroke="{color}" stroke-width="{linewidth}"'))

    def plot(self, x: _Numbers, y: _Numbers, _: str, *, color: str, markersize: float) -> None:
        """(n,) dots: lines of no length with round ends."""
        style = f'stroke="{color}" stroke-width="{markersize}" stroke-linecap="round"'
        self._shapes += [([a, a], [b, b], style) for a, b in zip(x, y, strict=True)]

    def bar(self, x: _Numbers, y: _Numbers, *, width: float, color: str, edgecolor: str) -> list[tuple[float, float]]:
        """(n,) bars around their places; gives their tops."""
        style = f'fill="{color}" stroke="{edgecolor}"'
        for at, top in zip(x, y, strict=True):
            left, right = float(at) - width / 2, float(at) + width / 2
            self._shapes.append(([left, left, right, right], [-math.inf, top, top, -math.inf], style))
        return [(float(a), float(b)) for a, b in zip(x, y, strict=True)]

    def bar_label(self, bars: list[tuple[float, float]], labels: Sequence[str], **_: Any) -> None:
        """A text over each bar."""
        self._labels += [(*bar, label) for bar, label in zip(bars, labels, strict=True)]

    # -- writing ----------------------------------------------------------------------------------------------------

    def lines(self) -> Iterable[str]:
        """The elements of the panel."""
        left, top, width, height = self._box
        x_seen = self._x.range_of(float(v) for x, _, _ in self._shapes for v in x)
        y_seen = self._y.range_of(float(v) for _, y, _ in self._shapes for v in y if math.isfinite(v))
        yield from self._frame(x_seen, y_seen)
        yield f'<svg x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" overflow="hidden">'
        for x, y, style in self._shapes:
            across = self._x.place(x, x_seen) * width if len(x) else np.array([0.0, width])
            up = (1 - self._y.place(y, y_seen)).clip(-1, 1) * height
            points = " ".join(f"{a:.1f},{b:.1f}" for a, b in np.broadcast(across, up))
            yield f'<polyline points="{points}" {style}/>'
        yield "</svg>"
        for bar, value, label in self._labels:
            place = left + float(self._x.place(bar, x_seen)) * width
            above = top + (1 - float(self._y.place(value, y_seen))) * height - 4
            yield _text(place, above, label, colour=_INK, more=' text-anchor="middle"')
        for a, b, said in self._said:
            yield _text(left + a * width, top + (1 - b) * height, said, size=11, more=' text-anchor="middle"')
        yield from self._named_lines()

    def _frame(self, x_seen: tuple[float, float], y_seen: tuple[float, float]) -> Iterable[str]:
        left, top, width, height = self._box
        bottom = top + height
        yield _text(left, top - 8, self._title, size=12.5, colour=_INK)
        yield _text(left + width / 2, bottom + 32, self._x.label, size=11, more=' text-anchor="middle"')
        turned = f' text-anchor="middle" transform="rotate(-90 {left - 46:.1f} {top + height / 2:.1f})"'
        yield _text(left - 46, top + height / 2, self._y.label, size=11, more=turned)
        for at, label in zip(*self._x.labelled(x_seen, 8), strict=True):
            x = left + float(self._x.place(at, x_seen)) * width
            if self._x.grid:
                yield f'<path d="M{x:.1f} {top:.1f}V{bottom:.1f}" stroke="{_GRID}"/>'
            yield _text(x, bottom + 16, label, more=' text-anchor="middle"')
        for at, label in zip(*self._y.labelled(y_seen, 6), strict=True):
            y = top + (1 - float(self._y.place(at, y_seen))) * height
            if self._y.grid:
                yield f'<path d="M{left:.1f} {y:.1f}H{left + width:.1f}" stroke="{_GRID}"/>'
            yield _text(left - 6, y + 3.5, label, more=' text-anchor="end"')
        yield f'<path d="M{left:.1f} {top:.1f}V{bottom:.1f}H{left + width:.1f}" fill="none" stroke="{_SOFT}"/>'

    def _named_lines(self) -> Iterable[str]:
        left, top, width, _ = self._box
        end = left + width - 4
        for label, style in reversed(self._legend or []):
            yield _text(end, top + 14, label, colour=_INK, more=' text-anchor="end"')
            end -= len(label) * _CHARACTER + 6
            yield f'<path d="M{end - 22:.1f} {top + 10.5:.1f}H{end:.1f}" {style}/>'
            end -= 36


class SvgFigure:
    """Rows of panels under a title.

    Args:
        title: over all; empty: no room is left for one.
        rows: of panels.
        widths: of a row's panels, as shares.
        size: width and height in inches of 100 pixels.

    Attributes:
        panels: row by row.
    """

    def __init__(self, title: str, rows: int, widths: Sequence[float], size: tuple[float, float]) -> None:
        self._title = title
        self._size = (100 * size[0], 100 * size[1])
        head = 40 if title else 2
        across, tall = self._size[0], (self._size[1] - head) / rows
        self.panels = []
        for row in range(rows):
            left = 0.0
            for share in widths:
                room = across * share / sum(widths)
                self.panels.append(SvgPanel(left + 64, head + row * tall + 24, room - 80, tall - 68))
                left += room

    def text(self) -> str:
        """The picture as SVG; its background is what is behind it."""
        across, tall = self._size
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across:g} {tall:g}" width="{across:g}" height="{tall:g}"'
        lines = [
            f'{head} font-family="DejaVu Sans, Verdana, sans-serif">',
            *([_text(12, 24, self._title, size=15, colour=_INK, more=' font-weight="bold"')] if self._title else []),
            *(line for panel in self.panels for line in panel.lines()),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def save(self, path: Path) -> None:
        """Write it, on white."""
        head, rest = self.text().split("\n", 1)
        path.write_text(f'{head}\n<rect width="100%" height="100%" fill="white"/>\n{rest}', encoding="utf-8")
