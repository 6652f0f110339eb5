# SPDX-License-Identifier: Apache-2.0
"""Order of operations against schedules that are drawn at random, and their bytes against those that the models touch."""

import numpy as np
import pytest
from nvdla_chain import chain
from nvdla_edges import without_each_edge
from nvdla_models import bias_and_relu, both, cube, fused, maximum, race
from nvdla_network import classifier
from nvdla_schedules import ScheduledEngines, random_network

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.cube_walks import cube_walks
from goldbeat.pymodels.nvdla.driver.instant_hardware import loadable_program
from goldbeat.pymodels.nvdla.engines.address_space import AddressSpace
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.compose import Data, compose
from goldbeat.pymodels.nvdla.loadable.layouts import OP_COMPLETED, OP_PROGRAMMED
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


@pytest.mark.parametrize("gap", [0, 8])
def test_an_operation_may_write_what_it_reads_only_in_place(gap):
    source = cube(0, 8, 4, gap)
    memories = [Data(contents=np.zeros(256, np.uint8)), Data(256)]
    assert texts(compose([bias_and_relu(source, source)], memories)) == []
    assert texts(compose([bias_and_relu(source, cube(1, 8, 4, gap))], memories)) == []
    (found,) = texts(compose([bias_and_relu(source, source | {"line_stride": 64})], memories))
    assert found.startswith(
        "unordered: operation 0.0 (SDP) writes over src_data, which it still reads: bytes of memory 5 ("
    )
    (found,) = texts(compose([maximum(source, cube(0, 8, 2))], memories))
    assert "(PDP) writes over src_data" in found


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


@pytest.mark.parametrize("count", [20, pytest.param(300, marks=pytest.mark.slow)])
def test_random_networks_against_random_schedules(count):
    rng = np.random.default_rng(5)
    racy = stuck = 0
    for _ in range(count):
        loadable = random_network(rng)
        findings, machine = order_findings(loadable), ScheduledEngines(loadable)
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
        assert bool(found) == bool(ScheduledEngines(loadable).racing(rng, 20)) == (event == OP_COMPLETED), (
            teller,
            told,
        )
        needed += bool(found)
    assert needed == 2


def test_every_data_edge_of_a_longer_chain_is_missed():
    faults = list(without_each_edge(chain()))
    assert len(faults) == 17
    for teller, told, event, loadable in faults:
        pairs = {one.operations for one in order_findings(loadable)}
        assert pairs == ({(teller, told)} if event == OP_COMPLETED else set())
