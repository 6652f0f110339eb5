# SPDX-License-Identifier: Apache-2.0
"""Random packet traffic on the array: what the scenes contain, and many of them in RTL."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from goldbeat.pymodels.objfifo.engine.array import predict
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.packet_switch import PacketSwitch
from goldbeat.pymodels.objfifo.engine.registers import EngineShape
from goldbeat.pymodels.objfifo.engine.switch_registers import SwitchRegisters
from goldbeat.pymodels.objfifo.plan.plan import Bd, Direction, DmaChannel, PacketHeader, Task, TilePlan
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.objfifo.bench_array import DESIGN
from goldbeat.tb.designs.objfifo.payload import payload
from goldbeat.tb.run.runs import Request, run


def seen_in(shape: ArrayShape, stimulus, monkeypatch) -> Counter[str]:
    """What happens in an episode of the model."""
    found: Counter[str] = Counter()
    move, grant = PacketSwitch._move, PacketSwitch._grant

    def moving(self, edge, sender):
        dropping, header, slot = sender.dropping, sender.header, sender.granted
        receivers = 0 if dropping else len(self._receivers(sender))
        word, there = sender.words.peek(), sender.words.there()
        move(self, edge, sender)
        stays = sender.granted is slot and sender.words.there() == there
        kind = "lost" if dropping else "header" if header else "word"
        found[kind] += 1
        found[f"{kind} to {min(receivers, 2)}"] += not dropping
        found["one word"] += header and not dropping and word[1]
        found["waits"] += stays and not dropping

    def granting(self, edge, arbiter, number, slot):
        found["grant"] += 1
        contenders = [n for n, s in self._senders.items() if n != number and s.there() <= edge and s.granted is None]
        found["contended"] += any(
            (other := self._slot(self._senders[n])) is not None and other.arbiter == arbiter for n in contenders
        )
        found[f"of {kind_of(shape, number)}"] += 1
        grant(self, edge, arbiter, number, slot)

    with monkeypatch.context() as patch:
        patch.setattr(PacketSwitch, "_move", moving)
        patch.setattr(PacketSwitch, "_grant", granting)
        predict({**DESIGN_PARAMS, "PROFILE": int(shape.engine.profile)}, stimulus)
    return found


def kind_of(shape: ArrayShape, source: int) -> str:
    if source < shape.engines * shape.engine.nm:
        return "engine"
    return "outside" if source < shape.source("worker", 0) else "worker"


DESIGN_PARAMS = Request(DESIGN, DESIGN.case("packets_random"), params={"NX": 4, "NW": 2}).all_params


@pytest.mark.parametrize("profile", [0, 1])
def test_scenes_have_everything(profile, monkeypatch):
    request = Request(DESIGN, DESIGN.case("packets_random"), params={"NX": 4, "NW": 2, "PROFILE": profile})
    shape = ArrayShape.of(request.all_params)
    found: Counter[str] = Counter()
    for seed in range(60):
        (stimulus,) = request.case.make(request.setting(seed))
        found += seen_in(shape, stimulus, monkeypatch)
        switch = SwitchRegisters(shape)
        switch.apply(stimulus.program["sw_axil"])
        takers = switch.takers()
        found["kept"] += sum(not t.drop_header for t in takers.values())
        found["dropped"] += sum(t.drop_header for t in takers.values())
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
    assert EngineShape.of(DESIGN_PARAMS).lanes == 1
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
def test_200_seeds_of_packets(params, tmp_path):
    results = run(Request(DESIGN, DESIGN.case("packets_random"), range(200), params), tmp_path)
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])
    assert sum(r.compared for r in results) > 20_000
