# SPDX-License-Identifier: Apache-2.0
"""Streams without a ready whose flow control is by credits, which nothing counts."""

from __future__ import annotations

from dataclasses import replace

from goldbeat.tb.design.pin_names import name_words
from goldbeat.tb.probe.credit_names import CREDIT, is_credit
from goldbeat.tb.probe.find import Found

_EFFECT = {"in": "beats do not wait for them", "out": "none are returned"}
_TIED = "it gives credits, of which none comes while it is tied"


def with_credits(found: Found) -> Found:
    """The same with a guess for the valid of each stream without a ready that has credits.

    A port of credits belongs to the stream whose valid has all other words of its name, or to the only stream. Inputs of credits
    that belong to none are told: what waits for them never comes.
    """
    pins = [pin for pin in found.module.ports if pin.name in found.unplaced and not pin.unpacked]
    returning = [pin for pin in pins if is_credit(pin.name) and (pin.width == 1 or pin.way == "input")]
    fresh: dict[str, str] = {}
    known: set[str] = set()
    for direction, way in (("in", "output"), ("out", "input")):
        free = [port for port in found.streams if port.direction == direction and not port.has("tready")]
        returned = [pin.name for pin in returning if pin.way == way]
        for valid in (port.pin("tvalid") for port in free):
            mine = [name for name in returned if _belongs(name, valid)]
            mine = mine or (returned if len(returned) == len(free) == 1 else [])
            known |= {*mine}
            if mine:
                fresh[valid] = f"the credits of {', '.join(mine)} are not counted: {_EFFECT[direction]}"
    told = [pin.name for pin in returning if pin.way == "input" and pin.name not in known and not found.ties[pin.name]]
    told = [name for name in told if found.streams and _TIED not in found.unplaced[name]]
    return replace(
        found.doubted(fresh),
        beside={**found.beside, **dict.fromkeys(told, _TIED)},
        unplaced={**found.unplaced, **{name: f"{found.unplaced[name]}; {_TIED}" for name in told}},
    )


def _belongs(name: str, valid: str) -> bool:
    words = set(name_words(name)) - CREDIT - {"i", "o"}
    return bool(words) and words <= set(name_words(valid))
