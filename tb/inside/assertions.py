# SPDX-License-Identifier: Apache-2.0
"""Failed assertions of the design (and its ``$error``): collected by the kernel, told by name, instance and cycle."""

from __future__ import annotations

from collections.abc import Mapping

from goldbeat.pymodels.stimulus import Clock
from goldbeat.tb.design.source_names import short_place
from goldbeat.tb.kernel.library import library
from goldbeat.tb.kernel.rules import ASSERTION


def collect_failures() -> None:
    """From now on, a failed assertion is kept for :func:`failed_assertions` and stops nothing."""
    library().gb_collect_failures()


def failed_assertions(top: str, origin: int, clocks: Mapping[str, Clock]) -> list[str]:
    """Assertions that have failed since the last call, as violations of the rule ``rtl_assertion``; each once.

    Args:
        top: the design's top module, which begins every path.
        origin: simulation time in ps that cycles are counted from.
        clocks: of the episode.
    """
    report: str = library().gb_failures().decode(errors="replace")
    return [_text(line, top, origin, clocks) for line in report.splitlines()]


def _text(line: str, top: str, origin: int, clocks: Mapping[str, Clock]) -> str:
    time, count, source, scope, message = line.split("\t")
    # The harness and its instance of the design come first.
    name = ".".join([top, *scope.split(".")[2:]])
    said = ": ".join(part for part in (message, short_place(source)) if part)
    more = f" ({count} times in all)" if int(count) > 1 else ""
    return f"{ASSERTION}: {name}, {_when(int(time) - origin, clocks)}: {said}{more}"


def _when(time_ps: int, clocks: Mapping[str, Clock]) -> str:
    """The cycle of the first clock that rises at that time."""
    for name, clock in clocks.items():
        cycle = clock.first_edge_after(time_ps) - 1
        if clock.time(cycle) == time_ps:
            return f"cycle {cycle} of {name}"
    return f"{time_ps} ps"
