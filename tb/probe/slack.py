# SPDX-License-Identifier: Apache-2.0
"""Readies with slack: flags that the RTL looks at some cycles before it offers a word."""

from __future__ import annotations

import re
from collections.abc import Iterable

from goldbeat.tb.design.pin_names import inner_words
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.probe.module import Gates

_STAYS = re.compile("t?(?:valid|vld|val)|v|srdy|dv")
"""Words of a valid that stays until it is taken, so that one which does not is a fault of the RTL."""


def slack(streams: Iterable[StreamPort], gates: Gates) -> dict[str, str]:
    """Readies of outputs that do not hold the word beside them, and what that means; AXI-Stream's own names promise that.

    Args:
        streams: that names and the RTL, but not the user, have found.
        gates: of the module.
    """
    doubts = {}
    for port in streams:
        if port.direction == "in" or not port.has("tready") or port.lanes:
            continue
        valid, ready = port.pin("tvalid"), port.pin("tready")
        if valid.lower().endswith("tvalid") or gates.turns(ready, valid):
            continue
        edges = gates.edges(ready, valid, "")
        if edges is not None:
            doubts[ready] = f"{valid} comes {edges} cycles behind it, or later, so a word may come while it is low"
        elif not any(map(_STAYS.fullmatch, inner_words(valid))):
            doubts[ready] = f"{valid} does not depend on it, so a word may come while it is low"
    return doubts
