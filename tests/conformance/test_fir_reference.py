# SPDX-License-Identifier: Apache-2.0
"""The FIR model against a filter that ran in the vendor's AI Engine simulator."""

import os
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.plio import fir
from goldbeat.pymodels.plio_file import read_text
from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.pymodels.trace import Trace

HALF = (-29, -115, -122, 268, 1379, 3209, 5226, 6566)
SHIFT = 15
FRAME = 256


def test_lowpass():
    if not os.environ.get("GOLDBEAT_DATA"):
        pytest.skip("GOLDBEAT_DATA does not name the directory of reference data")
    folder = Path(os.environ["GOLDBEAT_DATA"]) / "data" / "plio"
    given = read_text(folder / "xup_fir_lowpass_input.txt", dtype="cint16", width=32).trace.samples("cint16")
    expected = read_text(folder / "xup_fir_lowpass_output_aie.txt", dtype="cint16", width=32).trace
    program = [Access("write", 0x40 + 4 * k, h & 0xFFFFFFFF) for k, h in enumerate(HALF)]
    program += [Access("write", 0x0C, SHIFT), Access("write", 0x10, 0)]
    source = Trace.from_samples(given, "cint16", 32, clock_ps=4000, frame=FRAME)
    case = Stimulus({"s_axis": source}, {}, {"aclk": Clock(4000, 4000)}, {"s_axil": tuple(program)})
    out = fir.predict({"W": 32, "NTAPS": 16}, case).ports["m_axis"]
    assert expected.samples("cint16").size == 2048
    assert (out.samples("cint16") == expected.samples("cint16")).all()
    assert out.last.tolist() == expected.last.tolist()
    # One sample in each cycle, as there.
    assert np.diff(out.time_ps).tolist() == np.diff(expected.time_ps).tolist()
