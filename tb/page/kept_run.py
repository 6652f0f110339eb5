# SPDX-License-Identifier: Apache-2.0
"""What the folder of a run holds, read back for its page: the report, the ports with their traces, the transactions of buses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from goldbeat.pymodels.stored_trace import StoredTrace
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.trace_file import SUFFIX
from goldbeat.pymodels.transactions import Transactions
from goldbeat.tb.run.episodes import WholeEpisode, load_episodes
from goldbeat.tb.run.first_mismatch import FirstMismatch
from goldbeat.tb.run.kept_report import read_report
from goldbeat.tb.run.signoff import ReportObligations


class _Entry(BaseModel):
    """A part of the report; what the page does not need is left out."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class KeptRate(_Entry):
    """A rate of a port."""

    mb_per_s: float
    msamples_per_s: float | None = None
    share_of_port: float


class KeptWindowRate(_Entry):
    """A rate in a window."""

    mb_per_s: float
    msamples_per_s: float | None = None


class KeptThroughput(_Entry):
    """The figures of a port."""

    beats: int
    frames: int
    clock_ps: int
    limit_mb_per_s: float
    raw: KeptRate | None = None
    by_frames: KeptRate | None = None
    sustained: KeptRate | None = None
    max_idle_cycles: float | None = None


class KeptSlowest(_Entry):
    """Where the slowest window of a port begins."""

    cycle: int
    seed: int
    episode: int


class KeptWindow(_Entry):
    """The windows of one length."""

    cycles: int
    ns: float
    least: KeptWindowRate
    most: KeptWindowRate
    slowest: KeptSlowest


class KeptPlace(_Entry):
    """An episode of a run."""

    seed: int
    episode: int


class KeptLatency(_Entry):
    """The worst latencies of all whole episodes from one port to another, in nanoseconds."""

    by: str
    max_ns: float
    max_mean_ns: float
    max_p50_ns: float
    max_p90_ns: float
    max_p99_ns: float
    max_p999_ns: float
    worst: KeptPlace


class KeptEntry(_Entry):
    """A port's entry."""

    direction: str
    dtype: str | None = None
    width: int
    trace: str | None = None
    expected: str | None = None
    packets: bool = False
    model: Literal["equal", "differs"] | None = None
    throughput: KeptThroughput | None = None
    differs_in: KeptPlace | None = None
    windows: Sequence[KeptWindow] = ()
    shares: Mapping[str, float] | None = None
    not_compared: Sequence[str] = ()
    left_out: str | None = None
    file: str | None = None


class KeptSeed(_Entry):
    """A seed of a run of several."""

    seed: int
    status: str
    compared: int = 0
    episodes: int = 0
    repeat: str | None = None


class KeptTable(_Entry):
    """A table of what a design has measured itself."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


class KeptRecording(_Entry):
    """What an earlier recording says of a run of RTL that has no golden model."""

    state: str
    meaning: str


class _Ahead(_Entry):
    """What ran before the streams, by bus port, and how long."""

    lead_ps: int = 0
    transactions: Mapping[str, int] = {}


class _KeptEpisodes(_Entry):
    file: str
    whole: int
    cut: int = 0


class KeptViews(_Entry):
    """Files that open the waves at the first difference, or why there are none."""

    surfer: str | None = None
    gtkwave: str | None = None
    none: str | None = None


class KeptReport(_Entry):
    """What the page needs of ``report.json``."""

    design: str
    case: str
    params: Mapping[str, Any] = {}
    options: Mapping[str, Any] = {}
    seed: int
    status: Literal["pass", "fail", "partial", "recorded"]
    compared: int
    time_compared: bool = True
    order_compared: bool = True
    episodes: int
    main_episode: int | None = None
    failures: Sequence[str] = ()
    partial: Sequence[str] = ()
    open: Sequence[str] = ()
    untried: Sequence[str] = ()
    unread: Sequence[str] = ()
    confirmed: Mapping[str, str] = {}
    warnings: Sequence[str] = ()
    waived: Mapping[str, int] = {}
    undriven: Mapping[str, str] = {}
    repeat: str = ""
    repeat_in: str = ""
    waves: str | None = None
    log: str | None = None
    subject: str | None = None
    recording: KeptRecording | None = None
    ahead_of_streams: _Ahead = _Ahead()
    ports: Mapping[str, KeptEntry] = {}
    latency: Mapping[str, KeptLatency] = {}
    measured: _KeptEpisodes | None = None
    seeds: Sequence[KeptSeed] = ()
    tables: Sequence[KeptTable] = ()
    coverage: Mapping[str, Mapping[str, int]] = {}
    memory_plots: Mapping[str, str] = {}
    difference: FirstMismatch | None = None
    views: KeptViews | None = None
    obligations: ReportObligations | None = None


@dataclass(frozen=True)
class KeptPort:
    """A stream port of the run's main episode.

    Attributes:
        name: of the port.
        entry: what the report says of it.
        trace: what was recorded.
        expected: what the model predicted; None where that was not kept.
        has_data: the trace has its data; without, it has times, TLAST and numbers of bytes alone.
    """

    name: str
    entry: KeptEntry
    trace: Trace
    expected: Trace | None
    has_data: bool


@dataclass(frozen=True)
class KeptRun:
    """A run as its folder has it.

    Attributes:
        folder: of the run, or of one of its seeds.
        report: what it says.
        ports: stream ports that have a trace, in the report's order.
        buses: transactions of the main episode by bus port; with streams, their cycles count from the start of these.
    """

    folder: Path
    report: KeptReport
    ports: Sequence[KeptPort] = ()
    buses: Mapping[str, Transactions] = field(default_factory=dict)

    @property
    def is_led(self) -> bool:
        """Something ran before the streams: it has negative times."""
        return any(int(bus.begin.min()) < 0 for bus in self.buses.values() if len(bus))

    @property
    def title(self) -> str:
        """Design, case and what it was about."""
        subject = f", {self.report.subject}" if self.report.subject else ""
        return f"{self.report.design} {self.report.case}{subject}"

    def link(self, path: str | None) -> str | None:
        """A file of the run as a link from its page; None where it is not there, or elsewhere."""
        if path is None:
            return None
        target = self.folder / path
        inside = target.resolve()
        if not target.is_file() or not inside.is_relative_to(self.folder.resolve()):
            return None
        return inside.relative_to(self.folder.resolve()).as_posix()


def load_kept(folder: Path) -> KeptRun:
    """Read a folder that ``goldbeat run`` has written.

    Raises:
        InputError: no report, or a damaged file; it names the file.
    """
    report = read_report(KeptReport, folder)
    episode = None
    if report.measured is not None:
        whole = load_episodes(folder / report.measured.file)
        mine = [e for e in whole if (e.seed, e.episode) == (report.seed, report.main_episode)]
        episode = mine[0] if mine else None
    ports = [_load_port(folder, name, entry, episode) for name, entry in report.ports.items()]
    found = [p for p in ports if p is not None]
    ahead = report.ahead_of_streams if any(len(p.trace) for p in found) else _Ahead()
    buses = {} if episode is None else {name: _placed(bus, name, ahead) for name, bus in episode.transactions.items()}
    return KeptRun(folder, report, found, buses)


def _placed(bus: Transactions, name: str, ahead: _Ahead) -> Transactions:
    """Transactions with all cycles counted from the start of the streams: those before it have negative ones."""
    lead = -(-ahead.lead_ps // bus.period_ps)
    shift = np.where(np.arange(len(bus)) < ahead.transactions.get(name, 0), lead, 0)
    return replace(bus, begin=bus.begin - shift, first=bus.first - shift, end=bus.end - shift)


def _load_port(folder: Path, name: str, entry: KeptEntry, episode: WholeEpisode | None) -> KeptPort | None:
    got = _load_trace(folder, entry.trace)
    if got is not None:
        return KeptPort(name, entry, got, _load_trace(folder, entry.expected), True)
    if episode is None or name not in episode.ports:
        return None
    return KeptPort(name, entry, episode.ports[name], None, False)


def _load_trace(folder: Path, path: str | None) -> Trace | None:
    if path is None or not (folder / path).is_file():
        return None
    return StoredTrace.open(folder / path) if path.endswith(SUFFIX) else Trace.load(folder / path)
