# SPDX-License-Identifier: Apache-2.0
"""A compiled model on NVDLA hardware: the driver's register program, acted out on RTL, and what it leaves in memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.driver.driver import drive
from goldbeat.pymodels.nvdla.engines.target import check_small
from goldbeat.pymodels.nvdla.execute import execute, stages
from goldbeat.pymodels.nvdla.loadable.loadable import Loadable, Task, read
from goldbeat.pymodels.nvdla.loadable.network import EMU1, dla_tasks, network
from goldbeat.pymodels.nvdla.loadable.placement import Placement, place
from goldbeat.pymodels.stimulus import Access, Clock, MemoryContents, Outcome, Stimulus
from goldbeat.tb.build.simulator import build
from goldbeat.tb.design.design import Design
from goldbeat.tb.designs.nvdla.pictures import RUNTIME, Convention
from goldbeat.tb.designs.nvdla.result import LoadableResult
from goldbeat.tb.designs.nvdla.rtl import CLOCK, CSB, DBB, INTERRUPT
from goldbeat.tb.designs.nvdla.tensors import read_input, read_outputs
from goldbeat.tb.inside.job import Episode, Record
from goldbeat.tb.run.scoreboard import check
from goldbeat.tb.run.simulate import TIMEOUT_S, simulate

TIMING = MemoryTiming(read_latency=32, max_reads=256, max_writes=256)
"""The memory of the recorded runs of the vendor's RTL: 32 cycles from a read's address to its first data, any number waiting."""
SETTLE_CYCLES = 10_000
"""Cycles between reset and the first access on the vendor's RTL: it comes out of reset slowly, loses what comes sooner, and clears
its convolution buffer for some 8,000 cycles, for which the driver would wait."""
LONGEST_CYCLES = 50_000_000
"""Cycles that the driver waits for an interrupt."""
_DRAIN_CYCLES = 200
# Engines that are stubs in our own hardware.
_STUBS = ("CONV", "CDP")


def driver(placement: Placement, tasks: Sequence[Task], settle: int) -> Generator[Access, int, None]:
    """The kernel driver's steps for some tasks as accesses: posted writes, reads, waits for the interrupt."""
    if settle:
        yield Access("wait", cycles=settle)
    for task in tasks:
        steps = drive(task, placement)
        step = next(steps, None)
        while step is not None:
            answer = 0
            if step.kind == "write":
                yield Access("post", step.address, step.value)
            elif step.kind == "read":
                answer = yield Access("read", step.address)
            elif step.kind == "interrupt":
                yield Access("wait_for", port=INTERRUPT.name, cycles=LONGEST_CYCLES)
            try:
                step = steps.send(answer)
            except StopIteration:
                break


Contents = Mapping[int, npt.NDArray[np.uint8]]
"""Bytes by the memory's id."""


def run_loadable(
    file: Path,
    design: Design,
    folder: Path,
    *,
    own: bool,
    inputs: Path | None = None,
    convention: Convention = RUNTIME,
    timing: MemoryTiming | None = None,
    unchecked: bool = False,
    waves: bool = False,
    timeout_s: float = TIMEOUT_S,
    progress: Callable[[str], None] = lambda step: None,
    begin: Callable[[], None] = lambda: None,
) -> LoadableResult:
    """Run a loadable on RTL and compare what it leaves in memory; on our own RTL also every access and burst with its cycle.

    Tasks run in the order in which they are submitted; those of the processor (EMU) are worked out on what the hardware left.

    Args:
        file: the loadable.
        design: the RTL.
        folder: where the simulator's files go.
        own: the RTL is ours, so that the timed model applies.
        inputs: picture or ``.npy`` file for the input memory.
        convention: how a picture becomes numbers.
        timing: of the memory.
        unchecked: compare nothing, so that no model is needed.
        waves: write waves.
        timeout_s: wall time allowed for each simulation.
        progress: is told each step.
        begin: called when nothing is refused any more, before anything is built or written.

    Raises:
        InputError: the file or the input makes no sense.
        UsageError: something that this hardware, or its model, cannot run.
    """
    progress("reading")
    loadable = read(file)
    check_small(loadable)
    placement = place(loadable)
    given = {} if inputs is None else read_input(loadable, inputs, convention)
    order = _order(loadable)
    params: dict[str, Any] = {name: p.default for name, p in design.parameters.items()}
    if own:
        _check_built(loadable, params)
    stubs = _stubs(loadable) if own else ()
    progress("working out what to expect")
    wanted = [None] * len(order) if stubs or unchecked else _expected(placement, given, order)
    begin()
    progress("building")
    run = _Run(design, params, placement, folder, own, unchecked, timing or TIMING, waves, timeout_s)
    parts: list[_Part] = []
    contents: Contents = _filled(placement, given)
    for tasks, want in zip(order, wanted, strict=True):
        progress("simulating")
        parts.append(run.task(tasks, contents, want, len(parts)))
        contents = parts[-1].contents
        if parts[-1].failures:
            break
    return _joined(loadable, run, parts, stubs)


@dataclass(frozen=True)
class _Part:
    """What became of tasks in a row, of the hardware or of the processor."""

    contents: Contents
    failures: tuple[str, ...] = ()
    compared: int = 0
    cycles: int = 0
    seconds: float = 0.0
    trace: tuple[str, ...] = ()
    log: Path | None = None


class _Run:
    """A build, and the tasks that run on it one after the other."""

    def __init__(
        self,
        design: Design,
        params: Mapping[str, Any],
        placement: Placement,
        folder: Path,
        own: bool,
        unchecked: bool,
        timing: MemoryTiming,
        waves: bool,
        timeout_s: float,
    ) -> None:
        self.design, self.params, self.placement, self.folder = design, params, placement, folder
        self.own, self.unchecked, self.timing, self.timeout_s = own, unchecked, timing, timeout_s
        self.built = build(design, params, waves=waves)

    def task(self, tasks: Sequence[Task], contents: Contents, wanted: Contents | None, number: int) -> _Part:
        """Tasks in a row on what is in memory; the first ones in the folder itself."""
        if tasks[0].interface == EMU1:
            note = tuple(f"task {t.id} on the processor (EMU)" for t in tasks)
            return _Part(execute(self.placement, contents, tasks), trace=note)
        stimulus = _stimulus(self.placement, tasks, contents, self.timing, 0 if self.own else SETTLE_CYCLES)
        folder = self.folder if number == 0 else self.folder / f"part{number}"
        folder.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        run_ps = _DRAIN_CYCLES * stimulus.clocks[CLOCK.name].period_ps + 1
        result = simulate(
            self.design, self.params, self.built, [Episode(stimulus, run_ps)], folder, timeout_s=self.timeout_s
        )
        seconds = time.monotonic() - started
        if not result.records:
            return _Part({}, (result.failure or "?",), seconds=seconds, log=result.log)
        record = result.records[0]
        after = record.outcome.memories[DBB.name].regions
        left = {m.id: after[f"memory{m.id}"][: m.size] for m in self.placement.loadable.memories if m.size}
        if self.unchecked:
            failures, compared = _unbroken(self.design, self.params, stimulus, record, left), 0
        else:
            failures, compared = _compare(self.design, self.params, stimulus, record, wanted, own=self.own)
        trace = _trace(record)
        cycles = int(trace[-1].lstrip("# ").split()[0]) + 1 if trace else 0
        return _Part(left, failures, compared, cycles, seconds, trace, result.log)


def _joined(loadable: Loadable, run: _Run, parts: Sequence[_Part], stubs: tuple[str, ...]) -> LoadableResult:
    """One result of all parts, the cycles of the trace going on."""
    lines: list[str] = []
    cycle = 0
    for part in parts:
        if part.log is None:
            lines += [f"# {cycle} {text}" for text in part.trace]
        for line in part.trace if part.log is not None else ():
            mark = "# " if line.startswith("#") else ""
            at, _, rest = line.removeprefix(mark).partition(" ")
            lines.append(f"{mark}{int(at) + cycle} {rest}")
        cycle += part.cycles
    contents = parts[-1].contents
    return LoadableResult(
        tuple(text for part in parts for text in part.failures),
        sum(part.compared for part in parts),
        cycle,
        sum(part.seconds for part in parts),
        run.built.seconds,
        run.own and not run.unchecked,
        run.unchecked,
        stubs,
        read_outputs(loadable, contents) if contents else {},
        tuple(lines),
        next(part.log for part in reversed(parts) if part.log is not None),
    )


def _expected(placement: Placement, given: Contents, order: Sequence[Sequence[Task]]) -> list[Contents | None]:
    """What the functional models leave in memory after each of the tasks in a row."""
    found: list[Contents | None] = []
    contents = given
    for tasks in order:
        try:
            contents = execute(placement, contents, tasks)
        except UsageError as error:
            raise UsageError(f"{error}; --unchecked runs it and compares nothing") from error
        found.append(contents)
    return found


def _filled(placement: Placement, given: Contents) -> dict[int, npt.NDArray[np.uint8]]:
    """Every memory as it is before the first task."""
    contents = {int(r.name.removeprefix("memory")): r.data for r in placement.regions()}
    for ident, data in given.items():
        contents[ident][: len(data)] = data
    return contents


def _trace(record: Record) -> tuple[str, ...]:
    lines = []
    start = None
    for access, result in zip(record.driven[CSB.name], record.accesses[CSB.name], strict=False):
        if access.op == "wait" or result.cycle is None or result.first is None:
            continue
        start = result.first if start is None else start
        if access.op == "wait_for":
            lines.append(f"# {result.cycle - start} {access.port}")
        else:
            what, value = ("read_reg", result.value) if access.op == "read" else ("write_reg", access.value)
            lines.append(f"{result.first - start} {what} 0x{access.address:05x} 0x{value or 0:08x}")
    return tuple(lines)


def _order(loadable: Loadable) -> tuple[tuple[Task, ...], ...]:
    order = stages(loadable)
    if not dla_tasks(loadable):
        raise UsageError(
            f"{loadable.file}: no task for the hardware; goldbeat nvdla execute works out those of the processor"
        )
    return order


def _stubs(loadable: Loadable) -> tuple[str, ...]:
    """Engines that the loadable uses and that are stubs in our own hardware."""
    engines = {op.type for task in dla_tasks(loadable) for op in network(loadable, task).operations}
    return tuple(sorted(engines & set(_STUBS)))


def _check_built(loadable: Loadable, params: Mapping[str, Any]) -> None:
    """What our hardware would never begin, so that the driver would wait for ever."""
    for task in dla_tasks(loadable):
        for op in network(loadable, task).operations:
            if op.type != "PDP":
                continue
            where = f"{loadable.file}: operation {op.index} (PDP)"
            if op.cubes["src_data"].on_the_fly:
                raise UsageError(
                    f"{where} takes its data from SDP on the fly, which our hardware cannot; "
                    "use --rtl DIR, or a loadable that puts them into memory"
                )
            width, most = int(op.cubes["src_data"].record["width"]), int(params["LINE_ATOMS"])
            if width > most:
                raise UsageError(f"{where} has lines of {width} points; our hardware takes up to {most}")


def _stimulus(
    placement: Placement, tasks: Sequence[Task], contents: Contents, timing: MemoryTiming, settle: int
) -> Stimulus:
    regions = [_padded(replace(r, data=contents[int(r.name.removeprefix("memory"))])) for r in placement.regions()]
    period = CLOCK.period_ps
    return Stimulus(
        inputs={},
        clocks={CLOCK.name: Clock(period, period)},
        drivers={CSB.name: partial(driver, placement, tasks, settle)},
        memories={DBB.name: MemoryImage(tuple(regions), timing)},
    )


def _padded(region: Region) -> Region:
    """The region to the end of its last 64 bytes: hardware reads whole bursts where a blob ends within one."""
    return replace(region, data=np.pad(region.data, (0, -len(region.data) % 64)))


def _compare(
    design: Design,
    params: Mapping[str, Any],
    stimulus: Stimulus,
    record: Record,
    wanted: Contents | None,
    *,
    own: bool,
) -> tuple[tuple[str, ...], int]:
    """The record against the functional models' memory, and against the timed model fed with the very same accesses."""
    made = replace(stimulus, program=record.driven, drivers={})
    failures: list[str] = []
    compared = 0
    if wanted is not None:
        verdict = check(design, params, made, _functional(stimulus, wanted), record)
        failures, compared = list(verdict.failures), verdict.compared
    if own:
        timed = check(design, params, made, design.model(params, made), record)
        failures += [text for text in timed.failures if text not in failures]
        compared += timed.compared
    return (*failures, *(() if compared else ("nothing was compared",))), compared


def _unbroken(
    design: Design, params: Mapping[str, Any], stimulus: Stimulus, record: Record, left: Contents
) -> tuple[str, ...]:
    """What is wrong whatever the operations do: broken rules, accesses that did not end, an interrupt that stays."""
    made = replace(stimulus, program=record.driven, drivers={})
    return check(design, params, made, _functional(stimulus, left), record).failures


def _functional(stimulus: Stimulus, wanted: Contents) -> Outcome:
    image = stimulus.memories[DBB.name]
    contents = {r.name: np.pad(wanted[i], (0, len(r.data) - len(wanted[i]))) for i, r in _by_id(image).items()}
    return Outcome({}, {INTERRUPT.name: 0}, {DBB.name: MemoryContents(contents)})


def _by_id(image: MemoryImage) -> dict[int, Region]:
    return {int(r.name.removeprefix("memory")): r for r in image.regions}
