# SPDX-License-Identifier: Apache-2.0
"""Cases by name, and blocks of a design by theirs."""

import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.catalog import find_case


def test_a_case_of_the_design_itself():
    design, case = find_case("zynqnet", "mini")
    assert (design.name, case.name) == ("zynqnet", "mini")
    assert find_case("axis_fifo", None)[1].name == find_case("axis_fifo", None)[0].cases[0].name


@pytest.mark.parametrize("block", ["fp_units", "pe", "icache", "wcache", "ocache", "gpool", "memctl"])
def test_a_block_with_a_bench_of_its_own(block):
    design, case = find_case("zynqnet", block)
    assert design.name == f"zynqnet_{block}"
    assert case is design.cases[0]


def test_what_is_nowhere_is_refused():
    with pytest.raises(UsageError, match=r"zynqnet has no case 'units'; known: mini"):
        find_case("zynqnet", "units")
