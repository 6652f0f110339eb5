# SPDX-License-Identifier: Apache-2.0
"""The register table of our NVDLA hardware against the published map of nv_small."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from goldbeat.tb.paths import HDL

ROW = re.compile(r"16'h(\w{4}): return 96'h(\w{8})_(\w{8})_(\w{8}); // (\w+)\.(\w+)")
# Blocks that nv_small does not have, or that ours does not.
ABSENT = {"NVDLA_GEC", "NVDLA_CVIF", "NVDLA_BDMA", "NVDLA_RBK"}


def test_the_table_is_the_map():
    data = os.environ.get("GOLDBEAT_DATA")
    if not data:
        pytest.skip("GOLDBEAT_DATA is not set")
    blocks = json.loads(Path(data, "ref", "nvdla_small_regs.json").read_text())
    wanted = {
        (block.removeprefix("NVDLA_"), name.removesuffix("_0")): tuple(
            one[key] for key in ("addr", "reset", "read_mask", "write_mask")
        )
        for block, registers in blocks.items()
        if block not in ABSENT
        for name, one in registers.items()
    }
    text = (HDL / "nvdla" / "nvdla_regs_pkg.sv").read_text()
    found = {(block, name): tuple(int(n, 16) for n in numbers) for *numbers, block, name in ROW.findall(text)}
    assert len(found) > 400
    assert found == wanted
