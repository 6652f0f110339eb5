# SPDX-License-Identifier: Apache-2.0
"""Whether the dependencies of a loadable order what its operations read and write, under every legal timing.

Tasks follow each other, so each one is checked by itself. Lists of descriptors are read by the driver before the task.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from goldbeat.pymodels.nvdla.cube_walks import cube_walks
from goldbeat.pymodels.nvdla.engines.configuration import NV_FULL, NV_SMALL, Configuration
from goldbeat.pymodels.nvdla.engines.target import target
from goldbeat.pymodels.nvdla.loadable.dependencies import Dependencies, OperationMoments
from goldbeat.pymodels.nvdla.loadable.loadable import INPUT, Loadable
from goldbeat.pymodels.nvdla.loadable.network import LoadableNetwork, dla_tasks, network
from goldbeat.pymodels.nvdla.own_input import overwritten_input, shown_ranges
from goldbeat.pymodels.order.byte_walk import common_bytes
from goldbeat.pymodels.order.conflicts import OrderConflict, OrderedAccess, find_conflicts
from goldbeat.pymodels.order.order_picture import OrderPicture, order_picture
from goldbeat.pymodels.order.partial_order import PartialOrder


@dataclass(frozen=True)
class OrderFinding:
    """Why results may depend on timing, or why a task never ends.

    Attributes:
        task: its id.
        operations: indices of those that take part.
        text: what is wrong, and what would cure it.
        unordered: accesses that nothing orders; or else an operation that is never done.
        picture: makes the picture of accesses that nothing orders.
    """

    task: int
    operations: tuple[int, ...]
    text: str
    unordered: bool = True
    picture: Callable[[], OrderPicture] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class OperationCube:
    """An operation and one of its cubes; accesses of one operation are equal."""

    index: int
    cube: str = field(compare=False)


def order_findings(loadable: Loadable) -> list[OrderFinding]:
    """What the dependencies of a loadable leave to timing, and operations that are never done.

    Raises:
        InputError: descriptors that make no sense.
    """
    hardware = hardware_of(loadable)
    found: list[OrderFinding] = []
    for task in dla_tasks(loadable):
        decoded = network(loadable, task)
        dependencies = Dependencies(decoded)
        stuck = dependencies.stuck()
        found += [OrderFinding(task.id, (index,), f"operation {text}", False) for index, text in stuck.items()]
        if not stuck:
            found += _overwriting(decoded, dependencies, hardware)
            found += _unordered(decoded, dependencies, hardware)
    return found


def hardware_of(loadable: Loadable) -> Configuration:
    """The hardware that a loadable was made for."""
    built = target(loadable)
    return NV_SMALL if built.small else replace(NV_FULL, atom=built.atom or NV_FULL.atom)


def ordered_accesses(
    found: LoadableNetwork, dependencies: Dependencies, configuration: Configuration
) -> tuple[PartialOrder, list[OrderedAccess], dict[int, OperationMoments]]:
    """What the operations of a task read and write, if none is stuck, and when; :func:`operation_cube` says which one it is.

    Raises:
        InputError: descriptors that make no sense.
    """
    walks = {op.index: cube_walks(found, op, configuration) for op in found.operations}
    fetching = [index for index, cubes in walks.items() if not all(cube.write for cube in cubes)]
    order, moments = dependencies.ordered(fetching)
    accesses = []
    for index, cubes in walks.items():
        at = moments[index]
        for cube in cubes:
            span = (at.starts, at.completed) if cube.write else (at.fetches, at.weights if cube.weights else at.data)
            accesses.append(OrderedAccess(OperationCube(index, cube.name), cube.walk, cube.write, *span))
    return order, accesses, moments


def _overwriting(
    found: LoadableNetwork, dependencies: Dependencies, configuration: Configuration
) -> Iterator[OrderFinding]:
    """Operations that write over their own input."""
    for op in found.operations:
        cubes = cube_walks(found, op, configuration)
        reads, writes = ([one for one in cubes if one.write == write] for write in (False, True))
        for read in reads:
            if shown := overwritten_input(op.type, [read.walk], [one.walk for one in writes]):
                where = f"bytes of memory {read.walk.memory} ({shown})"
                what = f"operation {dependencies.name(op.index)} writes over {read.name}, which it still reads"
                text = f"unordered: {what}: {where}; missing: another place for its result"
                yield OrderFinding(found.task.id, (op.index,), text)


def _unordered(
    found: LoadableNetwork, dependencies: Dependencies, configuration: Configuration
) -> Iterator[OrderFinding]:
    order, accesses, moments = ordered_accesses(found, dependencies, configuration)
    by_pair: dict[tuple[int, int], list[OrderConflict]] = {}
    for conflict in find_conflicts(order, accesses):
        low, high = sorted((operation_cube(conflict.first).index, operation_cube(conflict.second).index))
        by_pair.setdefault((low, high), []).append(conflict)
    filled = {m.id for m in found.loadable.memories if m.contents or m.flags & INPUT}
    for conflicts in by_pair.values():
        for conflict in conflicts:
            first, second = _in_order(conflict, accesses, order, filled)
            pair = tuple(operation_cube(one).index for one in (first, second))
            text = _text(conflict, first, second, dependencies)
            name = partial(_actor_name, dependencies)
            picture = partial(order_picture, order, (first, second), text, name, partial(_label, moments))
            yield OrderFinding(found.task.id, pair, text, picture=picture)


def _actor_name(dependencies: Dependencies, actor: Hashable) -> str:
    assert isinstance(actor, tuple)
    return f"{dependencies.name(actor[0])}, {actor[1]}"


def _label(moments: Mapping[int, OperationMoments], event: int) -> str:
    """What happens at an event."""
    said = (
        *(("programmed", "is programmed"), ("enabled", "is enabled"), ("fetches", "begins to read")),
        *(("data", "has read its data"), ("weights", "has read its weights"), ("starts", "may write from here on")),
        *(("drained", "all that it is made of has been read"), ("completed", "is completed")),
    )
    return next((text for at in moments.values() for name, text in said if getattr(at, name) == event), "")


def operation_cube(access: OrderedAccess) -> OperationCube:
    """The operation and its cube."""
    assert isinstance(access.who, OperationCube)
    return access.who


def _in_order(
    conflict: OrderConflict, accesses: Sequence[OrderedAccess], order: PartialOrder, filled: set[int]
) -> tuple[OrderedAccess, OrderedAccess]:
    """The accesses in the order that is meant: the write first if nothing else fills what is read, else by index."""
    first, second = sorted((conflict.first, conflict.second), key=lambda one: operation_cube(one).index)
    if first.write and second.write:
        return first, second
    reader, writer = (second, first) if first.write else (first, second)
    others = (
        one
        for one in accesses
        if one.write and one is not writer and order.before(one.done, reader.begin)
        if len(common_bytes(one.walk, reader.walk))
    )
    return (first, second) if reader.walk.memory in filled or any(others) else (writer, reader)


def _text(conflict: OrderConflict, first: OrderedAccess, second: OrderedAccess, dependencies: Dependencies) -> str:
    sides = [
        f"operation {dependencies.name(operation_cube(one).index)} {'writes' if one.write else 'reads'} {operation_cube(one).cube}"
        for one in (first, second)
    ]
    before, after = (dependencies.name(operation_cube(one).index) for one in (first, second))
    return (
        f"unordered: {sides[0]}, {sides[1]}: {conflict.count} bytes of memory {first.walk.memory} "
        f"({shown_ranges([conflict.ranges])}); "
        f"missing: {after} waits until {before} is completed"
    )
