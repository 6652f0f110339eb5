# SPDX-License-Identifier: Apache-2.0
"""Order of operations against schedules that are drawn at random, and their bytes against those that the models touch."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from nvdla_chain import chain
from nvdla_edges import without_each_edge
from nvdla_models import bias_and_relu, both, cube, fused, maximum, race
from nvdla_network import biased, classifier, convolution, flying

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.cube_walks import cube_walks
from goldbeat.pymodels.nvdla.driver.instant_hardware import loadable_program
from goldbeat.pymodels.nvdla.engines.address_space import AddressSpace
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.compose import Data, compose
from goldbeat.pymodels.nvdla.loadable.layouts import OP_COMPLETED, OP_ENABLED, OP_PROGRAMMED
from goldbeat.pymodels.nvdla.loadable.network import dla_tasks, network
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.nvdla.order_check import order_findings
from goldbeat.pymodels.order.byte_walk import byte_ranges

SOUND = {"classifier": classifier, "chain": chain, "both": lambda: both(11, 6, 24), "fused": fused}


def texts(loadable):
    return [one.text for one in order_findings(loadable)]


def test_a_pair_that_nothing_orders_is_named_with_its_bytes_and_the_missing_edge():
    (found,) = order_findings(race(ordered=False))
    assert found.unordered
    assert found.operations == (1, 0)
    assert found.text == (
        "unordered: operation 0.1 (PDP) writes dst_data, operation 0.0 (SDP) reads src_data: 32 bytes of memory 6 "
        "(0x0..0x1f); missing: 0.0 (SDP) waits until 0.1 (PDP) is completed"
    )
    assert order_findings(race(ordered=True)) == []


def test_operations_that_are_never_done_are_named_statically_and_by_the_driver():
    dead = race(ordered=True, waits=1)
    why = "operation 0.0 (SDP) is never enabled: it waits for 2 event(s) and gets 1; no other operation has it as consumer"
    assert texts(dead) == [why]
    with pytest.raises(InputError) as error:
        loadable_program(place_memories(dead))
    assert why in str(error.value)


def test_operations_that_wait_for_each_other_and_for_groups_are_named():
    layers = [
        bias_and_relu(cube(0, 8, 2), cube(1, 8, 2), waits=1, consumers={"PDP": (3, OP_COMPLETED), "SDP": (1, 2)}),
        bias_and_relu(cube(0, 8, 2), cube(1, 8, 2), waits=1, consumers={"SDP": (2, OP_PROGRAMMED)}),
        bias_and_relu(cube(0, 8, 2), cube(1, 8, 2), waits=1),
        maximum(cube(2, 8, 4), cube(3, 8, 2), waits=1, consumers={"SDP": (0, OP_COMPLETED)}),
        maximum(cube(2, 8, 4), cube(3, 8, 2)),
    ]
    found = texts(compose(layers, [Data(64), Data(64), Data(128), Data(32)]))
    assert [text.split(":")[0] for text in found] == [
        "operation 0.0 (SDP) is never enabled",
        "operation 0.1 (SDP) is enabled and never done",
        "operation 0.2 (SDP) is never programmed",
        "operation 0.3 (PDP) is never enabled",
        "operation 0.4 (PDP) is never submitted",
    ]
    assert "these never happen: 0.3 (PDP) completed" in found[0]
    assert "0.0 (SDP) keeps its register group" in found[2]
    (surplus,) = texts(compose([bias_and_relu(cube(0, 8, 2), cube(1, 8, 2)), layers[3]][::-1], [Data(64)] * 4))[:1]
    assert "never enabled" in surplus


def test_more_events_than_the_count_are_named():
    layers = [
        bias_and_relu(cube(0, 8, 2), cube(1, 8, 2)),
        maximum(cube(2, 8, 4), cube(3, 8, 2), consumers={"SDP": (0, OP_COMPLETED)}),
    ]
    (text,) = texts(compose(layers, [Data(32), Data(32), Data(128), Data(32)]))
    assert "waits for 0 event(s), but 1 decrease its count: 0.1 (PDP) completed" in text


@pytest.mark.parametrize("name", SOUND)
def test_sound_networks_raise_no_alarm(name):
    assert texts(SOUND[name]()) == []


@pytest.mark.parametrize("name", ["classifier", "chain", "both"])
def test_the_bytes_are_those_that_the_models_touch(name, monkeypatch):
    """Written bytes exactly; read ones except lanes after an operand's last channel, and weights up to a whole word."""
    loadable = SOUND[name]()
    placement = place_memories(loadable)
    touched = {False: set(), True: set()}

    def spy(method, write, sizes):
        real = getattr(AddressSpace, method)

        def wrapped(self, addresses, given):
            size = sizes(given)
            touched[write].update(int(a) + b for a in np.asarray(addresses).reshape(-1) for b in range(size))
            return real(self, addresses, given)

        monkeypatch.setattr(AddressSpace, method, wrapped)

    spy("read", False, int)
    spy("run", False, int)
    spy("write", True, lambda data: data.shape[-1])
    (task,) = dla_tasks(loadable)
    execute(placement, tasks=[task])
    walked = {False: set(), True: set()}
    found = network(loadable, task)
    for op in found.operations:
        for one in cube_walks(found, op, NV_SMALL):
            for low, high in byte_ranges(one.walk).tolist():
                base = placement.bases[one.walk.memory]
                walked[one.write].update(range(base + low, base + high))
    assert touched[True] == walked[True]
    operations = len(found.operations)
    assert len(walked[False] - touched[False]) <= 4 * operations
    assert len(touched[False] - walked[False]) <= 16 * operations


# -- against schedules ----------------------------------------------------------------------------------------------------


@dataclass
class _Op:
    kind: str
    feeder: int | None
    accesses: list  # (cube, bytes, write)


class _Machine:
    """Engines and driver as they are described, each step taken as soon as chance wants it."""

    def __init__(self, loadable):
        found = network(loadable, dla_tasks(loadable)[0])
        self.ops, self.chains = [], {}
        convs, flies = [], []
        for op in found.operations:
            walks = [(w.walk.memory, w, byte_ranges(w.walk)) for w in cube_walks(found, op, NV_SMALL)]
            bytes_of = [
                (w.name, {(m, b) for low, high in r.tolist() for b in range(low, high)}, w.write) for m, w, r in walks
            ]
            self.ops.append(_Op(op.type, None, bytes_of))
            self.chains.setdefault(op.type, []).append(op.index)
            convs += [op.index] if op.type == "CONV" else []
            flies += [op.index] if op.cubes["src_data"].on_the_fly else []
        for feeder, fed in zip(convs, flies, strict=True):
            self.ops[fed].feeder = feeder
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
            "fetched": lambda: has(op, "fetch"),
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
            for a, b in itertools.combinations(range(len(self.ops)), 2):
                for (i, x), (j, y) in itertools.product(
                    enumerate(self.ops[a].accesses), enumerate(self.ops[b].accesses)
                ):
                    if (x[2] or y[2]) and x[1] & y[1]:
                        (begin, end), (other, last) = (_span(at, o, w) for o, w in ((a, x[2]), (b, y[2])))
                        order = "first" if end < other else "second" if last < begin else "both"
                        seen.setdefault((a, b, i, j), set()).add(order)
        return {(a, b) for (a, b, *_), orders in seen.items() if orders not in ({"first"}, {"second"})}


def _span(at, operation, write):
    return at[operation, "start" if write else "fetch"], at[operation, "done" if write else "fetched"]


def _random_network(rng):
    """Up to six operations on few memories, with edges from earlier operations in a random order."""
    kinds, layers = [str(k) for k in rng.choice(["SDP", "PDP", "FUSED"], int(rng.integers(2, 5)))], []
    for kind in kinds:
        source, target = (int(n) for n in rng.choice(4, 2, replace=False))
        if kind == "FUSED":
            layers.append(convolution(cube(source, 8, 4), np.zeros((8, 8, 1, 1), np.int8), 4, flying(8, 4, 4), 0))
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
    contents = np.zeros(128, np.uint8)
    return compose(made, [Data(contents=contents)] * 4 + [Data(contents=contents), Data(contents=contents)])


@pytest.mark.parametrize("count", [20, pytest.param(300, marks=pytest.mark.slow)])
def test_random_networks_against_random_schedules(count):
    rng = np.random.default_rng(5)
    racy = stuck = 0
    for _ in range(count):
        loadable = _random_network(rng)
        findings, machine = order_findings(loadable), _Machine(loadable)
        if any(not one.unordered for one in findings):
            assert machine.schedule(rng) is None
            stuck += 1
            continue
        found = {tuple(sorted(one.operations)) for one in findings}
        seen = machine.racing(rng, 25)
        if found - seen:
            seen |= machine.racing(rng, 500)
        assert found <= seen
        assert bool(found) == bool(seen)
        racy += bool(seen)
    assert racy > count // 4
    assert stuck < count // 2


def test_every_edge_that_some_schedule_needs_is_missed():
    rng, needed = np.random.default_rng(6), 0
    for teller, told, event, loadable in without_each_edge(classifier()):
        found = {tuple(sorted(one.operations)) for one in order_findings(loadable)}
        assert bool(found) == bool(_Machine(loadable).racing(rng, 20)) == (event == OP_COMPLETED), (teller, told)
        needed += bool(found)
    assert needed == 2


def test_every_data_edge_of_a_longer_chain_is_missed():
    faults = list(without_each_edge(chain()))
    assert len(faults) == 17
    for teller, told, event, loadable in faults:
        pairs = {one.operations for one in order_findings(loadable)}
        assert pairs == ({(teller, told)} if event == OP_COMPLETED else set())
