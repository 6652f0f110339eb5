# SPDX-License-Identifier: Apache-2.0
"""Traces as files: chunks, columns that say nothing, files of older versions, damage."""

import tracemalloc
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from mutations import bounded

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.packed import SUFFIX, PackedReader, PackedWriter
from goldbeat.pymodels.trace import SIDEBANDS, Trace
from goldbeat.pymodels.trace_file import TraceReader, TraceWriter, chunk_beats

COLUMNS = ("data", "keep", "last", "cycle", *SIDEBANDS)


def some(beats: int = 6, width: int = 64, **columns: Any) -> Trace:
    data = np.arange(beats * width // 8, dtype=np.uint32).astype(np.uint8).reshape(beats, width // 8)
    return Trace.from_bytes(data, clock_ps=4000, **columns)


def same(one: Trace, other: Trace) -> bool:
    """Every bit of every column, data outside of keep included."""
    if (one.clock_ps, one.offset_ps, one.width) != (other.clock_ps, other.offset_ps, other.width):
        return False
    pairs = [(getattr(one, c), getattr(other, c)) for c in COLUMNS]
    return all(a is b is None or (a is not None and b is not None and np.array_equal(a, b)) for a, b in pairs)


def old_columns(trace: Trace) -> dict[str, Any]:
    """What ``.npz`` files of format 1 hold."""
    columns = {name: column for name in COLUMNS if (column := getattr(trace, name)) is not None}
    return {"format": np.int64(1), "clock_ps": trace.clock_ps, "offset_ps": trace.offset_ps, **columns}


def npy(values: Any) -> bytes:
    stream = BytesIO()
    np.save(stream, values)
    return stream.getvalue()


def members(path: Path) -> dict[str, bytes]:
    """A packed archive's arrays as ``.npy`` bytes."""
    with PackedReader(path, "") as archive, zipfile.ZipFile(path) as names:
        return {n.removesuffix(SUFFIX): npy(archive.get(n.removesuffix(SUFFIX))) for n in names.namelist()}


def rewrite(path: Path, parts: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name + SUFFIX, zstandard.ZstdCompressor().compress(part))


def ragged(beats: int, width: int, seed: int = 1) -> Trace:
    rng = np.random.default_rng(seed)
    return Trace.from_bytes(
        rng.integers(0, 256, (beats, width // 8), np.uint8),
        keep=rng.integers(0, 2, (beats, width // 8)).astype(bool),
        last=rng.integers(0, 9, beats) == 0,
        cycle=np.cumsum(rng.integers(1, 300, beats)) - 40,
        clock_ps=3334,
        offset_ps=77,
        tid=rng.integers(0, 1 << 63, beats, np.uint64) * np.uint64(2),
        tuser=rng.integers(0, 4, beats, np.uint64),
    )


def test_saving_and_loading(tmp_path: Path) -> None:
    path = tmp_path / "t.trace"
    trace = some(6, last=[0, 0, 1, 0, 0, 1], tid=np.arange(6), tuser=[2**64 - 1] * 6, cycle=[1, 2, 4, 8, 9, 30])
    trace.save(path)
    assert same(Trace.load(path), trace)
    for one in (
        Trace.empty(128, clock_ps=3200, offset_ps=-5),
        ragged(1000, 24),
        ragged(1, 512),
        some(3, tdest=np.zeros(3)),
        some(2, cycle=[-(2**61), 2**61]),
    ):
        one.save(path)
        assert same(Trace.load(path), one)


def test_equal_traces_make_equal_files(tmp_path: Path) -> None:
    for name in "ab":
        ragged(500, 32).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_parts_of_any_size_make_the_whole(tmp_path: Path) -> None:
    width = 8 * (1 << 20)
    assert chunk_beats(width) == 4
    trace = Trace.concat([ragged(11, 32)])
    wide = Trace.from_bytes(
        np.repeat(trace.data, width // 32, axis=1),
        clock_ps=1000,
        cycle=trace.cycle,
        last=trace.last,
        tid=np.arange(11),
    )
    for cuts in ([], [5], [1, 2, 3], [4, 8], [0, 11]):
        with TraceWriter(tmp_path / "t", wide) as writer:
            for start, end in zip([0, *cuts], [*cuts, 11], strict=True):
                writer.add(wide[start:end])
        with TraceReader(tmp_path / "t", Trace) as reader:
            assert len(reader) == 11
            parts = list(reader.parts())
        assert max(len(p) for p in parts) <= 4
        assert same(Trace.concat(parts), wide)
        assert same(Trace.load(tmp_path / "t"), wide)


def test_a_long_trace_is_written_and_read_in_little_memory(tmp_path: Path) -> None:
    path, part = tmp_path / "t", ragged(1 << 16, 32)
    span = int(part.cycle[-1] - part.cycle[0]) + 1
    tracemalloc.start()
    try:
        with TraceWriter(path, part) as writer:
            for n in range(32):
                writer.add(part.with_cycles(part.cycle + n * span))
        beats = 0
        with TraceReader(path, Trace) as reader:
            for read in reader.parts():
                beats += len(read)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert beats == 32 << 16
    # 2 M beats are 33 bytes each in memory; a part is a 32nd of them.
    assert peak < 8 * (33 << 16)


def test_columns_that_say_nothing_take_no_room(tmp_path: Path) -> None:
    path = tmp_path / "t"
    some(1000, width=32, tid=np.zeros(1000)).save(path)
    assert sorted(members(path)) == ["0.data", "chunks", "format", "head"]
    some(4, last=[0, 1, 0, 0], tid=[0, 0, 0, 9], cycle=[1, 2, 5, 6]).save(path)
    assert sorted(members(path)) == ["0.data", "0.gaps", "0.last", "0.tid", "chunks", "format", "head"]


def test_files_of_older_versions_are_read(tmp_path: Path) -> None:
    for save in (np.savez, np.savez_compressed):
        for trace in (ragged(700, 64), Trace.empty(32, clock_ps=1000)):
            save(tmp_path / "t.npz", **old_columns(trace))
            assert same(Trace.load(tmp_path / "t.npz"), trace)


@pytest.mark.parametrize(
    "change",
    [
        {"format": np.int64(2)},
        {"cycle": np.array([3, 2, 1])},
        {"keep": np.ones((3, 1), bool)},
        {"clock_ps": np.int64(0)},
        {"data": np.array(["x", "y", "z"])},
        {"last": None},
        {"last": np.array([object()] * 3)},
    ],
    ids=["format", "cycle", "keep", "clock", "text", "column missing", "object"],
)
def test_wrong_contents_of_older_files_are_input_errors(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "t.npz"
    columns = old_columns(some(3)) | change
    np.savez(path, **{k: v for k, v in columns.items() if v is not None})
    with pytest.raises(InputError, match=r"t\.npz"):
        Trace.load(path)


@pytest.mark.parametrize(
    "change",
    [
        {"format": 3},
        {"head": np.arange(3)},
        {"head": np.array([64, 0, 0, 0])},
        {"head": np.array([72, 4000, 0, 0])},
        {"head": np.array([-8, 4000, 0, 0])},
        {"head": np.array(["x"] * 4)},
        {"chunks": np.array([[1 << 40, 0, 15]])},
        {"chunks": np.array([[-3, 0, 15]])},
        {"chunks": np.array([[3, 1 << 63, 15]], np.uint64)},
        {"chunks": np.array([[3, 0, 15], [3, 5, 15]])},
        {"chunks": np.array([[3, 0]])},
        {"0.data": np.zeros((3, 7), np.uint8)},
        {"0.data": np.zeros((3, 8), np.uint16)},
        {"0.data": None},
        {"0.keep": np.zeros((3, 0), np.uint8)},
        {"0.keep": np.ones((2, 1), np.uint8)},
        {"0.last": np.ones(1, np.uint16)},
        {"0.gaps": np.array([0, -5, 0], np.int8)},
        {"0.gaps": np.ones(2, np.uint8)},
        {"0.tid": np.array(["a", "b", "c"])},
        {"0.tid": np.array([object()] * 3)},
    ],
    ids=lambda change: "-".join(change),
)
def test_wrong_contents_are_input_errors(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "t.trace"
    some(3, last=[1, 0, 1], keep=[[1] * 8, [0] * 8, [1] * 8], tid=[1, 2, 3], cycle=[1, 4, 9]).save(path)
    parts = members(path)
    rewrite(path, parts)
    assert len(Trace.load(path)) == 3
    for name, values in change.items():
        parts[name] = b"" if values is None else npy(values)
    rewrite(path, {name: part for name, part in parts.items() if part})
    with bounded(memory=64 << 20), pytest.raises(InputError, match=r"t\.trace"):
        Trace.load(path)


def test_a_frame_that_unfolds_to_more_than_it_may_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.trace"
    some(3).save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    stream = zstandard.ZstdCompressor().compressobj(size=1 << 30)
    zeros = bytes(1 << 20)
    bomb = b"".join([*(stream.compress(zeros) for _ in range(1 << 10)), stream.flush()])
    unsized = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(100))
    for bad in (bomb, unsized, b"no frame at all"):
        with zipfile.ZipFile(path, "w") as archive:
            for name, part in parts.items():
                archive.writestr(name, bad if name.startswith("0.data") else part)
        with bounded(memory=64 << 20), pytest.raises(InputError, match=r"t\.trace"):
            Trace.load(path)


def test_cut_files_are_input_errors(tmp_path: Path) -> None:
    whole = tmp_path / "t.trace"
    ragged(200, 64).save(whole)
    raw = whole.read_bytes()
    bad = tmp_path / "bad.trace"
    for at in range(0, len(raw), 97):
        bad.write_bytes(raw[:at])
        with pytest.raises(InputError, match=r"bad\.trace"):
            Trace.load(bad)
    with pytest.raises(InputError, match="no such file"):
        Trace.load(tmp_path / "none.trace")


def test_a_file_that_was_not_finished_is_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "t.trace"
    with pytest.raises(InputError, match="like"), TraceWriter(path, some()) as writer:
        writer.add(Trace.concat([some(), some(width=32)], gap=0))
    with pytest.raises(InputError, match=r"t\.trace"):
        Trace.load(path)


def test_files_with_wrong_bytes_are_input_errors(tmp_path: Path) -> None:
    whole = tmp_path / "t.trace"
    trace = ragged(200, 64)
    trace.save(whole)
    raw = whole.read_bytes()
    bad = tmp_path / "bad.trace"
    refused = 0
    for at in range(0, len(raw), 13):
        bad.write_bytes(raw[:at] + bytes([raw[at] ^ 0x55]) + raw[at + 1 :])
        # Some bytes do not matter, such as a date in the archive.
        with suppress(InputError):
            assert same(Trace.load(bad), trace)
            continue
        refused += 1
    assert refused > 100


def test_an_array_alone_is_no_trace(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(4))
    with pytest.raises(InputError):
        Trace.load(tmp_path / "a.npy")
    with PackedWriter(tmp_path / "a.pack") as archive:
        archive.add("a", np.zeros(4))
    with pytest.raises(InputError):
        Trace.load(tmp_path / "a.pack")
