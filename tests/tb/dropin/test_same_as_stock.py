# SPDX-License-Identifier: Apache-2.0
"""cocotbext-axi and what takes its place show a test the same things at the same times."""

import re
import subprocess
from pathlib import Path

import pytest

from goldbeat.tb.build.compile import Recipe, compile_model
from goldbeat.tb.dropin.verilator import ENTRIES
from goldbeat.tb.kernel.launch import cocotb_environment, seed_arguments

HERE = Path(__file__).resolve().parent

pytestmark = pytest.mark.sim


def seen(folder: Path, top: str, module: str, native: bool, **more: str) -> tuple[list[str], str]:
    """What the tests say, and all that the simulator prints."""
    flags = ["--timescale", "1ns/1ps"]
    built = compile_model(Recipe(f"dropin_{top}", top, [HERE / f"{top}.sv"], flags=flags, public="all"))
    env = cocotb_environment(top, module, 1, folder / "results.xml", [HERE])
    env |= {"COCOTB_TRUST_INERTIAL_WRITES": "0"} | more
    if native:
        env["PYGPI_USERS"] = ",".join(ENTRIES)
    run = subprocess.run(
        [str(built.executable), *seed_arguments(1)], cwd=folder, env=env, capture_output=True, text=True, timeout=120
    )
    return [line for line in run.stdout.splitlines() if line.startswith("SEEN ")], run.stdout


MODULES = [
    ("bench", "inside_frames", 12, 400),
    ("bench", "inside_odd_frames", 4, 50),
    ("buses", "inside_buses", 30, 400),
    ("buses", "inside_accesses", 49, 400),
    ("buses", "inside_odd", 41, 4500),
    ("wide", "inside_wide", 3, 1500),
]
AGENTS = {"inside_wide": {"4": 2}, "inside_buses": {"2": 9, "10": 18}, "inside_accesses": {"4": 18, "2": 1}}
"""How many tests have how many agents in C++."""
INERTIAL = {"inside_odd": {"COCOTB_TRUST_INERTIAL_WRITES": "1"}}
"""As cocotb's runner and makefiles have it for Verilator; the others run as with cocotb-test."""


@pytest.mark.parametrize(("top", "module", "count", "least"), MODULES)
def test_a_test_sees_what_it_sees_with_cocotbext_axi(top, module, count, least, tmp_path):
    more, agents = INERTIAL.get(module, {}), AGENTS.get(module, {})
    stock, said = seen(tmp_path, top, module, native=False, **more)
    native, told = seen(tmp_path, top, module, native=True, **more)
    assert re.search(rf"TESTS={count} PASS={count} FAIL=0", said), said[-4000:]
    assert re.search(rf"TESTS={count} PASS={count} FAIL=0", told), told[-4000:]
    if top == "bench":
        assert stock.count("SEEN AxiStreamSource") == native.count("SEEN NativeSource") == count
    assert said.count("AGENTS 0\n") >= sum(agents.values())
    assert {n: told.count(f"AGENTS {n}\n") for n in agents} == agents
    assert told.count("PAGES _Pages") == (16 if module == "inside_accesses" else 0)
    assert len(stock) > least
    assert [line for line in stock if "Source" not in line] == [line for line in native if "Source" not in line]


def test_a_hang_ends_and_says_who_waits_for_what(tmp_path):
    _, told = seen(tmp_path, "buses", "inside_hangs", native=True, GOLDBEAT_TIMEOUT_CYCLES="1000")
    assert "TESTS=4 PASS=1 FAIL=3" in told, told[-4000:]
    assert told.count("nothing but clocks has moved for 1000 cycles of buses.clk, up to") == 3
    assert (
        "cocotb.buses.apb (ApbMaster): access (4, b'abcd', <AxiProt.NONSECURE: 2>) and 1 behind it"
        " (psel is 1, penable is 1, pready is 0)" in told
    )
    assert "cocotb.buses.axil (AxiLiteAWSource): 2 item(s) in its queue (awvalid is 1, awready is 0)" in told
    assert "cocotb.buses.axil (AxiLiteMasterWrite): 1 access(es), the first at 0x0" in told
    assert "coro=it_polls() trigger=RisingEdge(LogicObject(buses.clk))" in told
    assert re.search(r"it_takes_its_time +PASS", told)


@pytest.mark.parametrize(("top", "least"), [("bench", 400), ("buses", 1900)])
def test_all_that_a_test_sees_has_the_types_of_stock(top, least, tmp_path):
    """Values, and the types of all that can be reached from transactions, frames, responses, queues and handles."""
    stock, said = seen(tmp_path, top, "inside_types", native=False)
    native, told = seen(tmp_path, top, "inside_types", native=True)
    assert "TESTS=1 PASS=1 FAIL=0" in said, said[-4000:]
    assert "TESTS=1 PASS=1 FAIL=0" in told, told[-4000:]
    assert len(stock) > least
    assert native == stock


def test_a_force_that_the_simulator_ignores_fails_the_test(tmp_path):
    stock, said = seen(tmp_path, "forces", "inside_forces", native=False)
    native, told = seen(tmp_path, "forces", "inside_forces", native=True)
    for text in (said, told):
        assert "TESTS=4 PASS=2 FAIL=2" in text, text[-4000:]
        assert "UsageError: Force of forces.plain: Verilator ignores a force of this signal. Declare it as" in text
        assert "UsageError: Freeze of forces.plain[0]: Verilator ignores a force of this signal" in text
    assert len(stock) == 9
    assert "SEEN forced 50 5 00110010" in native
    assert native == stock
    _, told = seen(tmp_path, "forces", "inside_forces", native=True, GOLDBEAT_FORCE="ignore")
    assert "TESTS=4 PASS=4 FAIL=0" in told, told[-4000:]
    assert told.count("Force of forces.plain: Verilator ignores") == 1


@pytest.mark.slow
def test_ten_million_beats_take_no_more_memory(tmp_path):
    lines, told = seen(tmp_path, "buses", "inside_soak", native=True)
    assert "TESTS=1 PASS=1 FAIL=0" in told, told[-4000:]
    beats, grown = (int(lines[0].split()[k]) for k in (2, 4))
    assert beats > 10_000_000
    assert grown < 4
