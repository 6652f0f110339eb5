# SPDX-License-Identifier: Apache-2.0
"""What `check` executes: kernels have stand-ins, and a verdict on host arrays of zeros says so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tests.support.objfifo_cli import goldbeat
from tests.support.objfifo_explicit import explicit_text
from tests.support.objfifo_scripts import ADD_THREE

TEXT = Path("aie.mlir")
CONTROL = """aie.packet_flow(0x1) {
      aie.packet_source<%s, DMA : 1>
      aie.packet_dest<%t, TileControl : 0>
    }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = np.arange(64, dtype=np.int32)
    text = explicit_text()
    size = int(text.split("%i : memref<", 1)[1].split("x", 1)[0])
    np.save("i.npy", data[:size])
    np.save("o.npy", np.zeros(size, np.int32))


def test_check_takes_stand_ins_for_kernels() -> None:
    text = explicit_text().replace(
        "%s = aie.tile(0, 0)", "func.func private @noop(memref<8xi32>)\n%s = aie.tile(0, 0)", 1
    )
    call = "func.call @noop(%b0) : (memref<8xi32>) -> ()\n"
    TEXT.write_text(text.replace("%three = arith", f"{call}%three = arith", 1))
    Path("kernels.py").write_text("def noop(a):\n    pass\n")
    done = goldbeat("objfifo", "check", TEXT)
    assert done.code == 3, "nothing stands for the kernel: undecided"
    assert "--kernel noop=FILE.py:FUNCTION" in done.stdout.replace("\n", " ")
    done = goldbeat("objfifo", "check", TEXT, "--kernel", "noop=kernels.py:noop")
    assert (done.code, "the design completes" in done.stdout) == (0, True), done.stdout + done.stderr


def test_a_stand_in_without_the_value_of_a_result() -> None:
    text = explicit_text().replace(
        "%s = aie.tile(0, 0)", "func.func private @noop(memref<8xi32>) -> i32\n%s = aie.tile(0, 0)", 1
    )
    call = "%z = func.call @noop(%b0) : (memref<8xi32>) -> i32\n"
    TEXT.write_text(text.replace("%three = arith", f"{call}%three = arith", 1))
    Path("kernels.py").write_text("def noop(a):\n    pass\n\ndef one(a):\n    return 1\n")
    done = goldbeat("objfifo", "exec", TEXT, "--kernel", "noop=kernels.py:noop")
    assert (done.code, "None from the stand-in for @noop, expected 1 values" in done.stderr.replace("\n", " ")) == (
        2,
        True,
    ), done
    assert goldbeat("objfifo", "exec", TEXT, "--kernel", "noop=kernels.py:one").code == 0


@pytest.mark.parametrize(
    ("function", "line", "said"),
    [
        ("def noop(a):\n    raise ValueError('boom')\n", 2, "ValueError: boom"),
        ("def noop(a):\n    raise SystemExit(0)\n", 2, "SystemExit: 0"),
        ("raise SystemExit(0)\n", 1, "a call that ends the process with 0"),
        ("\ndef noop():\n    pass\n", 2, r"TypeError: noop\(\) takes 0 positional arguments but 1 was given"),
        ("def noop(a):\n    yield\n    1 / 0\n", 2, "TypeError: yielded None; expected CascadeGet"),
    ],
)
@pytest.mark.parametrize("command", ["check", "exec", "run"])
def test_a_stand_in_that_fails_is_bad_input_for_all(command: str, function: str, line: int, said: str) -> None:
    text = explicit_text().replace(
        "%s = aie.tile(0, 0)", "func.func private @noop(memref<8xi32>)\n%s = aie.tile(0, 0)", 1
    )
    call = "func.call @noop(%b0) : (memref<8xi32>) -> ()\n"
    TEXT.write_text(text.replace("%three = arith", f"{call}%three = arith", 1))
    Path("kernels.py").write_text(function)
    done = goldbeat("objfifo", command, TEXT, "--kernel", "noop=kernels.py:noop")
    assert done.code == 2, done.stdout + done.stderr
    assert re.search(f"kernels.py:{line}: found {said}", done.stderr.replace("\n", " ")), done.stderr


@pytest.mark.parametrize("command", ["check", "exec", "plan"])
def test_a_core_that_ends_the_process_is_no_verdict(command: str) -> None:
    assert "    b[:] = a + 3" in ADD_THREE
    Path("add.py").write_text(ADD_THREE.replace("b[:] = a + 3", "raise SystemExit(0)"))
    done = goldbeat("objfifo", command, "add.py")
    assert done.code == 2, done.stdout
    assert re.search(r"add\.py:\d+: found a call that ends the process with 0", done.stderr.replace("\n", " "))


def test_a_stand_in_that_no_kernel_asks_for_is_named() -> None:
    TEXT.write_text(explicit_text())
    Path("kernels.py").write_text("def noop(a):\n    pass\n")
    done = goldbeat("objfifo", "check", TEXT, "--kernel", "other=kernels.py:noop")
    assert (done.code, "--kernel other: the design asks for no such kernel" in done.stderr) == (0, True), done.stderr


KERNEL = ADD_THREE.replace("Runtime, Worker", "Kernel, Runtime, Worker").replace("    b[:] = a + 3", "    k(a, b)")
KERNEL = KERNEL.replace("def add(x, y):", "k = Kernel('kk', 'kk.o', [line, line])\ndef add(x, y):")


@pytest.mark.parametrize(("command", "code"), [("check", 3), ("exec", 2), ("run", 2), ("run --array", 2), ("plan", 0)])
def test_a_kernel_without_a_stand_in_is_no_pass(command: str, code: int) -> None:
    Path("add.py").write_text(KERNEL)
    Path("kernels.py").write_text("def kk(a, b):\n    b[:] = a + 3\n")
    mistyped = () if command == "plan" else ("--kernel", "zz=kernels.py:kk")
    for more in ((), mistyped):
        done = goldbeat("objfifo", *command.split(), "add.py", *more)
        said = " ".join((done.stdout + done.stderr).split())
        assert (done.code, code == 0 or "--kernel kk=FILE.py:FUNCTION" in said) == (code, True), said


def test_run_names_a_stand_in_that_no_kernel_asks_for() -> None:
    Path("add.py").write_text(KERNEL)
    Path("kernels.py").write_text("def kk(a, b):\n    b[:] = a + 3\n")
    TEXT.write_text(explicit_text())
    given = ("--kernel", "kk=kernels.py:kk", "--kernel", "zz=kernels.py:kk")
    for path in ("add.py", TEXT):
        done = goldbeat("objfifo", "run", path, *given)
        assert (done.code, "--kernel zz: the design asks for no such kernel" in done.stdout) == (0, True), done


def test_a_verdict_on_zeros_says_so() -> None:
    TEXT.write_text(explicit_text())
    done = goldbeat("objfifo", "check", TEXT)
    assert (done.code, "note: zeros are in i, o; give data with --input i=FILE" in done.stdout) == (0, True)
    done = goldbeat("objfifo", "check", TEXT, "--input", "i=i.npy", "--input", "o=o.npy")
    assert (done.code, "zeros" in done.stdout) == (0, False)


def test_control_packets_of_zeros_decide_nothing() -> None:
    TEXT.write_text(explicit_text().replace("aie.flow(%s", f"{CONTROL}    aie.flow(%s", 1))
    done = goldbeat("objfifo", "check", TEXT)
    assert done.code == 3, done.stdout + done.stderr
    assert "undecided: the design completes with zeros as control packets" in done.stdout
    assert json.loads(goldbeat("objfifo", "check", TEXT, "--json").stdout)["run"]["undecided"]
    assert goldbeat("objfifo", "check", TEXT, "--input", "i=i.npy", "--input", "o=o.npy").code == 0


def test_data_for_a_design_that_is_checked_without_are_refused() -> None:
    Path("add.py").write_text(ADD_THREE)
    done = goldbeat("objfifo", "check", "add.py", "--input", "arg0=i.npy")
    assert (done.code, "add.py is checked without data" in done.stderr.replace("\n", " ")) == (2, True)
