# SPDX-License-Identifier: Apache-2.0
"""What cocotbext-axi's classes cannot drive is refused before anything is built or written."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from goldbeat.tb.cli import app

HEAD = """\
name = "block"
top = "block"
files = ["block.sv"]
model = "{model}"
compare_time = false
[[clocks]]
name = "clk"
reset = "rst_n"
"""
SLAVE = '[[registers]]\nbus = "{bus}"\nname = "s"\nclock = "clk"\naddress_width = 8\n'
MEMORY = (
    '[[memories]]\nname = "s"\nclock = "clk"\ndirection = "in"\naddress_width = 12\ndata_width = 32\nid_width = 0\n'
)
APB = '[[registers]]\nbus = "apb"\nname = "m"\nclock = "clk"\ndirection = "out"\naddress_width = 8\n'
BARE = '[[registers]]\nbus = "apb"\nname = "s"\nclock = "clk"\naddress_width = 8\nsignals = {{ {} }}\n'
BARE = BARE.format(
    ", ".join(f'{role} = "{role}"' for role in ["paddr", "psel", "penable", "pwrite", "pwdata", "prdata"])
)


@pytest.mark.parametrize(
    ("model", "ports", "text"),
    [
        ("memory", MEMORY, "bursts on the AXI4 slave s need the native transactors"),
        ("adapter", SLAVE.format(bus="axil") + APB, "a memory behind the APB master m needs the native transactors"),
        ("memory", BARE, "the APB slave s lacks pready and pstrb, which cocotbext-axi's master needs"),
    ],
)
def test_a_run_is_refused_with_port_bus_and_option(
    model: str, ports: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "block.toml").write_text(HEAD.format(model=model) + ports)
    (tmp_path / "block.sv").write_text("module block;\nendmodule\n")
    said = CliRunner().invoke(app, ["run", "block.toml", "--transactors", "cocotbext"], env={"COLUMNS": "200"})
    assert said.exit_code == 2, said.output
    assert f"--transactors cocotbext: {text}; run it without the option" in said.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["block.sv", "block.toml"]
