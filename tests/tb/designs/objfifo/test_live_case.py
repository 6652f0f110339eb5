# SPDX-License-Identifier: Apache-2.0
"""``goldbeat objfifo run`` of designs that are executed whole: explicit parts in text and scripts, on the engine in RTL."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.objfifo.live.record_file import RecordedRun
from goldbeat.tb.designs.objfifo import live_case, live_design
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN
from goldbeat.tb.run.runs import Request, run
from tests.support.objfifo_cli import goldbeat
from tests.support.objfifo_explicit import explicit_text

X = np.arange(1, 33, dtype=np.int32)


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "aie.mlir").write_text(explicit_text())
    np.save("in.npy", X)
    np.save("out.npy", 3 * X.reshape(-1, 4, 2).transpose(0, 2, 1).reshape(-1))
    return tmp_path


def _requested(profile: int, **options: str) -> Request:
    words = {"design": "aie.mlir", "inputs": ("i=in.npy",), "expect": "o=out.npy", **options}
    return Request(DESIGN, DESIGN.case("executed"), params={"PROFILE": profile}, options=words)


@pytest.mark.sim
def test_text_with_explicit_parts_on_the_engine(text: Path) -> None:
    given = ("--input", "i=in.npy", "--expect", "o=out.npy", "--gaps", "random:0.3", "--ready", "bursty:6", "--json")
    done = goldbeat("objfifo", "run", "aie.mlir", *given)
    assert done.code == 0, done.stderr
    found = json.loads(done.stdout)
    tiles = found["tiles"]
    assert [t["tile"] for t in tiles] == ["mem tile (0, 1) part 1", "mem tile (0, 1) part 2", "core tile (0, 2)"]
    assert [s["words"] for s in tiles[2]["streams"]] == [32, 40, 32]
    saved = np.load(Path(found["folder"]) / "output" / "01-o.npy")
    assert saved.tolist() == np.load("out.npy").tolist()


@pytest.mark.sim
def test_under_npu1_and_with_a_wrong_expectation(text: Path) -> None:
    assert run(_requested(1), text / "good")[0].passed
    np.save("out.npy", np.load("out.npy") + np.eye(1, 32, 7, dtype=np.int32)[0])
    wrong = run(_requested(1), text / "wrong")[0]
    assert wrong.failures == ("episode 0 (mem tile (0, 1) part 1): o: 1 of 32 elements differ; [7] is 24, expected 25",)


@pytest.mark.sim
@pytest.mark.parametrize("what", ["release", "word", "memory"])
def test_a_scene_that_is_not_the_execution_fails(text: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    real = live_design.recorded_design

    def broken(options: dict[str, object], seed: int) -> RecordedRun:
        found = real(options, seed)
        core = replace(found.episodes[2])
        if what == "release":
            core.descriptors = {
                n: replace(d, release=None if n == 6 else d.release) for n, d in core.descriptors.items()
            }
        elif what == "word":
            core.words = {**core.words, 1: core.words[1] + np.eye(1, 40, 5, dtype=np.uint32)[0]}
        else:
            core.final = {at: words + np.uint32(1) for at, words in core.final.items()}
        return replace(found, episodes=(*found.episodes[:2], core))

    monkeypatch.setattr(live_case, "recorded_design", broken)
    failures = run(_requested(0), text / what)[0].failures
    wanted = "the memory is not as" if what == "memory" else "the words of MM2S 0 of core tile (0, 2) are not those"
    assert any(wanted in one for one in failures), failures


def two_paddings() -> str:
    """The text with a channel of the memory tile that pads with two values."""
    text = explicit_text()
    head = text[: text.index("%p = aiex.dma_configure_task")]
    tail = text[len(head) :]
    old = tail[tail.index("aie.dma_bd") : tail.index("aie.end")]
    padded = "[<size = 14, stride = 1>], [<const_pad_before = 1, const_pad_after = 1>])"
    new = f"""aie.dma_bd(%all : memref<32xi32>, 0, 16, {padded} {{pad_value = 1 : i32}}
        aie.next_bd ^two
      ^two:
        aie.dma_bd(%all : memref<32xi32>, 16, 16, {padded} {{pad_value = 2 : i32}}
        """
    return head + tail.replace(old, new, 1)


def test_what_is_refused_and_what_hangs(text: Path) -> None:
    Path("many.mlir").write_text(two_paddings())
    done = goldbeat("objfifo", "run", "many.mlir", "--input", "i=in.npy")
    assert done.code == 2
    message = " ".join(done.stderr.split())
    assert "MM2S 0 of mem tile (0, 1): padding with 0x1 and 0x2" in message, message
    assert "the other 1 episode(s) run with --partial" in message
    Path("hangs.mlir").write_text(explicit_text().replace("init = 2", "init = 0"))
    done = goldbeat("objfifo", "run", "hangs.mlir", "--input", "i=in.npy")
    assert done.code == 1
    assert "the design hangs" in done.stdout
    assert "the host's sequence waits for a token of S2MM 1 of mem tile (0, 1)" in " ".join(done.stdout.split())
    both = goldbeat("objfifo", "run", "aie.mlir", "--partial", "--lax")
    assert both.code == 2
    assert "--iterations, --lax and --array are for designs that are planned" in " ".join(both.stderr.split())


@pytest.mark.sim
def test_the_tiles_that_fit_run_with_partial(text: Path) -> None:
    Path("many.mlir").write_text(two_paddings())
    done = goldbeat("objfifo", "run", "many.mlir", "--input", "i=in.npy", "--partial")
    assert done.code == 3
    assert "PARTIAL" in done.stdout
    assert "padding with 0x1 and 0x2" in " ".join(done.stdout.split())
