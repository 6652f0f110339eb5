# SPDX-License-Identifier: Apache-2.0
"""The kernel's event loop and transactors, tested by cocotb tests inside simulators of small designs."""

from pathlib import Path

import pytest
from insim import run_inside

HERE = Path(__file__).resolve().parent

pytestmark = pytest.mark.sim


def test_clocks_stretches_and_triggers(tmp_path):
    run_inside("inside_timing", "timing", tmp_path, sources=[HERE / "timing.sv"])


@pytest.mark.parametrize("width", [24, *(pytest.param(width, marks=pytest.mark.slow) for width in (8, 1024))])
def test_streams(width, tmp_path):
    run_inside(
        "inside_through",
        "through",
        tmp_path,
        sources=[HERE / "through.sv"],
        flags=[f"-GW={width}"],
        environment={"THROUGH_WIDTH": str(width)},
    )


@pytest.mark.parametrize("inertial", ["0", "1"])
def test_clocks_that_something_else_drives(inertial, tmp_path):
    run_inside(
        "inside_foreign",
        "slice",
        tmp_path,
        sources=[HERE / "slice.sv"],
        flags=["-GW=32"],
        environment={"SLICE_WIDTH": "32", "COCOTB_TRUST_INERTIAL_WRITES": inertial},
    )


def test_register_programs(tmp_path):
    run_inside("inside_lite", "lite", tmp_path, sources=[HERE / "lite.sv"])


@pytest.mark.parametrize("cycles", [None, "2000"])
def test_what_waits_has_a_limit(cycles, tmp_path):
    run_inside(
        "inside_patience",
        "through",
        tmp_path,
        sources=[HERE / "through.sv"],
        flags=["-GW=32"],
        environment={} if cycles is None else {"GOLDBEAT_TIMEOUT_CYCLES": cycles},
    )


@pytest.mark.slow
def test_a_design_with_delays(tmp_path):
    run_inside("inside_delays", "delays", tmp_path, sources=[HERE / "delays.sv"], flags=["--timing"])
