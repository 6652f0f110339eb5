# SPDX-License-Identifier: Apache-2.0
"""The golden model that a run of ``hdl/nvdla`` is compared with."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.timed.activity import OPERATIONS, activity_rows
from goldbeat.pymodels.nvdla.timed.machine import TimedMachine
from goldbeat.pymodels.nvdla.timed.memory import log_rows
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, AccessAnswer, MemoryContents, Outcome, Stimulus

CSB, DBB, INTERRUPT = "csb", "dbb", "dla_intr"
"""Names of the ports in a stimulus and an outcome."""
CSB_LATENCY = 2
FIRST_CYCLE = 1
"""When the first step of a program is offered: requests are taken from edge 1 on."""
LONGEST = 1 << 22
"""Cycles after which a program that waits is given up."""

_NOBODY = MemoryImage((), MemoryTiming(ar_ready=Pattern("array", values=(0,)), aw_ready=Pattern("array", values=(0,))))


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """What a run gives: every step's answer and last cycle, every burst with its cycles, the memory at the end.

    Args:
        params: ``LINE_ATOMS``.
        stimulus: register programs and drivers on ``csb``, a memory behind ``dbb``.

    Raises:
        UsageError: a step that the port does not know, or a program that waits for ever.
    """
    image = stimulus.memories.get(DBB, _NOBODY)
    machine = TimedMachine(int(params["LINE_ATOMS"]), image)
    answers = _play(machine, _steps(stimulus))
    end = machine.cycle + LONGEST
    while not machine.idle:
        machine.leap(end)
        machine.edge()
        if machine.cycle > end:
            raise UsageError(f"NVDLA still works {LONGEST} cycles after the program")
    regions = {r.name: r.data for r in machine.memory.regions}
    contents = {DBB: MemoryContents(regions, log_rows(machine.memory))} if DBB in stimulus.memories else {}
    # The interrupt follows the status bits by a cycle.
    machine.edge()
    status = {INTERRUPT: int(machine.registers.interrupt)}
    details = {OPERATIONS: activity_rows(machine.activities)}
    return Outcome({}, status=status, memories=contents, accesses={CSB: answers}, details=details)


def _steps(stimulus: Stimulus) -> Generator[Access, int, None]:
    """The program, then what a driver does that acts on what it reads."""
    for step in stimulus.program.get(CSB, ()):
        yield step
    if CSB in stimulus.drivers:
        yield from stimulus.drivers[CSB]()
    for step in stimulus.after.get(CSB, ()):
        yield step


def _play(machine: TimedMachine, steps: Generator[Access, int, None]) -> tuple[AccessAnswer, ...]:
    answers: list[AccessAnswer] = []
    start = FIRST_CYCLE
    step = next(steps, None)
    while step is not None:
        _pass(machine, start)
        answer = _step(machine, step, f"step {len(answers)}, {step.name}")
        answers.append(answer)
        assert answer.cycle is not None
        start = answer.cycle + 1
        try:
            step = steps.send(answer.value or 0)
        except StopIteration:
            step = None
    _pass(machine, start)
    return tuple(answers)


def _pass(machine: TimedMachine, until: int) -> None:
    """Let the machine come to a cycle."""
    while machine.cycle < until:
        if machine.registers.settled:
            machine.leap(until)
        if machine.cycle < until:
            machine.edge()


def _step(machine: TimedMachine, step: Access, what: str) -> AccessAnswer:
    """One step, offered in the machine's cycle."""
    start = machine.cycle
    if step.op in ("write", "post"):
        machine.edge((step.address, step.value or 0))
        return AccessAnswer(cycle=start if step.op == "post" else start + CSB_LATENCY)
    if step.op == "read":
        return _read(machine, step.address)
    if step.op == "wait":
        return AccessAnswer(cycle=start + (step.cycles or 0) - 1)
    if step.op == "host" and step.call is not None:
        step.call({r.name: r.data for r in machine.memory.regions})
        return AccessAnswer(cycle=start - 1)
    mask = 0xFFFF_FFFF if step.mask is None else step.mask
    while machine.cycle - start <= LONGEST:
        if step.op == "poll":
            answer = _read(machine, step.address)
            if not ((answer.value or 0) ^ step.wanted) & mask:
                return answer
            if machine.idle and machine.registers.read(step.address) == answer.value:
                raise UsageError(f"{what}: waits for ever, as nothing is at work")
            assert answer.cycle is not None
            while machine.cycle <= answer.cycle:
                machine.edge()
        elif step.op == "wait_for" and step.port == INTERRUPT:
            if not (int(machine.registers.interrupt) ^ step.wanted) & mask:
                return AccessAnswer(cycle=machine.cycle)
            if machine.idle and machine.registers.settled:
                raise UsageError(f"{what}: waits for ever, as nothing is at work")
            if machine.registers.settled:
                machine.leap(start + LONGEST)
            machine.edge()
        else:
            raise UsageError(f"{what}: expected write, post, read, poll, wait, host, or wait_for {INTERRUPT}")
    raise UsageError(f"{what}: nothing after {LONGEST} cycles")


def _read(machine: TimedMachine, address: int) -> AccessAnswer:
    taken = machine.cycle
    machine.edge()
    answer = AccessAnswer(machine.registers.read(address), taken + CSB_LATENCY)
    machine.registers.seen(address)
    return answer
