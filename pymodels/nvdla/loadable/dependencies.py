# SPDX-License-Identifier: Apache-2.0
"""What the operations of a task wait for: which of them are never done, and what happens before what.

The dependency graph, the driver's two register groups per engine, and each engine's own order decide. An engine fetches an
operation's data as soon as it has fetched those of the one before, which may still be writing. A fused operation writes only
after the one that feeds it has started. Source: nvdla/sw, ``kmd/firmware``; nvdla/hw, register groups of each block.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from goldbeat.pymodels.nvdla.loadable.layouts import (
    DATA_DONE,
    EVENTS,
    OP_COMPLETED,
    OP_ENABLED,
    OP_PROGRAMMED,
    OP_TYPES,
    WEIGHTS_DONE,
)
from goldbeat.pymodels.nvdla.loadable.network import LoadableNetwork, NetworkOperation, operations_in_order
from goldbeat.pymodels.order.partial_order import PartialOrder

_LUT_ENGINES = ("SDP", "CDP")


@dataclass(frozen=True)
class OperationMoments:
    """Events of an operation in a partial order.

    Attributes:
        programmed, enabled: as the driver's consumers see them.
        fetches: reads begin.
        data, weights: these have been read; only convolutions tell them apart.
        starts: results may be written from here on.
        drained: all that it is made of has been read, that of operations that feed it included.
        completed: all is written.
    """

    programmed: int
    enabled: int
    fetches: int
    data: int
    weights: int
    starts: int
    drained: int
    completed: int

    def of(self, event: int) -> int:
        """The event of a consumer's code."""
        events = {OP_PROGRAMMED: self.programmed, OP_ENABLED: self.enabled, OP_COMPLETED: self.completed}
        return (events | {WEIGHTS_DONE: self.weights, DATA_DONE: self.data})[event]


class Dependencies:
    """The dependency graph of a task.

    Args:
        found: the task's network.

    Attributes:
        chains: operations by type, in the order in which their engine does them.
        tellers: by operation those that decrease its dependency count, and at which event.
    """

    def __init__(self, found: LoadableNetwork) -> None:
        self._found = found
        self.chains = {kind: list(operations_in_order(found, kind)) for kind in OP_TYPES}
        self.tellers: dict[int, list[tuple[int, int]]] = {op.index: [] for op in found.operations}
        for op in found.operations:
            events = [event for event in EVENTS if op.type == "CONV" or event not in (WEIGHTS_DONE, DATA_DONE)]
            for consumer in (*op.common["consumers"], op.common["fused_parent"]):
                if int(consumer["index"]) in self.tellers and int(consumer["event"]) in events:
                    self.tellers[int(consumer["index"])].append((op.index, int(consumer["event"])))
        self._pairs = self._fused_pairs()

    def name(self, index: int) -> str:
        """``0.3 (SDP)``: task, operation and type."""
        return f"{self._found.task.id}.{index} ({self._found.operations[index].type})"

    def _fused_pairs(self) -> list[tuple[int, int]]:
        """Operations that feed others on the fly: each engine works in its order."""
        sdp = [op for op in self.chains["SDP"] if op.cubes["src_data"].on_the_fly]
        pdp = [op for op in self.chains["PDP"] if op.cubes["src_data"].on_the_fly]
        feeding = [op for op in self.chains["SDP"] if op.cubes["dst_data"].on_the_fly]
        pairs = [*zip(self.chains["CONV"], sdp, strict=False), *zip(feeding, pdp, strict=False)]
        return [(one.index, other.index) for one, other in pairs]

    def _told(self, tellers: Sequence[tuple[int, int]]) -> str:
        return ", ".join(f"{self.name(index)} {EVENTS[event]}" for index, event in tellers)

    # -- what is never done

    def stuck(self) -> dict[int, str]:
        """The operations that are never done, by index, with what each waits for."""
        surplus = {
            index: f"{self.name(index)} waits for {count} event(s), but {len(tellers)} decrease its count: "
            f"{self._told(tellers)}; set its dependency count to {len(tellers)}"
            for index, tellers in self.tellers.items()
            if (count := self._count(index)) < len(tellers)
        }
        happened: set[tuple[int, int]] = set()
        before = -1
        while before != len(happened):
            before = len(happened)
            for chain in self.chains.values():
                for place, op in enumerate(chain):
                    self._advance(happened, chain[max(place - 2, 0) : place], op)
        left = [op.index for op in self._found.operations if (op.index, OP_COMPLETED) not in happened]
        return surplus | {index: self._reason(index, happened) for index in left}

    def _count(self, index: int) -> int:
        return int(self._found.operations[index].common["dependency_count"])

    def _advance(self, happened: set[tuple[int, int]], before: list[NetworkOperation], op: NetworkOperation) -> None:
        """Add the events of an operation that can happen; ``before`` are up to two that come first on its engine."""
        index = op.index

        def all_have(event: int, *indices: int) -> bool:
            return all((one, event) in happened for one in indices)

        if len(before) < 2 or all_have(OP_COMPLETED, before[0].index):
            happened.add((index, OP_PROGRAMMED))
        arrived = sum(one in happened for one in self.tellers[index])
        if all_have(OP_PROGRAMMED, index) and arrived >= self._count(index):
            happened.add((index, OP_ENABLED))
        last = [one.index for one in before[-1:]]
        if op.type == "CONV" and all_have(OP_ENABLED, index) and all_have(DATA_DONE, *last):
            happened.update({(index, DATA_DONE), (index, WEIGHTS_DONE)})
        if all_have(OP_ENABLED, index, *self._partners(index)) and all_have(OP_COMPLETED, *last):
            happened.add((index, OP_COMPLETED))

    def _partners(self, index: int) -> list[int]:
        """Those that feed an operation, and those that it feeds."""
        return [a + b - index for a, b in self._pairs if index in (a, b)]

    def _reason(self, index: int, happened: Collection[tuple[int, int]]) -> str:
        name, chain = self.name(index), [one.index for one in self.chains[self._found.operations[index].type]]
        if index not in chain:
            return f"{name} is never submitted: it is neither head nor consumer of an operation of its type"
        place = chain.index(index)
        if (index, OP_PROGRAMMED) not in happened:
            return f"{name} is never programmed: {self.name(chain[place - 2])} keeps its register group"
        if (index, OP_ENABLED) not in happened:
            missing = [one for one in self.tellers[index] if one not in happened]
            arrived = len(self.tellers[index]) - len(missing)
            why = f"these never happen: {self._told(missing)}" if missing else "no other operation has it as consumer"
            return f"{name} is never enabled: it waits for {self._count(index)} event(s) and gets {arrived}; {why}"
        idle = [one for one in self._partners(index) if (one, OP_ENABLED) not in happened]
        return (
            f"{name} is enabled and never done: it needs {', '.join(map(self.name, idle or chain[place - 1 : place]))}"
        )

    # -- what happens before what

    def ordered(self, fetching: Collection[int]) -> tuple[PartialOrder, dict[int, OperationMoments]]:
        """Events that are ordered under every legal timing, if no operation is stuck.

        Args:
            fetching: indices of the operations that read memory.
        """
        order = PartialOrder()
        moments: dict[int, OperationMoments] = {}
        for chain in self.chains.values():
            fetched: OperationMoments | None = None
            for place, op in enumerate(chain):
                before = [moments[one.index] for one in chain[max(place - 2, 0) : place]]
                one = moments[op.index] = _moments(order, op, before, self._shares_lut(chain, place))
                if op.index in fetching:
                    if fetched is not None:
                        order.edge(fetched.data, one.fetches)
                        order.edge(fetched.weights, one.fetches)
                    fetched = one
        for feeder, fed in self._pairs:
            order.edge(moments[feeder].starts, moments[fed].starts)
            order.edge(moments[feeder].drained, moments[fed].drained)
        for index, tellers in self.tellers.items():
            for teller, event in tellers:
                order.edge(moments[teller].of(event), moments[index].enabled)
        return order, moments

    def _shares_lut(self, chain: list[NetworkOperation], place: int) -> bool:
        """Whether the lookup table of the operation before must be done with first."""
        if not place or chain[place].type not in _LUT_ENGINES:
            return False
        one, before = (int(op.desc["lut_index"]) for op in (chain[place], chain[place - 1]))
        return one >= 0 and before >= 0 and one != before


def _moments(
    order: PartialOrder, op: NetworkOperation, before: list[OperationMoments], after_last: bool
) -> OperationMoments:
    """Events of an operation behind those of the engine before: it has two register groups and works on one at a time."""
    free = [before[0].completed] if len(before) == 2 else []
    fetch, weights, write = ((op.index, part) for part in ("fetch", "weights", "write"))
    last = [one.completed for one in before[-1:]]
    programmed = order.event(fetch, *free, *(last if after_last else ()))
    enabled = order.event(fetch)
    fetches = order.event(fetch, *(last if op.type == "RUBIK" else ()))
    data = order.event(fetch)
    other = order.event(weights, fetches) if op.type == "CONV" else data
    starts = order.event(write, fetches, *last)
    drained = order.event(write, data, other)
    return OperationMoments(programmed, enabled, fetches, data, other, starts, drained, order.event(write))
