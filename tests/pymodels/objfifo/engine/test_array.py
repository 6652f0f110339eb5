# SPDX-License-Identifier: Apache-2.0
"""Several engines and the switch: the data of random chains by numpy alone, and the timing rules one by one."""

import numpy as np
import objfifo_numpy as plain
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.array import final_states, predict, predict_accesses
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.switch_registers import route_writes
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.objfifo.bench_array import DESIGN, drawn
from goldbeat.tb.run.runs import Request

PARAMS = Request(DESIGN, DESIGN.cases[0]).all_params
SHAPE = ArrayShape.of(PARAMS)
CLOCK = Clock(1000, 1000)


def words(values, last=()):
    data = np.asarray(values, "<u4").view(np.uint8).reshape(-1, 4)
    flags = np.zeros(len(data), np.bool_)
    flags[list(last)] = True
    return Trace.from_bytes(data, last=flags, clock_ps=1000, offset_ps=1000)


def straight(inputs, routes, workers=None, ready=None):
    """Streams from outside to outside."""
    given = Stimulus(
        inputs, ready or {}, {"aclk": CLOCK}, {"sw_axil": (Access("read", 0), *route_writes(routes, workers))}
    )
    return predict(PARAMS, given)


def out(x):
    return SHAPE.target("outside", x)


def source(x):
    return SHAPE.source("outside", x)


def test_every_word_of_random_chains_by_plain_indexing():
    setting = Request(DESIGN, DESIGN.case("random")).setting(0)
    total = 0
    for seed in range(25):
        rng = np.random.default_rng([seed, 7])
        design, whole, count = drawn(rng, PARAMS, 150)
        stimulus = whole.stimulus(rng, setting.clocks, {"in": count})
        _, to, back, _ = design.fifos
        x = stimulus.inputs["s_axis_0"].data.view("<u4").reshape(-1)
        x = x.reshape(-1, design.fifos[0].obj.elements)
        x = plain.repeat(plain.gather(x, to.to_stream) if to.to_stream else x, to.repeat_count)
        x = plain.chunks(x.reshape(-1), to.obj.elements)
        x = plain.scatter(x, to.from_stream[0]) if to.from_stream[0] else x
        x = x + np.uint32(whole.workers[0][0])
        x = plain.gather(x, back.to_stream) if back.to_stream else x
        x = plain.scatter(x, back.from_stream[0]) if back.from_stream[0] else x
        x = plain.chunks(x.reshape(-1), design.fifos[3].obj.elements).reshape(-1)
        got = predict(PARAMS, stimulus).ports["m_axis_0"].data.view("<u4").reshape(-1)
        assert got.tolist() == x.tolist(), seed
        assert all(registers.error == 0 for registers in final_states(PARAMS, stimulus))
        total += len(got)
    assert total > 5000


def test_straight_through():
    ports = straight({"s_axis_0": words(range(5), [4])}, {out(1): source(0)}).ports
    assert ports["s_axis_0"].cycle.tolist() == [0, 1, 2, 3, 4]
    assert ports["m_axis_1"].cycle.tolist() == [1, 2, 3, 4, 5]
    assert ports["m_axis_1"].last.tolist() == [False] * 4 + [True]
    assert len(ports["m_axis_0"]) == 0


def test_no_target_takes_everything():
    ports = straight({"s_axis_0": words(range(5))}, {}).ports
    assert ports["s_axis_0"].cycle.tolist() == [0, 1, 2, 3, 4]


def test_a_broadcast_waits_for_the_slowest():
    slow = {"m_axis_1": Pattern.parse("array:0,0,0,1")}
    ports = straight({"s_axis_0": words(range(6))}, {out(0): source(0), out(1): source(0)}, ready=slow).ports
    # Room for two before the slow one, then one for each word that it lets go, at edges 3, 7, 11, 15.
    assert ports["s_axis_0"].cycle.tolist() == [0, 1, 4, 8, 12, 16]
    assert ports["m_axis_0"].cycle.tolist() == [1, 2, 5, 9, 13, 17]


def test_a_worker_adds_and_pauses():
    routes = {SHAPE.target("worker", 0): source(0), out(0): SHAPE.source("worker", 0)}
    ports = straight({"s_axis_0": words([1, 2, 0xFFFFFFFF], [1])}, routes, {0: (3, 5)}).ports
    assert ports["m_axis_0"].samples("uint32").tolist() == [4, 5, 2]
    # Into the worker, out of it one edge later, out of the port one more; five edges between the objects.
    assert ports["m_axis_0"].cycle.tolist() == [2, 3, 9]


def test_registers_of_the_switch():
    accesses = (
        Access("read", 0),
        Access("write", 0x1000, 0xFFFFFFFF),
        Access("read", 0x1000),
        Access("write", 0x104, 0x12345678),
        Access("read", 0x104),
        Access("write", 0x100, 5, strobe=3),
        Access("write", 0, 1),
        Access("read", 0x1000 + 4 * SHAPE.targets),
    )
    replies = predict_accesses(PARAMS, Stimulus({}, {}, {"aclk": CLOCK}, {"sw_axil": accesses}))["sw_axil"]
    assert replies == [
        (0x4F465357, False),
        (None, False),
        (0xF77FF, False),
        (None, False),
        (0x5678, False),
        (None, True),
        (None, True),
        (None, True),
    ]


def test_a_route_can_name_256_sources():
    most = PARAMS | {"NE": 32, "NM": 6, "NX": 63, "NW": 1}
    assert ArrayShape.of(most).sources == 256
    with pytest.raises(UsageError, match="at most, 257 and 161 are needed"):
        ArrayShape.of(most | {"NX": 64})


@pytest.mark.parametrize(("name", "value"), [("NE", 33), ("NX", 0), ("NW", 9)])
def test_shapes(name, value):
    with pytest.raises(Exception, match=name):
        ArrayShape.of(PARAMS | {name: value})
