# SPDX-License-Identifier: Apache-2.0
"""cocotb's edge triggers and clocks, with the kernel behind them instead of VPI callbacks.

They fire where cocotb's own fire: a signal has changed, the design has yet to follow. While nothing but them is due, time runs
in C++.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cocotb
from cocotb._base_triggers import TriggerCallback
from cocotb.clock import Clock
from cocotb.triggers import Edge, Event, FallingEdge, RisingEdge, ValueChange
from cocotb.utils import get_sim_time

from goldbeat.tb.dropin.hub import Hub
from goldbeat.tb.dropin.stillness import StillnessGuard


class _Place(TriggerCallback):  # type: ignore[misc]
    """Where a task stands in a line."""

    __slots__ = ("token",)
    token: int


class LineTrigger(RisingEdge):  # type: ignore[misc]
    """A rising edge that tasks and agents wait for in one line."""

    _hub: Hub
    _line: int
    _token: int
    _order: list[int]
    _places: dict[int, _Place]

    @classmethod
    def _stand(cls, signal: Any, hub: Hub) -> LineTrigger | None:
        line = hub.library.gb_line(signal._path.encode())
        if not line or hub.library.gb_line_number(line) in hub.edges:
            return None
        self: LineTrigger = super()._make(signal)
        self._hub = hub
        self._line = line
        self._join = hub.library.gb_line_join
        self._token = 0
        self._order = []
        self._places = {}
        hub.edges[hub.library.gb_line_number(line)] = self._risen
        return self

    def _prime(self) -> None:
        pass

    def _unprime(self) -> None:
        pass

    def _register(self, func: Callable[[], object]) -> Any:
        place = _Place(self, func)
        self._token = place.token = token = self._token + 1
        self._places[token] = place
        self._join(self._line, token)
        return place

    def _deregister(self, callback: Any) -> None:
        self._hub.library.gb_line_leave(self._line, callback.token)
        del self._places[callback.token]

    def _risen(self, order: list[int]) -> None:
        self._order = order
        self._react()

    def _do_callbacks(self) -> None:
        places, self._places = self._places, {}
        for token in self._order:
            if token:
                places[token]._run()
            else:
                self._hub.schedule(self._hub.run_up)


class _Watched:
    """A trigger on a signal that the kernel watches."""

    _sense = 0
    _hub: Hub
    _watch: int

    def _prime(self) -> None:
        self._hub.library.gb_value_arm(self._watch)

    def _unprime(self) -> None:
        self._hub.library.gb_value_disarm(self._watch)


class WatchedFall(_Watched, FallingEdge):  # type: ignore[misc]
    """A falling edge."""

    _sense = -1


class WatchedChange(_Watched, ValueChange):  # type: ignore[misc]
    """Any change."""


class WatchedEdge(_Watched, Edge):  # type: ignore[misc]
    """Any change, by its older name."""


def _watched(kind: type[Any], make: Any, hub: Hub) -> Callable[[Any, Any], Any]:
    def choose(cls: type[Any], signal: Any) -> Any:
        if not hub.reaches(signal):
            return make(signal)
        watch = hub.library.gb_value(signal._path.encode(), len(signal), kind._sense)
        trigger = make.__func__(kind, signal)
        trigger._hub, trigger._watch = hub, watch
        hub.values[hub.library.gb_value_number(watch)] = trigger._react
        return trigger

    return choose


def install_triggers(hub: Hub) -> None:
    """Let signals make these triggers from here on."""
    for plain, kind in ((FallingEdge, WatchedFall), (ValueChange, WatchedChange), (Edge, WatchedEdge)):
        plain._make = classmethod(_watched(kind, plain._make, hub))
    make = RisingEdge._make

    def rising(cls: type[Any], signal: Any) -> Any:
        if cls is RisingEdge and hub.reaches(signal):
            return LineTrigger._stand(signal, hub) or make(signal)
        return make.__func__(cls, signal)

    RisingEdge._make = classmethod(rising)


def install_clocks(hub: Hub) -> None:
    """Let the kernel run cocotb's clocks: edges come when cocotb's own come."""
    start = Clock.start

    def begin(self: Any, start_high: bool = True) -> Any:
        if self._task is not None or not hub.reaches(self._signal) or len(self._signal) != 1:
            return start(self, start_high)
        high, low = self._period_high_steps, self._period_steps - self._period_high_steps

        async def drive() -> None:
            self._signal.set(self._set_action(int(start_high)))
            first = int(get_sim_time()) + (high if start_high else low)
            clock = hub.library.gb_toggle(self._signal._path.encode(), high, low, first)
            guard = StillnessGuard(hub, self._signal._path, high + low)
            try:
                await Event().wait()
            finally:
                guard.end()
                hub.library.gb_toggle_stop(clock)

        self._task = cocotb.start_soon(drive())
        return self._task

    Clock.start = begin
