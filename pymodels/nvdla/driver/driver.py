# SPDX-License-Identifier: Apache-2.0
"""The kernel driver's scheduler as a golden model: which registers it touches, in which order, given what it reads.

Operations of each type go through two register groups; dependencies count down as other operations are programmed, enabled and
completed. Source: nvdla/sw, ``kmd/firmware`` (scheduler.c, engine.c, engine_isr.c and the engines' files).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.driver.driver_steps import (
    Context,
    DriverStep,
    Steps,
    StuckError,
    note,
    read_step,
    write_step,
)
from goldbeat.pymodels.nvdla.driver.program_bdma import program_bdma, transfers
from goldbeat.pymodels.nvdla.driver.program_cdp import program_cdp
from goldbeat.pymodels.nvdla.driver.program_conv import BLOCKS, program_conv
from goldbeat.pymodels.nvdla.driver.program_pdp import pdp_needs_rdma as pdp_needs_rdma
from goldbeat.pymodels.nvdla.driver.program_pdp import program_pdp
from goldbeat.pymodels.nvdla.driver.program_rubik import program_rubik
from goldbeat.pymodels.nvdla.driver.program_sdp import program_sdp
from goldbeat.pymodels.nvdla.driver.program_sdp import sdp_needs_rdma as sdp_needs_rdma
from goldbeat.pymodels.nvdla.engines.configuration import ENGINES, NV_SMALL, Configuration
from goldbeat.pymodels.nvdla.engines.descriptors import check_descriptors
from goldbeat.pymodels.nvdla.engines.limits import check_sizes
from goldbeat.pymodels.nvdla.engines.registers import csb_register
from goldbeat.pymodels.nvdla.loadable.dependencies import Dependencies
from goldbeat.pymodels.nvdla.loadable.layouts import (
    DATA_DONE,
    OP_COMPLETED,
    OP_ENABLED,
    OP_PROGRAMMED,
    OP_TYPES,
    WEIGHTS_DONE,
)
from goldbeat.pymodels.nvdla.loadable.links import check_links
from goldbeat.pymodels.nvdla.loadable.loadable import LoadableTask
from goldbeat.pymodels.nvdla.loadable.network import LoadableNetwork, NetworkOperation, network
from goldbeat.pymodels.nvdla.loadable.placement import Placement

TITLES = {"CONV": "Convolution"}
"""What the driver calls an engine where it is not its short name."""

_MAIN = {"CONV": "CACC", "SDP": "SDP", "PDP": "PDP", "CDP": "CDP", "RUBIK": "RBK", "BDMA": "BDMA"}
_RDMA = {"SDP": "SDP_RDMA", "PDP": "PDP_RDMA", "CDP": "CDP_RDMA"}
_STATUS = {
    ("CONV", OP_COMPLETED): ("CACC_DONE_STATUS0", "CACC_DONE_STATUS1"),
    ("SDP", OP_COMPLETED): ("SDP_DONE_STATUS0", "SDP_DONE_STATUS1"),
    ("CDP", OP_COMPLETED): ("CDP_DONE_STATUS0", "CDP_DONE_STATUS1"),
    ("PDP", OP_COMPLETED): ("PDP_DONE_STATUS0", "PDP_DONE_STATUS1"),
    ("BDMA", OP_COMPLETED): ("BDMA_DONE_STATUS0", "BDMA_DONE_STATUS1"),
    ("RUBIK", OP_COMPLETED): ("RUBIK_DONE_STATUS0", "RUBIK_DONE_STATUS1"),
    ("CONV", DATA_DONE): ("CDMA_DAT_DONE_STATUS0", "CDMA_DAT_DONE_STATUS1"),
    ("CONV", WEIGHTS_DONE): ("CDMA_WT_DONE_STATUS0", "CDMA_WT_DONE_STATUS1"),
}


_SHOWN = 3


@dataclass
class _Group:
    """One of an engine's two register groups."""

    id: int
    operation: NetworkOperation | None = None
    rdma_id: int = 0
    uses_rdma: bool = False
    pending: bool = False
    programming: bool = False
    active: bool = False
    lut: int = -1
    events: set[int] = field(default_factory=set)


@dataclass
class _Engine:
    kind: str
    groups: tuple[_Group, _Group] = field(default_factory=lambda: (_Group(0), _Group(1)))
    taken: set[int] = field(default_factory=set)
    rdma_taken: set[int] = field(default_factory=set)
    last_group: int = 1
    tail: NetworkOperation | None = None

    @property
    def title(self) -> str:
        return TITLES.get(self.kind, self.kind)


class _Busy(Exception):  # noqa: N818 - not an error: the driver goes on without the operation
    """Both groups are taken."""


class Driver:
    """One task's run through the driver.

    Args:
        found: the task's network.
        placement: where its memories lie.
        configuration: of the hardware.
    """

    def __init__(self, found: LoadableNetwork, placement: Placement, configuration: Configuration = NV_SMALL) -> None:
        if found.desc["num_rois"] > 1 or found.desc["dynamic_roi"]:
            raise UsageError(
                "regions of interest are beyond this driver: the network has more than one, or dynamic ones"
            )
        check_links(found)
        self._network = found
        self._context = Context(found, placement, configuration)
        self._engines = {kind: _Engine(kind) for kind in OP_TYPES}
        self._waiting = [int(c) for c in found.dependencies["dependency_count"]]
        self._done = 0

    def run(self) -> Steps:
        """All steps from the start of the task to its end."""
        yield note("reset engine done")
        total = len(self._network.operations)
        if total:
            yield from self._initiate()
        while self._done < total:
            try:
                yield DriverStep("interrupt")
            except StuckError as error:
                raise self._never_done() from error
            yield from self._interrupt()
        yield note("task complete")

    def _never_done(self) -> InputError:
        texts = [f"operation {text}" for text in Dependencies(self._network).stuck().values()]
        if not texts:
            active = [
                g.operation for engine in self._engines.values() for g in engine.groups if g.operation is not None
            ]
            texts = [f"operation {one.index} ({one.type}) is never done" for one in active]
        more = f"; {len(texts) - _SHOWN} more operations wait" if len(texts) > _SHOWN else ""
        found = "; ".join(texts[:_SHOWN]) + more
        return InputError(found, "operations that can all be done", file=self._network.loadable.file)

    def _initiate(self) -> Steps:
        heads = self._network.desc["op_head"].tolist()
        for index in heads:
            if index < 0:
                continue
            operation = self._network.operations[index]
            engine = self._engines[operation.type]
            with suppress(_Busy):
                yield from self._submit(engine, operation)
            yield from self._dequeue(engine)

    def _submit(self, engine: _Engine, operation: NetworkOperation) -> Steps:
        count = self._waiting[operation.index]
        yield note(f"Prepare {engine.title} operation index {operation.index} ROI 0 dep_count {count}")
        group = yield from self._prepare(engine, operation)
        if not self._ready(engine, group):
            return
        yield from self._program(engine, group)
        if self._waiting[operation.index] == 0:
            yield from self._enable(operation)

    def _prepare(self, engine: _Engine, operation: NetworkOperation) -> Steps:
        configuration = self._context.configuration
        if engine.kind in ENGINES and engine.kind not in configuration.engines:
            raise UsageError(f"operation {operation.index}: {configuration.name} has no {engine.kind} engine")
        if engine.kind == "BDMA":
            status = yield read_step("BDMA", "STATUS")
            consumer = csb_register("BDMA", "STATUS").field("GRP0_BUSY").of(status)
        else:
            pointer = yield read_step(_MAIN[engine.kind], "S_POINTER")
            consumer = pointer >> 16 & 1
        rdma = 0
        if engine.kind in _RDMA:
            pointer = yield read_step(_RDMA[engine.kind], "S_POINTER")
            rdma = pointer >> 16 & 1
        if len(engine.taken) == 2:
            raise _Busy
        if engine.taken:
            consumer = 1 - next(iter(engine.taken))
        if engine.rdma_taken:
            rdma = 1 - min(engine.rdma_taken)
        yield note(f"processor:{engine.title} group:{consumer}, rdma_group:{rdma} available")
        group = engine.groups[consumer]
        group.operation, group.rdma_id, group.pending = operation, rdma, True
        engine.taken.add(group.id)
        group.uses_rdma = _needs_rdma(operation)
        if group.uses_rdma:
            engine.rdma_taken.add(rdma)
        engine.tail = operation
        return group

    def _ready(self, engine: _Engine, group: _Group) -> bool:
        """What the two groups share is free.

        SDP's and CDP's share one lookup table, which cannot be written while its engine works; BDMA's are one queue, which
        must have been launched for the other group.
        """
        assert group.operation is not None
        other = engine.groups[1 - group.id]
        if engine.kind == "BDMA":
            return other.id not in engine.taken or other.active
        if engine.kind not in ("SDP", "CDP"):
            return True
        wanted = int(group.operation.desc["lut_index"])
        if wanted in (-1, other.lut):
            return True
        return other.lut == -1 and not other.active

    def _program(self, engine: _Engine, group: _Group) -> Steps:
        operation = group.operation
        assert operation is not None
        yield note(f"Program {engine.title} operation index {operation.index} ROI 0 Group[{group.id}]")
        group.programming = True
        yield from self._point(engine, group)
        check_sizes(self._context.placement, operation, self._context.configuration)
        check_descriptors(operation, self._context.configuration, self._network.loadable.file)
        try:
            yield from self._registers(engine, group, operation)
        except InputError as error:
            if error.file is not None:
                raise
            what = f"operation {operation.index} ({operation.type})"
            raise self._context.fail(f"{what}: {error.found}", error.expected) from None
        if engine.kind in ("SDP", "CDP") and operation.desc["lut_index"] >= 0:
            group.lut = int(operation.desc["lut_index"])
        group.pending = False
        yield from self._tell(operation, OP_PROGRAMMED)
        group.programming = False

    def _registers(self, engine: _Engine, group: _Group, operation: NetworkOperation) -> Steps:
        if engine.kind == "CONV":
            yield from program_conv(self._context, operation, group.id)
            return
        program: Callable[[Context, NetworkOperation], Steps] = {
            "SDP": program_sdp,
            "PDP": program_pdp,
            "CDP": program_cdp,
            "BDMA": program_bdma,
            "RUBIK": program_rubik,
        }[engine.kind]
        yield from program(self._context, operation)

    def _point(self, engine: _Engine, group: _Group) -> Steps:
        if engine.kind == "CONV":
            for block in BLOCKS:
                yield write_step(block, "S_POINTER", group.id)
            return
        if engine.kind == "BDMA":
            return
        yield write_step(_MAIN[engine.kind], "S_POINTER", group.id)
        if engine.kind not in _RDMA:
            return
        yield write_step(_RDMA[engine.kind], "S_POINTER", group.id if engine.kind == "CDP" else group.rdma_id)

    def _enable(self, operation: NetworkOperation) -> Steps:
        engine = self._engines[operation.type]
        for group in engine.groups:
            if group.id in engine.taken and group.operation is operation and not group.pending:
                break
        else:
            return
        if group.programming or group.active:
            return
        yield note(f"Enable {engine.title} operation index {operation.index} ROI 0")
        yield from self._point(engine, group)
        if engine.kind == "CONV":
            while not (yield read_step("CDMA", "S_CBUF_FLUSH_STATUS")) & 1:
                pass
            for block in BLOCKS:
                yield write_step(block, "D_OP_ENABLE", 1)
        elif engine.kind == "BDMA":
            if transfers(operation):
                yield write_step("BDMA", f"CFG_LAUNCH{group.id}", 1)
            else:
                group.events.add(OP_COMPLETED)
        else:
            if group.uses_rdma:
                yield write_step(_RDMA[engine.kind], "D_OP_ENABLE", 1)
            yield write_step(_MAIN[engine.kind], "D_OP_ENABLE", 1)
        group.active = True
        yield from self._tell(operation, OP_ENABLED)

    def _tell(self, operation: NetworkOperation, event: int) -> Steps:
        consumers = [*operation.common["consumers"], operation.common["fused_parent"]]
        for consumer in consumers:
            yield from self._decrease(consumer, event)

    def _decrease(self, consumer: Any, event: int) -> Steps:
        index = int(consumer["index"])
        if index == -1 or int(consumer["event"]) != event:
            return
        operation = self._network.operations[index]
        if self._waiting[index] == 0:
            raise InputError(
                f"operation {index} told of more events than its dependency count",
                "as many",
                file=self._network.loadable.file,
            )
        self._waiting[index] -= 1
        if self._waiting[index] == 0:
            yield from self._enable(operation)

    def _dequeue(self, engine: _Engine) -> Steps:
        if engine.tail is None:
            return
        index = int(engine.tail.common["consumers"][OP_TYPES.index(engine.kind)]["index"])
        if index == -1:
            return
        with suppress(_Busy):
            yield from self._submit(engine, self._network.operations[index])

    def _interrupt(self) -> Steps:
        yield note("dla_intr")
        yield read_step("GLB", "S_INTR_MASK")
        status = yield read_step("GLB", "S_INTR_STATUS")
        bits = csb_register("GLB", "S_INTR_STATUS").unpack(status)
        for (kind, event), names in _STATUS.items():
            for group, name in zip(self._engines[kind].groups, names, strict=True):
                if bits[name]:
                    group.events.add(event)
        yield write_step("GLB", "S_INTR_STATUS", status)
        yield read_step("GLB", "S_INTR_MASK")
        yield read_step("GLB", "S_INTR_STATUS")
        for kind in OP_TYPES:
            yield from self._events(self._engines[kind])

    def _events(self, engine: _Engine) -> Steps:
        first = 1 - engine.last_group
        for group in (engine.groups[first], engine.groups[1 - first]):
            for event, text in ((WEIGHTS_DONE, "cdma weight done"), (DATA_DONE, "cdma data done")):
                if event in group.events and group.operation is not None:
                    yield note(f"Handle {text} event, processor {engine.title} group {group.id}")
                    yield from self._tell(group.operation, event)
            if OP_COMPLETED in group.events and group.operation is not None:
                yield note(f"Handle op complete event, processor {engine.title} group {group.id}")
                yield from self._complete(engine, group)
            group.events.clear()

    def _complete(self, engine: _Engine, group: _Group) -> Steps:
        operation = group.operation
        assert operation is not None
        yield note(f"Completed {engine.title} operation index {operation.index} ROI 0")
        self._done += 1
        engine.taken.discard(group.id)
        if group.uses_rdma:
            group.uses_rdma = False
            engine.rdma_taken.discard(group.rdma_id)
            group.rdma_id = 0
        group.active = False
        group.lut = -1
        engine.last_group = group.id
        yield from self._tell(operation, OP_COMPLETED)
        total = len(self._network.operations)
        yield note(f"{self._done} HWLs done, totally {total} layers")
        group.operation = None
        if self._done == total:
            return
        other = engine.groups[1 - group.id]
        if other.pending and self._ready(engine, other):
            waiting = other.operation
            assert waiting is not None
            yield from self._program(engine, other)
            if self._waiting[waiting.index] == 0:
                yield from self._enable(waiting)
        yield from self._dequeue(engine)


def _needs_rdma(operation: NetworkOperation) -> bool:
    if operation.type == "SDP":
        return sdp_needs_rdma(operation)
    return pdp_needs_rdma(operation) if operation.type == "PDP" else operation.type == "CDP"


def drive_task(task: LoadableTask, placement: Placement, configuration: Configuration = NV_SMALL) -> Steps:
    """The steps of one DLA task, as :class:`Driver` gives them.

    A generator: it yields :class:`~goldbeat.pymodels.nvdla.driver.driver_steps.DriverStep` and is sent what a read read
    (anything for other steps).

    Raises:
        InputError: descriptors that make no sense.
        UsageError: an engine that the hardware does not have.
    """
    return Driver(network(placement.loadable, task), placement, configuration).run()
