# SPDX-License-Identifier: Apache-2.0
"""Designs called like functions."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import notebook_cells
import numpy as np
import pytest

import goldbeat
from goldbeat.pymodels.errors import InputError, ProtocolError, UsageError, WaitTimeoutError
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.run.beat_strip import BEATS

RTL = Path(__file__).parent / "api_rtl"


@pytest.fixture(scope="module")
def adder():
    with goldbeat.load(RTL / "add_three.toml", quick=True) as dut:
        yield dut


@pytest.mark.sim
def test_arrays_go_in_and_come_out_of_one_process(adder):
    first = adder(np.arange(5, dtype=np.uint32))
    assert (first.tolist(), first.dtype) == ([3, 4, 5, 6, 7], np.uint32)
    process = adder.process_id
    rng = np.random.default_rng(1)
    for size in (1, 7, 1000, 100_000):
        x = rng.integers(0, 1 << 32, size, dtype=np.uint32)
        assert np.array_equal(adder(x), x + np.uint32(3))
    x = np.arange(8, dtype=np.int16)
    words = np.ascontiguousarray(x).view(np.uint32) + np.uint32(3)
    assert np.array_equal(adder(x), words.view(np.int16))
    assert adder.process_id == process
    adder.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert adder(np.arange(2, dtype=np.uint32)).tolist() == [3, 4]
    assert adder.process_id != process


@pytest.mark.sim
def test_traces_gaps_frames_and_back_pressure(adder):
    x = np.arange(64, dtype=np.uint32)
    trace = goldbeat.Trace.from_samples(x, "uint32", 32, clock_ps=4000, frame=8).with_gaps(np.full(64, 2))
    out = adder(trace)
    assert isinstance(out, goldbeat.Trace)
    assert np.array_equal(out.samples("uint32"), x + 3)
    assert np.array_equal(np.flatnonzero(out.last), np.arange(7, 64, 8))
    assert np.diff(out.cycle).min() == 3
    assert np.array_equal(adder(x, frame=16, ready="random:0.5"), x + 3)
    assert np.array_equal(adder(s=x, gaps="bursty:8"), x + 3)


@pytest.mark.sim
def test_other_parameters_are_another_build():
    with goldbeat.load(RTL / "add_three.toml", ADD=40, quick=True) as dut:
        assert dut(np.zeros(2, np.uint32)).tolist() == [40, 40]
        assert "ADD=40" in repr(dut)


@pytest.mark.sim
def test_a_run_has_verdict_traces_and_figures(adder):
    x = np.arange(200, dtype=np.uint32)
    result = adder.run(x, ready="random:0.5")
    assert result
    assert (result.status, result.failures) == ("pass", ())
    assert np.array_equal(result.traces["m"].samples("uint32"), x + 3)
    assert np.array_equal(result.expected["m"].data, result.traces["m"].data)
    assert result.figures["m"].beats == 200
    assert result.latency("s", "m").max_ps >= 4000
    assert result.backlog("s", "m").most == 1
    page = result._repr_html_()
    assert "<svg" in page
    assert "PASS" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    with pytest.raises(UsageError, match="no stream port 'x'; there are: s, m"):
        result.latency("x", "m")
    assert adder.run().passed


@pytest.mark.sim
def test_what_is_wrong_is_said(tmp_path):
    shutil.copy(RTL / "model.py", tmp_path)
    text = (RTL / "add_three.toml").read_text()
    (tmp_path / "add_three.toml").write_text(text.replace("../../../support/rtl/", ""))
    source = tmp_path / "add_three.sv"
    source.write_text(
        (REPOSITORY / "tests" / "support" / "rtl" / source.name)
        .read_text()
        .replace("s_tdata + ADD", "s_tdata + ADD + (s_tdata == 7)")
    )
    with goldbeat.load(tmp_path / "add_three.toml", quick=True) as dut:
        result = dut.run(np.arange(20, dtype=np.uint32))
        assert (bool(result), result.status) == (False, "fail")
        assert "port m, beat 7: data differs" in result.failures[0]
        page = result._repr_html_()
        assert "port m, beat 7" in page
        assert "first difference: m, beat 7: data" in page
        # The model predicts no cycles, so only the RTL has a lane; of its beats, one is red.
        strip = page[page.index("<title>first difference") :].partition("</svg>")[0]
        assert strip.count('stroke="#b2182b"') == 1
        assert "port m, beat 7" in repr(result)
    broken = source.read_text().replace("if (rst)", "if (rst || (m_tvalid && !m_tready))")
    source.write_text(broken)
    with goldbeat.load(tmp_path / "add_three.toml", quick=True) as dut:
        with pytest.raises(ProtocolError, match="axis_valid_held: m"):
            dut(np.arange(20, dtype=np.uint32), ready="random:0.5")
        assert not dut.run(np.arange(20, dtype=np.uint32), ready="random:0.5")


@pytest.mark.sim
def test_a_design_that_takes_no_more_is_said(adder):
    said = (
        r"add_three took 1 of 20 beats at s, then nothing moved \(s: tvalid without tready since cycle 2, 1 beats transferred, "
        r"the last ones 0x00000000 in cycle 1; m: tvalid without tready since cycle 2, 0 beats transferred\)"
    )
    with pytest.raises(WaitTimeoutError, match=said):
        adder(np.arange(20, dtype=np.uint32), ready="array:0", quiet=100)
    assert adder(np.arange(2, dtype=np.uint32)).tolist() == [3, 4]


@pytest.mark.sim
def test_arrays_of_the_caller_are_not_shared(adder):
    x = np.arange(100_000, dtype=np.uint32)
    first, second = adder(x), adder(x + 1)
    result = adder.run(x)
    x[:] = 0
    assert np.array_equal(first, np.arange(3, 100_003))
    assert np.array_equal(second, np.arange(4, 100_004))
    assert np.array_equal(result.expected["m"].samples("uint32"), np.arange(3, 100_003))
    assert first.flags.writeable


@pytest.mark.sim
def test_bytes_that_fill_no_beat_go_with_tkeep():
    with goldbeat.load("axis_skid", quick=True) as dut:
        x = np.arange(5, dtype=np.uint8)
        assert dut(x).tolist() == [0, 1, 2, 3, 4]
        assert dut(np.arange(10, dtype=np.uint8), frame=5).tolist() == list(range(10))
        x = np.arange(100_001, dtype=np.uint8)
        assert np.array_equal(dut(x), x)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda dut: dut(), "nothing to drive: give samples for s"),
        (lambda dut: dut([1.5, 2.5], dtype="uint32"), "expected"),
        (lambda dut: dut(np.zeros(4)), "give the type of the samples"),
        (
            lambda dut: dut(np.zeros(4, np.uint8), t=[1]),
            "has no input port and its case random no option 't'; ports: s",
        ),
        (lambda dut: dut(np.zeros(3, np.uint8)), "has no TKEEP"),
        (lambda dut: dut(goldbeat.Trace.empty(64, clock_ps=4000)), "port s is 32 bit wide"),
    ],
)
def test_what_cannot_be_driven_is_refused(adder, call, said):
    with pytest.raises((UsageError, InputError)) as caught:
        call(adder)
    assert said in str(caught.value)


def test_what_cannot_be_loaded_is_refused():
    for name, settings, said in (
        ("nothing_such", {}, "unknown design"),
        ("axis_skid", {"DEEP": 3}, "has no parameter and case random no option 'DEEP'; known: DATA_W"),
        ("axis_skid", {"case": "nothing"}, "has no case 'nothing'"),
        ("axis_skid", {"payload": ["s_axes=hold"]}, "axis_skid has no port s_axes"),
    ):
        with pytest.raises(UsageError, match=said):
            goldbeat.load(name, **settings)


def test_importing_goldbeat_is_cheap():
    code = "import sys, goldbeat; assert not {'numpy', 'pydantic', 'goldbeat.tb'} & set(sys.modules); goldbeat.load"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=REPOSITORY)


@pytest.mark.sim
def test_the_notebook_shows_what_it_shows():
    path = REPOSITORY / "examples" / "notebook" / "fir.ipynb"
    document, found = notebook_cells.run_notebook(path)
    kept = [cell["outputs"] for cell in document["cells"] if cell["cell_type"] == "code"]
    for outputs, was in zip(found, kept, strict=True):
        assert [_plain(one) for one in outputs] == [_plain(one) for one in was]
    assert "equal to numpy: True" in str(found)
    page = next(o["data"]["text/html"] for cell in found for o in cell if "PASS" in str(o))
    strip = page[page.index("<title>first beats of each port") :].partition("</svg>")[0]
    assert all(f">{name}</text>" in strip for name in ("s_axis", "m_axis model", "m_axis RTL"))
    drawn = [int(n) for n in re.findall(r"<title>beat (\d+), cycle", strip)]
    assert (max(drawn) < BEATS, 0 < len(drawn) <= 3 * BEATS) == (True, True)
    # Beats that are drawn, and those that are said to be left out, are all beats of the lane.
    left = [int(n.replace(",", "")) for n in re.findall(r">([\d,]+) more</text>", strip)]
    assert re.findall(r">([\d]+)</td>", page).count("2048") == 2
    assert (len(left), sum(left) + len(drawn)) == (3, 3 * 2048)


def _plain(output):
    return output.get("text") or output["data"]["text/plain"]


@pytest.mark.slow
@pytest.mark.sim
def test_narrow_outputs_beside_data_are_words_of_their_own():
    with goldbeat.load("objfifo", case="forward", objects=3, words=4, quick=True) as dut:
        found = dut(s_axis_0=np.arange(12, dtype=np.int32))
    assert np.array_equal(found["m_axis_0"], np.arange(12, dtype=np.int32))
    assert found["evt_0"].dtype == np.uint16
    assert len(found["evt_0"]) == 3
