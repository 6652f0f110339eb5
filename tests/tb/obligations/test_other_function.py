# SPDX-License-Identifier: Apache-2.0
"""What RTL does regularly in place of a guessed model is found, and what a fault does is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from goldbeat.pymodels.trace import Trace
from goldbeat.tb.obligations.other_function import drops_frames, drops_words, other_function

RNG = np.random.default_rng(3)
LENGTHS = RNG.integers(1, 13, 40)
WORDS = RNG.integers(1, 256, (int(LENGTHS.sum()), 4), dtype=np.uint8)
LAST = np.isin(np.arange(len(WORDS)), np.cumsum(LENGTHS) - 1)
FRAMES = np.split(WORDS, np.cumsum(LENGTHS)[:-1])


def trace(frames: list[np.ndarray]) -> Trace:
    lengths = [len(frame) for frame in frames if len(frame)]
    data = np.concatenate(frames)
    return Trace.from_bytes(data, last=np.isin(np.arange(len(data)), np.cumsum(lengths) - 1), clock_ps=10)


def said(*came: Trace, given: Trace | None = None, inputs: int = 1) -> str:
    """What is found in one episode with these outputs."""
    return other_function([result_of(*came, given=given, inputs=inputs)])


def result_of(*came: Trace, given: Trace | None = None, inputs: int = 1) -> Any:
    """A run of one episode with these outputs."""
    want = trace(FRAMES)
    user = np.repeat(np.arange(len(FRAMES)) % 5, LENGTHS)
    sources = {f"s{n}": replace(want, tuser=user.astype(np.uint64)) for n in range(inputs)}
    sinks = {f"m{n}": one for n, one in enumerate(came)}
    episode = SimpleNamespace(
        stimulus=SimpleNamespace(inputs=sources, stop_ps=None),
        expected=SimpleNamespace(ports=sources | dict.fromkeys(sinks, want)),
        record=SimpleNamespace(outcome=SimpleNamespace(ports=dict.fromkeys(sources, given or want) | sinks)),
    )
    return SimpleNamespace(episodes=[episode])


@pytest.mark.parametrize(
    ("frames", "text"),
    [
        ([one[2:] for one in FRAMES], "every frame comes without its first 2 beats"),
        ([one[:-1] for one in FRAMES], "every frame comes without its last 1 beats"),
        ([one[1:9] for one in FRAMES], "every frame comes without its first 1 beats and what is behind beat 9"),
        ([one[:8] for one in FRAMES], "every frame comes without what is behind beat 8"),
        (
            [np.concatenate([one, one[:1].repeat(max(0, 5 - len(one)), 0)]) for one in FRAMES],
            "every frame of fewer than 5 beats comes with more behind it",
        ),
        (np.split(WORDS, range(4, len(WORDS), 4)), "TLAST comes with one word of 4"),
        ([one for one in FRAMES if len(one) >= 4], "every frame of fewer than 4 beats is left out"),
        ([one for one in FRAMES if len(one) <= 9], "every frame of more than 9 beats is left out"),
        ([one for n, one in enumerate(FRAMES) if n % 5], "every frame whose last TUSER is 0 is left out"),
        ([one for n, one in enumerate(FRAMES) if n % 7], ""),
        (
            [np.insert(one, [3, 3], 7, axis=0) if len(one) > 3 else one for one in FRAMES],
            "2 more word(s) come behind beat 3 of frames",
        ),
        ([np.insert(one, 0, 7, axis=0) for one in FRAMES], "1 more word(s) come behind beat 0 of frames"),
        ([np.append(one, one[:1] ^ 9, axis=0) for one in FRAMES], "1 more word(s) come behind every frame"),
        (
            [np.insert(one, 0, 7, axis=0) if n % 5 % 2 == 0 else one for n, one in enumerate(FRAMES)],
            "1 more word(s) come behind beat 0 of frames whose first TUSER has bit 0 at 0",
        ),
        ([np.insert(one, 0, 7, axis=0) if n % 5 in (1, 4) else one for n, one in enumerate(FRAMES)], ""),
        ([one for frame in FRAMES for one in (frame[:9], frame[:9])], "each frame comes 2 times"),
        (
            [part for one in FRAMES for part in np.split(one, range(4, len(one), 4))],
            "frames of more than 4 beats come as several",
        ),
        (
            [WORDS[: len(WORDS) // 8 * 8].reshape(-1, 8, 4)[:, [0, 4, 2, 6, 1, 5, 3, 7]].reshape(-1, 4)],
            "words come in another order, the same in each block of 8",
        ),
        (
            [WORDS[: len(WORDS) // 2 * 2].reshape(-1, 2, 4)[:, ::-1].reshape(-1, 4)],
            "words come in another order, the same in each block of 2",
        ),
        ([WORDS[np.r_[0:40, 41, 40, 42 : len(WORDS)]]], ""),
        ([WORDS[:, ::-1]], "the bytes of each 32 bits come in the opposite order"),
        ([WORDS[:, [1, 0, 3, 2]]], "the bytes of each 16 bits come in the opposite order"),
        ([WORDS[:, [1, 0, 2, 3]]], ""),
        ([WORDS[1::3]], "one word of 3 comes"),
        ([np.delete(WORDS, np.s_[2::4], axis=0)], "one word of 4 is left out"),
        ([WORDS.repeat(2, 0)], "each word comes 2 times"),
        (FRAMES, ""),
        # Faults: one frame or word that does not fit, TLAST always, or stuck, or what comes twice.
        ([*(one[2:] for one in FRAMES[:-3]), *FRAMES[-3:]], ""),
        ([*FRAMES[:20], FRAMES[20][1:], *FRAMES[21:]], ""),
        (np.split(WORDS, range(1, len(WORDS))), ""),
        ([np.append(one, one[-1:], axis=0) for one in FRAMES], ""),
        ([np.insert(one, 0, one[0], axis=0) for one in FRAMES], ""),
        ([*FRAMES[:9], *(np.insert(one, 0, 7, axis=0) for one in FRAMES[9:])], ""),
        ([*FRAMES[:9], FRAMES[9], *FRAMES[9:]], ""),
        ([part for one in FRAMES for part in np.split(one, range(3 + (len(one) == 9), len(one), 4))], ""),
        ([np.delete(WORDS, [2, 6, 11], axis=0)], ""),
        ([WORDS ^ np.uint8(1)], ""),
        ([WORDS[::-1]], ""),
    ],
)
def test_one_output(frames: list[np.ndarray], text: str) -> None:
    assert said(trace(list(frames))) == text


def test_an_episode_without_a_whole_block_says_nothing_of_it() -> None:
    moved = trace([WORDS[: len(WORDS) // 8 * 8].reshape(-1, 8, 4)[:, ::-1].reshape(-1, 4)])
    found = other_function([result_of(moved), result_of(trace([WORDS[:1]]))])
    assert found == "words come in another order, the same in each block of 8"


def test_a_stack_gives_what_came_in_last() -> None:
    at = np.arange(40)
    pushed = Trace.from_bytes(WORDS[:40], clock_ps=10, cycle=at + at // 4 * 4)
    order = at // 4 * 4 + 3 - at % 4
    popped = Trace.from_bytes(WORDS[order], clock_ps=10, cycle=pushed.cycle + 4)
    assert said(popped, given=pushed) == "the word that came in last goes out first"
    order[:4] = [3, 1, 2, 0]
    assert said(Trace.from_bytes(WORDS[order], clock_ps=10, cycle=popped.cycle), given=pushed) == ""


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        (lambda k: k % 2, True),
        (lambda k: k % 5 == 0, True),
        (lambda k: np.zeros_like(k), False),
        (lambda k: np.full_like(k, 2), False),
        (lambda k: np.where(k % 4 == 0, 2, k % 2), False),
    ],
)
def test_a_distributor_gives_each_word_once(parts: Callable[[np.ndarray], np.ndarray], found: bool) -> None:
    """2 means both outputs, as a broadcast has it; an output that gives nothing is a fault."""
    at = np.asarray(parts(np.arange(len(FRAMES))))
    outputs = [
        trace([one for one, to in zip(FRAMES, at, strict=True) if to in (way, 2)] or [WORDS[:0]]) for way in (0, 1)
    ]
    assert said(*outputs) == ("each word comes out of one output alone" if found else "")


def test_an_output_may_be_a_part_of_a_broadcast() -> None:
    head, whole = trace([one[:2] for one in FRAMES]), trace(FRAMES)
    assert said(whole, head) == "every frame comes without what is behind beat 2"
    assert said(whole, trace([WORDS ^ np.uint8(1)])) == ""


@pytest.mark.parametrize("late", [False, True])
def test_tuser_may_be_gathered(late: bool) -> None:
    user = np.repeat(np.arange(len(FRAMES)) % 5, LENGTHS) | np.arange(len(WORDS)) % 2 << 3
    ends = np.cumsum(LENGTHS) - 1
    came = user.copy()
    came[ends + late * (LENGTHS > 2) * -1] |= 8 * (LENGTHS > 1)
    want, got = (replace(trace(FRAMES), tuser=one.astype(np.uint64)) for one in (user, came))
    episode = SimpleNamespace(
        stimulus=SimpleNamespace(inputs={"s": want}, stop_ps=None),
        expected=SimpleNamespace(ports={"s": want, "m": want}),
        record=SimpleNamespace(outcome=SimpleNamespace(ports={"s": want, "m": got})),
    )
    result: Any = SimpleNamespace(episodes=[episode])
    assert bool(other_function([result])) is not late


def test_a_switch_gives_whole_frames_at_other_outputs() -> None:
    given = {"s0": trace(FRAMES[:20]), "s1": trace(FRAMES[20:])}
    outputs = {"m0": trace(FRAMES[10:30]), "m1": trace([*FRAMES[:10], *FRAMES[30:]])}
    episode = SimpleNamespace(
        stimulus=SimpleNamespace(inputs=given, stop_ps=None),
        expected=SimpleNamespace(ports=given | {"m0": given["s0"], "m1": given["s1"]}),
        record=SimpleNamespace(outcome=SimpleNamespace(ports=given | outputs)),
    )
    result: Any = SimpleNamespace(episodes=[episode])
    assert other_function([result]) == "frames of an input come out of several outputs"
    outputs["m1"] = trace([*FRAMES[:10], *FRAMES[30:39], FRAMES[39] ^ np.uint8(1)])
    episode.record.outcome.ports |= outputs
    assert other_function([result]) == ""


@pytest.mark.parametrize("swapped", [False, True])
def test_words_of_several_inputs_come_with_their_tid(swapped: bool) -> None:
    half = WORDS[: len(WORDS) // 2].repeat(2, 0)
    tid = np.arange(len(half), dtype=np.uint64) % 2
    if swapped:
        half[[0, 2]] = half[[2, 0]]
    merged = Trace.from_bytes(half, clock_ps=10, tid=tid)
    assert bool(said(merged, inputs=2)) is not swapped


@pytest.mark.parametrize(
    ("frames", "found"),
    [
        ([one for n, one in enumerate(FRAMES) if n % 3], True),
        ([one for n, one in enumerate(FRAMES) if n % 39], False),
        ([one[:-1] for one in FRAMES[::2]], False),
    ],
)
def test_frames_that_are_left_out_whole(frames: list[np.ndarray], found: bool) -> None:
    assert drops_frames([result_of(trace(frames))]) is found


@pytest.mark.parametrize(("rows", "found"), [(WORDS[::3], True), (WORDS[np.arange(len(WORDS)) // 64 * 64], False)])
def test_words_that_are_left_out(rows: np.ndarray, found: bool) -> None:
    assert drops_words([result_of(trace([rows]))]) is found
    assert not drops_words([result_of(trace([WORDS[4:]]))])
    # An output that stops has lost its way, and nothing in between.
    assert not drops_words([result_of(trace([WORDS[:40]]))])


@pytest.mark.parametrize("wrong", [False, True])
def test_frames_of_the_inputs_may_come_in_turn(wrong: bool) -> None:
    given = {"s0": trace(FRAMES[:20]), "s1": trace(FRAMES[20:])}
    turns = [frame for pair in zip(FRAMES[:20], FRAMES[20:], strict=True) for frame in pair]
    if wrong:
        turns[5], turns[6] = turns[6], turns[5]
    episode = SimpleNamespace(
        stimulus=SimpleNamespace(inputs=given, stop_ps=None),
        expected=SimpleNamespace(ports=given | {"m": trace(FRAMES)}),
        record=SimpleNamespace(outcome=SimpleNamespace(ports=given | {"m": trace([np.concatenate(turns)])})),
    )
    result: Any = SimpleNamespace(episodes=[episode])
    assert bool(other_function([result])) is not wrong


def test_each_of_several_pairs_must_be_regular() -> None:
    cut, whole, wrong = trace([one[2:] for one in FRAMES]), trace(FRAMES), trace([WORDS ^ np.uint8(1)])
    assert said(cut, whole, inputs=2) == "every frame comes without its first 2 beats"
    assert said(cut, wrong, inputs=2) == ""


@pytest.mark.parametrize("late", [False, True])
def test_a_turn_that_never_comes_is_no_merging_of_turns(late: bool) -> None:
    """Every round-robin arbiter takes turns while all inputs wait; one that stops does more than that."""
    given = {"s0": trace(FRAMES[:20]), "s1": trace(FRAMES[20:])}
    turns = [frame for pair in zip(FRAMES[:20], FRAMES[20:], strict=True) for frame in pair]
    came = trace([np.concatenate(turns[: 12 if late else 39])])
    episode = SimpleNamespace(
        stimulus=SimpleNamespace(inputs=given, stop_ps=None),
        expected=SimpleNamespace(ports=given | {"m": trace(FRAMES)}),
        record=SimpleNamespace(outcome=SimpleNamespace(ports=given | {"m": came})),
    )
    result: Any = SimpleNamespace(episodes=[episode])
    assert bool(other_function([result])) is not late


@pytest.mark.parametrize("swapped", [False, True])
def test_words_may_overtake_those_of_other_tids(swapped: bool) -> None:
    tid = (RNG.random(len(WORDS)) < 0.5).astype(np.uint64)
    order = np.argsort(tid, kind="stable")
    if swapped:
        order[[3, 7]] = order[[7, 3]]
    want = replace(trace(FRAMES), last=np.zeros(len(WORDS), np.bool_), tid=tid)
    episode = SimpleNamespace(
        stimulus=SimpleNamespace(inputs={"s": want}, stop_ps=None),
        expected=SimpleNamespace(ports={"s": want, "m": want}),
        record=SimpleNamespace(
            outcome=SimpleNamespace(ports={"s": want, "m": Trace.from_bytes(WORDS[order], clock_ps=10, tid=tid[order])})
        ),
    )
    result: Any = SimpleNamespace(episodes=[episode])
    assert (other_function([result]) == "words overtake those of other TIDs") is not swapped


@pytest.mark.parametrize("wrong", [False, True])
def test_other_outputs_may_belong_to_a_tdest(wrong: bool) -> None:
    dest = RNG.integers(0, 3, len(WORDS)).astype(np.uint64)
    given = replace(trace(FRAMES), tdest=dest)
    home = np.array([0, 2, 1])[dest.astype(np.int64)]
    if wrong:
        home[20] = (home[20] + 1) % 3
    outputs = {f"m{n}": given[np.flatnonzero(home == n)] for n in range(3)}
    episode = SimpleNamespace(
        stimulus=SimpleNamespace(inputs={"s": given}, stop_ps=None),
        expected=SimpleNamespace(ports={"s": given} | dict.fromkeys(outputs, given)),
        record=SimpleNamespace(outcome=SimpleNamespace(ports={"s": given} | outputs)),
    )
    result: Any = SimpleNamespace(episodes=[episode])
    found = other_function([result], routed=True)
    assert found == ("" if wrong else "words of TDEST 1 out of m2, 2 out of m1")
