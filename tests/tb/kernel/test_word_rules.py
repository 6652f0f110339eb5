# SPDX-License-Identifier: Apache-2.0
"""The rules of buses of single words, each broken alone by a trace."""

from pathlib import Path

import pytest
from insim import run_inside

HERE = Path(__file__).resolve().parent


@pytest.mark.sim
def test_every_rule_is_caught_by_name(tmp_path):
    run_inside("inside_word_rules", "pins", tmp_path, sources=[HERE / "pins.sv"])
