# SPDX-License-Identifier: Apache-2.0
"""The whole accelerator behind its registers: what a host's program reads, and what happens in memory in which cycle.

Contract: docs/zynqnet-hardware.md, above all its sections Start and end, and Registers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import MemoryImage
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import (
    Access,
    AccessAnswer,
    Clock,
    MemoryContents,
    Outcome,
    Phase,
    Stimulus,
    strobed_bits,
)
from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet.described import described_layer, description_error
from goldbeat.pymodels.zynqnet.device_memory import DeviceMemory, Refusal
from goldbeat.pymodels.zynqnet.hardware import GO_LATENCY, RESTART_LATENCY, ErrorCode, Hardware
from goldbeat.pymodels.zynqnet.memory_map import WORD_BYTES
from goldbeat.pymodels.zynqnet.registers import COUNTERS, HELD, READ_ONLY
from goldbeat.pymodels.zynqnet.timing import Accelerator, LayerTimes

REGISTERS = "s_axil"
MEMORY = "m_axi"
INTERRUPT = "irq"
TILES = "tiles"
"""Among the details of an outcome: every tile that the walker and the drain have worked on."""
_TILE = np.dtype([(n, np.int64) for n in ("layer", "tile", "first_issue", "last_issue", "first_step", "last_step")])

FIRST_CYCLE = 1
"""When a program's first step is offered: nothing transfers at edge 0."""
# hdl/axil/axil_regs: from the handshake of a write or of a read's address to the answer.
WRITE_ANSWER = 1
READ_ANSWER = 3
LOOK = 1
"""From the handshake of a read's address to the cycle in which it is looked up."""

_LAYERS = COUNTERS["LAYERS"]
_CLEARED = (reg.ERROR, *(address for name, address in COUNTERS.items() if name != "LAYERS"))
"""At go."""
_MOVING = tuple(a for name, a in COUNTERS.items() if name not in ("LAYERS", "CYCLES"))
"""What they show while a layer runs is not specified."""


class TimedAccelerator:
    """The accelerator with its memory.

    Args:
        hardware: parameters.
        image: the memory; its arrays are copied.
        mem_words: reset value of the memory size register.

    Attributes:
        layers: those that ran, bad ones included, in order.
    """

    def __init__(self, hardware: Hardware, image: MemoryImage, mem_words: int) -> None:
        self._hardware = hardware
        self._accelerator = Accelerator(hardware, image.timing)
        self._memory = DeviceMemory(image, "int8" if hardware.int8 else "fp32", hardware.lanes * WORD_BYTES)
        self._values = dict.fromkeys(HELD, 0) | {reg.MEM_WORDS: mem_words}
        self._results = dict.fromkeys(READ_ONLY, 0)
        self._results[reg.ID] = reg.ID_RESET
        self._results[reg.CONFIG] = reg.REGISTERS["CONFIG"].pack(
            NPE=hardware.npe, N=hardware.lanes, INT8=hardware.int8, LINES=hardware.lines
        )
        self._status = 0  # done and ready of AP_CTRL
        self._restart = False
        self._isr = 0
        self._go: int | None = None  # of a layer that has not begun
        self._running: LayerTimes | None = None
        self._refusal: Refusal | None = None  # of the layer that runs
        self.layers: list[LayerTimes] = []

    # -- the host

    def run(self, program: tuple[Access, ...]) -> list[AccessAnswer]:
        """Run a host's program from reset on; what every step reads, and its last cycle.

        Raises:
            UsageError: the program waits for what never comes.
        """
        answers, cycle = [], FIRST_CYCLE
        for access in program:
            value = None
            if access.op == "write":
                self._write(access, cycle)
                end = cycle + WRITE_ANSWER
            elif access.op == "read":
                value = self._read(access.address, cycle)
                end = cycle + READ_ANSWER
            elif access.op == "poll":
                value, end = self._poll(access, cycle)
            elif access.op == "wait":
                end = cycle + (access.cycles or 1) - 1
            elif access.op == "wait_for" and access.port == INTERRUPT:
                end = self._wait(access.wanted, cycle)
            else:
                raise UsageError(f"the golden model knows no {access.op} of {access.port or hex(access.address)}")
            answers.append(AccessAnswer(value, end))
            cycle = end + 1
        return answers

    def finish(self) -> None:
        """Let a layer that runs, or is about to, come to its end."""
        if self._restart and self._active:
            raise UsageError("the program ends with auto-restart on: layers without end")
        while self._active:
            self._settle(self._next_event())

    def contents(self) -> MemoryContents:
        """What the memory holds, and the bursts that it has answered."""
        return self._memory.contents(self.layers)

    @property
    def interrupt(self) -> int:
        """The output."""
        return int(bool(self._values[reg.GIE] and self._isr))

    def _wait(self, wanted: int, cycle: int) -> int:
        """The first cycle from this one on in which the interrupt is as wanted."""
        self._settle(cycle)
        while self.interrupt != wanted:
            if not (wanted and self._active and self._values[reg.GIE] and self._values[reg.IER]):
                raise UsageError(f"the program waits for irq to be {wanted}, which never comes")
            cycle = self._next_event()
            self._settle(cycle)
        return cycle

    def _poll(self, access: Access, cycle: int) -> tuple[int, int]:
        """What the last read of a poll gives, and the cycle of its answer: reads follow each other without a pause."""
        mask = ~0 if access.mask is None else access.mask
        begun = cycle
        while True:
            active = self._active
            value = self._read(access.address, cycle)
            if value is None:
                raise UsageError(f"the program polls {access.address:#x}, which is not predictable")
            end = cycle + READ_ANSWER
            if not (value ^ access.wanted) & mask:
                return value, end
            if not active or (access.cycles is not None and end + 1 - begun >= access.cycles):
                raise UsageError(f"the program polls {access.address:#x} for {access.wanted:#x}, which does not come")
            cycle = end + 1

    def _read(self, address: int, cycle: int) -> int | None:
        """What a read gives; None where it answers SLVERR, or where no value is specified."""
        look = cycle + LOOK
        self._settle(look)
        if address == reg.AP_CTRL:
            value = self._status | (reg.AP_CTRL_START if self._busy(look) else reg.AP_CTRL_IDLE)
            # A layer that ends at the edge of the look sets them again.
            self._status = 0
            return value | (reg.AP_CTRL_AUTO_RESTART if self._restart else 0)
        if address == reg.ISR:
            return self._isr
        if (times := self._running) is not None:
            if address in _MOVING:
                return None
            if address == reg.ERROR:
                return self._error_of(times, look)
        return (self._values | self._results).get(address)

    def _write(self, access: Access, cycle: int) -> None:
        mask = strobed_bits(access.strobe, 4)
        value, address = (access.value or 0) & mask, access.address
        self._settle(cycle)
        if address == reg.ISR:
            # Before the end of a layer at the same edge.
            self._isr ^= value & 3
        # Everything else that happens at this edge still sees the old values.
        self._settle(cycle + 1)
        if address == reg.AP_CTRL:
            if mask & reg.AP_CTRL_AUTO_RESTART:
                self._restart = bool(value & reg.AP_CTRL_AUTO_RESTART)
            if value & reg.AP_CTRL_START and not self._busy(cycle + 1):
                self._go = cycle + GO_LATENCY
        elif address in self._values:
            kept = self._values[address] & ~mask | value
            self._values[address] = kept & HELD[address]

    # -- time

    @property
    def _active(self) -> bool:
        """A layer runs, or has been started."""
        return self._running is not None or self._go is not None

    def _busy(self, cycle: int) -> bool:
        """A layer runs in this cycle, up to which everything is settled."""
        return self._running is not None or (self._go is not None and self._go <= cycle)

    def _next_event(self) -> int:
        """The cycle in which a layer's begin or end is visible."""
        edge = self._running.done if self._running is not None else self._go
        assert edge is not None
        return edge + 1

    def _settle(self, cycle: int) -> None:
        """Let everything happen up to the edge before this cycle: then all is as it is visible in it."""
        while self._active and self._next_event() <= cycle:
            if self._running is not None:
                self._end(self._running)
            else:
                assert self._go is not None
                self._begin(self._go)

    def _end(self, times: LayerTimes) -> None:
        error = self._error_of(times, times.done)
        self._running = self._refusal = None
        self._status = reg.AP_CTRL_DONE | reg.AP_CTRL_READY
        self._isr |= self._values[reg.IER]
        self._results[reg.ERROR] = error
        for name, value in times.counters().items():
            self._results[COUNTERS[name]] = value
        if not error:
            self._results[_LAYERS] += 1
            if self._restart:
                self._go = times.done + RESTART_LATENCY

    def _error_of(self, times: LayerTimes, cycle: int) -> int:
        """The register ERROR of a layer that runs in this cycle."""
        if times.error is not ErrorCode.NONE:
            return int(times.error) if cycle >= times.done else 0
        refusal = self._refusal
        return int(refusal.code) if refusal is not None and cycle > refusal.cycle else 0

    # -- the layer

    def _begin(self, go: int) -> None:
        self._go = None
        self._results |= dict.fromkeys(_CLEARED, 0)
        layer, space = described_layer(self._values)
        error = description_error(self._values, self._hardware)
        if error is not ErrorCode.NONE:
            self._running = self._accelerator.refuse(layer, go, error)
        else:
            self._running = self._accelerator.run(layer, space, go)
            self._refusal = self._memory.run(self._running, space)
        self.layers.append(self._running)


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model of the whole accelerator; parameters ``NPE DATA_W INT8 LINES MEM_WORDS``."""
    device = TimedAccelerator(Hardware.of(params), stimulus.memories[MEMORY], int(params["MEM_WORDS"]))
    answers = device.run((*stimulus.program.get(REGISTERS, ()),))
    if stimulus.stop_ps is None:
        device.finish()
    (clock,) = stimulus.clocks.values()
    return Outcome(
        {},
        {INTERRUPT: device.interrupt},
        memories={MEMORY: device.contents()},
        accesses={REGISTERS: answers},
        phases=[Phase(times.layer.name, times.go, times.done) for times in device.layers],
        pace=_pace(device.layers, clock),
        details={TILES: _tile_rows(device.layers)},
    )


def _tile_rows(layers: Sequence[LayerTimes]) -> npt.NDArray[Any]:
    """When each tile of each layer was issued and drained, in cycles from reset release."""
    parts = [np.zeros(0, _TILE)]
    for number, times in enumerate(layers):
        rows = np.zeros(len(times.tiles.first_issue), _TILE)
        rows["layer"], rows["tile"] = number, np.arange(len(rows))
        for name in ("first_issue", "last_issue", "first_step", "last_step"):
            rows[name] = getattr(times.tiles, name)
        parts.append(rows)
    return np.concatenate(parts)


def _pace(layers: Sequence[LayerTimes], clock: Clock) -> str:
    """Frames a second, where the layers are those of a frame: from the image, which lies first, to pool sums."""
    if not layers or layers[0].layer.mem_in or not layers[-1].layer.gpool:
        return ""
    cycles = sum(times.cycles for times in layers)
    return f"{1e12 / (cycles * clock.period_ps):.1f} frames/s at {1e6 / clock.period_ps:.0f} MHz"
