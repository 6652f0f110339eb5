# SPDX-License-Identifier: Apache-2.0
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.run.plot import binned, busy, legend_above, new_figure, plot_memory, plot_run, plot_trace

PNG = b"\x89PNG\r\n\x1a\n"


def stream(beats: int, frame: int | None = None) -> Trace:
    return Trace.from_samples(np.zeros(beats, int), "int32", 32, clock_ps=4000, frame=frame, offset_ps=500)


def test_bins_hold_every_byte_once() -> None:
    for beats in (1, 2, 159, 160, 161, 1000):
        trace = stream(beats).with_gaps(Pattern("bursty", burst=9, seed=beats).gaps(beats))
        edges, rate = binned(trace)
        assert len(edges) == len(rate) + 1
        assert len(rate) <= 160
        assert edges[0] == trace.time_ps[0]
        assert edges[-1] == trace.time_ps[-1] + trace.clock_ps
        assert (rate * np.diff(edges)).sum() / 1e6 == pytest.approx(4 * beats)
        assert rate.max() <= 1000.0 + 1e-9
    assert [len(part) for part in binned(stream(0))] == [0, 0]


def test_traces_of_every_size_can_be_drawn(tmp_path: Path) -> None:
    uneven = stream(4000, 50).with_gaps(Pattern("bursty", burst=40).gaps(4000))
    for name, trace in {"none": stream(0), "one": stream(1), "long": uneven}.items():
        plot_trace(trace, tmp_path / f"{name}.png", title=name, dtype="int32")
        assert (tmp_path / f"{name}.png").read_bytes().startswith(PNG)
    # Without a type, and into a stream.
    out = BytesIO()
    plot_trace(stream(64, 16), out, title="t")
    assert out.getvalue().startswith(PNG)


def drawn(path: Path) -> tuple[list[str], list[list[tuple[float, float]]]]:
    """The texts of an SVG, and the points of its lines."""
    elements = list(ElementTree.parse(path).getroot().iter())
    texts = [one.text or "" for one in elements if one.tag.endswith("text")]
    lines = [one.get("points", "").split() for one in elements if one.tag.endswith("polyline")]
    return texts, [[tuple(map(float, point.split(","))) for point in line] for line in lines]  # type: ignore[misc]


def test_a_run_is_drawn_as_svg_where_its_traces_are(tmp_path: Path) -> None:
    # 16 beats in a row, 48 cycles of rest, 16 beats: half a bin each, in bins of one cycle.
    gaps = np.r_[np.zeros(16, int), 48, np.zeros(15, int)]
    plot_run({"a": stream(32, 16).with_gaps(gaps), "<b>": stream(0)}, tmp_path / "r.svg", "run & all", {"a": "int32"})
    texts, (area, outline, limit, *_) = drawn(tmp_path / "r.svg")
    assert {"run & all", "a: throughput", "<b>: throughput", "no beats", "4", "196", "30", "1"} <= set(texts)
    assert area == outline
    low, high = max(y for _, y in area), min(y for _, y in area)
    # The rate while beats move is the port's limit, 250 Msamples/s, where the scale has it.
    assert {y for _, y in limit} == {high}
    elements = list(ElementTree.parse(tmp_path / "r.svg").getroot().iter())
    panel = next(float(one.get("y", "")) for one in elements if one.tag.endswith("svg") and one.get("x"))
    scale = {one.text: float(one.get("y", "")) - panel - 3.5 for one in elements if one.get("text-anchor") == "end"}
    assert (low, high) == pytest.approx((scale["0"], (scale["200"] + scale["300"]) / 2), abs=0.2)
    # Of 80 cycles the ones from 16 to 64 are at rest.
    across = [x for x, y in area if y == low]
    left, right = min(x for x, _ in area), max(x for x, _ in area)
    rest = [x for x in across if left < x < right]
    assert [(x - left) / (right - left) for x in (rest[0], rest[-1])] == pytest.approx([16 / 80, 64 / 80], abs=0.002)


def test_the_scales_of_an_svg_are_round_numbers(tmp_path: Path) -> None:
    uneven = stream(4000, 50).with_gaps(Pattern("bursty", burst=40).gaps(4000))
    many = stream(400).with_gaps(np.arange(400) % 23)
    plot_run({"uneven": uneven, "many": many}, tmp_path / "r.svg", "run")
    texts, lines = drawn(tmp_path / "r.svg")
    assert {"0", "500", "1000", "10", "100"} <= set(texts)
    assert all(np.isfinite(line).all() for line in lines)
    plot_run({}, tmp_path / "n.svg", "nothing")
    assert "no ports" in drawn(tmp_path / "n.svg")[0]


def test_runs_can_be_drawn(tmp_path: Path) -> None:
    plot_run({"a": stream(64, 16), "b": stream(0)}, tmp_path / "r.png", "run", {"a": "int32", "b": None})
    plot_run({}, tmp_path / "n.png", "nothing")
    for name in ("r.png", "n.png"):
        assert (tmp_path / name).read_bytes().startswith(PNG)


def bursts(*rows: tuple[int, int, int, int, int, int]) -> np.ndarray:
    names = ("kind", "region", "address", "len", "first", "last")
    kinds = ("u1", "<i4", "<u8", "<u2", "<i8", "<i8")
    return np.array(list(rows), dtype=list(zip(names, kinds, strict=True)))


def test_the_use_of_a_data_channel_holds_every_beat_once() -> None:
    rng = np.random.default_rng(1)
    length = rng.integers(0, 16, 200)
    first = rng.integers(0, 5000, 200)
    last = first + length + rng.integers(0, 40, 200)
    log = bursts(*((0, 0, 0, int(n), int(a), int(b)) for n, a, b in zip(length, first, last, strict=True)))
    for bins in (1, 7, 160):
        edges = np.linspace(0, int(last.max()) + 1, bins + 1)
        share = busy(log, edges)
        assert (share * np.diff(edges)).sum() == pytest.approx(int((length + 1).sum()))
        assert share.min() >= -1e-9
    # One burst of 4 beats in 8 cycles: half of these, nothing before and after.
    assert busy(bursts((0, 0, 0, 3, 8, 15)), np.array([0.0, 8, 12, 16, 24])) == pytest.approx([0, 0.5, 0.5, 0])


def test_what_a_memory_has_answered_can_be_drawn(tmp_path: Path) -> None:
    regions = [Region("a", 0x1000, np.zeros(4096, np.uint8)), Region("b", 0x4000, np.zeros(64, np.uint8))]
    plain = bursts((0, 0, 0x1000, 3, 5, 8), (1, 1, 0x4000, 0, 9, 9), (0, 0, 0x1040, 3, -1, -1))
    refused = bursts((0, -1, 0x9000, 3, 5, 8))
    for name, log in {"plain": plain, "refused": refused, "open": plain[2:], "none": plain[:0]}.items():
        plot_memory(log, regions, tmp_path / f"{name}.png", name)
        assert (tmp_path / f"{name}.png").read_bytes().startswith(PNG)


def test_a_legend_covers_no_data() -> None:
    figure, (top, below) = new_figure("run", [["a"], ["b"]], (8, 4), [1, 1])
    for axes in (top, below):
        axes.set_title("a title", loc="left")
        for name in ("one", "two", "three"):
            axes.plot([0, 1], [0, 1], label=name)
        legend_above(axes)
    figure.canvas.draw()
    for axes in (top, below):
        assert axes.get_legend().get_window_extent().y0 >= axes.bbox.y1
    assert below.get_legend().get_window_extent().y1 <= top.bbox.y0
