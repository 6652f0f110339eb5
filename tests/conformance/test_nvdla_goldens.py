# SPDX-License-Identifier: Apache-2.0
"""The software repository's regression: what its loadables leave, of every configuration, equal to the published outputs.

``GOLDBEAT_NVDLA_REGRESSION`` names the folder ``regression`` of nvdla/sw.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.target import configuration_of
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.loadable import read_loadable
from goldbeat.pymodels.nvdla.loadable.placement import place_memories

ROOT = os.environ.get("GOLDBEAT_NVDLA_REGRESSION")
pytestmark = pytest.mark.skipif(not ROOT, reason="GOLDBEAT_NVDLA_REGRESSION does not name nvdla/sw's regression")
FILES = Path(ROOT or ".")
CASES = {
    "BDMA/BDMA_L0_0": "nv_full",
    "CDP/CDP_L0_0": "nv_full",
    "CDP/CDP_L0_0_large": "nv_full",
    "CDP/CDP_L0_0_small": "nv_small",
    "CONV/CONV_D_L0_0": "nv_full",
    "CONV/CONV_D_L0_0_large": "nv_full",
    "CONV/CONV_D_L0_0_small": "nv_small",
    "PDP/PDP_L0_0": "nv_full",
    "PDP/PDP_L0_0_large": "nv_full",
    "PDP/PDP_L0_0_small": "nv_small",
    "RBK/RBK_L0_0": "nv_full",
    "SDP/SDP_X1_L0_0": "nv_full",
    "SDP/SDP_X1_L0_0_large": "nv_full",
    "SDP/SDP_X1_L0_0_small": "nv_small",
}
BYTES = {0x28: 1, 0x29: 2}
"""Of an element, by the code in an output's header."""
ATOM = 32
"""Outputs were read out in atoms of this size, those of nv_small too."""


def published(name):
    """The bytes of an output, and where each of them lies in memory."""
    (folder,) = (one for one in (FILES / "golden").iterdir() if one.name.rsplit("_", 1)[0] == name)
    raw = np.fromfile(folder / "dla" / "o_000000.dimg", np.uint8)
    kind, width, height, channels, line, surface, _ = raw[8:36].view("<u4").tolist()
    size = BYTES[kind]
    c, h, w, byte = np.ogrid[:channels, :height, :width, :size]
    lanes = ATOM // size
    return raw[36:], (c // lanes * surface + h * line + w * ATOM + c % lanes * size + byte).reshape(-1)


CHOSEN = [(name, None) for name in CASES] + [(name, "nv_large") for name in CASES if name.endswith("_large")]


@pytest.mark.parametrize(("name", "chosen"), CHOSEN)
def test_a_loadable_leaves_what_is_published(name, chosen):
    loadable = read_loadable(FILES / "flatbufs" / "kmd" / f"{name}_fbuf")
    configuration = configuration_of(loadable, chosen)
    assert configuration.name == (chosen or CASES[name])
    (output,) = (m.id for m in loadable.memories if "output" in m.flag_names)
    left = execute(place_memories(loadable), configuration=configuration)[output]
    wanted, places = published(name.rpartition("/")[2])
    assert len(wanted) == len(places)
    assert wanted.any()
    assert np.array_equal(left[places], wanted)


def test_half_precision_is_refused_by_name():
    loadable = read_loadable(FILES / "flatbufs" / "kmd" / "NN" / "NN_L0_0_fbuf")
    with pytest.raises(
        UsageError, match="PROC_PRECISION is 2: the model of nv_full works with integers only, not with fp16"
    ):
        execute(place_memories(loadable), configuration=configuration_of(loadable))
