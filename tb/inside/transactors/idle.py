# SPDX-License-Identifier: Apache-2.0
"""Idle payload of the reference back end, whose drivers leave on it what they drove last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge

from goldbeat.pymodels.payload import IdleValues, Payload
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.inside.job import Job
from goldbeat.tb.kernel.simulation import Kernel

_SELECT = "psel"
_ENABLE = "penable"
"""cocotbext-axi takes for granted that it stays as driven."""


@dataclass(frozen=True)
class _IdleChannel:
    """The harness's inputs of one channel: its valid, and its payload with widths in bits."""

    port: str
    valid: str
    payload: tuple[tuple[str, int], ...]


class IdlePayload:
    """Drives the payload of channels that the bench drives, in the middle of each cycle in which valid is low.

    Args:
        dut, kernel, job: of this simulation.
    """

    def __init__(self, dut: Any, kernel: Kernel, job: Job) -> None:
        self._kernel = kernel
        self._values: dict[str, IdleValues] = {}
        for clock in job.clocks:
            channels = [one for p in job.bundles if p.clock == clock.name for one in _idle_channels(p)]
            self._values |= {one.port: IdleValues("hold") for one in channels}
            if channels:
                cocotb.start_soon(self._run(getattr(dut, clock.name), channels))

    def reset(self, policies: Mapping[str, Payload], seed: int) -> None:
        """Follow these policies by port; random values come from the seed."""
        self._kernel.payload, self._kernel.payload_seed = policies, seed
        self._values = {port: IdleValues(*self._kernel.idle_payload(port)) for port in self._values}

    async def _run(self, clock: Any, channels: list[_IdleChannel]) -> None:
        edge = FallingEdge(clock)
        while True:
            await edge
            for one in channels:
                if self._kernel.peek(one.valid):
                    continue
                for name, bits in one.payload:
                    value = self._values[one.port].draw(bits)
                    if value is not None:
                        self._kernel.poke(name, value)


def _idle_channels(port: Bundle) -> list[_IdleChannel]:
    """Those that the reference back end drives."""
    if port.direction not in port.reference:
        return []
    inputs = {wire.name: wire.width for wire in port.wires() if wire.way == "input"}
    found = []
    for valid in inputs:
        lead = valid.removesuffix("valid") if valid.endswith("valid") else "p" if valid == _SELECT else None
        if lead is None:
            continue
        skipped = (valid, f"{lead}ready", _ENABLE)
        names = [name for name in inputs if name.startswith(lead) and name not in skipped]
        payload = tuple((f"{port.name}_{name}", inputs[name]) for name in names)
        found.append(_IdleChannel(port.name, f"{port.name}_{valid}", payload))
    return found
