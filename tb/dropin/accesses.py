# SPDX-License-Identifier: Apache-2.0
"""cocotbext-axi's masters, slaves and memories of AXI and AXI-Lite with processes in C++ in place of their coroutines.

Commands, answers, events and memories stay Python's; what lies between a command and its answer does not. Which of both it is,
is decided when the coroutines begin: whoever wants to see every burst in the log gets cocotbext-axi's own.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import cocotb
from cocotb.triggers import Event

from goldbeat.tb.dropin.agents import Owner
from goldbeat.tb.dropin.hub import Hub, fail

_ADDRESS = ("id", "addr", "len", "size", "burst", "prot", "lock", "cache", "qos", "region", "user")
_ROLES = {
    "aw": _ADDRESS,
    "ar": _ADDRESS,
    "w": ("data", "last", "user", "strb"),
    "b": ("id", "resp", "user"),
    "r": ("data", "last", "user", "id", "resp"),
}
"""Fields of a channel, in the order of the enumerations in access_agents.h."""
_WIDEST = 64
_BROKEN: dict[int, Callable[[], Exception]] = {
    1: lambda: AssertionError("unexpected burst ID"),
    2: lambda: AssertionError("missing rlast at end of burst"),
    3: lambda: AssertionError("unexpected rlast within burst"),
    4: AssertionError,
    5: lambda: ValueError("3 is not a valid AxiBurstType"),
}
"""What cocotbext-axi raises, by ``Broken`` in access_agents.h."""


class Served(Owner):
    """What masters and memories have in common."""

    _direction = "write"
    _decided = False
    _broken = 0

    def _names(self) -> tuple[str, ...]:
        return ("aw", "w", "b") if self._direction == "write" else ("ar", "r")

    def _takes_over(self: Any) -> bool:
        """Whether processes in C++ take the place of the coroutines; makes them the first time."""
        if not self._decided:
            self._decided = True
            found = self._makes(self._signatures)
            if found is not None and self._can_be_served():
                self._bind(found)
        return self._agent is not None

    def _can_be_served(self: Any) -> bool:
        channels = [getattr(self, f"{name}_channel") for name in self._names()]
        if self.log.isEnabledFor(logging.DEBUG) or self.byte_lanes & (self.byte_lanes - 1):
            return False
        narrow = [f"{name}{role}" for name in self._names() for role in _ROLES[name] if role not in ("data", "strb")]
        signals = [getattr(channel.bus, role, "") for role in narrow for channel in channels]
        return all(channel.may_serve() for channel in channels) and all(len(signal) <= _WIDEST for signal in signals)

    def _ends(self: Any) -> Iterable[Any]:
        """What C++ needs to know of each channel."""
        for name in self._names():
            yield getattr(self, f"{name}_channel").serve([f"{name}{role}" for role in _ROLES[name]])

    def _bind(self, found: Hub) -> None:
        """Get an agent."""

    async def _stand_in(self: Any, stock: Callable[[], Awaitable[None]]) -> None:
        """What C++ does in place of a coroutine, or that coroutine."""
        if not self._takes_over():
            await stock()
            return
        self._begin(stock.__name__)
        # Killed by a reset, which also stops the agent.
        await Event().wait()

    def _begin(self, name: str) -> None:
        """Start the process that takes the place of a coroutine."""
        self._call("gb_agent_start")

    def _report(self, broken: int) -> None:
        """Raise, once, what cocotbext-axi would."""
        if broken and not self._broken:
            self._broken = broken
            cocotb.start_soon(fail(_BROKEN[broken]()))
