# SPDX-License-Identifier: Apache-2.0
"""What is made from the register maps is up to date; whatever is not is found with file, line, found and expected."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from goldbeat.pymodels.nvdla.engines.registers import all_registers
from goldbeat.tb.build.regmaps.__main__ import made, main
from goldbeat.tb.build.regmaps.read import read_map
from goldbeat.tb.build.regmaps.systemverilog import package
from goldbeat.tb.paths import HDL, REPOSITORY

FIR = ("hdl/plio/plio_fir.rdl", "hdl/plio/plio_fir_regs_pkg.sv", "pymodels/plio/fir_map.py", "docs/designs.md")


@pytest.fixture
def tree(tmp_path):
    """A repository with the FIR alone."""
    for name in ("hdl/common/register_map.rdl", *FIR):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / name)
    return tmp_path


def change(tree, name, old, new):
    text = (tree / name).read_text()
    assert text.count(old) == 1, (name, old)
    (tree / name).write_text(text.replace(old, new))


def line_of(tree, name, text):
    lines = (tree / name).read_text().split("\n")
    return next(n for n, line in enumerate(lines, 1) if text in line)


def check(tree, capsys, *options):
    code = main(["--root", str(tree), *options])
    return code, capsys.readouterr().err.splitlines()


@pytest.mark.slow
def test_all_of_it_is_up_to_date(capsys):
    assert (main([]), capsys.readouterr().err) == (0, "")
    assert len(made(REPOSITORY)[0]) == 3 * 6


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (FIR[1], "AddrShift = 12'h00C", "AddrShift = 12'h010"),
        (FIR[1], "  localparam int unsigned CtrlClearLsb = 0;\n", ""),
        (FIR[2], "SAT_RESET = 0x1", "SAT_RESET = 0x0"),
        (FIR[2], 'Field("CLEAR", 0, 1, "w"), ', ""),
        (FIR[3], "| 0x018 | BEATS | R |", "| 0x018 | BEATS | RW |"),
        (FIR[3], "[5:0] 0..47", "[4:0] 0..47"),
    ],
)
def test_a_change_by_hand_is_found(name, old, new, tree, capsys):
    expected = (tree / name).read_text()
    changed = line_of(tree, name, old.strip())
    change(tree, name, old, new)
    code, (message,) = check(tree, capsys)
    assert code == 1
    assert message.startswith(f"{name}:{changed}: found ")
    assert old.strip() in message.split("expected ")[1]
    assert check(tree, capsys, "--write") == (0, [])
    assert (tree / name).read_text() == expected


@pytest.mark.parametrize(
    ("old", "new", "files"),
    [
        ("} ROUND @ 0x010;", "} ROUND @ 0x020;", 3),
        ('field { desc = "history is zeroed after each TLAST beat"; } FRAME_CLEAR[1:1];', "", 3),
        ("VALUE[1:0] = 1;", "VALUE[1:0] = 0;", 3),
        ("beats accepted since reset", "beats taken since reset", 1),
    ],
)
def test_a_change_of_the_map_makes_the_rest_stale(old, new, files, tree, capsys):
    change(tree, FIR[0], old, new)
    code, messages = check(tree, capsys)
    assert (code, len(messages)) == (1, files)
    assert {message.split(":")[0] for message in messages} <= set(FIR[1:])
    assert check(tree, capsys, "--write") == (0, [])
    assert check(tree, capsys) == (0, [])


def test_missing_and_left_over_files_are_found(tree, capsys):
    (tree / FIR[1]).rename(tree / "hdl/plio/plio_old_regs_pkg.sv")
    change(tree, FIR[3], "<!-- registers plio_fir -->", "")
    code, messages = check(tree, capsys)
    assert code == 1
    assert [message.split(";")[0] for message in messages] == [
        "hdl/plio/plio_fir.rdl: found 0 tables in docs/*.md, expected 1: <!-- registers plio_fir -->",
        "hdl/plio/plio_old_regs_pkg.sv: missing map, expected plio_old.rdl",
        "hdl/plio/plio_fir_regs_pkg.sv: missing file",
    ]
    # Writing makes what is missing; the rest is for somebody to decide.
    assert check(tree, capsys, "--write")[0] == 1
    assert (tree / FIR[1]).read_text() == (REPOSITORY / FIR[1]).read_text()


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (
            FIR[3],
            "<!-- registers plio_fir -->",
            "<!-- registers fir -->",
            "found a table of fir, expected one of plio_fir",
        ),
        (FIR[3], "<!-- end registers -->", "", "missing end of the table, expected <!-- end registers -->"),
        (FIR[0], "addrmap plio_fir #(", "addrmap fir #(", "found addrmap fir, expected addrmap plio_fir"),
        (FIR[0], "} ROUND @ 0x010;", "} ROUND @ 0x00C;", "expected a register map in SystemRDL"),
        (FIR[0], "} ROUND @ 0x010;", "} ROUND @ 0x010", "expected a register map in SystemRDL"),
        (FIR[0], '  python           = "plio/fir_map.py";\n', "", "missing property python"),
        (FIR[0], "  address_bits     = 12;\n", "", "missing property address_bits"),
        (
            FIR[0],
            "  address_bits     = 12;\n",
            "  address_bits     = 7;\n",
            "found registers up to 0xbc, expected them below 0x80",
        ),
    ],
)
def test_what_cannot_be_read_says_where(name, old, new, message, tree, capsys):
    change(tree, name, old, new)
    code, messages = check(tree, capsys)
    assert code == 2
    assert message in messages[-1]
    assert name in messages[-1]
    if "SystemRDL" in message:
        # The compiler's own message has the line.
        assert f"{name}:" in messages[0]


def test_a_map_of_blocks_is_a_table_and_its_words():
    text = package(read_map(HDL / "nvdla" / "nvdla.rdl"))
    scale = next(r for r in all_registers() if r.full_name == "SDP.D_CVT_SCALE")
    row = f"{scale.reset:08x}_{scale.read_mask:08x}_{scale.write_mask:08x}"
    assert f"16'h{scale.address:04x}: return 96'h{row}; // SDP.D_CVT_SCALE" in text
    assert f"WordSdpDCvtScale = {(scale.address - 0x9000) // 4};" in text
    assert "BaseSdp = 16'h9000;" in text
    assert f"WordsSdp = {sum(r.block == 'SDP' for r in all_registers())};" in text
    # Only what is marked, and nothing of blocks that are not built.
    assert "WordCdmaDCya" in text
    assert "WordCmacBDOpEnable" in text
    assert "WordCmacBDMiscCfg" not in text
    assert not any(block in text.title() for block in ("Bdma", "Rbk", "Gec", "Cvif"))


def test_running_needs_no_compiler_of_maps():
    code = "import sys; sys.modules['systemrdl'] = None; from goldbeat.tb.cli import app; "
    code += "from goldbeat.tb.design.catalog import designs; print(len(designs()))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(run.stdout) > 10


def test_parameters_decide_resets_and_sizes():
    path = HDL / "plio" / "plio_fir.rdl"
    registers = {r.name: r for r in read_map(path, {"NTAPS": 6, "P": 2, "FIR_LATENCY": 9, "FIFO_DEPTH": 16}).registers}
    assert [f.field.reset for f in registers["CONFIG"].fields] == [6, 2, 9, 16]
    assert registers["COEF"].entries == 3
    # Without them no constant is made of what they decide.
    config = next(r for r in read_map(path).registers if r.name == "CONFIG")
    assert all(f.by_parameters for f in config.fields)
    assert "CONFIG_RESET" not in (REPOSITORY / FIR[2]).read_text()
