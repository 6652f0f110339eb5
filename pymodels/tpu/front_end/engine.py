# SPDX-License-Identifier: Apache-2.0
"""Golden model of the command front end, edge by edge: docs/tpu-engine.md, rule by rule.

The page says at which edge what happens; here every edge at which something can happen is gone through in turn, on the
values before it, and the ones in between are jumped over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryTiming, Region
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import NextReady, Pattern
from goldbeat.pymodels.tpu.front_end.heads import ERRORS, Head, Heads
from goldbeat.pymodels.tpu.front_end.kinds import BLOCK
from goldbeat.pymodels.tpu.front_end.memory import BEAT, BEATS, ReadPort
from goldbeat.pymodels.tpu.front_end.outcome import Dispatched, FrontEndResult, Raised
from goldbeat.pymodels.tpu.front_end.register_values import (
    Front,
    FrontEndSettings,
    GroupSettings,
    StreamSettings,
    check_program,
)

__all__ = [
    "Dispatched",
    "Front",
    "FrontEndResult",
    "FrontEndSettings",
    "GroupSettings",
    "Raised",
    "StreamSettings",
    "run_front_end",
]

FETCH_LATENCY = 4
"""Edges from the beat that completes a command to the earliest transfer; follows from the rules, named for tests."""
TABLE = 1024
_SENT_BITS, _LEFT_BITS = 16, 7
DEADLOCK = ERRORS["DEADLOCK"]


@dataclass(eq=False)
class _Command:
    """A command on its way through the pipeline."""

    head: Head
    id: int
    data: bytes
    fault: int = 0
    granted: bool = False
    took: int = 1


@dataclass(eq=False)
class _Log:
    rows: list[tuple[int, int, int, bool, bytes, int]] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    address: list[int] = field(default_factory=list)
    offered: list[int] = field(default_factory=list)
    handshake: list[int] = field(default_factory=list)
    done: list[int] = field(default_factory=list)


class _Engine:
    """One engine's flip-flops."""

    def __init__(self, front: Front, number: int, memory: ReadPort, ready: Pattern, program: FrontEndSettings) -> None:
        self.number = number
        self.core, self.index = divmod(number, front.engines)
        self.depth = front.depth
        self.heads = Heads(front.chip, self.index, front.nmsg)
        self.memory = memory
        self.ready = NextReady(ready)
        self.mode, self.duration = program.duration_mode, program.duration
        table = program.tables.get(number)
        self.table: list[int] | None = None if table is None else np.asarray(table, np.int64).tolist()
        if self.table is not None and len(self.table) != TABLE:
            raise UsageError(f"engine {number}: a duration table of {len(self.table)}, expected {TABLE}")
        self.log = _Log()
        self.current = 0
        self.loaded = False
        self.done = False
        self.stream = StreamSettings(0, 0, 0)
        # Fetch.
        self.active = False
        self.left = 0
        self.next_block = 0
        self.credits = 0
        self.offer: int | None = None  # the edge at which the offered address is taken
        self.offer_address = 0
        self.asked = self.gone = 0  # beats asked for, beats taken or discarded
        self.coming: deque[tuple[int, bytes, bool]] = deque()
        self.last_take = -1
        # Assemble.
        self.generated = 0
        self.parts: list[bytes] = []
        self.building: _Command | None = None
        self.complete = False
        self.over = False  # the last command has been taken: the rest is discarded
        # Head and execution.
        self.head: _Command | None = None
        self.sticky = False
        self.accept: int | None = None  # the edge at which what HEAD offers is taken
        self.busy_until = -1  # free at edges from this one on
        self.running: _Command | None = None
        self.end_at = -1
        self.end_over = False

    def load(self, stream: StreamSettings | None) -> None:
        """At a pop."""
        self.stream = stream or StreamSettings(0, 0, 0)
        self.loaded = True
        self.done = self.stream.count == 0
        self.active = not self.done and self.stream.size > 0
        self.left, self.next_block = self.stream.size, self.stream.block
        self.credits = self.depth
        self.asked = self.gone = 0
        self.generated = self.current = 0
        self.parts, self.building, self.complete, self.over = [], None, False, False
        self.head, self.sticky, self.accept, self.running = None, False, None, None
        self.end_over = False

    def free(self, k: int) -> bool:
        return k >= self.busy_until

    def beat_ready(self, k: int) -> bool:
        """Whether the output register holds a beat that can be taken at edge k."""
        if not self.coming:
            return False
        return k >= max(self.coming[0][0] + 1, self.last_take) + 1

    def took(self, command: _Command) -> int:
        if self.mode in (1, 2):
            if self.table is None:
                raise UsageError(f"engine {self.number}: its duration table was not written")
            index = command.head.kind if self.mode == 1 else command.id % TABLE
            return max(1, self.table[index])
        return max(1, self.duration)


def run_front_end(
    front: Front,
    program: FrontEndSettings,
    regions: Sequence[Region] | Sequence[Sequence[Region]],
    timing: Sequence[MemoryTiming] | None = None,
    ready: Sequence[Pattern | None] | None = None,
    trigger: int = 0,
    limit: int = 1 << 26,
) -> FrontEndResult:
    """Run a program from the trigger to where nothing happens any more.

    Args:
        front: the design.
        program: what the registers say.
        regions: the memory behind all engines, or one list of regions for each engine.
        timing: of each engine's memory port.
        ready: of each engine's ``m_axis``.
        trigger: edge at which ``start_tvalid`` is high.
        limit: edges after which something that never ends is given up.

    Raises:
        UsageError: a program that PUSH would refuse, or one that does not end within the limit.
    """
    return FrontEndRun(front, program, regions, timing, ready, trigger, limit).run()


class FrontEndRun:
    """One run of a program, cycle by cycle, over the cycles in which something can happen."""

    def __init__(
        self,
        front: Front,
        program: FrontEndSettings,
        regions: Sequence[Region] | Sequence[Sequence[Region]],
        timing: Sequence[MemoryTiming] | None,
        ready: Sequence[Pattern | None] | None,
        trigger: int,
        limit: int,
    ) -> None:
        n = front.total
        check_program(front, program)
        timings = list(timing) if timing is not None else [MemoryTiming()] * n
        patterns = list(ready) if ready is not None else [None] * n
        if len(timings) != n or len(patterns) != n:
            raise UsageError(f"{len(timings)} timings and {len(patterns)} ready patterns, expected {n} of each")
        shared = [one for one in regions if isinstance(one, Region)]
        own = [one for one in regions if not isinstance(one, Region)]
        if (shared and own) or (own and len(own) != n):
            raise UsageError(f"regions for all engines, or {n} lists of regions")
        self.front, self.program, self.trigger, self.limit = front, program, trigger, limit
        self.engines = [
            _Engine(front, i, ReadPort(own[i] if own else shared, timings[i]), patterns[i] or Pattern(), program)
            for i in range(n)
        ]
        self.queue = [deque(groups) for groups in program.groups]
        self.running = [False] * front.cores
        self.enabled = False
        self.sent = [0] * front.nmsg
        self.left = [0] * front.nmsg
        self.error: Raised | None = None
        self.irq = 0
        self.quiet = 0
        self.pops: list[list[int]] = [[] for _ in range(front.cores)]
        self.handovers: list[list[int]] = [[] for _ in range(front.cores)]

    # -- one edge -----------------------------------------------------------------------------------------------

    def other(self, engine: _Engine) -> _Engine:
        """Whose ids an engine waits for: the TIU the GDMA's, both DMAs the TIU's."""
        return self.engines[engine.core * self.front.engines + (1 if engine.index == 0 else 0)]

    def met(self, engine: _Engine, command: _Command) -> bool:
        return self.other(engine).current >= command.head.dep

    def offered(self, engine: _Engine, k: int) -> bool:
        """``tvalid`` in cycle k."""
        command = engine.head
        if command is None or command.fault:
            return False
        if engine.sticky:
            return True
        if self.error is not None or not engine.free(k) or not self.met(engine, command):
            return False
        return command.granted or command.head.role != "wait"

    def grantable(self, engine: _Engine, k: int) -> bool:
        """Rule 7."""
        command = engine.head
        return (
            command is not None
            and command.head.role == "wait"
            and not command.fault
            and not command.granted
            and self.error is None
            and engine.free(k)
            and self.met(engine, command)
            and self.sent[command.head.message] >= command.head.count
        )

    def edge(self, k: int) -> bool:
        """Go over edge k; whether anything changed."""
        changed = False
        halted = self.error is not None
        offers = [self.offered(engine, k) for engine in self.engines]
        grants = [self.grantable(engine, k) for engine in self.engines]
        raised, quiet = self._judge(k, offers, grants)
        # What ends at this edge is known before anything is changed: a command of duration 1 may both start and end.
        sends: list[tuple[int, _Command]] = []
        before = [(e.done, e.end_over, e.asked, e.gone) for e in self.engines]
        popping = [
            core
            for core in range(self.front.cores)
            if not self.running[core] and self.enabled and self.queue[core] and not halted
        ]
        handing = [
            core
            for core in range(self.front.cores)
            if self.running[core] and not halted and all(e.done for e in self.engines if e.core == core)
        ]
        for engine, offer, grant, (done, end_over, asked, gone) in zip(
            self.engines, offers, grants, before, strict=True
        ):
            if not engine.loaded:
                continue
            changed |= self._fetch(engine, k, halted)
            changed |= self._pipeline(engine, k, offer, grant)
            if engine.running is not None and engine.end_at == k:
                self._end(engine, k, sends)
                changed = True
            if not done and end_over and asked == gone:
                engine.done = True
                engine.log.done.append(k)
                changed = True
        changed |= self._messages(grants, sends)
        for core in handing:
            self.running[core] = False
            self.handovers[core].append(k)
            if not self.queue[core]:
                self.irq |= 1 << core
            changed = True
        for core in popping:
            self._pop(core, k)
            changed = True
        if k == self.trigger:
            self.enabled = True
            changed = True
        self.quiet = self.quiet + 1 if quiet else 0
        if raised is not None:
            self.error = raised
            self.irq |= 1 << 31
            changed = True
        return changed

    def _judge(self, k: int, offers: Sequence[bool], grants: Sequence[bool]) -> tuple[Raised | None, bool]:
        """The error that is raised at this edge, and whether the edge is quiet."""
        if self.error is not None:
            return None, False
        for engine in self.engines:
            command = engine.head
            if command is not None and command.fault and engine.free(k):
                return Raised(command.fault, engine.core, engine.index, command.id, k), False
        waiting = [
            engine
            for engine, offer, grant in zip(self.engines, offers, grants, strict=True)
            if engine.head is not None and engine.free(k) and not offer and not grant and not engine.head.granted
        ]
        if not waiting:
            return None, False
        for engine in self.engines:
            if engine in waiting:
                continue
            if self.running[engine.core]:
                if not engine.done:
                    return None, False
            elif self.enabled and self.queue[engine.core]:
                return None, False
        if self.program.timeout and self.quiet + 1 >= self.program.timeout:
            first = waiting[0]
            assert first.head is not None
            return Raised(DEADLOCK, first.core, first.index, first.head.id, k), True
        return None, True

    def _fetch(self, engine: _Engine, k: int, halted: bool) -> bool:
        """Rule 1, and the handshake of the address."""
        changed = False
        # The command that is complete from this edge on stops the asking behind it, not at it.
        active = engine.active and not engine.over
        if engine.offer == k:
            engine.log.handshake.append(k)
            engine.coming.extend(engine.memory.read(engine.offer_address, k))
            engine.offer = None
            changed = True
        if active and not halted and engine.left and engine.credits and engine.offer is None:
            address = engine.next_block * BLOCK
            engine.log.address.append(address)
            engine.log.offered.append(k + 1)
            engine.offer_address = address
            engine.offer = engine.memory.earliest(k + 1)
            engine.next_block += 1
            engine.left -= 1
            engine.credits -= 1
            engine.asked += BEATS
            changed = True
        return changed

    def _pipeline(self, engine: _Engine, k: int, offer: bool, grant: bool) -> bool:
        """Rules 3 to 7, from the end of the pipeline to its beginning."""
        changed = False
        command = engine.head
        leaves = False
        if offer and command is not None:
            if engine.accept is None:
                engine.accept = engine.ready(k)
            if engine.accept == k:
                leaves = changed = True
                engine.sticky = False
                engine.accept = None
                self._start(engine, command, k)
            else:
                changed = not engine.sticky
                engine.sticky = True
        if grant and command is not None:
            command.granted = True
            changed = True
        moves = engine.complete and (command is None or leaves)
        if leaves:
            engine.head = None
        takes = engine.beat_ready(k) and (engine.over or not engine.complete or moves)
        if moves:
            moved = engine.building
            assert moved is not None
            moved.took = engine.took(moved)
            engine.head = moved
            engine.building, engine.complete = None, False
            changed = True
        if takes:
            self._take(engine, k)
            changed = True
        return changed

    def _take(self, engine: _Engine, k: int) -> None:
        """Rule 3: a beat is taken or discarded."""
        _, data, good = engine.coming.popleft()
        engine.last_take = k
        place = engine.gone
        engine.gone += 1
        if engine.gone % BEATS == 0:
            engine.credits += 1
        if engine.over:
            return
        made = engine.building
        if made is None:
            engine.generated += 1
            other = self.other(engine).stream.count
            head, fault = engine.heads.decode(data, good, place, engine.generated, engine.stream, other)
            engine.building = made = _Command(head, engine.generated & 0xFFFFFF, b"", fault)
            engine.parts = [data]
        else:
            engine.parts.append(data)
            if not good:
                made.fault = ERRORS["BUS"]
        if made.fault or BEAT * len(engine.parts) >= made.head.bytes:
            made.data = b"".join(engine.parts)
            engine.complete = True
            if made.fault or made.head.is_end:
                engine.over = True

    def _start(self, engine: _Engine, command: _Command, k: int) -> None:
        """Rule 6."""
        head = command.head
        engine.log.rows.append((command.id, head.kind, head.bytes, head.is_end, command.data, k))
        engine.log.ends.append(-1)
        engine.running = command
        engine.end_at = k + command.took - 1
        engine.busy_until = k + command.took

    def _end(self, engine: _Engine, k: int, sends: list[tuple[int, _Command]]) -> None:
        command = engine.running
        assert command is not None
        engine.current = command.id
        engine.log.ends[-1] = k
        engine.running = None
        if command.head.is_end:
            engine.end_over = True
        if command.head.role == "send":
            sends.append((engine.number, command))

    def _messages(self, grants: Sequence[bool], sends: Sequence[tuple[int, _Command]]) -> bool:
        """What grants and SENDs of one edge do to the messages."""
        granted: dict[int, int] = {}
        for engine, grant in zip(self.engines, grants, strict=True):
            # A WAIT that is granted at this edge cannot leave HEAD at it: it is offered from the next cycle on.
            if grant and engine.head is not None:
                message = engine.head.head.message
                granted[message] = granted.get(message, 0) + 1
        for message, count in granted.items():
            if count >= self.left[message]:
                self.sent[message] = self.left[message] = 0
            else:
                self.left[message] -= count
        seen: set[int] = set()
        for _, command in sorted(sends, key=lambda one: one[0]):
            message = command.head.message
            self.sent[message] = (self.sent[message] + 1) & (1 << _SENT_BITS) - 1
            if message not in seen:
                seen.add(message)
                self.left[message] = command.head.count & (1 << _LEFT_BITS) - 1
        return bool(granted or sends)

    def _pop(self, core: int, k: int) -> None:
        group = self.queue[core].popleft()
        self.running[core] = True
        self.pops[core].append(k)
        for engine in self.engines:
            if engine.core == core:
                engine.load(group.streams.get(engine.index))
                if engine.done:
                    engine.log.done.append(k)

    # -- all edges ----------------------------------------------------------------------------------------------

    def run(self) -> FrontEndResult:
        last = at = self.trigger
        later: int | None = at
        while later is not None:
            if self.quiet:
                self.quiet += max(0, later - at - 1)
            at = later
            if at - self.trigger > self.limit:
                raise UsageError(f"the program has not ended {self.limit} edges after the trigger")
            if self.edge(at):
                last, later = at, at + 1
            else:
                later = self.next_cycle(at)
        return self._result(last)

    def next_cycle(self, k: int) -> int | None:
        """After an edge at which nothing changed: the next one at which something can."""
        times: list[int] = []
        for engine in self.engines:
            if engine.offer is not None:
                times.append(engine.offer)
            if engine.coming:
                times.append(max(engine.coming[0][0] + 1, engine.last_take) + 1)
            if engine.running is not None:
                times.append(engine.end_at)
            times.append(engine.busy_until)
            if engine.accept is not None:
                times.append(engine.accept)
        if self.quiet and self.program.timeout and self.error is None:
            times.append(k + self.program.timeout - self.quiet)
        later = [time for time in times if time > k]
        return min(later) if later else None

    def _status(self, engine: _Engine, k: int) -> int:
        """The register STATUS."""
        command, free = engine.head, engine.free(k)
        faulty = command is not None and command.fault > 0
        offer, grant = self.offered(engine, k), self.grantable(engine, k)
        waits = command is not None and not faulty and free and not offer and not command.granted and not grant
        done = engine.done and self.running[engine.core]
        return done | waits << 1 | (not free) << 2 | faulty << 3 | len(engine.coming) << 16

    def _result(self, last: int) -> FrontEndResult:
        return FrontEndResult(
            [_dispatched(engine.log) for engine in self.engines],
            self.error,
            self.irq,
            [engine.current for engine in self.engines],
            [self._status(engine, last + 1) for engine in self.engines],
            self.running,
            list(zip(self.sent, self.left, strict=True)),
            [len(queue) for queue in self.queue],
            self.pops,
            self.handovers,
            last,
        )


def _dispatched(log: _Log) -> Dispatched:
    n = len(log.rows)
    data = np.zeros((n, BLOCK), np.uint8)
    for row, one in enumerate(log.rows):
        data[row, : len(one[4])] = np.frombuffer(one[4], np.uint8)
    columns = [np.array([one[i] for one in log.rows], np.int64) for i in (0, 1, 2, 5)]
    reads = [np.array(part, np.int64) for part in (log.address, log.offered, log.handshake)]
    return Dispatched(
        columns[0],
        columns[1],
        columns[2],
        np.array([one[3] for one in log.rows], np.bool_),
        data,
        columns[3],
        np.array(log.ends, np.int64),
        reads[0],
        reads[1],
        reads[2],
        tuple(log.done),
    )
