# SPDX-License-Identifier: Apache-2.0
"""Random packet traffic on the array: what the scenes contain, and many of them in RTL."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from turns import in_turn

from goldbeat.pymodels.objfifo.engine import array
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.packet_switch import PacketSwitch
from goldbeat.pymodels.objfifo.engine.switch_registers import SwitchRegisters
from goldbeat.pymodels.objfifo.plan.plan import Bd, Direction, DmaChannel, PacketHeader, Task, TilePlan
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.objfifo.bench_array import DESIGN
from goldbeat.tb.designs.objfifo.payload import payload
from goldbeat.tb.run.runs import Request, run


class Counted:
    """A source that tells what is taken from it."""

    def __init__(self, words, slots, value, kind, found):
        self.words, self.slots, self.value, self.kind, self.found = words, slots, value, kind, found
        self.begins = True
        self.there, self.peek = words.there, words.peek
        self.taken = -1

    def slot(self):
        """The slot of a header that is there."""
        header = self.value(self.peek()[0])
        return next((slot for slot in self.slots if slot.matches(header)), None)

    def take(self, edge):
        if self.begins:
            self.now = self.slot()
            self.found[f"of {self.kind}"] += 1
            self.found["one word"] += self.now is not None and self.peek()[1]
        self.kept = (self.kind, "header" if self.begins else "word", self.now)
        self.taken, word = edge, self.words.take(edge)
        self.begins = word[1]
        return word


class Observed(PacketSwitch):
    """The switch, and what happens in it."""

    def __init__(self, sources, targets, value, shape, found):
        self.found = found
        self.counted = {n: Counted(*end, value, kind_of(shape, n), found) for n, end in sources.items()}
        self.takers = [taker for taker, _ in targets]
        super().__init__({n: (one, one.slots) for n, one in self.counted.items()}, targets, value)

    def step(self, edge):
        there = [one for one in self.counted.values() if one.there() <= edge]
        asking = [slot.arbiter for one in there if one.begins and (slot := one.slot()) is not None]
        self.found["contended"] += len(set(asking)) < len(asking)
        super().step(edge)
        for one in there:
            if one.taken != edge:
                self.found["waits"] += not one.begins
                continue
            _, what, slot = one.kept
            if slot is None:
                self.found["lost"] += 1
                continue
            mine = [t for t in self.takers if t.arbiter == slot.arbiter and t.msels >> slot.msel & 1]
            self.found[f"{what} to {min(len(mine), 2)}"] += 1
            self.found["dropped"] += what == "header" and any(t.drop_header for t in mine)
            self.found["kept"] += what == "header" and any(not t.drop_header for t in mine)


def seen_in(shape: ArrayShape, params, stimulus, monkeypatch) -> Counter[str]:
    """What happens in an episode of the model."""
    found: Counter[str] = Counter()
    with monkeypatch.context() as patch:
        patch.setattr(array, "PacketSwitch", lambda *given: Observed(*given, shape, found))
        array.predict(params, stimulus)
    return found


def kind_of(shape: ArrayShape, source: int) -> str:
    if source < shape.engines * shape.engine.nm:
        return "engine"
    return "outside" if source < shape.source("worker", 0) else "worker"


@pytest.mark.parametrize("profile", [0, 1])
def test_scenes_have_everything(profile, monkeypatch):
    request = Request(DESIGN, DESIGN.case("packets_random"), params={"NX": 4, "NW": 2, "PROFILE": profile})
    shape = ArrayShape.of(request.all_params)
    found: Counter[str] = Counter()
    for seed in range(60):
        (stimulus,) = request.case.make(request.setting(seed))
        found += seen_in(shape, request.all_params, stimulus, monkeypatch)
        switch = SwitchRegisters(shape)
        switch.apply(stimulus.program["sw_axil"])
        takers = switch.takers()
        found["to a worker"] += any(t >= shape.target("worker", 0) for t in takers)
        found["to an engine"] += any(t < shape.target("outside", 0) for t in takers)
        senders = switch.packet_sources()
        found["circuit"] += any(source not in senders for source in switch.circuits().values())
        found["circuit of packets"] += any(source in senders for source in switch.circuits().values())
        found["no end"] += sum(
            len(trace) > 0 and not trace.last[-1]
            for x in range(shape.outside)
            if shape.source("outside", x) in senders
            for trace in (stimulus.inputs[f"s_axis_{x}"],)
        )
        found["never started"] += sum(f"s_axil_{e}" not in stimulus.program for e in range(shape.engines))
    least = {
        **dict.fromkeys(("header to 0", "header to 1", "header to 2", "word to 0", "word to 1", "word to 2"), 100),
        **dict.fromkeys(("lost", "waits", "contended", "of engine", "of outside"), 100),
        **dict.fromkeys(("of worker", "one word", "kept", "dropped", "to a worker", "to an engine"), 30),
        **dict.fromkeys(("circuit", "circuit of packets", "no end", "never started"), 10),
    }
    assert {name: count for name, count in least.items() if found[name] < count} == {}


def test_payload_is_what_leaves_without_headers():
    header = PacketHeader(1)
    ring = (Bd(4, "b", 0, 3, next=5, packet=header), Bd(5, "b", 0, 2, next=4), Bd(9, "b", 0, 1, packet=header))
    ringing = DmaChannel(Direction.MM2S, 1, "f", ring[:2], (Task(4),))
    ending = DmaChannel(Direction.MM2S, 2, "g", ring[2:], (Task(9, 1), Task(9)))
    tile = TilePlan(Tile(0, 1, TileKind.MEM), (), (), (ringing, ending))
    words = Trace.from_bytes(np.arange(48, dtype=np.uint8).reshape(12, 4), clock_ps=1000)
    # Header, three words, two words, header, three, two.
    assert payload(tile, 1, words).data[:, 0].tolist() == [4, 8, 12, 16, 20, 28, 32, 36, 40, 44]
    assert payload(tile, 2, words[:6]).data[:, 0].tolist() == [4, 12, 20]
    assert payload(tile, 0, words) is words


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("params", [{}, {"NX": 4, "NW": 2, "PROFILE": 1}], ids=["ideal", "npu1"])
def test_many_seeds_of_packets(params, tmp_path):
    results = run(Request(DESIGN, DESIGN.case("packets_random"), in_turn(range(200)), params), tmp_path)
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])
    assert sum(r.compared for r in results) > 2_000
