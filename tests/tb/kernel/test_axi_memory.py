# SPDX-License-Identifier: Apache-2.0
"""The AXI4 memory and the AXI4 master in C++ against the golden model: every cycle, every byte, every row of the log."""

from __future__ import annotations

import axi_wires
import pytest
from insim import run_inside

WIDTHS = (32, 64, 128, 256, 512, 1024)


def _rounds(folder, rounds, seed):
    run_inside(
        "inside_axi_memory",
        axi_wires.TOP,
        folder,
        texts={f"{axi_wires.TOP}.sv": axi_wires.wires(WIDTHS)},
        environment={"WIDTHS": ",".join(map(str, WIDTHS)), "ROUNDS": str(rounds), "ROUNDS_SEED": str(seed)},
    )


@pytest.mark.sim
def test_memory_and_master_keep_to_the_contract(tmp_path):
    _rounds(tmp_path, 12, 1)


@pytest.mark.sim
@pytest.mark.slow
def test_many_rounds(tmp_path):
    _rounds(tmp_path, 100, 2)
