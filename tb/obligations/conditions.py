# SPDX-License-Identifier: Apache-2.0
"""Obligations of the RTL's own text: branches and case arms taken, conditions both ways, narrow signals up and down.

Verilator counts them while the simulator runs. A counter that is compared with 200, a special value of the data or a branch
that handles an error is seen here, whatever it does, if the traffic has not come that far.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from goldbeat.tb.build.comparisons import FILE as WATCH_FILE
from goldbeat.tb.build.comparisons import Place, watched_place
from goldbeat.tb.build.harness import WRAPPER_MARK
from goldbeat.tb.build.quiet_signals import ConstantSignal, QuietSignals, quiet_signals
from goldbeat.tb.build.settled import Settled, settled_conditions
from goldbeat.tb.build.size_bits import size_bits
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.pin_names import is_reset
from goldbeat.tb.design.unchecked import pins_of
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.run.code_coverage import Point, points_by_file

_ROW = re.compile(r"\((.*)\) => ([01])")
_TERM = re.compile(r"(?P<text>\(.*(?:[=!]=|[<>]).*\))==(?P<value>[01])")
"""A comparison in a row of a condition, and what it was; signals by themselves are looked at where they are declared."""
_BIT = re.compile(r"(?P<name>.*?)(?:\[(?P<bit>\d+)\])?:(?P<way>0->1|1->0)")
_CAST = re.compile(r"\w+'(?=\()|[()]")
_NUMBER = re.compile(r"\d+'s?[hdob][0-9a-f]+|%25")
_NAME = re.compile(r"[A-Za-z_$]")
"""Where no name is left without the numbers, those of an unrolled loop are compared; ``%25`` is the operator."""
_BRANCHES = {"if": "is true", "else": "is false", "cond_then": "is true", "cond_else": "is false", "elsif": "is true"}
"""Of a chain of conditions, all but the last are ``elsif``; that one is false shows where the next one is asked for."""
_WIDEST = 16
"""Bits of counters that can wrap within a run; higher ones are not asked for."""
_PAYLOAD = 24
"""Signals with more bits are taken for payload."""
_CHANGES = re.compile(r"(\w+)(?:[.\[].*)? (?:rises|falls)")
"""What a signal, or a part of it, does."""
_PART = re.compile(r"([\w.\[\]]+?)(?:\[(\d+)\])? (?:rises|falls)")
"""A bit of a signal, of an element or of a field."""
_INDEX = re.compile(r"\[\d+\]")
_RETURNS = re.compile(r"\A\s*(begin\s*(:\s*\w+\s*)?)?return\b")
_ELSE_RETURNS = re.compile(r"\A\s*(begin\b.*?\bend|[^;]*;)\s*else\s+(begin\s*(:\s*\w+\s*)?)?return\b", re.DOTALL)
_ALONE = re.compile(r"`if \(\s*[!~]?\s*(\w+)\s*\)`")
"""A condition of one signal."""
_SHOWN = 60
_WATCHED = {
    "at": "`{}` is true and is false",
    "true": "`{}` is true while the inputs beside it are 1",
    "false": "`{}` is false while the inputs beside it are 1",
    "equal": "both sides of `{}` are equal",
    "full": "all bits of the counter `{}` are 1",
}
"""What is asked of the kinds of :mod:`goldbeat.tb.build.comparisons`."""
_HOW = "more seeds or a larger budget (--budget 60s), or a case that reaches it"


def condition_obligations(counts: Mapping[str, int], design: Design, pins: Collection[str] = ()) -> list[Obligation]:
    """Obligations of the counted points of a design's sources; a generated wrapper is left out.

    Args:
        counts: hits by point, conditions counted as well (:mod:`goldbeat.tb.run.code_coverage`).
        design: whose sources.
        pins: names of its ports: what they do has obligations of its own, and some never change.
    """
    found: list[Obligation] = []
    files = points_by_file(counts)
    for path in design.sources():
        points = files.get(str(path), [])
        text = path.read_text(errors="replace") if points else ""
        if not text.startswith(WRAPPER_MARK):
            found += _of_file(path.name, text.splitlines(), points, pins, design.ties)
    found += _compared(design.sources(), files.get(WATCH_FILE, []))
    tied = re.compile(rf"\b({'|'.join(map(re.escape, design.ties))})\b") if design.ties else None
    return [_with_tie(one, tied) for one in found]


class SettledConditions:
    """Waives what widths and constants rule out; the RTL is read when something is open for the first time.

    Args:
        design: with its default parameters.
    """

    def __init__(self, design: Design) -> None:
        self._design = design

    def __call__(self, obligations: Sequence[Obligation]) -> list[Obligation]:
        """The same, those that cannot be met with the reason."""
        return [
            one
            if not one.open or one.kind != "values" or (reason := self._reason(one)) is None
            else replace(one, waived=reason)
            for one in obligations
        ]

    def _reason(self, one: Obligation) -> str | None:
        """Why an obligation cannot be met; Verilator writes numbers of comparisons in its own way."""
        match = re.fullmatch(r"\((.*)\) is (true|false)", one.what)
        written = f"{plain_condition(match[1])} is {match[2]}" if match is not None else ""
        found = self._reasons.get((one.place, one.what)) or self._reasons.get((one.place, written))
        found = found or (None if _CHANGES.fullmatch(one.what) else self._dead.get(one.place))
        return found or self._undriven_reason(one) or self._size_reason(one)

    def _undriven_reason(self, one: Obligation) -> str | None:
        """Why a signal, or a bit of it, never changes: nothing drives it, or it gets constants alone."""
        match = _CHANGES.fullmatch(one.what)
        if match is None:
            return None
        if (one.place, match[1]) in self._undriven:
            return "nothing drives it"
        if (constant := self._constant.get((one.place, match[1]))) is None:
            return None
        bit = 1 << int((re.search(r"\[(\d+)\] ", one.what) or "[0]")[1])
        if not constant.ones & bit:
            return "it gets constants alone, in which it is 0"
        return (
            "it gets constants alone, in which it is 1"
            if one.what.endswith("falls") and not constant.zeros & bit
            else None
        )

    @property
    def warnings(self) -> list[str]:
        """Signals that are read, or are outputs, although nothing drives them."""
        return [
            f"{place}: nothing drives {name}, which is used" for (place, name), read in self._undriven.items() if read
        ]

    @cached_property
    def _quiet(self) -> QuietSignals:
        return quiet_signals(self._design, {name: one.default for name, one in self._design.parameters.items()})

    @cached_property
    def _undriven(self) -> dict[tuple[str, str], bool]:
        """By place and name of a signal that nothing drives, whether it is read."""
        sources = self._design.sources()
        return {(f"{sources[one.source].name}:{one.line}", one.name): one.read for one in self._quiet.undriven}

    @cached_property
    def _constant(self) -> dict[tuple[str, str], ConstantSignal]:
        """By place and name, signals that get constants alone."""
        sources = self._design.sources()
        return {(f"{sources[one.source].name}:{one.line}", one.name): one for one in self._quiet.constant}

    def _size_reason(self, one: Obligation) -> str | None:
        """Why a bit stays 0 that only takes what AxSIZE has there: beats have at most the bytes of their bus."""
        match = _PART.fullmatch(one.what)
        if match is None or int(match[2] or 0) not in self._sizes.get((one.place, _INDEX.sub("", match[1])), ()):
            return None
        return "it takes a bit of AxSIZE alone that stays 0, as no beat is wider than the bus"

    @cached_property
    def _sizes(self) -> dict[tuple[str, str], frozenset[int]]:
        """By place and name, bits of signals that are copies of such bits."""
        sources = self._design.sources()
        found = size_bits(self._design, {name: one.default for name, one in self._design.parameters.items()})
        return {(f"{sources[source].name}:{line}", name): bits for (source, line, name), bits in found.items()}

    @cached_property
    def _settled(self) -> list[Settled]:
        return settled_conditions(self._design, {name: one.default for name, one in self._design.parameters.items()})

    @cached_property
    def _dead(self) -> dict[str, str]:
        """Lines that are within what a settled ``if`` never takes, and why."""
        found: dict[str, str] = {}
        texts = [path.read_bytes() for path in self._design.sources()]
        for one in self._settled:
            if one.dead is not None:
                text, name = texts[one.source], self._design.sources()[one.source].name
                condition = _short(text[one.begin : one.end].decode(errors="replace"))
                why = f"within what `if ({condition})` never takes, which is always {('false', 'true')[one.value]}"
                found |= {f"{name}:{line}": why for line in _whole_lines(text, *one.dead)}
        return found

    @cached_property
    def _reasons(self) -> dict[tuple[str, str], str]:
        """By place and text of what is ruled out."""
        found: dict[tuple[str, str], str] = {}
        texts = [path.read_bytes() for path in self._design.sources()]
        for one in self._settled:
            text, name = texts[one.source], self._design.sources()[one.source].name
            condition = text[one.begin : one.end].decode(errors="replace")
            word = ("false", "true")[one.value]
            reason = f"by widths and constants, `{_short(condition)}` is always {word}"
            if one.arm:
                reason = "by constants, another arm is taken"
            if one.unasked:
                reason = f"constants beside `{_short(condition)}` decide, so it is never asked"
            for settled in (one, replace(one, value=not one.value)) if one.folded else (one,):
                found |= {(f"{name}:{line}", what): reason for line, what in ruled_out(text, condition, settled)}
        return found


def _whole_lines(text: bytes, begin: int, end: int) -> range:
    """The lines that have nothing but a part of a text."""
    first, last = text.count(b"\n", 0, begin) + 1, text.count(b"\n", 0, end) + 1
    alone = not text[text.rfind(b"\n", 0, begin) + 1 : begin].strip(), not text[end:].partition(b"\n")[0].strip()
    return range(first + (not alone[0]), last + alone[1])


def ruled_out(text: bytes, condition: str, one: Settled) -> Iterator[tuple[int, str]]:
    """Lines and texts of the obligations that a settled condition leaves open for ever."""
    if one.arm:
        yield text.count(b"\n", 0, one.end) + 1, arm_text(condition)
        return
    line = text.count(b"\n", 0, one.begin) + 1
    never = ("true", "false")[one.value]
    if one.chosen is not None:
        line = text.count(b"\n", 0, one.chosen) + 1
        begin = text.rfind(b"\n", 0, one.chosen) + 1
        whole = text[begin:].partition(b"\n")[0].decode(errors="replace")
        # The point of the arm is somewhere within it; within an inner choice it may be that one's.
        end = one.chosen + 2 if b"?" in text[one.chosen : one.chosen_end] else one.chosen_end + 1
        for column in range(max(0, one.end - begin), end - begin):
            yield line, f"the choice in column {column} of `{_short(whole)}` is {never}"
    yield line, f"`if ({_short(condition)})` is {never}"
    yield line, f"`{_short(condition)}` is true and is false"
    yield line, f"{plain_condition(condition)} is {never}"


def plain_condition(text: str) -> str:
    """A condition without spaces, parentheses and casts, which Verilator writes in its own way, its numbers in decimal."""
    bases = {"h": 16, "d": 10, "o": 8, "b": 2}

    def decimal(match: re.Match[str]) -> str:
        try:
            return str(int(match[2], bases[match[1].lower()]))
        except ValueError:
            return match[0]

    return "".join(_CAST.sub("", re.sub(r"\d*'[sS]?([hdobHDOB])(\w+)", decimal, text)).split())


def pins_of_design(design: Design) -> set[str]:
    """Names of a design's ports."""
    return {pin for port in design.ports for pin in pins_of(port)} | {*design.ties, *design.ignored}


def _with_tie(one: Obligation, tied: re.Pattern[str] | None) -> Obligation:
    """The same; what an input decides that the bench ties is met by driving it alone."""
    pin = None if tied is None or one.met else tied.search(one.what)
    return one if pin is None else replace(one, how=f"driving {pin[0]}, which the bench ties ([ties])")


def _of_file(
    name: str, lines: Sequence[str], points: Sequence[tuple[Point, int]], pins: Collection[str], ties: Collection[str]
) -> Iterator[Obligation]:
    terms: dict[tuple[int, str], int] = {}
    bits = [(p.line, bit) for p, _ in points if p.kind == "toggle" and (bit := _BIT.fullmatch(p.what)) is not None]
    wide = {(line, bit["name"]) for line, bit in bits if int(bit["bit"] or 0) >= _PAYLOAD}
    folded, met = _folded(lines, points), _met_whole(points)
    for point, hits in points:
        place = f"{name}:{point.line}"
        if point.kind in ("branch", "line") and point.what in _BRANCHES:
            returns = {"if": _RETURNS, "elsif": _RETURNS, "else": _ELSE_RETURNS}.get(point.what)
            if returns is not None and returns.search(_after_condition(lines, point)):
                # Verilator counts nothing that returns.
                continue
            if (point.line, point.column - (point.what == "cond_else")) in folded:
                continue
            condition = _condition(lines, point)
            if point.kind == "branch" or not _asks_reset(condition, ties):
                yield _value(place, f"{condition} {_BRANCHES[point.what]}", hits)
        elif point.kind == "line" and point.what == "case":
            if _is_told(label := _label(lines, point), lines[point.line - 1]):
                yield _value(place, arm_text(label), hits)
        elif point.kind in ("fsm_state", "fsm_arc"):
            yield _value(place, f"{point.kind.removeprefix('fsm_')} {point.what}", hits)
        elif point.kind == "expr" and (match := _ROW.fullmatch(point.what)) is not None:
            for term in filter(None, map(_TERM.fullmatch, match[1].split(" && "))):
                if not _NAME.search(_NUMBER.sub("", term["text"])):
                    continue
                key = (point.line, f"{_short(term['text'])} is {('false', 'true')[int(term['value'])]}")
                terms[key] = terms.get(key, 0) + (hits or met.get((point.line, point.what), 0))
        elif (
            point.kind == "toggle"
            and (bit := _BIT.fullmatch(point.what)) is not None
            and bit["name"].partition("[")[0] not in pins
            and (point.line, bit["name"]) not in wide
        ):
            way = "rises" if bit["way"] == "0->1" else "falls"
            if int(bit["bit"] or 0) < _WIDEST:
                yield _value(place, f"{point.what.partition(':')[0]} {way}", hits)
    for (number, text), hits in terms.items():
        yield _value(f"{name}:{number}", text, hits)


def _met_whole(points: Sequence[tuple[Point, int]]) -> dict[tuple[int, str], int]:
    """By line, the only row with which its only ``if`` is taken, and how often it was.

    In functions Verilator counts rows behind the branch, which may have changed what the condition reads.
    """
    taken: dict[int, list[int]] = {}
    rows: dict[int, list[str]] = {}
    for point, hits in points:
        if _BRANCHES.get(point.what) == "is true":
            taken.setdefault(point.line, []).append(hits)
        elif point.kind == "expr" and (match := _ROW.fullmatch(point.what)) is not None and match[2] == "1":
            rows.setdefault(point.line, []).append(point.what)
    return {
        (line, rows[line][0]): hits[0]
        for line, hits in taken.items()
        if len(hits) == 1 and len(rows.get(line, ())) == 1
    }


def _folded(lines: Sequence[str], points: Sequence[tuple[Point, int]]) -> set[tuple[int, int]]:
    """Line and column of choices that Verilator has decided, as of a genvar: always evaluated, and neither way was taken."""
    hits: dict[tuple[int, int], int] = {}
    for point, count in points:
        if point.what in ("cond_then", "cond_else") and 0 < point.line <= len(lines):
            at = (point.line, point.column - (point.what == "cond_else"))
            hits[at] = hits.get(at, 0) + count
    return {
        (line, column)
        for (line, column), count in hits.items()
        # An inner choice may never have been reached.
        if not count and lines[line - 1].lstrip().startswith("assign") and lines[line - 1][:column].count("?") <= 1
    }


def _compared(sources: Sequence[Path], points: Sequence[tuple[Point, int]]) -> Iterator[Obligation]:
    """What Verilator does not count by itself: what has changed was both, and was seen."""
    hits: dict[tuple[str, Place], int] = {}
    for point, count in points:
        if point.kind == "toggle" and (watched := watched_place(point.what.partition(":")[0])) is not None:
            hits[watched] = hits.get(watched, 0) + count
    for (kind, (number, begin, end)), count in sorted(hits.items()):
        text = sources[number].read_bytes()
        line = text.count(b"\n", 0, begin) + 1
        yield _value(
            f"{sources[number].name}:{line}",
            watched_text(kind, text[begin:end].decode(errors="replace")),
            count,
        )


def watched_text(kind: str, text: str) -> str:
    """What is asked of a watched expression (:mod:`goldbeat.tb.build.comparisons`)."""
    return _WATCHED[kind].format(_short(text))


def arm_text(label: str) -> str:
    """What is asked of an arm of a ``case``."""
    return f"the arm `{_short(label)}`"


def _asks_reset(condition: str, ties: Collection[str]) -> bool:
    """Whether a condition is a reset, which has obligations of its own; one that the bench ties has none."""
    alone = _ALONE.fullmatch(condition)
    return alone is not None and is_reset(alone[1]) and alone[1] not in ties


def _value(place: str, what: str, hits: int) -> Obligation:
    return Obligation("values", place, what, hits > 0, _HOW)


def _short(text: str) -> str:
    text = " ".join(text.partition("//")[0].split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _condition(lines: Sequence[str], point: Point) -> str:
    """What a branch depends on: the text in the parentheses of an ``if``; of a choice, its line and column."""
    if not 0 < point.line <= len(lines):
        return "a condition"
    if point.what.startswith("cond"):
        column = point.column - (point.what == "cond_else")
        return f"the choice in column {column} of `{_short(lines[point.line - 1])}`"
    text = _parenthesised(lines, point)[0]
    return f"`if ({_short(text)})`" if text else f"the condition of `{_short(lines[point.line - 1])}`"


def _after_condition(lines: Sequence[str], point: Point) -> str:
    """What comes behind the condition of an ``if``."""
    return _parenthesised(lines, point)[1] if 0 < point.line <= len(lines) else ""


def _parenthesised(lines: Sequence[str], point: Point) -> tuple[str, str]:
    """The text in the parentheses behind a place, and what comes behind them; empty: there are none."""
    first = point.column - (2 if point.what == "else" else 1)
    text = "\n".join([lines[point.line - 1][first:], *lines[point.line :][:8]])
    begin = text.find("(")
    depth = 0
    for at, letter in enumerate(text[begin:] if begin >= 0 else ""):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[begin + 1 : begin + at], text[begin + at + 1 :]
    return "", ""


def _is_told(label: str, line: str) -> bool:
    """Whether an arm is an obligation: full cases have a default for tools, and Verilator counts no arm with a return."""
    return label not in ("", "default") and not re.search(r"\breturn\b", line)


def _label(lines: Sequence[str], point: Point) -> str:
    """The label of an arm, whose point is at its colon."""
    line = lines[point.line - 1][: point.column - 1] if 0 < point.line <= len(lines) else "?"
    return re.split(r";|\bbegin\b|\bend\b|\)\s+(?=\S)", line)[-1].strip()
