# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.samples import SAMPLE_TYPES
from goldbeat.pymodels.trace import Trace, same


def some(beats: int = 6, width: int = 64, **columns: Any) -> Trace:
    data = np.arange(beats * width // 8, dtype=np.uint8).reshape(beats, width // 8)
    return Trace.from_bytes(data, clock_ps=4000, **columns)


# -- making one -----------------------------------------------------------------------------------------------------


def test_first_sample_sits_in_the_lowest_bits() -> None:
    trace = Trace.from_samples([0, 1, 2, 3], "int16", 64, clock_ps=4000)
    assert trace.data[0][::-1].tobytes().hex() == "0003000200010000"


def test_a_short_last_beat_is_kept_low() -> None:
    trace = Trace.from_samples([4, 5], "int16", 64, clock_ps=4000, last=True)
    assert trace.data[0][::-1].tobytes().hex() == "0000000000050004"
    assert trace.keep[0].tolist() == [True] * 4 + [False] * 4
    assert trace.last.tolist() == [True]


def test_every_frame_starts_on_a_new_beat() -> None:
    trace = Trace.from_samples(np.arange(12), "int16", 64, clock_ps=4000, frame=5)
    assert trace.last.tolist() == [False, True, False, True, True]
    assert trace.keep.sum(axis=1).tolist() == [8, 2, 8, 2, 4]
    assert trace.samples("int16").tolist() == list(range(12))


def test_samples_that_do_not_fill_a_beat_need_a_tlast() -> None:
    with pytest.raises(InputError, match="5 samples, expected a multiple of 4"):
        Trace.from_samples(np.arange(5), "int16", 64, clock_ps=4000)
    with pytest.raises(InputError, match="frames of 0"):
        Trace.from_samples(np.arange(5), "int16", 64, clock_ps=4000, frame=0)
    with pytest.raises(UsageError, match="does not fit a 32-bit port"):
        Trace.from_samples(np.arange(5), "int64", 32, clock_ps=4000)


def test_no_samples_make_no_beats() -> None:
    for frame in (None, 4):
        trace = Trace.from_samples([], "int16", 64, clock_ps=4000, frame=frame)
        assert len(trace) == 0
        assert trace == Trace.empty(64, clock_ps=4000)
        assert len(trace.samples("int16")) == 0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"keep": np.ones((6, 4))}, "keep of shape"),
        ({"last": np.zeros(5)}, "last of shape"),
        ({"cycle": np.arange(7)}, "cycle of shape"),
        ({"tid": np.zeros(5)}, "tid of shape"),
        ({"cycle": [0, 1, 2, 2, 3, 4]}, "cycle 2 after cycle 2 at beat 3"),
        ({"cycle": [0, 1, 5, 4, 6, 7]}, "cycle 4 after cycle 5 at beat 3"),
    ],
)
def test_columns_that_do_not_fit_are_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        some(**columns)


@pytest.mark.parametrize("clock", [0, -1, 2.5])
def test_the_clock_is_whole_picoseconds(clock: float) -> None:
    with pytest.raises(InputError, match="whole number of picoseconds"):
        Trace.from_bytes(np.zeros((1, 4)), clock_ps=clock)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="beats, bytes"):
        Trace.from_bytes(np.zeros(4), clock_ps=1000)


# -- what it says ---------------------------------------------------------------------------------------------------


def test_time_gaps_and_width() -> None:
    trace = some(3, cycle=[2, 3, 7], offset_ps=500)
    assert trace.width == 64
    assert trace.time_ps.tolist() == [8500, 12500, 28500]
    assert trace.gaps.tolist() == [2, 0, 3]
    assert "3 beats x 64 bit" in repr(trace)
    assert trace.with_gaps(trace.gaps) == trace


def test_frames_are_the_beats_up_to_each_tlast_and_the_rest() -> None:
    trace = some(6, last=[0, 1, 1, 0, 0, 0])
    assert trace.frame_bounds().tolist() == [[0, 2], [2, 3], [3, 6]]
    frames = list(trace.frames())
    assert [len(f) for f in frames] == [2, 1, 3]
    assert frames[2].cycle.tolist() == [3, 4, 5]
    assert Trace.concat(frames) == trace
    assert some(3).frame_bounds().tolist() == [[0, 3]]
    assert Trace.empty(32, clock_ps=4000).frame_bounds().shape == (0, 2)


def test_samples_leave_out_what_is_not_kept() -> None:
    keep = np.ones((2, 8), bool)
    keep[0, 2:4] = False
    trace = some(2, keep=keep)
    assert len(trace.samples("int16")) == 7
    with pytest.raises(InputError, match="6 valid bytes in beat 0, expected a multiple of 4 for int32"):
        trace.samples("int32")
    with pytest.raises(UsageError):
        some(2, width=32).samples("int64")


@given(
    name=st.sampled_from(sorted(SAMPLE_TYPES)),
    width=st.sampled_from([32, 64, 128]),
    count=st.integers(0, 40),
    frame=st.none() | st.integers(1, 12),
    seed=st.integers(0, 99),
)
def test_samples_come_back(name: str, width: int, count: int, frame: int | None, seed: int) -> None:
    kind = SAMPLE_TYPES[name]
    if kind.bits > width:
        return
    # Samples that share a byte come in pairs.
    count, frame = count * kind.group, frame and frame * kind.group
    raw = np.random.default_rng(seed).integers(0, 256, kind.bits * count // 8, dtype=np.uint8)
    samples = kind.decode(raw)
    if not kind.is_integer:
        samples = np.nan_to_num(samples, posinf=np.inf, neginf=-np.inf)
    trace = Trace.from_samples(samples, name, width, clock_ps=4000, frame=frame, last=True)
    assert np.array_equal(trace.samples(name), samples)
    if count:
        assert int(trace.last.sum()) == (1 if frame is None else -(-count // frame))


# -- making others of it --------------------------------------------------------------------------------------------


def test_slices_masks_and_indices_keep_cycles_and_sidebands() -> None:
    trace = some(6, tid=np.arange(6) + 10)
    assert trace[2:4].cycle.tolist() == [2, 3]
    for part in (trace[trace.cycle % 2 == 0], trace[np.array([0, 2, 4])]):
        assert part.cycle.tolist() == [0, 2, 4]
        assert part.tid is not None
        assert part.tid.tolist() == [10, 12, 14]
    with pytest.raises(InputError, match="increasing"):
        trace[np.array([3, 1])]


def test_masked_clears_what_is_not_kept() -> None:
    keep = np.zeros((2, 8), bool)
    keep[:, 0] = True
    assert some(2, keep=keep).masked().data.tolist() == [[0] + [0] * 7, [8] + [0] * 7]


def test_concat() -> None:
    a, b = some(2), some(3)
    with pytest.raises(InputError, match="increasing"):
        Trace.concat([a, b])
    joined = Trace.concat([a, b.with_cycles([9, 10, 14])], gap=4)
    assert joined.cycle.tolist() == [0, 1, 6, 7, 11]
    assert Trace.concat([a, a[:0], b], gap=0).cycle.tolist() == [0, 1, 2, 3, 4]
    assert len(Trace.concat([a[:0], a[:0]], gap=3)) == 0
    with pytest.raises(InputError, match="a trace like"):
        Trace.concat([a, some(2, width=32)], gap=0)
    with pytest.raises(InputError, match="sidebands"):
        Trace.concat([a, some(2, tid=[1, 2])], gap=0)


# -- equality -------------------------------------------------------------------------------------------------------


def test_equality_looks_at_kept_data_and_time_not_at_clocks() -> None:
    keep = np.ones((6, 8), bool)
    keep[5, 4:] = False
    trace = some(keep=keep)
    assert trace == trace.masked()
    assert trace != some()
    assert trace != some(keep=keep, cycle=[0, 1, 2, 3, 4, 6])
    assert trace != "a trace"
    faster = Trace.from_bytes(trace.data, keep=keep, clock_ps=2000, cycle=trace.cycle * 2)
    assert trace == faster
    with pytest.raises(TypeError, match="unhashable"):
        hash(trace)


@pytest.mark.parametrize("width", [8, 16, 24, 32, 64, 72, 128, 512])
def test_valid_bytes_are_those_that_are_kept(width: int) -> None:
    rng = np.random.default_rng(width)
    keep = rng.integers(0, 2, (50, width // 8)).astype(bool)
    keep[:2] = [[True], [False]]
    for trace in (some(50, width, keep=keep), some(50, width), Trace.empty(width, clock_ps=1000)):
        for part in (trace, trace[3:20:2]):
            found = part.valid_bytes()
            assert found.dtype == np.int64
            assert np.array_equal(found, part.keep.sum(axis=1))


def test_cycles_are_checked_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldbeat.pymodels.trace._BLOCK", 4)
    for at in range(1, 13):
        cycle = np.arange(13) * 2
        cycle[at] = cycle[at - 1]
        with pytest.raises(InputError, match=f"at beat {at}, expected increasing"):
            some(13, cycle=cycle)
    assert len(some(13, cycle=np.arange(13) * 2)) == 13


def test_same_columns_are_found_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldbeat.pymodels.trace._BLOCK", 4)
    column = np.arange(26).reshape(13, 2)
    for at in range(13):
        other = column.copy()
        other[at, 1] += 1
        assert not same(column, other)
    assert same(column, column.copy())
    assert same(None, None)
    assert not same(None, column)
    assert not same(column[:12], column)
