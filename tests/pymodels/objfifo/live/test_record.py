# SPDX-License-Identifier: Apache-2.0
"""Recorded executions as episodes of the engine: words, memory, loops, parts, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.alone import predict
from goldbeat.pymodels.objfifo.engine.registers import Descriptor, EngineShape
from goldbeat.pymodels.objfifo.live.execute import run_live
from goldbeat.pymodels.objfifo.live.record import recorded_runs
from goldbeat.pymodels.objfifo.live.record_channels import ring_of, unrolled_program
from goldbeat.pymodels.objfifo.live.record_scene import LiveEpisode, RecordedScenes, recorded_scenes
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN
from goldbeat.tb.designs.objfifo.live_scene import engine_for, live_stimulus, memory_left, words_sent
from goldbeat.tb.run.runs import Request
from tests.support.objfifo_explicit import explicit_text

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


def _played(episode: LiveEpisode, profile: int = 0) -> tuple[dict[int, list[int]], list[int]]:
    """What the engine's model sends, and what it leaves in memory."""
    request = Request(DESIGN, DESIGN.case("forward"), params={**engine_for([episode]), "PROFILE": profile})
    stimulus = live_stimulus(episode, request.setting(0))
    outcome = predict(request.all_params, stimulus)
    sent = {n: words_sent(episode, n, outcome.ports).tolist() for n in episode.wanted}
    left = memory_left(episode, outcome.accesses["s_axil"], EngineShape.of(request.all_params))
    return sent, left.tolist()


@pytest.mark.parametrize("profile", [0, 1])
def test_every_part_moves_the_words_of_the_execution(tmp_path: Path, profile: int) -> None:
    found = _recorded(tmp_path, explicit_text())
    assert found.refused == ()
    labels = [e.label for e in found.episodes]
    assert labels == ["mem tile (0, 1) part 1", "mem tile (0, 1) part 2", "core tile (0, 2)"]
    for one in found.episodes:
        sent, left = _played(one, profile)
        assert sent == {n: words.tolist() for n, words in one.wanted.items()}
        assert left == [int(w) for words in one.final.values() for w in words]
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
    sent, _ = _played(many)
    assert sent[0] == many.wanted[0].tolist()
    assert len(sent[0]) == 320


def test_words_that_do_not_change_are_written_as_well(tmp_path: Path) -> None:
    values = np.repeat(np.array([5, 5, 5, 5, 7, 7, 7, 5], np.int32), 8)
    found = _recorded(tmp_path, explicit_text(8), values).episodes[2]
    assert len(found.descriptors) == 10
    assert _played(found)[0] == {0: found.wanted[0].tolist()}


@pytest.mark.parametrize("what", ["release", "word", "lock", "order"])
def test_a_scene_that_is_not_the_execution_shows(tmp_path: Path, what: str) -> None:
    one = _recorded(tmp_path, explicit_text()).episodes[2]
    assert _played(one)[0][0] == one.wanted[0].tolist()
    if what == "release":
        number = next(n for n, d in one.descriptors.items() if d.release == (3, 1))
        one.descriptors[number] = replace(one.descriptors[number], release=(3, 0))
    elif what == "lock":
        one.locks[2] = 0
    elif what == "word":
        one.words[1][3] += 1
    else:
        one.words[1] = one.words[1][::-1].copy()
    assert _played(one)[0][0] != one.wanted[0].tolist()


def test_what_the_engine_has_not_is_named(tmp_path: Path) -> None:
    found = _recorded(tmp_path, explicit_text(acquire="Acquire").replace("init = 2", "init = 1"), check=False)
    assert found.refused == ("S2MM 0 of core tile (0, 2): an acquire that waits for one value",)
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
