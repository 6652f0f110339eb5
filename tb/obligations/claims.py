# SPDX-License-Identifier: Apache-2.0
"""What has to be shown of the RTL so that an open obligation can never be met: a signal that never changes, a condition."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from goldbeat.tb.build.branches import Branch, ModuleSpan, branches
from goldbeat.tb.build.comparisons import watched_comparisons
from goldbeat.tb.build.settled import Settled
from goldbeat.tb.design.design import Design
from goldbeat.tb.obligations.conditions import arm_text, plain_condition, ruled_out, watched_text
from goldbeat.tb.obligations.obligation import Obligation

_COMPARED = re.compile(r"\A\((.*)\)( is (?:true|false))\Z")
_CHANGES = re.compile(r"(.*) (?:rises|falls)")


@dataclass(frozen=True)
class Claim:
    """Something that never happens in any instance of a module.

    Attributes:
        module: its name.
        expression: SystemVerilog of one bit, in the scope of the module.
        never: ``true`` or ``false``: it never is; ``change``: it has one value for ever.
    """

    module: str
    expression: str
    never: Literal["true", "false", "change"]


def claims_of(
    obligations: Iterable[Obligation], design: Design, params: Mapping[str, Any]
) -> dict[str, tuple[Claim, ...]]:
    """By key of open obligations of kind ``values`` what makes each unreachable; there is nothing for some, such as states.

    Several conditions with one text on one line are one obligation: all their claims have to hold.

    Args:
        obligations: of the design; others than open ones of this kind are left out.
        design: whose RTL.
        params: values of its parameters.
    """
    opened = [one for one in obligations if one.open and one.kind == "values"]
    if not opened:
        return {}
    conditions, spans = branches(design, params)
    known: dict[tuple[str, str], dict[Claim, None]] = defaultdict(dict)
    for one in conditions:
        for key, claim in _of_branch(one, design):
            known[key][claim] = None
    for key, claim in _of_watched(design, params):
        known[key][claim] = None
    modules = _Modules(design, spans)
    found: dict[str, tuple[Claim, ...]] = {}
    for asked in opened:
        match = _CHANGES.fullmatch(asked.what)
        if match is not None and (module := modules.at(asked.place)) is not None:
            found[asked.key] = (Claim(module, match[1], "change"),)
            continue
        # Verilator writes a comparison in parentheses.
        texts = {plain_condition(text) for text in (asked.what, _COMPARED.sub(r"\1\2", asked.what))}
        if claims := [claim for text in texts for claim in known.get((asked.place, text), ())]:
            found[asked.key] = tuple(claims)
    return found


class _Modules:
    """Which module stands where."""

    def __init__(self, design: Design, spans: Iterable[ModuleSpan]) -> None:
        sources = design.sources()
        self._found: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
        for one in spans:
            path = sources[one.source]
            text = path.read_bytes()
            first, last = (text.count(b"\n", 0, at) + 1 for at in (one.begin, one.end))
            self._found[path.name].append((first, last, one.module))

    def at(self, place: str) -> str | None:
        """The one whose text a ``FILE:LINE`` is part of; None: none, or several."""
        name, _, line = place.rpartition(":")
        found = [module for first, last, module in self._found.get(name, ()) if first <= int(line) <= last]
        return found[0] if len(found) == 1 else None


def _of_branch(one: Branch, design: Design) -> Iterator[tuple[tuple[str, str], Claim]]:
    """The obligations that a condition leaves open, by place and text, and what makes them unreachable."""
    path = design.sources()[one.source]
    text = path.read_bytes()
    written = text[one.begin : one.end].decode(errors="replace")
    asked = f"({one.path}) && " if one.path else ""
    if one.arm:
        line = text.count(b"\n", 0, one.end) + 1
        yield (
            (f"{path.name}:{line}", plain_condition(arm_text(written))),
            Claim(one.module, f"{asked}({one.text})", "true"),
        )
        return
    for value in (False, True):
        settled = Settled(one.source, one.begin, one.end, value, one.chosen, one.chosen_end)
        never: Literal["true", "false"] = "false" if value else "true"
        for line, what in ruled_out(text, written, settled):
            claim = Claim(one.module, f"({one.text})", never)
            if what.startswith("`if ("):
                claim = Claim(one.module, f"{asked}{'!' * value}({one.text})", "true")
            elif what.endswith("is true and is false"):
                claim = Claim(one.module, f"({one.text})", "change")
            yield (f"{path.name}:{line}", plain_condition(what)), claim


def _of_watched(design: Design, params: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Claim]]:
    """The same of what Verilator does not count by itself."""
    sources = design.sources()
    for module, watched in watched_comparisons(design, params).items():
        for (kind, (number, begin, end)), expression in watched.items():
            text = sources[number].read_bytes()
            place = f"{sources[number].name}:{text.count(bytes([10]), 0, begin) + 1}"
            what = watched_text(kind, text[begin:end].decode(errors="replace"))
            yield (place, plain_condition(what)), Claim(module, expression, "change" if kind == "at" else "true")
