# SPDX-License-Identifier: Apache-2.0
"""Traces that stay in files: they say what the trace in memory says, and no more of them is read than is asked for."""

import pickle
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.compare import compare
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.measure import UnmeasurableError, frame_intervals, latency, measure
from goldbeat.pymodels.stored_trace import Shelf, StoredTrace
from goldbeat.pymodels.trace import SIDEBANDS, Trace
from goldbeat.pymodels.trace_file import TraceWriter

COLUMNS = ("data", "keep", "last", "cycle", *SIDEBANDS)


def drawn(seed: int, beats: int, *, frames: float = 0.4, steady: bool = False) -> Trace:
    rng = np.random.default_rng(seed)
    last = rng.random(beats) < frames
    gaps = rng.integers(0, 3, beats) * (rng.random(beats) < 0.4)
    if steady:
        last = np.arange(beats) % 5 == 4
        gaps[beats // 2 :] = 0
    trace = Trace.from_bytes(
        rng.integers(0, 256, (beats, 4), dtype=np.uint8),
        keep=rng.integers(0, 2, (beats, 4)),
        last=last,
        clock_ps=4000,
        offset_ps=4000,
        tid=rng.integers(0, 16, beats),
        tstrb=rng.integers(0, 16, beats),
    )
    return trace.with_gaps(gaps)


def stored(trace: Trace, folder: Path, part: int) -> Trace:
    return Shelf(folder, part).long(trace)


def equal(one: Trace, other: Trace) -> bool:
    pairs = [(getattr(one, c), getattr(other, c)) for c in COLUMNS]
    return all(a is b is None or np.array_equal(a, b) for a, b in pairs)


@pytest.fixture
def whole() -> Trace:
    return drawn(1, 40)


@pytest.fixture
def kept(whole: Trace, tmp_path: Path) -> Trace:
    return stored(whole, tmp_path, 7)


def test_it_is_the_same_trace(whole: Trace, kept: Trace):
    assert isinstance(kept, StoredTrace)
    assert isinstance(kept, Trace)
    assert (len(kept), kept.width, kept.clock_ps, kept.offset_ps) == (40, 32, 4000, 4000)
    assert kept.sides == whole.sides == ("tid", "tstrb")
    assert equal(whole, kept)
    assert kept == whole
    assert whole == kept
    assert [len(part) for part in kept.parts()] == [7, 7, 7, 7, 7, 5]
    assert [len(part) for part in kept.parts(12)] == [12, 12, 12, 4]
    assert equal(whole, Trace.concat(list(kept.parts(9))))


@pytest.mark.parametrize(
    "rows", [slice(0, 7), slice(6, 8), slice(3, 36), slice(-3, None), slice(5, 5), slice(9, 4), slice(0, 40, 3)]
)
def test_slices(whole: Trace, kept: Trace, rows: slice):
    assert equal(whole[rows], kept[rows])
    assert equal(whole[rows][1:], kept[rows][1:])
    assert len(kept[rows]) == len(whole[rows])


def test_masks_and_replaced_columns_make_plain_traces(whole: Trace, kept: Trace):
    mask = whole.last
    assert equal(whole[mask], kept[mask])
    moved = replace(kept, cycle=whole.cycle + 3)
    assert type(moved) is Trace
    assert equal(moved, whole.with_cycles(whole.cycle + 3))


@pytest.mark.parametrize("time", [0, 4000, 4001, 100_000, 10**9])
def test_beats_before(whole: Trace, kept: Trace, time: int):
    expected = int((whole.time_ps < time).sum())
    assert whole.beats_before(time) == kept.beats_before(time) == expected


def test_another_process_gets_the_path(whole: Trace, kept: Trace):
    sent = pickle.dumps(kept[3:30])
    assert len(sent) < 500
    assert equal(pickle.loads(sent), whole[3:30])


def test_saving_shares_the_file(whole: Trace, kept: Trace, tmp_path: Path):
    for name in ("a.trace", "a.trace"):
        kept.save(tmp_path / name)
    assert (tmp_path / "a.trace").stat().st_nlink == 2
    kept[2:20].save(tmp_path / "b.trace")
    assert equal(Trace.load(tmp_path / "a.trace"), whole)
    assert equal(Trace.load(tmp_path / "b.trace"), whole[2:20])


def test_short_traces_stay_in_memory(whole: Trace, tmp_path: Path):
    assert Shelf(tmp_path / "x", 40).long(whole) is whole
    assert Shelf(None, 7).long(whole) is whole
    assert type(Shelf(tmp_path / "x", 40).keep([whole[:30], whole[30:]])) is Trace
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("sizes", [(40,), (1,) * 40, (0, 20, 0, 20), (3, 11, 26), (7, 7, 7, 7, 7, 5)])
def test_parts_of_any_size_are_kept(whole: Trace, tmp_path: Path, sizes: tuple[int, ...]):
    ends = np.cumsum(sizes).tolist()
    parts = [whole[end - size : end] for size, end in zip(sizes, ends, strict=True)]
    told: list[int] = []
    shelf = Shelf(lambda: tmp_path / "x", 7)
    shelf.told = told.append
    kept = shelf.keep(parts)
    assert isinstance(kept, StoredTrace)
    assert equal(kept, whole)
    assert [len(part) for part in kept.parts()] == [7, 7, 7, 7, 7, 5]
    assert told == [7, 14, 21, 28, 35, 40]


def test_a_damaged_file_is_named(tmp_path: Path):
    (tmp_path / "x.trace").write_bytes(b"no trace")
    with pytest.raises(InputError, match=r"x\.trace"):
        StoredTrace.open(tmp_path / "x.trace")


# -- figures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("part", [1, 2, 7, 31])
def test_figures_are_those_of_the_whole_trace(seed: int, part: int, tmp_path: Path):
    rng = np.random.default_rng(seed)
    beats, frames = int(rng.integers(2, 60)), float(rng.choice([0, 0.05, 0.3, 1]))
    trace = drawn(seed, beats, frames=frames, steady=bool(seed % 2))
    assert measure(stored(trace, tmp_path, part)) == measure(trace)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("by", ["beat", "frame", "frame-end", "frame-total"])
def test_latencies_are_those_of_the_whole_traces(seed: int, by: str, tmp_path: Path):
    source = drawn(seed, 50)
    sink = source.with_cycles(source.cycle + 5 + np.arange(50))
    assert latency(stored(source, tmp_path, 7), stored(sink, tmp_path, 9), by=by) == latency(source, sink, by=by)
    for one, other in ((sink, source), (source, sink[:-9])):
        with pytest.raises((UnmeasurableError, UsageError)) as found:
            latency(one, other, by=by)
        with pytest.raises(type(found.value)) as again:
            latency(stored(one, tmp_path, 7), stored(other, tmp_path, 9), by=by)
        assert str(again.value) == str(found.value)


def test_frame_intervals(whole: Trace, kept: Trace):
    assert np.array_equal(frame_intervals(kept), frame_intervals(whole))


def test_ragged_beats_are_numbered_in_the_whole_trace(whole: Trace, kept: Trace):
    assert str(kept.ragged("int32")) == str(whole.ragged("int32"))
    for trace in (kept, whole):
        with pytest.raises(InputError, match=str(whole.ragged("int32"))):
            measure(trace, "int32")


@pytest.mark.parametrize("beat", [0, 6, 7, 8, 20, 39])
@pytest.mark.parametrize("column", ["data", "keep", "last", "cycle", "tid"])
def test_a_mismatch_has_the_same_message(whole: Trace, beat: int, column: str, tmp_path: Path):
    values = getattr(whole, column).copy()
    if column == "cycle":
        values[beat:] += 1
    elif values.dtype == np.bool_:
        values[beat] ^= True
    else:
        values[beat] += 1
    other = replace(whole, keep=np.ones_like(whole.keep), tstrb=None) if column == "data" else whole
    wrong = replace(other, **{column: values})
    found = compare(stored(other, tmp_path, 7), stored(wrong, tmp_path, 7))
    assert found == compare(other, wrong)
    assert not found.equal


@pytest.mark.parametrize("beats", [0, 1, 7, 13, 14, 39])
def test_missing_and_left_over_beats_have_the_same_message(whole: Trace, beats: int, tmp_path: Path):
    one, other = stored(whole, tmp_path, 7), stored(whole[:beats], tmp_path, 7)
    assert compare(one, other) == compare(whole, whole[:beats])
    assert compare(other, one) == compare(whole[:beats], whole)


@pytest.mark.slow
def test_memory_is_that_of_a_part(tmp_path: Path):
    beats, part = 400_000, 1 << 12
    with TraceWriter(tmp_path / "x.trace", drawn(0, 1)) as writer:
        for k in range(0, beats, part):
            piece = drawn(k, part, frames=0.002)
            writer.add(piece.with_cycles(piece.cycle + 3 * k))
    trace = StoredTrace.open(tmp_path / "x.trace")
    tracemalloc.start()
    measure(trace)
    assert compare(trace, StoredTrace.open(tmp_path / "x.trace")).equal
    assert tracemalloc.get_traced_memory()[1] < 40 * 2**20
    tracemalloc.stop()
