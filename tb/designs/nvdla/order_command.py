# SPDX-License-Identifier: Apache-2.0
"""``goldbeat nvdla order``: accesses that nothing orders, and a timing of the memory under which they give other data.

The memory answers one client late: with the reads of either operation slow, the other one overtakes it. Or its writes take effect
as late as AXI allows, so that a read without a wait comes too early. The timed model looks for a timing that leaves other bytes
than the usual one. The RTL then runs with both.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.execute import check_executable
from goldbeat.pymodels.nvdla.loadable.loadable import Loadable, read_loadable
from goldbeat.pymodels.nvdla.loadable.network import NetworkOperation, dla_tasks, network
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.nvdla.order_check import OrderFinding, order_findings
from goldbeat.pymodels.nvdla.timed.dbb import CDMA_DATA, CDMA_WEIGHTS, CDP, PDP, SDP
from goldbeat.pymodels.nvdla.timed.model import predict
from goldbeat.tb.cli.common import FAILED, PARTIAL, draw_order, print_json, say
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.designs.nvdla.loadable_case import memories_left
from goldbeat.tb.designs.nvdla.order_report import order_rows
from goldbeat.tb.designs.nvdla.ports import DBB
from goldbeat.tb.designs.nvdla.rtl import find_rtl
from goldbeat.tb.designs.nvdla.tensors import input_memory, read_tensors
from goldbeat.tb.paths import build_root
from goldbeat.tb.run.run_folder import run_folder
from goldbeat.tb.run.runs import Origin, Request, made_stimuli, run

_CLIENTS = {"SDP": (SDP,), "PDP": (PDP,), "CDP": (CDP,), "CONV": (CDMA_DATA, CDMA_WEIGHTS)}
_FED = {"SDP": ("CONV",), "PDP": ("SDP", "CONV")}
"""By type of operation those that may feed it on the fly."""
_CYCLES = (3_000, 30_000)
"""How late a client's reads, or all writes, are answered: longer than one operation, and than several."""
_SHOWN = 8
Memories = Mapping[int, npt.NDArray[np.uint8]]


@dataclass(frozen=True)
class OrderRequest:
    """The options of the command."""

    file: Path
    inputs: Sequence[Path]
    rtl: Path | None
    page: Path | None
    as_json: bool


@dataclass(frozen=True)
class OrderWitness:
    """A timing of the memory that changes the result.

    Attributes:
        request: with which the RTL leaves other bytes than with the usual timing.
        differing: a line per memory.
    """

    request: Request
    differing: tuple[str, ...]


def order_command(request: OrderRequest) -> None:
    """List what nothing orders, and look for a timing that shows it."""
    loadable = read_loadable(request.file)
    # Also where nothing is unordered, so that nothing runs.
    read_tensors(loadable, request.inputs)
    _design(request)
    found = order_findings(loadable)
    if all(one.unordered for one in found):
        check_executable(loadable)
    shown: OrderWitness | None = None
    if any(one.unordered for one in found):
        asked = _asked(request, loadable)
        shown = next(_witnesses(asked, loadable, found, simulate=request.rtl is not None), None)
    if request.as_json:
        witness = None if shown is None else {"command": shown.request.command(), "differing": shown.differing}
        print_json({"order": order_rows(found), "witness": witness})
    else:
        _show(found, shown)
    if request.page is not None:
        pictures = [one.picture for one in found if one.picture]
        draw_order(request.page, request.file.name, pictures, quiet=request.as_json)
    if found:
        raise typer.Exit(PARTIAL if shown is None and all(one.unordered for one in found) else FAILED)


def _show(found: Sequence[OrderFinding], shown: OrderWitness | None) -> None:
    if not found:
        say("every two accesses to the same bytes are ordered under every timing")
        return
    for one in found:
        say(one.text)
    if shown is None and any(one.unordered for one in found):
        say("no difference shown: the timings that were tried leave equal bytes")
    if shown is None:
        return
    say(f"shown on RTL if the memory {_lateness(shown.request.options)}:")
    for line in shown.differing:
        say(f"  {line}")
    say(f"repeat: {shown.request.command()}")


def _lateness(options: Mapping[str, Any]) -> str:
    if "late_writes" in options:
        return f"stores writes with their response, {options['write_latency']} cycles late"
    return f"answers the reads of AXI ID {options['slow_id']} {options['slow_cycles']} cycles late"


def _asked(request: OrderRequest, loadable: Loadable) -> Request:
    """The run with the usual timing; without inputs, random bytes that are kept for the repeat."""
    design = _design(request)
    inputs = tuple(map(str, request.inputs)) or _random_input(loadable, request.file)
    options = {"loadable": str(request.file), "input": inputs, "order": "by_id"}
    origin = Origin(rtl=None if request.rtl is None else str(request.rtl))
    return Request(design, design.case("loadable"), (0,), {}, options, origin=origin)


def _design(request: OrderRequest) -> Design:
    return find_design("nvdla") if request.rtl is None else find_rtl(request.rtl)


def _random_input(loadable: Loadable, file: Path) -> tuple[str, ...]:
    try:
        size = input_memory(loadable).size
    except UsageError:
        return ()
    folder = run_folder(build_root(), None, f"nvdla-order-{file.name}")
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "input.npy", np.random.default_rng(0).integers(0, 256, size).astype(np.uint8))
    return (str(folder / "input.npy"),)


def _witnesses(
    asked: Request, loadable: Loadable, found: Sequence[OrderFinding], *, simulate: bool
) -> Iterator[OrderWitness]:
    """Timings that change what the RTL leaves; with ``simulate`` each is tried on the RTL, since no timed model knows it."""
    usual = None if simulate else predicted(asked)
    left: Memories | None = None
    for slow in schedules(loadable, found):
        late = replace(asked, options={**asked.options, **slow})
        if usual is not None and not _differences(loadable, usual, predicted(late)):
            continue
        left = _simulated(asked, loadable) if left is None else left
        if lines := _differences(loadable, left, _simulated(late, loadable)):
            yield OrderWitness(late, lines)


def schedules(loadable: Loadable, found: Sequence[OrderFinding]) -> Iterator[dict[str, Any]]:
    """Options of the memory under which either operation of each finding is late."""
    operations = {(task.id, op.index): op for task in dla_tasks(loadable) for op in network(loadable, task).operations}
    clients = dict.fromkeys(
        client
        for one in found
        for index in reversed(one.operations)
        for client in _clients(operations[one.task, index])
    )
    for cycles in _CYCLES:
        for client in clients:
            yield {"slow_id": client, "slow_cycles": cycles}
        yield {"late_writes": True, "write_latency": cycles}


def _clients(operation: NetworkOperation) -> tuple[int, ...]:
    """The ids by which an operation reads, those of the operations that may feed it included."""
    found = _CLIENTS.get(operation.type, ())
    if operation.type in _FED and operation.cubes["src_data"].on_the_fly:
        found += tuple(client for kind in _FED[operation.type] for client in _CLIENTS[kind])
    return found


def predicted(request: Request) -> Memories:
    """What the timed model leaves in the memories, by id."""
    stimulus = made_stimuli(request, request.setting(0))[0]
    regions = predict(request.all_params, stimulus).memories[DBB.name].regions
    return {int(name.removeprefix("memory")): data for name, data in regions.items() if name.startswith("memory")}


def _simulated(request: Request, loadable: Loadable) -> Memories:
    with tempfile.TemporaryDirectory() as folder:
        (result,) = run(request, Path(folder))
        if not result.episodes or result.episodes[0].record is None:
            raise UsageError("the run has no result: " + "; ".join(result.failures))
        return memories_left(place_memories(loadable), result.episodes[0].record)


def _differences(loadable: Loadable, one: Memories, other: Memories) -> tuple[str, ...]:
    """A line per memory that differs, with the first bytes."""
    lines = []
    for memory in loadable.memories:
        if not memory.size:
            continue
        before, after = one[memory.id][: memory.size], other[memory.id][: memory.size]
        at = np.flatnonzero(before != after)
        if len(at):
            some = slice(int(at[0]), int(at[0]) + _SHOWN)
            texts = [" ".join(f"{byte:02x}" for byte in data[some].tolist()) for data in (before, after)]
            what = f"memory {memory.id}: {len(at)} bytes differ"
            lines.append(f"{what}, from 0x{int(at[0]):x} on {texts[1]} instead of {texts[0]}")
    return tuple(lines)
