# SPDX-License-Identifier: Apache-2.0
import json
import shutil
import xml.etree.ElementTree as ET
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from typer.main import get_command

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.packed import PackedReader
from goldbeat.pymodels.plio_file import write
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli import app
from goldbeat.tb.run.episodes import FILE, WholeEpisode, load_episodes, save_episodes
from goldbeat.tb.run.signoff import (
    LimitCheck,
    MeasuredPort,
    check_subject,
    file_subject,
    limits_junit,
    load_limits,
    load_run,
)

LATENCY_PS = 40_000


def trace(frame: int | None = 8, pause: int = 3, late: int = 0) -> Trace:
    """4 times 8 beats of cint16 at 250 MHz, ``pause`` idle cycles after each frame."""
    base = Trace.from_samples(np.zeros((32, 2), int), "cint16", 32, clock_ps=4000, frame=frame, offset_ps=late)
    gaps = np.zeros(32, np.int64)
    gaps[8::8] = pause
    return base.with_gaps(gaps)


def moved() -> Trace:
    """As many beats and frames, of which one ends a beat early."""
    last = trace().last.copy()
    last[[14, 15]] = True, False
    return replace(trace(late=LATENCY_PS), last=last)


def cut() -> Trace:
    """A frame more."""
    last = trace().last.copy()
    last[3] = True
    return replace(trace(late=LATENCY_PS), last=last)


def run_folder(folder: Path, **changes: Any) -> Path:
    """What ``goldbeat run`` leaves."""
    (folder / "traces").mkdir(parents=True)
    ports = {"s_axis": trace(), "m_axis": trace(late=LATENCY_PS), "raw": trace(frame=None)}
    entries: dict[str, Any] = {}
    for name, one in ports.items():
        one.save(folder / "traces" / f"{name}.trace")
        way = "in" if name == "s_axis" else "out"
        entries[name] = {"direction": way, "dtype": "cint16", "trace": f"traces/{name}.trace", "width": 32}
    entries["raw"]["dtype"] = None
    report = {"design": "fir", "case": "smoke", "params": {"W": 32}, "seed": 1, "status": "pass", "ports": entries}
    (folder / "report.json").write_text(json.dumps(report | changes))
    return folder


def limits(folder: Path, text: str) -> Path:
    path = folder / "limits.toml"
    path.write_text(text)
    return path


def checks(folder: Path, text: str, **changes: Any) -> list[LimitCheck]:
    return check_subject(load_run(run_folder(folder / "run", **changes)), load_limits(limits(folder, text)))


def one(folder: Path, text: str, name: str) -> LimitCheck:
    found = [c for c in checks(folder, text) if c.name == name]
    assert len(found) == 1
    return found[0]


# -- limits ---------------------------------------------------------------------------------------------------------

FRAMES = 8 / 11 * 250


@pytest.mark.parametrize(
    ("table", "name", "kept", "broken", "measured"),
    [
        ("port.m_axis", "min_msamples_per_s", 181.8, 181.9, FRAMES),
        ("port.m_axis", "min_mb_per_s", 727, 728, 4 * FRAMES),
        ("port.m_axis", "max_gap_ns", 16, 15.9, 16),
        ("port.m_axis", "max_idle_cycles", 3, 2, 3),
        ("port.m_axis", "max_frame_interval_ns", 44.0, 43.9, 44),
        ("port.raw", "max_gap_ns", 16, 15.9, 16),
        ('latency."s_axis->m_axis"', "max_ns", 40, 39.999, 40),
        ('latency."s_axis -> m_axis"', "max_mean_ns", 40, 39.999, 40),
        ('latency."s_axis->m_axis"', "max_first_ns", 40, 39.999, 40),
    ],
)
def test_a_limit_is_kept_or_broken(
    tmp_path: Path, table: str, name: str, kept: float, broken: float, measured: float
) -> None:
    good = one(tmp_path / "a", f"[{table}]\n{name} = {kept}\n", name) if (tmp_path / "a").mkdir() is None else None
    assert good is not None
    assert good.passed, good.reason
    assert good.measured == pytest.approx(measured)
    (tmp_path / "b").mkdir()
    bad = one(tmp_path / "b", f"[{table}]\n{name} = {broken}\n", name)
    assert bad.verdict == "fail"
    assert ("below" if name.startswith("min") else "above") in bad.reason


@pytest.mark.parametrize(("rate", "value"), [("", FRAMES), ('rate = "continuous"\n', 250.0)])
def test_which_rate_a_minimum_means(tmp_path: Path, rate: str, value: float) -> None:
    found = one(tmp_path, f"[port.m_axis]\n{rate}min_msamples_per_s = 1\n", "min_msamples_per_s")
    assert found.measured == pytest.approx(value)


@pytest.mark.parametrize(
    ("rate", "why"), [("frames", "leaves out the last frame"), ("raw", "counts a beat more than its time holds")]
)
def test_a_rate_that_hides_slow_spots_is_refused_with_the_new_key(tmp_path: Path, rate: str, why: str) -> None:
    path = limits(tmp_path, f'[port.m_axis]\nmin_mb_per_s = 1\nrate = "{rate}"\n')
    with pytest.raises(InputError, match=f'port.m_axis.rate = "{rate}", which {why}, expected least_rate with window'):
        load_limits(path)


@pytest.mark.parametrize(
    ("table", "verdict"),
    [
        ("min_msamples_per_s = 182", "fail"),
        ("min_msamples_per_s = 181", "pass"),
        ("min_mb_per_s = 728", "fail"),
        ("min_mb_per_s = 727", "pass"),
        ("min_msamples_per_s = 176\nwindow_ns = 40", "fail"),
        ("min_mb_per_s = 699\nwindow_ns = 40", "pass"),
        ("max_gap_ns = 15.9", "fail"),
        ("max_gap_ns = 16", "pass"),
        ("max_idle_cycles = 2", "fail"),
        ("max_idle_cycles = 3", "pass"),
        ("max_frame_interval_ns = 43", "fail"),
        ("max_frame_interval_ns = 44", "pass"),
        ("steady = true", "pass"),
    ],
)
def test_old_keys_keep_what_they_meant(tmp_path: Path, table: str, verdict: str) -> None:
    """32 beats of 4 bytes at 250 MHz in frames of 8, 3 idle cycles between them."""
    assert [c.verdict for c in checks(tmp_path, f"[port.m_axis]\n{table}\n")][1:] == [verdict]


@pytest.mark.parametrize(("by", "value"), [("beat", 40.0), ("frame", 40.0), ("frame-end", 40.0), ("frame-total", 68.0)])
def test_which_latency(tmp_path: Path, by: str, value: float) -> None:
    found = one(tmp_path, f'[latency."s_axis->m_axis"]\nby = "{by}"\nmax_ns = 1000\n', "max_ns")
    assert found.measured == value


def test_steady(tmp_path: Path) -> None:
    assert one(tmp_path, "[port.m_axis]\nsteady = true\n", "steady").passed
    uneven = Trace.from_bytes(np.zeros((4, 4)), clock_ps=1000, last=[1] * 4, cycle=[0, 10, 20, 31])
    found = check_subject(file_subject("x", {"m_axis": MeasuredPort(uneven)}), load_limits(tmp_path / "limits.toml"))
    assert [c.verdict for c in found] == ["fail"]


# -- nothing passes that was not measured -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[port.raw]\nmin_msamples_per_s = 1\n", "type of the port is not known; use min_mb_per_s"),
        ("[port.raw]\nmax_frame_interval_ns = 1e9\n", "no TLAST"),
        ("[port.raw]\nsteady = true\n", "no TLAST"),
        ('[latency."s_axis->raw"]\nby = "frame"\nmax_ns = 1e9\n', "no TLAST at the output"),
        ("[port.raw]\nleast_mb_per_s = 1\nwindow = '1 frame'\n", "no frames: no window of 1 frame"),
        ('[latency."m_axis->raw"]\nmax_ns = 1e9\n', "beat 0 leaves 40000 ps before it enters"),
        ('[backlog."m_axis->raw"]\nmax_backlog_bytes = 999\n', "more bytes have left than have entered"),
    ],
)
def test_what_cannot_be_measured_is_not_kept(tmp_path: Path, text: str, reason: str) -> None:
    found = checks(tmp_path, text)[-1]
    assert found.verdict == "unmeasured"
    assert not found.passed
    assert found.measured is None
    assert reason in found.reason


def test_an_empty_port_keeps_no_limit(tmp_path: Path) -> None:
    text = "[port.p]\nmin_mb_per_s = 1\nmax_gap_ns = 1\nmax_idle_cycles = 1\nmax_frame_interval_ns = 1\nsteady = true\n"
    nothing = file_subject("x", {"p": MeasuredPort(Trace.empty(32, clock_ps=1000), "int32")})
    assert [c.verdict for c in check_subject(nothing, load_limits(limits(tmp_path, text)))] == ["unmeasured"] * 5


def test_a_run_that_failed_is_never_signed_off(tmp_path: Path) -> None:
    found = checks(tmp_path, "[port.m_axis]\nmax_gap_ns = 100\n", status="fail")
    assert [c.verdict for c in found] == ["fail", "pass"]
    assert (found[0].where, found[0].name) == ("run", "status")


@pytest.mark.parametrize(
    "text", ["[port.mm_axis]\nmax_gap_ns = 1\n", '[latency."s_axis->mm_axis"]\nmax_ns = 1\n'], ids=["port", "latency"]
)
def test_a_limit_for_a_port_that_is_not_there_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="limit for unknown port 'mm_axis'; fir smoke has: s_axis, m_axis, raw"):
        checks(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "rate = 'continuous'\nmin_mb_per_s = 996",
        "rate = 'continuous'\nmin_msamples_per_s = 249",
        "most_mb_per_s = { '16 beats' = 996 }",
    ],
)
def test_no_rate_is_more_than_the_port_carries(tmp_path: Path, text: str) -> None:
    """Bursts with beats 4 ns apart that begin on the edges of a slower clock, within half a cycle of them."""
    time = np.concatenate([n * 64 * 4020 + 8040 * n + 4000 * np.arange(64) for n in range(20)])
    beats = replace(Trace.from_samples(np.zeros(1280, int), "int32", 32, clock_ps=1, frame=64), cycle=time)
    (check,) = check_subject(
        file_subject("x", {"p": MeasuredPort(beats, "int32", 4020)}),
        load_limits(limits(tmp_path, f"[port.p]\n{text}\n")),
    )
    carried = 1 if "share" in text else 1e3 / 4.02 * (4 if "mb" in text else 1)
    assert check.measured == pytest.approx(carried)
    assert check.passed == ("most" in text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("latency.'m_axis->s_axis'] max_ns = 9", "s_axis is an input of the design"),
        ("backlog.'raw->s_axis'] max_backlog_beats = 9", "s_axis is an input of the design"),
        ("latency.'m_axis->m_axis'] max_ns = 9", "m_axis->m_axis: a path from a port to itself"),
        ("backlog.'raw -> raw'] max_backlog_bytes = 9", "raw->raw: a path from a port to itself"),
    ],
)
def test_an_input_is_no_place_for_results(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=rf"\.toml: .*{said}"):
        checks(tmp_path, f"[{text}\n".replace("] ", "]\n"))


def test_two_tables_for_one_port_are_refused(tmp_path: Path) -> None:
    for first, second in (("s*", "*s"), ("*", "m*")):
        text = f"[port.'{first}']\nmax_gap_ns = 1000\n[port.'{second}']\nmax_gap_ns = 1\n"
        with pytest.raises(UsageError, match=r"fit port .*; expected one of them, or"):
            checks(tmp_path / first.replace("*", "x"), text)
    # A table of its own replaces any number of patterns.
    own = "".join(f"[port.{name}]\nmax_gap_ns = 1e9\n" for name in ("s_axis", "m_axis", "raw"))
    assert [c.where for c in checks(tmp_path / "own", f"{text}{own}") if c.name == "max_gap_ns"] == [
        "s_axis",
        "m_axis",
        "raw",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "missing limits"),
        ("# nothing\n", "missing limits"),
        ("[port]\n", "missing limits"),
        ("[port.a]\n", "without a limit"),
        ("[port.a]\nrate = 'continuous'\n", "without a limit"),
        ("[latency.'a->b']\nby = 'frame'\n", "without a limit"),
        (
            "[port.a]\nmax_gap = 3\n",
            "unknown setting port.a.max_gap, expected one of window, least_rate",
        ),
        ("[ports.a]\nmax_gap_ns = 3\n", "unknown setting ports, expected one of port, latency"),
        ("[latency.'a->b']\nmax = 3\n", "unknown setting latency.a->b.max, expected one of by, iteration, max_ns"),
        ("[port.a]\nmax_gap_ns = '3'\n", "port.a.max_gap_ns = '3'"),
        ("[port.a]\nmax_gap_ns = true\n", "port.a.max_gap_ns = True"),
        ("[port.a]\nmax_gap_ns = nan\n", "max_gap_ns"),
        ("[port.a]\nmin_mb_per_s = inf\n", "min_mb_per_s"),
        ("[port.a]\nmin_mb_per_s = 0\n", "min_mb_per_s = 0"),
        ("[port.a]\nmax_idle_cycles = 2.5\n", "max_idle_cycles = 2.5"),
        ("[port.a]\nsteady = false\n", "steady = False"),
        ("[port.a]\nsteady = 1\nmax_gap_ns = 3\n", "steady = 1, expected true"),
        ("[port.a]\nleast_rate = {'1 us' = 1, '1000 ns' = 2}\n", "least_rate of windows of 1000000 ps twice"),
        ("[port.a]\nleast_rate = {'1 us' = 'x'}\n", "port.a.least_rate.1 us = 'x', expected a number"),
        ("\ufeff[port.a]\nleast_rate = 'x'\n", "port.a.least_rate = 'x', expected a number"),
        ("[port.a]\nleast_rate = 1\nwindow = '\u0663 us'\n", "window '\u0663 us', expected a length such as"),
        ("[port.a]\nleast_share = 1.5\nwindow = '1 \u00b5s'\n", "expected a part of what the port carries, 1 at most"),
        ("[latency.'a->b']\nby = 'beat'\niteration = [1, 1]\nmax_ns = 1\n", 'iteration with by = "beat"'),
        ("[port.a]\nrate = 'fast'\nmax_gap_ns = 1\n", "rate = 'fast'"),
        ("[latency.a]\nmax_ns = 1\n", 'expected .latency."INPUT->OUTPUT"'),
        ("[latency.'->b']\nmax_ns = 1\n", "INPUT->OUTPUT"),
        ("[latency.'a->b->c']\nmax_ns = 1\n", "INPUT->OUTPUT"),
        ("[port.a\n", "line 1"),
        ("port = 3\n", "port = 3"),
    ],
)
def test_limits_files_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=r"limits\.toml: ") as caught:
        load_limits(limits(tmp_path, text))
    assert message.replace(".latency.", "[latency.") in str(caught.value)


def test_limits_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_limits(tmp_path / "none.toml")
    (tmp_path / "bin.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"bin\.toml"):
        load_limits(tmp_path / "bin.toml")


# -- every whole episode of every seed ----------------------------------------------------------------------------------

BARE = Trace.empty(32, clock_ps=4000)


def many(folder: Path, episodes: list[tuple[int, int, Trace, Trace]], **changes: Any) -> Path:
    """A run of several seeds and episodes: seed, episode, input, output."""
    run = run_folder(folder)
    kept = [
        WholeEpisode(seed, n, {"s_axis": given, "m_axis": got}, registers=not len(given))
        for seed, n, given, got in episodes
    ]
    save_episodes(kept, run / FILE)
    report = json.loads((run / "report.json").read_text())
    del report["ports"]["raw"]
    dtypes = {"s_axis": "cint16", "m_axis": "cint16"}
    report["measured"] = {"file": FILE, "whole": len(kept), "cut": 3, "dtypes": dtypes}
    (run / "report.json").write_text(json.dumps(report | {"episodes": len(kept) + 3} | changes))
    return run


def worst(folder: Path, text: str, episodes: list[tuple[int, int, Trace, Trace]]) -> LimitCheck:
    return check_subject(load_run(many(folder / "run", episodes)), load_limits(limits(folder, text)))[-1]


def late(by: int) -> Trace:
    return trace(late=by)


@pytest.mark.parametrize(
    ("text", "value", "place"),
    [
        ('[latency."s_axis->m_axis"]\nmax_ns = 100\n', 796.0, (2, 7)),
        ('[latency."s_axis->m_axis"]\nmax_first_ns = 100\n', 796.0, (2, 7)),
        ("[port.m_axis]\nmax_gap_ns = 100\n", 404.0, (1, 0)),
        ("[port.m_axis]\nmax_idle_cycles = 10\n", 100, (1, 0)),
        ("[port.m_axis]\nmin_mb_per_s = 500\n", 8 / 108 * 1000, (1, 0)),
    ],
)
def test_the_worst_of_all_episodes_counts(tmp_path: Path, text: str, value: float, place: tuple[int, int]) -> None:
    episodes = [
        (0, 0, trace(), late(LATENCY_PS)),
        (1, 0, trace(pause=100), trace(pause=100, late=LATENCY_PS)),
        (2, 7, trace(), late(796_000)),
        (3, 2, trace(), late(LATENCY_PS)),
    ]
    found = worst(tmp_path, text, episodes)
    assert found.verdict == "fail"
    assert found.measured == pytest.approx(value)
    assert (found.seed, found.episode, found.measured_in) == (*place, 4)
    assert f"(seed {place[0]}, episode {place[1]})" in found.reason


def test_one_unsteady_episode_is_enough(tmp_path: Path) -> None:
    uneven = trace().with_gaps(np.where(np.arange(32) == 16, 30, 0))
    episodes = [(0, 0, trace(), trace()), (0, 1, trace(), uneven)]
    found = worst(tmp_path, "[port.m_axis]\nsteady = true\n", episodes)
    assert (found.verdict, found.measured, found.episode) == ("fail", "no", 1)


def test_an_episode_too_short_for_a_figure_is_left_out_and_reported(tmp_path: Path) -> None:
    episodes = [(0, 0, trace()[:1], trace()[:1]), (0, 1, trace(), trace()), (0, 2, BARE, BARE)]
    for text in ("[port.m_axis]\nmin_mb_per_s = 1\n", "[port.m_axis]\nmax_gap_ns = 100\n"):
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        found = worst(tmp_path, text, episodes)
        assert (found.verdict, found.episode, found.measured_in) == ("pass", 1, 1)
        assert "(seed 0, episode 0)" in found.left_out
    # In none of them: not measured, not kept.
    shutil.rmtree(tmp_path / "run")
    found = worst(tmp_path, text, [episodes[0], episodes[2]])
    assert (found.verdict, found.measured) == ("unmeasured", None)


@pytest.mark.parametrize(
    ("pair", "text", "reason"),
    [
        ((trace(), trace()[:30]), '[latency."s_axis->m_axis"]\nmax_ns = 100\n', "are not equal in number"),
        # A beat of a frame is lost, and another one is added.
        ((trace(), moved()), '[latency."s_axis->m_axis"]\nmax_ns = 100\n', "frame 1 has 8 beats at the input and 7"),
        ((trace(), moved()), '[backlog."s_axis->m_axis"]\nmax_backlog_beats = 9\n', "cannot be matched by number"),
        ((trace(), moved()), '[backlog."s_axis->m_axis"]\nmax_backlog_bytes = 99\n', "28 at the output"),
        ((trace(), cut()), '[latency."s_axis->m_axis"]\nmax_ns = 100\n', "4 frames at the input and 5"),
        (
            (trace(), trace(frame=None)),
            '[latency."s_axis->m_axis"]\nby = "frame"\nmax_ns = 100\n',
            "no TLAST at the output",
        ),
        (
            (trace(), replace(trace(), keep=np.arange(4) < np.full(32, 3)[:, None])),
            "[port.m_axis]\nmin_msamples_per_s = 1\n",
            "TKEEP cuts samples apart",
        ),
    ],
)
def test_what_is_there_and_cannot_be_measured_is_not_kept(
    tmp_path: Path, pair: tuple[Trace, Trace], text: str, reason: str
) -> None:
    episodes = [(0, 0, trace(), late(LATENCY_PS)), (4, 1, *pair), (5, 0, trace(), late(LATENCY_PS))]
    found = worst(tmp_path, text, episodes)
    assert (found.verdict, found.seed, found.episode) == ("unmeasured", 4, 1)
    assert reason in found.reason
    assert "(seed 4, episode 1)" in found.reason


def test_without_a_whole_episode_nothing_is_kept(tmp_path: Path) -> None:
    found = worst(tmp_path, GOOD, [])
    assert found.verdict == "unmeasured"
    assert "no episode was completed" in found.reason


def test_a_folder_that_kept_one_of_several_episodes_is_refused(tmp_path: Path) -> None:
    for number, changes in enumerate(({"episodes": 20}, {"seeds": [{"seed": 0}, {"seed": 1}]})):
        with pytest.raises(InputError, match="expected all episodes; run it again"):
            load_run(run_folder(tmp_path / str(number), **changes))
    run = many(tmp_path / "run", [(0, 0, trace(), trace())])
    (run / FILE).write_bytes(b"PK nothing")
    with pytest.raises(InputError, match=r"episodes\.pack"):
        load_run(run)
    save_episodes([], run / FILE)
    with pytest.raises(InputError, match="found 0 episodes, expected the 1 of the report"):
        load_run(run)


def test_kept_episodes_keep_all_times(tmp_path: Path) -> None:
    ragged = trace().with_gaps(np.arange(32) * 977 % 300)
    ragged = replace(ragged, keep=np.arange(4) < (np.arange(32) % 5)[:, None])
    episodes = [WholeEpisode(7, 3, {"a": ragged, "b": BARE}), WholeEpisode(8, 0, {"a": late(12), "b": trace()})]
    save_episodes(episodes, tmp_path / FILE)
    again = load_episodes(tmp_path / FILE)
    assert [(e.seed, e.episode) for e in again] == [(7, 3), (8, 0)]
    for old, new in zip(episodes, again, strict=True):
        for name in ("a", "b"):
            for column in ("time_ps", "last", "keep"):
                assert np.array_equal(getattr(old.ports[name], column), getattr(new.ports[name], column)), (
                    name,
                    column,
                )
    # As versions before parts wrote it.
    with PackedReader(tmp_path / FILE, "") as archive:
        whole = {n: archive.get(n) for n in ("ports", "seed", "episode")}
        whole |= {n: archive.get(n) for p in (0, 1) for n in (f"{p}.width", f"{p}.clock", f"{p}.length")}
        whole |= {f"{p}.{n}": archive.get(f"{p}.0.{n}") for p in (0, 1) for n in ("step", "bytes", "last")}
    np.savez_compressed(tmp_path / "old.npz", format=1, **whole)
    for old, new in zip(again, load_episodes(tmp_path / "old.npz"), strict=True):
        assert old.ports == new.ports
    # Regular traffic takes next to nothing: 100 episodes of 1,000 beats each.
    long = Trace.from_bytes(np.zeros((1000, 16)), clock_ps=4000, last=np.arange(1000) % 10 == 9)
    save_episodes([WholeEpisode(s, 0, {"a": long, "b": long}) for s in range(100)], tmp_path / FILE)
    assert (tmp_path / FILE).stat().st_size < 20_000


def test_episodes_longer_than_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldbeat.tb.run.episodes._PART", 7)
    ragged = replace(trace(), keep=np.arange(4) < (np.arange(32) % 5)[:, None])
    episodes = [WholeEpisode(s, 0, {"a": ragged[:n], "b": late(s)}) for s, n in enumerate((3, 0, 20, 1, 32))]
    save_episodes(episodes, tmp_path / FILE)
    for old, new in zip(episodes, load_episodes(tmp_path / FILE), strict=True):
        for name in ("a", "b"):
            for column in ("time_ps", "last", "keep"):
                assert np.array_equal(getattr(old.ports[name], column), getattr(new.ports[name], column)), column


# -- runs -----------------------------------------------------------------------------------------------------------


def test_runs_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing report\.json, expected a folder that `goldbeat run` has written"):
        load_run(tmp_path)
    folder = run_folder(tmp_path / "run")
    (folder / "traces" / "s_axis.trace").unlink()
    with pytest.raises(InputError, match=r"s_axis\.trace: no such file"):
        load_run(folder)
    for text in ("{\n\n!", "[]", "{}", '{"status": "pass"}', '{"status": "pass", "ports": {"a": {}}}', '{"status": 1}'):
        (folder / "report.json").write_text(text)
        with pytest.raises(InputError, match=r"report\.json"):
            load_run(folder)


# -- command --------------------------------------------------------------------------------------------------------


COMMAND = get_command(app)


class Result(NamedTuple):
    stdout: str
    stderr: str


def signoff(*args: Any, code: int) -> Result:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
        COMMAND.main(["signoff", *map(str, args)], prog_name="goldbeat")
    result = Result(out.getvalue(), err.getvalue())
    assert caught.value.code == code, result
    return result


GOOD = '[port.m_axis]\nmin_msamples_per_s = 180\nmax_gap_ns = 20\n[latency."s_axis->m_axis"]\nmax_ns = 60\n'


def test_command_on_a_run(tmp_path: Path) -> None:
    run, rules = run_folder(tmp_path / "run"), limits(tmp_path, GOOD)
    text = signoff(run, "--limits", rules, code=0).stdout
    assert "Sign-off of fir smoke" in text
    assert "4 of 4 limits kept: PASS" in text
    rules = limits(tmp_path, GOOD.replace("= 60", "= 39"))
    text = signoff(run, "--limits", rules, code=1).stdout
    assert "FAIL s_axis->m_axis max_ns: 40 ns is above 39 ns" in text
    assert "3 of 4 limits kept: FAIL" in text


def test_a_run_whose_cycles_nobody_predicted_is_signed_off_with_a_note(tmp_path: Path) -> None:
    note = "no model has predicted them"
    rules = limits(tmp_path, GOOD)
    assert note not in signoff(run_folder(tmp_path / "timed"), "--limits", rules, code=0).stdout
    untimed = run_folder(tmp_path / "untimed", time_compared=False)
    assert note in signoff(untimed, "--limits", rules, code=0).stdout
    assert json.loads(signoff(untimed, "--limits", rules, "--json", code=0).stdout)["time_compared"] is False


def test_episodes_of_registers_alone_are_not_counted(tmp_path: Path) -> None:
    nothing = trace()[:0]
    episodes = [(0, 0, trace(), late(LATENCY_PS)), (1, 0, trace(), late(LATENCY_PS)), (1, 1, nothing, nothing)]
    run = many(tmp_path / "run", episodes)
    found = json.loads(signoff(run, "--limits", limits(tmp_path, GOOD), "--json", code=0).stdout)
    assert found["episodes"] == 2
    assert not any(check["left_out"] for check in found["checks"])


def test_command_on_a_run_of_many_episodes(tmp_path: Path) -> None:
    episodes = [(s, n, trace(), late(LATENCY_PS + 4000 * s * n)) for s in range(5) for n in range(4)]
    run = many(tmp_path / "run", [*episodes, (5, 0, trace()[:1], late(LATENCY_PS)[:1])])
    rules = limits(tmp_path, GOOD)
    text = signoff(run, "--limits", rules, "--junit", tmp_path / "j.xml", code=1).stdout
    assert "FAIL s_axis->m_axis max_ns: 88 ns is above 60 ns (seed 4, episode 3)" in text
    assert "measured: 21 whole episodes of 6 seed(s), each limit by its worst value" in text
    assert "not measured: 3 episode(s) cut off by a reset" in text
    assert "note: m_axis max_gap_ns: measured in 20 of 21 episodes; others: one beat" in text
    assert "seed 4, episode 3" in (tmp_path / "j.xml").read_text()
    found = json.loads(signoff(run, "--limits", rules, "--json", code=1).stdout)
    assert (found["episodes"], found["seeds"], found["cut"]) == (21, 6, 3)
    assert [(c["seed"], c["episode"]) for c in found["checks"]][-1] == (4, 3)


def test_command_writes_junit_and_json(tmp_path: Path) -> None:
    run = run_folder(tmp_path / "run")
    rules = limits(tmp_path, GOOD.replace("= 60", "= 39") + "[port.raw]\nsteady = true\n")
    out = tmp_path / "j.xml"
    found = json.loads(signoff(run, "--limits", rules, "--junit", out, "--json", code=1).stdout)
    assert found["passed"] is False
    assert [c["verdict"] for c in found["checks"]] == ["pass", "pass", "pass", "unmeasured", "fail"]
    top = ET.parse(out).getroot()
    assert (top.tag, top.get("tests"), top.get("failures"), top.get("errors")) == ("testsuites", "5", "1", "1")
    cases = top.findall("./testsuite/testcase")
    assert [(c.get("classname"), c.get("name")) for c in cases][1] == ("m_axis", "min_msamples_per_s")
    assert [[e.tag for e in c if e.tag != "system-out"] for c in cases] == [[], [], [], ["error"], ["failure"]]
    before = out.read_bytes()
    assert "--force" in signoff(run, "--limits", rules, "--junit", out, code=2).stderr
    assert out.read_bytes() == before
    signoff(run, "--limits", limits(tmp_path, GOOD), "--junit", out, "--force", code=0)
    assert ET.parse(out).getroot().get("failures") == "0"


def test_command_on_a_file(tmp_path: Path) -> None:
    file = tmp_path / "m_axis.txt"
    write(file, trace(), "cint16")
    rules = limits(tmp_path, "[port.m_axis]\nmin_msamples_per_s = 180\nmax_idle_cycles = 3\n")
    args = ["--limits", rules, "-t", "cint16", "-w", "32", "--clock", "250"]
    assert "2 of 2 limits kept: PASS" in signoff(file, *args, code=0).stdout
    assert "limit for unknown port 'm_axis'" in signoff(file, *args, "--port", "other", code=2).stderr
    rules = limits(tmp_path, GOOD)
    text = signoff(file, *args, code=1).stdout
    assert "cannot be measured: a single file has no second port" in text


def test_what_the_command_refuses(tmp_path: Path) -> None:
    run, rules = run_folder(tmp_path / "run"), limits(tmp_path, GOOD)
    plain = tmp_path / "m_axis.txt"
    plain.write_text("1 2\n3 4\n")
    word = ["-t", "cint16", "-w", "32"]
    out = tmp_path / "j.xml"
    for args, message in (
        ([run, "--limits", rules, *word], "a run has them in its report"),
        ([plain, "--limits", rules], "give --dtype and --width"),
        ([plain, "--limits", rules, *word], "missing time stamps"),
        ([tmp_path / "none", "--limits", rules, *word], "no such file or folder"),
        ([tmp_path, "--limits", rules], "missing report.json"),
        ([run, "--limits", tmp_path / "none.toml"], "none.toml: no such file"),
        ([run], "Missing option '--limits'"),
    ):
        result = signoff(*args, "--junit", out, code=2)
        assert message in result.stderr
        assert not out.exists()


def test_junit_escapes_names() -> None:
    bad = LimitCheck("a<b>&\"'", "max_ns", 1.0, 2.0, "ns", "fail", "2 < 3 & more")
    top = ET.fromstring(limits_junit(file_subject("<&>", {}), [bad]))
    assert top.find("./testsuite/testcase").get("classname") == "a<b>&\"'"  # type: ignore[union-attr]
