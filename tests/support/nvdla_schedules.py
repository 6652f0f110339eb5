# SPDX-License-Identifier: Apache-2.0
"""NVDLA's operations under schedules that are drawn at random, random networks, and faults of their dependencies."""

import copy
import itertools
from dataclasses import dataclass, replace

import numpy as np
from nvdla_edges import graph_of, without_each_edge
from nvdla_models import bias_and_relu, cube, maximum
from nvdla_network import biased, convolution, flying

from goldbeat.pymodels.nvdla.cube_walks import cube_walks
from goldbeat.pymodels.nvdla.driver.driver import drive_task
from goldbeat.pymodels.nvdla.driver.instant_hardware import IdealHardware, record_driver
from goldbeat.pymodels.nvdla.engines.address_space import AddressSpace
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL
from goldbeat.pymodels.nvdla.engines.hardware import run_operation
from goldbeat.pymodels.nvdla.loadable.compose import Data, compose
from goldbeat.pymodels.nvdla.loadable.layouts import OP_COMPLETED, OP_ENABLED, OP_PROGRAMMED
from goldbeat.pymodels.nvdla.loadable.network import dla_tasks, network
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.order.byte_walk import byte_ranges

# None is 0: a convolution without weights hides what it reads.
_WEIGHTS = (np.arange(64, dtype=np.int8) % 5 - 7).reshape(8, 8, 1, 1)


@dataclass
class _Op:
    """An operation: accesses are cube, ranges, whether they are written."""

    kind: str
    feeder: int | None
    accesses: list


class ScheduledEngines:
    """Engines and driver as they are described, each step taken as soon as chance wants it."""

    def __init__(self, loadable, configuration=NV_SMALL):
        found = network(loadable, dla_tasks(loadable)[0])
        self.ops, self.chains = [], {}
        fed = {kind: [] for kind in ("SDP", "PDP")}
        feeders = {kind: [] for kind in ("SDP", "PDP")}
        for op in found.operations:
            walks = cube_walks(found, op, configuration)
            self.ops.append(_Op(op.type, None, [(w.walk.memory, byte_ranges(w.walk).tolist(), w.write) for w in walks]))
            self.chains.setdefault(op.type, []).append(op.index)
            if op.type in fed and op.cubes["src_data"].on_the_fly:
                fed[op.type].append(op.index)
            if op.type == "CONV" or (op.type == "SDP" and op.cubes["dst_data"].on_the_fly):
                feeders["SDP" if op.type == "CONV" else "PDP"].append(op.index)
        for kind, feeding in feeders.items():
            for feeder, one in zip(feeding, fed[kind], strict=True):
                self.ops[one].feeder = feeder
        self.pairs = [
            (a, b, i, j, x[2], y[2])
            for a, b in itertools.combinations(range(len(self.ops)), 2)
            for (i, x), (j, y) in itertools.product(enumerate(self.ops[a].accesses), enumerate(self.ops[b].accesses))
            if (x[2] or y[2]) and x[0] == y[0] and _touch(x[1], y[1])
        ]
        self.count = [int(c) for c in found.dependencies["dependency_count"]]
        self.told = [[] for _ in self.ops]
        for op in found.operations:
            for consumer in (*op.common["consumers"], op.common["fused_parent"]):
                if int(consumer["index"]) >= 0 and int(consumer["event"]):
                    self.told[int(consumer["index"])].append((op.index, int(consumer["event"])))

    def ready(self, done, op, step):
        chain = self.chains[self.ops[op].kind]
        place, feeder = chain.index(op), self.ops[op].feeder
        has = lambda one, what: (one, what) in done  # noqa: E731
        before = chain[place - 1] if place else None
        reads = [one for one in chain[:place] if any(not write for *_, write in self.ops[one].accesses)]
        events = {OP_COMPLETED: "done", OP_PROGRAMMED: "programmed", OP_ENABLED: "enabled"}
        return {
            "programmed": lambda: place < 2 or has(chain[place - 2], "done"),
            "enabled": lambda: has(op, "programmed") and all(has(o, events[e]) for o, e in self.told[op]),
            "fetch": lambda: has(op, "enabled") and all(has(one, "fetched") for one in reads),
            "fetched": lambda: has(op, "fetch") and (feeder is None or has(feeder, "fetched")),
            "start": lambda: (
                (before is None or has(before, "done"))
                and has(op, "fetch" if feeder is None else "enabled")
                and (feeder is None or has(feeder, "start"))
            ),
            "done": lambda: has(op, "start") and has(op, "fetched") and (feeder is None or has(feeder, "fetched")),
        }[step]()

    STEPS = ("programmed", "enabled", "fetch", "fetched", "start", "done")

    def schedule(self, rng):
        """When each step was taken, or None if some never can be."""
        done, at = set(), {}
        left = {(op, step) for op in range(len(self.ops)) for step in self.STEPS}
        favour = rng.random(len(self.ops)) ** 4
        while left:
            can = sorted((op, step) for op, step in left if self.ready(done, op, step))
            if not can:
                return None
            weights = np.array([favour[op] + 1e-6 for op, _ in can])
            one = can[rng.choice(len(can), p=weights / weights.sum())]
            at[one] = len(done)
            done.add(one)
            left.discard(one)
        return at

    def racing(self, rng, times=60):
        """Pairs of operations whose common bytes are not always accessed in one order."""
        seen = {}
        for _ in range(times):
            at = self.schedule(rng)
            for a, b, i, j, first, second in self.pairs:
                (begin, end), (other, last) = (_span(at, o, w) for o, w in ((a, first), (b, second)))
                order = "first" if end < other else "second" if last < begin else "both"
                seen.setdefault((a, b, i, j), set()).add(order)
        return {(a, b) for (a, b, *_), orders in seen.items() if orders not in ({"first"}, {"second"})}

    def results(self, loadable, configuration, rng, times=20):
        """Bytes by region after each of some schedules: an operation reads at one moment of its own, and writes at a later one."""
        work = []
        hardware = IdealHardware(work=lambda chain: work.append((chain, copy.deepcopy(hardware.luts))))
        placement = place_memories(loadable)
        record_driver(drive_task(dla_tasks(loadable)[0], placement, configuration), hardware)
        left = {kind: list(chain) for kind, chain in self.chains.items()}
        numbers = [[left[engine].pop(0) for engine, _ in chain] for chain, _ in work]
        for _ in range(times):
            at, moments = self.schedule(rng), []
            for number, ops in enumerate(numbers):
                reads, writes = rng.choice(["fetch", "fetched"]), rng.choice(["start", "done"])
                moments.append((at[ops[0], reads], "read", number))
                moments.append((max(at[ops[-1], writes], at[ops[0], reads]), "write", number))
            regions = {ident: replace(one, data=one.data.copy()) for ident, one in placement.by_id().items()}
            made = {}
            for _, kind, number in sorted(moments, key=lambda one: (one[0], one[2], one[1])):
                if kind == "read":
                    made[number] = _written(*work[number], regions.values(), configuration)
                    continue
                for region in regions.values():
                    for places, data in made[number]:
                        inside = (places >= region.base) & (places < region.base + len(region.data))
                        region.data[places[inside] - region.base] = data[inside]
            yield b"".join(region.data.tobytes() for region in regions.values())


def _written(chain, luts, regions, configuration):
    """Addresses and bytes that a chain of operations writes."""
    flowing, found = None, []
    for engine, registers in chain:
        done = run_operation(engine, registers, tuple(regions), flowing, luts.get(engine), configuration)
        flowing, memory = done.output, AddressSpace([replace(r, data=done.memory[r.name]) for r in regions])
        for addresses, size in done.writes:
            places = (np.asarray(addresses).reshape(-1, 1) + np.arange(size)).ravel()
            found.append((places, memory.read(places, 1).ravel()))
    return found


def _span(at, operation, write):
    return at[operation, "start" if write else "fetch"], at[operation, "done" if write else "fetched"]


def _touch(one, other):
    """Whether ascending ranges share a byte."""
    at = 0
    for low, high in one:
        while at < len(other) and other[at][1] <= low:
            at += 1
        if at < len(other) and other[at][0] < high:
            return True
    return False


def random_network(rng, contents=None):
    """Up to six operations on few memories, with edges from earlier operations in a random order."""
    kinds, layers = [str(k) for k in rng.choice(["SDP", "PDP", "FUSED"], int(rng.integers(2, 5)))], []
    for kind in kinds:
        source, target = (int(n) for n in rng.choice(4, 2, replace=False))
        if kind == "FUSED":
            layers.append(convolution(cube(source, 8, 4), _WEIGHTS, 4, flying(8, 4, 4), 0))
            layers.append(biased(flying(8, 4, 4), 5, cube(target, 8, 4), 1, 0))
        elif kind == "SDP":
            layers.append(bias_and_relu(cube(source, 8, 4), cube(target, 8, 4)))
        else:
            layers.append(maximum(cube(source, 8, 4), cube(target, 8, 2)))
    edges = {}
    for number, layer in enumerate(layers):
        later = next((n for n in range(number + 1, len(layers)) if layers[n].type == layer.type), None)
        if later is not None:
            edges[number, layer.type] = (later, int(rng.choice([OP_PROGRAMMED, OP_COMPLETED])))
        for kind in ("SDP", "PDP", "CONV"):
            others = [n for n in range(number + 1, len(layers)) if layers[n].type == kind != layer.type]
            if others and rng.random() < 0.6:
                edges[number, kind] = (int(rng.choice(others)), OP_COMPLETED if rng.random() < 0.8 else OP_ENABLED)
    made = []
    for number, layer in enumerate(layers):
        feeds = layer.type == "SDP" and number and layers[number - 1].type == "CONV"
        fused_with = (number - 1, OP_ENABLED) if feeds else None
        waits = sum(told == number for told, _ in edges.values()) + (layer.type == "CONV")
        mine = {kind: edge for (teller, kind), edge in edges.items() if teller == number}
        if layer.type == "CONV" and mine.get("SDP", (-1, 0))[0] == number + 1:
            # Any later event of the convolution needs this SDP.
            mine["SDP"] = (number + 1, OP_PROGRAMMED)
        made.append(type(layer)(layer.type, layer.desc, layer.surface, mine, fused_with, waits))
    contents = np.zeros(128, np.uint8) if contents is None else contents
    return compose(made, [Data(contents=np.roll(contents, 7 * number)) for number in range(6)])


def order_faults(loadable):
    """Kind and loadable: dependencies removed, weakened, doubled, moved; counts changed; tensors in shared memory."""
    for _, _, event, one in without_each_edge(loadable):
        yield f"edge removed ({'data' if event == OP_COMPLETED else 'control'})", one
    count = len(graph_of(loadable)[1])
    for op, slot in itertools.product(range(count), range(7)):
        for kind, change in (
            ("edge waits for enabled", {"event": OP_ENABLED}),
            ("edge waits for programmed", {"event": OP_PROGRAMMED}),
            ("edge moved", {"index": 1}),
        ):
            made, graph, put = graph_of(loadable)
            consumer = graph[op]["fused_parent"] if slot == 6 else graph[op]["consumers"][slot]
            told = int(consumer["index"])
            if told < 0 or not int(consumer["event"]) or ("event" in change and int(consumer["event"]) != OP_COMPLETED):
                continue
            if "event" in change:
                consumer["event"] = change["event"]
            else:
                consumer["index"] = (told + 1) % count
                graph[told]["dependency_count"] -= 1
                graph[(told + 1) % count]["dependency_count"] += 1
            yield kind, put(made)
    for op, more in itertools.product(range(count), (1, -1)):
        made, graph, put = graph_of(loadable)
        if int(graph[op]["dependency_count"]) + more >= 0:
            graph[op]["dependency_count"] = int(graph[op]["dependency_count"]) + more
            yield "dependency count changed", put(made)
    plain = [a for a in loadable.addresses if not loadable.memory(a.mem_id).contents]
    for one, other in itertools.permutations(plain, 2):
        if one.mem_id != other.mem_id and loadable.memory(other.mem_id).size >= loadable.memory(one.mem_id).size:
            moved = replace(one, mem_id=other.mem_id, offset=other.offset)
            addresses = tuple(moved if a is one else a for a in loadable.addresses)
            yield "tensor shares memory", replace(loadable, addresses=addresses)
