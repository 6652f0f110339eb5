# SPDX-License-Identifier: Apache-2.0
"""What a run says when its golden model is broken, knows no cycles, or when nothing moved."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import invoke
from typer.testing import Result

from goldbeat.pymodels.measure import latency
from goldbeat.pymodels.stimulus import Outcome
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli.options import as_pairs, split_sets
from goldbeat.tb.design.catalog import find_case, find_design
from goldbeat.tb.design.description import load_description
from goldbeat.tb.inside.job import Record
from goldbeat.tb.paths import HDL, build_root
from goldbeat.tb.run.runs import Request, run, share_columns

pytestmark = pytest.mark.sim


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Runs go to a folder of the test's own; simulators stay in the common cache."""
    common = build_root()
    own = tmp_path / "build"
    own.mkdir()
    for shared in ("sim", "runtime"):
        (common / shared).mkdir(parents=True, exist_ok=True)
        (own / shared).symlink_to((common / shared).resolve())
    monkeypatch.setenv("GOLDBEAT_BUILD", str(own))
    return own


UNUSED = "unchecked = {{ {} }}".format(
    ", ".join(f'{port}_{side} = "not used"' for port in ("s_axis", "m_axis") for side in ("tid", "tdest", "tuser"))
)
SLICE = f"""
name = "slice"
top = "axis_skid"
files = ["{HDL}/axis/axis_skid.f"]
model = "model.py:predict"
cycles_per_beat = 4
ignored = ["m_axis_tid", "m_axis_tdest", "m_axis_tuser"]
ties = {{ s_axis_tid = 0, s_axis_tdest = 0, s_axis_tuser = 0 }}
{UNUSED}
{{more}}
[[clocks]]
name = "aclk"
reset = "aresetn"

[[streams]]
name = "s_axis"
direction = "in"

[[streams]]
name = "m_axis"
direction = "out"

[traffic]

[[cases]]
name = "nothing"
make = "model.py:nothing"

[[cases]]
name = "rest"
make = "model.py:nothing"
registers = true
"""
MODEL = """
from dataclasses import replace

from goldbeat.pymodels.axis.skid import predict as right
from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
import numpy as np


def nothing(setting):
    return [Stimulus({"s_axis": Trace.empty(32, clock_ps=setting.clocks["aclk"].period_ps)}, clocks=setting.clocks)]


def predict(params, stimulus):
    good = right({**params, "DATA_W": 32}, stimulus)
    ports = dict(good.ports)
"""


def described(folder: Path, body: str, more: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "model.py").write_text(MODEL + "".join(f"    {line}\n" for line in body.splitlines()))
    path = folder / "slice.toml"
    path.write_text(SLICE.replace("{more}", more))
    return path


def report_of(build: Path, name: str = "a") -> dict[str, Any]:
    report: dict[str, Any] = json.loads((build / "runs" / name / "report.json").read_text())
    return report


# -- models that are wrong ----------------------------------------------------------------------------------------------

WIDE = "ports['m_axis'] = Trace.from_bytes(np.zeros((4, 8), np.uint8), clock_ps=4000)\nreturn Outcome(ports)"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "del ports['m_axis']\nreturn Outcome(ports)",
            "port m_axis: the golden model model.py:predict does not predict it",
        ),
        (
            "ports['m_axi'] = ports.pop('m_axis')\nreturn Outcome(ports)",
            "port m_axi: the golden model model.py:predict predicts it, but the design does not have it; "
            "known: s_axis, m_axis",
        ),
        (
            "return replace(good, status={'level': 3})",
            "status level: the golden model model.py:predict predicts it, but the design does not have it; known: none",
        ),
        (WIDE, "port m_axis: the golden model model.py:predict predicts 64 bit, the port is 32 bit wide"),
    ],
)
def test_a_prediction_that_does_not_fit_fails_and_keeps_the_traces(
    build: Path, tmp_path: Path, body: str, said: str
) -> None:
    ran = invoke("run", described(tmp_path / "own", body), "--case", "sizes", "--name", "a")
    assert ran.exit_code == 1, ran.output
    assert said in ran.stdout
    report = report_of(build)
    assert report["status"] == "fail"
    assert any(said in text for text in report["failures"])
    # Every episode fails; the first has one beat.
    assert report["main_episode"] == 0
    assert len(Trace.load(build / "runs" / "a" / report["ports"]["m_axis"]["trace"])) == 1
    assert len(Trace.load(build / "runs" / "a" / report["ports"]["s_axis"]["expected"])) == 1
    limits = tmp_path / "limits.toml"
    limits.write_text('[latency."s_axis->m_axis"]\nmax_ns = 1000\n')
    signed = invoke("signoff", build / "runs" / "a", "--limits", limits)
    assert signed.exit_code == 1
    assert "FAIL run status: the run itself did not pass" in signed.stdout


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return None", "the golden model model.py:predict returned None, expected Outcome"),
        ("return ports", "the golden model model.py:predict returned a value of type dict, expected Outcome"),
        (
            "return Outcome({'m_axis': np.zeros(3)})",
            "the golden model model.py:predict returned for 'm_axis' a value of type ndarray, expected Trace",
        ),
        ("return Outcome(None)", "the golden model model.py:predict returned ports = None, expected Mapping"),
        (
            "return ports['m_axes']",
            "the golden model model.py:predict raised KeyError: 'm_axes' (model.py:17)",
        ),
    ],
)
def test_a_model_that_falls_over_fails_and_leaves_a_report(build: Path, tmp_path: Path, body: str, said: str) -> None:
    ran = invoke("run", described(tmp_path / "own", body), "--name", "a")
    assert ran.exit_code == 1, ran.output
    assert said in ran.stdout
    report = report_of(build)
    assert (report["status"], report["compared"]) == ("fail", 0)
    assert report["failures"][0].splitlines()[0] == said
    if "raised" in said:
        # The traceback begins in the user's file.
        lines = report["failures"][0].splitlines()
        assert lines[1].startswith("Traceback")
        assert 'model.py", line 17, in predict' in lines[2]


def test_a_seed_on_which_the_model_falls_over_fails_alone(build: Path, tmp_path: Path) -> None:
    body = "assert len(ports['s_axis']) < 80, 'too long for me'\nreturn good"
    ran = invoke("run", described(tmp_path / "own", body), "--case", "random", "--seeds", "12", "--name", "a")
    assert ran.exit_code == 1
    seeds = report_of(build)["seeds"]
    statuses = {s["status"] for s in seeds}
    assert statuses == {"pass", "fail"}
    assert all((s["compared"] > 0) == (s["status"] == "pass") for s in seeds)
    assert "raised AssertionError: too long for me" in ran.stdout


def test_a_stimulus_maker_that_falls_over_fails(build: Path, tmp_path: Path) -> None:
    path = described(tmp_path / "own", "return good")
    for body, said in (("1 / 0", "raised ZeroDivisionError"), ("pass", "returned None, expected Sequence")):
        (tmp_path / "own" / "model.py").write_text(f"{MODEL}    return good\n\n\ndef nothing(setting):\n    {body}\n")
        ran = invoke("run", path, "--case", "nothing", "--name", "a")
        assert ran.exit_code == 1, ran.output
        assert f"slice: the stimulus maker model.py:nothing of case nothing {said}" in ran.stdout


# -- no cycles ----------------------------------------------------------------------------------------------------------

SPOILED = """m = ports['m_axis']
ports['m_axis'] = replace(m, data=m.data ^ (np.arange(len(m)) == 5)[:, None].astype(np.uint8))
return Outcome(ports)"""


def test_without_cycles_a_mismatch_shows_those_of_the_design_alone(build: Path, tmp_path: Path) -> None:
    timed = invoke("run", described(tmp_path / "timed", SPOILED), "--case", "sizes", "--name", "a").stdout
    assert "(cycle expected 7, got 7)" in timed
    design = described(tmp_path / "untimed", SPOILED, "compare_time = false")
    text = invoke("run", design, "--case", "sizes", "--name", "a").stdout
    assert "cycle expected" not in text
    first = next(line for line in text.splitlines() if "port m_axis, beat 5" in line)
    assert "(in cycle 7)" in first
    row = next(line for line in text.splitlines() if line.startswith(">       5"))
    assert row.count("@") == 1
    assert row.endswith("@7")


def test_without_order_a_mismatch_shows_no_cycles(build: Path, tmp_path: Path) -> None:
    more = "compare_time = false\ncompare_order = false"
    text = invoke("run", described(tmp_path / "own", SPOILED, more), "--case", "sizes", "--name", "a").stdout
    assert "frames are sorted by what they hold" in text
    assert "@" not in text


def test_a_sideband_without_a_prediction_is_partial_unless_confirmed(build: Path, tmp_path: Path) -> None:
    silent = "m = ports['m_axis']\nports['m_axis'] = replace(m, tuser=None)\nreturn Outcome(ports)"
    for body, unseen, confirmed in (
        (silent, ["tuser"], False),
        (silent, ["tuser"], True),
        ("return good", None, False),
    ):
        path = described(tmp_path / "own", body)
        text = path.read_text().replace(', "m_axis_tuser"', "").replace(", s_axis_tuser = 0", "")
        text = text if confirmed else text.replace(', m_axis_tuser = "not used"', "")
        path.write_text(re.sub('(direction = "(in|out)")', r"\1\ntuser = 1", text))
        ran = invoke("run", path, "--case", "random", "--name", "a")
        opened = ["m_axis_tuser: not predicted by the golden model; it belongs to m_axis"]
        opened = opened if unseen and not confirmed else []
        assert ran.exit_code == (3 if opened else 0), ran.output
        assert ("not compared: tuser of m_axis; not predicted by the golden model" in ran.stdout) == bool(unseen)
        report = report_of(build)
        assert report["ports"]["m_axis"].get("not_compared") == unseen
        assert (report["open"], report["status"]) == (opened, "partial" if opened else "pass")


# -- nothing moved ------------------------------------------------------------------------------------------------------


def test_a_run_that_moved_nothing_is_no_pass(build: Path, tmp_path: Path) -> None:
    path = described(tmp_path / "own", "return good")
    ran = invoke("run", path, "--case", "nothing", "--name", "a")
    assert ran.exit_code == 1
    assert "nothing was compared" in ran.stdout
    # Registers are read and compared; the filter itself does nothing, and the case does not say that this is its subject.
    still = tmp_path / "still.py"
    still.write_text(
        "from goldbeat.tb.design.catalog import find_design\n"
        "FIR = find_design('plio_fir')\n"
        "CASE = FIR.case('registers').model_copy(update={'registers': False})\n"
        "DESIGN = FIR.model_copy(update={'cases': (CASE,)})\n"
    )
    ran = invoke("run", still, "--name", "a")
    assert ran.exit_code == 1, ran.output
    assert "nothing moved: no beat, no burst" in ran.stdout
    assert "values compared are only registers and status outputs" in ran.stdout
    assert report_of(build)["status"] == "fail"


def test_a_case_about_registers_may_rest(build: Path, tmp_path: Path) -> None:
    ran = invoke("run", "plio_fir", "--case", "registers", "--name", "a")
    assert ran.exit_code == 0, ran.output
    # But something must be compared there, too.
    design = load_description(described(tmp_path / "own", "return good"))
    (result,) = run(Request(design, design.case("rest")), tmp_path / "sim")
    assert "nothing was compared" in result.failures[0]


# -- limits hold in every episode of every seed --------------------------------------------------------------------------

LATENCY = '[latency."s_axis->m_axis"]\nmax_ns = {}\n'


def test_signoff_sees_every_episode_of_every_seed(build: Path, tmp_path: Path) -> None:
    design = load_description(described(tmp_path / "own", "return good"))
    worst: dict[tuple[int, int], float] = {}
    for result in run(Request(design, design.case("sweep"), (3, 4)), tmp_path / "sim"):
        # Limits pass over the episode that fills queues, and over those that a reset cuts off.
        whole = [
            pair for pair in enumerate(result.episodes) if not (pair[1].stimulus.aside or pair[1].stimulus.stop_ps)
        ]
        for number, episode in whole:
            ports = episode.record.outcome.ports
            worst[result.seed, number] = latency(ports["s_axis"], ports["m_axis"]).max_ps / 1000
    place = max(worst, key=lambda key: worst[key])
    main = worst[3, max(number for _, number in worst)]
    assert worst[place] > main, "the episode that reports show must not be the worst"
    words = ("run", tmp_path / "own" / "slice.toml", "--case", "sweep", "--seed", "3", "--seeds", "2", "--name", "a")
    assert invoke(*words).exit_code == 0
    limits = tmp_path / "limits.toml"
    limits.write_text(LATENCY.format(main))
    said = invoke("signoff", build / "runs" / "a", "--limits", limits, "--json")
    assert said.exit_code == 1
    found = json.loads(said.stdout)
    assert (found["episodes"], found["seeds"]) == (48, 2)
    check = found["checks"][-1]
    assert (check["measured"], check["seed"], check["episode"]) == (worst[place], *place)
    limits.write_text(LATENCY.format(worst[place]))
    assert invoke("signoff", build / "runs" / "a", "--limits", limits).exit_code == 0


def test_cut_episodes_are_counted_and_not_measured(build: Path, tmp_path: Path) -> None:
    words = ("run", described(tmp_path / "own", "return good"), "--case", "reset", "--seeds", "2", "--name", "a")
    assert invoke(*words).exit_code == 0
    limits = tmp_path / "limits.toml"
    limits.write_text(LATENCY.format(1000))
    said = invoke("signoff", build / "runs" / "a", "--limits", limits)
    assert said.exit_code == 0
    assert "measured: 2 whole episodes of 2 seed(s)" in said.stdout
    assert "not measured: 24 episode(s) cut off by a reset" in said.stdout


def suite(folder: Path, body: str, table: str) -> Path:
    described(folder / "own", body)
    path = folder / "suite.toml"
    path.write_text(f'[[run]]\ndesigns = ["own/slice.toml"]\ncases = ["sweep"]\nseeds = 2\n{table}')
    return path


@pytest.mark.slow
def test_a_broken_limit_is_a_failure_of_its_case(build: Path, tmp_path: Path) -> None:
    table = LATENCY.replace("[", "[run.limits.", 1)
    first = invoke("regress", suite(tmp_path, "return good", table.format(8)), "--json", "--jobs", "1")
    assert first.exit_code == 1, first.output
    cases = json.loads(first.stdout)["cases"]
    assert [c["status"] for c in cases] == ["fail", "fail"]
    assert "limit s_axis->m_axis max_ns: " in cases[0]["failures"][0]
    assert f"(seed {cases[0]['seed']}, episode " in cases[0]["failures"][0]
    # By itself it breaks the limit as well: nothing depends on what ran before it.
    assert cases[0]["artefacts"]["alone"] == "fail"
    folder = build / "regress" / "run-1"
    assert "depends on what ran before" not in (folder / "index.html").read_text()
    alone = json.loads((folder / cases[0]["artefacts"]["report"]).read_text())
    assert alone["failures"] == cases[0]["failures"]
    assert alone["repeat"] == cases[0]["repeat"]
    # And so says the command that repeats it.
    assert shlex.split(cases[0]["repeat"])[:2] == ["goldbeat", "rerun"]
    again = invoke("rerun", f"1/{cases[0]['case']}", "--trust")
    assert again.exit_code == 1, again.output
    assert "limit s_axis->m_axis max_ns: " in again.stdout
    assert f"repeat: goldbeat rerun '1/{cases[0]['case']}'" in again.stdout
    batch = invoke("rerun", f"1/{cases[1]['case']}", "--with-batch", "--trust")
    assert batch.exit_code == 1
    kept = invoke("regress", suite(tmp_path, "return good", table.format(1000)), "--json", "--jobs", "1")
    assert kept.exit_code == 0, kept.output


# -- repeats ------------------------------------------------------------------------------------------------------------


def repeated(text: str) -> Result:
    words = shlex.split(text)
    assert words.pop(0) == "goldbeat"
    return invoke(*words)


@pytest.mark.slow
def test_a_repeat_is_the_very_same_run(build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An own design with a name of ours, its input file, settings, clock and transactors; the folder stays as it was."""
    monkeypatch.chdir(tmp_path)
    described(tmp_path / "my designs", SPOILED)
    toml = tmp_path / "my designs" / "slice.toml"
    toml.write_text(toml.read_text().replace('name = "slice"', 'name = "axis_skid"'))
    made = ("plio", "gen", "my in.txt", "-t", "int32", "-w", 32, "--pattern", "ramp", "--samples", 300, "--frame", 100)
    assert invoke(*made).exit_code == 0
    ran = invoke(
        *("run", "my designs/slice.toml", "--seed", 9, "--input", "s_axis=my in.txt", "--clock", "312.5"),
        *("--set", "ready=random:0.5", "--set", "gaps=none", "--transactors", "cocotbext"),
    )
    assert ran.exit_code == 1, ran.output
    first = report_of(build, "axis_skid-random")
    line = next(text for text in ran.stdout.splitlines() if text.startswith("repeat: "))
    assert first["repeat"] == line.removeprefix("repeat: ")
    assert first["repeat_in"] == str(tmp_path)
    before = (build / "runs" / "axis_skid-random" / "report.json").read_bytes()
    again = repeated(first["repeat"])
    assert again.exit_code == 1
    second = report_of(build, "axis_skid-random-repeat")
    same = ("design", "case", "params", "options", "seed", "status", "compared", "failures", "ports", "repeat_in")
    assert {k: first[k] for k in same} == {k: second[k] for k in same}
    traces = [Trace.load(build / "runs" / f"axis_skid-random{n}" / "traces" / "m_axis.trace") for n in ("", "-repeat")]
    assert len(traces[0]) == 300
    assert traces[0].clock_ps == 3200
    assert traces[0] == traces[1]
    assert (build / "runs" / "axis_skid-random" / "report.json").read_bytes() == before
    # The repeat of a repeat is itself.
    assert second["repeat"] == first["repeat"]


def test_the_repeat_of_a_named_run_has_its_name_and_that_of_one_seed_its_own(build: Path, tmp_path: Path) -> None:
    body = "assert stimulus.inputs['s_axis'].data[0, 0] > 99, 'small'\nreturn good"
    path = described(tmp_path / "own", body)
    ran = invoke("run", path, "--case", "random", "--seed", "5", "--seeds", "6", "--name", "mine")
    assert ran.exit_code == 1
    report = report_of(build, "mine")
    assert report["repeat"] == f"goldbeat run {path} --case random --seed 5 --seeds 6 --name mine"
    failed = [s for s in report["seeds"] if s["status"] == "fail"]
    assert 0 < len(failed) < 6
    # What failed, and in which seed, is in the report of them all.
    assert len(report["failures"]) == len(failed)
    assert report["failures"][0].startswith(f"seed {failed[0]['seed']}: the golden model")
    assert failed[0]["repeat"] in ran.stdout
    assert failed[0]["repeat"].endswith(f"--seed {failed[0]['seed']} --name mine-seed{failed[0]['seed']}")
    assert repeated(failed[0]["repeat"]).exit_code == 1
    one = report_of(build, f"mine-seed{failed[0]['seed']}")
    assert f"seed {one['seed']}: {one['failures'][0]}" == report["failures"][0]
    assert report_of(build, "mine") == report


def test_the_repeat_of_a_block_names_the_block() -> None:
    design, case = find_case("zynqnet", "pe")
    assert Request(design, case).command().startswith("goldbeat run zynqnet_pe --case ")


def test_settings_are_repeated_as_they_were() -> None:
    fir = find_design("plio_fir")
    values = {"taps": (1, -2, 3, 4, 5, 6, 7, 8), "ready": "array:1,0,0", "samples": 16}
    request = Request(fir, fir.case("filter"), (2,), {"W": 64}, values)
    words = shlex.split(request.command())
    params, options = split_sets(fir, fir.case("filter"), as_pairs([w for w in words if "=" in w]))
    assert (params, options) == ({"W": 64}, values)


def test_a_record_shares_the_columns_that_are_as_predicted():
    want = Trace.from_bytes(np.arange(40).reshape(10, 4), clock_ps=4000)
    got = Trace.from_bytes(want.data.copy(), clock_ps=4000, cycle=np.arange(10) + 1)
    short = want[:9]
    record = Record(Outcome({"a": got, "b": short, "c": got}))
    shared = share_columns(record, Outcome({"a": want, "b": want})).outcome.ports
    assert shared["a"].data is want.data
    assert shared["a"].keep is want.keep
    assert shared["a"].cycle.tolist() == got.cycle.tolist()
    assert len(shared["b"]) == 9
    assert shared["c"] is got
