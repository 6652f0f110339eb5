# SPDX-License-Identifier: Apache-2.0
"""Failures that are alike: one card for ten cases that differ first in the same way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from goldbeat.tb.regress.brief import Brief

_NUMBER = re.compile(r"\b(0x)?[0-9a-f]*\d[0-9a-f]*\b")
_VALUE = re.compile(r"\b(expected|got) [0-9a-f-]+(?![^\s,;.)])")


@dataclass(frozen=True)
class FailureGroup:
    """Items of one design that failed alike.

    Attributes:
        members: in the plan's order.
    """

    members: tuple[Brief, ...]

    @property
    def first(self) -> Brief:
        """The item that stands for all."""
        return self.members[0]


def mismatch_kind(text: str) -> str:
    """A mismatch without its numbers: beats, cycles, values, episodes."""
    return _NUMBER.sub("N", _VALUE.sub(r"\1 N", text))


def failure_groups(rows: Iterable[Brief]) -> list[FailureGroup]:
    """What does not pass, by design, status and kind of the first mismatch; the largest group first."""
    found: dict[tuple[str, str, str], list[Brief]] = {}
    for row in rows:
        if row.status is not None and not row.passed:
            found.setdefault((row.design, row.status.value, mismatch_kind(row.mismatch)), []).append(row)
    groups = [FailureGroup(tuple(members)) for members in found.values()]
    return sorted(groups, key=lambda g: (-len(g.members), g.first.number))
