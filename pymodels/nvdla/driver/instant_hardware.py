# SPDX-License-Identifier: Apache-2.0
"""Hardware that answers a driver at once: registers and interrupts without time, for writing out a register program.

Every enabled operation is done when the driver waits for an interrupt, the one that was enabled first going first. A convolution
reports data, then weights, then, together with the SDP operation behind it, that it is done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from goldbeat.pymodels.nvdla.driver.driver import drive_task
from goldbeat.pymodels.nvdla.driver.driver_steps import DriverStep, Steps, StuckError, note
from goldbeat.pymodels.nvdla.engines.arithmetic import signed
from goldbeat.pymodels.nvdla.engines.clients import operands_fetched, sdp_rdma_reads
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL, Configuration
from goldbeat.pymodels.nvdla.engines.lookup import LE_ENTRIES, LO_ENTRIES
from goldbeat.pymodels.nvdla.engines.registers import Values, csb_register, register_at
from goldbeat.pymodels.nvdla.engines.target import check_configuration
from goldbeat.pymodels.nvdla.loadable.network import DLA1, EMU1, submitted
from goldbeat.pymodels.nvdla.loadable.placement import Placement

_BLOCKS = {
    "CONV": ("CACC", "CMAC_A", "CMAC_B", "CSC", "CDMA"),
    "SDP": ("SDP", "SDP_RDMA"),
    "PDP": ("PDP", "PDP_RDMA"),
    "CDP": ("CDP", "CDP_RDMA"),
    "BDMA": ("BDMA",),
    "RUBIK": ("RBK",),
}
_DONE = {"CONV": 20, "SDP": 0, "PDP": 4, "CDP": 2, "BDMA": 6, "RUBIK": 8}
_TRANSFERS = 20
"""Places in BDMA's queue."""
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
        work: called when operations that belong together are done, with each one's engine and registers; each transfer of
            BDMA stands for itself.
        queued: registers of BDMA's transfers that are not launched yet.
        launched: those of each launch that is not done, in order.
        apart: what flies reports one after the other, as hardware that takes time does.
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
    queued: list[dict[int, int]] = field(default_factory=list)
    launched: list[list[dict[int, int]]] = field(default_factory=list)
    apart: bool = False
    _events: list[int] = field(default_factory=list)

    def write(self, address: int, value: int) -> bool:
        """A register write. Gives whether it has an effect: writes to the registers of an enabled group have none."""
        one = register_at(address)
        if one is None:
            return True
        if one.name.startswith("D_") and (one.block, self.producer(one.block)) in self.enabled:
            return False
        if one.full_name == "GLB.S_INTR_STATUS":
            self.status &= ~value
        elif one.name == "D_OP_ENABLE":
            if value & 1:
                self.enabled.append((one.block, self.producer(one.block)))
        elif one.name.startswith("D_"):
            self.group(one.block, self.producer(one.block))[address] = value & one.write_mask
        else:
            self.single[address] = value & one.write_mask
            if one.name == "S_LUT_ACCESS_DATA":
                self._lut(one.block, value)
            elif one.block == "BDMA" and value & 1:
                self._queue(one.name)
        return True

    def _queue(self, name: str) -> None:
        """Queue a transfer, or launch those that are queued for a group."""
        if name == "CFG_OP":
            self.queued.append(dict(self.single))
        elif name.startswith("CFG_LAUNCH"):
            self.launched.append(self.queued)
            self.queued = []
            self.enabled.append(("BDMA", int(name[-1])))

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
        if one.full_name == "BDMA.STATUS":
            return self._bdma_status()
        if one.name == "S_POINTER":
            return self.producer(one.block) | self.consumer.get(one.block, 0) << 16
        if one.name == "S_STATUS":
            return sum(self._state(one.block, g) << (16 * g) for g in (0, 1))
        if one.name == "D_OP_ENABLE":
            return int((one.block, self.producer(one.block)) in self.enabled)
        if one.name.startswith("D_"):
            return self.group(one.block, self.producer(one.block)).get(address, one.reset) & one.read_mask
        return self.single.get(address, one.reset) & one.read_mask

    def _bdma_status(self) -> int:
        held = len(self.queued) + sum(len(one) for one in self.launched)
        busy = [("BDMA", group) in self.enabled for group in (0, 1)]
        fields = {
            "FREE_SLOT": max(_TRANSFERS - held, 0),
            "IDLE": not any(busy),
            "GRP0_BUSY": busy[0],
            "GRP1_BUSY": busy[1],
        }
        one = csb_register("BDMA", "STATUS")
        return sum(int(value) << one.field(name).lsb for name, value in fields.items())

    def interrupt(self) -> None:
        """Go on to the next interrupt.

        Raises:
            StuckError: nothing is enabled that could give one: the operations wait for each other for ever.
        """
        mask = self.read(csb_register("GLB", "S_INTR_MASK").address)
        while not self.status & ~mask:
            self.advance()

    def advance(self) -> None:
        """Go on to the next event, whether or not the driver wants an interrupt for it.

        Raises:
            StuckError: nothing is enabled that could give one.
        """
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

    @property
    def busy(self) -> bool:
        """Whether an operation is at work."""
        return any(self._runs(engine) is not None for engine in _BLOCKS)

    def group(self, block: str, number: int) -> dict[int, int]:
        """The written ``D_*`` registers of a group."""
        return self.values.setdefault(block, ({}, {}))[number]

    def producer(self, block: str) -> int:
        """The group of a block that is accessed."""
        return self.single.get(csb_register(block, "S_POINTER").address, 0) & 1

    def _consumer(self, block: str) -> int:
        """The group that a block works on; BDMA's follow each other as they were launched."""
        if block == "BDMA":
            return next((group for one, group in self.enabled if one == block), 0)
        return self.consumer.get(block, 0)

    def _state(self, block: str, group: int) -> int:
        if (block, group) not in self.enabled:
            return 0
        return 1 if self._consumer(block) == group else 2

    def _registers(self, engine: str) -> dict[int, int]:
        joined = dict(self.single)
        for block in _BLOCKS[engine]:
            joined |= self.group(block, self._consumer(block))
        return joined

    def _runs(self, engine: str) -> int | None:
        """The group that an engine can work on now."""
        ready = all((b, self._consumer(b)) in self.enabled for b in self._needed(engine))
        return self._consumer(_BLOCKS[engine][0]) if ready else None

    def _needed(self, engine: str) -> tuple[str, ...]:
        """Blocks of an engine that take part in its next operation.

        On the fly PDP leaves its reader to a later operation; so does SDP unless it takes operands, or the reader reads nothing.
        """
        blocks = _BLOCKS[engine]
        if engine not in _FLYING or not self._flying(engine, self._consumer(blocks[0])):
            return blocks
        if engine == "PDP":
            return blocks[:1]
        values = Values(self._registers(engine))
        idle = ("SDP_RDMA", self._consumer("SDP_RDMA")) in self.enabled and not sdp_rdma_reads(values)
        return blocks if idle or operands_fetched(values) else blocks[:1]

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
            waiting = "; ".join(self.unfinished()) or "no operation enabled"
            raise StuckError(waiting, "an operation that can be done")
        engine, group = min(heads, key=lambda pair: order[_BLOCKS[pair[0]][0], pair[1]])
        behind = dict(ready)
        if engine == "CONV":
            cdma = self.consumer.get("CDMA", 0)
            self._events += [1 << (_DATA_BIT + cdma), 1 << (_WEIGHTS_BIT + cdma)]
        chain = [engine]
        if engine == "CONV" and "SDP" in behind and self._flying("SDP", behind["SDP"]):
            chain.append("SDP")
        if chain[-1] == "SDP" and "PDP" in behind and self._flying("PDP", behind["PDP"]):
            chain.append("PDP")
        if self.work is not None:
            self.work(self._worked(chain))
        if engine == "BDMA":
            self.launched.pop(0)
        bits = [1 << (_DONE[one] + behind[one]) for one in chain]
        for one in chain:
            for block, at in self.held(one):
                self.enabled.remove((block, at))
                self.consumer[block] = 1 - at
        self._events += bits if self.apart else [sum(bits)]

    def held(self, engine: str) -> list[tuple[str, int]]:
        """Blocks and groups of the operation that an engine has at work."""
        found = [(block, self._consumer(block)) for block in self._needed(engine)]
        return [pair for pair in found if pair in self.enabled]

    def unfinished(self) -> list[str]:
        """What is enabled and cannot be done as registers are now, engine by engine, with what it lacks."""
        found = []
        for engine, blocks in _BLOCKS.items():
            held = [pair for pair in self.enabled if pair[0] in blocks]
            if not held:
                continue
            groups = sorted({group for block, group in held if block == blocks[0]})
            names = [f"{engine} group {', '.join(map(str, groups))}"] if groups else []
            names += [f"{block} group {group}" for block, group in held if group not in groups]
            lacks = [
                f"{block} group {self._consumer(block)} is not enabled"
                for block in self._needed(engine)
                if (block, self._consumer(block)) not in self.enabled
            ]
            why = ", ".join(lacks) or "nothing feeds it on the fly"
            found.append(f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} enabled and never done: {why}")
        return found

    def _worked(self, chain: list[str]) -> list[tuple[str, dict[int, int]]]:
        if chain == ["BDMA"]:
            return [("BDMA", registers) for registers in self.launched[0]]
        return [(one, self._registers(one)) for one in chain]


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
                try:
                    hardware.interrupt()
                except StuckError as error:
                    step = steps.throw(error)
                    continue
            found.append(step)
            step = steps.send(answer)
    except StopIteration:
        return found


def loadable_program(
    placement: Placement, hardware: IdealHardware | None = None, configuration: Configuration = NV_SMALL
) -> list[DriverStep]:
    """The steps of all DLA tasks of a loadable in the order in which they are submitted; a note where the processor has its turn.

    Raises:
        InputError: descriptors that make no sense, or those of another configuration.
        UsageError: an engine that the hardware does not have.
    """
    check_configuration(placement.loadable, configuration)
    hardware = hardware or IdealHardware()
    found: list[DriverStep] = []
    for task in submitted(placement.loadable):
        if task.interface == DLA1:
            found += record_driver(drive_task(task, placement, configuration), hardware)
        elif task.interface == EMU1:
            found.append(note(f"task {task.id} on the processor (EMU)"))
    return found
