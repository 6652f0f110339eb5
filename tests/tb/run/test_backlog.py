# SPDX-License-Identifier: Apache-2.0
"""``goldbeat backlog``, and limits of the backlog."""

import json

import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.cli import app
from goldbeat.tb.run.signoff import check_subject, load_limits, load_run

PATH = "s_axis->m_axis"


def goldbeat(*words):
    said = CliRunner().invoke(app, [str(word) for word in words])
    return said.exit_code, said.output


@pytest.mark.sim
def test_the_backlog_of_a_fifo_is_what_it_holds(tmp_path, monkeypatch):
    assert goldbeat("run", "axis_fifo", "--case", "sweep", "--set", "DEPTH=8", "--name", "fill")[0] == 0
    from goldbeat.tb.paths import build_root

    folder = build_root() / "runs" / "fill"
    code, said = goldbeat("backlog", folder, PATH, "--json", "--plot", tmp_path / "fill.png")
    assert code == 0, said
    found = json.loads(said)
    # DEPTH beats in the memory and one in the output register.
    assert found["worst"]["most"] == 9
    assert (tmp_path / "fill.png").stat().st_size > 5000
    code, said = goldbeat("backlog", folder, PATH, "--plot", tmp_path / "fill.png")
    assert code == 2
    assert "--force overwrites it" in said
    code, said = goldbeat("backlog", folder, PATH, "--unit", "bytes")
    assert code == 0
    assert "most bytes" in said
    limits = tmp_path / "limits.toml"
    for most, verdict in ((9, "pass"), (8, "fail")):
        limits.write_text(f'[backlog."{PATH}"]\nmax_backlog_beats = {most}\n')
        (_, check) = check_subject(load_run(folder), load_limits(limits))
        assert (check.verdict, check.measured, check.unit) == (verdict, 9, "beats")
    assert goldbeat("signoff", folder, "--limits", limits)[0] == 1
    code, said = goldbeat("backlog", folder, "m_axis->s_axis")
    assert (code, "s_axis is an input of the design" in said) == (2, True), said


def test_paths_and_limits_that_are_none_are_refused(tmp_path):
    limits = tmp_path / "limits.toml"
    limits.write_text('[backlog."s_axis"]\nmax_backlog_beats = 1\n')
    with pytest.raises(InputError, match="INPUT->OUTPUT"):
        load_limits(limits)
    limits.write_text('[backlog."s->m"]\n')
    with pytest.raises(InputError, match="max_backlog_beats, max_backlog_bytes, max_backlog_frames"):
        load_limits(limits)
    code, said = goldbeat("backlog", tmp_path, "a->b", "--unit", "words")
    assert (code, "expected beats, bytes, frames" in said) == (2, True)
    code, said = goldbeat("backlog", tmp_path, "a->b")
    assert (code, "missing report.json" in said) == (2, True)
