# SPDX-License-Identifier: Apache-2.0
"""The whole accelerator behind its registers: what a host's program reads, and what happens in memory in which cycle.

Contract: docs/zynqnet-hardware.md. The host waits for interrupts; programs that poll, and layers that start again by
themselves, are beyond this model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from pymodels.axi.memory import MemoryImage
from pymodels.errors import UsageError
from pymodels.stimulus import Access, Answer, MemoryContents, Outcome, Stimulus
from pymodels.zynqnet import registers as reg
from pymodels.zynqnet.hardware import GO_LATENCY, ErrorCode, Hardware, configuration_error
from pymodels.zynqnet.layer_run import Number, run_layer, word_type
from pymodels.zynqnet.memory_map import WORD_BYTES, Space
from pymodels.zynqnet.network import Layer
from pymodels.zynqnet.shifts import Shifts
from pymodels.zynqnet.timing import Accelerator, LayerTimes

REGISTERS = "s_axil"
MEMORY = "m_axi"
INTERRUPT = "irq"

FIRST_CYCLE = 1
"""When a program's first step is offered: nothing transfers at edge 0."""
# hdl/axil/axil_regs: from the handshake of a write or of a read's address to the answer.
WRITE_ANSWER = 1
READ_ANSWER = 3

LOG = np.dtype([(n, np.int64) for n in ("address", "cycle", "first", "last", "done", "len", "kind")])
"""Columns of the memory's log that are predicted."""

_WIDTHS = {
    **dict.fromkeys((reg.NAME, reg.NAME + 4, reg.DRAM_BASE), 32),
    **dict.fromkeys((reg.WIDTH, reg.HEIGHT), 9),
    **dict.fromkeys((reg.CH_IN, reg.CH_OUT), 10),
    **dict.fromkeys((reg.KERNEL, reg.STRIDE), 2),
    **dict.fromkeys((reg.PAD, reg.RELU, reg.FIRST_SPLIT, reg.SECOND_SPLIT, reg.GLOBAL_POOL, reg.GIE), 1),
    **dict.fromkeys(
        (reg.MEM_IN, reg.MEM_OUT, reg.MEM_WEIGHTS, reg.WEIGHTS_OFFSET, reg.INPUT_OFFSET, reg.MEM_WORDS), 23
    ),
    reg.NUM_WEIGHTS: 19,
    reg.SHIFTS: 24,
    reg.IER: 2,
}
"""Registers that hold what is written to them, and how many bits of it."""
_READ_ONLY = (reg.ID, reg.CONFIG, reg.ERROR, *reg.COUNTERS.values())


class Device:
    """The accelerator with its memory.

    Args:
        hardware: parameters.
        image: the memory; its arrays are copied.
        mem_words: reset value of the memory size register.
    """

    def __init__(self, hardware: Hardware, image: MemoryImage, mem_words: int) -> None:
        self._hardware, self._image = hardware, image
        self._accelerator = Accelerator(hardware, image.timing)
        self._base = min(region.base for region in image.regions)
        end = max(region.end for region in image.regions)
        self._bytes = np.zeros(end - self._base, np.uint8)
        for region in image.regions:
            self._bytes[region.base - self._base : region.end - self._base] = region.data
        self._values = dict.fromkeys(_WIDTHS, 0) | {reg.MEM_WORDS: mem_words}
        self._results = dict.fromkeys(_READ_ONLY, 0)
        self._results[reg.ID] = reg.ID_VALUE
        self._results[reg.CONFIG] = hardware.npe | hardware.lanes << 8 | int(hardware.int8) << 16 | hardware.lines << 20
        self._status = 0  # done and ready of AP_CTRL
        self._isr = 0
        self._running: LayerTimes | None = None
        self.layers: list[LayerTimes] = []

    # -- the host

    def run(self, program: tuple[Access, ...]) -> list[Answer]:
        """Run a host's program from reset on; what every step reads, and its last cycle.

        Raises:
            UsageError: the program does what is beyond this model.
        """
        answers, cycle = [], FIRST_CYCLE
        for access in program:
            value = None
            if access.op == "write":
                self._settle(cycle)
                self._write(access, cycle)
                end = cycle + WRITE_ANSWER
            elif access.op == "read":
                self._settle(cycle)
                value = self._read(access.address)
                end = cycle + READ_ANSWER
            elif access.op == "wait":
                end = cycle + (access.cycles or 1) - 1
            elif access.op == "wait_for" and access.port == INTERRUPT:
                end = self._interrupt(cycle)
            else:
                raise UsageError(f"the golden model knows no {access.op} of {access.port or hex(access.address)}")
            answers.append(Answer(value, end))
            cycle = end + 1
        return answers

    def finish(self) -> None:
        """Let a layer that runs come to its end."""
        if self._running is not None:
            self._settle(self._running.done + 1)

    @property
    def interrupt(self) -> int:
        """The output."""
        return int(bool(self._values[reg.GIE] and self._isr))

    def _interrupt(self, cycle: int) -> int:
        """The first cycle from this one on in which the interrupt is visible."""
        self._settle(cycle)
        if not self.interrupt:
            if self._running is None or not (self._values[reg.GIE] and self._values[reg.IER]):
                raise UsageError("the program waits for an interrupt that never comes")
            cycle = self._running.done + 1
            self._settle(cycle)
        return cycle

    def _settle(self, cycle: int) -> None:
        """What is visible in this cycle."""
        if self._running is None or cycle <= self._running.done:
            return
        found, self._running = self._running, None
        self._status = reg.DONE | reg.READY
        self._isr |= self._values[reg.IER]
        self._results[reg.ERROR] = int(found.error)
        for name, value in found.counters().items():
            self._results[reg.COUNTERS[name]] = value
        self._results[reg.COUNTERS["LAYERS"]] += found.error is ErrorCode.NONE

    def _read(self, address: int) -> int | None:
        """What a read gives; None where it answers SLVERR."""
        if address == reg.AP_CTRL:
            value = reg.START if self._running is not None else self._status | reg.IDLE
            self._status = 0
            return value
        if address == reg.ISR:
            return self._isr
        if address in self._results and self._running is not None:
            raise UsageError(f"the program reads register {address:#x} while a layer runs")
        return (self._values | self._results).get(address)

    def _write(self, access: Access, cycle: int) -> None:
        mask = sum(0xFF << 8 * n for n in range(4) if access.strobe >> n & 1)
        value, address = (access.value or 0) & mask, access.address
        if address == reg.AP_CTRL:
            if value & reg.AUTO_RESTART:
                raise UsageError("layers that start again by themselves are beyond the golden model")
            if value & reg.START and self._running is None:
                self._start(cycle + GO_LATENCY)
        elif address == reg.ISR:
            self._isr ^= value & 3
        elif address in self._values:
            kept = self._values[address] & ~mask | value
            self._values[address] = kept & ((1 << _WIDTHS[address]) - 1)

    # -- the layer

    def _start(self, go: int) -> None:
        layer, space = self._layer()
        error = self._error(layer, space)
        self._status = 0
        if error is not ErrorCode.NONE:
            self._running = self._accelerator.refuse(layer, go, error)
            return
        self._running = self._accelerator.run(layer, space, go)
        self.layers.append(self._running)
        number: Number = "int8" if self._hardware.int8 else "fp32"
        first = space.base - self._base
        if first < 0 or first % WORD_BYTES:
            raise UsageError(f"DRAM base {space.base:#x} lies before the memory")
        dram = self._bytes[first : first + (len(self._bytes) - first) // WORD_BYTES * WORD_BYTES]
        run_layer(dram.view(word_type(number)), layer, space, number)

    def _layer(self) -> tuple[Layer, Space]:
        """The layer that the registers describe, right or wrong."""
        v = self._values
        shifts = [v[reg.SHIFTS] >> 8 * n & 0xFF for n in range(3)]
        bias, out, concat = (s - 256 if s > 127 else s for s in shifts)
        layer = Layer.model_construct(
            name=(v[reg.NAME] | v[reg.NAME + 4] << 32).to_bytes(8, "little").rstrip(b"\0").decode("latin-1"),
            width=v[reg.WIDTH],
            height=v[reg.HEIGHT],
            ch_in=v[reg.CH_IN],
            ch_out=v[reg.CH_OUT],
            kernel=v[reg.KERNEL],
            stride=v[reg.STRIDE],
            relu=bool(v[reg.RELU]),
            split="second" if v[reg.SECOND_SPLIT] else "first" if v[reg.FIRST_SPLIT] else "none",
            gpool=bool(v[reg.GLOBAL_POOL]),
            mem_in=v[reg.MEM_IN],
            mem_out=v[reg.MEM_OUT],
            mem_weights=v[reg.MEM_WEIGHTS],
            shifts=Shifts.model_construct(bias=bias, out=out, concat=concat),
        )
        return layer, Space(v[reg.DRAM_BASE], v[reg.WEIGHTS_OFFSET], v[reg.INPUT_OFFSET], v[reg.MEM_WORDS])

    def _error(self, layer: Layer, space: Space) -> ErrorCode:
        """The code with the lowest number that applies."""
        found = configuration_error(layer, space, self._hardware)
        wrong = [] if found is ErrorCode.NONE else [found]
        if self._values[reg.NUM_WEIGHTS] != layer.weights:
            wrong.append(ErrorCode.NUM_WEIGHTS)
        if self._values[reg.FIRST_SPLIT] and self._values[reg.SECOND_SPLIT]:
            wrong.append(ErrorCode.SPLIT)
        shifts = layer.shifts or Shifts()
        in_range = -16 <= shifts.bias <= 15 and -16 <= shifts.out <= 31 and -8 <= shifts.concat <= 7
        if self._hardware.int8 and not in_range:
            wrong.append(ErrorCode.SHIFTS)
        return min(wrong, default=ErrorCode.NONE)

    # -- the memory

    def contents(self) -> MemoryContents:
        """What the memory holds, and the bursts that it has answered."""
        regions = {
            region.name: self._bytes[region.base - self._base : region.end - self._base]
            for region in self._image.regions
        }
        return MemoryContents(regions, self._log())

    def _log(self) -> npt.NDArray[Any]:
        beat = self._hardware.lanes * WORD_BYTES
        parts = []
        for times in self.layers:
            for kind, bursts in ((1, times.writes), (0, times.reads)):
                rows = np.zeros(len(bursts), LOG)
                columns = ("address", "len", "cycle", "first", "last") + (("done",) if kind else ())
                for name, column in zip(columns, bursts.T, strict=True):
                    rows[name] = column
                rows["address"] *= beat
                rows["len"] -= 1
                rows["kind"] = kind
                if not kind:
                    rows["done"] = rows["last"]
                parts.append(rows)
        log = np.concatenate(parts) if parts else np.zeros(0, LOG)
        # In one cycle, the memory looks at writes first.
        return log[np.lexsort((1 - log["kind"], log["cycle"]))]


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model of the whole accelerator; parameters ``NPE DATA_W INT8 LINES MEM_WORDS``."""
    device = Device(Hardware.of(params), stimulus.memories[MEMORY], int(params["MEM_WORDS"]))
    answers = device.run((*stimulus.program.get(REGISTERS, ()),))
    device.finish()
    return Outcome(
        {}, {INTERRUPT: device.interrupt}, memories={MEMORY: device.contents()}, accesses={REGISTERS: answers}
    )
