# SPDX-License-Identifier: Apache-2.0
"""The window around a first difference: which beats and signals it shows, and that the picture is one."""

import shutil
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from goldbeat.pymodels.compare import compare
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.paths import HDL
from goldbeat.tb.run.first_mismatch import BEFORE, BEHIND, find_first_mismatch
from goldbeat.tb.run.report import write_report
from goldbeat.tb.run.runs import Request, run
from goldbeat.tb.run.timing_diagram import draw_mismatch
from goldbeat.tb.run.waves import waves_readable

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """A skid buffer whose data are wrong where the skid register is used."""
    root = tmp_path_factory.mktemp("rtl") / "hdl"
    shutil.copytree(HDL, root)
    path = root / "axis" / "skid_buffer.sv"
    text = path.read_text()
    old = "main_q <= skid_valid_q ? skid_q : s_data;"
    assert text.count(old) == 1
    path.write_text(text.replace(old, "main_q <= skid_valid_q ? skid_q ^ DATA_W'(1) : s_data;"))
    return find_design("axis_skid").model_copy(update={"root": root})


def failing(design, **more):
    (result,) = run(Request(design, design.case("random"), (1,), options={"ready": "random:0.5"}, **more))
    assert not result.passed
    return result


@pytest.mark.sim
def test_the_window_shows_what_the_comparison_found(broken, tmp_path):
    result = failing(broken)
    found = find_first_mismatch(result)
    episode = result.episodes[found.episode]
    expected, got = episode.expected.ports["m_axis"], episode.record.outcome.ports["m_axis"]
    first = compare(expected, got).first
    assert (found.port, found.beat, found.what) == ("m_axis", first.beat, "data")
    assert found.cycle == first.cycle_got == first.cycle_expected
    assert found.cycles == range(found.cycle - BEFORE, found.cycle + BEHIND + 1)
    pairs = {pair.beat: pair for pair in found.pairs}
    wrong = pairs[found.beat]
    assert wrong.expected.cycle == wrong.got.cycle == found.cycle
    assert (wrong.expected.data, wrong.got.data) == (first.expected, first.got)
    assert pairs[found.beat - 1].expected == pairs[found.beat - 1].got
    for beat in range(len(got)):
        inside = int(got.cycle[beat]) in found.cycles
        assert (beat in pairs) == inside or abs(beat - found.beat) <= 3
    report = write_report([result], tmp_path)
    assert report["difference"]["beat"] == found.beat
    picture = ElementTree.parse(tmp_path / report["diagram"]).getroot()
    titles = [one.text for one in picture.iter(f"{SVG}title")]
    assert f"m_axis, beat {found.beat}: data; seed 1, episode {found.episode}" in titles
    assert sum(title.startswith(f"beat {found.beat}, cycle {found.cycle}: ") for title in titles) == 2
    assert not found.signals


@pytest.mark.sim
def test_a_beat_that_never_came_and_one_in_another_cycle(broken):
    result = failing(broken)
    (episode,) = (e for n, e in enumerate(result.episodes) if n == find_first_mismatch(result).episode)
    sound = episode.expected.ports["m_axis"]

    def seen(got, **kinds):
        outcome = replace(episode.record.outcome, ports={**episode.expected.ports, "m_axis": got})
        verdict = replace(episode.verdict, ports={"m_axis": compare(sound, got, **kinds)})
        changed = replace(episode, record=replace(episode.record, outcome=outcome), verdict=verdict)
        return find_first_mismatch(replace(result, episodes=(changed,)))

    missing = seen(sound[:-1])
    assert missing.what == "missing"
    assert missing.pairs[-1].got is None
    assert missing.cycle == missing.pairs[-1].expected.cycle
    # Without a predicted cycle, it is behind the last beat that came.
    assert seen(sound[:-1], cycles="got").cycle == int(sound.cycle[-2]) + 1
    late = sound.cycle.copy()
    late[5:] += 2
    moved = seen(sound.with_cycles(late))
    assert (moved.what, moved.beat, moved.cycle) == ("time", 5, int(sound.cycle[5]))
    assert ElementTree.fromstring(draw_mismatch(moved)).tag == f"{SVG}svg"
    assert seen(sound) is None


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.skipif(not waves_readable(), reason="pywellen is not installed")
def test_waves_show_the_signals_of_the_port(broken, tmp_path):
    found = find_first_mismatch(failing(broken, waves=True))
    signals = {signal.name: signal.values for signal in found.signals}
    moved = [c for c, v, r in zip(found.cycles, signals["tvalid"], signals["tready"], strict=True) if v and r]
    beats = {pair.got.cycle: pair.got for pair in found.pairs if pair.got is not None}
    assert moved == [cycle for cycle in sorted(beats) if cycle in found.cycles]
    for cycle in moved:
        value = signals["tdata"][cycle - found.first]
        digits = zip(f"{value:0{len(beats[cycle].data)}x}", beats[cycle].data, strict=True)
        assert all(driven == kept or kept == "-" for driven, kept in digits)
    picture = draw_mismatch(found)
    for name in ("tvalid", "tready", "tdata", "tlast"):
        assert f">{name}</text>" in picture
