# SPDX-License-Identifier: Apache-2.0
"""A trace test on the functional models: no RTL, no time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.driver.driver_steps import StuckError
from goldbeat.pymodels.nvdla.driver.instant_hardware import IdealHardware
from goldbeat.pymodels.nvdla.engines.hardware import run_operation
from goldbeat.pymodels.nvdla.traces.checks import CHECKS, TraceCheck, trace_checks, trace_regions
from goldbeat.pymodels.nvdla.traces.schedule import trace_steps
from goldbeat.pymodels.nvdla.traces.statements import NvdlaTrace
from goldbeat.pymodels.stimulus import Access

_BY_TIME = "CDMA.S_CBUF_FLUSH_STATUS"
"""Read by tests soon after a reset, when hardware that takes time is not ready yet."""


@dataclass(frozen=True)
class PlayedTrace:
    """What a trace test has left.

    Attributes:
        memory: bytes by region, that of the checks included.
        checks: its checks.
        interrupt: the interrupt is high in the end.
        reads: registers that were read and had the value that the test says.
    """

    memory: Mapping[str, npt.NDArray[np.uint8]]
    checks: list[TraceCheck]
    interrupt: bool
    reads: int = 0


def play_trace(trace: NvdlaTrace) -> PlayedTrace:
    """Play a test against hardware that is done at once.

    Raises:
        UsageError: an operation that the models cannot do.
        InputError: statements that wait for ever, or data outside of the memory.
    """
    regions: dict[str, Region] = {r.name: r for r in trace_regions(trace)}

    def work(chain: list[tuple[str, dict[int, int]]]) -> None:
        flowing = None
        for engine, registers in chain:
            seen = tuple(r for r in regions.values() if r.name != CHECKS)
            result = run_operation(engine, registers, seen, flowing, hardware.luts.get(engine), trace.configuration)
            flowing = result.output
            for region in seen:
                regions[region.name] = Region(region.name, region.base, result.memory[region.name])

    hardware = IdealHardware(work=work, apart=True)
    steps = trace_steps(trace, "dla_intr", "dbb")
    answer: int | None = None
    reads = 0
    while True:
        try:
            step = next(steps) if answer is None else steps.send(answer)
        except StopIteration:
            break
        answer = 0
        if step.op == "post":
            hardware.write(step.address, step.value or 0)
        elif step.op == "read":
            answer = hardware.read(step.address)
            if step.register != _BY_TIME and _differs(step, answer):
                raise _wrong(trace, step, answer)
            reads += step.value is not None
        elif step.op == "poll":
            while _differs(step, found := hardware.read(step.address)):
                try:
                    hardware.advance()
                except StuckError as error:
                    raise _wrong(trace, step, found) from error
        elif step.op == "wait_for":
            hardware.interrupt()
        elif step.call is not None:
            step.call({name: region.data for name, region in regions.items()})
    memory = {name: region.data for name, region in regions.items()}
    return PlayedTrace(memory, trace_checks(trace, memory[CHECKS]), hardware.pending, reads)


def _differs(step: Access, found: int) -> bool:
    mask = -1 if step.mask is None else step.mask
    return step.value is not None and bool((found ^ step.value) & mask)


def _wrong(trace: NvdlaTrace, step: Access, found: int) -> InputError:
    return InputError(f"{step.register} is 0x{found:08x}", f"0x{step.value or 0:08x} as the test says", file=trace.file)
