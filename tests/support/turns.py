# SPDX-License-Identifier: Apache-2.0
"""Long random tests take turns: each run draws an eleventh of their seeds, and eleven in a row draw all of them.

``make test-slow`` takes the count of commits as its turn, a night its seed. ``GOLDBEAT_TURN=7`` repeats the seeds of turn 7.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

TURNS = 11
"""Has no factor in common with the twelve parts of the slow tests, whose turn is the count of commits as well."""
TURN = int(os.environ.get("GOLDBEAT_TURN", "0"))


def in_turn(items: Sequence[T]) -> Sequence[T]:
    """The eleventh of them whose turn it is."""
    part = TURN % TURNS
    return items[part * len(items) // TURNS : (part + 1) * len(items) // TURNS]
