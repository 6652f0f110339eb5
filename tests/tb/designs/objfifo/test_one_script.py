# SPDX-License-Identifier: Apache-2.0
"""A script takes one road under both import names, and runs once for whatever a command asks of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN
from goldbeat.tb.designs.objfifo.live_design import case_of_design, recorded_design
from goldbeat.tb.designs.objfifo.user_design import executed_design
from tests.support.objfifo_cli import goldbeat
from tests.support.objfifo_scripts import ADD_ONE, ADD_THREE
from tests.support.objfifo_texts import ADD

COUNT = "open('count', 'a').write('x')\n"
NAMES = {
    "AIEDevice": "aie.dialects.aie", "NPU1Col1": "aie.iron.device", "ObjectFifo": "aie.iron", "Program": "aie.iron",
    "Runtime": "aie.iron", "Worker": "aie.iron", "range_": "aie.iron.controlflow", "mlir_mod_ctx": "aie.extras.context",
    "npu_dma_memcpy_nd": "aie.dialects.aiex", "runtime_sequence": "aie.dialects.aiex",
}  # fmt: skip
CALLED = """
import numpy as np
import aie.iron as iron
from aie.iron import Buffer, Lock, In, ObjectFifo, Out, Program, Runtime
from aie.iron.device import NPU1Col1, Tile

@iron.jit
def copy(x: In, y: Out):
    open('body', 'a').write('x')
    words = np.ndarray[(16,), np.dtype[np.int32]]
    a = ObjectFifo(words, name="a")
    b = a.cons().forward(name="b")
    def seq(x, y, i, o):
        i.fill(x)
        o.drain(y, wait=True)
    rt = Runtime(seq, [words, words, a.prod(), b.cons()])
    EXPLICIT
    return Program(NPU1Col1(), rt).resolve_program()

x, y = iron.arange(16, dtype=np.int32), iron.zeros(16, dtype=np.int32)
copy(x, y)
open('after', 'a').write('x')
assert (y.numpy() == np.arange(16)).all()
"""
EXPLICIT = "rt.add_lock(Lock(tile=Tile(0, 1), name='l'))\n    Buffer(type=words, tile=Tile(0, 1), name='buf')"


def upstream(text: str) -> str:
    """A script of Goldbeat's own names with the import lines of mlir-aie."""
    start = text.index("from goldbeat")
    end = text.index(")\n", start) + 2 if text[start:].startswith("from goldbeat.pymodels.objfifo import (") else None
    end = text.index("\n", start) if end is None else end
    words = text[start:end].partition("import")[2].replace("(", " ").replace(")", " ").replace(",", " ").split()
    lines = [f"from {NAMES.get(word, 'aie.dialects.aie')} import {word}" for word in words]
    return text[:start] + "\n".join(lines) + text[end:]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def counted(name: str) -> int:
    """How often a script has come to a line, since it was asked last."""
    found = len(Path(name).read_text()) if Path(name).exists() else 0
    Path(name).unlink(missing_ok=True)
    return found


@pytest.mark.parametrize("text", [ADD_ONE, ADD_THREE])
def test_both_import_names_take_one_road(text: str) -> None:
    moved = []
    for number, one in enumerate((text, upstream(text))):
        Path(f"{number}.py").write_text(one)
        size = 64 if text is ADD_ONE else 96
        np.save("in.npy", np.arange(size, dtype=np.int32))
        np.save("out.npy", np.arange(size, dtype=np.int32) + (1 if text is ADD_ONE else 3))
        done = goldbeat(
            "objfifo", "exec", f"{number}.py", "--input", "arg0=in.npy", "--expect", "arg1=out.npy", "--json"
        )
        assert done.code == 0, done.stdout + done.stderr
        moved.append(json.loads(done.stdout)["words"])
        assert sum(moved[-1].values()) > 2 * size
    assert moved[0] == moved[1]


def run_of(path: str) -> str:
    """What ``run`` asks before the simulator has its turn, for two seeds; the case."""
    case = case_of_design(Path(path), (), ())
    options: dict[str, Any] = {**DESIGN.case(case).options, "design": path}
    for seed in (0, 1):
        if case == "design":
            executed_design(CaseContext({}, options, seed))
        else:
            recorded_design(options, seed)
    return case


@pytest.mark.parametrize("text", [ADD_ONE, upstream(ADD_ONE), ADD_THREE, upstream(ADD_THREE)])
def test_a_script_runs_once(text: str) -> None:
    for command in ("exec", "check", "plan", "run"):
        Path(f"{command}.py").write_text(COUNT + text)
    for command in ("exec", "check", "plan"):
        assert goldbeat("objfifo", command, f"{command}.py").code == 0
        assert counted("count") == 1, command
    assert run_of("run.py") == "design"
    assert counted("count") == 1


@pytest.mark.parametrize("explicit", [False, True])
def test_a_design_that_is_called_is_declared_once(explicit: bool) -> None:
    for command in ("exec", "check", "run"):
        Path(f"{command}.py").write_text(COUNT + CALLED.replace("EXPLICIT", EXPLICIT if explicit else ""))
    done = goldbeat("objfifo", "exec", "exec.py")
    assert (done.code, counted("count"), counted("body"), counted("after")) == (0, 1, 1, 1), done.stderr
    done = goldbeat("objfifo", "check", "check.py")
    assert (done.code, counted("count"), counted("body"), counted("after")) == (0, 1, 1, 1)
    case = run_of("run.py")
    assert (case, counted("count"), counted("body")) == ("executed" if explicit else "design", 1, 1)
    assert counted("after") == 1


@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("check", ["assert (y.numpy() == 7).all(), 'wrong sum'", "import sys; sys.exit('wrong sum')"])
def test_a_check_of_the_script_that_fails_is_one_verdict(explicit: bool, check: str) -> None:
    text = CALLED.replace("EXPLICIT", EXPLICIT if explicit else "")
    Path("called.py").write_text(text[: text.index("assert (y")] + check + "\n")
    for command in ("exec", "check", "run"):
        done = goldbeat("objfifo", command, "called.py")
        assert (done.code, "called.py" in done.stderr, "wrong sum" in done.stderr) == (2, True, True), (command, done)


def test_a_rule_that_a_script_breaks_has_its_line_in_every_command() -> None:
    text = ADD.replace("    rt.fill(source.prod(), a)\n", "")
    Path("ends.py").write_text(text)
    line = text[: text.index("Program(NPU1Col1")].count("\n") + 1
    for command, code in (("check", 1), ("exec", 2), ("run", 2)):
        done = goldbeat("objfifo", command, "ends.py")
        said = " ".join((done.stdout + done.stderr).split())
        assert (done.code, said.count(f"ends.py:{line}: in has no producer")) == (code, 1), (command, said)


def test_a_script_with_an_error_runs_once() -> None:
    for command in ("exec", "check", "plan", "run"):
        Path(f"{command}.py").write_text(COUNT + "nobody()\n")
        done = goldbeat("objfifo", command, f"{command}.py")
        assert done.code == 2
        assert f"{command}.py:2: found NameError: name 'nobody' is not defined" in " ".join(done.stderr.split())
        assert counted("count") == 1, command


@pytest.mark.parametrize("name", ["idle.py", "idle.mlir"])
def test_what_moves_nothing_is_no_pass(name: str) -> None:
    text = "module { aie.device(npu1_1col) { aie.runtime_sequence(%i : memref<8xi32>) {\n %c = arith.constant 0 : i32\n } } }"
    Path(name).write_text(text if name.endswith("mlir") else "import numpy as np\n" + EMPTY)
    done = goldbeat("objfifo", "exec", name)
    assert (done.code, "nothing moves" in done.stdout) == (3, True), done.stdout + done.stderr
    assert json.loads(goldbeat("objfifo", "exec", name, "--json").stdout)["idle"] == [1]


EMPTY = """
from goldbeat.pymodels.objfifo import NPU1Col1, device, runtime_sequence
@device(NPU1Col1())
def body():
    @runtime_sequence(np.ndarray[(8,), np.dtype[np.int32]])
    def sequence(x):
        pass
"""


def test_a_sequence_that_cannot_be_executed_is_refused() -> None:
    move = "npu_dma_memcpy_nd(*{}, [0, 0, 0, 0], [1, 1, 1, {}], [0, 0, 0, 1], issue_token=True)"
    steps = [move.format("(x, 0, i)", 32), move.format("(y, 1, o)", 48), "dma_wait(x)", move.format("(x, 0, i)", 32),
             move.format("(y, 1, o)", 16), "dma_wait(x, y)"]  # fmt: skip
    Path("busy.py").write_text(BUSY + "".join(f"            {step}\n" for step in steps))
    for command in ("exec", "check"):
        found = goldbeat("objfifo", command, "busy.py")
        assert found.code == 2
        assert "descriptor 1 of shim tile (0, 0) is written while S2MM 0" in found.stderr


BUSY = """
import numpy as np
from goldbeat.pymodels.objfifo import *

words, part = (np.ndarray[(n,), np.dtype[np.int32]] for n in (64, 16))
with mlir_mod_ctx():

    @device(AIEDevice.npu1_1col)
    def body():
        s, m = tile(0, 0), tile(0, 1)
        x, y = object_fifo("x", s, m, 2, part), object_fifo("y", m, s, 2, part)
        object_fifo_link(x, y)

        @runtime_sequence(words, words)
        def sequence(i, o):
"""
