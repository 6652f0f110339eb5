# SPDX-License-Identifier: Apache-2.0
"""What the payload of a channel carries while its valid is low: undefined for the reader, so a bench may choose."""

from __future__ import annotations

import random
from typing import Literal, get_args

Payload = Literal["random", "hold", "zeros", "ones", "next"]
"""Changing random values, the latest transfer, all zeros, all ones, or the transfer that comes next."""

PAYLOADS: tuple[Payload, ...] = get_args(Payload)
"""By their numbers in idle.h."""

HOSTILE: Payload = "random"
"""Unless somebody says otherwise."""


class IdleValues:
    """Values for the idle payload of a port that is driven from Python.

    Args:
        policy: what it carries; ``next`` is as ``hold``.
        seed: of random values.
    """

    def __init__(self, policy: Payload = HOSTILE, seed: int = 0) -> None:
        self._policy, self._draws = policy, random.Random(seed)

    def draw(self, bits: int) -> int | None:
        """The next value of a signal; None: it stays as it is."""
        match self._policy:
            case "random":
                return self._draws.getrandbits(bits)
            case "zeros":
                return 0
            case "ones":
                return (1 << bits) - 1
        return None
