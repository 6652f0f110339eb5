# SPDX-License-Identifier: Apache-2.0
"""How many obligations some runs have met, and which are open: for terminals and for machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goldbeat.tb.obligations.obligation import Obligation, merge_obligations, with_waivers
from goldbeat.tb.obligations.ports import port_obligations
from goldbeat.tb.run.runs import RunResult

VERIFIED, PROVEN = "verify.json", "proof.json"
"""Reports of ``goldbeat verify`` and ``goldbeat prove``."""
ADVICE = 'try what is open, or waive it in the description: [obligations] "KIND PLACE: *" = "reason"'
SHOWN = 20
"""Open obligations that a terminal lists."""


@dataclass(frozen=True)
class Obligations:
    """Obligations of one or several designs.

    Attributes:
        by_design: merged, by the name of the design.
    """

    by_design: Mapping[str, Sequence[Obligation]]

    @classmethod
    def of_runs(cls, results: Sequence[RunResult]) -> Obligations:
        """What the ports of runs of one design have shown, and what its description waives; nothing if no episode ended."""
        if not any(result.episodes for result in results):
            return cls({})
        design = results[0].request.design
        return cls({design.name: with_waivers(port_obligations(results), design.obligations, whole=False)}).merged()

    def merged(self, *others: Obligations) -> Obligations:
        """These and others as one list a design; what one of them has met is met."""
        found: dict[str, list[Obligation]] = {}
        for one in (self, *others):
            for name, some in one.by_design.items():
                found.setdefault(name, []).extend(some)
        return Obligations({name: merge_obligations(some) for name, some in found.items() if some})

    def only(self, designs: Iterable[str]) -> Obligations:
        """Those of some designs."""
        return Obligations({name: self.by_design[name] for name in designs if name in self.by_design})

    @property
    def counts(self) -> dict[str, int]:
        """``all``, ``met``, ``waived`` and ``open``."""
        found = [one for some in self.by_design.values() for one in some]
        met, waiting = sum(one.met for one in found), sum(one.open for one in found)
        return {"all": len(found), "met": met, "waived": len(found) - met - waiting, "open": waiting}

    def report(self, before: str = "", *, needed: bool) -> Iterator[str]:
        """The counts; where open ones make a run partial, those too."""
        counts = self.counts
        if counts["all"]:
            hint = "" if needed or not counts["open"] else "; --obligations lists what was not tried"
            yield f"{before}{counts_text(counts)}{hint}"
        if needed:
            yield from self.lines(rest="; report.json has all")
            if counts["open"]:
                yield ADVICE

    def lines(self, most: int | None = SHOWN, rest: str = "") -> Iterator[str]:
        """Open obligations, and what may meet each.

        Args:
            most: that are listed; None: all.
            rest: where the others are listed.
        """
        several = len(self.by_design) > 1
        left = self.counts["open"] if most is None else most
        for name, some in self.by_design.items():
            opened = [one for one in some if one.open][:left]
            left -= len(opened)
            yield from obligation_lines("not tried", opened, f"{name}: " if several else "")
        more = self.counts["open"] - (self.counts["open"] if most is None else most)
        if more > 0:
            yield f"and {more} more{rest}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON: the counts, and every obligation with its design."""
        rows = [{"design": name, **one.as_dict()} for name, some in self.by_design.items() for one in some]
        return {**self.counts, "list": rows}


def counts_text(counts: Mapping[str, int]) -> str:
    """``obligations: 57 of 60 met, 1 waived``."""
    waived = f", {counts['waived']} waived" if counts["waived"] else ""
    return f"obligations: {counts['met']} of {counts['all']} met{waived}"


def obligation_lines(title: str, obligations: Sequence[Obligation], before: str = "") -> Iterator[str]:
    """A line an obligation, those with one option that may meet them together, and that option behind them."""
    for how in dict.fromkeys(one.how for one in obligations):
        yield from (f"{title}: {before}{one.key}" for one in obligations if one.how == how)
        if how and not obligations[0].met:
            yield f"  may be met by {how}"
