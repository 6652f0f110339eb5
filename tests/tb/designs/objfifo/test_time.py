# SPDX-License-Identifier: Apache-2.0
"""``goldbeat objfifo time``: every cycle of the chain has a cause, and no bound is larger than the time that it bounds."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise, starmap

import numpy as np
import pytest
from objfifo_cli import goldbeat
from objfifo_links import Draft
from objfifo_scripts import ADD_ONE, IRREGULAR

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.array import ArrayRun, predict
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.core_stream import ACQUIRE_CYCLES, HEADER_CYCLES
from goldbeat.pymodels.objfifo.engine.critical_chain import (
    ChainSegment,
    CriticalChain,
    CriticalEvent,
    HostStream,
    TimePart,
)
from goldbeat.pymodels.objfifo.engine.npu1_controller import DISPATCH_GAP, WAIT_CYCLES
from goldbeat.pymodels.objfifo.engine.registers import TimingProfile
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.device import ANY
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.tb.designs.objfifo import whole
from goldbeat.tb.designs.objfifo.array_case import host_tasks, placed_design, timed_scene
from goldbeat.tb.designs.objfifo.bench_array import DESIGN
from goldbeat.tb.designs.objfifo.time_report import array_names, folded
from goldbeat.tb.designs.objfifo.whole import place_plan
from goldbeat.tb.run.runs import Request

SWEEP = """
import sys
import numpy as np
from aie.dialects.aie import *
from aie.dialects.aiex import *
from aie.extras.context import mlir_mod_ctx
count = int(sys.argv[1])
part = np.ndarray[(64,), np.dtype[np.int32]]
host = np.ndarray[(64 * count,), np.dtype[np.int32]]
with mlir_mod_ctx() as ctx:
    @device(AIEDevice.npu1_1col)
    def body():
        s, m = tile(0, 0), tile(0, 1)
        x, y = object_fifo("x", s, m, 2, part), object_fifo("y", m, s, 2, part)
        object_fifo_link(x, y)
        @runtime_sequence(host, host)
        def seq(a, b):
            for k in range(count):
                at = dict(offsets=[0, 0, 0, 64 * k], sizes=[1, 1, 1, 64], strides=[0, 0, 0, 1], issue_token=True)
                npu_dma_memcpy_nd(metadata=x, bd_id=k % 8, mem=a, **at)
                npu_dma_memcpy_nd(metadata=y, bd_id=8 + k % 8, mem=b, **at)
                dma_wait(x, y)
    print(ctx.module)
"""


def timed(tmp_path, text, *arguments):
    (tmp_path / "design.py").write_text(text)
    done = goldbeat("objfifo", "time", tmp_path / "design.py", "--json", *arguments)
    assert done.code == 0, done.stderr
    found = json.loads(done.stdout)
    assert_whole([ChainSegment(s["begin"], s["end"], TimePart(s["part"]), s["what"]) for s in found["chain"]])
    assert all(one["cycles"] <= found["cycles"] for one in found["bounds"])
    return found


def assert_whole(chain):
    """It begins at the start, and has no hole."""
    assert chain[0].begin == 0
    assert all(one.end == other.begin and one.cycles > 0 for one, other in pairwise(chain))


@pytest.mark.parametrize("count", [2, 4])
def test_a_sweep_of_waits_is_the_controllers(tmp_path, count):
    found = timed(tmp_path, SWEEP, "--", count)
    waits = [s["end"] - s["begin"] for s in found["chain"] if s["what"] == "from a wait to the next write"]
    assert waits == [WAIT_CYCLES] * (count - 1)
    assert found["parts"]["arbitration"] == 0
    # S8: from the end of a drain to the start of the next one.
    assert found["tasks"][1]["between"] == DISPATCH_GAP
    ends = found["tasks"][1]["ended"]
    assert found["cycles"] == ends[-1]
    # Two descriptors, two tokens, two queues a wait (S10, S11).
    (writes,) = (one["cycles"] for one in found["bounds"] if one["part"] == "controller")
    assert writes == count * 2 * (203 + 210 + 100.5) + (count - 1) * WAIT_CYCLES


def test_what_a_core_computes_is_on_the_chain(tmp_path):
    quick, slow = (timed(tmp_path, ADD_ONE, "--work", work) for work in (0, 100))
    more = slow["cycles"] - quick["cycles"]
    assert 7 * 100 < more <= 8 * 100
    assert slow["parts"]["cores"] - quick["parts"]["cores"] == more
    (bound,) = (one for one in slow["bounds"] if one["part"] == "cores")
    # Eight objects of eight words: four requests of 14 cycles, two stalls (L1, L3).
    assert bound["cycles"] == 8 * (8 + 4 * 14 + 2 + 100)
    # Its input has two buffers, each of which is taken as long as an object is in work.
    (pool,) = (one for one in slow["bounds"] if one["what"] == "to_cons")
    assert 8 * (8 + 100) / 2 < pool["cycles"] < bound["cycles"]


SETTING = Request(DESIGN, DESIGN.case("chain"), params={"NX": 8, "PROFILE": 1}).setting(0)


def random_chain(seed, packets):
    """A random design of links on the array, and its chain."""
    for attempt in range(50):
        rng = np.random.default_rng([seed, attempt])
        design = FifoDesign(ANY, (draft := Draft(rng)).fifos, draft.links)
        made, context = plan(design, packets=packets), SETTING
        try:
            whole = place_plan(design, made, ArrayShape.of(context.params), "workers")
        except UsageError:
            continue  # The engines or the arbiters do not suffice.
        supply = {f.name: 4 * f.obj.words for f in design.fifos if f.name in whole.sources}
        run = ArrayRun(context.params, whole.stimulus(rng, context.clocks, supply))
        host = {}
        for ends, port in ((whole.sources, "s_axis"), (whole.sinks, "m_axis")):
            for fifo, x in ends.items():
                cycles = run.outcome().ports[f"{port}_{x}"].cycle
                end = (float(cycles[-1] + 1),)
                host[fifo, port, 0] = HostStream(
                    fifo, x, port == "s_axis", (0,), (len(cycles) - 1,), (0.0,), end, (0.0,)
                )
        return run, CriticalChain(run, array_names(made, whole), host, [])
    raise AssertionError("no design fits")


def events(run):
    """Every word that moves anywhere, and every descriptor that starts."""
    for h, hop in enumerate(run.hops):
        yield from (("move", h, 0, n) for n in range(len(hop.edges)))
    for s, sender in enumerate(run.packets.senders.values()):
        yield from (("sent", s, 0, n) for n in range(len(sender.edges)))
    for e, engine in enumerate(run.engines):
        for c, edges in enumerate(engine.edges):
            kind, words = ("take", "takes") if c < engine.shape.ns else ("fetch", "fetches")
            yield from ((kind, e, c, n) for n in range(len(getattr(engine.ends[c], words))))
            yield from (("start", e, c, d) for d in range(len(edges.started)))
            yield from (("grant", e, c, d) for d, edge in enumerate(edges.granted) if edge >= 0)
            yield from (("enter", e, c, d) for d in range(len(edges.entered)))
            yield from (("load", e, c, d) for d in range(len(edges.fetched)))


@pytest.mark.parametrize("packets", [False, True])
def test_every_event_of_random_designs_is_explained(packets):
    late, early, count, locks, total = Counter(), 0, 0, 0, 0
    for seed in range(12):
        run, chain = random_chain(seed, packets)
        segments = chain.segments()
        assert_whole(segments)
        locks += sum(one.cycles for one in segments if one.part is TimePart.LOCKS)
        total += segments[-1].end
        for event in starmap(CriticalEvent, events(run)):
            spare = chain.spare(event)
            count += 1
            early += spare < 0
            late[event.kind] += spare > 0
    assert count > 4000
    assert early == 0
    assert locks > 0.1 * total
    # Arbitration: a bank that serves another channel, now and then; grants of packets, more often.
    assert late["start"] == late["grant"] == late["enter"] == late["load"] == late["move"] == 0
    assert 0 < late["take"] + late["fetch"] < 0.02 * count
    assert 0 < late["sent"] < 0.05 * count if packets else not late["sent"]


def test_headers_of_a_core_are_explained(tmp_path):
    (tmp_path / "design.py").write_text(IRREGULAR)
    case = DESIGN.case("design")
    options = {**case.options, "design": str(tmp_path / "design.py"), "work": "30"}
    context = Request(DESIGN, case, params={"PROFILE": 1}, options=options).setting(0)
    stimulus, run = timed_scene(context)
    executed, whole = placed_design(context)
    (at,) = whole.cores.values()
    assert run.engines[at[0]].channels[at[1]].by_header
    host, starts = host_tasks(context, executed, whole).side(run.outcome().ports)
    chain = CriticalChain(run, array_names(executed.planned.plan, whole), host, starts)
    assert_whole(chain.segments())
    spare = Counter((event.kind, chain.spare(event)) for event in starmap(CriticalEvent, events(run)))
    # Banks serve another channel now and then.
    assert {kind for kind, cycles in spare if cycles} <= {"take", "fetch"}
    assert all(cycles >= 0 for _, cycles in spare)
    assert spare["load", 0] > 24 * 5
    assert predict(context.params, stimulus).ports["m_axis_0"].cycle.tolist() == run.outside[0].left


def drained(path, work):
    """When the host's words leave the array."""
    path.write_text(ADD_ONE)
    case = DESIGN.case("design")
    options = {**case.options, "design": str(path), "work": work}
    _, run = timed_scene(Request(DESIGN, case, params={"PROFILE": 1}, options=options).setting(0))
    return run.outside[0].left


@pytest.mark.parametrize("work", ["0", "40"])
def test_requests_with_headers_are_as_far_apart(tmp_path, monkeypatch, work):
    in_tasks = drained(tmp_path / "tasks.py", work)
    monkeypatch.setattr(whole, "rolled", lambda sequence, most: None)
    with_headers = drained(tmp_path / "headers.py", work)
    # The header in front of the first acquire comes while the core waits for its first object.
    early = HEADER_CYCLES[TimingProfile.NPU1] + ACQUIRE_CYCLES
    assert len(in_tasks) == 64
    assert [one - other for one, other in zip(in_tasks, with_headers, strict=True)] == [early] * 64


def test_repeats_are_one_row():
    names = "a" + "bc" * 3 + "d"
    chain = [ChainSegment(n, n + 1, TimePart.STREAMS, name) for n, name in enumerate(names)]
    rows = [(row.segment.what, row.times, row.cycles, row.end) for row in folded(chain)]
    assert rows == [("a", 1, 1, 1), ("b", 3, 3, 6), ("c", 3, 3, 7), ("d", 1, 1, 8)]


def test_people_see_each_part_and_the_chain(tmp_path):
    (tmp_path / "design.py").write_text(SWEEP)
    done = goldbeat("objfifo", "time", tmp_path / "design.py", "--", 3)
    assert done.code == 0
    words = " ".join(done.stdout.split())
    for wanted in ("where the time goes", "controller", "writes and waits", "the critical chain", "the host's tasks"):
        assert wanted in words


@pytest.mark.parametrize(
    ("name", "text", "code", "said"),
    [
        ("design.py", "this is no Python", 2, "design.py:1"),
        ("design.py", SWEEP.replace("npu_dma_memcpy_nd(metadata=x", "dict(metadata=x"), 1, "hangs"),
        ("design.py", "import goldbeat", 2, "design.py"),
    ],
)
def test_what_cannot_be_timed(tmp_path, name, text, code, said):
    (tmp_path / name).write_text(text)
    done = goldbeat("objfifo", "time", tmp_path / name, "--", 2)
    assert done.code == code
    assert said in done.stdout + done.stderr
