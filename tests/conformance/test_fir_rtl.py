# SPDX-License-Identifier: Apache-2.0
"""The FIR in RTL, fed with a real stimulus file, against what the vendor's simulator wrote for the same design."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels import plio_file
from goldbeat.pymodels.measure import measure
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.run.runs import Request, run

DATA = os.environ.get("GOLDBEAT_DATA")
TAPS = (-29, -115, -122, 268, 1379, 3209, 5226, 6566)


@pytest.mark.sim
@pytest.mark.skipif(DATA is None, reason="GOLDBEAT_DATA is not set: no outside reference files")
@pytest.mark.parametrize("width", [32, *(pytest.param(w, marks=pytest.mark.slow) for w in (64, 128))])
def test_rtl_gives_the_simulators_numbers(width, tmp_path):
    folder = Path(DATA) / "data" / "plio"
    # The stimulus file has no TLAST; the reference output has four frames of 256.
    samples = plio_file.read(folder / "xup_fir_lowpass_input.txt", "cint16", 32).trace.samples("cint16")
    stimulus = Trace.from_samples(samples, "cint16", width, clock_ps=4000, frame=256)
    reference = plio_file.read(folder / "xup_fir_lowpass_output_aie.txt", "cint16", 32).trace
    design = find_design("plio_fir")
    options = {"taps": TAPS, "shift": 15, "rounding": "floor"}
    request = Request(design, design.case("filter"), (0,), {"W": width}, options, {"s_axis": stimulus})
    (result,) = run(request, tmp_path)
    assert result.passed, result.failures
    got = result.main_episode.record.outcome.ports["m_axis"]
    assert np.array_equal(got.samples("cint16"), reference.samples("cint16"))
    assert [f.samples("cint16").shape for f in got.frames()] == [(256, 2)] * 4
    # One beat every 4 ns without a gap, as the reference has it on its 32-bit port.
    assert np.array_equal(np.diff(got.time_ps), np.full(len(got) - 1, 4000))
    if width == 32:
        assert np.array_equal(got.last, reference.last)
        assert np.array_equal(np.diff(got.time_ps), np.diff(reference.time_ps))
        assert round(measure(got, "cint16").by_frames.mvalues_per_s, 2) == 500.00
        # Written out, the lines that carry data and TLAST are the simulator's own.
        text = plio_file.format_text(got, "cint16").decode().splitlines()
        real = (folder / "xup_fir_lowpass_output_aie.txt").read_text().splitlines()
        assert [t for t in text if t[0] != "T"] == [t for t in real if t[0] != "T"]
        assert [i for i, t in enumerate(text) if t == "TLAST"] == [i for i, t in enumerate(real) if t == "TLAST"]
