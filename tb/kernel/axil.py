# SPDX-License-Identifier: Apache-2.0
"""AXI-Lite master that runs whole register programs in C++."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pymodels.errors import GoldbeatError, UsageError
from tb.kernel.axis import Transactor
from tb.kernel.library import LITE_SIGNALS, AxilNames, AxilResult, AxilStep, checked
from tb.kernel.simulation import Kernel

TIMEOUT_CYCLES = 10_000
"""Cycles after which an access counts as not answered, unless its step says otherwise."""
_ALL = (1 << 64) - 1
_WRITE, _READ, _CHECK, _POLL, _WAIT, _WAIT_FOR = range(6)
_STATUS: tuple[Status, ...] = ("pending", "done", "differs", "timeout")
_TIMEOUT = 3

Status = Literal["pending", "done", "differs", "timeout"]


@dataclass(frozen=True)
class Write:
    """Write a word; ``strobe`` None writes all of its bytes."""

    address: int
    value: int
    strobe: int | None = None
    timeout: int = TIMEOUT_CYCLES


@dataclass(frozen=True)
class Read:
    """Read a word."""

    address: int
    timeout: int = TIMEOUT_CYCLES


@dataclass(frozen=True)
class Check:
    """Read a word and compare it where ``mask`` has ones."""

    address: int
    value: int
    mask: int = _ALL
    timeout: int = TIMEOUT_CYCLES


@dataclass(frozen=True)
class Poll:
    """Read a word until it is as wanted where ``mask`` has ones."""

    address: int
    value: int
    mask: int = _ALL
    timeout: int = TIMEOUT_CYCLES


@dataclass(frozen=True)
class Wait:
    """Let cycles go by."""

    cycles: int


@dataclass(frozen=True)
class WaitFor:
    """Wait for an output of the top module, an interrupt for instance, to have a value where ``mask`` has ones."""

    port: str
    value: int = 1
    mask: int = _ALL
    timeout: int = TIMEOUT_CYCLES


Step = Write | Read | Check | Poll | Wait | WaitFor


@dataclass(frozen=True)
class StepResult:
    """What became of a step.

    Attributes:
        status: ``done``; ``differs`` (a check found another value); ``timeout`` (the steps after it have not been made).
        value: read, or seen on the port waited for; 0 otherwise.
        response: BRESP or RRESP of the (last) access.
        first_cycle: in which it was first offered, or waiting began.
        last_cycle: of the answer.
    """

    status: Status
    value: int
    response: int
    first_cycle: int
    last_cycle: int


class AxiLiteMaster(Transactor):
    """Makes accesses to an AXI-Lite slave port of the top module, one at a time.

    Args:
        kernel: of this simulation.
        prefix: of the ports (``s_axil`` for ``s_axil_awaddr``); all of the write or of the read channels may be absent.
        clock: name of its clock input.
        signals: the ports by role, where they are not called after the prefix.
    """

    def __init__(
        self, kernel: Kernel, prefix: str, *, clock: str = "aclk", signals: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(kernel, prefix, clock)
        self.signals = kernel.signals(prefix, LITE_SIGNALS, signals, ())
        for first, others in (("awaddr", ("awvalid", "awready", "wdata", "wvalid", "wready", "bvalid", "bready")),) + (
            ("araddr", ("arvalid", "arready", "rdata", "rvalid", "rready")),
        ):
            lacks = [s for s in others if first in self.signals and s not in self.signals]
            if lacks:
                raise UsageError(f"{prefix}: the top module has no port {prefix}_{lacks[0]}")
        if "awaddr" not in self.signals and "araddr" not in self.signals:
            raise UsageError(f"{prefix}: the top module has neither {prefix}_awaddr nor {prefix}_araddr")
        self.data_width = kernel.width(self.signals["wdata" if "wdata" in self.signals else "rdata"]) or 0
        names = AxilNames(*(self.signals[s].encode() if s in self.signals else None for s in LITE_SIGNALS))
        self._handle = checked(self._library.gb_axil_master(prefix.encode(), clock.encode(), ctypes.byref(names)))
        self._running: tuple[object, ...] = ()

    def _step(self, step: Step) -> AxilStep:
        match step:
            case Write(address, value, strobe, timeout):
                lanes = (1 << self.data_width // 8) - 1 if strobe is None else strobe
                return AxilStep(_WRITE, address, value, 0, lanes, timeout, None)
            case Read(address, timeout):
                return AxilStep(_READ, address, 0, 0, 0, timeout, None)
            case Check(address, value, mask, timeout):
                return AxilStep(_CHECK, address, value, mask & (1 << self.data_width) - 1, 0, timeout, None)
            case Poll(address, value, mask, timeout):
                return AxilStep(_POLL, address, value, mask & (1 << self.data_width) - 1, 0, timeout, None)
            case Wait(cycles):
                return AxilStep(_WAIT, 0, 0, 0, 0, cycles, None)
            case WaitFor(port, value, mask, timeout):
                return AxilStep(_WAIT_FOR, 0, value, mask, 0, timeout, port.encode())

    async def run(self, steps: Sequence[Step]) -> list[StepResult]:
        """Run a program and return the results of the steps made: all of them, or those up to a time-out.

        After a time-out the master must be reset before it runs another program.
        """
        if not steps:
            return []
        program = (AxilStep * len(steps))(*map(self._step, steps))
        results = (AxilResult * len(steps))()
        # C++ works on these arrays even if this task is cancelled.
        self._running = (program, results)
        checked(self._library.gb_axil_run(self._handle, program, results, len(steps)))
        while self._library.gb_axil_busy(self._handle):
            await self.kernel.wake(self._handle)
            done = self._library.gb_axil_done(self._handle)
            if done < len(steps) and results[done].status == _TIMEOUT:
                break
        made = [r for r in results if r.status]
        return [StepResult(_STATUS[r.status], r.value, r.response, r.first, r.last) for r in made]

    async def write(self, address: int, value: int, strobe: int | None = None) -> None:
        """One write.

        Raises:
            GoldbeatError: no answer, or an error response.
        """
        await self._one(Write(address, value, strobe), f"write 0x{address:x}")

    async def read(self, address: int) -> int:
        """One read.

        Raises:
            GoldbeatError: no answer, or an error response.
        """
        return (await self._one(Read(address), f"read 0x{address:x}")).value

    async def _one(self, step: Step, what: str) -> StepResult:
        (result,) = await self.run([step])
        if result.status == "timeout":
            raise GoldbeatError(f"{self.name}: {what} got no answer; {self.waiting}")
        if result.response:
            raise GoldbeatError(f"{self.name}: {what} was answered with response {result.response}")
        return result
