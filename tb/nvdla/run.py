# SPDX-License-Identifier: Apache-2.0
"""A compiled model on NVDLA hardware: the driver's register program, acted out on RTL, and what it leaves in memory."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from pymodels.errors import UsageError
from pymodels.nvdla.driver import drive
from pymodels.nvdla.execute import execute
from pymodels.nvdla.loadable import Loadable, read
from pymodels.nvdla.network import DLA1, dla_tasks, network, submitted
from pymodels.nvdla.placement import Placement, place
from pymodels.stimulus import Access, Clock, MemoryContents, Outcome, Stimulus
from tb.build import build
from tb.design import Design
from tb.job import Episode, Record
from tb.nvdla.rtl import CLOCK, CSB, DBB, INTERRUPT
from tb.nvdla.tensors import read_input, read_outputs
from tb.scoreboard import check
from tb.simulate import simulate

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


@dataclass(frozen=True)
class LoadableResult:
    """What became of a loadable.

    Attributes:
        failures: everything that is wrong; empty means pass.
        compared: accesses, bursts and changed bytes compared.
        cycles: from the first access to the beginning of the last one.
        seconds: wall time of the simulator process.
        build_s: seconds spent on the build, 0 from the cache.
        timed: accesses and bursts were compared with their cycles.
        stubs: engines of the loadable that our hardware has as stubs: its results mean nothing and are not compared.
        outputs: (size,) bytes of every output memory by id, as the hardware left them.
        arrays: the same as int8 (C, H, W) where a single feature cube is written there, else as they are.
        trace: what the driver did, a line a step in the form of the recorded traces: cycle, ``read_reg`` or ``write_reg``, byte
            address, value; interrupts as comments.
        log: the simulator's messages.
    """

    failures: tuple[str, ...]
    compared: int
    cycles: int
    seconds: float
    build_s: float
    timed: bool
    stubs: tuple[str, ...]
    outputs: Mapping[int, npt.NDArray[np.uint8]]
    arrays: Mapping[int, npt.NDArray[np.generic]]
    trace: tuple[str, ...]
    log: Path

    @property
    def passed(self) -> bool:
        """True when nothing failed; comparing nothing is a failure."""
        return not self.failures


def driver(placement: Placement, settle: int) -> Generator[Access, int, None]:
    """The kernel driver's steps for every task as accesses: posted writes, reads, waits for the interrupt."""
    if settle:
        yield Access("wait", cycles=settle)
    for task in dla_tasks(placement.loadable):
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


def run_loadable(
    file: Path,
    design: Design,
    folder: Path,
    *,
    own: bool,
    inputs: Path | None = None,
    timing: MemoryTiming | None = None,
    waves: bool = False,
    progress: Callable[[str], None] = lambda step: None,
    begin: Callable[[], None] = lambda: None,
) -> LoadableResult:
    """Run a loadable on RTL and compare what it leaves in memory; on our own RTL also every access and burst with its cycle.

    Args:
        file: the loadable.
        design: the RTL.
        folder: where the simulator's files go.
        own: the RTL is ours, so that the timed model applies.
        inputs: picture or ``.npy`` file for the input memory.
        timing: of the memory.
        waves: write waves.
        progress: is told each step.
        begin: called when nothing is refused any more, before anything is built or written.

    Raises:
        InputError: the file or the input makes no sense.
        UsageError: something that this hardware cannot run.
    """
    progress("reading")
    loadable = read(file)
    placement = place(loadable)
    given = {} if inputs is None else read_input(loadable, inputs)
    _check_tasks(loadable)
    stubs = _stubs(loadable) if own else ()
    stimulus = _stimulus(placement, given, timing or TIMING, 0 if own else SETTLE_CYCLES)
    params: dict[str, Any] = {name: p.default for name, p in design.parameters.items()}
    if own:
        _check_built(loadable, params)
    progress("working out what to expect")
    wanted = None if stubs else execute(placement, given)
    begin()
    progress("building")
    built = build(design, params, waves=waves)
    progress("simulating")
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    run_ps = _DRAIN_CYCLES * stimulus.clocks[CLOCK.name].period_ps + 1
    result = simulate(design, params, built, [Episode(stimulus, run_ps)], folder)
    seconds = time.monotonic() - started
    if not result.records:
        return LoadableResult(
            (result.failure or "?",), 0, 0, seconds, built.seconds, own, stubs, {}, {}, (), result.log
        )
    record = result.records[0]
    progress("comparing")
    failures, compared = _compare(design, params, stimulus, record, wanted, own=own)
    after = record.outcome.memories[DBB.name].regions
    contents = {m.id: after[f"memory{m.id}"][: m.size] for m in loadable.memories if m.size}
    arrays = read_outputs(loadable, contents)
    outputs = {ident: contents[ident] for ident in arrays}
    trace = _trace(record)
    cycles = int(trace[-1].lstrip("# ").split()[0]) + 1 if trace else 0
    return LoadableResult(
        failures, compared, cycles, seconds, built.seconds, own, stubs, outputs, arrays, trace, result.log
    )


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


def _check_tasks(loadable: Loadable) -> None:
    others = [t.id for t in submitted(loadable) if t.interface != DLA1]
    if others or not dla_tasks(loadable):
        what = f"task {others[0]} is for the processor (EMU)" if others else "no task for the hardware"
        raise UsageError(f"{loadable.file}: {what}; only loadables for the hardware alone can be run on it")


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
    placement: Placement, given: Mapping[int, npt.NDArray[np.uint8]], timing: MemoryTiming, settle: int
) -> Stimulus:
    regions = []
    for region in placement.regions():
        data = region.data.copy()
        first = given.get(int(region.name.removeprefix("memory")))
        if first is not None:
            data[: len(first)] = first
        regions.append(_padded(replace(region, data=data)))
    period = CLOCK.period_ps
    return Stimulus(
        inputs={},
        clocks={CLOCK.name: Clock(period, period)},
        drivers={CSB.name: partial(driver, placement, settle)},
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
    wanted: Mapping[int, npt.NDArray[np.uint8]] | None,
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


def _functional(stimulus: Stimulus, wanted: Mapping[int, npt.NDArray[np.uint8]]) -> Outcome:
    image = stimulus.memories[DBB.name]
    contents = {r.name: np.pad(wanted[i], (0, len(r.data) - len(wanted[i]))) for i, r in _by_id(image).items()}
    return Outcome({}, {INTERRUPT.name: 0}, {DBB.name: MemoryContents(contents)})


def _by_id(image: MemoryImage) -> dict[int, Region]:
    return {int(r.name.removeprefix("memory")): r for r in image.regions}


def write_outputs(result: LoadableResult, folder: Path, report: Mapping[str, Any]) -> None:
    """Keep output memories and the report in a run's folder."""
    target = folder / "output"
    target.mkdir(parents=True, exist_ok=True)
    for ident, data in result.outputs.items():
        (target / f"memory{ident}.bin").write_bytes(data.tobytes())
        np.save(target / f"memory{ident}.npy", result.arrays[ident])
    (target / "driver.trace").write_text("\n".join(result.trace) + "\n")
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n")
