# SPDX-License-Identifier: Apache-2.0
"""Designs and scripts that do not end as they claim: every command says so."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.support.objfifo_cli import goldbeat
from tests.support.objfifo_explicit import explicit_text
from tests.support.objfifo_scripts import ADD_THREE
from tests.support.objfifo_texts import LOWERED_MLIR

TEXT, SCRIPT = Path("aie.mlir"), Path("design.py")
COUNT = "scf.for %n = %c0 to %many step %c2 {"
ALWAYS = "%true = arith.constant true\n scf.while : () -> () { scf.condition(%true) } do {"
COUNTED = """%l = scf.while (%k = %c0) : (index) -> index {
        %go = arith.cmpi slt, %k, %end : index
        scf.condition(%go) %k : index
      } do {
      ^bb0(%k: index):"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def codes(path: Path, *commands: str) -> list[int]:
    return [goldbeat("objfifo", command, path).code for command in commands]


@pytest.mark.parametrize(("passes", "code"), [(4, 0), (6, 1), (100, 1), (2048, 0), (2**63 - 1, 0)])
def test_a_loop_with_an_end_reaches_it(passes: int, code: int) -> None:
    TEXT.write_text(explicit_text().replace("constant 4096 : index", f"constant {passes} : index"))
    assert codes(TEXT, "check", "exec", "run") == [code] * 3
    if code:
        assert "the core of core tile (0, 2) never ends" in goldbeat("objfifo", "exec", TEXT).stdout


@pytest.mark.parametrize(("end", "code"), [(2, 0), (7, 1), (2**40, 0)])
def test_loops_of_other_forms(end: int, code: int) -> None:
    body = explicit_text().replace("scf.for %n", f"%end = arith.constant {end} : index\n      scf.for %n")
    first, last = body.index("scf.for %n"), body.index("aie.end", body.index("scf.for %n"))
    inside = body[body.index("{", first) + 1 : body.rindex("}", first, last)]
    TEXT.write_text(
        body[:first]
        + COUNTED
        + inside
        + "  %up = arith.addi %k, %c1 : index\n scf.yield %up : index\n }\n"
        + body[last:]
    )
    assert codes(TEXT, "check", "exec") == [code, code]
    TEXT.write_text(body[:first] + ALWAYS + inside + "scf.yield\n }\n" + body[last:])
    assert codes(TEXT, "check", "exec") == [0, 0]
    blocks = f"""cf.br ^loop(%c0 : index)
    ^loop(%k: index):
      %go = arith.cmpi slt, %k, %end : index
      cf.cond_br %go, ^body, ^out
    ^body:
      {inside}
      %up = arith.addi %k, %c1 : index
      cf.br ^loop(%up : index)
    ^out:
      """
    TEXT.write_text(body[:first] + blocks + body[last:])
    assert codes(TEXT, "check", "exec") == [code, code]
    TEXT.write_text(body[:first] + f"cf.br ^loop\n ^loop:\n{inside}\n cf.br ^loop\n" + body[last + len("aie.end") :])
    assert codes(TEXT, "check", "exec") == [0, 0]


@pytest.mark.parametrize(("passes", "code"), [(12, 0), (13, 1), (5000, 0)])
def test_a_worker_with_an_end(passes: int, code: int) -> None:
    text = ADD_THREE.replace("Runtime, Worker", "Runtime, Worker, range_")
    text = text.replace("near.prod()])", "near.prod()], while_true=False)")
    head, body = text.split("def add(x, y):\n")
    lines = body.splitlines()
    number = next(n for n, line in enumerate(lines) if not line.startswith("    "))
    looped = [f"    for _ in range_({passes}):", *(f"    {line}" for line in lines[:number])]
    SCRIPT.write_text("\n".join([head + "def add(x, y):", *looped, *lines[number:]]))
    assert codes(SCRIPT, "check", "exec") == [code, code]


@pytest.mark.parametrize(
    "more", ["import os\nos._exit(0)", "import posix\nposix._exit(0)", "import os\nos.execl('/bin/true', 'true')",
             "raise SystemExit(0)", "import sys\nsys.exit()"],
)  # fmt: skip
def test_a_script_that_ends_before_its_design(more: str) -> None:
    SCRIPT.write_text(ADD_THREE.replace("\nworker =", f"\n{more}\nworker ="))
    assert codes(SCRIPT, "check", "exec", "plan", "run") == [2] * 4


def test_a_core_that_ends_the_process() -> None:
    SCRIPT.write_text(ADD_THREE.replace("    x.release(1)", "    import os; os._exit(0)\n    x.release(1)"))
    for command in ("check", "exec", "run"):
        found = goldbeat("objfifo", command, SCRIPT)
        assert found.code == 2
        assert "design.py:11: found a call of os._exit" in found.stderr


def test_a_script_that_ends_after_its_design_or_forks() -> None:
    fork = "import os\nchild = os.fork()\nif not child:\n    os._exit(0)\nassert os.waitpid(child, 0)[1] == 0\n"
    SCRIPT.write_text(fork + ADD_THREE + "raise SystemExit(0)\n")
    assert codes(SCRIPT, "check", "exec") == [0, 0]


@pytest.mark.parametrize("last", ["", "Program(NPU1Col1(), rt)"])
def test_a_runtime_without_a_program(last: str) -> None:
    SCRIPT.write_text(ADD_THREE.replace("Program(NPU1Col1(), rt).resolve_program()", last))
    assert codes(SCRIPT, "check", "exec", "plan", "run") == [2] * 4


def test_a_byte_that_is_not_utf_8() -> None:
    SCRIPT.write_bytes(ADD_THREE.encode() + b"# caf\xe9\n")
    found = goldbeat("objfifo", "check", SCRIPT)
    assert (found.code, f"design.py:{ADD_THREE.count(chr(10)) + 1}:" in found.stderr) == (2, True)
    SCRIPT.write_bytes(b"# coding: latin-1\n" + ADD_THREE.encode() + b"# caf\xe9\n")
    assert codes(SCRIPT, "check") == [0]


@pytest.mark.parametrize(
    ("old", "new"),
    [("offset = 0 len = 8)", "offset = 0 len = 8 foo = 3)"), ("offset = 0 len = 8)", "offset = 0 len = 8 foo = [2])"),
     ("offset = 0 len = 8)", "offset = 0 len = 8 pad_before = [2])"), ("{id = 0 : i64", "{foo = 5, id = 0 : i64"),
     ("init = ", "foo = 1 : i32, init = "), ("len = 8)", "len = 8) {burst_lenght = 64 : i32}")],
)  # fmt: skip
def test_a_name_that_nothing_reads(old: str, new: str) -> None:
    text = explicit_text()
    assert old in text
    TEXT.write_text(text.replace(old, new, 1))
    for command in ("check", "exec", "plan"):
        found = goldbeat("objfifo", command, TEXT)
        assert found.code == 2
        line = text[: text.index(old)].count(chr(10)) + 1
        assert f"aie.mlir:{line - ('id =' in old)}:" in found.stderr
    TEXT.write_text(text.replace("metadata = @", "my.foo = 5, metadata = @", 1))
    assert codes(TEXT, "check") == [0]


@pytest.mark.parametrize(
    ("changed", "said"),
    [("offset = 0 len = 5)", "S2MM 0 of core tile (0, 2) has 2 words of its descriptor to move: no more come"),
     ("", ""), ("many", "16 words stay in the stream to S2MM 0"),
     ("one", "8 words have come by S2MM 0 of core tile (0, 2) and nobody acquires lock full after them")],
)  # fmt: skip
def test_words_that_stay_on_their_way(changed: str, said: str) -> None:
    text = explicit_text()
    if changed in ("many", "one"):
        walk = "[2, 1, 1, 32]" if changed == "many" else "[5, 1, 1, 8]"
        text = text.replace("constant 4096 : index", "constant 4 : index")
        text = text.replace("%i[0, 0, 0, 0][1, 1, 1, 32]", f"%i[0, 0, 0, 0]{walk}")
    elif said:
        text = text.replace("%a1 : memref<8xi32> offset = 0 len = 8)", f"%a1 : memref<8xi32> {changed}")
    TEXT.write_text(text)
    for command, key in (("exec", None), ("check", "run")):
        found = json.loads(goldbeat("objfifo", command, TEXT, "--json").stdout)
        remarks = (found if key is None else found[key])["remarks"]
        assert any(said in line for line in remarks) if said else not remarks
    assert codes(TEXT, "check", "exec", "run") == [3 if said else 0] * 3


def test_objects_that_a_worker_never_takes() -> None:
    text = ADD_THREE.replace("Runtime, Worker", "Runtime, Worker, range_")
    text = text.replace("near.prod()])", "near.prod()], while_true=False)").replace(
        "a, b =", "for _ in range_(11):\n     a, b ="
    )
    for line in ("b[:] = a + 3", "x.release(1)", "y.release(1)"):
        text = text.replace(f"    {line}", f"     {line}")
    SCRIPT.write_text(text.replace("(words, words)", "(words, np.ndarray[(88,), np.dtype[np.int32]])"))
    assert codes(SCRIPT, "check", "exec") == [3, 3]


@pytest.mark.parametrize(("released", "objects", "held"), [(1, 11, 1), (2, 6, 0)])
def test_objects_that_a_worker_still_holds(released: int, objects: int, held: int) -> None:
    text = ADD_THREE.replace("x.acquire(1)", "x.acquire(2)").replace("a + 3", "a[0] + a[1]")
    text = text.replace("x.release(1)", f"x.release({released})")
    text = text.replace("words, words", f"words, np.ndarray[({8 * objects},), np.dtype[np.int32]]")
    SCRIPT.write_text(text)
    assert codes(SCRIPT, "check", "exec") == [3 if held else 0] * 2
    said = goldbeat("objfifo", "exec", SCRIPT).stdout
    assert ("worker add still holds 1 object(s) of far at the end" in said) == bool(held)


def test_what_a_tile_does_not_hold() -> None:
    text = explicit_text()
    start = next(line for line in text.splitlines() if "aie.dma_start(MM2S, 0" in line)
    block = start[start.rindex("^") : -1]
    again = text.replace(f"{block}:", f"{block}:\n  %again = {start.split('=')[1].replace(block, '^again')}\n^again:")
    for changed in (again, text.replace("%a0 = aie.buffer(%t)", "%b = aie.buffer(%t) : memref<17000xi32>\n%a0 = aie.buffer(%t)"),
                    text.replace("Release, 1)", "Release, 65)")):  # fmt: skip
        assert changed != text
        TEXT.write_text(changed)
        assert codes(TEXT, "check", "exec", "plan") == [2, 2, 2]
    TEXT.write_text(LOWERED_MLIR)
    assert codes(TEXT, "plan") == [0]


def test_expected_arrays_do_not_hide_a_hang() -> None:
    SCRIPT.write_text(ADD_THREE)
    np.save("in.npy", np.arange(96, dtype=np.int32))
    np.save("out.npy", np.arange(3, 99, dtype=np.int32))
    given = ("--input", "arg0=in.npy", "--expect", "arg1=out.npy")
    assert goldbeat("objfifo", "exec", SCRIPT, *given).code == 0
    text = ADD_THREE.replace("Runtime, Worker", "Runtime, Worker, range_")
    text = text.replace("near.prod()])", "near.prod()], while_true=False)")
    text = text.replace("    a, b =", "    for _ in range_(13):\n     a, b =")
    for line in ("b[:] = a + 3", "x.release(1)", "y.release(1)"):
        text = text.replace(f"    {line}", f"     {line}")
    SCRIPT.write_text(text)
    assert goldbeat("objfifo", "exec", SCRIPT, *given).code == 1


def test_a_broken_rule_names_the_file() -> None:
    SCRIPT.write_text(ADD_THREE.replace("x.acquire(1)", "x.acquire(5)"))
    found = goldbeat("objfifo", "exec", SCRIPT)
    assert (found.code, found.stderr.startswith("error: design.py:9: ")) == (2, True), found
    found = goldbeat("objfifo", "check", SCRIPT)
    assert (found.code, found.stdout.startswith("acquire-depth: design.py:9: far: acquire of 5")) == (1, True)
    found = goldbeat("objfifo", "run", SCRIPT)
    assert (found.code, found.stderr.startswith("error: design.py:9: far: acquire of 5")) == (2, True), found.stderr


def test_a_tile_that_is_nowhere_names_the_line() -> None:
    text = ADD_THREE.replace("import NPU1Col1", "import NPU1Col1, tile").replace(
        "[far.cons()", "[tile(-1, 0), far.cons()"
    )
    SCRIPT.write_text(text)
    for command in ("check", "exec", "plan", "run"):
        found = goldbeat("objfifo", command, SCRIPT)
        assert (found.code, "design.py:17: tile(-1, 0): columns and rows" in found.stderr) == (2, True), found
