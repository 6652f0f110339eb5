# SPDX-License-Identifier: Apache-2.0
"""Obligations of the RTL's own text: branches and case arms taken, conditions both ways, narrow signals up and down.

Verilator counts them while the simulator runs. A counter that is compared with 200, a special value of the data or a branch
that handles an error is seen here, whatever it does, if the traffic has not come that far.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from goldbeat.tb.build.harness import WRAPPER_MARK
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.run.code_coverage import Point, points_by_file

_ROW = re.compile(r"\((.*)\) => [01]")
_TERM = re.compile(r"(?P<text>\(.*(?:[=!]=|[<>]).*\))==(?P<value>[01])")
"""A comparison in a row of a condition, and what it was; signals by themselves are looked at where they are declared."""
_BIT = re.compile(r"(?P<name>.*?)(?:\[(?P<bit>\d+)\])?:(?P<way>0->1|1->0)")
_BRANCHES = {"if": "is true", "else": "is false", "cond_then": "is true", "cond_else": "is false"}
_WIDEST = 16
"""Bits of counters that can wrap within a run; higher ones are not asked for."""
_SHOWN = 60
_HOW = "more seeds or a larger budget (--budget 60s), or a case that reaches it"


def condition_obligations(
    counts: Mapping[str, int], sources: Sequence[Path], pins: Collection[str] = ()
) -> list[Obligation]:
    """Obligations of the counted points of some sources.

    Args:
        counts: hits by point, conditions counted as well (:mod:`goldbeat.tb.run.code_coverage`).
        sources: the user's; a generated wrapper is left out.
        pins: names of the design's ports: what they do has obligations of its own, and some never change.
    """
    found: list[Obligation] = []
    files = points_by_file(counts)
    for path in sources:
        points = files.get(str(path), [])
        text = path.read_text(errors="replace") if points else ""
        if not text.startswith(WRAPPER_MARK):
            found += _of_file(path.name, text.splitlines(), points, pins)
    return found


def _of_file(
    name: str, lines: Sequence[str], points: Iterable[tuple[Point, int]], pins: Collection[str]
) -> Iterator[Obligation]:
    terms: dict[tuple[int, str], int] = {}
    for point, hits in points:
        line = _line(lines, point.line)
        if point.kind == "branch" and point.what in _BRANCHES:
            yield _value(f"{name}:{point.line}", f"the condition of `{line}` {_BRANCHES[point.what]}", hits)
        elif point.kind == "line" and point.what == "case":
            # A full case has a default for tools, and never enters it.
            if (label := _label(lines, point)) != "default":
                yield _value(f"{name}:{point.line}", f"the arm `{_short(label)}`", hits)
        elif point.kind in ("fsm_state", "fsm_arc"):
            yield _value(f"{name}:{point.line}", f"{point.kind.removeprefix('fsm_')} {point.what}", hits)
        elif point.kind == "expr" and (match := _ROW.fullmatch(point.what)) is not None:
            for term in filter(None, map(_TERM.fullmatch, match[1].split(" && "))):
                key = (point.line, f"{_short(term['text'])} is {('false', 'true')[int(term['value'])]}")
                terms[key] = terms.get(key, 0) + hits
        elif point.kind == "toggle" and (bit := _BIT.fullmatch(point.what)) is not None and bit["name"] not in pins:
            way = "rises" if bit["way"] == "0->1" else "falls"
            if int(bit["bit"] or 0) < _WIDEST:
                yield _value(f"{name}:{point.line}", f"{point.what.partition(':')[0]} {way}", hits)
    for (number, text), hits in terms.items():
        yield _value(f"{name}:{number}", text, hits)


def _value(place: str, what: str, hits: int) -> Obligation:
    return Obligation("values", place, what, hits > 0, _HOW)


def _line(lines: Sequence[str], number: int) -> str:
    return _short(lines[number - 1]) if 0 < number <= len(lines) else "?"


def _short(text: str) -> str:
    text = " ".join(text.partition("//")[0].split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _label(lines: Sequence[str], point: Point) -> str:
    """The label of an arm, whose point is at its colon."""
    line = lines[point.line - 1][: point.column - 1] if 0 < point.line <= len(lines) else "?"
    return re.split(r";|\bbegin\b|\bend\b|\)\s+(?=\S)", line)[-1].strip()
