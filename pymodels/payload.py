# SPDX-License-Identifier: Apache-2.0
"""What the payload of a channel carries while its valid is low: undefined for the reader, so a bench may choose."""

from __future__ import annotations

from typing import Literal, get_args

Payload = Literal["random", "hold", "zeros", "ones", "next"]
"""Changing random values, the latest transfer, all zeros, all ones, or the transfer that comes next."""

PAYLOADS: tuple[Payload, ...] = get_args(Payload)
"""By their numbers in idle.h."""

HOSTILE: Payload = "random"
"""Unless somebody says otherwise."""
