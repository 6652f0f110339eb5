# SPDX-License-Identifier: Apache-2.0
"""cocotb's edge triggers and clocks, with the kernel behind them instead of VPI callbacks.

They fire where cocotb's own fire: a signal has changed, the design has yet to follow. While nothing but them is due, time runs
in C++.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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


class TriggerLine:
    """What a rising edge that tasks and agents wait for in one line does in place of cocotb's methods.

    The trigger is cocotb's own, so that tests see its type; these methods are set on it.

    Args:
        trigger: cocotb's.
        hub: of the kernel.
        line: in C++.
    """

    def __init__(self, trigger: RisingEdge, hub: Hub, line: int) -> None:
        self._trigger, self._hub, self._line = trigger, hub, line
        self._join = hub.library.gb_line_join
        self._token = 0
        self._order: list[int] = []
        self._places: dict[int, _Place] = {}
        hub.edges[hub.library.gb_line_number(line)] = self._risen
        trigger._register = self._enter
        trigger._deregister = self._leave
        trigger._do_callbacks = self._run_places

    def _enter(self, func: Callable[[], object]) -> Any:
        place = _Place(self._trigger, func)
        self._token = place.token = token = self._token + 1
        self._places[token] = place
        self._join(self._line, token)
        return place

    def _leave(self, callback: Any) -> None:
        self._hub.library.gb_line_leave(self._line, callback.token)
        del self._places[callback.token]

    def _risen(self, order: list[int]) -> None:
        self._order = order
        self._trigger._react()

    def _run_places(self) -> None:
        places, self._places = self._places, {}
        for token in self._order:
            if token:
                places[token]._run()
            else:
                self._hub.schedule(self._hub.run_up)


def _lined(make: Any, signal: Any, hub: Hub) -> Any:
    """A rising edge of a signal that has a line, and no trigger yet; else cocotb's."""
    trigger = make(signal)
    line = hub.library.gb_line(signal._path.encode())
    if line and hub.library.gb_line_number(line) not in hub.edges:
        TriggerLine(trigger, hub, line)
    return trigger


def _watched(make: Any, sense: int, hub: Hub) -> Callable[[Any, Any], Any]:
    """Triggers of cocotb's class on signals that the kernel watches; ``sense`` is -1 for falling edges, 0 for any change."""

    def choose(cls: type[Any], signal: Any) -> Any:
        trigger = make(signal)
        if hub.reaches(signal):
            watch = hub.library.gb_value(signal._path.encode(), len(signal), sense)
            trigger._prime = partial(hub.library.gb_value_arm, watch)
            trigger._unprime = partial(hub.library.gb_value_disarm, watch)
            hub.values[hub.library.gb_value_number(watch)] = trigger._react
        return trigger

    return choose


def install_triggers(hub: Hub) -> None:
    """Let signals make these triggers from here on."""
    for plain, sense in ((FallingEdge, -1), (ValueChange, 0), (Edge, 0)):
        plain._make = classmethod(_watched(plain._make, sense, hub))
    make = RisingEdge._make

    def rising(cls: type[Any], signal: Any) -> Any:
        if cls is RisingEdge and hub.reaches(signal):
            return _lined(make, signal, hub)
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
