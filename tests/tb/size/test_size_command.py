# SPDX-License-Identifier: Apache-2.0
"""``goldbeat size`` on the pipeline of examples/."""

import json

import kept_runs
import pytest
from typer.testing import CliRunner

from goldbeat.tb.cli import app
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.run.episodes import FILE, WholeEpisode, save_episodes
from goldbeat.tb.size.chain import predicted_depths

PIPELINE = REPOSITORY / "examples" / "pipeline"
WORDS = ("--limits", PIPELINE / "limits.toml", "--case", "stream", "--set", "beats=1024")


def goldbeat(*words):
    said = CliRunner().invoke(app, [str(word) for word in words])
    return said.exit_code, said.output


def sized(tmp_path, *words, name=PIPELINE / "pipeline.toml"):
    return goldbeat("size", name, *WORDS, "--out", tmp_path / "size", *words)


@pytest.mark.sim
def test_a_depth_is_found_kept_and_drawn(tmp_path, monkeypatch):
    code, said = sized(tmp_path, "--param", "DEPTH_5=1/16/32", "--json")
    assert code == 0, said
    found = json.loads(said)
    assert found["values"] == {"DEPTH_5": 16}
    assert found["measured"]["m_axis min_mb_per_s"] >= 770
    broken = next(p for p in found["points"] if p["values"] == [1])
    assert not broken["keeps"]
    assert "is below 770 MB/s" in broken["reasons"][0]
    assert found["run"] == 3
    assert (tmp_path / "size" / "size.png").stat().st_size > 10_000
    code, said = sized(tmp_path, "--param", "DEPTH_5=1/16/32")
    assert code == 0
    assert "0 sets of values run, 3 taken from an earlier call" in said
    monkeypatch.setattr("goldbeat.tb.cli.size.lacks_module", lambda what, module: f"{what} needs {module}")
    code, said = sized(tmp_path, "--param", "DEPTH_5=1/16/32")
    assert (code, "not drawn: size.png needs matplotlib" in said) == (0, True)
    assert not (tmp_path / "size" / "size.png").exists()


@pytest.mark.slow
@pytest.mark.sim
def test_limits_that_no_value_keeps_are_explained(tmp_path):
    code, said = sized(tmp_path, "--param", "DEPTH_5=0/1")
    assert code == 1
    assert "no values keep the limits; the largest, 1:" in said
    assert "is below 770 MB/s" in said
    assert "the design refuses 1 set(s) of values" in said


def test_what_no_run_takes_is_refused_before_anything_is_built(tmp_path):
    for words, said in (
        (("--param", "DEEP"), "no parameter 'DEEP'"),
        (("--param", "DEPTH_5", "--set", "DEPTH_5=3"), "it is sized by --param"),
        (("--param", "DEPTH_5", "--nonsense", "3"), "has no option --nonsense"),
        (("--param", "DEPTH_5", "--traffic", "--case nothing"), "has no case 'nothing'"),
        (("--param", "DEPTH_5", "--bless"), "is for descriptions"),
    ):
        code, output = sized(tmp_path, *words)
        assert (code, said in output) == (2, True), output


def test_a_parameter_of_two_queues_is_enough_for_both(tmp_path):
    stages = "".join(f"[[stages]]\nwork = {n}\nrest = {n // 4}\ndepth = 'DEPTH_5'\n" for n in (40, 8))
    (tmp_path / "chain.toml").write_text(f"[traffic]\nburst = 40\nevery = 80\n{stages}")
    code, said = goldbeat("predict", tmp_path / "chain.toml", "--json")
    assert code == 0, said
    deepest = max(stage["depth"] for stage in json.loads(said)["stages"])
    assert predicted_depths(tmp_path / "chain.toml") == {"DEPTH_5": deepest}
    (tmp_path / "empty.toml").write_text("[traffic]\n" + stages)
    code, said = goldbeat("predict", tmp_path / "empty.toml")
    assert (code, "empty.toml: found [traffic] without a key, expected burst" in said) == (2, True), said
    (tmp_path / "number.toml").write_text("stages = 3\n")
    assert "stages = 3, expected a list" in goldbeat("predict", tmp_path / "number.toml")[1]


def test_each_episode_of_a_run_has_to_be_kept_up_with(tmp_path):
    """The curve of all is as long as the slow one, whose end shows nothing of the fast one."""
    slow, fast = kept_runs.beats(600, gaps=3), kept_runs.beats(80, gaps=[0, 0, 0, 4] * 20)
    run = kept_runs.keep_run(tmp_path / "run", {"s": ("in", slow, None)})
    episodes = [WholeEpisode(n, 0, {"s": trace}, {}) for n, trace in enumerate((slow, fast))]
    save_episodes(episodes, run / FILE)
    report = json.loads((run / "report.json").read_text())
    report["measured"]["whole"] = 2
    (run / "report.json").write_text(json.dumps(report))
    chain = tmp_path / "chain.toml"
    chain.write_text('[traffic]\nrun = "run"\nport = "s"\n[[stages]]\nwork = 3\nrest = 4\n')
    code, said = goldbeat("predict", chain)
    assert (code, "its backlog grows up to the last of 80 beats" in said) == (2, True), said
    chain.write_text(chain.read_text().replace("rest = 4", "rest = 2"))
    code, said = goldbeat("predict", chain, "--json")
    assert code == 0, said
    assert json.loads(said)["whole"]["beats_per_cycle"] == pytest.approx(79 / int(fast.cycle[-1] - fast.cycle[0]))
