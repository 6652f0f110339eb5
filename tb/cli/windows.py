# SPDX-License-Identifier: Apache-2.0
"""What commands say of the windows of a port, and of what it did between its beats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from goldbeat.pymodels.curves.port import TOO_FEW, PortWindow
from goldbeat.pymodels.measure import PERCENTILES, Rate, Throughput
from goldbeat.tb.cli.common import ns


def window_lines(windows: Sequence[PortWindow], lines: Sequence[int] = ()) -> list[str]:
    """A line per length of window.

    Args:
        windows: of one port.
        lines: of the file that each beat is on; empty: there is no file.
    """
    return [_line(one, lines) for one in windows]


def _line(one: PortWindow, lines: Sequence[int]) -> str:
    place = f"from {ns(one.start_ps)} on"
    if len(lines):
        place += f", after line {lines[one.beat]}" if one.beat >= 0 else f", line {lines[0]}"
    return f"{one.cycles} cycles ({ns(one.least.span_ps)}): {_rates(one)}, slowest {place}"


def _rates(one: PortWindow) -> str:
    low, high = (_rate(rate) for rate in (one.least, one.most))
    return f"{low[0]} to {high[0]} {high[1]}"


def _rate(rate: Rate) -> tuple[str, str]:
    if rate.msamples_per_s is None:
        return f"{rate.mb_per_s:.2f}", "MB/s"
    return f"{rate.msamples_per_s:.2f}", "Msamples/s"


_MOST_GAPS = 12


def gap_rows(result: Throughput, clock_known: bool) -> list[tuple[str, str]]:
    """The histogram of the time between beats; in cycles alone where the clock is not known."""
    gaps = list(result.gap_ps.items())
    rows = []
    for at, (gap, count) in enumerate(gaps):
        name, idle = "gaps" if at == 0 else "", result.idle_cycles(gap)
        if len(gaps) > _MOST_GAPS and at == _MOST_GAPS - 1:
            rest = gaps[at:]
            longest = result.idle_cycles(rest[-1][0])
            rows.append((name, f"{sum(n for _, n in rest)} x longer, up to {longest:.10g} idle cycles"))
            break
        time = f"{ns(gap)}, " if clock_known else ""
        rows.append((name, f"{count} x {time}{idle:.10g} idle cycle{'' if idle == 1 else 's'}"))
    return rows


def told_line(port: Mapping[str, Any], cycles: int = 64) -> str:
    """What a run says of a port: its slowest window, where that is, and the shares of its cycles.

    Args:
        port: its entry in the run's report.
        cycles: length of the window; a shorter one where the port has no such window.
    """
    found = [one for one in port.get("windows", ()) if one["cycles"] <= cycles]
    if not found:
        return TOO_FEW
    one, least = found[-1], found[-1]["least"]
    samples, at = least["msamples_per_s"], found[-1]["slowest"]
    rate = f"{least['mb_per_s']:.2f} MB/s" if samples is None else f"{samples:.2f} Msamples/s"
    where = f"from cycle {at['cycle']} on (seed {at['seed']}, episode {at['episode']})"
    said = f"slowest {one['cycles']} cycles {rate}, {where}"
    return said if port["shares"] is None else f"{said}; {shares_text(port['shares'])}"


def shares_text(shares: Mapping[str, float]) -> str:
    """``busy 80.0 %, stalled 15.0 %, starved 5.0 %``."""
    return ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares.items())


def latency_line(path: Mapping[str, Any]) -> str:
    """``latency by beat: mean 40 ns, p50 40, ..., max 44 ns (seed 0, episode 2)``.

    Args:
        path: its entry in the run's report.
    """
    names = [(name, f"max_{name}_ns") for name in ("mean", *PERCENTILES)]
    figures = ", ".join(f"{name.replace('p999', 'p99.9')} {path[key]:.10g}" for name, key in names)
    at = path["worst"]
    where = f"seed {at['seed']}, episode {at['episode']}"
    return f"latency by {path['by']} in ns: {figures}, max {path['max_ns']:.10g} ({where})"
