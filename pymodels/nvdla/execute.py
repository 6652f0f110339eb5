# SPDX-License-Identifier: Apache-2.0
"""A loadable from its input to its output on the functional models: driver, hardware and processor tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import UsageError, naming
from goldbeat.pymodels.nvdla.driver.driver import drive_task
from goldbeat.pymodels.nvdla.driver.instant_hardware import IdealHardware, loadable_program, record_driver
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL, Configuration
from goldbeat.pymodels.nvdla.engines.cpu_tasks import emu_network, run_emu
from goldbeat.pymodels.nvdla.engines.hardware import check_operation, run_operation
from goldbeat.pymodels.nvdla.engines.registers import Values
from goldbeat.pymodels.nvdla.engines.target import check_configuration, configuration_of
from goldbeat.pymodels.nvdla.loadable.loadable import Loadable, LoadableTask
from goldbeat.pymodels.nvdla.loadable.network import DLA1, EMU1, submitted
from goldbeat.pymodels.nvdla.loadable.placement import Placement, place_memories
from goldbeat.pymodels.nvdla.sound_check import refuse_unsound


def stages(loadable: Loadable) -> tuple[tuple[LoadableTask, ...], ...]:
    """The tasks in the order in which they are submitted; those in a row for the same interface stand together.

    Raises:
        UsageError: a task that is neither for the hardware (DLA) nor for the processor (EMU).
    """
    found: list[list[LoadableTask]] = []
    for task in submitted(loadable):
        if task.interface not in (DLA1, EMU1):
            raise UsageError(f"{loadable.file}: task {task.id} has interface {task.interface}, neither DLA nor EMU")
        if found and found[-1][0].interface == task.interface:
            found[-1].append(task)
        else:
            found.append([task])
    return tuple(tuple(tasks) for tasks in found)


def execute(
    placement: Placement,
    inputs: Mapping[int, npt.NDArray[np.uint8]] | None = None,
    tasks: Sequence[LoadableTask] | None = None,
    after: Callable[[Sequence[str], Mapping[int, npt.NDArray[np.uint8]]], None] | None = None,
    configuration: Configuration = NV_SMALL,
) -> dict[int, npt.NDArray[np.uint8]]:
    """Run tasks in the order in which they are submitted.

    Args:
        placement: the loadable in its place.
        inputs: bytes by id of the memory, put at its beginning.
        tasks: which ones [all].
        after: called behind each operation, or each chain of them on the fly, with their engines and the bytes by memory id.
        configuration: of the hardware.

    Returns:
        (size,) bytes of each memory by id.

    Raises:
        UsageError: an operation that the hardware, or its model, cannot do; an input that does not fit.
        InputError: descriptors that make no sense or are another configuration's, or data outside of the memories.
    """
    check_configuration(placement.loadable, configuration)
    regions = placement.by_id()
    for ident, data in (inputs or {}).items():
        if ident not in regions or len(data) > len(regions[ident].data):
            raise UsageError(f"input of {len(data)} bytes for memory {ident}: no such memory, or too small")
        regions[ident].data[: len(data)] = data

    def work(chain: list[tuple[str, dict[int, int]]]) -> None:
        with _names(placement.loadable):
            compute(chain)

    def compute(chain: list[tuple[str, dict[int, int]]]) -> None:
        flowing = None
        for engine, registers in chain:
            luts = hardware.luts.get(engine)
            check_operation(engine, Values(registers, luts, configuration))
            result = run_operation(engine, registers, tuple(regions.values()), flowing, luts, configuration)
            flowing = result.output
            for ident, region in regions.items():
                regions[ident] = Region(region.name, region.base, result.memory[region.name])
        if after is not None:
            after([engine for engine, _ in chain], {ident: region.data for ident, region in regions.items()})

    hardware = IdealHardware(work=work)
    for stage in stages(placement.loadable):
        for task in stage:
            if tasks is not None and task not in tasks:
                continue
            if task.interface == DLA1:
                record_driver(drive_task(task, placement, configuration), hardware)
            else:
                with _names(placement.loadable):
                    run_emu(emu_network(placement.loadable, task), {i: r.data for i, r in regions.items()})
    return {ident: region.data for ident, region in regions.items()}


@contextmanager
def _names(loadable: Loadable) -> Iterator[None]:
    """Errors of what a loadable asks for name its file."""
    try:
        with naming(loadable.file):
            yield
    except UsageError as error:
        if loadable.file is None:
            raise
        raise UsageError(f"{loadable.file}: {error}") from error


def checking_hardware(loadable: Loadable, configuration: Configuration) -> IdealHardware:
    """Hardware that computes nothing, and refuses operations that it cannot do.

    Args:
        loadable: the file that errors name.
        configuration: of the hardware; what only a model lacks is left to :func:`execute`.
    """

    def work(chain: list[tuple[str, dict[int, int]]]) -> None:
        for engine, registers in chain:
            with _names(loadable):
                check_operation(engine, Values(registers, hardware.luts.get(engine), configuration))

    hardware = IdealHardware(work=work if configuration.subject == configuration.name else None)
    return hardware


def check_executable(loadable: Loadable) -> None:
    """Refuse what :func:`execute` refuses, without computing anything; what only a model lacks is left to it.

    Raises:
        InputError: what no compiler makes, or descriptors that make no sense.
        UsageError: an operation that the hardware cannot do.
    """
    configuration = configuration_of(loadable)
    refuse_unsound(loadable)
    stages(loadable)
    loadable_program(place_memories(loadable), checking_hardware(loadable, configuration), configuration)
