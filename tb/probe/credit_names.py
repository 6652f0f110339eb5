# SPDX-License-Identifier: Apache-2.0
"""Names of ports that give credits back."""

from __future__ import annotations

from goldbeat.tb.design.pin_names import name_words

CREDIT = frozenset({"credit", "credits", "crd", "crdt", "lcrdv", "yummy", "token", "tokens"})
"""Words of a port that gives room back."""


def is_credit(name: str) -> bool:
    """Whether a port says by its name that room is free again."""
    return bool(CREDIT.intersection(name_words(name)))
