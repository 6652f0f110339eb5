# SPDX-License-Identifier: Apache-2.0
"""Idle payload of the reference back end, whose drivers leave on it what they drove last."""

from __future__ import annotations

import random
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge

from goldbeat.pymodels.payload import HOSTILE, Payload
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
        self._channels = {
            c.name: [one for p in job.bundles if p.clock == c.name for one in _idle_channels(p)] for c in job.clocks
        }
        self._policies: Mapping[str, Payload] = {}
        self._draws: dict[str, random.Random] = {}
        for name, channels in self._channels.items():
            if channels:
                cocotb.start_soon(self._run(getattr(dut, name), channels))

    def reset(self, policies: Mapping[str, Payload], seed: int) -> None:
        """Follow these policies by port; random values come from the seed."""
        self._policies = policies
        ports = {one.port for channels in self._channels.values() for one in channels}
        self._draws = {port: random.Random(seed << 32 ^ zlib.crc32(port.encode())) for port in ports}

    async def _run(self, clock: Any, channels: list[_IdleChannel]) -> None:
        edge = FallingEdge(clock)
        while True:
            await edge
            for one in channels:
                self._drive(one, self._policies.get(one.port, HOSTILE))

    def _drive(self, channel: _IdleChannel, policy: Payload) -> None:
        if policy == "hold" or channel.port not in self._draws or self._kernel.peek(channel.valid):
            return
        for name, bits in channel.payload:
            drawn = self._draws[channel.port].getrandbits(bits) if policy == HOSTILE else 0
            self._kernel.poke(name, (1 << bits) - 1 if policy == "ones" else drawn)


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
