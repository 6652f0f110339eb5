# SPDX-License-Identifier: Apache-2.0
"""Register programs over APB and NVDLA's configuration bus, on slaves that wait, fail, and never answer."""

from pathlib import Path

import pytest
from insim import run_inside

HERE = Path(__file__).resolve().parent

pytestmark = pytest.mark.sim


def test_traffic_on_slaves_that_are_right_and_wrong(tmp_path):
    source = HERE / "registers_rtl" / "slaves.sv"
    run_inside("inside_traffic", "slaves", tmp_path, sources=[source])


@pytest.mark.slow
def test_rough_bursts_on_axi4_slaves_that_are_right_and_wrong(tmp_path):
    sources = [HERE / "registers_rtl" / name for name in ("lite_modes.sv", "axi_slave.sv")]
    run_inside("inside_axi_slave", "axi_slave", tmp_path, sources=sources)


@pytest.mark.parametrize("bus", ["apb", "csb"])
def test_register_programs(bus, tmp_path):
    run_inside(f"inside_{bus}", bus, tmp_path, sources=[HERE / f"{bus}.sv"])
