# SPDX-License-Identifier: Apache-2.0
"""A clock that a description, an option or a suite gives is the clock; T lines are read on it."""

import json
import shutil
from pathlib import Path

import pytest
from console import goldbeat, share_simulators

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.clock_wish import ClockWish
from goldbeat.tb.design.description import load_description
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.suite import load_suite
from goldbeat.tb.regress.worker import make_request
from goldbeat.tb.run.inputs import FileInput, read_input
from goldbeat.tb.run.signoff import Subject, check_subject, load_limits, measured_episodes

FIR = find_design("plio_fir")
IDLE = "[port.s_axis]\nmax_idle_cycles = 0\n"


def _file(folder: Path, times_ps: list[int], name: str = "q.txt") -> Path:
    path = folder / name
    path.write_text("".join(f"T {t} ps\n{n} {-n}\n" for n, t in enumerate(times_ps)))
    return path


def _read(file: Path, clock_ps: int | None = None, **wishes: ClockWish) -> FileInput:
    return read_input(FIR, FIR.params(FIR.case("filter"), {}), "s_axis", file, clock_ps, wishes)


def test_idle_cycles_of_a_file_stay_on_the_given_clock(tmp_path: Path) -> None:
    for step in (8000, 400_000):
        file = _file(tmp_path, [n * step for n in range(20)])
        found = _read(file)
        assert (found.trace.clock_ps, found.clock.source, found.clock.notes) == (4000, "description", ())
        assert set(found.trace.gaps[1:].tolist()) == {step // 4000 - 1}
    for period, source, one in ((2000, "as given", _read(file, 2000)), (2000, "--clock aclk=500", _named(file))):
        assert (one.trace.clock_ps, one.clock.source) == (period, source)
        assert set(one.trace.gaps[1:].tolist()) == {199}


def _named(file: Path) -> FileInput:
    return _read(file, aclk=ClockWish(500))


def test_a_period_that_both_halves_of_a_simulated_clock_round_is_that_of_the_file(tmp_path: Path) -> None:
    for step in (1, 1000):  # In whole picoseconds, or nanoseconds.
        file = _file(tmp_path, [round(n * 1e4 / 3 / step) * step for n in range(40)])
        found = _read(file, aclk=ClockWish(300))
        assert (found.trace.clock_ps, found.clock.notes) == (3334, ())
        assert not found.trace.gaps[1:].any()


def test_a_beat_off_the_grid_moves_with_a_note(tmp_path: Path) -> None:
    file = _file(tmp_path, [0, 4000, 8000, 13_000, 16_000, 20_000, 24_000, 28_000])
    found = _read(file)
    assert found.trace.cycle.tolist() == list(range(8))
    (note,) = found.clock.notes
    assert note.startswith(
        f"{file}:8: the beat at 13000 ps is off the grid of the 250 MHz clock (description); it is moved"
    )


@pytest.mark.parametrize(("step", "line"), [(5000, 4), (2000, 6), (6666, 4)])
def test_a_file_of_another_clock_is_refused(tmp_path: Path, step: int, line: int) -> None:
    file = _file(tmp_path, [n * step for n in range(20)])
    with pytest.raises(InputError) as refused:
        _read(file)
    assert (refused.value.file, refused.value.line) == (file, line)
    assert "250 MHz clock (description); --clock MHZ sets it" in str(refused.value)


def _bench(folder: Path, *, period: bool = True) -> Path:
    bench = shutil.copytree(REPOSITORY / "examples" / "plio", folder / "bench")
    if not period:
        text = (bench / "decimate.toml").read_text()
        assert "period_ps = 4000\n" in text
        (bench / "decimate.toml").write_text(text.replace("period_ps = 4000\n", ""))
    return bench / "decimate.toml"


@pytest.mark.sim
def test_a_run_keeps_idle_cycles_and_is_signed_off_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    share_simulators(tmp_path)
    file = _file(tmp_path, [n * 8000 for n in range(40)])
    (tmp_path / "l.toml").write_text(IDLE)
    for words, code in ((["--set", "gaps=none"], 1), (["--set", "gaps=none", "--clock", "125"], 0)):
        run = ["run", str(_bench(tmp_path / str(code))), "--input", f"s_axis={file}", "--name", "q", *words]
        got, text = goldbeat([*run, "--set", "ready=none"])
        assert got == 0, text
        report = json.loads((tmp_path / "build/runs/q/report.json").read_text())
        wanted = {"period_ps": 8000 - 4000 * code, "from": "description" if code else "as given", "inferred": False}
        assert report["clocks"]["aclk"] == wanted | {"described_ps": 4000}
        got, text = goldbeat(["signoff", "build/runs/q", "--limits", "l.toml"])
        assert got == 1, text
        assert ("FAIL s_axis max_idle_cycles: 1 cycles" in text) == bool(code)
        assert ("FAIL run clock aclk: the run had 125 MHz, the description has 250 MHz" in text) != bool(code)
        assert ("2 of 3 limits kept" in text) != bool(code)


@pytest.mark.sim
def test_an_inferred_clock_is_said_and_no_limit_in_cycles_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    share_simulators(tmp_path)
    file = _file(tmp_path, [n * 8000 for n in range(40)])
    bench = _bench(tmp_path, period=False)
    got, text = goldbeat(
        ["run", str(bench), "--input", f"s_axis={file}", "--name", "q", "--set", "gaps=none", "--set", "ready=none"]
    )
    assert got == 0, text
    assert f"warning: the clock of s_axis is inferred from T lines of {file}" in text
    assert json.loads((tmp_path / "build/runs/q/report.json").read_text())["clocks"]["aclk"]["inferred"]
    for port in ("s_axis", "m_axis"):
        (tmp_path / "l.toml").write_text(IDLE.replace("s_axis", port))
        got, text = goldbeat(["signoff", "build/runs/q", "--limits", "l.toml"])
        assert got == 2, text
        assert "counts cycles of a clock that is inferred from T lines" in text
    (tmp_path / "l.toml").write_text("[port.s_axis]\nmax_gap_ns = 8\n")
    assert goldbeat(["signoff", "build/runs/q", "--limits", "l.toml"])[0] == 0


def test_suites_read_files_on_the_clock_of_the_description(tmp_path: Path) -> None:
    _file(tmp_path, [n * 8000 for n in range(20)])
    suite = tmp_path / "s.toml"
    for more, clock in (("", 4000), ("clock_mhz = 125\n", 8000)):
        suite.write_text(
            f'[[run]]\ndesigns = ["plio_fir"]\ncases = ["filter"]\ninputs = {{ s_axis = "q.txt" }}\n{more}'
        )
        (item,) = make_plan(load_suite(suite), tmp_path)
        assert make_request(item, FIR).inputs["s_axis"].clock_ps == clock
    design = load_description(_bench(tmp_path, period=False))
    suite.write_text(
        f'[[run]]\ndesigns = ["{tmp_path}/bench/decimate.toml"]\ncases = ["random"]\ninputs.s_axis = "q.txt"\n'
    )
    (item,) = make_plan(load_suite(suite), tmp_path)
    request = make_request(item, design)
    assert set(request.guessed_ports()) == {"s_axis", "m_axis"}
    (tmp_path / "l.toml").write_text(IDLE)
    from goldbeat.tb.run.episodes import WholeEpisode

    episodes = measured_episodes([WholeEpisode(0, 0, dict(request.inputs))], {}, guessed=request.guessed_ports())
    with pytest.raises(UsageError, match="is inferred from T lines"):
        check_subject(Subject("s", ["s_axis"], episodes, "pass"), load_limits(tmp_path / "l.toml"))


def test_info_is_not_sure_of_a_clock_whose_double_fits(tmp_path: Path) -> None:
    for step in (4000, 8000, 10_000):
        file = _file(tmp_path, [n * step for n in range(40)])
        got, text = goldbeat(["plio", "info", str(file), "-t", "int16", "-w", "32"])
        assert got == 0, text
        assert "high confidence" not in text
        assert f"{2e6 / step:g} MHz (100.0%)" in text


@pytest.mark.sim
def test_a_beat_that_moved_is_said_by_signoff_and_regressions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    share_simulators(tmp_path)
    file = _file(tmp_path, [0, 4000, 8000, 13_000, *(n * 4000 for n in range(4, 40))])
    bench = _bench(tmp_path)
    got, text = goldbeat(["run", str(bench), "--input", f"s_axis={file}", "--name", "q", "--set", "gaps=none"])
    said = "q.txt:8: the beat at 13000 ps is off the grid of the 250 MHz clock (description); it is moved"
    assert (got, said in text) == (0, True), text
    (tmp_path / "l.toml").write_text("[port.s_axis]\nmax_gap_ns = 100000\n")
    got, text = goldbeat(["signoff", "build/runs/q", "--limits", "l.toml"])
    assert (got, "note: " in text, said in text) == (0, True, True), text
    (tmp_path / "s.toml").write_text(
        f'[[run]]\ndesigns = ["{bench}"]\ncases = ["random"]\nseeds = 2\ninputs.s_axis = "q.txt"\n'
    )
    got, text = goldbeat(["regress", "s.toml", "--jobs", "1"])
    assert (got, text.count("warning: "), said in text) == (0, 1, True), text
