# SPDX-License-Identifier: Apache-2.0
"""Recorded executions as episodes of the engine: words, memory, loops, parts, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.registers import Descriptor
from goldbeat.pymodels.objfifo.live.execute import run_live
from goldbeat.pymodels.objfifo.live.record import recorded_runs
from goldbeat.pymodels.objfifo.live.record_channels import ring_of, unrolled_program
from goldbeat.pymodels.objfifo.live.record_cores import core_channel
from goldbeat.pymodels.objfifo.live.record_events import TaskPushed
from goldbeat.pymodels.objfifo.live.record_joined import tile_groups
from goldbeat.pymodels.objfifo.live.record_scene import RecordedScenes, recorded_scenes
from goldbeat.pymodels.objfifo.live.record_segments import CoreOp, TileSegment
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.mlir_text import memory_ops
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind
from tests.support.objfifo_explicit import explicit_text
from tests.support.objfifo_played import played, right

X = np.arange(1, 33, dtype=np.int32)


def _recorded(folder: Path, text: str, values: np.ndarray = X, *, check: bool = True) -> RecordedScenes:
    path = folder / "aie.mlir"
    path.write_text(text)
    with recorded_runs() as records:
        found = run_live(TextArray(path).build, {"i": values})
    assert found.completes, found.report
    assert len(records) == 1
    wanted = 3 * values.reshape(-1, 4, 2).transpose(0, 2, 1).reshape(-1)
    assert not check or found.hosts["o"].tolist() == wanted.tolist()
    return recorded_scenes(records[0])


@pytest.mark.parametrize("profile", [0, 1])
def test_every_part_moves_the_words_of_the_execution(tmp_path: Path, profile: int) -> None:
    found = _recorded(tmp_path, explicit_text())
    assert found.refused == ()
    labels = [e.label for e in found.episodes]
    assert labels == ["mem tile (0, 1) part 1", "mem tile (0, 1) part 2", "core tile (0, 2)"]
    for one in found.episodes:
        assert right(one, profile)
    core = found.episodes[2]
    assert [(s.name, s.core) for s in core.sources] == [
        ("S2MM 0 of core tile (0, 2)", False),
        ("the core of core tile (0, 2)", True),
    ]
    assert core.cores == (1,)
    assert core.words[0].tolist() == X.tolist()
    assert core.locks == {0: 2, 2: 2}
    assert sum(len(words) for words in core.final.values()) == 32


def test_a_loop_of_a_core_is_written_once(tmp_path: Path) -> None:
    few = _recorded(tmp_path, explicit_text(6), np.arange(48, dtype=np.int32)).episodes[2]
    many = _recorded(tmp_path, explicit_text(40), np.arange(320, dtype=np.int32)).episodes[2]
    assert many.descriptors == few.descriptors
    # Per object: take, take and write and give, give.
    assert len(many.descriptors) == 4 + 2 * 3
    sent, _ = played(many)
    assert sent[0] == many.wanted[0].tolist()
    assert len(sent[0]) == 320


def test_words_that_do_not_change_are_written_as_well(tmp_path: Path) -> None:
    values = np.repeat(np.array([5, 5, 5, 5, 7, 7, 7, 5], np.int32), 8)
    found = _recorded(tmp_path, explicit_text(8), values).episodes[2]
    assert len(found.descriptors) == 10
    assert played(found)[0] == {0: found.wanted[0].tolist()}


@pytest.mark.parametrize("what", ["release", "word", "lock", "order"])
def test_a_scene_that_is_not_the_execution_shows(tmp_path: Path, what: str) -> None:
    one = _recorded(tmp_path, explicit_text()).episodes[2]
    assert played(one)[0][0] == one.wanted[0].tolist()
    if what == "release":
        number = next(n for n, d in one.descriptors.items() if d.release == (3, 1))
        one.descriptors[number] = replace(one.descriptors[number], release=(3, 0))
    elif what == "lock":
        one.locks[2] = 0
    elif what == "word":
        one.words[1][3] += 1
    else:
        one.words[1] = one.words[1][::-1].copy()
    assert played(one)[0][0] != one.wanted[0].tolist()


def exact_acquires() -> str:
    """The text with a descriptor for each object, which waits until the core has given back as many as came before."""
    text = explicit_text()
    start, end = text.index("^in0:"), text.index("^next:")
    blocks = [
        f"""^in{n}:
      aie.use_lock(%free, Acquire, {n})
      aie.dma_bd(%a{n % 2} : memref<8xi32> offset = 0 len = 8)
      aie.use_lock(%full, Release, 1)
      aie.next_bd {f"^in{n + 1}" if n < 3 else "^end"}"""
        for n in range(4)
    ]
    text = text[:start] + "\n    ".join(blocks) + "\n    " + text[end:]
    gate = "%gate = aie.lock(%t, 7) {init = 5 : i32}\n    "
    text = text.replace("%free = aie.lock(%t, 0) {init = 2", gate + "%free = aie.lock(%t, 0) {init = 0")
    return text.replace("aie.use_lock(%full, Acq", "aie.use_lock(%gate, Acquire, 5)\n        aie.use_lock(%full, Acq")


@pytest.mark.parametrize("profile", [0, 1])
@pytest.mark.parametrize("broken", ["", "channel", "core", "gate"])
def test_acquires_that_wait_for_one_value(tmp_path: Path, profile: int, broken: str) -> None:
    found = _recorded(tmp_path, exact_acquires())
    assert found.refused == ()
    one = found.episodes[2]
    equal = [n for n, d in one.descriptors.items() if d.acquire_equal]
    assert [one.descriptors[n].acquire for n in equal if one.descriptors[n].acquire[0] == 0] == [
        (0, 0), (0, 1), (0, 2), (0, 3),
    ]  # fmt: skip
    assert (7, 5) in [one.descriptors[n].acquire for n in equal]
    if broken == "gate":
        one.locks[7] = 6
    elif broken:
        number = next(n for n in equal if one.descriptors[n].acquire[0] == (0 if broken == "channel" else 7))
        one.descriptors[number] = replace(one.descriptors[number], acquire=(one.descriptors[number].acquire[0], 9))
    assert right(one, profile) is (not broken)


def test_what_the_engine_has_not_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_ops, "LOCK_MAX", 64)
    text = explicit_text().replace("%free =", "%odd = aie.lock(%t, 9) {init = 64 : i32}\n    %free =")
    found = _recorded(tmp_path, text)
    assert found.refused == ("core tile (0, 2): lock 9 is 64; the engine's locks are 0..63",)
    assert [e.label for e in found.episodes] == ["mem tile (0, 1) part 1", "mem tile (0, 1) part 2"]


_HALF = """aiex.npu.dma_memcpy_nd(%i[0, 0, 0, {at}][1, 1, 1, 16][0, 0, 0, 1])
    {{id = {id} : i64, metadata = @x{more}}} : memref<32xi32>"""


def test_a_lock_that_the_host_writes_inside_a_descriptor_is_refused(tmp_path: Path) -> None:
    text = explicit_text()
    start = text.index("aiex.npu.dma_memcpy_nd(%i")
    first = _HALF.format(at=0, id=0, more=", issue_token = true") + "\n aiex.npu.dma_wait {symbol = @x}\n"
    second = "aiex.set_lock(%spare, 1)\n" + _HALF.format(at=16, id=2, more="") + "\n"
    text = text[:start] + first + second + text[text.index("aiex.dma_await_task(%g)") :]
    text = text.replace("%free =", "%spare = aie.lock(%m, 5) {init = 0 : i32}\n    %free =")
    found = _recorded(tmp_path, text)
    inside = "mem tile (0, 1): the host writes lock 5 while S2MM 1 of mem tile (0, 1) is inside a descriptor"
    assert found.refused == (inside,)
    assert [e.label for e in found.episodes] == ["core tile (0, 2)"]


def test_rings_and_chains() -> None:
    assert ring_of("abcbcbc") == (1, 2)
    assert ring_of("aaaa") == (0, 1)
    assert ring_of("abcd") is None
    assert ring_of("xyabab") == (2, 2)
    a, b, c = (Descriptor(n, 4) for n in range(3))
    ring = unrolled_program([a, b, c, b, c, b], bounded=True)
    assert [d.next for d in ring.descriptors] == [1, 2, 1]
    assert ring.tasks == [(0, 0, False)]
    ends = unrolled_program([a, b, c, b, c, b], bounded=False)
    assert ends.tasks == [(0, 0, False), (1, 1, False), (3, 0, False)]
    assert [d.next for d in ends.descriptors] == [None, 2, None, None]
    with pytest.raises(UsageError, match="tasks"):
        unrolled_program([a] * 2000, bounded=False)


@pytest.mark.parametrize(("before", "turns", "behind"), [(1, 12_000, 1), (0, 300, 2), (3, 5, 0), (2, 1000, 3)])
def test_a_loop_of_a_core_with_an_end(before: int, turns: int, behind: int) -> None:
    locks = [(5, -1)] * before + [(1, -1), (0, 1)] * turns + [(6, 1)] * behind
    ops = [CoreOp(n, lock, difference) for n, (lock, difference) in enumerate(locks)]
    memory = np.zeros(64, np.uint32)
    segment = TileSegment(Tile(0, 2, TileKind.CORE), {}, memory, memory, cores={"core": ops})
    segment.events = [TaskPushed(None, None)] * len(ops)  # type: ignore[arg-type]
    found = core_channel(segment, "core", [], 100, 60)
    assert len(found.tasks) <= 4
    done: list[tuple[int, int]] = []
    for start, repeat in found.tasks:
        for _ in range(repeat + 1):
            at: int | None = start
            while at is not None and len(done) <= len(locks):
                one = found.descriptors[at]
                done += [(one.acquire[0], -one.acquire[1])] if one.acquire else []
                done += [(one.release[0], one.release[1])] if one.release else []
                at = one.next
    # A ring goes on; its words end.
    assert done[: len(locks)] == locks
    assert behind == 0 or len(done) == len(locks)
    assert len(found.words) == before + turns + behind


def test_tiles_that_share_memory_are_grouped() -> None:
    a, b, c, d = (Tile(n, 1, TileKind.MEM) for n in range(4))
    homes = {1: {a}, 2: {b, c}, 3: {c, d}, 4: {a}}
    assert tile_groups({k: frozenset(v) for k, v in homes.items()}) == [(a,), (b, c, d)]  # type: ignore[misc]


def test_a_channel_of_the_tile_beside_it(tmp_path: Path) -> None:
    text = explicit_text().replace("aie.device(npu1_1col)", "aie.device(npu1_2col)")
    text = text.replace("%t = aie.tile(0, 2)", "%t = aie.tile(0, 2)\n    %beside = aie.tile(1, 1)")
    text = text.replace("%all = aie.buffer(%m)", "%all = aie.buffer(%beside)")
    found = _recorded(tmp_path, text)
    assert found.refused == ()
    assert [e.label for e in found.episodes][-2:] == ["mem tile (1, 1) part 1", "mem tile (1, 1) part 2"]
    text = text.replace("%free =", "%spare = aie.lock(%m, 9) {init = 1 : i32}\n    %free =")
    text = text.replace("aie.dma_bd(%all", "aie.use_lock(%spare, AcquireGreaterEqual, 1)\n aie.dma_bd(%all", 1)
    both = _recorded(tmp_path, text)
    assert both.episodes[0].label == "mem tile (0, 1) with mem tile (1, 1) part 1"
    assert list(both.episodes[0].locks.values()) == [1]
    for one in both.episodes:
        assert played(one)[0] == {n: words.tolist() for n, words in one.wanted.items()}
