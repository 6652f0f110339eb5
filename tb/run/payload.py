# SPDX-License-Identifier: Apache-2.0
"""Which policy each port's idle payload follows: what the user says, then the description, then random values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nearest import did_you_mean
from goldbeat.pymodels.payload import HOSTILE, PAYLOADS, Payload
from goldbeat.tb.design.design import Design


def payload_policies(design: Design, params: Mapping[str, Any], wishes: Sequence[str]) -> dict[str, Payload]:
    """The policy of each port, those of arrays one by one; ports that are not listed get random values.

    Args:
        design: whose ports they are.
        params: parameter values.
        wishes: ``POLICY`` for all ports, or ``PORT=POLICY``, which comes first.

    Raises:
        UsageError: no such policy or port, or a port twice.
    """
    ports = [*design.bundles(params), *design.register_ports(params), *design.memory_ports(params)]
    found: dict[str, Payload] = {p.name: p.payload for p in ports if p.payload is not None}
    own: dict[str, Payload] = {}
    general: Payload | None = None
    for wish in wishes:
        name, equals, text = wish.rpartition("=")
        policy = next((p for p in PAYLOADS if p == text), None)
        if policy is None:
            raise UsageError(f"--payload {wish}: expected {', '.join(PAYLOADS[:-1])} or {PAYLOADS[-1]}")
        if not equals:
            if general not in (None, policy):
                raise UsageError(f"--payload {wish}: all ports have {general} already")
            general = policy
            continue
        meant = [p.name for p in ports if p.name == name or re.fullmatch(rf"{re.escape(name)}_\d+", p.name)]
        if not meant:
            known = [p.name for p in ports]
            hint = did_you_mean(name, known) or f"; ports: {', '.join(known) or 'none'}"
            raise UsageError(f"--payload {wish}: {design.name} has no port {name}{hint}")
        if name in own or any(own.get(one, policy) != policy for one in meant):
            raise UsageError(f"--payload {wish}: {name} is given twice")
        own |= dict.fromkeys(meant, policy)
    if general is not None:
        found = {p.name: general for p in ports}
    return {name: policy for name, policy in {**found, **own}.items() if policy != HOSTILE}
