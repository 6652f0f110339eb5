# SPDX-License-Identifier: Apache-2.0
"""An output that follows an input of its own interface within a cycle fails by a rule's name, and breaks nothing else."""

from __future__ import annotations

import pytest
from breaks import broken, changed
from copy_dma import DMA

from goldbeat.pymodels.stimulus import Clock
from goldbeat.tb.designs.plio.bench_fir import DESIGN as FIR
from goldbeat.tb.inside.job import BACKENDS
from goldbeat.tb.inside.transactors.wires import LOOKS, moments
from goldbeat.tb.run.runs import Request, run

SLAVE = {
    "awready": (
        "    awready: awready_q, wready",
        "    awready: awready_q && request.awvalid, wready",
        "awvalid",
    ),
    "arready": (
        "arready: arready_q,",
        "arready: arready_q && request.arvalid,",
        "arvalid",
    ),
}


@pytest.mark.sim
def test_a_ready_of_a_master_that_follows_valid(tmp_path):
    text = (DMA.root / "axi_dma.sv").read_text()
    line = next(one for one in text.splitlines() if "assign m_axi_rready" in one)
    (tmp_path / "axi_dma.sv").write_text(changed(text, line, line.replace(";", " && m_axi_rvalid;")))
    design = DMA.model_copy(update={"root": tmp_path})
    (result,) = run(Request(design, design.case(None)), tmp_path / "sim")
    (failure,) = result.failures
    assert failure.startswith("axi_combinational: m_axi, cycle ")
    assert failure.endswith(": rready follows rvalid within the cycle")


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("transactors", BACKENDS)
@pytest.mark.parametrize("output", SLAVE)
def test_a_ready_of_a_slave_that_follows_valid(tmp_path, output, transactors):
    *edit, valid = SLAVE[output]
    design = broken(FIR, tmp_path, "axil/axil_regs.sv", tuple(edit))
    (result,) = run(Request(design, design.case("random"), transactors=transactors), tmp_path / "sim")
    assert result.failures
    for failure in result.failures:
        assert failure.startswith("axil_combinational: s_axil, cycle "), result.failures
        assert failure.endswith(f": {output} follows {valid} within the cycle")


def test_the_cycles_that_are_looked_at_follow_from_the_length():
    clock = Clock(4000, 3000)
    found = moments(clock, 4_000_000)
    assert found == moments(clock, 4_000_000) != moments(clock, 4_004_000)
    assert 2 <= len(found) <= LOOKS
    assert all((time - clock.offset_ps) % 4000 == 2000 and time < 4_000_000 for time in found)
    assert moments(clock, 1) == [5000]
