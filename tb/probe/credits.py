# SPDX-License-Identifier: Apache-2.0
"""Streams without a ready whose flow control is by credits, which nothing counts."""

from __future__ import annotations

from goldbeat.tb.design.pin_names import name_words
from goldbeat.tb.probe.find import Found

_CREDIT = frozenset({"credit", "credits", "crd", "yummy"})
_EFFECT = {"in": "beats do not wait for them", "out": "none are returned"}


def with_credits(found: Found) -> Found:
    """The same with a guess for the valid of each stream without a ready that has credits.

    A port of credits belongs to the stream whose valid has all other words of its name, or to the only stream.
    """
    pins = [pin for pin in found.module.ports if pin.name in found.unplaced and pin.width == 1 and not pin.unpacked]
    returning = [pin for pin in pins if _CREDIT & set(name_words(pin.name))]
    fresh: dict[str, str] = {}
    for direction, way in (("in", "output"), ("out", "input")):
        free = [port for port in found.streams if port.direction == direction and not port.has("tready")]
        returned = [pin.name for pin in returning if pin.way == way]
        for valid in (port.pin("tvalid") for port in free):
            mine = [name for name in returned if _belongs(name, valid)]
            mine = mine or (returned if len(returned) == len(free) == 1 else [])
            if mine:
                fresh[valid] = f"the credits of {', '.join(mine)} are not counted: {_EFFECT[direction]}"
    return found.doubted(fresh)


def _belongs(name: str, valid: str) -> bool:
    words = set(name_words(name)) - _CREDIT - {"i", "o"}
    return bool(words) and words <= set(name_words(valid))
