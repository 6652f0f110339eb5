# SPDX-License-Identifier: Apache-2.0
"""`check`, `exec` and `run` agree on rules, and on designs whose host moves nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.objfifo_cli import goldbeat

TEXT = Path("aie.mlir")
FIFO = "!aie.objectfifo<memref<8xi32>>"
IN, OUT = f"aie.objectfifo @in(%s, {{%c}}, 2 : i32) : {FIFO}", f"aie.objectfifo @out(%c, {{%s}}, 2 : i32) : {FIFO}"
SHARED = f"aie.objectfifo @out(%c, {{%d}}, 2 : i32) : {FIFO}"
EMPTY = "aie.runtime_sequence(%A: memref<64xi32>) {\n}"


def accesses(fifo: str, port: str) -> str:
    view = "!aie.objectfifosubview<memref<8xi32>>"
    return f"%{fifo} = aie.objectfifo.acquire @{fifo}({port}, 1) : {view}\naie.objectfifo.release @{fifo}({port}, 1)"


TAKES, MAKES = accesses("in", "Consume"), accesses("out", "Produce")


def core(passes: int, body: str, name: str = "c") -> str:
    return f"""aie.core(%{name}) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %cn = arith.constant {passes} : index
      scf.for %t = %c0 to %cn step %c1 {{
{body}
      }}
      aie.end
    }}"""


def write(*parts: str) -> None:
    tiles = [f"%{name} = aie.tile(0, {row})" for name, row in (("s", 0), ("c", 2), ("d", 3))]
    TEXT.write_text("\n".join(["module {", "aie.device(npu1_1col) {", *tiles, *parts, "}", "}", ""]))


def move(name: str, host: str, offset: int, size: int, bd: int, more: str = "") -> str:
    walk = f"[0, 0, 0, {offset}][1, 1, 1, {size}][0, 0, 0, 1]"
    return f"aiex.npu.dma_memcpy_nd(%{host}{walk}) {{id = {bd} : i64, metadata = @{name}{more}}} : memref<64xi32>"


def sequence(*moves: str) -> str:
    lines = "\n".join([*moves, "aiex.npu.dma_wait {symbol = @out}"])
    return f"aie.runtime_sequence(%A: memref<64xi32>, %B: memref<64xi32>) {{\n{lines}\n}}"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def codes(*commands: str) -> list[int]:
    return [goldbeat("objfifo", command, TEXT).code for command in commands]


@pytest.mark.parametrize("host", ["", EMPTY], ids=["no sequence", "empty sequence"])
@pytest.mark.parametrize(
    ("fifo", "passes", "body", "code"),
    [(IN, 1, TAKES, 1), (OUT, 2, MAKES, 0), (OUT, 4, MAKES, 1), (OUT, 8, MAKES, 1), (OUT, 2000, MAKES, 0)],
)
def test_a_host_that_moves_nothing_serves_no_program(host: str, fifo: str, passes: int, body: str, code: int) -> None:
    write(fifo, core(passes, body), host)
    assert codes("check", "exec", "run") == [code] * 3


@pytest.mark.parametrize("host", ["", EMPTY], ids=["no sequence", "empty sequence"])
def test_endless_programs_without_a_word_are_partial(host: str) -> None:
    write(IN, core(2000, TAKES), host)
    assert codes("check", "exec", "run") == [3, 3, 3]
    write("aie.shim_dma_allocation @x (%s, MM2S, 0)", EMPTY)
    assert codes("check", "exec", "run") == [3, 3, 3]


LOCK = "aie.use_lock(%l, {}, 1)"
TURN = f"{LOCK.format('AcquireGreaterEqual')}\n{LOCK.format('Release')}"


@pytest.mark.parametrize("own", [TURN, LOCK.format("Release"), LOCK.format("AcquireGreaterEqual")])
def test_a_lock_that_no_other_program_takes_moves_nothing(own: str) -> None:
    write("%l = aie.lock(%c, 0) {init = 1 : i32}", core(1, own))
    assert codes("check", "exec", "run") == [3, 3, 3]


def test_a_lock_that_two_programs_take_is_handed_over() -> None:
    write("%l = aie.lock(%c, 0) {init = 1 : i32}", core(4, TURN), core(4, TURN, "d"))
    assert codes("check", "exec") == [0, 0]


@pytest.mark.parametrize("passes", [4, 2000])
def test_objects_in_shared_memory_move(passes: int) -> None:
    write(SHARED, core(passes, MAKES), core(passes, MAKES.replace("Produce", "Consume"), "d"))
    assert codes("check", "exec") == [0, 0]


def whole(*moves: str) -> None:
    write(IN, OUT, core(8, f"{TAKES}\n{MAKES}"), sequence(*moves))


TOKEN = ", issue_token = true"


@pytest.mark.parametrize(
    "moves",
    [
        (move("in", "A", 0, 36, 0), move("in", "A", 36, 28, 1), move("out", "B", 0, 64, 2, TOKEN)),
        (move("in", "A", 0, 64, 0), move("out", "B", 0, 36, 1), move("out", "B", 36, 28, 2, TOKEN)),
    ],
    ids=["fills", "drains"],
)
def test_two_transfers_share_an_object(moves: tuple[str, ...]) -> None:
    whole(*moves)
    assert codes("check", "plan", "exec", "run") == [0] * 4


def test_the_descriptor_of_a_fill_at_work_has_a_remark() -> None:
    whole(move("in", "A", 0, 32, 0), move("in", "A", 32, 32, 0), move("out", "B", 0, 64, 2, TOKEN))
    assert codes("check", "plan", "exec", "run") == [0] * 4
    for command in ("check", "exec"):
        assert "is written while MM2S 0 of shim tile (0, 0) works with it" in goldbeat("objfifo", command, TEXT).stdout


def test_who_waits_in_a_hang_of_the_host_is_said_by_check_as_by_exec() -> None:
    host = sequence(move("out", "B", 0, 64, 2, TOKEN)).replace("\n}", f"\n{move('in', 'A', 0, 64, 0)}\n}}")
    write(IN, OUT, core(8, f"{TAKES}\n{MAKES}"), host)
    checked, executed = (goldbeat("objfifo", command, TEXT) for command in ("check", "exec"))
    assert (checked.code, executed.code) == (1, 1)
    waits = executed.stdout.split("the design hangs\n")[1]
    assert "  the host's sequence waits for a token of S2MM 0 of shim tile (0, 0), whose task never ends\n" in waits
    assert "  the core of core tile (0, 2) waits for lock in_cons_cons_lock_0 to reach 1\n" in waits
    assert checked.stdout.endswith(f"the design hangs\n{waits}")


@pytest.mark.parametrize(
    ("moves", "rule"),
    [
        ((move("in", "A", 0, 60, 0), move("out", "B", 0, 64, 2, TOKEN)), "transfer-objects"),
        (
            (move("in", "A", 0, 64, 0), move("out", "B", 0, 32, 2), move("out", "B", 32, 32, 2, TOKEN)),
            "transfer-shim",
        ),
    ],
)
def test_broken_rules_are_refused_by_every_command(moves: tuple[str, ...], rule: str) -> None:
    whole(*moves)
    assert codes("check", "plan", "exec", "run") == [1, 2, 2, 2]
    for command in ("plan", "exec", "run"):
        said = goldbeat("objfifo", command, TEXT).stderr
        assert f"[{rule}]" in said or "uses it, expected a wait before" in said


def test_more_tasks_than_descriptors_are_refused_by_every_command() -> None:
    def task(name: str, host: str, offset: int, size: int, token: str = "") -> str:
        number = f"%t{name}{offset}"
        bd = f"aie.dma_bd(%{host} : memref<64xi32>, {offset}, {size})\naie.end"
        return f"{number} = aiex.dma_configure_task_for @{name} {{\n{bd}\n}}{token}\naiex.dma_start_task({number})"

    parts = [task("in", "A", 4 * n, 4) for n in range(16)]
    last = task("out", "B", 0, 64, " {issue_token = true}") + "\naiex.dma_await_task(%tout0)"
    host = "\n".join([*parts, last])
    write(
        IN,
        OUT,
        core(8, f"{TAKES}\n{MAKES}"),
        f"aie.runtime_sequence(%A: memref<64xi32>, %B: memref<64xi32>) {{\n{host}\n}}",
    )
    assert codes("check", "plan", "exec", "run") == [1, 2, 2, 2]


SCRIPT = """import numpy as np
from goldbeat.pymodels.objfifo import NPU1Col1, ObjectFifo, Program, Runtime, Worker, range_

vector = np.ndarray[(16,), np.dtype[np.int32]]
source, result = ObjectFifo(vector, name="in"{depth}), ObjectFifo(vector, name="out")
seen = []


def add(x, y):
    a, b = x.acquire(1), y.acquire(1)
    {body}
    x.release(1)
    y.release(1)


rt = Runtime()
with rt.sequence(vector, vector) as (a, b):
    rt.start(Worker(add, [source.cons(), result.prod()]))
    rt.fill(source.prod(), a)
    rt.drain(result.cons(), b, wait=True)
Program(NPU1Col1(), rt).resolve_program()
"""


def scripted(command: str, body: str, depth: str = "") -> tuple[int, str]:
    path = Path("add.py")
    path.write_text(SCRIPT.replace("{body}", body.replace("\n", "\n    ")).replace("{depth}", depth))
    done = goldbeat("objfifo", command, path)
    return done.code, " ".join((done.stdout + done.stderr).split())


def test_a_host_array_that_is_read_before_it_is_written_is_the_only_cause() -> None:
    more = "    rt.fill(source.prod(), b)\n    rt.drain(result.cons(), c, wait=True)\n"
    text = SCRIPT.replace("vector, vector) as (a, b)", "vector, vector, vector) as (a, b, c)").replace(
        ", wait=True", ""
    )
    text = text.replace("Program(", more + "Program(").replace("{body}", "b[:] = a + 1").replace("{depth}", "")
    Path("twice.py").write_text(text)
    for command in ("check", "exec"):
        done = goldbeat("objfifo", command, "twice.py")
        assert (done.code, "of arg1; missing: S2MM 0 of shim tile (0, 0) waits" in done.stdout) == (1, True)
        assert "without its lock" not in done.stdout
        assert "a task is started before" not in done.stdout
    refused_before_rtl("twice.py", "the result depends on the timing\n  unordered: ")
    drain = "    rt.drain(result.cons(), b"
    awaited = f"    g = rt.task_group()\n{drain}, wait=True, task_group=g)\n    rt.finish_task_group(g)"
    Path("twice.py").write_text(text.replace(f"{drain})", awaited))
    assert [goldbeat("objfifo", command, "twice.py").code for command in ("check", "exec")] == [0, 0]


def refused_before_rtl(path: str, said: str) -> None:
    for command in (("time",), ("run",), ("run", "--array")):
        done = goldbeat("objfifo", *command, path)
        assert (done.code, said in done.stdout + done.stderr) == (1, True), done
        assert "tasks" not in done.stdout


def test_a_hang_of_the_host_is_refused_before_rtl() -> None:
    text = SCRIPT.replace("{body}", "b[:] = a").replace("{depth}", "")
    fill, drain = "    rt.fill(source.prod(), a)\n", "    rt.drain(result.cons(), b, wait=True)\n"
    grouped = (
        f"    g = rt.task_group()\n{drain.replace('True', 'True, task_group=g')}    rt.finish_task_group(g)\n{fill}"
    )
    Path("late.py").write_text(text.replace(fill + drain, grouped))
    assert [goldbeat("objfifo", command, "late.py").code for command in ("check", "exec")] == [1, 1]
    refused_before_rtl("late.py", "the design hangs\n  the host's sequence waits for a token of S2MM 0")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("seen.append(1)\nb[:] = a + len(seen)", 1),
        ("seen.append(1)\nb[:] = a + 1", 0),
        ("b[:] = a + np.random.default_rng().integers(0, 2**30)", 1),
    ],
)
def test_state_in_python_has_one_verdict(body: str, code: int) -> None:
    for command in ("check", "exec", "run"):
        found, said = scripted(command, body)
        assert found == code, (command, said)
        assert ("not repeatable: arg1 element 0 becomes" in said) == bool(code)


DEEP = "found a depth of {} objects of 64 bytes of in, expected at most 24576"


@pytest.mark.parametrize("command", ["check", "plan", "exec"])
def test_a_depth_beyond_any_memory_is_refused_at_once(command: str) -> None:
    for depth in (24577, 10**9):
        code, said = scripted(command, "b[:] = a", f", depth={depth}")
        assert code == 2
        assert f"add.py:5: {DEEP.format(depth)}" in said
    write(IN.replace("2 : i32", "1000000000 : i32"), core(1, TAKES), EMPTY)
    done = goldbeat("objfifo", command, TEXT)
    assert done.code == 2
    assert "aie.mlir:6:1: found a depth of 1000000000 objects of 32 bytes" in done.stderr


@pytest.mark.parametrize("command", ["check", "plan"])
def test_a_depth_that_only_descriptors_lack_is_refused_soon(command: str) -> None:
    write(IN.replace("%c", "%m").replace("2 : i32", "20000 : i32"), "", EMPTY)
    text = TEXT.read_text().replace("%c = aie.tile(0, 2)", "%m = aie.tile(0, 1)")
    TEXT.write_text(text)
    assert goldbeat("objfifo", command, TEXT).code in (1, 2)


OUTSIDE = {
    "b[-1] = 0": "element -1",
    "b[0] = a[-16]": "element -16",
    "for i in range_(16):\n    b[i] = a[i - 1]": "element -1",
    "b[8:99] = a[8:16]": "elements 8 to 99",
    "b[:8] = a[-8:]": "elements -8 to 16",
    "b[:8] = a[8:17]": "elements 8 to 17",
    "b[0] = max(a[1:4][k] for k in (2, -1))": "element -1",
    "b[...] = a[np.int64(-1)]": "element -1",
    "b.reshape(4, 4)[1, -1] = 0": "element -1",
    "b.reshape(4, 4)[2][-4] = 0": "element -4",
    "b[0] += a[-1] + 1": "element -1",
}
INSIDE = [
    "b[0:16] = a[0:16]", "b[::2] = a[::2]", "b[:] = a[::-1]", "b[15] = a[15]", "b[16:16] = 0", "b[8:] = a[:8]",
    "seen = [1, 2]\nb[0] = seen[-1] + seen[-9:][0]", "b[:] = np.roll(a, 1)", "b[:15] = np.diff(a)", "b[a > 3] = 1",
    "b.reshape(4, 4)[..., 0] = 1", "b[None, 0:4][0] = 1", "(a + 1)[-1]", "b[0] = a.sum() + int(np.max(a))", "b += a",
    "b[0] = sum(v for v in a)", "b[0] = list(a)[-1]",
]  # fmt: skip


@pytest.mark.parametrize("body", OUTSIDE)
def test_an_index_outside_an_object_is_refused_by_all(body: str) -> None:
    for command in ("check", "exec", "plan"):
        code, said = scripted(command, body)
        assert code == 2, (command, said)
        line = 11 + body.count("\n")
        assert f"add.py:{line}: found {OUTSIDE[body]} of an object, expected elements 0 to " in said


@pytest.mark.parametrize("body", INSIDE)
def test_an_index_inside_an_object_is_one(body: str) -> None:
    for command in ("check", "exec"):
        code, said = scripted(command, body)
        assert code == 0, (command, said)
