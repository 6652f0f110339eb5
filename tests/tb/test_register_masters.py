# SPDX-License-Identifier: Apache-2.0
"""Register programs over APB and NVDLA's configuration bus, on slaves that wait, fail, and never answer."""

import importlib.util
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
HERE = TESTS / "kernel"
_spec = importlib.util.spec_from_file_location("insim", TESTS / "insim.py")
_insim = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_insim)

pytestmark = pytest.mark.sim


def test_traffic_on_slaves_that_are_right_and_wrong(tmp_path):
    source = TESTS / "registers_rtl" / "slaves.sv"
    _insim.run_inside("inside_traffic", "slaves", tmp_path, sources=[source], paths=[HERE])


def test_rough_bursts_on_axi4_slaves_that_are_right_and_wrong(tmp_path):
    sources = [TESTS / "registers_rtl" / name for name in ("lite_modes.sv", "axi_slave.sv")]
    _insim.run_inside("inside_axi_slave", "axi_slave", tmp_path, sources=sources, paths=[HERE])


@pytest.mark.parametrize("bus", ["apb", "csb"])
def test_register_programs(bus, tmp_path):
    _insim.run_inside(f"inside_{bus}", bus, tmp_path, sources=[HERE / f"{bus}.sv"], paths=[HERE])
