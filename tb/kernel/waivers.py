# SPDX-License-Identifier: Apache-2.0
"""Waivers of protocol rules: ``RULE`` on every port, ``RULE:PORT`` on one. What they fit is counted and fails nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from goldbeat.pymodels.buses import AXIS
from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.kernel.rules import ASSERTION, RULES, WARNINGS

ENVIRONMENT = "GOLDBEAT_WAIVE"
"""Waivers of every cocotb test of a simulation, with commas between them."""

_AXIS = f"{AXIS.name}_"
OF_AXIS_ALONE = "which is a rule of AXI-Stream alone"
"""Said of rules that streams with other names break."""
OF_AXIS = frozenset(f"{_AXIS}{rule}" for rule in AXIS.clauses)
"""The rules that are a clause of the standard; the others are about beats."""
_OFFERS = (f"{_AXIS}valid_waits", f"{_AXIS}valid_held")
_IN_RESET = ("axis_valid_in_reset", "axis_valid_after_reset")
_NAMED = re.compile(r"(?:^|: )(\w+): ([^,:]+)")
_MOST_NAMED = 4
_VIOLATION = re.compile(r"(\w+): ([^,:]+)")


@dataclass(frozen=True)
class Waiver:
    """A protocol rule that may be broken.

    Attributes:
        rule: one of :data:`~goldbeat.tb.kernel.rules.RULES`.
        port: the bundle, or the assertion, that may break it; None: every one.
    """

    rule: str
    port: str | None = None

    def __str__(self) -> str:
        return self.rule if self.port is None else f"{self.rule}:{self.port}"

    def fits(self, violation: str) -> bool:
        """Whether a report (``rule: port, cycle 4: ...``) is of that rule and port, or of one in an array of that name.

        An assertion's port is its path; its own name will do.
        """
        found = _VIOLATION.match(violation)
        if found is None or found[1] != self.rule:
            return False
        return (
            self.port is None
            or found[2] == self.port
            or (self.rule == ASSERTION and found[2].endswith(f".{self.port}"))
            or re.fullmatch(rf"{re.escape(self.port)}_\d+", found[2]) is not None
        )


def parse_waivers(texts: Iterable[str]) -> tuple[Waiver, ...]:
    """Waivers from ``RULE`` and ``RULE:PORT``, each once.

    Raises:
        UsageError: there is no such rule.
    """
    found: dict[Waiver, None] = {}
    for text in texts:
        rule, colon, port = text.strip().partition(":")
        if rule not in RULES:
            close = get_close_matches(rule, RULES)
            known = f"close: {', '.join(close)}" if close else "docs/protocol-rules.md lists them all"
            raise UsageError(f"waiver {text!r}: unknown rule {rule!r}; {known}")
        if colon and not port:
            raise UsageError(f"waiver {text!r}: expected RULE or RULE:PORT")
        found[Waiver(rule, port or None)] = None
    return tuple(found)


def check_ports(waivers: Iterable[Waiver], ports: Iterable[str]) -> None:
    """Refuse waivers of ports that are not there.

    Raises:
        UsageError: it names the ports that are.
    """
    known = list(dict.fromkeys(ports))
    for waiver in waivers:
        # The names of assertions are known once they fail.
        if waiver.port is not None and waiver.port not in known and waiver.rule != ASSERTION:
            raise UsageError(f"waiver {waiver}: unknown port {waiver.port!r}; known: {', '.join(known) or 'none'}")


def sift(violations: Sequence[str], waivers: Sequence[Waiver]) -> tuple[tuple[str, ...], dict[str, int]]:
    """Violations that no waiver fits, and how many each waiver fits, by its text."""
    counts = {str(w): sum(w.fits(v) for v in violations) for w in waivers}
    return tuple(v for v in violations if not any(w.fits(v) for w in waivers)), counts


def split(violations: Iterable[str], plain: Collection[str] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What fails, and what is a warning.

    Args:
        violations: as rules tell them.
        plain: streams that are not named as AXI-Stream names them: nothing says that their valid is low in reset.
    """
    both: tuple[list[str], list[str]] = [], []
    for text in violations:
        rule, _, rest = text.partition(": ")
        both[rule in WARNINGS or (rule in _IN_RESET and rest.partition(",")[0] in plain)].append(text)
    return tuple(both[0]), tuple(both[1])


def of_house(violations: Iterable[str], house: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is judged, and what is not: rules that AXI-Stream alone makes, of streams that no standard names.

    Args:
        violations: as rules tell them.
        house: names of these streams.
    """
    both: tuple[list[str], list[str]] = [], []
    for text in violations:
        found = _VIOLATION.match(text)
        both[found is not None and found[1] in OF_AXIS and found[2] in house].append(text)
    return tuple(both[0]), tuple(both[1])


def unjudged(violations: Iterable[str]) -> tuple[str, ...]:
    """Why a verdict is partial where streams that no standard names break rules of AXI-Stream."""
    named = dict.fromkeys(match.groups() for text in violations if (match := _VIOLATION.match(text)) is not None)
    return tuple(
        f"{port}: {rule} fails, {OF_AXIS_ALONE}; {port} has other names, so that is no failure. "
        f"Without house = true in the description it is one"
        for rule, port in named
        if rule not in _IN_RESET
    )


def not_offered(violations: Iterable[str]) -> set[str]:
    """The streams whose valid was not high until its ready came: a sink that waits for such a valid may get nothing."""
    named = (match for text in violations if (match := _VIOLATION.match(text)) is not None)
    return {match[2] for match in named if match[1] in _OFFERS}


def accepted_by(failures: Iterable[str]) -> str:
    """What accepts the broken rules that failures name, as ``RULE:PORT`` each; empty: they name none."""
    named = (match for text in failures for match in _NAMED.finditer(text) if match[1] in RULES)
    found = list(dict.fromkeys(f"{match[1]}:{match[2]}" for match in named))
    more = [f"and {len(found) - _MOST_NAMED} more"] if len(found) > _MOST_NAMED else []
    return ", ".join([*found[:_MOST_NAMED], *more])


def waived(name: str, count: int) -> str:
    """What reports say of a waiver."""
    return (
        f"waived: {name}, {count} violation(s)" if count else f"waived: {name}, but nothing broke it: remove the waiver"
    )
