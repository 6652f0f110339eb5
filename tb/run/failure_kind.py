# SPDX-License-Identifier: Apache-2.0
"""What kind of failure a text is about, and at which port: two runs that fail alike agree in both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from goldbeat.tb.kernel.rules import ASSERTION, RULES

REPEAT = "repeat: "
"""Begins the line behind failures that has the command for a repetition."""
_RULE = re.compile(r"^([a-z0-9_]+): ")
_EPISODE = re.compile(r"^episode [^:]*: ")
_KINDS: Sequence[tuple[str, re.Pattern[str]]] = (
    ("hang", re.compile(r"^the simulator\b")),
    ("time", re.compile(r": cycle differs|: time differs|: times? differ|cycles? differ|expected to end in cycle")),
    ("data", re.compile(r"differs|expected|missing|extra|too many")),
)


@dataclass(frozen=True)
class FailureKind:
    """What is alike in failures of one cause.

    Attributes:
        kind: ``assertion``, ``protocol``, ``hang`` (the simulator came to no end, or crashed), ``time``, ``data`` or ``other``.
        place: port, memory, status output, or rule and port.
    """

    kind: str
    place: str

    def __str__(self) -> str:
        return f"{self.kind}, {self.place}"


def failure_kind(text: str) -> FailureKind:
    """The kind of a failure.

    Args:
        text: as :class:`~goldbeat.tb.run.runs.RunResult` has it.
    """
    head = _EPISODE.sub("", text.partition("\n")[0])
    kind = next((name for name, pattern in _KINDS if pattern.search(head)), "other")
    if kind == "hang":
        return FailureKind(kind, "the simulator")
    rule = _RULE.match(head)
    if rule and (rule[1] in RULES or rule[1] == ASSERTION):
        rest = re.split("[:,]", head[rule.end() :], maxsplit=1)[0]
        return FailureKind("assertion" if rule[1] == ASSERTION else "protocol", f"{rule[1]}: {rest}")
    return FailureKind(kind, re.split("[:,]", head, maxsplit=1)[0])


def failing_episode(text: str) -> int | None:
    """The number of the episode that a failure is about; None where there is only one, or none."""
    found = re.match(r"episode (\d+)", text)
    return int(found[1]) if found else None
