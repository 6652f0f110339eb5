# SPDX-License-Identifier: Apache-2.0
"""One thing that a bench must have tried, and how lists of them from several runs are merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from goldbeat.pymodels.errors import UsageError

KINDS = (
    "handshake",
    "sizes",
    "addresses",
    "answers",
    "attributes",
    "outstanding",
    "crossings",
    "reset",
    "values",
    "initial",
    "ports",
)
"""The kinds, in the order of lists."""


@dataclass(frozen=True)
class Obligation:
    """Something that must have been tried.

    Attributes:
        kind: one of :data:`KINDS`.
        place: a port and its signal, or ``FILE:LINE``.
        what: what must have happened.
        met: whether it has.
        how: an option or an entry of the description that may meet it; empty: none is known.
        waived: the reason why it need not be met; None: it must.
        refuted: a run has shown the opposite, so that no other run meets it.
    """

    kind: str
    place: str
    what: str
    met: bool
    how: str = ""
    waived: str | None = None
    refuted: bool = False

    @property
    def weight(self) -> int:
        """Which of two from different runs counts: one that was refuted, else one that was met."""
        return 2 if self.refuted else int(self.met)

    @property
    def key(self) -> str:
        """What identifies it between runs, and what waivers match."""
        return f"{self.kind} {self.place}: {self.what}"

    @property
    def open(self) -> bool:
        """Neither met nor waived."""
        return not self.met and self.waived is None

    def as_dict(self) -> dict[str, str | bool]:
        """For JSON."""
        found: dict[str, str | bool] = {"kind": self.kind, "place": self.place, "what": self.what, "met": self.met}
        found |= {"how": self.how} if self.how and not self.met else {}
        return found if self.waived is None else {**found, "waived": self.waived}


def merge_obligations(obligations: Iterable[Obligation]) -> list[Obligation]:
    """Obligations of several runs as one list in the order of :data:`KINDS`.

    One is met if some run has met it and none has refuted it.
    """
    found: dict[str, Obligation] = {}
    for one in obligations:
        known = found.get(one.key)
        if known is None or one.weight > known.weight:
            found[one.key] = one
    return sorted(found.values(), key=lambda one: KINDS.index(one.kind))


def with_waivers(
    obligations: Iterable[Obligation], reasons: Mapping[str, str], *, whole: bool = True
) -> list[Obligation]:
    """The same, with reasons for those that a description waives.

    Args:
        obligations: merged ones.
        reasons: by pattern of :attr:`Obligation.key`, as ``*`` and ``?`` have it.
        whole: these are all that the design has, so each pattern must match one.

    Raises:
        UsageError: a pattern matches nothing: the RTL or the bench has changed since.
    """
    found = list(obligations)
    for pattern, reason in reasons.items():
        # Brackets are those of a bit, not a set of characters.
        matching = [n for n, one in enumerate(found) if fnmatchcase(one.key, pattern.replace("[", "[[]"))]
        if not matching and whole:
            raise UsageError(f"[obligations] {pattern!r} matches no obligation; `goldbeat verify --all` lists them")
        for n in matching:
            found[n] = replace(found[n], waived=reason)
    return found


def bits_of(file: str, names: Iterable[str], *ranges: tuple[int, int]) -> list[tuple[str, str, int, int]]:
    """The same first and last bits of several signals of a file, as :func:`high_bits` takes them."""
    return [(file, name, first, last) for name in names for first, last in ranges]


def high_bits(reason: str, *signals: tuple[str, str, int, int]) -> dict[str, str]:
    """Waivers of bits that a bench never reaches.

    Args:
        reason: of all of them.
        signals: of each its file, its name, and its first and last such bit.
    """
    return {
        f"values {file}:*: {name}[{bit}] *": reason
        for file, name, first, last in signals
        for bit in range(first, last + 1)
    }
