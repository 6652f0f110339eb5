# SPDX-License-Identifier: Apache-2.0
"""A trace test as a program on the configuration bus, which waits for interrupts and for its own events.

Statements of a block follow each other, those of different blocks run side by side: the program takes the first one in the file
that does not wait. What an interrupt notifies is known from GLB's status, which the program reads and clears.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterator
from difflib import get_close_matches
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
INTERRUPT_BITS = {f"{name}_{group}": bit + group for name, bit in (INTERRUPTS | _OTHERS).items() for group in (0, 1)}
"""Bit of GLB's status by engine and group."""
_STATUS = csb_register("GLB", "S_INTR_STATUS").address
_BUSY = 0x0003_0003
"""Both groups in S_STATUS; 0 is idle."""
_LAUNCH = "CFG_LAUNCH"
_MOST_CYCLES = 50_000_000


Watch = Callable[[TraceStatement | None], None]


def trace_steps(
    trace: NvdlaTrace, interrupt: str, memory: str, watch: Watch = lambda one: None
) -> Generator[Access, int, None]:
    """The accesses of a trace test; each read wants to be sent its value.

    Args:
        trace: the test.
        interrupt: the interrupt's port.
        memory: the port whose memory is checked.
        watch: called with each statement that has its turn, in front of its accesses; None: accesses of the player itself.

    Raises:
        InputError: statements wait for an event that nothing notifies.
    """
    return _Schedule(trace, interrupt, memory, watch).steps()


def idle_steps(trace: NvdlaTrace) -> Iterator[Access]:
    """Accesses that wait until every block that a test has enabled is idle: the test ends when its operations do."""
    launched = {one.register.block for one in trace.statements if one.register is not None and _starts(one)}
    for block in sorted(launched):
        if block == "BDMA":
            status = csb_register(block, "STATUS")
            idle = 1 << status.field("IDLE").lsb
            yield Access("poll", status.address, idle, mask=idle, cycles=_MOST_CYCLES, register=status.full_name)
        else:
            status = csb_register(block, "S_STATUS")
            yield Access("poll", status.address, 0, mask=_BUSY, cycles=_MOST_CYCLES, register=status.full_name)


def _starts(one: TraceStatement) -> bool:
    name = one.register.name if one.register is not None else ""
    return one.kind == "write" and bool((one.value or 0) & 1) and (name == "D_OP_ENABLE" or name.startswith(_LAUNCH))


class _Schedule:
    def __init__(self, trace: NvdlaTrace, interrupt: str, memory: str, watch: Watch) -> None:
        self._trace, self._watch = trace, watch
        self._ports = interrupt, memory
        self._threads: dict[str, deque[TraceStatement]] = defaultdict(deque)
        self._expected: dict[int | None, deque[TraceStatement]] = defaultdict(deque)
        self._checks: dict[str, list[tuple[int, TraceStatement]]] = defaultdict(list)
        self._happened: set[str] = set()
        self._news: list[str] = []
        number = 0
        for one in trace.statements:
            if one.kind == "interrupt":
                self._expected[self._bit(one)].append(one)
            elif one.kind in ("crc", "file", "nothing"):
                self._checks[one.sync].append((number, one))
                number += one.kind != "nothing"
            else:
                self._threads[one.thread].append(one)

        self._refuse_unknown_events()

    def _refuse_unknown_events(self) -> None:
        """Refuse a statement that waits for an event that no statement of the test notifies."""
        statements = self._trace.statements
        given = {one.sync for one in statements if one.kind in ("notify", "interrupt")}
        for one in statements:
            if one.sync and one.sync not in given:
                close = get_close_matches(one.sync, given, 1)
                expected = f"an event that happens{f', such as {close[0]}' if close else ''}"
                text = f"{one.sync} is never notified"
                raise InputError(text, expected, file=self._trace.file, line=one.line)

    def _bit(self, one: TraceStatement) -> int | None:
        if not one.source:
            return None
        engines = (*INTERRUPTS, *(name for name in _OTHERS if name in self._trace.configuration.engines))
        if one.source not in INTERRUPT_BITS or one.source.rpartition("_")[0] not in engines:
            known = ", ".join(f"{name}_0" for name in engines)
            raise InputError(
                f"interrupt {one.source}", f"one of {known}, or group 1", file=self._trace.file, line=one.line
            )
        return INTERRUPT_BITS[one.source]

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
        if left := [q[0] for q in self._threads.values() if q] + [
            one for due in self._checks.values() for _, one in due
        ]:
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
            self._notify(one)
            return
        self._watch(one)
        if register is not None:
            name, address = register.full_name, register.address
            if one.kind == "write":
                yield Access("post", address, one.value, register=name)
            elif one.kind == "poll":
                yield Access("poll", address, one.value, mask=one.mask, cycles=_MOST_CYCLES, register=name)
            else:
                yield Access("read", address, one.value, mask=one.mask, register=name)

    def _interrupt(self) -> Generator[Access, int, None]:
        self._watch(None)
        yield Access("wait_for", port=self._ports[0], cycles=_MOST_CYCLES)
        status = yield Access("read", _STATUS)
        if any(self._expected[None]):
            # Whoever waits for any interrupt clears it too.
            self._notify(self._expected[None].popleft())
            return
        yield Access("post", _STATUS, status)
        for bit, waiting in self._expected.items():
            if bit is not None and status >> bit & 1 and waiting:
                self._notify(waiting.popleft())

    def _notify(self, one: TraceStatement) -> None:
        self._watch(one)
        self._happened.add(one.sync)
        self._news.append(one.sync)

    def _due_checks(self) -> Generator[Access, int, None]:
        due = sorted(
            (pair for sync in self._news for pair in self._checks.pop(sync, ())), key=lambda pair: pair[1].line
        )
        self._news.clear()
        for number, one in due:
            if one.kind != "nothing":
                call = partial(run_check, number * CHECK_BYTES, one.base, one.size, one.wanted)
                what = f"{one.size} bytes at 0x{one.base:x} checked"
                yield Access("host", port=self._ports[1], call=call, register=what)
