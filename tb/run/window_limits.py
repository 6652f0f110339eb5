# SPDX-License-Identifier: Apache-2.0
"""Limits on windows: ``least_rate`` and its kind, for one length of window or for a table of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from goldbeat.pymodels.curves.spans import EXPECTED, WindowSpan, extreme_window
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.measure import Rate, port_share, rate_of
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.usual_clocks import Period, whole_cycles

_UNITS = {"rate": "Msamples/s", "mb_per_s": "MB/s", "share": "of the port"}


class WindowLimits(BaseModel):
    """Limits that hold in every window of a port.

    Attributes:
        window: length of the windows: ``1 us``, ``64 cycles``, ``256 beats``, ``4 frames``.
        least_rate: lowest rate in millions of samples per second, or a table of them by length of window.
        least_mb_per_s: the same in millions of bytes per second.
        least_share: the same as a part of what the port can carry.
        most_rate, most_mb_per_s: highest rate.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    window: str | None = None
    least_rate: float | Mapping[str, float] | None = None
    least_mb_per_s: float | Mapping[str, float] | None = None
    least_share: float | Mapping[str, float] | None = None
    most_rate: float | Mapping[str, float] | None = None
    most_mb_per_s: float | Mapping[str, float] | None = None


WINDOW_KEYS = tuple(name for name in WindowLimits.model_fields if name != "window")


@dataclass(frozen=True)
class WindowLimit:
    """One limit on the windows of one length.

    Attributes:
        name: for reports: the key, and the length.
        key: in the limits file.
        span: the length.
        limit: in the key's unit.
    """

    name: str
    key: str
    span: WindowSpan
    limit: float

    @property
    def unit(self) -> str:
        """Of the limit."""
        return _UNITS[self.key.partition("_")[2]]

    @property
    def needs_clock(self) -> bool:
        """Whether it means nothing without the port's clock."""
        return self.span.kind == "cycle" or self.key == "least_share"

    def value(self, rate: Rate, trace: Trace, clock_ps: Period | None) -> float | None:
        """The rate in the limit's unit; None: the sample type is not known."""
        if self.key.endswith("mb_per_s"):
            return rate.mb_per_s
        if self.key == "least_share":
            return port_share(rate, trace.width, clock_ps or trace.clock_ps)
        return rate.msamples_per_s

    def measure(
        self, trace: Trace, dtype: str | None, clock_ps: Period | None
    ) -> tuple[float | None, int, int, int] | None:
        """Of one trace the extreme rate, start and length of its window in picoseconds, and the beat before; None: too short."""
        if len(trace) < 2:
            return None
        found = extreme_window(trace, self.span, clock_ps=clock_ps, most=self.key.startswith("most_"))
        if found is None:
            return None
        length = found.length if self.span.kind == "ps" else whole_cycles(found.length, clock_ps or trace.clock_ps)
        rate = rate_of(found.payload, dtype, length)
        return self.value(rate, trace, clock_ps), found.start, found.length, found.beat


def window_limits(table: WindowLimits) -> Iterator[WindowLimit]:
    """Each limit of a table, for each length of window.

    Raises:
        UsageError: a length that cannot be read.
    """
    for key in WINDOW_KEYS:
        given = getattr(table, key)
        if isinstance(given, Mapping):
            for text, limit in given.items():
                yield WindowLimit(f"{key} in {text}", key, WindowSpan.parse(text), limit)
        elif given is not None:
            assert table.window is not None
            yield WindowLimit(f"{key} in {table.window}", key, WindowSpan.parse(table.window), given)


def check_windows(where: str, table: WindowLimits, path: Path, others: Mapping[str, Any]) -> None:
    """Refuse limits on windows that do not say which, windows without limits, and lengths that cannot be read.

    Args:
        where: the table, for messages.
        table: as the file gives it.
        path: of the file.
        others: limits that are no limits of windows, by name.

    Raises:
        InputError: with the key that was meant.
    """
    single = [key for key in WINDOW_KEYS if isinstance(getattr(table, key), float)]
    if single and table.window is None:
        expected = f'a window beside it: {EXPECTED}; or a table: {single[0]} = {{ "1 us" = 200, "10 us" = 240 }}'
        raise InputError(f"{where} {single[0]} without window", expected, file=path)
    if table.window is not None and not single:
        means = [key for key in others if key.startswith("min_")]
        hint = f"; {means[0]} is a mean" if means else ""
        raise InputError(f"{where} window without a limit for it", f"one of {', '.join(WINDOW_KEYS)}{hint}", file=path)
    for key in WINDOW_KEYS:
        given = getattr(table, key)
        values = [given] if isinstance(given, float) else list((given or {}).values())
        if any(value <= 0 for value in values) or (isinstance(given, Mapping) and not given):
            raise InputError(f"{where} {key} = {given}", "numbers above 0", file=path)
        if key == "least_share" and any(value > 1 for value in values):
            raise InputError(f"{where} {key} = {given}", "a part of what the port carries, 1 at most", file=path)
    try:
        spans = [(limit.key, limit.span.kind, limit.span.count) for limit in window_limits(table)]
    except UsageError as error:
        raise InputError(f"{where} {str(error).partition(': expected')[0]}", EXPECTED, file=path) from None
    if twice := [one for one in spans if spans.count(one) > 1]:
        key, kind, count = twice[0]
        raise InputError(f"{where} {key} of windows of {count} {kind} twice", "each length once", file=path)
