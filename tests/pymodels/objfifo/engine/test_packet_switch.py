# SPDX-License-Identifier: Apache-2.0
"""The packet switch between engines: every rule of its contract in edges worked out by hand (objfifo-array.md, Packets)."""

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.array import hanging, predict, predict_accesses
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.engine import Hang, header_word
from goldbeat.pymodels.objfifo.engine.registers import Descriptor, EngineTask, engine_program
from goldbeat.pymodels.objfifo.engine.switch_registers import SwitchSlot, SwitchTaker, packet_writes, route_writes
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.objfifo.bench_array import DESIGN
from goldbeat.tb.run.runs import Request

PARAMS = Request(DESIGN, DESIGN.cases[0]).all_params | {"NX": 4}
SHAPE = ArrayShape.of(PARAMS)
CLOCK = Clock(1000, 1000)
NEVER_READY = Pattern.parse("array:0")
KEPT, DROPPED = SwitchTaker(0), SwitchTaker(0, drop_header=True)


def source(x):
    return SHAPE.source("outside", x)


def out(x):
    return SHAPE.target("outside", x)


def stream(*packets, gaps=None):
    """Packets (id, words behind the header), each with TLAST on its last word."""
    values, last = [], []
    for packet_id, count in packets:
        values += [packet_id, *(100 * packet_id + n for n in range(1, count + 1))]
        last += [False] * count + [True]
    data = np.asarray(values, "<u4").view(np.uint8).reshape(-1, 4)
    trace = Trace.from_bytes(data, last=np.array(last, np.bool_), clock_ps=1000, offset_ps=1000)
    return trace if gaps is None else trace.with_gaps(np.array(gaps))


def endless(trace):
    """The same without its last TLAST."""
    last = trace.last.copy()
    last[-1] = False
    return Trace.from_bytes(trace.data, last=last, clock_ps=1000, offset_ps=1000)


def switched(inputs, senders, takers, *, routes=None, workers=None, ready=None, engines=None, params=None):
    """What happens to streams from outside, and to what engines send."""
    given = {f"s_axis_{x}": trace for x, trace in inputs.items()}
    program = {"sw_axil": (*packet_writes(senders, takers), *route_writes(routes or {}, workers))}
    if engines:
        given["start"] = Trace.from_bytes(np.zeros((1, 1), np.uint8), cycle=[0], clock_ps=1000, offset_ps=1000)
        program |= {f"s_axil_{e}": writes for e, writes in engines.items()}
    held = {f"m_axis_{x}": pattern for x, pattern in (ready or {}).items()}
    return PARAMS | (params or {}), Stimulus(given, held, {"aclk": CLOCK}, program)


def edges(*args, **more):
    """Edges by port, of outside inputs and outputs that moved something."""
    ports = predict(*switched(*args, **more)).ports
    return {n: t.cycle.tolist() for n, t in ports.items() if n.startswith(("s_axis", "m_axis")) and len(t)}


def values(*args, **more):
    """Words by outside output that sent something."""
    ports = predict(*switched(*args, **more)).ports
    return {n: t.samples("uint32").tolist() for n, t in ports.items() if n.startswith("m_axis") and len(t)}


ANY = (SwitchSlot(0, mask=0),)
"""All ids to arbiter 0, MSEL 0."""


def test_a_header_moves_one_edge_behind_the_grant_in_each_packet():
    inputs, senders = {0: stream((1, 3), (2, 1))}, {source(0): ANY}
    # Grant at 0; the packet's last word at 4; idle and granted again at 5.
    assert edges(inputs, senders, {out(1): KEPT}) == {"s_axis_0": [1, 2, 3, 4, 6, 7], "m_axis_1": [2, 3, 4, 5, 7, 8]}
    ports = predict(*switched(inputs, senders, {out(1): KEPT})).ports
    assert ports["m_axis_1"].samples("uint32").tolist() == [1, 101, 102, 103, 2, 201]
    assert np.flatnonzero(ports["m_axis_1"].last).tolist() == [3, 5]


def test_a_dropped_header_takes_its_edge():
    inputs, senders = {0: stream((1, 3), (2, 1))}, {source(0): ANY}
    found = {"s_axis_0": [1, 2, 3, 4, 6, 7], "m_axis_1": [3, 4, 5, 8]}
    assert edges(inputs, senders, {out(1): DROPPED}) == found
    assert values(inputs, senders, {out(1): DROPPED}) == {"m_axis_1": [101, 102, 103, 201]}


def test_words_are_requested_when_they_are_there():
    inputs = {0: stream((1, 2), gaps=[3, 0, 2])}
    # There at 3 and granted; 4; 5; then 5 + 1 + 2.
    assert edges(inputs, {source(0): ANY}, {out(1): KEPT})["s_axis_0"] == [4, 5, 8]


def test_a_header_does_not_wait_for_targets_that_drop_it():
    inputs, senders = {0: stream((1, 4))}, {source(0): ANY}
    closed = {1: NEVER_READY}
    # A header that is kept fills one of two places; a dropped one none.
    assert edges(inputs, senders, {out(1): KEPT}, ready=closed) == {"s_axis_0": [1, 2]}
    assert edges(inputs, senders, {out(1): DROPPED}, ready=closed) == {"s_axis_0": [1, 2, 3]}
    # Two full places before the next header: it waits for the target that keeps it.
    twice = {0: stream((1, 2), (1, 2))}
    both = {out(1): DROPPED, out(2): DROPPED}
    assert edges(twice, senders, both, ready=closed)["s_axis_0"] == [1, 2, 3, 5]
    late = {1: Pattern("array", values=(*[0] * 19, 1))}
    assert edges(twice, senders, both | {out(1): KEPT}, ready=late)["s_axis_0"][:3] == [1, 2, 20]


def test_a_multicast_waits_for_the_slowest():
    slow = {1: Pattern.parse("array:0,0,0,1")}
    found = edges({0: stream((1, 5))}, {source(0): ANY}, {out(0): KEPT, out(1): KEPT}, ready=slow)
    # As a broadcast of a circuit one edge later: room behind 3, 7, 11, 15.
    assert found["s_axis_0"] == [1, 2, 4, 8, 12, 16]
    assert found["m_axis_0"] == [2, 3, 5, 9, 13, 17]


def test_a_packet_of_one_word_is_a_header_alone():
    inputs, senders = {0: stream((1, 0), (2, 0), (3, 1))}, {source(0): ANY}
    taken = [1, 3, 5, 6]
    assert edges(inputs, senders, {out(1): DROPPED}) == {"s_axis_0": taken, "m_axis_1": [7]}
    assert edges(inputs, senders, {out(1): KEPT}) == {"s_axis_0": taken, "m_axis_1": [2, 4, 6, 7]}
    last = predict(*switched(inputs, senders, {out(1): KEPT})).ports["m_axis_1"].last
    assert last.tolist() == [True, True, False, True]


def test_packets_that_nothing_matches_are_lost():
    inputs, senders = {0: stream((5, 2), (1, 1), (6, 0))}, {source(0): (SwitchSlot(1),)}
    # Dropping behind edge 0: lost at 1, 2, 3. Grant at 4. Dropping behind 7: lost at 8.
    found = edges(inputs, senders, {out(1): KEPT})
    assert found == {"s_axis_0": [1, 2, 3, 5, 6, 8], "m_axis_1": [6, 7]}


def test_a_source_without_slots_loses_everything():
    inputs = {0: stream((0, 2), (0, 0))}
    assert edges(inputs, {source(0): ()}, {out(1): KEPT}) == {"s_axis_0": [1, 2, 3, 5]}
    assert edges(inputs, {source(0): (None, None)}, {out(1): KEPT}) == {"s_axis_0": [1, 2, 3, 5]}


def test_an_arbiter_without_targets_swallows_packets():
    found = edges({0: stream((1, 2), (1, 1))}, {source(0): (SwitchSlot(1, arbiter=3),)}, {out(1): KEPT})
    assert found == {"s_axis_0": [1, 2, 3, 5, 6]}


def test_three_sources_take_turns():
    inputs = {x: stream((x + 1, 1), (x + 1, 1)) for x in range(3)}
    found = edges(inputs, {source(x): ANY for x in range(3)}, {out(3): KEPT})
    # Grants at 0, 3, 6, 9, 12, 15; each packet at the two edges behind.
    assert found["s_axis_0"] == [1, 2, 10, 11]
    assert found["s_axis_1"] == [4, 5, 13, 14]
    assert found["s_axis_2"] == [7, 8, 16, 17]
    assert values(inputs, {source(x): ANY for x in range(3)}, {out(3): KEPT})["m_axis_3"] == [
        *(1, 101, 2, 201, 3, 301),
        *(1, 101, 2, 201, 3, 301),
    ]


def test_the_turn_begins_behind_the_last_grant():
    # Source 1 is granted first, so at edge 3 source 2 comes before source 0, and 0 before 1.
    inputs = {0: stream((1, 1), gaps=[1, 0]), 1: stream((2, 1), (2, 1)), 2: stream((3, 1), gaps=[3, 0])}
    found = edges(inputs, {source(x): ANY for x in range(3)}, {out(3): KEPT})
    assert (found["s_axis_1"], found["s_axis_2"], found["s_axis_0"]) == ([1, 2, 10, 11], [4, 5], [7, 8])


def test_a_request_at_the_edge_of_the_last_word_comes_too_late_for_it():
    # The arbiter is free from edge 3 on, for both; source 1 asks at 2 and at 3.
    inputs = {0: stream((1, 1)), 1: stream((2, 0), gaps=[2])}
    assert edges(inputs, {source(0): ANY, source(1): ANY}, {out(3): KEPT})["s_axis_1"] == [4]


def test_each_arbiter_grants_at_the_same_edge():
    senders = {source(0): ANY, source(1): (SwitchSlot(0, mask=0, arbiter=7),)}
    found = edges({0: stream((1, 2)), 1: stream((1, 2))}, senders, {out(0): KEPT, out(1): SwitchTaker(7)})
    assert found == {"s_axis_0": [1, 2, 3], "s_axis_1": [1, 2, 3], "m_axis_0": [2, 3, 4], "m_axis_1": [2, 3, 4]}


def test_the_lowest_slot_that_matches_counts():
    slots = (None, SwitchSlot(7, mask=0x1C), SwitchSlot(5, msel=1), SwitchSlot(9, msel=2))
    takers = {out(x): SwitchTaker(0, msels=1 << x) for x in range(3)}
    # Ids 4 to 7 take the first one, whatever it has in the bits outside its mask.
    inputs = {0: stream((5, 0), (4, 0), (9, 0), (8, 0))}
    assert values(inputs, {source(0): slots}, takers) == {"m_axis_0": [5, 4], "m_axis_2": [9]}


def test_only_five_bits_are_the_id():
    word = Trace.from_bytes(np.array([0xFFFFFFE3], "<u4").view(np.uint8).reshape(1, 4), last=[True], clock_ps=1000)
    assert values({0: word}, {source(0): (SwitchSlot(3),)}, {out(1): KEPT}) == {"m_axis_1": [0xFFFFFFE3]}


def test_msels_choose_the_targets_of_an_arbiter():
    slots = tuple(SwitchSlot(m, arbiter=2, msel=m) for m in range(4))
    takers = {out(0): SwitchTaker(2, msels=0b0101), out(1): SwitchTaker(2, msels=0b0011), out(2): SwitchTaker(1, 0xF)}
    found = values({0: stream(*((m, 0) for m in range(4)))}, {source(0): slots}, takers)
    assert found == {"m_axis_0": [0, 2], "m_axis_1": [0, 1]}


def test_a_packet_without_end_keeps_its_arbiter():
    inputs = {0: endless(stream((1, 2))), 1: stream((2, 2))}
    assert edges(inputs, {source(0): ANY, source(1): ANY}, {out(3): KEPT}) == {
        "s_axis_0": [1, 2, 3],
        "m_axis_3": [2, 3, 4],
    }


def test_a_word_without_room_holds_back_the_packets_behind():
    slots = (SwitchSlot(1, arbiter=0), SwitchSlot(2, arbiter=1))
    takers = {out(1): SwitchTaker(0), out(2): SwitchTaker(1)}
    closed = {1: NEVER_READY}
    inputs = {0: stream((1, 1), (2, 1)), 1: stream((2, 1), gaps=[9, 0])}
    senders = {source(0): slots, source(1): slots}
    assert edges(inputs, senders, takers, ready=closed)["m_axis_2"] == [5, 6, 11, 12]
    inputs[0] = stream((1, 2), (2, 1))
    # Another source passes.
    assert edges(inputs, senders, takers, ready=closed) == {
        "s_axis_0": [1, 2],
        "s_axis_1": [10, 11],
        "m_axis_2": [11, 12],
    }


def test_packets_and_circuits_have_nothing_to_do_with_each_other():
    inputs, senders = {0: stream((1, 1)), 1: stream((1, 1))}, {source(0): ANY}
    # A circuit from a packet source gives nothing, and a packet target nothing takes part in a circuit.
    routes = {out(0): source(0), out(2): source(1)}
    found = edges(inputs, senders, {out(1): KEPT}, routes=routes)
    assert found == {"s_axis_0": [1, 2], "s_axis_1": [0, 1], "m_axis_1": [2, 3], "m_axis_2": [1, 2]}
    params, stimulus = switched(inputs, {}, {}, routes={out(0): source(1)})
    both = Access("write", 0x1000 + 4 * out(0), 0x300 | source(1))
    stimulus.program["sw_axil"] = (*stimulus.program["sw_axil"], both)
    assert len(predict(params, stimulus).ports["m_axis_0"]) == 0


def test_a_worker_between_packets():
    senders = {source(0): ANY, SHAPE.source("worker", 0): (SwitchSlot(3, arbiter=1),)}
    takers = {SHAPE.target("worker", 0): SwitchTaker(0), out(1): SwitchTaker(1)}
    inputs = {0: stream((1, 2), (2, 0), (1, 0))}
    # It adds 2 to the header too: 1 becomes 3, which matches, and 2 becomes 4, which is lost.
    found = edges(inputs, senders, takers, workers={0: (2, 5)})
    # Into it at 1, 2, then room behind its header's move at 3: 4; the header is there and granted at 2, moves at 3.
    # The one of 4 leaves at 5. It works until 11. The next packets come in at 6 and 8.
    assert found["s_axis_0"] == [1, 2, 4, 6, 8]
    # Behind 5: idle; the word of 6 is there at 11, lost at 12. Behind that 5 edges more: there at 18, moves at 19.
    assert found["m_axis_1"] == [4, 5, 6, 20]
    assert values(inputs, senders, takers, workers={0: (2, 5)}) == {"m_axis_1": [3, 103, 104, 3]}


def sending(length=4, packet=(6, 2), count=1):
    """An engine whose first channel from memory sends packets."""
    chain = {n: Descriptor(0, length, packet=packet, next=n + 1 if n + 1 < count else None) for n in range(count)}
    return engine_program(chain, [EngineTask(SHAPE.engine.ns, 0)], memory={0: np.arange(10, 10 + length)})


def taking(length):
    """An engine whose first channel to memory takes so many words."""
    return engine_program({0: Descriptor(0, length)}, [EngineTask(0, 0)])


def test_an_engine_sends_headers():
    senders = {SHAPE.source("engine", 0, 1): (SwitchSlot(6),)}
    sent = {1: sending(count=2)}
    by_circuit = edges({}, {}, {}, routes={out(0): SHAPE.source("engine", 0, 1)}, engines=sent)["m_axis_0"]
    # Trigger 0; pop 1, fetch 2, NEXT 3, CUR 4; issue 5, there 8, out 9. The second BD follows at once.
    assert by_circuit == [9, 10, 11, 12, 13, 14, 15, 16, 17, 18]
    assert edges({}, senders, {out(0): KEPT}, engines=sent)["m_axis_0"] == [*range(10, 15), *range(16, 21)]
    words = values({}, senders, {out(0): KEPT}, engines=sent)["m_axis_0"]
    assert words == [header_word(6, 2), 10, 11, 12, 13] * 2


def test_from_engine_to_engine():
    senders = {SHAPE.source("engine", 0, 0): (SwitchSlot(6),)}
    takers = {SHAPE.target("engine", 0, 1): DROPPED}
    params, stimulus = switched({}, senders, takers, engines={0: sending(), 1: taking(4)})
    ports = predict(params, stimulus).ports
    # The header moves at 9, the last word at 13, is at the engine at 14; its event is one edge later.
    assert ports[f"evt_{SHAPE.engine.channels}"].cycle.tolist() == [15]


def test_out_of_a_tile_under_npu1():
    senders = {SHAPE.source("engine", 0, 0): (SwitchSlot(6),)}
    routes = {out(0): SHAPE.source("engine", 0, 0)}
    npu1 = {"PROFILE": 1}
    circuit = edges({}, {}, {}, routes=routes, engines={0: sending()}, params=npu1)["m_axis_0"]
    packet = edges({}, senders, {out(0): KEPT}, engines={0: sending()}, params=npu1)["m_axis_0"]
    # The same way of four edges; then the arbiter's one.
    assert packet == [edge + 1 for edge in circuit]
    # Two packets: one edge between the last word and the grant is gained behind the bubble of the second BD.
    twice = edges({}, senders, {out(0): KEPT}, engines={0: sending(count=2)}, params=npu1)["m_axis_0"]
    assert np.diff(twice).tolist() == [1, 1, 1, 1, 2, 1, 1, 1, 1]


def closed_and_open(words):
    """X13: packets for the closed engine 0 and the open engine 1."""
    slots = (SwitchSlot(0), SwitchSlot(1, arbiter=1))
    takers = {SHAPE.target("engine", 0, 0): DROPPED, SHAPE.target("engine", 0, 1): SwitchTaker(1, drop_header=True)}
    return switched(
        {0: stream((0, words), (1, 4))}, {source(0): slots}, takers, engines={1: taking(4)}, params={"PROFILE": 1}
    )


def test_a_closed_tile_takes_eight_words_of_a_packet():
    params, stimulus = closed_and_open(8)
    ports = predict(params, stimulus).ports
    # Header 1, words 2 to 9; header 11, words 12 to 15; three edges into the tile: 15 to 18; into memory one later.
    assert ports["s_axis_0"].cycle.tolist() == [*range(1, 10), *range(11, 16)]
    assert ports[f"evt_{SHAPE.engine.channels}"].cycle.tolist() == [20]
    assert hanging(params, stimulus) == [(), ()]


def test_the_ninth_word_blocks_the_other_packet():
    params, stimulus = closed_and_open(9)
    ports = predict(params, stimulus).ports
    assert ports["s_axis_0"].cycle.tolist() == [*range(1, 10)]
    assert hanging(params, stimulus) == [(), (Hang(0, "input", 0),)]


def test_outside_and_workers_are_on_no_tile_under_npu1():
    inputs, senders = {0: stream((1, 3))}, {source(0): ANY}
    ideal, npu1 = (edges(inputs, senders, {out(1): KEPT}, params={"PROFILE": p}) for p in (0, 1))
    assert ideal == npu1
    by_worker = {"routes": {out(0): SHAPE.source("worker", 0)}, "params": {"PROFILE": 1}}
    assert edges(inputs, senders, {SHAPE.target("worker", 0): KEPT}, **by_worker)["m_axis_0"] == [3, 4, 5, 6]


def test_a_header_from_memory_that_nobody_has_written():
    program = engine_program({0: Descriptor(7, 4)}, [EngineTask(SHAPE.engine.ns, 0)])
    with pytest.raises(UsageError, match="the header of a packet is word 7 of the memory, which nobody has written"):
        edges({}, {SHAPE.source("engine", 0, 0): ANY}, {out(0): KEPT}, engines={0: program})


def test_registers_of_packets():
    accesses = []
    for address in (0x1400, 0x1400 + 4 * (SHAPE.sources - 1), 0x2000, 0x2000 + 4 * (4 * SHAPE.sources - 1)):
        accesses += [Access("read", address), Access("write", address, 0xFFFFFFFF), Access("read", address)]
    accesses += [Access("write", 0x2000, 0, strobe=7), Access("read", 0x2000)]
    accesses += [Access("read", 0x1400 + 4 * SHAPE.sources), Access("read", 0x2000 + 16 * SHAPE.sources)]
    given = Stimulus({}, {}, {"aclk": CLOCK}, {"sw_axil": tuple(accesses)})
    replies = predict_accesses(PARAMS, given)["sw_axil"]
    held = [(0, False), (None, False), (1, False)] * 2 + [(0, False), (None, False), (0x07311F1F, False)] * 2
    assert replies == [*held, (None, True), (0x07311F1F, False), (None, True), (None, True)]


@pytest.mark.parametrize(
    ("senders", "takers", "text"),
    [
        ({0: (SwitchSlot(1),) * 5}, {}, "source 0 of the switch has 4 packet slots, 5 are needed"),
        ({3: (SwitchSlot(32),)}, {}, "slot 0 of source 3 of the switch: ID = 32, expected 0 to 31"),
        ({3: (SwitchSlot(1, arbiter=8),)}, {}, "ARBITER = 8, expected 0 to 7"),
        ({}, {2: SwitchTaker(0, msels=16)}, "target 2 of the switch: MSELS = 16, expected 0 to 15"),
    ],
)
def test_what_the_registers_cannot_hold(senders, takers, text):
    with pytest.raises(UsageError, match=text):
        packet_writes(senders, takers)
