# SPDX-License-Identifier: Apache-2.0
"""One grammar of text for every command, and nothing that a text can say ends in a traceback."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import GoldbeatError, InputError
from goldbeat.pymodels.objfifo.live.execute import run_live
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.mlir_exec.host_program import HostProgram
from goldbeat.pymodels.objfifo.mlir_exec.text_design import text_design
from goldbeat.pymodels.objfifo.mlir_text.host_ops import EXECUTED
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.untimed.deadlock import analyse
from goldbeat.pymodels.objfifo.untimed.functional import run_untimed
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN
from goldbeat.tb.designs.objfifo.live_design import case_of_design
from tests.support.objfifo_cli import goldbeat
from tests.support.objfifo_explicit import explicit_text
from tests.support.objfifo_forms import MOVES, OTHERS, OUTS, PARTS, forms_text
from tests.support.objfifo_texts import ADD_MLIR, LOWERED_MLIR

FILE = Path("aie.mlir")
COMMANDS = ("check", "plan", "exec")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


FORMS = [
    *({"OUT": part} for part in OUTS.values()),
    *({"MOVES": part} for part in MOVES.values()),
    *OTHERS.values(),
]


@pytest.mark.parametrize("changed", FORMS, ids=[*OUTS, *MOVES, *OTHERS])
def test_every_form_is_the_same_to_every_command(changed: dict[str, str]) -> None:
    moved = "in the middle" if "offset = 4" in changed.get("OUT", "") else ""
    text = forms_text(**changed)
    if moved:
        text = text.replace("%o[0, 0, 0, 0][1, 1, 1, 16]", "%o[0, 0, 0, 0][1, 1, 1, 8]")
    FILE.write_text(text)
    for command in COMMANDS:
        done = goldbeat("objfifo", command, FILE)
        assert done.code == 0, (command, done.stdout, done.stderr)
    kind = {"i8": "i1", "bf16": "u2", "i64": "i8"}.get(changed.get("KIND", ""), "i4")
    data = np.arange(1, 17).astype(kind)
    executed = run_live(TextArray(FILE).build, {"i": data}).hosts["o"]
    assert executed.any()
    design = text_design(FILE)
    assert design.fixed is not None
    if not design.fixed.unsupported:
        np.testing.assert_array_equal(run_untimed(design, {"i": data}).hosts["o"], executed)
    else:
        assert "line" in design.fixed.unsupported[0]
        assert case_of_design(FILE, (), ()) == "executed"


def test_a_named_design_takes_the_case_that_runs_it() -> None:
    FILE.write_text(explicit_text())
    case = DESIGN.case("design")
    assert case.instead is not None
    assert case.instead({**case.options, "design": str(FILE)}) == "executed"
    assert case.instead({**case.options, "design": str(FILE), "lax": "1"}) == "design"
    FILE.write_text(forms_text())
    assert case.instead({**case.options, "design": str(FILE)}) == "design"


def test_operations_that_only_executions_have_are_those_of_the_executor() -> None:
    source = Path(str(__import__("inspect").getsourcefile(HostProgram))).read_text()
    assert set(re.findall(r'"(aiex\.[\w.]+)": self\.', source)) - set(EXECUTED) == {
        "aiex.npu.dma_memcpy_nd", "aiex.npu.dma_wait", "aiex.npu.sync", "aiex.dma_configure_task",
        "aiex.dma_configure_task_for", "aiex.dma_start_task", "aiex.dma_await_task",
    }  # fmt: skip


# -- lengths, values, regions, encodings ----------------------------------------------------------------------------------

NOTHING = [
    ("OUT", "aie.dma_bd(%b : memref<16xi32>, 0, 0)", "a length of 0"),
    ("OUT", "aie.dma_bd(%b : memref<16xi32> offset = 0 len = %z)", "a length of 0"),
    ("OUT", "aie.dma_bd(%b : memref<16xi32>, 0, -4)", "a length of -4"),
    ("OUT", "aie.dma_bd(%b : memref<16xi32>, -4, 4)", "an offset of -4"),
    ("OUT", "aie.dma_bd(%b : memref<16xi32>, 0, 4294967296)", "a length of 4294967296"),
    ("OUT", "aie.dma_bd(%b : memref<16xi32> len = 16 sizes = [0, 4] strides = [4, 1])", "a size of 0"),
    ("OUT", "aie.dma_bd(%b : memref<16xi32> sizes = [65536, 65536] strides = [0, 0])", "a walk of 4294967296 elements"),
    ("OUT", "aie.dma_bd(%b : memref<16xi32> sizes = [4, 4] strides = [1])", "2 sizes and 1 strides"),
    ("OUT", "aie.dma_bd(%b : memref<16xi32>, 0, 16, [<size = 0, stride = 1>])", "a size of 0"),
    ("OUT", "aie.dma_bd(%b : memref<16xi32>, 0, 16, [<16, 1>])", "expected size = and a number"),
    ("OUT", "aie.dma_bd(%b : memref<16xi32>, 0, 16) {bd_id = \"one\"}", "bd_id = one"),
    ("MOVES", PARTS["MOVES"].replace("[1, 1, 1, 16]", "[1, 0, 1, 16]", 1), "a size of 0"),
    ("MOVES", PARTS["MOVES"].replace("[1, 1, 1, 16]", "[1, 1, 1, 0]", 1), "a size of 0"),
    ("MOVES", MOVES["tasks"].replace("0, 16)", "0, 0)"), "a length of 0"),
    ("OUT", "aie.dma_bd(%b : memref<16xi32> offset = 15 len = 16 sizes = [16] strides = [-1])", "a stride of -1"),
    ("OUT", "aie.dma_bd(%b : memref<16xi32> len = 16 sizes = [2, 8] strides = [0, 1])", "a stride of 0"),
    ("MOVES", PARTS["MOVES"].replace("[0, 0, 0, 1]", "[0, 0, 0, -1]", 1), "a stride of -1"),
    ("PROGRAM", PARTS["PROGRAM"].replace("^in, ^next)", "^in, ^next, repeat_count = -1)"), "a repeat count of -1"),
    ("MOVES", PARTS["MOVES"].replace("%i[0, 0, 0, 0]", "%i[0, 0, 0, -1]", 1), "an offset of -1"),
]  # fmt: skip


@pytest.mark.parametrize(("part", "text", "expected"), NOTHING)
def test_what_moves_nothing_or_has_no_end_is_refused_by_all(part: str, text: str, expected: str) -> None:
    FILE.write_text(forms_text(**{part: text}))
    for command in COMMANDS:
        done = goldbeat("objfifo", command, FILE)
        assert done.code == 2, (command, done.stdout)
        assert re.search(r"aie\.mlir:\d+:\d+: ", done.stderr), done.stderr
        assert expected in " ".join(done.stderr.split())


def task(dest: str, bd: str) -> str:
    """A task of two descriptors, which no plan has."""
    end = f"aie.next_bd ^b\n    ^b:\n      aie.dma_bd({dest} : memref<16xi32>, 0, 8)\n      aie.end"
    return f"%t = aiex.dma_configure_task_for @y {{\n      {bd}\n      {end}\n    }} {{issue_token = true}}"


PAST_THE_END = {
    "offset": ("OUT", "aie.dma_bd(%b : memref<16xi32>, 1, 16)", "element 16 of %b, expected at most element 15"),
    "far": ("OUT", "aie.dma_bd(%b : memref<16xi32>, 1000, 16)", "element 1015 of %b"),
    "length": ("OUT", "aie.dma_bd(%b : memref<16xi32>, 0, 17)", "element 16 of %b"),
    "names": ("OUT", "aie.dma_bd(%b : memref<16xi32> offset = 8 len = 9)", "element 16 of %b"),
    "values": ("OUT", "aie.dma_bd(%b : memref<16xi32> offset = %e len = %e)", "element 31 of %b"),
    "no length": ("OUT", "aie.dma_bd(%b : memref<16xi32> offset = 4)", "element 19 of %b"),
    "attributes": ("OUT", "aie.dma_bd(%b : memref<16xi32>) {offset = 4 : i32, len = 16 : i32}", "element 19 of %b"),
    "iteration": (
        "OUT",
        "aie.dma_bd(%b : memref<16xi32>, 0, 8) {iteration = #aie.bd_iteration<size = 3, stride = 8, current = 0>}",
        "element 23 of %b",
    ),
    "padding": ("OUT", OUTS["padding"].replace(", 0, 16", ", 8, 16"), "element 19 of %b"),
    "short form": ("PROGRAM", OTHERS["ring"]["PROGRAM"].replace("0, 16", "0, 17", 1), "element 16 of %b"),
    "host": ("MOVES", PARTS["MOVES"] + task("%o", "aie.dma_bd(%o : memref<16xi32>, 8, 9)"), "element 16 of %o"),
    "tile from the host": (
        "MOVES",
        PARTS["MOVES"] + task("%b", "aie.dma_bd(%b : memref<16xi32>, 8, 9)").replace("_for @y", "(%m, MM2S, 1)"),
        "element 16 of %b",
    ),
}


FAR_CHANNEL = {
    "source": ("FLOWS", PARTS["FLOWS"].replace("%s, DMA : 0, %m", "%s, DMA : 9, %m"), "channel MM2S 9 of shim tile"),
    "target": ("FLOWS", PARTS["FLOWS"].replace("%m, DMA : 0)", "%m, DMA : 6)", 1), "channel S2MM 6 of mem tile"),
    "packets": (
        "FLOWS",
        str(OTHERS["packets"]["FLOWS"]).replace("dest<%s, DMA : 0", "dest<%s, DMA : 2"),
        "channel S2MM 2 of shim tile",
    ),
    "task": (
        "MOVES",
        MOVES["tasks"].replace("(%s, MM2S, 0)", "(%s, MM2S, 7)"),
        "channel MM2S 7 of shim tile (0, 0), expected MM2S 0 to 1",
    ),
    "queue": (
        "MOVES",
        PARTS["MOVES"] + "\naiex.npu.push_queue(0, 0, MM2S : 9) {bd_id = 0 : i32}",
        "channel MM2S 9 of shim tile",
    ),
    "sync": (
        "MOVES",
        PARTS["MOVES"] + "\naiex.npu.sync {column = 0 : i32, row = 0 : i32, direction = 0 : i32, channel = 7 : i32}",
        "channel S2MM 7 of shim tile",
    ),
    "column": (
        "MOVES",
        PARTS["MOVES"] + "\naiex.npu.sync {column = 5 : i32, row = 0 : i32, direction = 0 : i32, channel = 0 : i32}",
        "shim tile (5, 0), expected a tile of npu1_1col",
    ),
}


@pytest.mark.parametrize("name", FAR_CHANNEL)
def test_a_channel_or_tile_that_is_not_there_has_its_line(name: str) -> None:
    part, text, expected = FAR_CHANNEL[name]
    FILE.write_text(forms_text(**{part: text}))
    for command in ("check", "exec"):
        done = goldbeat("objfifo", command, FILE)
        assert done.code == 2, (command, done.stdout)
        assert re.search(r"aie\.mlir:\d+:\d+: ", done.stderr), done.stderr
        assert expected in " ".join(done.stderr.split())


@pytest.mark.parametrize("name", PAST_THE_END)
def test_a_walk_past_the_end_of_its_buffer_is_refused_by_all(name: str) -> None:
    part, text, expected = PAST_THE_END[name]
    FILE.write_text(forms_text(**{part: text}))
    planned = name not in ("host", "tile from the host")
    for command in COMMANDS if planned else ("check", "exec"):
        done = goldbeat("objfifo", command, FILE)
        assert done.code == 2, (command, done.stdout)
        assert re.search(r"aie\.mlir:\d+:\d+: ", done.stderr), done.stderr
        assert expected in " ".join(done.stderr.split())


UNDEFINED = [
    ("%full, AcquireGreaterEqual, 1", "%fool, AcquireGreaterEqual, 1", "%fool"),
    ("len = 16)", "len = %later)", "%later"),
    ("aie.next_bd ^in", "aie.next_bd ^nowhere", "^nowhere"),
    ("(S2MM, 0, ^in,", "(S2MM, 0, ^nowhere,", "^nowhere"),
    ("nd(%i[", "nd(%x[", "%x"),
    ("aie.flow(%s,", "aie.flow(%shim,", "%shim"),
    ("[1, 1, 1, 16]", "[1, 1, 1, %z]", "%z"),
]


@pytest.mark.parametrize(("old", "new", "name"), UNDEFINED)
def test_what_is_not_defined_is_named_by_all(old: str, new: str, name: str) -> None:
    text = forms_text()
    assert old in text
    changed = text.replace(old, new, 1)
    if name == "%later":
        changed = changed.replace("aie.next_bd ^in\n", "%later = arith.constant 4 : i32\n      aie.next_bd ^in\n")
    line = changed[: changed.index(new)].count("\n") + 1
    FILE.write_text(changed)
    for command in COMMANDS:
        done = goldbeat("objfifo", command, FILE)
        assert (done.code, f"aie.mlir:{line}:" in done.stderr, f"'{name}', expected a" in done.stderr) == (
            2,
            True,
            True,
        ), (
            command,
            done.stderr,
        )


ENCODINGS = [
    (forms_text().replace("module {", "module { // ä").encode("latin-1"), 12, "0xe4"),
    (forms_text().encode("utf-16"), 0, "UTF-16"),
    (forms_text().encode("utf-16-le"), 1, "UTF-16"),
    (forms_text().encode()[:40] + b"\0" + forms_text().encode()[40:], 40, "a zero byte"),
]


@pytest.mark.parametrize(("raw", "at", "found"), ENCODINGS)
@pytest.mark.parametrize("command", [*COMMANDS, "run"])
def test_another_encoding_is_one_line_with_the_byte(command: str, raw: bytes, at: int, found: str) -> None:
    FILE.write_bytes(raw)
    done = goldbeat("objfifo", command, FILE)
    assert done.code == 2
    assert f"aie.mlir: byte {at}: found" in " ".join(done.stderr.split())
    assert found in done.stderr


def test_a_mark_of_the_byte_order_is_no_text() -> None:
    FILE.write_bytes(b"\xef\xbb\xbf" + forms_text().encode())
    assert [goldbeat("objfifo", command, FILE).code for command in COMMANDS] == [0, 0, 0]


def test_brackets_that_are_nested_without_end() -> None:
    FILE.write_text(forms_text(OUT="aie.dma_bd" + "(" * 5000))
    assert "nested too deep" in " ".join(goldbeat("objfifo", "exec", FILE).stderr.split())


EMPTY = ["aie.runtime_sequence(%i : memref<8xi32>) {BODY}", "aie.core(%t) {BODY}", "aie.mem(%t) {BODY}",
         "func.func @f() {BODY}", "aie.core(%t) { %c = arith.constant 1 : index\n scf.for %n = %c to %c step %c {BODY} }",
         "aie.core(%t) { %c = arith.constant true\n scf.if %c {BODY} else {BODY} }",
         "aie.packet_flow(1) {BODY}", "%k = aie.core(%t) {BODY} {}",
         "aie.runtime_sequence(%i : memref<8xi32>) { %c = arith.constant 1 : index\n scf.for %n = %c to %c step %c {BODY} }",
         "aie.runtime_sequence(%i : memref<8xi32>) { %q = aiex.dma_configure_task(%t, S2MM, 0) {BODY} }"]  # fmt: skip


@pytest.mark.parametrize("body", ["", "\n", "  // nothing\n"])
@pytest.mark.parametrize("part", EMPTY)
def test_empty_regions_are_executed_or_refused(part: str, body: str) -> None:
    text = f"module {{\n aie.device(npu1_1col) {{\n %t = aie.tile(0, 2)\n {part.replace('BODY', body)}\n }}\n}}\n"
    for empty in (
        text,
        "module {}",
        "module {\n aie.device(npu1) {}\n}",
        "",
        f"{body} module {{ aie.device(npu1) {{{body}}} }}",
    ):
        FILE.write_text(empty)
        for command in COMMANDS:
            allowed = (0, 2, 3) if command == "plan" else (2, 3)
            assert goldbeat("objfifo", command, FILE).code in allowed, (command, empty)


# -- damage ---------------------------------------------------------------------------------------------------------------

TEXTS = {
    "fifos": ADD_MLIR,
    "lowered": LOWERED_MLIR,
    "explicit": explicit_text(),
    "forms": forms_text(MOVES=MOVES["tasks"]),
}


def _outcomes(text: str) -> set[str]:
    """What reading, planning and executing a text ends in: an error of Goldbeat's, or nothing."""
    FILE.write_text(text)
    found = set()
    try:
        design = text_design(FILE)
        lower(design)
        analyse(design, search=False)
        found.add("planned")
    except GoldbeatError as error:
        found.add(type(error).__name__)
    try:
        run_live(TextArray(FILE).build, {})
        found.add("executed")
    except GoldbeatError as error:
        found.add(type(error).__name__)
    return found


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_without_its_end_or_without_a_line(name: str) -> None:
    lines = TEXTS[name].rstrip().splitlines()
    body = next(n for n, line in enumerate(lines, 1) if "aie.device" in line)
    for number in range(len(lines) - 1):
        assert not {"planned", "executed"} & _outcomes("\n".join(lines[:number])) or number < body
        _outcomes("\n".join(lines[:number] + lines[number + 1 :]))


@pytest.mark.parametrize("name", TEXTS)
def test_random_damage_never_crashes(name: str) -> None:
    rng = random.Random(name)
    words = TEXTS[name].split(" ")
    more = ["-1", "0", "%x", "99999999999", '"', "{", "}", "^bb9", "@z", "1.5", "i64", "memref<0xi32>", "]", ""]
    outcomes: set[str] = set()
    for _ in range(60):
        changed = list(words)
        changed[rng.randrange(len(words))] = rng.choice([*more, rng.choice(words)])
        outcomes |= _outcomes(" ".join(changed))
    assert {"planned", "executed", "MlirError"} <= outcomes


def test_a_stand_in_that_raises_is_named() -> None:
    core = "func.func private @f(memref<8xi32>) -> ()\n"
    core += "%c = aie.core(%t) { func.call @f(%a0) : (memref<8xi32>) -> ()\n aie.end }"
    text = explicit_text()
    begin = text.index("%core = aie.core")
    FILE.write_text(text[:begin] + core + text[text.index("%mem = aie.mem") :])

    def broken(array: object) -> None:
        raise ZeroDivisionError("mine")

    with pytest.raises(
        GoldbeatError, match=r"one_reader\.py:\d+: found ZeroDivisionError: mine, from the stand-in of f"
    ):
        run_live(TextArray(FILE, {"f": broken}).build, {})
    with pytest.raises(InputError, match=r"aie\.mlir:\d+:\d+: found a call of @f, which is compiled code"):
        run_live(TextArray(FILE).build, {})


# -- one answer of every command ------------------------------------------------------------------------------------------

PIPE = """module {{
  aie.device(npu1_1col) {{
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    aie.objectfifo @x (%s, {{%m}}, {depth} : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @y (%m, {{%s}}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@x] -> [@{to}] ([{offset}] [])
    aie.runtime_sequence(%A: memref<{size}xi32>, %B: memref<{size}xi32>) {{
      aiex.npu.dma_memcpy_nd(%A[0, 0, 0, 0]{walk}) {{id = 0 : i64, metadata = @x}} : memref<{size}xi32>
      aiex.npu.dma_memcpy_nd(%B[0, 0, 0, 0]{walk}) {{id = 1 : i64, metadata = @y, issue_token = true}} : memref<{size}xi32>
      {waits}
    }}
  }}
}}
"""
WAIT = "aiex.npu.dma_wait {symbol = @y}\n"
FITS = {"depth": 2, "to": "y", "offset": "", "size": 4096, "walk": "[1, 1, 1, 64][0, 0, 0, 1]", "waits": WAIT}


@pytest.mark.parametrize("walk", ["[1, 1, 2, 2048][0, 0, 2048, 1]", "[1, 2, 4, 512][0, 2048, 512, 1]"])
def test_words_in_one_piece_need_no_size_fields(walk: str) -> None:
    FILE.write_text(PIPE.format(**FITS | {"walk": walk}))
    assert [goldbeat("objfifo", command, FILE).code for command in COMMANDS] == [0, 0, 0]
    FILE.write_text(PIPE.format(**FITS | {"walk": "[1, 1, 2, 2000][0, 0, 2001, 1]"}))
    found = [goldbeat("objfifo", command, FILE) for command in COMMANDS]
    assert [one.code for one in found] == [1, 2, 2]
    assert all("2000 words of dim 0" in one.stdout + one.stderr for one in found)


@pytest.mark.parametrize(
    ("change", "line", "rule"),
    [
        ({"offset": "8"}, "7:5: link x -> y: ", "segments-cover"),
        ({"depth": 0}, "5:5: x: depth 0", "depth-positive"),
        ({"depth": 60}, " mem tile (0, 1) needs ", "bds"),
    ],
)
def test_a_broken_rule_has_its_place_in_every_command(change: dict[str, str], line: str, rule: str) -> None:
    FILE.write_text(PIPE.format(**FITS | change))
    found = [goldbeat("objfifo", command, FILE) for command in COMMANDS]
    assert [one.code for one in found] == [1, 2, 2]
    assert all(f"aie.mlir:{line}" in one.stdout + one.stderr and rule in one.stdout + one.stderr for one in found)


def test_a_link_of_an_unknown_fifo_has_its_place_in_every_command() -> None:
    FILE.write_text(PIPE.format(**FITS | {"to": "z"}))
    found = [goldbeat("objfifo", command, FILE) for command in COMMANDS]
    assert {(one.code, one.stderr) for one in found} == {
        (2, "error: aie.mlir:7:5: found @z, expected a fifo that was declared\n")
    }


def test_a_channel_that_a_tile_does_not_have_is_refused_with_its_place() -> None:
    FILE.write_text(explicit_text().replace("aie.dma_start(MM2S, 0", "aie.dma_start(MM2S, 9", 1))
    for command in COMMANDS:
        done = goldbeat("objfifo", command, FILE)
        assert done.code == 2
        assert re.match(r"error: aie\.mlir:\d+:\d+: found channel MM2S 9 of ", done.stderr), done.stderr


def test_words_that_no_task_takes_are_said_by_exec() -> None:
    text = PIPE.format(**FITS).replace("[1, 1, 1, 64]", "[1, 2, 1, 64]", 1)
    FILE.write_text(text)
    assert goldbeat("objfifo", "check", FILE).code == 1
    assert (
        "words have come to S2MM 0 of shim tile (0, 0) and no task takes them"
        in goldbeat("objfifo", "exec", FILE).stdout
    )


@pytest.mark.parametrize(("waits", "first", "code"), [(True, 3, 0), (False, 3, 1), (True, 15, 1)])
def test_descriptors_that_are_used_again_after_a_wait(waits: bool, first: int, code: int) -> None:
    moves = "".join(
        f"aiex.npu.dma_memcpy_nd(%{host}[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) "
        f"{{metadata = @{fifo}, id = {number} : i64, issue_token = true}} : memref<64xi32>\n"
        for fifo, host, number in (("x", "A", first), ("y", "B", first + 1))
    )
    wait = "aiex.npu.dma_wait {symbol = @y}\naiex.npu.dma_wait {symbol = @x}\n" * waits
    FILE.write_text(HOST.format("\n" + (moves + wait) * 20))
    if first == 15:
        # No shim has descriptor 16.
        assert [goldbeat("objfifo", command, FILE).code for command in COMMANDS] == [2, 2, 2]
        return
    found = {command: goldbeat("objfifo", command, FILE) for command in (*COMMANDS, "run")}
    codes = {"check": 0, "exec": 0, "plan": 0, "run": 0} if waits else {"check": 1, "exec": 2, "plan": 2, "run": 2}
    assert {name: one.code for name, one in found.items()} == codes
    assert not waits or re.search(r"MM2S 0 +x: (start 3, ){19}start 3; BDs 3 \(A", found["plan"].stdout)


def test_an_access_outside_an_array_fails_in_every_command() -> None:
    FILE.write_text(ADD_MLIR.replace("to %c1 step", "to %c9223372036854775807 step"))
    for command in (*COMMANDS, "run"):
        found = goldbeat("objfifo", command, FILE)
        assert (found.code, "found memref.load: element [8] of an array of [8]" in found.stderr) == (2, True), command


@pytest.mark.parametrize("array", [(), ("--array",)])
def test_a_design_that_hangs_fails_in_every_command(array: tuple[str, ...]) -> None:
    text = PIPE.format(**FITS | {"size": 64}).replace("%A[0, 0, 0, 0][1, 1, 1, 64]", "%A[0, 0, 0, 0][1, 1, 1, 32]")
    FILE.write_text(text)
    for command in (("check",), ("exec",), ("run", *array)):
        done = goldbeat("objfifo", command[0], FILE, *command[1:])
        assert (done.code, "hang" in done.stdout) == (1, True), (command, done)


TASK = """
      %{0} = aiex.dma_configure_task_for @{1} {{
        aie.dma_bd(%{2} : memref<64xi32>, 0, 64) {{bd_id = {3} : i32}}
        aie.end
      }} {{issue_token = true}}
      aiex.dma_start_task(%{0})"""
HOST = """module {{
  aie.device(npu1) {{
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    aie.objectfifo @x(%s, {{%m}}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @y(%m, {{%s}}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@x] -> [@y] ([] [])
    aie.runtime_sequence(%A: memref<64xi32>, %B: memref<64xi32>) {{{0}
    }}
  }}
}}
"""
FILL, DRAIN, WAITS = TASK.format("f", "x", "A", 0), TASK.format("d", "y", "B", 1), "\n      aiex.dma_await_task(%d)"
REFUSED = {
    "an unknown symbol": (FILL + DRAIN + "\n      aiex.npu.dma_wait {symbol = @z}", "found @z"),
    "one descriptor of two tasks": (FILL + TASK.format("d", "y", "B", 0) + WAITS, "found descriptor 0 for S2MM 0"),
    "a task without a token": ((FILL + DRAIN).replace("true", "false") + WAITS, "found a wait for a task without a"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_sequence_that_cannot_be_executed_is_refused_by_all(name: str) -> None:
    body, text = REFUSED[name]
    FILE.write_text(HOST.format(body))
    for command in ("exec", "check", "run"):
        found = goldbeat("objfifo", command, FILE)
        assert (found.code, text in found.stderr) == (2, True), (command, found)


def test_check_and_exec_have_the_same_remark() -> None:
    halves = "".join(TASK.format(name, "x", "A", 0).replace("0, 64)", "0, 32)") for name in "fg")
    FILE.write_text(HOST.format(halves + DRAIN + WAITS))
    for command in ("exec", "check"):
        found = goldbeat("objfifo", command, FILE)
        assert (found.code, "descriptor 0 of shim tile (0, 0) is written while MM2S 0" in found.stdout) == (0, True)


TWO_DEVICES = """module {{
  aie.device(npu1_1col) @first {{
    aie.runtime_sequence(%a: memref<8xi32>) {{ }}
  }}
  {second}
}}
"""


def test_every_command_takes_a_device_of_a_text() -> None:
    second = (
        explicit_text().strip().removeprefix("module {").removesuffix("}").replace("npu1_1col)", "npu1_1col) @second")
    )
    FILE.write_text(TWO_DEVICES.format(second=second))
    for command in COMMANDS:
        first, other = goldbeat("objfifo", command, FILE), goldbeat("objfifo", command, FILE, "--device", "second")
        # The first one moves nothing.
        assert (first.code, other.code) == (3, 0), (command, first.stdout, other.stdout + other.stderr)
        missing = goldbeat("objfifo", command, FILE, "--device", "third")
        assert (missing.code, "missing aie.device @third" in missing.stderr) == (2, True), missing.stderr


def test_a_rule_that_another_device_breaks_is_not_the_one_at_hand() -> None:
    fifo = "aie.objectfifo @x(%s, {%m}, 1000000000 : i32) : !aie.objectfifo<memref<8xi32>>"
    deep = f"%s = aie.tile(0, 0)\n%m = aie.tile(0, 1)\n{fifo}"
    empty = "aie.runtime_sequence(%a: memref<8xi32>) { }"
    devices = [
        f"aie.device(npu1_1col) @{name} {{\n{text}\n}}"
        for name, text in (("deep", f"{deep}\n{empty}"), ("other", empty))
    ]
    FILE.write_text("\n".join(("module {", *devices, "}")))
    for command in COMMANDS:
        assert goldbeat("objfifo", command, FILE).code == 2
        assert goldbeat("objfifo", command, FILE, "--device", "other").code == 3
