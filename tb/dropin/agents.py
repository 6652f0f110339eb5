# SPDX-License-Identifier: Apache-2.0
"""What all classes with an agent in C++ behind them have in common."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_uint8, c_uint32, c_void_p, memmove
from typing import Any

import cocotb
from cocotb.queue import Queue
from cocotb.triggers import Event

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.dropin.hub import Hub, fail, hub


class AgentSignal(Structure):
    """``GbSignal`` in pauses.h."""

    _fields_ = (("path", c_char_p), ("bits", c_uint32))


def signal_of(handle: Any) -> AgentSignal:
    """A signal for C++; None: one that is not there."""
    return AgentSignal(None, 0) if handle is None else AgentSignal(handle._path.encode(), len(handle))


_MORE_CALL = CFUNCTYPE(c_int64, c_void_p, POINTER(c_uint8), c_int64)

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "gb_pauses": (c_void_p, [c_void_p, _MORE_CALL]),
    "gb_set_pause": (None, [c_void_p, c_int]),
    "gb_pause": (c_int, [c_void_p]),
}

_PLAIN: tuple[type[Any], ...] = (
    type(iter([])),
    type(iter(())),
    type(iter(range(0))),
    type(iter(range(1 << 65))),
    type(iter(b"")),
)
"""Iterators that change nothing but themselves."""


class Told(Event):  # type: ignore[misc]
    """An event that an agent sets; it is told to speak up once somebody waits."""

    def __init__(self, owner: Owner, event: int) -> None:
        super().__init__()
        self._owner = owner
        self._kind = event

    def wait(self) -> Any:
        """As cocotb's."""
        self._owner._listen(self._kind)
        self._owner._look()
        return super().wait()

    def is_set(self) -> bool:
        """As cocotb's."""
        self._owner._look()
        return bool(super().is_set())


class SourceQueue(Queue[Any]):  # type: ignore[misc]
    """The queue of a source: its items are in C++, so only how many there are can be asked for."""

    def __init__(self, owner: Any) -> None:
        super().__init__()
        self._owner = owner

    def qsize(self) -> int:
        """Items that have not been taken."""
        return int(self._owner.count())

    def empty(self) -> bool:
        """There are none."""
        return self.qsize() == 0


class Rouser(Event):  # type: ignore[misc]
    """An event that wakes an agent."""

    def __init__(self, owner: Backed) -> None:
        super().__init__()
        self._owner = owner

    def set(self, data: object | None = None) -> None:
        """As cocotb's."""
        super().set(data)
        self._owner._call("gb_agent_wake")


class Owner:
    """A class of cocotbext-axi with an agent. Without one, everything is as in cocotbext-axi."""

    _agent: int | None = None
    _native: tuple[type, ...] = ()
    """The classes whose agent this may be; a subclass of them that does anything differently has none."""
    _replaced: tuple[str, ...] = ()
    """The methods of cocotbext-axi that the agent replaces."""
    _made_with: dict[str, Any]
    """By name: those methods as the class was made. A test may patch them."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._made_with = {name: getattr(cls, name, None) for name in cls._replaced}

    def _fixed(self) -> tuple[str, ...]:
        """What cannot be replaced in an object any more once there is an agent."""
        return self._replaced

    def __setattr__(self, name: str, value: Any) -> None:
        if self._agent is not None and name in self._fixed():
            raise UsageError(
                f"{type(self).__name__}.{name} is replaced in an object that runs in C++, which would not call it."
                " Replace it in a subclass"
            )
        super().__setattr__(name, value)

    def _makes(self: Any, signatures: dict[str, tuple[Any, list[Any]]]) -> Hub | None:
        """The hub, None where the methods are not those that the agent replaces."""
        found = hub()
        own = all(
            getattr(type(self), name, None) is kind._made_with[name] and name not in self.__dict__
            for kind in self._native
            if isinstance(self, kind)
            for name in self._replaced
        )
        if found is None or not own:
            return None
        found.know(_SIGNATURES)
        found.know(signatures)
        return found

    def _attach(self: Any, found: Hub, agent: int) -> None:
        self._hub, self._agent = found, agent
        self._mask = 0
        found.own(agent, self)

    def _call(self: Any, name: str, *arguments: Any) -> Any:
        """Call a function on the agent, unless it has ended with its test."""
        if self._agent is None or not self._hub.owned(self._agent, self):
            return None
        result = getattr(self._hub.library, name)(self._agent, *arguments)
        self._hub.pump()
        return result

    def _listen(self: Any, event: int) -> None:
        if self._agent is not None and not self._mask & event:
            self._mask |= event
            self._call("gb_agent_listen", self._mask)

    def _look(self) -> None:
        """Take over what the agent has done."""

    def noted(self) -> None:
        """The agent has seen an event."""
        self._look()


class Backed(Owner):
    """A class of cocotbext-axi whose agent drives or samples its signals."""

    def _init_reset(self, reset_signal: Any = None, active_level: bool = True) -> None:
        self._bind()
        super()._init_reset(reset_signal, active_level)  # type: ignore[misc]

    def _bind(self) -> None:
        """Get an agent, if possible."""

    def _wires(self: Any) -> str:
        """Its handshake as it is now."""
        names = (n for n in self.bus._signals if n.endswith(("valid", "ready", "sel", "enable")))
        return ", ".join(f"{name} is {getattr(self.bus, name).value}" for name in names)

    def waiting(self: Any) -> str:
        """Who it is, and what it waits for, for reports of hangs."""
        paused = ", paused" if getattr(self, "pause", False) else ""
        return f"{self.log.name} ({type(self).__name__.removeprefix('Native')}): {self._waits_for()}{paused} ({self._wires()})"

    def _waits_for(self) -> str:
        """What it waits for, without its name."""
        return "waits"

    async def _run(self: Any) -> None:
        if self._agent is None:
            await super()._run()  # type: ignore[misc]
            return
        self._call("gb_agent_start")
        # Killed by a reset, which also stops the agent.
        await Event().wait()

    # -- pauses ----------------------------------------------------------------------------------------------------------

    @property
    def pause(self: Any) -> Any:
        """Whether it is paused."""
        if self._agent is None or self._pause_cr is None:
            return self._pause
        return self._pause_cr.given(bool(self._call("gb_pause")))

    @pause.setter
    def pause(self: Any, val: Any) -> None:
        if self._agent is None:
            if self._pause != val:
                self._pause_update(val)
            self._pause = val
            return
        self._pause = val
        self._call("gb_set_pause", bool(val))

    def set_pause_generator(self: Any, generator: Any = None) -> None:
        """Set the pause anew at every edge."""
        if self._agent is None:
            super().set_pause_generator(generator)  # type: ignore[misc]
            return
        if self._pause_cr is not None:
            self._pause = self.pause
            self._pause_cr.kill()
            self._pause_cr = None
        self._pause_generator = generator
        if generator is not None:
            self._pause_cr = _Pauses(self._hub, self._agent, generator)


class _Pauses:
    """A pause generator behind an agent."""

    def __init__(self, found: Any, target: int, generator: Any) -> None:
        self._hub = found
        self._generator = generator
        self._values: Iterator[Any] = iter(())
        self._ahead = _repeats(generator)
        self._given: dict[bool, Any] = {}
        # C++ has but its address.
        self._more = _MORE_CALL(self._give)
        self._agent = found.library.gb_pauses(target, self._more)
        found.own(self._agent, self)
        self._begin = found.schedule(self._start)

    def noted(self) -> None:
        """It tells nothing."""

    def given(self, paused: bool) -> Any:
        """The value that the generator has given for this."""
        return self._given.get(paused, paused)

    def waiting(self) -> str:
        """It waits for nothing."""
        return ""

    def kill(self) -> None:
        """Set the pause no more."""
        self._begin.cancel()
        if self._hub.owned(self._agent, self):
            self._hub.library.gb_agent_stop(self._agent)

    def _start(self) -> None:
        if not self._hub.owned(self._agent, self):
            return
        self._values = iter(self._generator)
        self._hub.library.gb_agent_start(self._agent)
        self._hub.pump()

    def _give(self, _: int, values: Any, most: int) -> int:
        try:
            # Whatever else the generator does must happen at its edge.
            values_now = [*itertools.islice(self._values, most if self._ahead else 1)]
            given = bytes(map(bool, values_now))
            self._given.update((bool(value), value) for value in values_now)
        except Exception as error:
            cocotb.start_soon(fail(error))
            return 0
        memmove(values, given, len(given))
        return len(given)


def _repeats(generator: Any) -> bool:
    """Whether values may be taken before they are due: nobody can tell."""
    if type(generator) in (itertools.repeat, list, tuple, bytes, bytearray, range):
        return True
    if type(generator) is not itertools.cycle:
        return False
    try:
        inner = generator.__reduce__()[1][0]
    except (AttributeError, TypeError, LookupError):
        return False
    return type(inner) in _PLAIN
