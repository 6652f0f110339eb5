# SPDX-License-Identifier: Apache-2.0
"""A loadable as a trace test: its driver's writes, what they wait for, its memories, and checksums of what must be left."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.driver.driver import drive_task
from goldbeat.pymodels.nvdla.driver.instant_hardware import IdealHardware, record_driver
from goldbeat.pymodels.nvdla.engines.registers import csb_register, register_at
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.loadable import LoadableTask
from goldbeat.pymodels.nvdla.loadable.network import DLA1, submitted
from goldbeat.pymodels.nvdla.loadable.placement import Placement
from goldbeat.pymodels.nvdla.traces.schedule import INTERRUPTS
from goldbeat.pymodels.nvdla.traces.statements import MAIN_MEMORY
from goldbeat.pymodels.nvdla.traces.surfaces import pieces_text

_STATUS = csb_register("GLB", "S_INTR_STATUS").address
_WORD = 4


@dataclass(frozen=True)
class ExportedTrace:
    """A trace test to be written.

    Attributes:
        configuration: the text of the ``.cfg``.
        data: texts of the data files by name.
        left_out: tasks of the processor behind the last one of the hardware, which no trace test can hold.
    """

    configuration: str
    data: Mapping[str, str]
    left_out: tuple[LoadableTask, ...]


def export_trace(placement: Placement, inputs: Mapping[int, npt.NDArray[np.uint8]] | None = None) -> ExportedTrace:
    """The trace test of a loadable.

    Args:
        placement: the loadable in its place.
        inputs: bytes by id of the memory, put at its beginning.

    Raises:
        UsageError: a task of the processor in front of one of the hardware, or what the models cannot do.
    """
    tasks, left_out = _hardware_tasks(placement)
    data: dict[str, str] = {}
    lines: list[str] = []
    regions = placement.by_id()
    for ident, given in (inputs or {}).items():
        regions[ident].data[: len(given)] = given
    for region in regions.values():
        size = -(-len(region.data) // _WORD) * _WORD
        lines.append(f"mem_init({MAIN_MEMORY}, 0x{region.base:x}, 0x{size:x}, ALL_ZERO);")
        if region.data.any():
            name = f"{region.name}.dat"
            data[name] = pieces_text(region.data.tobytes())
            lines.append(f'mem_load({MAIN_MEMORY}, 0x{region.base:x}, "{name}");')
    program = _Program()
    hardware = IdealHardware()
    for task in tasks:
        for step in record_driver(drive_task(task, placement), hardware):
            if step.kind == "write":
                program.write(step.address, step.value)
            elif step.kind == "read" and step.address == _STATUS:
                program.interrupt(step.value)
    lines += program.finished()
    left = execute(placement, inputs, tasks)
    for ident, region in regions.items():
        if np.array_equal(left[ident], region.data):
            continue
        found = left[ident].tobytes()
        found += bytes(-len(found) % _WORD)
        crc = zlib.crc32(found)
        lines.append(f"check_crc({_END}, {MAIN_MEMORY}, 0x{region.base:x}, 0x{len(found):x}, 0x{crc:08x});")
    return ExportedTrace("\n".join([*lines, ""]), data, left_out)


def _hardware_tasks(placement: Placement) -> tuple[list[LoadableTask], tuple[LoadableTask, ...]]:
    tasks = list(submitted(placement.loadable))
    last = max((i for i, task in enumerate(tasks) if task.interface == DLA1), default=-1)
    for task in tasks[: last + 1]:
        if task.interface != DLA1:
            raise UsageError(
                f"{placement.loadable.file}: task {task.id} of the processor comes before one of the hardware; "
                "a trace test has the hardware only"
            )
    if last < 0:
        raise UsageError(f"{placement.loadable.file}: no task for the hardware")
    return tasks[: last + 1], tuple(tasks[last + 1 :])


_END = "all_done"


class _Program:
    """Statements: each block waits for the interrupts that came before its next write."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._events: list[str] = []
        self._waited: dict[str, int] = {}

    def _wait(self, block: str) -> None:
        for event in self._events[self._waited.get(block, 0) :]:
            self._lines.append(f"sync_wait(NVDLA_{block}, {event});")
        self._waited[block] = len(self._events)

    def write(self, address: int, value: int) -> None:
        """A write; who plays the test clears GLB's status."""
        register = register_at(address)
        if register is None or address == _STATUS:
            return
        self._wait(register.block)
        self._lines.append(f"reg_write(NVDLA_{register.block}.{register.name}_0, 0x{value:x});")

    def interrupt(self, status: int) -> None:
        """The bits that the driver has found in GLB's status."""
        for engine, bit in INTERRUPTS.items():
            for group in (0, 1):
                if status >> bit + group & 1:
                    self._events.append(f"event_{len(self._events)}")
                    self._lines.append(f"intr_notify({engine}_{group}, {self._events[-1]});")

    def finished(self) -> list[str]:
        """All statements, at the end an event for all that has happened."""
        self._wait("GLB")
        return [*self._lines, f"sync_notify(NVDLA_GLB, {_END});"]
