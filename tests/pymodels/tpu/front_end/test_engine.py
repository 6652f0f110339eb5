# SPDX-License-Identifier: Apache-2.0
"""The golden model of the command front end against numbers worked out by hand from docs/tpu-engine.md."""

import numpy as np
import pytest
from tpu_programs import CHIPS, Builder, message, random_program

from goldbeat.pymodels.axi.memory import MemoryTiming, Region
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.tpu.front_end import engine as model
from goldbeat.pymodels.tpu.front_end.engine import (
    FETCH_LATENCY,
    Front,
    FrontEndSettings,
    GroupSettings,
    StreamSettings,
    run_front_end,
)
from goldbeat.pymodels.tpu.front_end.heads import ERRORS
from goldbeat.pymodels.tpu.streams.decode import decode_stream
from goldbeat.pymodels.tpu.streams.schedule import lane, schedule
from goldbeat.pymodels.tpu.streams.tables import chip

NOP = ("SYS", 1, 0)
DMA_NOP = ("sDMA_sys", 1, 0)


def front(name="BM1690", **more) -> Front:
    return Front(chip=CHIPS.index(name), **more)


def test_the_first_command_of_an_idle_design():
    made = Builder(front())
    made.group(e0=[NOP])
    timing = [MemoryTiming(read_latency=5)] * 2
    found = run_front_end(made.front, made.program(), made.regions, timing, trigger=10)
    tiu = found.engines[0]
    # Trigger 10, pop 11, asked for at 12, offered in 13, taken there, first beat at 18: transfer 4 later.
    assert found.pops == [[11]]
    assert tiu.offered.tolist() == tiu.handshake.tolist() == [13]
    assert tiu.start.tolist() == [18 + FETCH_LATENCY, 19 + FETCH_LATENCY]
    assert tiu.end.tolist() == tiu.start.tolist()
    # The rest of the block: beats 2 to 7 come at 20 to 25, the last is discarded at 27, DONE at 28, hand-over 29.
    assert tiu.done == (28,)
    assert found.engines[1].done == (11,)
    assert found.handovers == [[29]]
    assert (found.irq_status, found.current, found.error) == (1, [2, 0], None)


def test_one_command_a_cycle():
    made = Builder(front())
    made.group(e0=[NOP] * 400, e1=[DMA_NOP] * 400)
    found = run_front_end(made.front, made.program(), made.regions)
    for one in found.engines:
        assert len(one) == 401
        assert (np.diff(one.start) == 1).all()
        assert one.id.tolist() == list(range(1, 402))


@pytest.mark.parametrize(("latency", "gapless"), [(53, True), (54, False)])
def test_a_latency_is_hidden_by_the_blocks_that_are_buffered(latency, gapless):
    # A block's credit comes back with its last beat at t; the block asked for then can be taken from t + 4 + L on, and is
    # wanted at t + 1 + 8 * (DEPTH - 1): exact, where the page has a bound that is enough (8 * DEPTH >= L + 14).
    made = Builder(front(depth=8))
    made.group(e0=[NOP] * 800)
    timing = [MemoryTiming(read_latency=latency, max_reads=64)] * 2
    found = run_front_end(made.front, made.program(), made.regions, timing)
    assert bool((np.diff(found.engines[0].start) == 1).all()) == gapless


def test_starts_follow_ends():
    made = Builder(front())
    made.group(e0=[("SYS", 1, 1), NOP], e1=[DMA_NOP, ("sDMA_sys", 1, 2)])
    tables = {0: np.arange(1024) % 7 * 3 + 20, 1: np.full(1024, 50)}
    found = run_front_end(made.front, made.program(duration_mode=2, tables=tables), made.regions)
    tiu, dma = found.engines
    first = int(dma.start[0])
    assert dma.end[0] == first + 49
    assert tiu.start[0] == first + 50
    assert tiu.end[0] == tiu.start[0] + 22
    assert tiu.start[1] == tiu.end[0] + 1
    assert dma.start[1] == tiu.end[1] + 1
    assert (tiu.end - tiu.start + 1).tolist() == [23, 26, 29]


def test_durations_by_kind():
    made = Builder(front())
    made.group(e0=[NOP, ("SYS", 2, 0), ("sAR", 14, 0)])
    table = np.ones(1024, np.int64)
    table[15 << 5 | 2] = 9
    table[1 << 9 | 3 << 5 | 14] = 30
    found = run_front_end(made.front, made.program(duration_mode=1, tables={0: table}), made.regions)
    tiu = found.engines[0]
    assert (tiu.end - tiu.start + 1).tolist() == [1, 9, 30, 1]
    assert tiu.kind.tolist() == [15 << 5 | 1, 15 << 5 | 2, 1 << 9 | 3 << 5 | 14, 15 << 5 | 31]
    with pytest.raises(UsageError, match="not written"):
        run_front_end(made.front, made.program(duration_mode=1), made.regions)


def test_ids_start_anew_in_each_group():
    made = Builder(front())
    made.group(e0=[("SYS", 1, 1)] * 3, e1=[DMA_NOP] * 2)
    made.group(e0=[("SYS", 1, 2)] * 2, e1=[DMA_NOP] * 5)
    found = run_front_end(made.front, made.program(duration=4), made.regions)
    tiu, dma = found.engines
    assert tiu.id.tolist() == [1, 2, 3, 4, 1, 2, 3]
    assert dma.id.tolist() == [1, 2, 3, 1, 2, 3, 4, 5, 6]
    # DONE, one edge to the hand-over, one to the pop.
    last = max(tiu.done[0], dma.done[0])
    assert found.handovers[0][0] == last + 1
    assert found.pops[0][1] == last + 2
    assert found.irq_status == 1


def test_back_pressure_holds_the_beat():
    made = Builder(front())
    made.group(e0=[NOP] * 5)
    pattern = Pattern("array", values=(0, 0, 1))
    found = run_front_end(made.front, made.program(), made.regions, ready=[pattern, None])
    assert (found.engines[0].start % 3 == 2).all()
    assert (np.diff(found.engines[0].start) == 3).all()


def test_a_barrier_between_engines_and_cores():
    of = front(cores=2, engines=3)
    made = Builder(of)
    for core in range(2):
        lists = {
            f"e{e}": [NOP if e == 0 else DMA_NOP] * (1 + core + e)
            + [message(of, e, 5, 6, wait=False), message(of, e, 5, 6, wait=True)]
            for e in range(3)
        }
        made.group(core, **lists)
    found = run_front_end(of, made.program(duration=10), made.regions)
    assert found.error is None
    assert found.messages == [(0, 0)] * of.nmsg
    sends = [int(one.end[-3]) for one in found.engines]
    waits = [int(one.start[-2]) for one in found.engines]
    # The last SEND ends; a WAIT in HEAD is granted at the edge behind it and transfers at the next one.
    assert set(waits) == {max(sends) + 2}


def test_messages_are_counted_as_the_page_says():
    of = front()
    made = Builder(of)
    made.group(e0=[message(of, 0, 3, 1, wait=False), message(of, 0, 3, 4, wait=False)])
    found = run_front_end(of, made.program(), made.regions)
    assert found.messages[3] == (2, 4)


def test_a_stream_of_many_lengths_is_dispatched_whole():
    rng = np.random.default_rng(1)
    for name in CHIPS:
        made = random_program(front(name), rng, 60)
        found = run_front_end(made.front, made.program(duration=3), made.regions)
        assert found.error is None, (name, found.error)
        for index, one in enumerate(found.engines):
            at = 0
            for group in made.groups[0]:
                stream = group.streams[index]
                region = next(r for r in made.regions if r.base == stream.block * 128)
                commands = decode_stream(chip(name).engine("tiu" if index == 0 else "gdma"), region.data)
                for row in range(len(commands)):
                    assert one.data[at, : one.bytes[at]].tobytes() == commands.raw(row)
                    assert one.id[at] == row + 1
                    at += 1
            assert at == len(one)


@pytest.mark.parametrize("name", CHIPS)
def test_slow_commands_start_as_the_timed_model_says(name):
    rng = np.random.default_rng(2)
    of = front(name)
    made = random_program(of, rng, 40, messages=False)
    group = made.groups[0][0]
    streams = [next(r for r in made.regions if r.base == group.streams[i].block * 128).data for i in range(2)]
    lanes = [lane(decode_stream(made.chip.engine(e), raw)) for e, raw in zip(("tiu", "gdma"), streams, strict=True)]
    took = [rng.integers(20, 400, 1024) for _ in range(2)]
    found = run_front_end(of, FrontEndSettings([[group]], 2, 1, dict(enumerate(took))), made.regions)
    wanted = schedule(lanes, [took[i][lanes[i].id % 1024] for i in range(2)])
    shift = found.engines[0].start[0] - wanted.start[0][0]
    for index in range(2):
        assert (found.engines[index].start - shift == wanted.start[index]).all()
        assert (found.engines[index].end - shift == wanted.end[index]).all()


def test_jumping_over_idle_edges_changes_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    for round_ in range(12):
        of = front(CHIPS[round_ % 3], cores=1 + round_ % 2, engines=2 + round_ % 2, depth=(2, 8)[round_ % 2])
        made = random_program(of, rng, 15)
        program = made.program(duration=int(rng.integers(1, 30)))
        timing = [
            MemoryTiming(
                read_latency=1 + i, read_jitter=7, max_reads=1 + i % 3, seed=i, r_gaps=Pattern("random", seed=i)
            )
            for i in range(of.total)
        ]
        ready = [Pattern("random", p=0.5, seed=i) for i in range(of.total)]
        fast = run_front_end(of, program, made.regions, timing, ready)
        with monkeypatch.context() as patch:
            stop = fast.last_cycle + 50
            patch.setattr(model.FrontEndRun, "next_cycle", lambda self, k, stop=stop: k + 1 if k < stop else None)
            slow = run_front_end(of, program, made.regions, timing, ready)
        assert slow.last_cycle == fast.last_cycle
        for one, other in zip(fast.engines, slow.engines, strict=True):
            for name in ("id", "kind", "start", "end", "offered", "handshake", "data"):
                assert np.array_equal(getattr(one, name), getattr(other, name)), name
            assert one.done == other.done


# -- errors ------------------------------------------------------------------------------------------------------------


def patched(raw: bytes, bit: int, width: int, value: int) -> bytes:
    whole = int.from_bytes(raw, "little")
    mask = (1 << width) - 1 << bit
    return (whole & ~mask | value << bit).to_bytes(len(raw), "little")


def broken(rule: str) -> tuple[Builder, int]:
    """A program with one fault, and the id of the command that has it."""
    name = "BM1684X" if rule == "BAD_ID" else "BM1690"
    of = front(name)
    made = Builder(of)
    form = "SYSID" if rule == "BAD_ID" else "SYS"
    raw, count = made.commands(0, [(form, 1, 0)] * 12)
    at = 3 * 128  # bit of the fourth command
    fault = 4
    if rule == "BAD_KIND":
        raw = patched(raw, at + 41, 4, 11)
    elif rule == "BAD_ID":
        raw = patched(raw, at + 1, 20, 5)
    elif rule == "END_EARLY":
        raw = patched(raw, at + 45, 5, 31)
    elif rule == "END_MISSING":
        count = 4
    elif rule == "BAD_DEPENDENCY":
        raw = patched(raw, at + 17, 21, 1 << 20 | 7)
    elif rule == "BAD_MESSAGE":
        raw = patched(raw, at + 45, 5, 8)
    elif rule == "OVERRUN":
        # A long command that begins in the last beat of the last block.
        raw, count = made.commands(0, [NOP] * 7 + [("CONV", 0, 0)])
        raw, fault = raw[:128] + b"", 8
        raw = raw[: 7 * 16] + bytes(16)
    stream = made.stream(raw, count)
    if rule == "BUS":
        at, fault = stream.block * 128, 9
        data = made.regions.pop().data
        made.regions.append(Region("first", at, data[:128].copy()))
    made.groups[0].append(GroupSettings({0: stream}))
    return made, fault


@pytest.mark.parametrize("rule", [name for name in ERRORS if name != "DEADLOCK"])
def test_a_broken_stream_ends_in_its_error(rule):
    made, fault = broken(rule)
    found = run_front_end(made.front, made.program(), made.regions)
    assert found.error is not None
    assert (found.error.name, found.error.core, found.error.engine, found.error.id) == (rule, 0, 0, fault)
    assert found.engines[0].id.tolist() == list(range(1, fault))
    assert found.irq_status == 1 << 31
    assert found.halted
    assert found.handovers == [[]]
    # Raised at the first edge in HEAD with the engine free: that of the transfer it would have had.
    assert found.error.cycle >= found.engines[0].start[-1] + 1


def test_deadlock_is_raised_at_the_quiet_edge_that_timeout_counts():
    made = Builder(front())
    made.group(e0=[("SYS", 1, 2)], e1=[("sDMA_sys", 1, 2), DMA_NOP])
    found = run_front_end(made.front, made.program(timeout=100), made.regions)
    assert found.error is not None
    assert (found.error.name, found.error.engine, found.error.id) == ("DEADLOCK", 0, 1)
    # Both heads are in HEAD, and wait, from the edge on at which they could transfer.
    timing = MemoryTiming()
    first_beat = found.engines[0].handshake[0] + timing.read_latency
    assert found.error.cycle == first_beat + FETCH_LATENCY + 99
    assert [len(one) for one in found.engines] == [0, 0]
    assert found.running == [True]
    # Both wait. ASM of the TIU holds END, so what comes behind is discarded; ASM of the GDMA holds its second command.
    assert found.status == [2, 6 << 16 | 2]
    quiet = run_front_end(made.front, made.program(timeout=0), made.regions)
    assert quiet.error is None
    assert quiet.handovers == [[]]


def test_a_slow_memory_is_no_deadlock():
    made = Builder(front())
    made.group(e0=[("SYS", 1, 1)], e1=[DMA_NOP])
    timing = [MemoryTiming(), MemoryTiming(read_latency=5000)]
    found = run_front_end(made.front, made.program(timeout=100), made.regions, timing)
    assert found.error is None
    assert len(found.engines[0]) == 2


def test_the_lowest_engine_of_two_that_fail_at_once_is_named():
    of = front()
    made = Builder(of)
    streams = {
        e: made.stream((patched(bytes(128), 41, 4, 11) if e == 0 else patched(bytes(128), 32, 5, 14)), 4)
        for e in (0, 1)
    }
    made.groups[0].append(GroupSettings(streams))
    found = run_front_end(of, made.program(), made.regions)
    assert found.error is not None
    assert (found.error.name, found.error.engine, found.error.id) == ("BAD_KIND", 0, 1)


def test_what_push_refuses():
    of = Front()
    with pytest.raises(UsageError, match="all counts are 0"):
        run_front_end(of, FrontEndSettings([[GroupSettings({0: StreamSettings(0, 1, 0)})]]), [])
    with pytest.raises(UsageError, match="no blocks"):
        run_front_end(of, FrontEndSettings([[GroupSettings({0: StreamSettings(0, 0, 1)})]]), [])
    with pytest.raises(UsageError, match="at most 4"):
        run_front_end(of, FrontEndSettings([[GroupSettings({0: StreamSettings(0, 1, 1)})] * 5]), [])
    with pytest.raises(UsageError, match="power of two"):
        Front(depth=3)
    with pytest.raises(UsageError, match="expected 2 of each"):
        run_front_end(of, FrontEndSettings([[]]), [], timing=[MemoryTiming()])
    with pytest.raises(UsageError, match="cycle number"):
        run_front_end(of, FrontEndSettings([[]]), [], timing=[MemoryTiming(ar_ready=Pattern("random"))] * 2)


def test_traces():
    made = Builder(front())
    made.group(e0=[("sAR", 14, 0)])
    found = run_front_end(made.front, made.program(duration=7), made.regions)
    trace = found.engines[0].dispatch(1000)
    assert trace.data.shape == (2, 128)
    assert trace.keep.sum(axis=1).tolist() == [64, 16]
    assert trace.last.tolist() == [False, True]
    assert trace.tuser is not None
    assert trace.tuser.tolist() == [1 << 10 | 1 << 9 | 3 << 5 | 14, 2 << 10 | 15 << 5 | 31]
    events = found.engines[0].events(1000)
    assert events.data[:, 0].tolist() == [1, 2]
    assert events.cycle.tolist() == (trace.cycle + 7).tolist()
