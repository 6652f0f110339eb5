# SPDX-License-Identifier: Apache-2.0
"""Plans with packet headers on an array of engines: the data of the untimed execution, model and RTL."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from objfifo_links import Draft

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.array import final_states
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.engine import header_word
from goldbeat.pymodels.objfifo.engine.packet_routes import PacketStream, packet_routes
from goldbeat.pymodels.objfifo.engine.switch_registers import SwitchSlot, SwitchTaker
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.design import Fifo, FifoDesign, Link
from goldbeat.pymodels.objfifo.plan.device import ANY
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import PacketHeader
from goldbeat.pymodels.objfifo.untimed.functional import run_untimed
from goldbeat.tb.design.case import Case
from goldbeat.tb.designs.objfifo.bench_array import DESIGN
from goldbeat.tb.designs.objfifo.host_packets import HostPackets
from goldbeat.tb.designs.objfifo.whole import place_plan
from goldbeat.tb.run.runs import Request, run

INT = np.dtype(np.int32)
NX = 8


def request(profile=0):
    return Request(DESIGN, DESIGN.case("chain"), params={"NX": NX, "PROFILE": profile})


def setting(profile=0):
    return request(profile).setting(0)


def drawn(seed, profile=0):
    """A design of links, its plan with packets on the array, and an episode."""
    for attempt in range(50):
        rng = np.random.default_rng([seed, attempt])
        design = FifoDesign(ANY, (draft := Draft(rng)).fifos, draft.links)
        made = plan(design, packets=True)
        context = setting(profile)
        try:
            whole = place_plan(design, made, ArrayShape.of(context.params), "workers")
        except UsageError:
            continue  # the engines or the arbiters do not suffice
        count = int(rng.integers(1, 6))
        supply = {f.name: count * f.obj.words for f in design.fifos if f.name in whole.sources}
        return design, made, whole, whole.stimulus(rng, context.clocks, supply)
    raise AssertionError("no design fits")


def given_words(whole, stimulus):
    """What the host sends to each fifo, without headers."""
    found = {}
    for name, x in whole.sources.items():
        trace = stimulus.inputs[f"s_axis_{x}"]
        begins = np.concatenate([[True], trace.last[:-1]])
        found[name] = trace.data[~begins].view("<i4").reshape(-1)
        assert set(trace.data[begins].view("<u4").reshape(-1).tolist()) == {header_of(whole, name)}
    return found


def header_of(whole, name):
    header = whole.packets[name].header
    return header_word(header.id, header.type)


def checked(design, whole, stimulus, ports):
    """Compare all that leaves the array with the untimed execution; how many words."""
    wanted = run_untimed(design, given_words(whole, stimulus)).streams
    count = 0
    for name, x in whole.sinks.items():
        got = ports[f"m_axis_{x}"].data.view("<u4").reshape(-1)
        assert got.tolist() == wanted[name].tolist(), name
        count += len(got)
    return count


@pytest.mark.parametrize("profile", [0, 1])
def test_links_of_random_plans_with_packets(profile):
    words, streams = 0, 0
    for seed in range(25):
        design, made, whole, stimulus = drawn(seed, profile)
        assert all(flow.packet is not None for flow in made.flows)
        assert not whole.routes
        streams += len(made.flows)
        words += checked(design, whole, stimulus, DESIGN.model(request(profile).all_params, stimulus).ports)
        assert all(one.error == 0 for one in final_states(request(profile).all_params, stimulus))
    assert streams > 60
    assert words > 1000


CHAIN = """
import numpy as np
from goldbeat.pymodels.objfifo import *

big, small = np.ndarray[({big},), np.dtype[np.int32]], np.ndarray[({small},), np.dtype[np.int32]]
source = ObjectFifo(big, name="in", depth={depth})
first = source.cons().forward(obj_type=small, name="to")
result = ObjectFifo(small, name="from")
last = result.cons().forward(obj_type=big, name="out")

def add(x, y):
    a, b = x.acquire(1), y.acquire(1)
    b[:] = a + {add}
    x.release(1)
    y.release(1)

worker = Worker(add, [first.cons(), result.prod()])
rt = Runtime()
arg = np.ndarray[({total},), np.dtype[np.int32]]
with rt.sequence(arg, arg) as (a, b):
    rt.start(worker)
    rt.fill(source.prod(), a)
    rt.drain(last.cons(), b, wait=True)
Program(NPU1Col1(), rt).resolve_program()
"""


@pytest.mark.parametrize("profile", [0, 1])
@pytest.mark.parametrize("numbers", [(12, 4, 2, 7, 48), (6, 6, 1, 1, 30), (30, 5, 3, -1, 30)])
def test_a_chain_with_its_core_and_the_host_s_transfers(numbers, profile, tmp_path):
    big, small, depth, add, total = numbers
    (tmp_path / "chain.py").write_text(CHAIN.format(big=big, small=small, depth=depth, add=add, total=total))
    design = open_fifo_design(tmp_path / "chain.py")
    context = setting(profile)
    made = plan(design, packets=True)
    whole = place_plan(design, made, ArrayShape.of(context.params), "workers", worker=(add % (1 << 32), 3))
    stimulus = whole.stimulus(np.random.default_rng(1), context.clocks, host_seed=4 if profile else None)
    trace = stimulus.inputs["s_axis_0"]
    # One transfer is one packet.
    assert np.flatnonzero(trace.last).tolist() == [total]
    assert trace.data[0].view("<u4")[0] == header_word(0, 0)
    ports = DESIGN.model(request(profile).all_params, stimulus).ports
    found = run_untimed(design, {"arg0": trace.data[1:].view("<i4").reshape(-1)})
    assert ports["m_axis_0"].samples("uint32").tolist() == found.streams["out"].tolist()
    # Each object of the memory tile and of the core is a packet.
    assert np.count_nonzero(ports["m_axis_0"].last) == total // big
    if profile:
        plain = place_plan(design, plan(design), whole.shape, "workers", worker=(add, 3))
        without = plain.stimulus(np.random.default_rng(1), context.clocks, host_seed=4).inputs["s_axis_0"]
        # The header comes when the first word would have come; one beat more.
        assert trace.cycle[-1] == without.cycle[-1] + 1
        assert trace.cycle[0] == without.cycle[0] > 0


BROADCAST = """
import numpy as np
from goldbeat.pymodels.objfifo import *

obj = np.ndarray[(8,), np.dtype[np.int32]]
source, left, right = (ObjectFifo(obj, name=name) for name in ("in", "left", "right"))

def add(x, y):
    a, b = x.acquire(1), y.acquire(1)
    b[:] = a + 9
    x.release(1)
    y.release(1)

workers = [Worker(add, [source.cons(), one.prod()]) for one in (left, right)]
rt = Runtime()
arg = np.ndarray[(32,), np.dtype[np.int32]]
with rt.sequence(arg, arg, arg) as (a, b, c):
    rt.start(*workers)
    rt.fill(source.prod(), a)
    rt.drain(left.cons(), b, wait=True)
    rt.drain(right.cons(), c, wait=True)
Program(NPU1Col1(), rt).resolve_program()
"""


@pytest.mark.parametrize("profile", [0, 1])
def test_a_broadcast_to_two_cores(profile, tmp_path):
    (tmp_path / "both.py").write_text(BROADCAST)
    design = open_fifo_design(tmp_path / "both.py")
    params = request(profile).all_params | {"NW": 2}
    context = setting(profile)
    whole = place_plan(design, plan(design, packets=True), ArrayShape.of(params), "workers", worker=(9, 3))
    (slots,) = (slots for source, slots in whole.packet_routes.senders.items() if source >= params["NE"] * params["NM"])
    assert len([t for t in whole.packet_routes.takers.values() if t.arbiter == slots[0].arbiter]) == 2
    stimulus = whole.stimulus(np.random.default_rng(1), context.clocks)
    ports = DESIGN.model(params, stimulus).ports
    found = run_untimed(design, {"arg0": stimulus.inputs["s_axis_0"].data[1:].view("<i4").reshape(-1)})
    for name, x in whole.sinks.items():
        assert ports[f"m_axis_{x}"].samples("uint32").tolist() == found.streams[name].tolist()
    assert set(whole.sinks) == {"left", "right"}


def test_several_packets_of_the_host():
    packets = HostPackets(PacketHeader(3, 1), (2, 3), 4)
    assert list(packets.lengths(5)) == [2, 3]
    assert list(packets.lengths(10)) == [4, 4, 2]


def test_streams_share_an_arbiter_where_they_share_a_target():
    streams = [
        PacketStream("a", 1, 0, (5,)),
        PacketStream("b", 2, 1, (6,)),
        PacketStream("c", 3, 0, (6, 7)),
        PacketStream("d", 4, 2, (7, 6)),
    ]
    routes = packet_routes(streams)
    assert routes.senders == {
        0: (SwitchSlot(1), SwitchSlot(3, arbiter=1, msel=1)),
        1: (SwitchSlot(2, arbiter=1),),
        2: (SwitchSlot(4, arbiter=1, msel=1),),
    }
    assert routes.takers == {
        5: SwitchTaker(0, 1, True),
        6: SwitchTaker(1, 3, True),
        7: SwitchTaker(1, 2, True),
    }


@pytest.mark.parametrize(
    ("streams", "text"),
    [
        ([PacketStream(f"f{n}", n, n, (n,)) for n in range(9)], "need 9 arbiters, the switch has 8"),
        ([PacketStream(f"f{n}", n, n, (0, n + 1)) for n in range(5)], "go to 5 sets of targets, an arbiter knows 4"),
        ([PacketStream(f"f{n}", n, 0, (n,)) for n in range(5)], "come from one channel, which has 4 slots"),
        (
            [PacketStream("a", 1, 0, (0,)), PacketStream("b", 1, 0, (1,))],
            "b: its channel sends packets of id 1 elsewhere",
        ),
    ],
)
def test_what_the_switch_cannot_hold(streams, text):
    with pytest.raises(UsageError, match=text):
        packet_routes(streams)


def test_two_streams_into_one_channel():
    """Two fifos of a plan put on one channel: whole packets, one after the other."""
    obj = ObjectType((4,), INT)
    memory, shims = ANY.tile(0, 1), [ANY.tile(n, 0) for n in range(3)]
    fifos = [
        Fifo("a", shims[0], (memory,), 2, obj),
        Fifo("b", shims[1], (memory,), 2, obj),
        Fifo("out", memory, (shims[2],), 2, obj),
    ]
    design = FifoDesign(ANY, fifos, [Link(("a",), ("out",))])
    made = plan(design, packets=True)
    ends = {flow.fifo: flow.dests for flow in made.flows}
    merged = replace(made, flows=tuple(replace(f, dests=ends["a"]) if f.fifo == "b" else f for f in made.flows))
    context = setting()
    whole = place_plan(design, merged, ArrayShape.of(context.params), "workers", homes=[memory])
    stimulus = whole.stimulus(np.random.default_rng(0), context.clocks, {"a": 8, "b": 8})
    got = DESIGN.model(request().all_params, stimulus).ports["m_axis_0"].data.view("<i4").reshape(-1, 4)
    words = {name: found.reshape(-1, 4) for name, found in given_words(whole, stimulus).items()}
    assert got.tolist() == [words[name][n].tolist() for n in range(2) for name in ("a", "b")]


def test_packets_and_plain_words_of_one_channel():
    obj = ObjectType((4,), INT)
    memory = ANY.tile(0, 1)
    fifos = [Fifo("a", ANY.tile(0, 0), (memory,), 2, obj), Fifo("out", memory, (ANY.tile(1, 0),), 2, obj)]
    design = FifoDesign(ANY, fifos, [Link(("a",), ("out",))])
    made = plan(design, packets=True)
    (first, last) = made.flows
    again = replace(last, packet=None, dests=first.dests)
    with pytest.raises(UsageError, match="packets and plain words"):
        place_plan(design, replace(made, flows=(first, last, again)), ArrayShape.of(setting().params), "workers")
    with pytest.raises(UsageError, match="sends to one stream"):
        place_plan(design, replace(made, flows=(first, first, last)), ArrayShape.of(setting().params), "workers")


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("profile", [0, 1])
def test_plans_with_packets_in_rtl(profile, tmp_path):
    seeds = range(20)

    def make(_):
        return [drawn(seed, profile)[3] for seed in seeds]

    case = Case(name="plans", summary="", make=make)
    (result,) = run(Request(DESIGN, case, params={"NX": NX, "PROFILE": profile}), tmp_path)
    assert result.passed, "\n".join(result.failures[:3])
    words = 0
    for seed, episode in zip(seeds, result.episodes, strict=True):
        design, _, whole, stimulus = drawn(seed, profile)
        words += checked(design, whole, stimulus, episode.record.outcome.ports)
    assert words > 800
