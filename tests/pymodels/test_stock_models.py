# SPDX-License-Identifier: Apache-2.0
"""Ready-made models, and comparing without cycles or order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Clock, Outcome, Stimulus
from goldbeat.pymodels.stock_models import READY_MODELS, StreamShape, outcome
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.inside.job import Record
from goldbeat.tb.run.runs import Request, SeedPlan
from goldbeat.tb.run.scoreboard import check_episode

_ALL = frozenset({"tdata", "tkeep", "tlast", "tvalid", "tready"})
_CLOCK = Clock(1000, 1000)


def shape(name: str, width: int = 32, roles: frozenset[str] = _ALL) -> StreamShape:
    return StreamShape(name, "aclk", width, roles)


def trace(frames: Sequence[bytes], lanes: int = 4) -> Trace:
    """Frames of bytes, the last beat of each partly kept."""
    data, keep, last = [], [], []
    for frame in frames:
        for at in range(0, len(frame), lanes):
            part = frame[at : at + lanes]
            data.append(list(part.ljust(lanes, b"\0")))
            keep.append([i < len(part) for i in range(lanes)])
            last.append(at + lanes >= len(frame))
    return Trace.from_bytes(data, keep=keep, last=last, clock_ps=1000, offset_ps=1000)


def stimulus(**inputs: Trace) -> Stimulus:
    return Stimulus(inputs=inputs, clocks={"aclk": _CLOCK})


def test_identity() -> None:
    given = stimulus(a=trace([b"abcdef"]), b=trace([b"xy"]))
    sinks = [shape("c"), shape("d", roles=_ALL - {"tkeep", "tlast"})]
    ports = outcome(READY_MODELS["identity"], [shape("a"), shape("b")], sinks, given).ports
    assert ports["c"] == given.inputs["a"]
    assert ports["d"].keep.all()
    assert not ports["d"].last.any()
    with pytest.raises(UsageError, match="found 1 inputs and 2 outputs"):
        outcome(READY_MODELS["identity"], [shape("a")], sinks, given)
    with pytest.raises(UsageError, match="a is 32 bit wide and c 64 bit; model repack"):
        outcome(READY_MODELS["identity"], [shape("a")], [shape("c", 64)], given)


def test_an_input_without_stimulus_gives_nothing() -> None:
    ports = outcome(READY_MODELS["identity"], [shape("a")], [shape("c")], stimulus()).ports
    assert [len(t) for t in ports.values()] == [0, 0]


def test_broadcast_and_merge() -> None:
    given = stimulus(a=trace([b"abcdef"]), b=trace([b"xy"]))
    copies = outcome(READY_MODELS["broadcast"], [shape("a")], [shape("c"), shape("d")], given).ports
    assert copies["c"] == copies["d"] == given.inputs["a"]
    merged = outcome(READY_MODELS["merge"], [shape("a"), shape("b")], [shape("c")], given).ports["c"]
    assert merged.data[merged.keep].tobytes() == b"abcdefxy"
    open_end = stimulus(a=trace([b"abcd"])[:0], b=replace(trace([b"abcd"]), last=np.zeros(1, np.bool_)))
    with pytest.raises(UsageError, match="the stimulus of b ends within a frame"):
        outcome(READY_MODELS["merge"], [shape("a"), shape("b")], [shape("c")], open_end)
    bare = [shape(name, roles=_ALL - {"tlast"}) for name in "abc"]
    words = outcome(READY_MODELS["merge"], bare[:2], bare[2:], given).ports["c"]
    assert words.data.tobytes() == b"abcdef\0\0xy\0\0"
    with pytest.raises(UsageError, match="model merge: a has TLAST and c has none"):
        outcome(READY_MODELS["merge"], [shape("a"), shape("b")], bare[2:], given)


def test_route() -> None:
    dest = np.array([2, 0, 1, 0, 3], np.uint64)
    given = replace(trace([b"abcd", b"efgh", b"ijkl", b"mnop", b"qrst"]), tdest=dest)
    stimulus = Stimulus({"s": given}, {}, {"aclk": _CLOCK})
    sinks = [shape(f"m{n}") for n in range(3)]
    found = outcome(READY_MODELS["route"], [shape("s", roles=_ALL | {"tdest"})], sinks, stimulus).ports
    came = [found[sink.name].data.tobytes() for sink in sinks]
    assert came == [b"efghmnop", b"ijkl", b"abcd"]
    with pytest.raises(UsageError, match="s has no TDEST"):
        outcome(READY_MODELS["route"], [shape("s")], sinks, stimulus)


@pytest.mark.parametrize("width", [8, 16, 64, 128])
def test_repack(width: int) -> None:
    frames = [b"abcdefghi", b"j", b"klmnopqrstuvwxyz"]
    given = stimulus(a=trace(frames))
    found = outcome(READY_MODELS["repack"], [shape("a")], [shape("c", width)], given).ports["c"]
    assert found == trace(frames, width // 8)


@pytest.mark.parametrize(("wide", "narrow"), [(8, 4), (8, 2), (4, 1)])
def test_the_first_word_may_be_in_the_high_lanes(wide: int, narrow: int) -> None:
    """Either way: bytes of the narrow words stay as they are."""
    low, high = trace([b"abcdefgh", b"ijklmnop"], narrow), trace([b"efghabcd", b"mnopijkl"], wide)
    if narrow < 4:
        high = replace(high, data=low.data.reshape(-1, wide // narrow, narrow)[:, ::-1].reshape(-1, wide))
    bare = _ALL - {"tkeep"}
    ports = [shape("a", 8 * narrow, bare), shape("c", 8 * wide, bare)]
    for source, sink, given, want in ((*ports, low, high), (*ports[::-1], high, low)):
        found = outcome(READY_MODELS["repack_msb"], [source], [sink], stimulus(**{source.name: given}))
        assert found.ports[sink.name] == want
    with pytest.raises(UsageError, match="a has TKEEP"):
        outcome(READY_MODELS["repack_msb"], [shape("a")], [shape("c", 64)], stimulus(a=low))
    with pytest.raises(UsageError, match="found 32 and 40 bit"):
        outcome(READY_MODELS["repack_msb"], [shape("a", 32, bare)], [shape("c", 40, bare)], stimulus(a=low))


def test_without_frames_a_last_word_is_whole() -> None:
    bare = _ALL - {"tlast", "tkeep"}
    words = replace(trace([b"abcdefghijkl"]), last=np.zeros(3, np.bool_))
    for roles, count in ((bare, 1), (bare | {"tkeep"}, 2)):
        sink = shape("c", 64, roles)
        found = outcome(READY_MODELS["repack"], [shape("a", roles=bare)], [sink], stimulus(a=words)).ports["c"]
        assert len(found) == count
        assert found.data.tobytes().startswith(b"abcdefgh")


def design(*, ordered: bool = True, width: int = 32, last: bool = True) -> Design:
    roles = ("tdata", "tvalid", "tready", *(("tlast",) if last else ()))
    pins = {name: {role: f"{name}_{role}" for role in roles} for name in "ac"}
    return Design(
        name="x",
        summary="",
        top="x",
        files=(),
        root=Path(),
        streams=(
            StreamPort(name="a", direction="in", signals=None if last else pins["a"]),
            StreamPort(name="c", direction="out", width=width, signals=None if last else pins["c"]),
        ),
        model=lambda params, given: Outcome({}),
        timed=False,
        ordered=ordered,
        cases=(Case(name="c", summary="", make=lambda setting: []),),
    )


def verdict(
    expected: Trace, got: Trace, *, ordered: bool = True, stop_ps: int | None = None, last: bool = True
) -> tuple[str, ...]:
    sent = trace([b"s"])
    want, record = Outcome({"a": sent, "c": expected}), Record(Outcome({"a": sent, "c": got}))
    return check_episode(
        design(ordered=ordered, last=last), {}, replace(stimulus(a=sent), stop_ps=stop_ps), want, record
    ).failures


def test_time_is_ignored_and_nothing_else() -> None:
    expected = trace([b"abcdef", b"gh"])
    late = expected.with_cycles([5, 9, 40])
    assert verdict(expected, late) == ()
    assert "missing" in verdict(expected, late[:2])[0]
    assert "extra" in verdict(expected[:2], late)[0]
    assert "data differs" in verdict(expected, replace(late, data=late.data ^ np.uint8(1)))[0]
    assert "last differs" in verdict(expected, replace(late, last=~late.last))[0]


def test_repacked_null_bytes_may_be_anywhere() -> None:
    whole = trace([b"abcdefgh"])
    holey = replace(whole, keep=whole.keep & (np.arange(4) != 1))
    given = stimulus(a=holey)
    want = outcome(READY_MODELS["repack"], [shape("a")], [shape("c")], given)
    assert [frames.tolist() for frames in want.bytewise.values()] == [[True]]
    assert not outcome(READY_MODELS["repack"], [shape("a")], [shape("c")], stimulus(a=whole)).bytewise

    def wrong(got: Trace, stop_ps: int | None = None) -> tuple[str, ...]:
        record = Record(Outcome({"a": holey, "c": got}))
        return check_episode(design(), {}, replace(given, stop_ps=stop_ps), want, record).failures

    assert wrong(holey) == wrong(want.ports["c"]) == ()
    assert "data differs" in wrong(replace(holey, data=holey.data ^ np.uint8(1)))[0]
    assert "missing" in wrong(holey[:1])[0]
    assert wrong(holey[:1], stop_ps=1) == ()
    assert wrong(holey[1:], stop_ps=1) != ()


def test_null_bytes_behind_the_last_byte_of_a_frame_may_be_passed_on() -> None:
    """A frame may end on a beat of null bytes where the input had some, and nowhere else."""
    wide = trace([b"abcdef", b"ghij"])
    given = stimulus(a=wide)
    want = outcome(READY_MODELS["repack"], [shape("a")], [shape("c", width=8)], given)

    def wrong(*beats: str, stop_ps: int | None = None) -> tuple[str, ...]:
        got = Trace.from_bytes(
            [[ord(beat[0])] for beat in beats],
            keep=[[beat[0] != "-"] for beat in beats],
            last=["!" in beat for beat in beats],
            clock_ps=1000,
        )
        record = Record(Outcome({"a": wide, "c": got}))
        return check_episode(design(width=8), {}, replace(given, stop_ps=stop_ps), want, record).failures

    first, second = (*"abcde", "f!"), (*"ghi", "j!")
    assert wrong(*first, *second) == wrong(*"abcdef", "-", "-!", *second) == wrong(*"abc--def", "-!", *second) == ()
    assert "last differs" in wrong(*"abcdef", "-", "-", *second)[0]
    assert wrong(*first, *"ghij", "-!") != ()
    assert wrong(*first, "-", *second) != ()
    assert wrong(*"abcdef", stop_ps=1) == wrong(*"abcdef-", stop_ps=1) == wrong(*first, *"gh", stop_ps=1) == ()
    assert wrong(*first, *"g-", stop_ps=1) != ()


def test_a_reset_cuts_the_end_off_and_nothing_else() -> None:
    expected = trace([b"abcdef", b"gh"])
    assert verdict(expected, expected[:1], stop_ps=1) == ()
    assert verdict(expected, expected[1:], stop_ps=1) != ()
    assert "extra" in verdict(expected[:1], expected, stop_ps=1)[0]


def test_frames_in_any_order() -> None:
    one, other = trace([b"abcdef", b"gh", b"ij"]), trace([b"ij", b"abcdef", b"gh"])
    assert verdict(one, other) != ()
    assert verdict(one, other, ordered=False) == ()
    assert verdict(one, trace([b"ij", b"abcdef", b"gi"]), ordered=False) != ()
    assert verdict(one, trace([b"ij", b"abcd", b"gh", b"ef"]), ordered=False) != ()
    assert verdict(one, trace([b"abcdef", b"gh"]), ordered=False) != ()
    assert verdict(one[:0], one[:0], ordered=False) == ()
    # Where no port has TLAST, words may come in any order; where another one has it, an output without is one frame.
    words, turned = (replace(t, last=np.zeros(len(t), np.bool_)) for t in (one, other))
    assert verdict(words, turned, ordered=False, last=False) == ()
    assert verdict(words, turned, last=False) != ()
    assert verdict(words, turned, ordered=False) != ()
    assert verdict(words, turned[:2], ordered=False, last=False) != ()


def length_of(given: Stimulus, want: Outcome) -> int:
    """Picoseconds for which an episode of the design runs."""
    (episode,) = SeedPlan(0, ((given, want),)).episodes(design())
    return episode.run_ps


def test_the_run_is_long_enough_for_the_sink() -> None:
    given = stimulus(a=trace([b"abcdefgh"] * 50))
    slow = replace(given, ready={"c": Pattern("array", values=(1, 0, 0, 0, 0, 0, 0, 0, 0, 0))})
    want = outcome(READY_MODELS["identity"], [shape("a")], [shape("c")], given)
    quick, late = (length_of(g, want) for g in (given, slow))
    # 100 beats, one every ten cycles instead of one a cycle.
    assert late - quick == 891 * 1000
    assert quick > (99 + 99 + 8 * 201) * 1000
    never = replace(given, ready={"c": Pattern("array", values=(0,))})
    with pytest.raises(UsageError, match=r"the sink is ready 0 times in \d+ cycles, 100 beats are expected"):
        length_of(never, want)


def test_only_designs_with_a_reset_are_cut_off() -> None:
    case = Case(name="c", summary="", make=lambda setting: [replace(stimulus(), stop_ps=5)])
    free = design().model_copy(update={"clocks": (design().clocks[0].model_copy(update={"reset": None}),)})
    from goldbeat.tb.run.runs import run

    with pytest.raises(UsageError, match="x has no reset, so case c cannot run"):
        run(Request(free, case))
