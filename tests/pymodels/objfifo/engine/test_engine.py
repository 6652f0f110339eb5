# SPDX-License-Identifier: Apache-2.0
"""Timing of the DMA engine, counted by hand from docs/objfifo-engine.md."""

from dataclasses import replace

import numpy as np
import pytest
from engine_cases import PARAMS, check_against_naive, cycles, episode, ints

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.alone import final_state, hanging, predict, predict_accesses
from goldbeat.pymodels.objfifo.engine.engine import PADDING, Hang, descriptor_addresses, header_word
from goldbeat.pymodels.objfifo.engine.registers import (
    Code,
    Descriptor,
    EngineShape,
    EngineTask,
    final_reads,
    memory_reads,
)
from goldbeat.pymodels.pattern import Pattern
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN, LARGEST
from goldbeat.tb.run.runs import Request

TWO = PARAMS | {"NM": 2}


def run(*args, params=PARAMS, **options):
    given = episode(*args, **options)
    check_against_naive(params, given)
    return predict(params, given)


# -- where a walk goes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("descriptor", "addresses"),
    [
        (Descriptor(5, 3), [5, 6, 7]),
        (Descriptor(5, 3, steps=(4, 9, 9, 9)), [5, 9, 13]),
        (Descriptor(0, 6, (2, 3, 1), (3, 1, 0, 0)), [0, 3, 1, 4, 2, 5]),
        # Dimension 3 takes the rest; wraps of 0 count as 1.
        (Descriptor(0, 5, (2, 0, 0), (1, 7, 7, 10)), [0, 1, 10, 11, 20]),
        (Descriptor(0, 5, (2, 2, 0), (1, 4, 7, 10)), [0, 1, 4, 5, 10]),
        # Length ends the walk wherever the digits stand, in padding too.
        (
            Descriptor(8, 7, (2, 2, 0), (1, 4, 0, 0), pad_before=(1, 0, 0), pad_after=(1, 0, 0)),
            [PADDING, 8, 9, PADDING, PADDING, 12, 13],
        ),
        (
            Descriptor(8, 6, (1, 1, 0), (1, 4, 0, 0), pad_before=(0, 1, 0), pad_after=(1, 0, 0)),
            [PADDING, PADDING, 8, PADDING, PADDING, PADDING],
        ),
    ],
)
def test_walks(descriptor, addresses):
    assert descriptor_addresses(descriptor).tolist() == addresses


def test_a_walk_without_its_padding_and_with_an_iteration():
    descriptor = Descriptor(8, 3, (2, 2, 0), (1, 4, 0, 0), pad_before=(1, 1, 0), iteration_size=3, iteration_step=100)
    assert descriptor_addresses(descriptor, 2, padded=False).tolist() == [208, 209, 212]


def test_header():
    # Odd parity over the whole word, row and column all ones.
    assert header_word(5, 3) == 0x8FFF3005
    assert header_word(4, 3) == 0x0FFF3004


# -- when things happen ---------------------------------------------------------------------------------------------


def test_from_the_start_trigger_to_the_first_word():
    # Pop 4, fetch 5, NEXT 6, hand over 7, words from 8 on; out three edges later.
    out = run({0: Descriptor(0, 2)}, [EngineTask(1, 0)], start=3, memory={0: [7, 8]})
    assert cycles(out, "m_axis_0") == [11, 12]
    assert ints(out.ports["m_axis_0"]) == [7, 8]
    assert out.ports["m_axis_0"].last.tolist() == [False, True]
    assert cycles(out, "evt_1") == [10]
    assert ints(out.ports["evt_1"]) == [0x100]
    assert cycles(out, "start") == [3]


def test_an_acquire_costs_one_edge():
    out = run({0: Descriptor(0, 2, acquire=(2, 1))}, [EngineTask(1, 0)], locks={2: 1}, memory={0: [7, 8]})
    assert cycles(out, "m_axis_0") == [9, 10]
    # Granted at edge 4, shown in the cycle after it.
    assert cycles(out, "lock") == [5]
    assert not out.ports["lock"].data.any()


def test_an_input_fills_its_skid_buffer_before_the_start():
    out = run({0: Descriptor(0, 4)}, [EngineTask(0, 0)], words=[[1, 2, 3, 4, 5, 6, 7]], start=10)
    # Words leave at 15, 16, 17, 18; two more stay in the buffer.
    assert cycles(out, "s_axis_0") == [0, 1, 16, 17, 18, 19]


def test_a_gap_in_the_input():
    out = run({0: Descriptor(0, 3)}, [EngineTask(0, 0)], words=[[1, 2, 3]], gaps=[0, 20, 0])
    assert cycles(out, "s_axis_0") == [0, 21, 22]
    assert cycles(out, "evt_0") == [24]


def test_from_a_release_to_the_acquire_it_allows():
    bds = {0: Descriptor(0, 2, release=(0, 1)), 1: Descriptor(0, 2, acquire=(0, 1))}
    out = run(bds, [EngineTask(0, 0), EngineTask(1, 1)], words=[[5, 6]])
    # Words in at 5 and 6, release added at 7, granted at 8, handed over at 9, issued at 10 and 11.
    assert cycles(out, "evt_0") == [7]
    assert cycles(out, "lock") == [8, 9]
    assert cycles(out, "m_axis_0") == [13, 14]
    assert ints(out.ports["m_axis_0"]) == [5, 6]


def test_two_words_a_descriptor_leave_no_bubble():
    bds = {n: Descriptor(2 * n, 2, acquire=(0, 0), next=n + 1 if n < 3 else None) for n in range(4)}
    out = run(bds, [EngineTask(1, 0)], memory={0: range(8)})
    assert cycles(out, "m_axis_0") == list(range(9, 17))


def test_one_word_a_descriptor_waits_for_its_lock_every_time():
    bds = {n: Descriptor(n, 1, acquire=(0, 0), next=n + 1 if n < 3 else None) for n in range(4)}
    out = run(bds, [EngineTask(1, 0)], memory={0: range(4)})
    assert cycles(out, "m_axis_0") == [9, 11, 13, 15]
    plain = {n: Descriptor(n, 1, next=n + 1 if n < 3 else None) for n in range(4)}
    assert cycles(run(plain, [EngineTask(1, 0)], memory={0: range(4)}), "m_axis_0") == [8, 9, 10, 11]


def test_a_task_pops_after_the_one_before_has_been_fetched():
    out = run({0: Descriptor(0, 1)}, [EngineTask(1, 0), EngineTask(1, 0), EngineTask(1, 0)], memory={0: [9]})
    assert cycles(out, "m_axis_0") == [8, 10, 12]
    repeated = run({0: Descriptor(0, 1)}, [EngineTask(1, 0, repeat=2)], memory={0: [9]})
    assert cycles(repeated, "m_axis_0") == [8, 9, 10]
    assert ints(repeated.ports["evt_1"]) == [0, 0, 0x100]


def test_two_channels_share_a_bank_in_turn():
    bds = {0: Descriptor(0, 3, steps=(4, 0, 0, 0)), 1: Descriptor(12, 3, steps=(4, 0, 0, 0))}
    out = run(bds, [EngineTask(1, 0), EngineTask(2, 1)], params=TWO, memory={0: range(24)})
    # Both want bank 0 at edge 5.
    assert cycles(out, "m_axis_0") == [8, 10, 12]
    assert cycles(out, "m_axis_1") == [9, 11, 13]
    apart = {0: bds[0], 1: Descriptor(13, 3, steps=(4, 0, 0, 0))}
    out = run(apart, [EngineTask(1, 0), EngineTask(2, 1)], params=TWO, memory={0: range(24)})
    assert cycles(out, "m_axis_0") == cycles(out, "m_axis_1") == [8, 9, 10]


def test_headers_and_zeros_need_no_bank():
    bds = {
        0: Descriptor(0, 4, steps=(0, 0, 0, 0)),
        1: Descriptor(0, 3, (1, 0, 0), pad_before=(2, 0, 0), packet=(4, 3)),
    }
    out = run(bds, [EngineTask(1, 0), EngineTask(2, 1)], params=TWO, memory={0: [77]})
    # Header at 5, zeros at 6 and 7, its word at 8, when it is the other's turn to wait.
    assert cycles(out, "m_axis_0") == [8, 9, 10, 12]
    assert cycles(out, "m_axis_1") == [8, 9, 10, 11]
    assert ints(out.ports["m_axis_1"]) == [header_word(4, 3), 0, 0, 77]


def test_an_output_holds_as_many_words_as_it_has_credits():
    ready = Pattern("array", values=(0,) * 30 + (1,) * 30)
    out = run({0: Descriptor(0, 12)}, [EngineTask(1, 0)], ready={"m_axis_0": ready}, memory={0: range(12)})
    # Eight are issued by edge 12, the ninth at 31, when the first one's credit is back.
    assert cycles(out, "m_axis_0") == [*range(30, 42)]
    assert cycles(out, "evt_1") == [35]


def test_locks_go_to_the_lowest_channel_and_one_at_a_time():
    bds = {n: Descriptor(n, 1, acquire=(0, 1)) for n in range(2)}
    out = run(bds, [EngineTask(1, 0), EngineTask(2, 1)], params=TWO, locks={0: 2}, memory={0: [1, 2]})
    assert cycles(out, "m_axis_0") == [9]
    assert cycles(out, "m_axis_1") == [10]


def test_taking_and_adding_the_same_amount_shows_no_beat():
    bds = {0: Descriptor(0, 1, release=(0, 1)), 1: Descriptor(0, 1, acquire=(0, 1))}
    # The release is added at 6; the second acquire is granted at that very edge.
    bds[1] = Descriptor(0, 1, acquire=(0, 1), next=2)
    bds[2] = Descriptor(0, 1, acquire=(0, 1))
    out = run(bds, [EngineTask(0, 0), EngineTask(1, 1)], words=[[5]], locks={0: 2})
    assert cycles(out, "evt_0") == [6]
    assert cycles(out, "lock") == [5]


def test_iterations_are_each_channels_own():
    bds = {0: Descriptor(0, 1, iteration_size=3, iteration_step=4, iteration_start=1)}
    out = run(bds, [EngineTask(1, 0, 3), EngineTask(2, 0, 1)], params=TWO, memory={0: range(16)})
    assert ints(out.ports["m_axis_0"]) == [4, 8, 0, 4]
    assert ints(out.ports["m_axis_1"]) == [4, 8]


def test_nothing_runs_unarmed_or_without_a_trigger():
    given = episode({0: Descriptor(0, 2)}, [EngineTask(0, 0)], words=[[1, 2, 3, 4]])
    program = tuple(a for a in given.program["s_axil"] if a.address != 0x8)
    unarmed = replace(given, program={"s_axil": program})
    silent = replace(given, inputs={"s_axis_0": given.inputs["s_axis_0"]})
    for stimulus in (unarmed, silent):
        out = predict(PARAMS, stimulus)
        assert cycles(out, "s_axis_0") == [0, 1]
        assert not len(out.ports["evt_0"])
    assert cycles(predict(PARAMS, replace(given, program={})), "s_axis_0") == [1, 2]


# -- how it ends ----------------------------------------------------------------------------------------------------


def test_what_hangs():
    bds = {
        0: Descriptor(0, 4, next=0),
        1: Descriptor(0, 4, acquire=(3, 2)),
        2: Descriptor(0, 20),
    }
    never = {"m_axis_1": Pattern("array", values=(0,))}
    given = episode(
        bds,
        [EngineTask(0, 0), EngineTask(1, 1), EngineTask(2, 2)],
        words=[range(6)],
        locks={3: 1},
        memory={0: range(20)},
        ready=never,
    )
    assert hanging(TWO, given) == (
        Hang(0, "input", 0),
        Hang(1, "lock", 1, 3, 1, 2),
        Hang(2, "output", 2),
    )
    assert not len(predict(TWO, given).ports["m_axis_1"])


def test_a_ring_that_nothing_holds_back_is_refused(monkeypatch):
    monkeypatch.setattr("goldbeat.pymodels.objfifo.engine.engine._MOST_EDGES", 1000)
    with pytest.raises(UsageError, match="no end"):
        predict(PARAMS, episode({0: Descriptor(0, 4, next=0)}, [EngineTask(1, 0)], memory={0: range(4)}))


def test_memory_that_nobody_has_written_is_refused():
    with pytest.raises(UsageError, match="m_axis_0: reads word 2 "):
        predict(PARAMS, episode({0: Descriptor(0, 3)}, [EngineTask(1, 0)], memory={0: [1, 2]}))


def test_locks_that_are_not_there_are_never_granted():
    given = episode({0: Descriptor(0, 3, acquire=(8, 0))}, [EngineTask(1, 0)], memory={0: [1, 2, 3]})
    assert len(predict(PARAMS, given).ports["m_axis_0"]) == 0
    (hang,) = hanging(PARAMS, given)
    assert (hang.state, hang.lock, hang.value, hang.wanted) == ("lock", 8, -1, 0)


def test_what_is_released_to_a_lock_that_is_not_there_is_lost():
    given = episode({0: Descriptor(0, 1, release=(8, 1))}, [EngineTask(1, 0)], memory={0: [1]})
    out = predict(PARAMS, given)
    assert len(out.ports["m_axis_0"]) == 1
    assert len(out.ports["lock"]) == 0


@pytest.mark.parametrize(
    ("bad", "code", "moved"),
    [
        # Fetched at edge 3, before the descriptor in front of it has begun.
        (Descriptor(0, 4, valid=False), 1, 0),
        (Descriptor(0, 0), 1, 0),
        (Descriptor(0, 4, pad_after=(0, 0, 1)), 1, 0),
        (Descriptor(62, 4), 2, 6),
        (Descriptor(0, 4, iteration_size=2, iteration_start=1, iteration_step=64), 2, 4),
    ],
)
def test_errors_of_a_channel_stop_it(bad, code, moved):
    bds = {0: Descriptor(0, 4), 1: bad, 2: Descriptor(0, 4)}
    chain = {n: replace(d, next=n + 1 if n < 2 else None) for n, d in bds.items()}
    given = episode(
        chain, [EngineTask(1, 0)], memory={0: range(4), 60: range(4)}, after=final_reads(EngineShape.of(PARAMS))
    )
    out = predict(PARAMS, given)
    check_against_naive(PARAMS, given)
    assert len(out.ports["m_axis_0"]) == moved
    state = final_state(PARAMS, given)
    assert state.error == code | 1 << 8 | 1 << 16
    assert state.status[1].stopped
    assert hanging(PARAMS, given) == (Hang(1, "stopped", None),)
    replies = predict_accesses(PARAMS, given)[1]
    assert replies[:3] == [(1, False), (1 << 31, False), (code | 1 << 8 | 1 << 16, False)]


def test_a_lock_overflows_and_stays_at_its_limit():
    given = episode({0: Descriptor(0, 1, release=(2, 10))}, [EngineTask(0, 0)], words=[[1]], locks={2: 60})
    check_against_naive(PARAMS, given)
    state = final_state(PARAMS, given)
    assert state.locks[2] == 63
    assert state.error == 3 | 2 << 16


def test_tokens_memory_and_status_after_a_run():
    after = (*final_reads(EngineShape.of(PARAMS)), *memory_reads(0, 1))
    bds = {0: Descriptor(0, 2), 1: Descriptor(0, 2, next=1)}
    given = episode(
        bds,
        [EngineTask(0, 0, 1, True), EngineTask(0, 0, 0, False), EngineTask(0, 0, 0, True)],
        words=[range(8)],
        after=after,
    )
    replies = predict_accesses(PARAMS, given)[1]
    # CTRL, IRQ_STATUS, ERROR, CHANNEL 0 and 1, TOKENS 0 and 1.
    assert replies[:7] == [(v, False) for v in (1, 1, 0, 0, 0, 2, 0)]
    # Memory is out of reach while running.
    assert replies[-2:] == [(None, False), (None, True)]
    state = final_state(PARAMS, given)
    assert state.memory[:2].tolist() == [[6, 0, 0, 0], [7, 0, 0, 0]]
    assert state.known.tolist() == [True, True] + [False] * 62


# -- against a simulation that leaves nothing out -----------------------------------------------------------------


@pytest.mark.parametrize(
    "params",
    [*(one for one in DESIGN.variants if "PROFILE" not in one), LARGEST],
    ids=["default", "small", "wide", "largest"],
)
@pytest.mark.parametrize("case", ["random", "scenes", "sweep", "sizes", "errors", "corners"])
def test_random_scenes_against_the_naive_engine(case, params):
    request = Request(DESIGN, DESIGN.case(case), (0,), params)
    compared = 0
    for seed in range({"random": 4, "scenes": 6}.get(case, 1)):
        for given in request.case.make(request.setting(seed)):
            # The naive engine knows nothing of the register file, so of no queue that overflows.
            if final_state(request.all_params, given).error & 0xF != Code.QUEUE_OVERFLOW:
                compared += check_against_naive(request.all_params, given)
    assert compared > 50


def test_shifting_the_start_shifts_everything():
    bds = {0: Descriptor(0, 5, release=(0, 1)), 1: Descriptor(0, 5, acquire=(0, 1))}
    early, late = (
        predict(PARAMS, episode(bds, [EngineTask(0, 0), EngineTask(1, 1)], words=[range(5)], start=s)) for s in (4, 44)
    )
    for port in ("m_axis_0", "evt_0", "evt_1", "lock"):
        assert (late.ports[port].cycle - early.ports[port].cycle == 40).all()
        assert np.array_equal(late.ports[port].data, early.ports[port].data)
