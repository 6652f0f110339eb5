# SPDX-License-Identifier: Apache-2.0
"""What a failure in RTL says of the first wrong or missing word, and arrays that are not as expected."""

from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.objfifo.engine.registers import EngineShape
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.objfifo.tiles import scene_of
from goldbeat.tb.designs.objfifo.wrong_word import wrong_word
from tests.support.objfifo_cli import goldbeat
from tests.support.objfifo_texts import ADD

SHAPE = EngineShape(4, 4, 48, 64, 16, 4096, 32)


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "add.py").write_text(ADD)
    np.save("in.npy", np.arange(96, dtype=np.int32))
    np.save("out.npy", np.arange(1, 97, dtype=np.int32))
    return tmp_path / "add.py"


def test_wrong_and_missing_words(add: Path) -> None:
    made = plan(open_fifo_design(add))
    tile = next(t for t in made.tiles if t.tile.row == 1)
    one = scene_of(made, tile, SHAPE)
    wanted = np.arange(1000, 1096, dtype=np.uint32)
    locks = Trace.from_bytes(np.zeros((1, SHAPE.nlock), np.uint8), clock_ps=1000, offset_ps=0)
    got = wanted.copy()
    got[61:] = wanted[60:-1]
    text = wrong_word(made, one, 3, got, wanted, locks)
    assert text.startswith(": 35 differ, first 0x00000424, expected 0x00000425; word 61 of out (object 1, element 13)")
    assert "word 13 of 16, word 13 of buffer out_buff_1" in text
    assert text.endswith("the value found is that of word 60")
    stopped = wrong_word(made, one, 3, wanted[:64], wanted, locks)
    assert ": 64 of 96 left; the next is word 64 of out (object 1, element 16)" in stopped
    assert "which waits for lock out_cons_lock_1" in stopped
    assert stopped.endswith("it is 0, to reach 1")
    assert "which waits" not in wrong_word(made, one, 3, wanted[:60], wanted, locks)


@pytest.mark.sim
def test_arrays_that_are_expected(add: Path) -> None:
    right = goldbeat("objfifo", "run", "add.py", "--input", "arg0=in.npy", "--expect", "arg1=out.npy")
    assert right.code == 0, right.stderr
    wrong = np.load("out.npy")
    wrong[85] = 7
    np.save("wrong.npy", wrong)
    failed = goldbeat("objfifo", "run", "add.py", "--input", "arg0=in.npy", "--expect", "arg1=wrong.npy", "--force")
    assert failed.code == 1
    text = " ".join((failed.stdout + failed.stderr).split())
    assert "arg1: 1 of 96 elements differ; element 85 is 86, expected 7" in text
    assert "made: the program of core tile (0, 4), object 1 of out_join2, element 5" in text
    other = goldbeat("objfifo", "run", "add.py", "--expect", "arg9=out.npy", "--force")
    assert (other.code, "no such array" in other.stderr) == (2, True)
