# SPDX-License-Identifier: Apache-2.0
"""A trace test on the functional models: no RTL, no time, and the verdict that its run on RTL has too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.driver.driver_steps import StuckError
from goldbeat.pymodels.nvdla.driver.instant_hardware import IdealHardware
from goldbeat.pymodels.nvdla.engines.address_space import OutsideError
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints
from goldbeat.pymodels.nvdla.engines.hardware import OperationResult, check_operation, run_operation
from goldbeat.pymodels.nvdla.engines.pdp import unused_differences
from goldbeat.pymodels.nvdla.engines.registers import Values, csb_register
from goldbeat.pymodels.nvdla.traces.checks import CHECK_BYTES, CHECKS, Extent, TraceCheck, trace_checks, trace_regions
from goldbeat.pymodels.nvdla.traces.order import TraceOrder
from goldbeat.pymodels.nvdla.traces.schedule import trace_steps
from goldbeat.pymodels.nvdla.traces.statements import TRANSACTIONS, NvdlaTrace, TraceStatement
from goldbeat.pymodels.stimulus import Access

_MASK, _STATUS = (csb_register("GLB", name).address for name in ("S_INTR_MASK", "S_INTR_STATUS"))
_CLOSE = 4096
_BY_TIME = "CDMA.S_CBUF_FLUSH_STATUS"
"""Read by tests soon after a reset, when hardware that takes time is not ready yet."""


@dataclass(frozen=True)
class PlayedTrace:
    """What a trace test has left, when all that it has enabled is done.

    Attributes:
        memory: bytes by region, that of the checks included.
        checks: its checks.
        interrupt: the interrupt is high in the end.
        reads: registers that were read and had the value that the test says.
        stuck: why the test does not come to its end: operations that are enabled and never done, or a register without the
            value that it says; such a test fails.
        unordered: accesses to memory that nothing orders; such a test fails, too.
        counted: checks that compare what an operation has written by then.
        notes: writes and fields that have no effect, and checks that do not count.
        operations: engines' groups that it enables.
        partial: why the test proves little: what was not computed, or that it compares nothing.
        computed: nothing that it enables was left out. Otherwise no RTL can be compared with the models.
        written: memory that only operations write.
    """

    memory: Mapping[str, npt.NDArray[np.uint8]]
    checks: list[TraceCheck]
    interrupt: bool
    reads: int = 0
    counted: int = 0
    stuck: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    unordered: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    operations: int = 0
    computed: bool = True
    written: tuple[Extent, ...] = ()

    @property
    def driven(self) -> bool:
        """Whether the test can run on RTL: what is never done would be waited for in vain."""
        return self.computed and not self.stuck

    @property
    def failures(self) -> tuple[str, ...]:
        """Everything that is wrong on the models."""
        return (*self.stuck, *self.unordered, *(one.failure for one in self.checks if one.failure))


def play_trace(trace: NvdlaTrace) -> PlayedTrace:
    """Play a test against hardware that is done at once; what is enabled in the end is done before the verdict.

    Raises:
        UsageError: an operation that the test waits for and that the models cannot do.
        InputError: statements that wait for ever, or data outside of the memory.
    """
    return _Player(trace).play()


class _WrongValueError(InputError):
    """A register does not have the value that the test says."""


class _Player:
    def __init__(self, trace: NvdlaTrace) -> None:
        self._trace = trace
        self._regions: dict[str, Region] = {r.name: r for r in trace_regions(trace)}
        self._hardware = IdealHardware(work=self._work, apart=True)
        self._touched: list[tuple[npt.NDArray[np.int64], int]] = []
        self._written: set[int] = set()
        self._reads = self._told = 0
        self._ran: set[int] = set()
        self._useful = 0
        self._order = TraceOrder(trace)
        self._now: TraceStatement | None = None
        self._enabled: dict[tuple[str, int], int] = {}
        self._notes: list[str] = []
        self._notified: set[int] = set()
        self._grown: list[Extent] = []

    def play(self) -> PlayedTrace:
        stuck: tuple[str, ...] = ()
        wrong: tuple[str, ...] = ()
        missing: list[str] = []
        try:
            self._statements()
            stuck = self._finish(missing)
        except StuckError:
            # The test waits for an interrupt that no operation gives.
            stuck = tuple(self._hardware.unfinished()) or (self._awaited(),)
        except _WrongValueError as error:
            wrong = (str(error),)
        memory = {name: region.data for name, region in self._regions.items()}
        checks = trace_checks(self._trace, memory[CHECKS])
        where = f"{self._trace.file.name}: "
        stuck = (*(where + text for text in stuck), *wrong)
        computed = not missing
        if not stuck and not self._useful and not self._told:
            missing.append(self._useless())
        return PlayedTrace(
            memory,
            [] if stuck else checks,
            self._hardware.pending,
            self._reads,
            self._useful,
            stuck,
            tuple(missing),
            () if stuck else tuple(where + text for text in self._order.findings()),
            tuple(self._notes),
            len(self._enabled),
            computed,
            tuple(self._grown),
        )

    def _useless(self) -> str:
        """Why the checks of the test count for nothing."""
        early = next((one for one in self._trace.checks if self._holds_output(one)), None)
        if early is None:
            return f"{self._trace.name} compares nothing that it has written or that an operation writes"
        where = f"{self._trace.file.name}:{early.line}"
        return (
            f"{where}: the check comes before the operation that writes its memory is done; missing: a wait before it"
        )

    def _holds_output(self, one: TraceStatement) -> bool:
        """Whether an operation has written, so far, a byte that a check compares."""
        return any(((at < one.base + one.size) & (at + size > one.base)).any() for at, size in self._touched)

    def _awaited(self) -> str:
        """The interrupt that the test waits for when nothing is left that could give one."""
        if not self._enabled:
            return "the test waits for an interrupt, but enables no operation"
        left = [one for one in self._trace.statements if one.kind == "interrupt" and one.line not in self._notified]
        what = "; ".join(f"{one.source or 'any engine'} (line {one.line})" for one in left)
        return f"no enabled operation gives an interrupt that the test waits for: {what}"

    def _finish(self, missing: list[str]) -> tuple[str, ...]:
        """Let everything that is enabled come to its end, as hardware does."""
        while self._hardware.enabled:
            try:
                self._hardware.advance()
            except StuckError:
                return tuple(self._hardware.unfinished())
            except UsageError as error:
                missing.append(f"{self._trace.name} enables an operation that was not computed: {error}")
                break
        return ()

    def _work(self, chain: list[tuple[str, dict[int, int]]]) -> None:
        flowing = None
        done: list[tuple[str, list[tuple[str, int]], list[OperationResult]]] = []
        for engine, registers in chain:
            try:
                result = self._run(engine, registers, flowing)
            except (UsageError, InputError) as error:
                line = max(self._enabled[pair] for pair in self._hardware.held(engine))
                if isinstance(error, InputError):
                    found = f"{error.found} of the operation of {engine} that is enabled here"
                    raise InputError(found, error.expected, file=self._trace.file, line=line) from error
                raise UsageError(f"{error} ({self._trace.file.name}:{line}: the operation is enabled)") from error
            flowing = result.output
            if engine == "BDMA" and done:
                done[0][2].append(result)
            else:
                done.append((engine, self._hardware.held(engine), [result]))
            self._touched += result.writes
            for name, data in result.memory.items():
                self._regions[name] = Region(name, self._regions[name].base, data)
        self._order.operations(done)

    def _run(self, engine: str, registers: dict[int, int], flowing: Ints | None) -> OperationResult:
        """Carry out an operation. Transactions have no statement for memory that nothing is loaded into: writing makes it."""
        luts = self._hardware.luts.get(engine)
        values = Values(registers, luts, self._trace.configuration)
        check_operation(engine, values)
        if engine == "PDP" and flowing is None:
            line = max(self._enabled[pair] for pair in self._hardware.held(engine))
            self._notes += [f"{self._trace.file.name}:{line}: {text}" for text in unused_differences(values)]
        while True:
            seen = tuple(r for r in self._regions.values() if r.name != CHECKS)
            try:
                return run_operation(engine, registers, seen, flowing, luts, self._trace.configuration)
            except OutsideError as error:
                if error.written is None or self._trace.file.suffix != TRANSACTIONS:
                    raise
                self._grown += _extents(*error.written)
            old, self._regions = self._regions, {r.name: r for r in trace_regions(self._trace, self._grown)}
            for region in old.values():
                home = next(r for r in self._regions.values() if r.base <= region.base < r.end)
                home.data[region.base - home.base :][: len(region.data)] = region.data

    def _statements(self) -> None:
        steps = trace_steps(self._trace, "dla_intr", "dbb", self._watch)
        answer: int | None = None
        while True:
            try:
                step = next(steps) if answer is None else steps.send(answer)
            except StopIteration:
                return
            answer = self._step(step)

    def _step(self, step: Access) -> int:
        """Do a step; gives what it reads."""
        hardware = self._hardware
        if step.op == "post":
            self._write(step)
        elif step.op == "read":
            answer = hardware.read(step.address)
            if step.register != _BY_TIME and _differs(step, answer):
                raise self._wrong(step, answer)
            self._reads += step.value is not None
            # What nothing has written and no operation has changed is a constant of the hardware.
            known = step.address in self._written or bool(self._touched)
            self._told += step.value is not None and step.mask != 0 and known
            return answer
        elif step.op == "poll":
            while _differs(step, found := hardware.read(step.address)):
                try:
                    hardware.advance()
                except StuckError as error:
                    raise self._wrong(step, found) from error
            if (now := self._now) is not None and now.register is not None:
                grouped = now.register.name.startswith("D_")
                self._order.poll(now, hardware.producer(now.register.block) if grouped else 0)
        elif step.op == "wait_for":
            hardware.interrupt()
        elif step.call is not None:
            step.call({name: region.data for name, region in self._regions.items()})
            self._check()
        return 0

    def _watch(self, one: TraceStatement | None) -> None:
        self._now = one
        if one is not None and one.kind == "interrupt":
            self._notified.add(one.line)
        if one is not None:
            self._order.statement(one, ~self._hardware.read(_MASK) & 0xFFFF_FFFF, self._hardware.busy)

    def _write(self, step: Access) -> None:
        hardware, now, value = self._hardware, self._now, step.value or 0
        if step.address == _STATUS:
            self._order.cleared(now.thread if now else "", hardware.status & value)
        before = len(hardware.enabled)
        taken = hardware.write(step.address, value)
        self._written.add(step.address)
        if now is None or now.register is None:
            return
        if len(hardware.enabled) > before:
            self._order.enable(now, *hardware.enabled[-1])
            self._enabled[hardware.enabled[-1]] = now.line
        elif not taken:
            group = now.register.block, hardware.producer(now.register.block)
            self._notes.append(
                f"{self._trace.file.name}:{now.line}: {now.register.full_name} is written while group {group[1]} is "
                f"enabled (line {self._enabled[group]}): the hardware ignores the write"
            )

    def _check(self) -> None:
        """Count the checks that have just run and see a byte that an operation has written."""
        ran = self._regions[CHECKS].data[::CHECK_BYTES]
        for number, one in enumerate(self._trace.checks):
            if number not in self._ran and ran[number]:
                self._ran.add(number)
                if self._holds_output(one):
                    self._useful += 1
                    self._order.check(one)
                else:
                    what = "the check compares nothing that an operation has written by then, and does not count"
                    self._notes.append(f"{self._trace.file.name}:{one.line}: {what}")

    def _wrong(self, step: Access, found: int) -> _WrongValueError:
        wanted = f"0x{step.value or 0:08x} as the test says"
        line = None if self._now is None else self._now.line
        return _WrongValueError(f"{step.register} is 0x{found:08x}", wanted, file=self._trace.file, line=line)


def _extents(addresses: npt.NDArray[np.int64], size: int) -> list[Extent]:
    """The memory of a write; pieces that lie close together are one."""
    starts = np.unique(addresses)
    parts = np.split(starts, np.flatnonzero(np.diff(starts) > size + _CLOSE) + 1)
    return [(int(part[0]), int(part[-1]) + size) for part in parts]


def _differs(step: Access, found: int) -> bool:
    mask = -1 if step.mask is None else step.mask
    return step.value is not None and bool((found ^ step.value) & mask)
