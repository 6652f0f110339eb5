# SPDX-License-Identifier: Apache-2.0
"""Resets with other names, in modules that have none by name."""

from __future__ import annotations

import re

from goldbeat.tb.design.pin_names import inner_words, name_words
from goldbeat.tb.design.ports.recognition import Pin
from goldbeat.tb.probe.sidebands import is_control

_CLEARS = re.compile("[as]?(?:clear|clr|flush)n?|[as]init")
"""Words of an input that is a reset where there is no other."""
_EVENT = re.compile(
    "(?:.+_)?(?:valid|vld|val|v|stb|strobe|put|push|pop|get|enq|deq|avail|dv|wr|write|we|rd|read|re|ready|rdy|"
    "wait|next|last|first|sop|eop|ld|trig|event|edge|data|d|rx|rxd|bit|in|a|b|x|y)"
)
"""Names of inputs that are none."""


def clears_by_name(pin: Pin) -> bool:
    """Whether an input of one bit says by its name that it clears."""
    plain = pin.way == "input" and pin.width == 1 and not pin.unpacked and pin.refusal is None
    return plain and any(map(_CLEARS.fullmatch, name_words(pin.name)))


def may_reset(pin: Pin, registers: int) -> bool:
    """Whether an input may be a reset.

    Args:
        pin: the input.
        registers: how many it sets to constants, which is what it decides first.
    """
    if pin.way != "input" or pin.width != 1 or pin.unpacked or pin.refusal is not None:
        return False
    if clears_by_name(pin):
        return registers > 0
    # A single register may count the cycles since an event; what asks or starts is an event by its name.
    return registers > 1 and not (is_control(pin) or _EVENT.fullmatch("_".join(inner_words(pin.name))))
