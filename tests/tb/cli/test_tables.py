# SPDX-License-Identifier: Apache-2.0
"""Tables in a terminal: no word is cut; one that does not fit becomes lists."""

import os
import subprocess
import sys

import pytest
from rich.table import Table
from typer.testing import CliRunner

from goldbeat.tb.cli import app
from goldbeat.tb.cli.screen import Screen, show_table
from goldbeat.tb.paths import REPOSITORY

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def ports(name: str) -> Table:
    """A table like that of a run."""
    table = Table(title="a run")
    for column in ("port", "beats", "note", "throughput"):
        table.add_column(column, no_wrap=True)
    table.add_row(name, "1024", "", "[green]250.00[/]")
    return table


def test_a_table_that_fits_is_a_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    show_table(ports("s_axis"))
    assert "│ s_axis │" in capsys.readouterr().out


def test_columns_without_values_go_first(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "36")
    show_table(ports("s_axis"))
    said = capsys.readouterr().out
    assert "│ s_axis │" in said
    assert "note" not in said


def test_what_does_not_fit_is_a_list(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    show_table(ports("s_axis_command"))
    said = capsys.readouterr().out
    assert said == "a run\ns_axis_command\n  beats       1024\n  throughput  250.00\n"


@pytest.mark.parametrize(
    "words",
    [
        ("probe", "-F", REPOSITORY / "hdl" / "axis" / "axis_fifo.f", "--top", "axis_fifo"),
        ("zynqnet", "map"),
        ("zynqnet", "time", "--network", "mini"),
        ("history",),
    ],
    ids=lambda words: words[0],
)
def test_no_word_is_cut_at_80_columns(words: tuple[object, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Screen, "is_terminal", True)
    done = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False, env={"COLUMNS": "80", "TERM": "dumb"})
    assert done.exit_code == 0, done.output
    assert ELLIPSIS not in done.stdout


PROBE = ("probe", "-F", str(REPOSITORY / "hdl" / "axis" / "axis_fifo.f"), "--top", "axis_fifo")


@pytest.mark.parametrize("words", [PROBE, (*PROBE, "--json"), ("list",)], ids=("probe", "json", "list"))
def test_a_closed_pipe_ends_a_command_quietly(words: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-m", "goldbeat", *words], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_command_without_a_stdout_is_quiet() -> None:
    line = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "goldbeat", "--version"]
    done = subprocess.run(line, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
