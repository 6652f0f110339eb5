# SPDX-License-Identifier: Apache-2.0
"""Hardware that answers a driver at once: registers and interrupts without time, for writing out a register program.

Every enabled operation is done when the driver waits for an interrupt, the one that was enabled first going first. A convolution
reports data, then weights, then, together with the SDP operation behind it, that it is done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.driver.driver import drive_task
from goldbeat.pymodels.nvdla.driver.driver_steps import DriverStep, Steps, note
from goldbeat.pymodels.nvdla.engines.arithmetic import signed
from goldbeat.pymodels.nvdla.engines.cdp import LE_ENTRIES, LO_ENTRIES
from goldbeat.pymodels.nvdla.engines.registers import csb_register, register_at
from goldbeat.pymodels.nvdla.engines.target import check_small
from goldbeat.pymodels.nvdla.loadable.network import DLA1, EMU1, submitted
from goldbeat.pymodels.nvdla.loadable.placement import Placement

_BLOCKS = {
    "CONV": ("CACC", "CMAC_A", "CMAC_B", "CSC", "CDMA"),
    "SDP": ("SDP", "SDP_RDMA"),
    "PDP": ("PDP", "PDP_RDMA"),
    "CDP": ("CDP", "CDP_RDMA"),
}
_DONE = {"CONV": 20, "SDP": 0, "PDP": 4, "CDP": 2}
_DATA_BIT, _WEIGHTS_BIT = 16, 18
_FLYING = {"SDP": ("D_FEATURE_MODE_CFG", "FLYING_MODE", 1), "PDP": ("D_OPERATION_MODE_CFG", "FLYING_MODE", 0)}


@dataclass
class IdealHardware:
    """What a driver sees.

    Attributes:
        single: registers that exist once, by address.
        values: by block the ``D_*`` registers of both groups.
        consumer: the group that a block works on.
        enabled: blocks and groups in the order in which they were enabled.
        status: GLB's interrupt status.
        luts: lookup tables of SDP and CDP, LE and LO.
        work: called when operations that belong together are done, with each one's engine and registers.
    """

    single: dict[int, int] = field(default_factory=dict)
    values: dict[str, tuple[dict[int, int], dict[int, int]]] = field(default_factory=dict)
    consumer: dict[str, int] = field(default_factory=dict)
    enabled: list[tuple[str, int]] = field(default_factory=list)
    status: int = 0
    luts: dict[str, tuple[list[int], list[int]]] = field(
        default_factory=lambda: {e: ([0] * LE_ENTRIES, [0] * LO_ENTRIES) for e in ("SDP", "CDP")}
    )
    work: Callable[[list[tuple[str, dict[int, int]]]], None] | None = None
    _events: list[int] = field(default_factory=list)

    def write(self, address: int, value: int) -> None:
        """A register write."""
        one = register_at(address)
        if one is None:
            return
        if one.full_name == "GLB.S_INTR_STATUS":
            self.status &= ~value
        elif one.name == "D_OP_ENABLE":
            if value & 1:
                self.enabled.append((one.block, self._producer(one.block)))
        elif one.name.startswith("D_"):
            self.group(one.block, self._producer(one.block))[address] = value & one.write_mask
        else:
            self.single[address] = value & one.write_mask
            if one.name == "S_LUT_ACCESS_DATA":
                self._lut(one.block, value)

    def _lut(self, engine: str, value: int) -> None:
        """Write an entry; the address goes up after each."""
        access = csb_register(engine, "S_LUT_ACCESS_CFG")
        now = self.single.get(access.address, access.reset)
        at = access.field("LUT_ADDR").of(now)
        table = self.luts[engine][access.field("LUT_TABLE_ID").of(now)]
        if access.field("LUT_ACCESS_TYPE").of(now) and at < len(table):
            table[at] = signed(value, 16)
            self.single[access.address] = now + 1

    def read(self, address: int) -> int:
        """A register read."""
        one = register_at(address)
        if one is None:
            return 0
        if one.full_name == "GLB.S_INTR_STATUS":
            return self.status
        if one.full_name == "CDMA.S_CBUF_FLUSH_STATUS":
            return 1
        if one.name == "S_POINTER":
            return self._producer(one.block) | self.consumer.get(one.block, 0) << 16
        if one.name == "S_STATUS":
            return sum(self._state(one.block, g) << (16 * g) for g in (0, 1))
        if one.name.startswith("D_"):
            return self.group(one.block, self._producer(one.block)).get(address, one.reset) & one.read_mask
        return self.single.get(address, one.reset) & one.read_mask

    def interrupt(self) -> None:
        """Go on to the next interrupt.

        Raises:
            InputError: nothing is enabled that could give one: the operations wait for each other for ever.
        """
        mask = self.read(csb_register("GLB", "S_INTR_MASK").address)
        while not self.status & ~mask:
            if not self._events:
                self._finish_one()
            self.status |= self._events.pop(0)

    @property
    def pending(self) -> bool:
        """Whether the interrupt is high in the end, when all that has been done is reported."""
        status = self.status
        for bits in self._events:
            status |= bits
        return bool(status & ~self.read(csb_register("GLB", "S_INTR_MASK").address))

    def group(self, block: str, number: int) -> dict[int, int]:
        """The written ``D_*`` registers of a group."""
        return self.values.setdefault(block, ({}, {}))[number]

    def _producer(self, block: str) -> int:
        return self.single.get(csb_register(block, "S_POINTER").address, 0) & 1

    def _state(self, block: str, group: int) -> int:
        if (block, group) not in self.enabled:
            return 0
        return 1 if self.consumer.get(block, 0) == group else 2

    def _registers(self, engine: str) -> dict[int, int]:
        joined = dict(self.single)
        for block in _BLOCKS[engine]:
            joined |= self.group(block, self.consumer.get(block, 0))
        return joined

    def _runs(self, engine: str) -> int | None:
        """The group that an engine can work on now."""
        main = _BLOCKS[engine][0]
        group = self.consumer.get(main, 0)
        needed = _BLOCKS[engine]
        if engine in _FLYING and self._flying(engine, group):
            needed = (main, *(b for b in needed[1:] if (b, self.consumer.get(b, 0)) in self.enabled))
        ready = all((b, self.consumer.get(b, 0)) in self.enabled for b in needed)
        return group if ready else None

    def _flying(self, engine: str, group: int) -> bool:
        name, part, flying = _FLYING[engine]
        one = csb_register(engine, name)
        return one.field(part).of(self.group(engine, group).get(one.address, one.reset)) == flying

    def _finish_one(self) -> None:
        order = {pair: i for i, pair in reversed(list(enumerate(self.enabled)))}
        ready = [(engine, group) for engine in _BLOCKS if (group := self._runs(engine)) is not None]
        # What flies is done together with what it takes its data from.
        heads = [(e, g) for e, g in ready if e not in _FLYING or not self._flying(e, g)]
        if not heads:
            raise InputError("a network whose operations wait for each other", "one of them enabled")
        engine, group = min(heads, key=lambda pair: order[_BLOCKS[pair[0]][0], pair[1]])
        behind = dict(ready)
        bits = 0
        if engine == "CONV":
            cdma = self.consumer.get("CDMA", 0)
            self._events += [1 << (_DATA_BIT + cdma), 1 << (_WEIGHTS_BIT + cdma)]
        chain = [engine]
        if engine == "CONV" and "SDP" in behind and self._flying("SDP", behind["SDP"]):
            chain.append("SDP")
        if chain[-1] == "SDP" and "PDP" in behind and self._flying("PDP", behind["PDP"]):
            chain.append("PDP")
        if self.work is not None:
            self.work([(one, self._registers(one)) for one in chain])
        for one in chain:
            bits |= 1 << (_DONE[one] + behind[one])
            for block in _BLOCKS[one]:
                at = self.consumer.get(block, 0)
                if (block, at) in self.enabled:
                    self.enabled.remove((block, at))
                    self.consumer[block] = 1 - at
        self._events.append(bits)


def record_driver(steps: Steps, hardware: IdealHardware | None = None) -> list[DriverStep]:
    """Run a driver against ideal hardware: all its steps, reads with the value that was read."""
    hardware = hardware or IdealHardware()
    found: list[DriverStep] = []
    answer = 0
    try:
        step = next(steps)
        while True:
            if step.kind == "write":
                hardware.write(step.address, step.value)
            elif step.kind == "read":
                answer = hardware.read(step.address)
                step = DriverStep("read", step.address, answer)
            elif step.kind == "interrupt":
                hardware.interrupt()
            found.append(step)
            step = steps.send(answer)
    except StopIteration:
        return found


def loadable_program(placement: Placement, hardware: IdealHardware | None = None) -> list[DriverStep]:
    """The steps of all DLA tasks of a loadable in the order in which they are submitted; a note where the processor has its turn.

    Raises:
        InputError: descriptors that make no sense, or those of another configuration.
        UsageError: an engine that nv_small does not have.
    """
    check_small(placement.loadable)
    hardware = hardware or IdealHardware()
    found: list[DriverStep] = []
    for task in submitted(placement.loadable):
        if task.interface == DLA1:
            found += record_driver(drive_task(task, placement), hardware)
        elif task.interface == EMU1:
            found.append(note(f"task {task.id} on the processor (EMU)"))
    return found
