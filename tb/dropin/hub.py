# SPDX-License-Identifier: Apache-2.0
"""Where agents in C++ (``watches.h``) and cocotb's event loop meet."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from functools import cache, partial
from typing import Any, Protocol

import cocotb
import cocotb._event_loop
from cocotb.triggers import Event, GPITrigger

from goldbeat.tb.kernel.library import declare

_EDGE_CALL = CFUNCTYPE(None, c_int64, POINTER(c_int64), c_int64)
_VALUE_CALL = CFUNCTYPE(None, c_int64)
_NOTE_CALL = CFUNCTYPE(None)

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "gb_reaches": (c_int, [c_char_p, c_uint32]),
    "gb_cell": (c_void_p, [c_char_p, c_uint32]),
    "gb_watch_calls": (None, [_EDGE_CALL, _VALUE_CALL, _NOTE_CALL]),
    "gb_line": (c_void_p, [c_char_p]),
    "gb_line_number": (c_int64, [c_void_p]),
    "gb_line_join": (None, [c_void_p, c_int64]),
    "gb_line_leave": (None, [c_void_p, c_int64]),
    "gb_value": (c_void_p, [c_char_p, c_uint32, c_int]),
    "gb_value_number": (c_int64, [c_void_p]),
    "gb_value_arm": (None, [c_void_p]),
    "gb_value_disarm": (None, [c_void_p]),
    "gb_agent_start": (None, [c_void_p]),
    "gb_agent_stop": (None, [c_void_p]),
    "gb_agent_wake": (None, [c_void_p]),
    "gb_agent_listen": (None, [c_void_p, c_uint32]),
    "gb_agents_run": (c_int, []),
    "gb_agents_stirred": (POINTER(c_int32), []),
    "gb_agents_turn": (None, []),
    "gb_agents_uncounted": (c_int64, []),
    "gb_agents_note": (c_void_p, []),
    "gb_agents_clear": (None, []),
    "gb_toggle": (c_void_p, [c_char_p, c_uint64, c_uint64, c_uint64]),
    "gb_watch_progress": (c_int64, []),
    "gb_watch_nothing_due": (c_int, []),
    "gb_toggle_stop": (None, [c_void_p]),
}


class Heard(Protocol):
    """An object of Python that an agent belongs to."""

    def waiting(self) -> str:
        """Who it is, and what it waits for, for reports of hangs."""

    def noted(self) -> None:
        """The agent has seen one of the events that it was told to listen for."""


class _Notes(GPITrigger):  # type: ignore[misc]
    """Lets Python's event loop run where an agent has something to tell."""

    def __init__(self, hub: Hub) -> None:
        super().__init__()
        self._hub = hub

    def _do_callbacks(self) -> None:
        self._hub.pump()

    def _prime(self) -> None:
        pass


class Hub:
    """The meeting place of this simulator. There is one: :func:`hub`.

    Attributes:
        library: the simulator's functions.
        edges: by number of a line the call that resumes who waits in it.
        values: by number of a watch the call that resumes who waits for it.
    """

    def __init__(self, library: Any) -> None:
        self.library = library
        self.edges: dict[int, Callable[[list[int]], None]] = {}
        self.values: dict[int, Callable[[], None]] = {}
        self._owners: dict[int, Heard] = {}
        self._known: set[str] = set()
        self._stirred = library.gb_agents_stirred().contents
        self._run_agents = library.gb_agents_run
        self._notes = _Notes(self)
        # C++ has but their addresses.
        self._calls = (_EDGE_CALL(self._on_edge), _VALUE_CALL(self._on_value), _NOTE_CALL(self._on_note))
        library.gb_watch_calls(*self._calls)
        self._keeper: Any = None

    def know(self, signatures: dict[str, tuple[Any, list[Any]]]) -> None:
        """Declare functions, once."""
        if next(iter(signatures)) not in self._known:
            declare(self.library, signatures)
            self._known.update(signatures)

    def _on_edge(self, line: int, order: Any, count: int) -> None:
        self.edges[line](order[:count])

    def _on_value(self, watch: int) -> None:
        self.values[watch]()

    def _on_note(self) -> None:
        self._notes._react()

    @staticmethod
    def schedule(call: Callable[[], object]) -> Any:
        """Let cocotb's event loop call this after what it is about to call."""
        return cocotb._event_loop._inst.schedule(call)

    def run_up(self) -> None:
        """Run the agents that stand between two tasks in the line whose edge has come."""
        while self._run_agents():
            self.pump()

    def _next_turns(self, count: int) -> None:
        for _ in range(count):
            self.library.gb_agents_turn()
            self.pump()

    def pump(self) -> None:
        """Schedule the agents that have been woken, and pass on what agents tell. Called after everything that may wake one."""
        if not self._stirred.value:
            return
        self._stirred.value = 0
        if count := self.library.gb_agents_uncounted():
            self.schedule(partial(self._next_turns, count))
        while note := self.library.gb_agents_note():
            try:
                self._owners[note].noted()
            except Exception as error:
                # What a user's object raises fails the test, as in a coroutine; C++, which may have called, would swallow it.
                cocotb.start_soon(fail(error))

    def own(self, agent: int, owner: Heard) -> None:
        """Take note of a new agent, which ends with the test."""
        if not self._owners:
            self._keeper = cocotb.start_soon(_forever())
            self._keeper._add_done_callback(self._end)
        self._owners[agent] = owner

    def owned(self, agent: int | None, owner: Heard) -> bool:
        """The agent is the owner's, whose test has not ended; another test's agent may have the same address by now."""
        return agent is not None and self._owners.get(agent) is owner

    def owners(self) -> list[Heard]:
        """The objects of this test that have agents."""
        return list(self._owners.values())

    def _end(self, _: object) -> None:
        self._owners.clear()
        self.library.gb_agents_clear()

    def reaches(self, handle: Any) -> bool:
        """Whether C++ can read and write the signal itself."""
        try:
            return bool(self.library.gb_reaches(handle._path.encode(), len(handle)))
        except (AttributeError, TypeError):
            return False


async def fail(error: Exception) -> None:
    """A task that raises."""
    raise error


async def _forever() -> None:
    await Event().wait()


@cache
def hub() -> Hub | None:
    """The hub, None where this is no simulator of Goldbeat."""
    found = ctypes.CDLL(None)
    if not hasattr(found, "gb_reaches"):
        return None
    declare(found, _SIGNATURES)
    return Hub(found)
