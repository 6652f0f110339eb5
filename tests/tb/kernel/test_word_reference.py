# SPDX-License-Identifier: Apache-2.0
"""The native masters of Wishbone and Avalon-MM, and streams of Avalon-ST, against public transactors for cocotb."""

from __future__ import annotations

from pathlib import Path

import pytest
from insim import run_inside

HERE = Path(__file__).resolve().parent
FIFO = HERE.parent / "design" / "avalon_stream_rtl" / "st_fifo.sv"


@pytest.mark.sim
def test_public_transactors_see_and_do_the_same(tmp_path):
    pytest.importorskip("cocotbext.wishbone")
    pytest.importorskip("cocotbext.avalon")
    run_inside("inside_word_reference", "word_reference", tmp_path, sources=[FIFO, HERE / "word_reference.sv"])
