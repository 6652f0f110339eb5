# SPDX-License-Identifier: Apache-2.0
"""Optional packages that are not installed: one line with the pip command, exit code 2."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT = """
import importlib.util, sys
found, absent = importlib.util.find_spec, sys.argv.pop(1)
importlib.util.find_spec = lambda name, *more: None if name == absent else found(name, *more)
sys.modules[absent] = None
from goldbeat.tb.cli import main
main()
"""
SUITE = '[[run]]\ndesigns = ["axis_skid"]\ntransactors = "cocotbext"\n'


@pytest.mark.parametrize(
    ("module", "words", "said"),
    [
        (
            "cocotbext",
            "run axis_skid --transactors cocotbext",
            "--transactors cocotbext needs the Python package cocotbext",
        ),
        ("cocotbext", "regress suite.toml", 'transactors = "cocotbext" needs the Python package cocotbext'),
        ("pyslang", "new bench x.v", "pyslang is missing"),
        ("pyslang", "mutate axis_skid", "pyslang: "),
        (
            "matplotlib",
            "plio throughput x.txt -t int32 -w 32 --plot p.png",
            "--plot needs the Python package matplotlib",
        ),
        ("matplotlib", "backlog run a->b --plot p.png", "--plot needs the Python package matplotlib"),
        ("matplotlib", "objfifo plan x.py --picture p.png", "--picture needs the Python package matplotlib"),
        ("matplotlib", "zynqnet plot --layer c1 --out p.png", "zynqnet plot --out needs the Python package matplotlib"),
        ("PIL", "run zynqnet --image x.png", "reading pictures needs the Python package pillow"),
    ],
)
def test_the_pip_command_is_given(module: str, words: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(SUITE)
    (tmp_path / "x.v").write_text("module x (input logic clk); endmodule\n")
    (tmp_path / "x.png").write_bytes(b"\x89PNG")
    command = [sys.executable, "-c", WITHOUT, module, *words.split()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
    assert "pip install '" in done.stderr
    assert "Traceback" not in done.stderr
