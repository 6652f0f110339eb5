# SPDX-License-Identifier: Apache-2.0
"""A trace test as a program on the configuration bus, which waits for interrupts and for its own events.

Statements of a block follow each other, those of different blocks run side by side: the program takes the first one in the file
that does not wait. What an interrupt notifies is known from GLB's status, which the program reads and clears.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Generator
from functools import partial

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.engines.registers import csb_register
from goldbeat.pymodels.nvdla.traces.checks import CHECK_BYTES, run_check
from goldbeat.pymodels.nvdla.traces.statements import NvdlaTrace, TraceStatement
from goldbeat.pymodels.stimulus import Access

INTERRUPTS = {"SDP": 0, "CDP": 2, "PDP": 4, "CDMA_DAT": 16, "CDMA_WT": 18, "CACC": 20}
"""Bit of GLB's status for group 0. Source: the register map of nv_small."""
_OTHERS = {"BDMA": 6, "RUBIK": 8}
"""Those of engines that only other configurations have."""
_STATUS = csb_register("GLB", "S_INTR_STATUS").address
_MOST_CYCLES = 50_000_000


def trace_steps(trace: NvdlaTrace, interrupt: str, memory: str) -> Generator[Access, int, None]:
    """The accesses of a trace test; each read wants to be sent its value.

    Args:
        trace: the test.
        interrupt: the interrupt's port.
        memory: the port whose memory is checked.

    Raises:
        InputError: statements wait for an event that nothing notifies.
    """
    return _Schedule(trace, interrupt, memory).steps()


class _Schedule:
    def __init__(self, trace: NvdlaTrace, interrupt: str, memory: str) -> None:
        self._trace = trace
        self._ports = interrupt, memory
        self._threads: dict[str, deque[TraceStatement]] = defaultdict(deque)
        self._expected: dict[int | None, deque[TraceStatement]] = defaultdict(deque)
        self._checks: list[tuple[int, TraceStatement]] = []
        self._happened: set[str] = set()
        number = 0
        for one in trace.statements:
            if one.kind == "interrupt":
                self._expected[self._bit(one)].append(one)
            elif one.kind in ("crc", "file", "nothing"):
                self._checks.append((number, one))
                number += one.kind != "nothing"
            else:
                self._threads[one.thread].append(one)

    def _bit(self, one: TraceStatement) -> int | None:
        if not one.source:
            return None
        engine, _, group = one.source.rpartition("_")
        bits = INTERRUPTS | {name: bit for name, bit in _OTHERS.items() if name in self._trace.configuration.engines}
        if engine not in bits or group not in ("0", "1"):
            known = ", ".join(f"{name}_0" for name in bits)
            raise InputError(
                f"interrupt {one.source}", f"one of {known}, or group 1", file=self._trace.file, line=one.line
            )
        return bits[engine] + int(group)

    def steps(self) -> Generator[Access, int, None]:
        while True:
            while (one := self._next()) is not None:
                self._threads[one.thread].popleft()
                yield from self._step(one)
                yield from self._due_checks()
            if not any(self._expected.values()):
                break
            yield from self._interrupt()
            yield from self._due_checks()
        if left := [q[0] for q in self._threads.values() if q] + [one for _, one in self._checks]:
            first = min(left, key=lambda one: one.line)
            raise InputError(
                f"{first.sync} is never notified", "an event that happens", file=self._trace.file, line=first.line
            )

    def _next(self) -> TraceStatement | None:
        """The first statement of the file that does not wait."""
        ready = [q[0] for q in self._threads.values() if q and (q[0].kind != "wait" or q[0].sync in self._happened)]
        return min(ready, key=lambda one: one.line, default=None)

    def _step(self, one: TraceStatement) -> Generator[Access, int, None]:
        register = one.register
        if one.kind == "notify":
            self._happened.add(one.sync)
        elif register is not None:
            name, address = register.full_name, register.address
            if one.kind == "write":
                yield Access("post", address, one.value, register=name)
            elif one.kind == "poll":
                yield Access("poll", address, one.value, mask=one.mask, cycles=_MOST_CYCLES, register=name)
            else:
                yield Access("read", address, one.value, mask=one.mask, register=name)

    def _interrupt(self) -> Generator[Access, int, None]:
        yield Access("wait_for", port=self._ports[0], cycles=_MOST_CYCLES)
        status = yield Access("read", _STATUS)
        if any(self._expected[None]):
            # Whoever waits for any interrupt clears it too.
            self._happened.add(self._expected[None].popleft().sync)
            return
        yield Access("post", _STATUS, status)
        for bit, waiting in self._expected.items():
            if bit is not None and status >> bit & 1 and waiting:
                self._happened.add(waiting.popleft().sync)

    def _due_checks(self) -> Generator[Access, int, None]:
        due = [pair for pair in self._checks if pair[1].sync in self._happened]
        self._checks = [pair for pair in self._checks if pair[1].sync not in self._happened]
        for number, one in due:
            if one.kind != "nothing":
                call = partial(run_check, number * CHECK_BYTES, one.base, one.size, one.wanted)
                what = f"{one.size} bytes at 0x{one.base:x} checked"
                yield Access("host", port=self._ports[1], call=call, register=what)
