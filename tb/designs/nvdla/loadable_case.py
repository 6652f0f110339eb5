# SPDX-License-Identifier: Apache-2.0
"""The case ``loadable``: a compiled model, its driver acting on what it reads, and what that leaves in memory.

Each input is an episode of its own, with the memories as they are in the file. Tasks run in the order in which they are
submitted; those of the processor (EMU) are steps of the host on the same memory. What the hardware leaves is compared with the
functional models; on our own RTL the timed model, fed with the very accesses that were made, predicts every answer and burst
with its cycle too.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import MemoryImage, Region
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.driver.driver import drive_task
from goldbeat.pymodels.nvdla.engines.cpu_tasks import emu_network, run_emu
from goldbeat.pymodels.nvdla.engines.target import check_configuration
from goldbeat.pymodels.nvdla.execute import execute, stages
from goldbeat.pymodels.nvdla.loadable.loadable import Loadable, LoadableTask, read_loadable
from goldbeat.pymodels.nvdla.loadable.network import EMU1, dla_tasks, network
from goldbeat.pymodels.nvdla.loadable.placement import Placement, place_memories
from goldbeat.pymodels.nvdla.observed import ObservedRun, observed_run
from goldbeat.pymodels.nvdla.order_check import order_findings
from goldbeat.pymodels.nvdla.sound_check import refuse_unsound
from goldbeat.pymodels.nvdla.timed import predict
from goldbeat.pymodels.stimulus import Access, Clock, MemoryContents, Outcome, Stimulus
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.file_stamp import file_stamp
from goldbeat.tb.design.measurements import Check, RunAnswer
from goldbeat.tb.designs.nvdla.loadable_answer import (
    LoadableRun,
    driver_trace,
    loadable_answer,
    observed_accesses,
)
from goldbeat.tb.designs.nvdla.memory_settings import MEMORY_OPTIONS, SETTLE_CYCLES, chosen_timing
from goldbeat.tb.designs.nvdla.pictures import RUNTIME, Convention
from goldbeat.tb.designs.nvdla.ports import CLOCK, CSB, DBB, INTERRUPT
from goldbeat.tb.designs.nvdla.tensors import first_wrong, read_outputs, read_tensors

LONGEST_CYCLES = 50_000_000
"""Cycles that the driver waits for an interrupt."""
_DRAIN_CYCLES = 200

Contents = Mapping[int, npt.NDArray[np.uint8]]
"""Bytes by the memory's id."""


def loadable_case(*, own: bool) -> Case:
    """The case, on our own RTL or on the user's."""
    return Case(
        name="loadable",
        summary="a compiled model: --loadable FILE, with --input FILE as its input",
        make=partial(_stimuli, own),
        options={
            "loadable": "",
            "input": (),
            "image_scale": RUNTIME.scale,
            "image_order": RUNTIME.order,
            "unchecked": False,
            **MEMORY_OPTIONS,
        },
        inputs=False,
        files=("loadable", "input"),
        expect=partial(_expect, own),
        check=partial(_check, own),
        answer=partial(_answer, own),
    )


@dataclass(frozen=True, eq=False)
class _Prepared:
    """A loadable with its inputs.

    Attributes:
        loadable: the file.
        placement: where its memories lie.
        order: tasks in the order in which they are submitted, those in a row for the same interface together.
        given: what each input puts into memory; without an input once nothing.
        names: what messages call each input; empty where there is only one.
        checked: results are compared with the functional models.
        unordered: accesses that dependencies do not order; each fails the run, whatever the timing has made of it.
    """

    loadable: Loadable
    placement: Placement
    order: tuple[tuple[LoadableTask, ...], ...]
    given: tuple[Contents, ...]
    names: tuple[str, ...]
    checked: bool
    unordered: tuple[str, ...]

    def contents(self, number: int) -> Contents:
        """Every memory of an input's episode before the first task."""
        contents = {ident: region.data for ident, region in self.placement.by_id().items()}
        for ident, data in self.given[number].items():
            contents[ident][: len(data)] = data
        return contents


def _prepare(own: bool, context: CaseContext) -> _Prepared:
    options = context.options
    if not options["loadable"]:
        raise UsageError("case loadable needs a compiled model: --loadable FILE")
    file, given = Path(str(options["loadable"])), given_files(options)
    line = int(context.params["LINE_ATOMS"]) if own else 0
    convention = Convention(str(options["image_scale"]), str(options["image_order"]))
    stamps = tuple(file_stamp(name) for name in (file, *given))
    return _read(own, file, given, convention, not options["unchecked"], line, stamps)


def given_files(options: Mapping[str, Any]) -> tuple[Path, ...]:
    """The files of the option ``input``: one, or several."""
    value = options.get("input") or ()
    return tuple(Path(str(one)) for one in ([value] if isinstance(value, str | Path) else value))


@lru_cache(maxsize=1)
def _read(
    own: bool, file: Path, given: tuple[Path, ...], convention: Convention, checked: bool, line: int, stamps: object
) -> _Prepared:
    """Read and check; every seed has the same, so it is done once."""
    loadable = read_loadable(file)
    check_configuration(loadable)
    placement = place_memories(loadable)
    inputs, several = read_tensors(loadable, given, convention)
    order = _order(loadable)
    if own:
        _check_built(loadable, line)
    names = tuple(f"input {number}" for number in range(len(inputs))) if several else ()
    refuse_unsound(loadable)
    unordered = tuple(one.text for one in order_findings(loadable))
    made = _Prepared(loadable, placement, order, tuple(inputs), names, checked, unordered)
    if checked:
        # What the models refuse is refused before anything is built.
        _wanted(made, 0)
    return made


@lru_cache(maxsize=2)
def _wanted(made: _Prepared, number: int) -> Contents:
    """What the functional models leave in memory after the last task."""
    try:
        return execute(made.placement, made.given[number])
    except UsageError as error:
        raise UsageError(f"{error}; --unchecked runs it and compares nothing") from error


def _stimuli(own: bool, context: CaseContext) -> list[Stimulus]:
    made = _prepare(own, context)
    timing = chosen_timing(context)
    clock = Clock(CLOCK.period_ps, CLOCK.period_ps)
    settle = 0 if own else SETTLE_CYCLES
    episodes = []
    for number in range(len(made.given)):
        contents = made.contents(number)
        regions = [_padded(replace(r, data=contents[ident])) for ident, r in made.placement.by_id().items()]
        one = Stimulus(
            inputs={},
            clocks={CLOCK.name: clock},
            drivers={CSB.name: partial(driver, made.placement, made.order, settle)},
            memories={DBB.name: MemoryImage(tuple(regions), timing)},
            least_ps=_DRAIN_CYCLES * clock.period_ps,
            label=made.names[number] if made.names else "",
        )
        episodes.append(one)
    return episodes


def _number(made: _Prepared, stimulus: Stimulus) -> int:
    """Which input an episode has."""
    return made.names.index(stimulus.label) if made.names else 0


def driver(placement: Placement, order: Sequence[Sequence[LoadableTask]], settle: int) -> Generator[Access, int, None]:
    """The kernel driver's steps as accesses: posted writes, reads, waits for the interrupt; tasks of the processor in between.

    Args:
        placement: where the memories lie.
        order: tasks, those in a row for the same interface together.
        settle: cycles to wait before the first access.
    """
    if settle:
        yield Access("wait", cycles=settle)
    for tasks in order:
        if tasks[0].interface == EMU1:
            what = f"task {', '.join(str(task.id) for task in tasks)} on the processor (EMU)"
            call = partial(on_processor, placement, tuple(tasks))
            yield Access("host", port=DBB.name, call=call, register=what)
            continue
        for task in tasks:
            yield from _drive_task(placement, task)


def _drive_task(placement: Placement, task: LoadableTask) -> Generator[Access, int, None]:
    steps = drive_task(task, placement)
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


def on_processor(
    placement: Placement, tasks: Sequence[LoadableTask], regions: Mapping[str, npt.NDArray[np.uint8]]
) -> None:
    """Work out tasks of the processor on what is in memory.

    Args:
        placement: of the loadable.
        tasks: all for the processor.
        regions: bytes by region, ``memory<id>``; changed in place.
    """
    sizes = {m.id: m.size for m in placement.loadable.memories if m.size}
    contents = {ident: regions[f"memory{ident}"][:size] for ident, size in sizes.items()}
    for task in tasks:
        run_emu(emu_network(placement.loadable, task), contents)


def memories_left(placement: Placement, record: Any) -> dict[int, npt.NDArray[np.uint8]]:
    """What the memories hold at the end, by id."""
    after = record.outcome.memories[DBB.name].regions
    return {m.id: after[f"memory{m.id}"][: m.size] for m in placement.loadable.memories if m.size}


def _expect(own: bool, context: CaseContext, stimulus: Stimulus, record: Any) -> Outcome:
    """The timed model on what was driven; on hardware without one, what the functional models leave in memory.

    Where nothing is to be compared, what the hardware left: broken rules and accesses without an answer are failures still.
    """
    if own and not context.options["unchecked"]:
        return predict(context.params, stimulus)
    made = _prepare(own, context)
    wanted = _wanted(made, _number(made, stimulus)) if made.checked else memories_left(made.placement, record)
    sizes = {r.name: len(r.data) for r in stimulus.memories[DBB.name].regions}
    names = {f"memory{ident}": data for ident, data in wanted.items()}
    contents = {name: np.pad(data, (0, sizes[name] - len(data))) for name, data in names.items()}
    return Outcome({}, {INTERRUPT.name: 0}, {DBB.name: MemoryContents(contents)})


def _check(own: bool, context: CaseContext, stimulus: Stimulus, record: Any) -> Check:
    """On our own RTL the memory against the functional models, which know nothing of the timed one; what was not compared."""
    made = _prepare(own, context)
    if not made.checked:
        return Check(made.unordered, partial=("nothing was compared (--unchecked)",), void=True)
    number = _number(made, stimulus)
    left, wanted = memories_left(made.placement, record), _wanted(made, number)
    first = first_wrong(made.loadable, left, wanted)
    failures, compared = [*made.unordered, *([first] if first else [])], 0
    if not own:
        # The memories are the prediction there, and compared with it.
        return Check(tuple(failures))
    before = made.contents(number)
    for ident, got in left.items():
        want = wanted[ident]
        compared += int(np.count_nonzero(want != before[ident]))
        if len(wrong := np.flatnonzero(want != got)):
            at = int(wrong[0])
            failures.append(
                f"memory{ident}: byte 0x{at:x}: the functional models leave 0x{want[at]:02x}, got 0x{got[at]:02x}; "
                f"{len(wrong)} bytes differ in all"
            )
    return Check(tuple(failures), compared)


def _answer(own: bool, context: CaseContext, episodes: Sequence[tuple[Stimulus, Any]]) -> RunAnswer:
    """The output memories, as bytes and as tensors, and what the driver did."""
    made = _prepare(own, context)
    runs = []
    for stimulus, record in episodes:
        outputs = read_outputs(made.loadable, memories_left(made.placement, record))
        observed = None if own else _observed(made.placement, record)
        runs.append(LoadableRun(stimulus.label, driver_trace(record), outputs, observed))
    return loadable_answer(made.loadable, runs)


def _observed(placement: Placement, record: Any) -> ObservedRun | None:
    """The operations; None for a run that did not do all of them, which has failed."""
    log = record.outcome.memories[DBB.name].log
    with suppress(InputError):
        return observed_run(placement, observed_accesses(record), log)
    return None


def _order(loadable: Loadable) -> tuple[tuple[LoadableTask, ...], ...]:
    order = stages(loadable)
    if not dla_tasks(loadable):
        raise UsageError(
            f"{loadable.file}: no task for the hardware; goldbeat nvdla execute works out those of the processor"
        )
    return order


def _check_built(loadable: Loadable, most: int) -> None:
    """Refuse what our hardware would never begin, so that the driver would wait for ever."""
    for task in dla_tasks(loadable):
        for op in network(loadable, task).operations:
            if op.type != "PDP":
                continue
            where = f"{loadable.file}: operation {op.index} (PDP)"
            width = int(op.cubes["src_data"].record["width"])
            if width > most:
                raise UsageError(f"{where} has lines of {width} points; our hardware takes up to {most}")


def _padded(region: Region) -> Region:
    """The region to the end of its last 64 bytes: hardware reads whole bursts where a blob ends within one."""
    return replace(region, data=np.pad(region.data, (0, -len(region.data) % 64)))
