# SPDX-License-Identifier: Apache-2.0
"""The page of a run: whole, small, honest, and what a browser makes of it."""

import hashlib
import json
from dataclasses import asdict

import numpy as np
import pytest
from kept_runs import BROWSER, NO_BROWSER, beats, browse, check_links, keep_run, on_paper, on_phone, transactions

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.page import run_page
from goldbeat.tb.page.run_page import MB, MOST_BYTES, TEMPLATES, script_json, write_page
from goldbeat.tb.run.first_mismatch import BeatPair, FirstMismatch, ShownBeat

KNOWN = {
    "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
    "uplot-licence.txt": "3421f0033bae76860e165efab33d4bbbcc2d8fc1a4a708ef4f6742eef434ab47",
}
EVIL = '</script><script>alert("x")</script>'


def failed(folder, **said):
    """A run that failed in beat 20 of its output."""
    source = beats(100)
    expected = source.with_cycles(source.cycle + 4)
    data = expected.data.copy()
    data[20:23] ^= 1
    got = Trace.from_bytes(data, last=expected.last, cycle=expected.cycle, clock_ps=4000, offset_ps=4000)
    pair = BeatPair(20, ShownBeat(24, "00112233", False), ShownBeat(24, "00112232", True))
    first = FirstMismatch(0, 0, "m", "data", 20, 24, "clk", 18, True, (pair,))
    text = "port m, beat 20: data differs"
    ports = {"s": ("in", source, source), "m": ("out", got, expected)}
    whole = {"status": "fail", "failures": [text, f"more {EVIL}"], "difference": asdict(first), **said}
    return keep_run(folder, ports, buses={"mem": transactions(30)}, **whole)


@pytest.fixture
def page(tmp_path):
    return write_page(failed(tmp_path / "run")).path


def test_the_verdict_comes_first_and_everything_is_there(page):
    text = page.read_text()
    found = check_links(page)
    assert text.index("FAIL</span> mover random") < text.index("port m, beat 20") < text.index('id="timeline"')
    assert {"failures", "difference", "timeline", "throughput", "latency", "memory", "setup", "files"} <= found.ids
    for said in (
        "goldbeat run mover.toml --case random --seed 0",
        "DEPTH",
        "By beat: latency 16.0 to 16.0 ns",
        "00112232 last",
    ):
        assert said in text
    assert "Thinned" not in text
    assert {"traces/m.trace", "expected/m.trace", "report.json"} <= set(found.links)


def test_nothing_from_outside_gets_into_the_markup(tmp_path):
    folder = failed(
        tmp_path / "run",
        params={EVIL: EVIL},
        subject=EVIL,
        warnings=[EVIL],
        tables=[{"title": EVIL, "columns": [EVIL], "rows": [[EVIL]]}],
    )
    write_page(folder)
    text = (folder / "report.html").read_text()
    assert "alert(" in text
    assert "<script>alert" not in text
    assert json.loads(script_json({"a": EVIL})) == {"a": EVIL}
    assert "<" not in script_json({"a": EVIL})


def test_no_page_is_larger_than_it_may_be(tmp_path):
    rng = np.random.default_rng(3)
    for count, limit in ((2_500, MB), (200_000, MOST_BYTES)):
        source = beats(count, gaps=rng.integers(0, 9, count), width=512)
        sink = source.with_cycles(source.cycle + np.sort(rng.integers(1, 40, count)))
        ports = {"s": ("in", source, None), "m": ("out", sink, None)}
        folder = keep_run(tmp_path / str(count), ports, buses={"mem": transactions(2 * count)})
        made = write_page(folder)
        text = made.path.read_text()
        assert made.beats == 4 * count
        assert made.size == len(text.encode()) <= limit
        assert (made.shown < made.beats) == ("Thinned" in text) == (count == 200_000)


def test_a_page_that_would_be_too_large_has_fewer_beats(tmp_path, monkeypatch):
    source = beats(4000, width=128)
    folder = keep_run(tmp_path / "run", {"s": ("in", source, None)})
    whole = write_page(folder)
    assert whole.shown == whole.beats == 4000
    monkeypatch.setattr(run_page, "MB", whole.size - 1)
    small = write_page(folder)
    assert small.size < whole.size
    assert 0 < small.shown <= 3000
    assert "Thinned: 2" in small.path.read_text() or "Thinned: 1" in small.path.read_text()


def test_uplot_is_its_authors_release_and_its_licence_is_in_the_page(tmp_path):
    """Of the files in uplot 1.6.32 on npm."""
    parts = {name: (TEMPLATES / name).read_bytes() for name in KNOWN}
    assert {name: hashlib.sha256(content).hexdigest() for name, content in parts.items()} == KNOWN
    text = write_page(failed(tmp_path / "run")).path.read_text()
    assert f"v{run_page.UPLOT.split()[1]}" in parts["uPlot.iife.min.js"].decode()
    for content in parts.values():
        assert content.decode().strip() in text


def test_of_several_seeds_the_first_that_failed_is_shown(tmp_path):
    seeds = [
        {"seed": 0, "status": "pass", "compared": 7, "episodes": 1},
        {"seed": 1, "status": "fail", "compared": 7, "episodes": 1, "repeat": "goldbeat run once more"},
    ]
    source = beats(10)
    folder = keep_run(tmp_path / "run", {"s": ("in", source, None)}, status="fail", seeds=seeds, failures=["seed 1: x"])
    failed(folder / "seeds" / "1", seed=1)
    made = write_page(folder)
    text = made.path.read_text()
    found = check_links(made.path)
    assert "1 of 2 seeds pass" in text
    assert "seed 1</b>" in text
    assert "goldbeat run once more" in text
    assert "seeds/1/traces/m.trace" in found.links


def test_a_run_of_nothing_has_a_page_too(tmp_path):
    made = write_page(
        keep_run(tmp_path / "run", {}, status="fail", main_episode=None, measured=None, failures=["hang"])
    )
    assert "hang" in made.path.read_text()
    check_links(made.path)
    none = beats(0)
    made = write_page(keep_run(tmp_path / "silent", {"s": ("in", none, none)}))
    assert "No beats: s" in made.path.read_text()


def test_a_recording_is_no_equality_with_a_model(tmp_path):
    meaning = "same as recorded; not checked by a golden model"
    recording = {"file": "a", "state": "same", "meaning": meaning, "values": 3, "changes": []}
    folder = keep_run(tmp_path / "run", {"s": ("in", beats(9), None)}, status="recorded", recording=recording)
    text = write_page(folder).path.read_text()
    assert "RECORDED</span>" in text
    assert f"no golden model: {meaning}" in text
    assert ">equal<" not in text


def test_a_page_is_made_again_and_no_other_file_is_touched(tmp_path):
    folder = failed(tmp_path / "run")
    first = write_page(folder).path.read_text()
    assert write_page(folder).path.read_text() == first
    (folder / "report.html").write_text("mine")
    with pytest.raises(UsageError, match="was not made by Goldbeat"):
        write_page(folder)
    assert (folder / "report.html").read_text() == "mine"
    write_page(folder, force=True)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"design": 3}', '{"design": "a", "case": "b", "seed": 0, "status": "x"}']
)
def test_a_damaged_report_is_refused_with_its_file(tmp_path, text):
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(InputError) as caught:
        write_page(tmp_path)
    assert "report.json" in str(caught.value)
    assert not (tmp_path / "report.html").exists()
    with pytest.raises(InputError, match=r"missing report\.json"):
        write_page(tmp_path / "nowhere")


def test_files_elsewhere_are_not_linked(tmp_path):
    folder = failed(tmp_path / "run", memory_plots={"mem": "../../secret.png"}, log="/etc/passwd", waves="../x")
    (tmp_path / "secret.png").write_bytes(b"\x89PNG\r\n")
    found = check_links(write_page(folder).path)
    assert not [link for link in found.links if ".." in link or "passwd" in link]


# What keys and buttons do is seen on the canvas alone: a timeline that has been zoomed looks different.
KEYS = """
const lanes = document.querySelector("figure.lanes"), shot = () => lanes.querySelector("canvas").toDataURL();
const press = (key) => lanes.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const steps = [() => document.querySelector("[data-do=difference]").click(), () => press("+"), () => press("ArrowRight"),
  () => press("Home"), () => { press("ArrowDown"); press("n"); }];
const shots = [shot()];
lanes.focus();
const frame = document.querySelector(".diagram"), mark = frame.querySelector("rect[opacity]").getBoundingClientRect();
const inside = frame.getBoundingClientRect().left <= mark.left && mark.right <= frame.getBoundingClientRect().right;
globalThis.said = `seen=${inside};plots=${document.querySelectorAll(".uplot").length};focused=${document.activeElement === lanes};`;
// uPlot draws in a microtask.
const go = async () => {
  for (const step of steps) { step(); await 0; await 0; await 0; shots.push(shot()); }
  const read = document.getElementById("read").textContent;
  document.title += `looks=${new Set(shots).size};home=${shots[4] === shots[0]};read=${read};`;
};
setTimeout(go, 0);
"""


@pytest.mark.skipif(BROWSER is None, reason=NO_BROWSER)
def test_a_phone_shows_it_and_keys_zoom(page, tmp_path):
    said = on_phone(page, tmp_path, KEYS)
    assert said["console"] == ""
    assert int(said["width"]) == 390
    assert (said["focused"], said["seen"]) == ("true", "true")
    assert int(said["plots"]) == 8
    # As it was, at the difference, nearer, further, all again, with a beat chosen.
    assert int(said["looks"]) == 5
    assert said["home"] == "true"
    assert said["read"].startswith("m expected beat ")


@pytest.mark.skipif(BROWSER is None, reason=NO_BROWSER)
def test_nothing_is_cut_on_paper(page, tmp_path):
    said = on_paper(page, tmp_path)
    assert (said["cut"], said["tools"], said["open"], said["paper"]) == ("0", "0", "1", "rgb(255, 255, 255)")


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason=NO_BROWSER)
@pytest.mark.parametrize("width", [1440, 500])
def test_a_browser_shows_it_without_complaints(page, tmp_path, width):
    shot = tmp_path / "page.png"
    done = browse(page, tmp_path, f"--screenshot={shot}", f"--window-size={width},2400", "--virtual-time-budget=3000")
    assert shot.is_file(), done.stderr[-2000:]
    assert "CONSOLE" not in done.stderr
    assert shot.stat().st_size > 60_000
