# SPDX-License-Identifier: Apache-2.0
"""Each protocol rule is broken by RTL that breaks just that one, and is caught by name; the table of rules is whole."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from insim import run_inside

import goldbeat.tb.kernel
from goldbeat.pymodels.buses import APB, AVALON, AXI, AXIL, BUSES, WISHBONE
from goldbeat.tb.design.description import load_description
from goldbeat.tb.designs.nvdla.csb import CSB_BUS
from goldbeat.tb.kernel.rules import ASSERTION, RULES, bus_table, document
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.run.runs import Request, run

HERE = Path(__file__).resolve().parent
KERNEL = Path(goldbeat.tb.kernel.__file__).parent


@pytest.mark.sim
def test_every_rule_is_caught_by_name(tmp_path):
    run_inside("inside_rules", "rules", tmp_path, sources=[HERE / "rules.sv"])


def test_the_table_has_every_rule_of_the_code():
    run = REPOSITORY / "tb" / "run"
    python = [REPOSITORY / "tb" / "inside" / "session.py", run / "late_ready.py", run / "lost_places.py"]
    python += (REPOSITORY / "tb" / "inside" / "transactors").glob("*.py")
    python += (REPOSITORY / "tb" / "design" / "ports").glob("*.py")
    code = "".join(
        p.read_text() for p in [*KERNEL.glob("*.cpp"), *KERNEL.glob("*.py"), *python] if p.name != "rules.py"
    )
    names = "|".join(bus.name for bus in BUSES)
    used = set(re.findall(rf'["{{]((?:{names}|csb|mem)_\w+)"', code)) & set(RULES)
    used |= set(re.findall(r'(?:violation|broken)\(\s*"(\w+)"', code))
    used |= set(re.findall(r'broken\(\s*"\w+",\s*"(\w+)"', code))
    used |= set(re.findall(r'f"(axis_\w+): ', code))
    # Ports name the rules of their bus.
    endings = set(re.findall(r"spec\.name}_(\w+)", code))
    used |= {f"{bus.name}_{ending}" for bus in BUSES for ending in endings} & set(RULES)
    used |= set(re.findall(r'"(axis?_outstanding|\w+_valid_waits|\w+_combinational)"', code)) | {ASSERTION}
    assert used == {name for bus in BUSES for name in bus.full_rules} | {
        n for n in RULES if n.startswith(("mem_", "rtl_"))
    }


@pytest.mark.parametrize(
    ("file", "struct", "roles"),
    [
        ("kernel/axil.cpp", "GbAxilNames", AXIL.roles),
        ("kernel/axi.h", "GbAxiNames", AXI.roles),
        ("kernel/apb.h", "GbApbNames", APB.roles),
        ("kernel/wishbone.h", "GbWishboneNames", WISHBONE.roles),
        ("kernel/avalon.h", "GbAvalonNames", AVALON.roles),
        ("designs/nvdla/csb.cpp", "GbCsbNames", CSB_BUS.roles),
    ],
)
def test_the_code_in_c_has_the_signals_in_their_order(file, struct, roles):
    code = (REPOSITORY / "tb" / file).read_text()
    body = re.search(rf"struct {struct} {{(.*?)\n}};", code, flags=re.S)[1]
    assert tuple(re.findall(r"\*(\w+)", body)) == roles


def test_the_page_is_the_table():
    assert (REPOSITORY / "docs" / "protocol-rules.md").read_text() == document()
    # A bus of one design is on that design's page.
    assert bus_table(CSB_BUS).partition("\n\n")[2] in (REPOSITORY / "docs" / "nvdla-hardware.md").read_text()


@pytest.mark.sim
def test_a_valid_in_reset_is_caught_on_streams_of_described_designs(tmp_path):
    for file in (HERE.parent / "probe" / "toy").iterdir():
        if file.is_file():
            shutil.copy(file, tmp_path)
    rtl = tmp_path / "toy_invert.sv"
    sound = rtl.read_text()
    # High in reset as well, right at all other times.
    internal = sound.replace("TX_TVALID", "valid_q").replace(
        "output logic               valid_q", "output logic TX_TVALID"
    )
    assign = "  logic valid_q;\n  assign TX_TVALID = valid_q || rst;\n  assign RX_TREADY"
    rtl.write_text(internal.replace("  assign RX_TREADY", assign))
    design = load_description(tmp_path / "toy_invert.toml")
    (result,) = run(Request(design, design.case("random"), seeds=(0,)), tmp_path / "run")
    assert result.failures == ("axis_valid_in_reset: tx, cycle -4: tvalid is high after 4 edges in reset",)
