# SPDX-License-Identifier: Apache-2.0
"""Views of a wave file that open at the first difference, for Surfer and GTKWave.

Formats: Surfer's command files (``docs/commands`` of its repository), GTKWave's save files ("SAVE FILE" in its manual; a trace is
preceded by its flags in hex).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.build.harness import TOP
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.run.expected_lane import DIFFERENCE, difference_ps, expected_lane
from goldbeat.tb.run.first_mismatch import FirstMismatch
from goldbeat.tb.run.fst_file import add_to_fst, fst_names
from goldbeat.tb.run.lane import LaneSignal, WaveNames
from goldbeat.tb.run.run_folder import GTKWAVE_VIEW, SURFER_VIEW
from goldbeat.tb.run.runs import RunResult
from goldbeat.tb.run.vcd_file import add_to_vcd, vcd_names

EXPECTED = "expected"
"""The scope of what the golden model expects."""
_FILES: dict[str, tuple[Callable[[Path], WaveNames], Callable[[Path, str, Sequence[LaneSignal]], None]]] = {
    ".fst": (fst_names, add_to_fst),
    ".vcd": (vcd_names, add_to_vcd),
}
_PIXELS, _FRAME = 1000, 200
"""Width of the window that GTKWave's zoom is made for, and of what its zoom is the time of."""
_BIT, _WORD, _GROUP, _GROUP_END = "@28", "@22", "@800200", "@1000200"
"""GTKWave's flags: binary, hex, the beginning and the end of a group."""


@dataclass(frozen=True)
class WaveView:
    """What a view shows.

    Attributes:
        groups: signals by the name of their group, with their ranges.
        time_ps: of the first difference: marker and cursor.
        start_ps, end_ps: the part that is shown.
        last_ps: end of the file.
    """

    groups: dict[str, list[str]]
    time_ps: int
    start_ps: int
    end_ps: int
    last_ps: int


def save_views(result: RunResult, found: FirstMismatch, folder: Path) -> dict[str, Any]:
    """Add the expected lane to the wave file, and write the views into the folder of the run; the report's entry.

    Args:
        result: of the run; without waves, there is nothing to view.
        found: its first difference.
        folder: where the views go.
    """
    waves = result.waves
    if waves is None or waves.suffix not in _FILES:
        return {}
    # A process that took over writes a file of its own, whose times are others.
    if any(waves.parent.glob("waves-*")):
        return {"views": {"none": "the waves are in several files"}}
    try:
        view = _view(result, found, waves)
    except InputError as error:
        return {"views": {"none": str(error)}}
    (folder / SURFER_VIEW).write_text(surfer_commands(view), encoding="utf-8")
    (folder / GTKWAVE_VIEW).write_text(gtkwave_save(view), encoding="utf-8")
    return {"views": {"time_ps": view.time_ps, "surfer": SURFER_VIEW, "gtkwave": GTKWAVE_VIEW}}


def _view(result: RunResult, found: FirstMismatch, waves: Path) -> WaveView:
    names, add = _FILES[waves.suffix]
    scope = EXPECTED if len(result.request.seeds) == 1 else f"{EXPECTED}_seed_{result.seed}"
    before = names(waves)
    lane = expected_lane(result, found)
    # Of a failed seed of several, the report of the run and its own show the same.
    if not any(name.startswith(f"{scope}.") for name in before.names):
        add(waves, scope, lane)
    there = names(waves)
    design = result.request.design
    port = next(one for one in design.bundles(result.request.all_params) if one.name == found.port)
    clock = result.episodes[found.episode].stimulus.clocks[found.clock]
    time = difference_ps(result, found)
    return WaveView(
        {found.port: _there(there, _signals(port)), scope: _there(there, [f"{scope}.{one.name}" for one in lane])},
        time,
        max(0, time - (found.cycle - found.first + 1) * clock.period_ps),
        time + (found.cycles.stop - found.cycle) * clock.period_ps,
        there.end_ps,
    )


def _signals(port: StreamPort) -> list[str]:
    """Clock, handshake, then payload."""
    wires = [wire.name for wire in port.wires()]
    first = [name for name in ("tvalid", "tready") if name in wires]
    rest = [name for name in wires if name not in first]
    return [f"{TOP}.{port.clock}", *(f"{TOP}.{port.name}_{name}" for name in [*first, *rest])]


def _there(found: WaveNames, wanted: Sequence[str]) -> list[str]:
    """Those of the wanted signals that the file has, with their ranges."""
    by_name = {name.partition("[")[0]: name for name in found.names}
    return [by_name[name] for name in wanted if name in by_name]


def surfer_commands(view: WaveView) -> str:
    """A view as Surfer's commands; each ``zoom_in`` halves what is shown."""
    lines = []
    for group, names in view.groups.items():
        lines.append(f"divider_add {group}")
        lines += [f"variable_add {name.partition('[')[0]}" for name in names]
    lines += ["zoom_fit"]
    lines += ["zoom_in"] * max(0, int(math.log2(max(1, view.last_ps / (view.end_ps - view.start_ps)))))
    # The cursor moves the part that is shown, unless it lies in it.
    lines += [f"marker_set {DIFFERENCE} {view.time_ps}", f"cursor_set {view.time_ps}"]
    return "\n".join(lines) + "\n"


def gtkwave_save(view: WaveView) -> str:
    """A view as GTKWave's save file."""
    shown = view.end_ps - view.start_ps
    zoom = -math.log2(shown * _FRAME / _PIXELS)
    lines = [
        f"[timestart] {view.start_ps}",
        f"[size] {_PIXELS + 400} 700",
        # The primary marker, and marker A; the others are not set.
        f"*{zoom:.6f} {view.time_ps} {view.time_ps}{' -1' * 25}",
        f"[markername] A{DIFFERENCE}",
        "[signals_width] 260",
    ]
    for group, names in view.groups.items():
        lines += [_GROUP, f"-{group}"]
        for name in names:
            lines += [_WORD if "[" in name else _BIT, name]
        lines += [_GROUP_END, f"-{group}"]
    return "\n".join(lines) + "\n"
