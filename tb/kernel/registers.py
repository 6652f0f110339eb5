# SPDX-License-Identifier: Apache-2.0
"""Register programs, which the masters of all buses of registers run in C++."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels import register_walk
from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.register_traffic import ORDERS
from goldbeat.pymodels.register_traffic import RegisterTraffic as RegisterTraffic
from goldbeat.tb.kernel.axis import Transactor, ready_pattern
from goldbeat.tb.kernel.library import RESULT, STEP, RegisterBehaviour, checked
from goldbeat.tb.kernel.patience import Patience

TIMEOUT_CYCLES = 10_000
"""Cycles after which an access counts as not answered, unless its step says otherwise."""
_ALL = (1 << 64) - 1
WRITE, POST, READ, CHECK, POLL, WAIT, WAIT_FOR = range(7)
"""``RegisterMaster::Op`` in registers.h."""
_STATUS = ("pending", "done", "differs", "timeout")
_TIMEOUT = 3
# C++ gets the address of a port's name.
_PORTS: dict[str, ctypes.Array[ctypes.c_char]] = {}


class Step(NamedTuple):
    """One step of a register program, as C++ takes it; made by the functions below."""

    op: int
    address: int = 0
    value: int = 0
    mask: int = _ALL
    strobe: int = 0
    cycles: int = TIMEOUT_CYCLES
    port: int = 0
    prot: int = 0
    alone: int = 0


def write(address: int, value: int, strobe: int | None = None, *, timeout: int = TIMEOUT_CYCLES) -> Step:
    """Write a word; ``strobe`` None writes all of its bytes."""
    return Step(WRITE, address, value, 0, _ALL if strobe is None else strobe, timeout)


def post(address: int, value: int, *, timeout: int = TIMEOUT_CYCLES) -> Step:
    """Write a word and go on as soon as it is taken; for buses with posted writes."""
    return Step(POST, address, value, 0, _ALL, timeout)


def read(address: int, needed: int = _ALL, *, lanes: int = 0, timeout: int = TIMEOUT_CYCLES) -> Step:
    """Read a word, or ``lanes`` of it where the bus can ask for some; writes of bytes without bits ``needed`` may be under way."""
    return Step(READ, address, 0, needed, lanes, timeout)


def check(address: int, value: int, mask: int = _ALL, *, timeout: int = TIMEOUT_CYCLES) -> Step:
    """Read a word and compare it where ``mask`` has ones."""
    return Step(CHECK, address, value, mask, 0, timeout)


def poll(address: int, value: int, mask: int = _ALL, *, timeout: int = TIMEOUT_CYCLES) -> Step:
    """Read a word until it is as wanted where ``mask`` has ones."""
    return Step(POLL, address, value, mask, 0, timeout)


def wait(cycles: int) -> Step:
    """Let cycles go by."""
    return Step(WAIT, cycles=cycles)


def wait_for(port: str, value: int = 1, mask: int = _ALL, *, timeout: int = TIMEOUT_CYCLES) -> Step:
    """Wait for an output of the top module, an interrupt for instance, to have a value where ``mask`` has ones."""
    name = _PORTS.setdefault(port, ctypes.create_string_buffer(port.encode()))
    return Step(WAIT_FOR, 0, value, mask, 0, timeout, ctypes.addressof(name))


def walk(
    rng: np.random.Generator,
    addresses: Sequence[int],
    *,
    size: int = 4,
    accesses: int = 200,
    strobes: bool = True,
    posts: bool = False,
    timeout: int = TIMEOUT_CYCLES,
) -> list[Step]:
    """A program over registers that are plain storage: writes and reads at random, every value checked, those at the end too.

    Args:
        rng: randomness.
        addresses: of the registers, which hold what is written and do nothing else.
        size: bytes of the bus.
        accesses: between the first writes and the last reads.
        strobes: writes of some bytes too.
        posts: some writes are posted, on buses that have such.
        timeout: cycles for each access.
    """
    whole = (1 << 8 * size) - 1
    words = [register_walk.Word(a, whole, strobes) for a in addresses]
    steps = []
    for access in register_walk.storage_walk(rng, words, size, accesses, posts=posts):
        value = access.value or 0
        if access.op == "read":
            steps.append(check(access.address, value, whole, timeout=timeout))
        elif access.op == "post":
            steps.append(post(access.address, value, timeout=timeout))
        else:
            steps.append(write(access.address, value, access.strobe, timeout=timeout))
    return steps


class StepResult(NamedTuple):
    """What became of a step.

    Attributes:
        status: ``done``; ``differs`` (a check found another value); ``timeout`` (the steps after it have not been made).
        response: of the (last) access: BRESP or RRESP, or PSLVERR; 0 is no error.
        value: read, or seen on the port waited for; 0 otherwise.
        first_cycle: in which it was first offered, or waiting began.
        last_cycle: of the answer.
        forms: in which the bus made it, a bit for each of :meth:`goldbeat.tb.design.ports.register.RegisterPort.forms`.
    """

    status: str
    response: int
    value: int
    first_cycle: int
    last_cycle: int
    forms: int = 0


class Results(Sequence[StepResult]):
    """The results of a program's steps, in columns; single ones come out as :class:`StepResult`.

    Attributes:
        rows: (n,) records of :data:`goldbeat.tb.kernel.library.RESULT`.
    """

    def __init__(self, rows: npt.NDArray[Any]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> StepResult: ...
    @overload
    def __getitem__(self, index: slice) -> Results: ...
    def __getitem__(self, index: int | slice) -> StepResult | Results:
        if isinstance(index, slice):
            return Results(self.rows[index])
        status, *others = self.rows[index].item()
        return StepResult(_STATUS[status], *others)

    @property
    def values(self) -> npt.NDArray[np.uint64]:
        """(n,) what was read."""
        found: npt.NDArray[np.uint64] = self.rows["value"]
        return found

    @property
    def passed(self) -> bool:
        """True when every step was made, and every check found what it should."""
        return bool((self.rows["status"] == 1).all())


class RegisterMaster(Transactor):
    """Makes the accesses of programs: one at a time, unless :meth:`behave` says otherwise."""

    def behave(self, traffic: RegisterTraffic) -> None:
        """Make accesses like this from the next program on; all that is drawn begins anew.

        What the bus has no signals for does not count: APB knows neither orders nor back-pressure.

        Raises:
            GoldbeatError: a program is running, or the bus has room for one access at a time and is to have several.
        """
        patterns = [traffic.pattern(channel) for channel in "br"]
        # C++ reads these arrays whenever the master is reset.
        self._values = [np.asarray(p.values, np.int64).astype(np.bool_).view(np.uint8) for p in patterns]
        row = RegisterBehaviour(
            *(
                traffic.seed,
                traffic.gap,
                traffic.distance,
                traffic.outstanding,
                traffic.rest,
                ORDERS.index(traffic.order),
            ),
            *(ready_pattern(p, v) for p, v in zip(patterns, self._values, strict=True)),
        )
        checked(self._library.gb_registers_behave(self._handle, ctypes.byref(row)))

    async def run(self, steps: Sequence[Step], *, timeout: int | None = None) -> Results:
        """Run a program and return the results of the steps made: all of them, or those up to a time-out.

        After a time-out the master must be reset before it runs another program.

        Args:
            steps: the program; each step has a limit of its own.
            timeout: cycles beyond the longest step's in which no step ends, as with a clock that has stopped; 0: no limit;
                None: as the kernel has it.

        Raises:
            WaitTimeoutError: the time is up.
        """
        program, results = np.array(steps, STEP), np.zeros(len(steps), RESULT)
        if not steps:
            return Results(results)
        # C++ works on these arrays even if this task is cancelled.
        self._running: tuple[object, ...] = (program, results)
        checked(self._library.gb_registers_run(self._handle, program.ctypes.data, results.ctypes.data, len(steps)))
        patience = Patience(
            self,
            timeout,
            progress=lambda: self._library.gb_registers_done(self._handle),
            expected=lambda: f"the end of {len(steps)} steps, {self._library.gb_registers_done(self._handle)} are over",
            # Each step has a limit of its own.
            own=lambda since: since + max(step.cycles for step in steps),
        )
        while self._library.gb_registers_busy(self._handle):
            await patience.woken(self._handle)
            done = self._library.gb_registers_done(self._handle)
            if done < len(steps) and results[done]["status"] == _TIMEOUT:
                break
        # Steps behind one that has not ended, or that got no answer, do not count, even if they overtook it.
        ends = np.flatnonzero((results["status"] == 0) | (results["status"] == _TIMEOUT))
        made = len(results) if not len(ends) else int(ends[0]) + int(results["status"][ends[0]] != 0)
        return Results(results[:made])

    async def write(self, address: int, value: int, strobe: int | None = None) -> None:
        """One write.

        Raises:
            GoldbeatError: no answer, or an error response.
        """
        await self._one(write(address, value, strobe), f"write 0x{address:x}")

    async def read(self, address: int) -> int:
        """One read.

        Raises:
            GoldbeatError: no answer, or an error response.
        """
        return (await self._one(read(address), f"read 0x{address:x}")).value

    async def _one(self, step: Step, what: str) -> StepResult:
        (result,) = await self.run([step])
        if result.status == "timeout":
            raise GoldbeatError(f"{self.name}: {what} got no answer; {self.waiting}")
        if result.response:
            raise GoldbeatError(f"{self.name}: {what} was answered with response {result.response}")
        return result
