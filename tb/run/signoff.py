# SPDX-License-Identifier: Apache-2.0
"""Sign-off: a table of limits against what traces say, and nothing passes that was not measured."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr

from goldbeat.pymodels.backlog import BACKLOG_UNITS, BacklogUnit, backlog
from goldbeat.pymodels.curves import slowest_window
from goldbeat.pymodels.curves.iterations import iteration_bytes, iterations
from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.measure import (
    EarlyOutputError,
    Throughput,
    UnmatchedError,
    UnmeasurableError,
    latencies,
    latency_figures,
    measure,
    open_tail,
    port_limit_mb_per_s,
    rate_of,
)
from goldbeat.pymodels.packet_payload import check_headers, looks_like_packets, without_headers
from goldbeat.pymodels.samples import sample_type
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.transactions import Transactions
from goldbeat.pymodels.usual_clocks import Period
from goldbeat.tb.run.episodes import WholeEpisode, load_episodes
from goldbeat.tb.run.junit import JUnitCase, JUnitSuite, junit_text
from goldbeat.tb.run.kept_report import read_report
from goldbeat.tb.run.seal import check_digest, check_seal
from goldbeat.tb.run.sources import changed_sources
from goldbeat.tb.run.status import RECORDED
from goldbeat.tb.run.transaction_limits import TransactionLimits, check_transaction_ports, measured_transactions
from goldbeat.tb.run.window_limits import WINDOW_KEYS, WindowLimit, WindowLimits, check_windows, window_limits
from goldbeat.tb.toml import Refused, explain, load_model

ARROW = "->"
"""Between the two ports of a latency limit."""

SAME_AS_RECORDED = "same as recorded"
"""What stands for the verdict of a run that no golden model has checked."""

_ALONE = "a single file has no second port; give the other file too, or a run folder"

Verdict = Literal["pass", "fail", "unmeasured"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    def given(self) -> dict[str, Any]:
        """The limits that the file sets, by name."""
        return {k: v for k, v in self if k.startswith(("min_", "max_", *WINDOW_KEYS)) and v is not None}


def _exactly_true(value: Any) -> Any:
    """1 is equal to true, but is no switch."""
    if isinstance(value, int) and not isinstance(value, bool):
        raise ValueError("true")
    return value


class PortLimits(_Frozen, WindowLimits):
    """Limits of one port; those on windows are inherited.

    Attributes:
        rate: throughput that the minima apply to: ``continuous`` (inside frames), or the sustained rate; see
            :mod:`goldbeat.pymodels.measure`.
        window_ns: the minima apply to the slowest window of this length, instead of to a mean rate.
        packets: headers of packets do not count; None: as the file or run says.
        min_msamples_per_s: lowest throughput in millions of samples per second; a complex sample counts as one.
        min_mb_per_s: lowest throughput in millions of bytes per second.
        max_gap_ns: longest time from one beat to the next.
        max_idle_cycles: longest run of clock cycles without a transfer between two beats.
        max_frame_interval_ns: longest time from one TLAST to the next.
        steady: the last frame intervals must agree within 5 %.
    """

    rate: Literal["continuous"] | None = None
    window_ns: float | None = Field(default=None, gt=0)
    packets: bool | None = None
    min_msamples_per_s: float | None = Field(default=None, gt=0)
    min_mb_per_s: float | None = Field(default=None, gt=0)
    max_gap_ns: float | None = Field(default=None, gt=0)
    max_idle_cycles: int | None = Field(default=None, ge=0)
    max_frame_interval_ns: float | None = Field(default=None, gt=0)
    steady: Annotated[Literal[True], BeforeValidator(_exactly_true)] | None = None


class LatencyLimits(_Frozen):
    """Limits from one port to another.

    Attributes:
        by: unit that is matched between the ports; see :func:`goldbeat.pymodels.measure.latencies`.
        iteration: samples of an iteration at the input and at the output, of kernels without TLAST; from first beat to first
            beat then, with ``by = "frame-total"`` to the last one.
        max_ns: largest latency.
        max_mean_ns: largest average latency.
        max_first_ns: largest latency of the first beat or frame.
        max_p50_ns, max_p90_ns, max_p99_ns, max_p999_ns: largest latency of 50, 90, 99 and 99.9 % of all.
    """

    by: Literal["beat", "frame", "frame-end", "frame-total"] = "beat"
    iteration: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] | None = Field(
        default=None, strict=False
    )
    max_ns: float | None = Field(default=None, ge=0)
    max_mean_ns: float | None = Field(default=None, ge=0)
    max_first_ns: float | None = Field(default=None, ge=0)
    max_p50_ns: float | None = Field(default=None, ge=0)
    max_p90_ns: float | None = Field(default=None, ge=0)
    max_p99_ns: float | None = Field(default=None, ge=0)
    max_p999_ns: float | None = Field(default=None, ge=0)


class BacklogLimits(_Frozen):
    """Limits of the backlog between two ports; see :func:`goldbeat.pymodels.backlog.backlog`.

    Attributes:
        max_backlog_beats, max_backlog_bytes, max_backlog_frames: largest backlog.
    """

    max_backlog_beats: int | None = Field(default=None, ge=0)
    max_backlog_bytes: int | None = Field(default=None, ge=0)
    max_backlog_frames: int | None = Field(default=None, ge=0)


class ObligationLimits(_Frozen):
    """Limits of what the run has left untried (docs/verify.md).

    Attributes:
        max_open: most obligations that are neither met nor waived.
    """

    max_open: int = Field(ge=0)


class Limits(_Frozen):
    """A limits file: tables of ports, of latencies and backlogs ``IN->OUT``, of transactions, and of obligations."""

    port: Mapping[str, PortLimits] = {}
    latency: Mapping[str, LatencyLimits] = {}
    backlog: Mapping[str, BacklogLimits] = {}
    transactions: Mapping[str, TransactionLimits] = {}
    obligations: ObligationLimits | None = None
    _file: Path | None = PrivateAttr(None)

    @property
    def where(self) -> str:
        """The file's name before a message; empty: limits of a description."""
        return "" if self._file is None else f"{self._file}: "

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Input and output of each latency and backlog table."""
        for name in (*self.latency, *self.backlog):
            yield split_path(name)


def split_path(name: str) -> tuple[str, str]:
    """Input and output of ``IN->OUT``; what is not there is empty."""
    source, _, sink = (part.strip() for part in name.partition(ARROW))
    return source, sink


@dataclass(frozen=True)
class MeasuredPort:
    """One port's trace and what is known of it."""

    trace: Trace
    dtype: str | None = None
    clock_ps: Period | None = None
    """Period of the port's clock, where the trace's own is finer."""
    clock_known: bool = True
    """False where the clock is inferred from the times of the beats."""
    packets: bool = False
    """It is a packet stream, whose headers do not count."""
    notes: tuple[str, ...] = ()
    """What is suspicious of it."""
    lines: Sequence[int] = ()
    """Of a file: the line of each beat."""
    doubt: str = ""
    """Why it may be a packet stream, or none, for all that ``packets`` says; limits that decide it end the doubt."""


@dataclass(frozen=True)
class Measured:
    """What was recorded at one time: a file, or one whole episode of a run.

    Attributes:
        ports: by name.
        seed, episode: of a run; None for a file.
        transactions: by bus port.
        registers: it is about registers alone: limits of streams pass over it.
    """

    ports: Mapping[str, MeasuredPort]
    seed: int | None = None
    episode: int | None = None
    transactions: Mapping[str, Transactions] = field(default_factory=dict)
    registers: bool = False

    @property
    def place(self) -> str:
        """``seed 3, episode 7``; empty for a file."""
        return "" if self.seed is None else f"seed {self.seed}, episode {self.episode}"


@dataclass(frozen=True)
class LimitCheck:
    """One limit and what became of it.

    Attributes:
        where: port, ``input->output``, or ``run``.
        name: the limit's name in the limits file.
        limit: as the file gives it.
        measured: the worst value of all episodes; None when it could not be measured.
        unit: of both.
        verdict: ``unmeasured`` counts as failed.
        reason: why it is not a pass.
        seed, episode: where the worst value was measured, or what could not be; None for a file.
        measured_in: in how many episodes there was something to measure.
        left_out: why others were left out, by the first of them; empty where none was.
        note: what the measure takes for granted; empty: nothing.
        start_ns: where the worst window begins, if windows are limited.
        cycle: the same in cycles of the port's clock.
        line: of a file: that of the last beat before it, or of its first beat.
    """

    where: str
    name: str
    limit: float | str
    measured: float | str | None
    unit: str
    verdict: Verdict
    reason: str = ""
    seed: int | None = None
    episode: int | None = None
    measured_in: int = 0
    left_out: str = ""
    note: str = ""
    start_ns: float | None = None
    cycle: int | None = None
    line: int | None = None

    @property
    def passed(self) -> bool:
        """True only for a limit that was measured and is kept."""
        return self.verdict == "pass"


_OLD_RATES = {
    "frames": "leaves out the last frame",
    "raw": "counts a beat more than its time holds",
}
"""Rates that limits do not apply to any more, and why."""


def _explain(refused: Refused) -> GoldbeatError:
    """The error for an entry that is refused; a rate that hides slow spots names what finds them."""
    why = _OLD_RATES.get(str(refused.value)) if refused.place[-1:] == ("rate",) else None
    if why is None:
        return explain(refused)
    found = f'{refused.key} = "{refused.value}", which {why}'
    return InputError(
        found, 'least_rate with window = "1 us" or "1 frame", or no rate for the average', file=refused.path
    )


def load_limits(path: Path) -> Limits:
    """Read a limits file.

    Raises:
        InputError: not TOML, an unknown name, a value out of range, or no limit at all.
    """
    limits = load_model(Limits, path, "a limits file (.toml)", _explain)
    limits._file = path
    kinds: Sequence[tuple[str, Mapping[str, Any]]] = (
        ("port", limits.port),
        ("latency", limits.latency),
        ("backlog", limits.backlog),
        ("transactions", limits.transactions),
    )
    for kind, tables in kinds:
        for name, table in tables.items():
            if not table.given() and not getattr(table, "steady", None):
                is_limit = (*WINDOW_KEYS, "min_", "max_", "steady")
                known = ", ".join(name for name in type(table).model_fields if name.startswith(is_limit))
                raise InputError(f'[{kind}."{name}"] without a limit', f"at least one of {known}", file=path)
    if limits.obligations is None and not any(tables for _, tables in kinds):
        raise InputError(
            "no limits",
            'a [port.NAME], [latency."IN->OUT"], [backlog."IN->OUT"], [transactions.NAME] or [obligations] table',
            file=path,
        )
    for name, table in limits.port.items():
        check_windows(f'[port."{name}"]', table, path, table.given())
        windowed = table.window_ns is not None
        if windowed and ("rate" in table.model_fields_set or not any(k.startswith("min_") for k in table.given())):
            expected = "min_msamples_per_s or min_mb_per_s, and no rate: it is that of the window"
            raise InputError(f'[port."{name}"] with window_ns', expected, file=path)
        if table.window_ns is not None and Fraction(str(table.window_ns)) * 1000 % 1:
            found = f'[port."{name}"] window_ns = {table.window_ns}'
            raise InputError(found, "a whole number of picoseconds: at most three decimals", file=path)
    for name, path_limits in limits.latency.items():
        if path_limits.iteration is not None and path_limits.by == "frame-end":
            raise InputError(
                f'[latency."{name}"] iteration with by = "frame-end"', 'no by, or by = "frame-total"', file=path
            )
        if path_limits.iteration is not None and "by" in path_limits.model_fields_set and path_limits.by == "beat":
            raise InputError(f'[latency."{name}"] iteration with by = "beat"', "one of them", file=path)
    for kind, name in (*(("latency", n) for n in limits.latency), *(("backlog", n) for n in limits.backlog)):
        source, sink = split_path(name)
        if not (source and sink) or ARROW in sink:
            raise InputError(f'[{kind}."{name}"]', f'[{kind}."INPUT->OUTPUT"]', file=path)
    return limits


# -- what is signed off ---------------------------------------------------------------------------------------------


class _ReportPort(BaseModel):
    """What sign-off needs of a port's entry in a run's report."""

    trace: str | None
    direction: str = ""
    dtype: str | None = None
    packets: bool = False
    headers: str = ""
    clock: str = ""


class _ReportClock(BaseModel):
    """What a report says of a clock: of the run's, and of the description's, where one is described."""

    inferred: bool = False
    period_ps: int = 0
    described_ps: int | None = None

    @property
    def other(self) -> bool:
        """It is not the described one; an odd period runs a picosecond longer."""
        return self.described_ps is not None and abs(self.period_ps - self.described_ps) > 1


class _ReportEpisodes(BaseModel):
    """Where a run keeps its whole episodes, how many there are, and how many were cut off by a reset."""

    file: str
    sha256: str | None = None
    whole: int
    cut: int
    dtypes: Mapping[str, str | None]


class ReportObligation(BaseModel):
    """One of them, as :meth:`~goldbeat.tb.obligations.obligation.Obligation.as_dict` writes it."""

    kind: str
    place: str
    what: str
    met: bool
    how: str = ""
    waived: str | None = None


class ReportObligations(BaseModel):
    """What a run has tried of what it had to."""

    all: int
    met: int
    waived: int
    open: int
    list: Sequence[ReportObligation]

    def not_tried(self) -> str:
        """The open ones."""
        opened = [one for one in self.list if not one.met and one.waived is None]
        return "; ".join(f"{one.kind} {one.place}: {one.what}" for one in opened)


class _Report(BaseModel):
    """What sign-off needs of a run's report; the report says more."""

    status: str
    ports: Mapping[str, _ReportPort]
    design: str = ""
    case: str = ""
    time_compared: bool = True
    seed: int = 0
    episodes: int = 1
    seeds: Sequence[Any] = ()
    measured: _ReportEpisodes | None = None
    buses: Mapping[str, Literal["in", "out"]] = {}
    clocks: Mapping[str, _ReportClock] = {}
    sources: Mapping[str, Mapping[str, str]] | None = None
    versions: Mapping[str, str] = {}
    processes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    obligations: ReportObligations | None = None
    kept_in: Path | None = None
    kept_at: Path | None = None

    def guessed(self) -> set[str]:
        """Ports on a clock that nobody has given."""
        return {n for n, e in self.ports.items() if e.clock in self.clocks and self.clocks[e.clock].inferred}


@dataclass(frozen=True)
class Subject:
    """What is signed off.

    Attributes:
        name: for the report.
        names: of its ports.
        episodes: every whole episode of every seed; one for a file.
        status: a run's own verdict; None for a file, which has none.
        time_compared: False for a run whose golden model says nothing of cycles: its times are measured all the same,
            but nobody has predicted them.
        cut: episodes that a reset has cut off; they are not measured.
        buses: ``in`` (the design answers) or ``out`` (it asks) by bus port.
        sources: hashes of a run's files by kind and path; None: it kept none.
        versions: of the tools that made the run.
        sealed: False for a run of an older version, whose files may be those of several runs.
        processes: programs that the run's model has started.
        warnings: of the run.
        obligations: of the run; None: it has counted none.
        other_clocks: clocks that are not as the description has them: periods in picoseconds, the run's and the described one.
        aside: whole ones that say nothing of streams, and are not measured for that; see :meth:`of_streams`.
        directions: of a run's stream ports, ``in`` or ``out`` of the design.
        moved: where a run's folder was made and where it is now, if that is another place; as named, and without links.
    """

    name: str
    names: Sequence[str]
    episodes: Sequence[Measured]
    status: str | None = None
    time_compared: bool = True
    cut: int = 0
    buses: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, Mapping[str, str]] | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    sealed: bool = True
    processes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    obligations: ReportObligations | None = None
    other_clocks: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    aside: int = 0
    directions: Mapping[str, str] = field(default_factory=dict)
    moved: Sequence[tuple[Path, Path]] = ()

    @property
    def unrecorded(self) -> str:
        """What the hashes of the run's files do not cover; empty: nothing that is known."""
        return (
            f"files that processes of the model read ({', '.join(self.processes)}) are not recorded"
            if self.processes
            else ""
        )

    @property
    def recorded(self) -> bool:
        """A run that was compared with a recording, not with a golden model."""
        return self.status is not None and self.status.lower() == RECORDED

    @property
    def modelled(self) -> bool:
        """A run that a golden model has checked: what stays in the design at the end stays there by the model too."""
        return self.status is not None and not self.recorded

    def of_streams(self) -> list[Measured]:
        """The episodes that limits of streams look at."""
        return [e for e in self.episodes if not e.registers]


def file_subject(name: str, ports: Mapping[str, MeasuredPort]) -> Subject:
    """Traces that were recorded at one time, without a run."""
    return Subject(name, list(ports), [Measured(ports)])


def measured_episodes(
    episodes: Iterable[WholeEpisode],
    dtypes: Mapping[str, str | None],
    packets: Collection[str] | None = None,
    guessed: Collection[str] = (),
    doubts: Mapping[str, str] | None = None,
) -> list[Measured]:
    """Episodes of a run.

    Args:
        episodes: what was kept of them.
        dtypes: sample types by port.
        packets: ports that carry packets; None: those that look like it.
        guessed: ports whose clock is inferred.
        doubts: why a port may carry packets, or none.
    """
    said = doubts or {}

    def headed(name: str, trace: Trace) -> bool:
        return looks_like_packets(trace) if packets is None else name in packets

    return [
        Measured(
            {
                name: MeasuredPort(
                    trace,
                    dtypes.get(name),
                    clock_known=name not in guessed,
                    packets=headed(name, trace),
                    doubt=said.get(name, ""),
                )
                for name, trace in e.ports.items()
            },
            e.seed,
            e.episode,
            e.transactions,
            e.registers,
        )
        for e in episodes
    ]


def load_run(folder: Path) -> Subject:
    """Read the run folder that ``goldbeat run`` leaves: ``report.json`` and the episodes it names.

    Raises:
        InputError: no report, a damaged or edited one, episodes that are not there or of another run, or a folder of an older
            version that has kept one of several episodes.
    """
    report = read_report(_Report, folder)
    has_seal = check_seal(folder)
    name = " ".join(part for part in (report.design, report.case) if part) or folder.name
    episodes = _load_main(folder, report) if report.measured is None else _load_all(folder, report)
    cut = 0 if report.measured is None else report.measured.cut
    known = (report.status, report.time_compared, cut, report.buses, report.sources, report.versions)
    clocks = {n: (c.period_ps, c.described_ps or 0) for n, c in report.clocks.items() if c.other}
    more = (has_seal, report.processes, report.warnings, report.obligations, clocks)
    places = ((report.kept_in, folder.absolute()), (report.kept_at, folder.resolve()))
    return Subject(
        name,
        list(report.ports),
        episodes,
        *known,
        *more,
        directions={n: e.direction for n, e in report.ports.items()},
        moved=[(then, now) for then, now in places if then not in (None, now)],
    )


def _load_all(folder: Path, report: _Report) -> list[Measured]:
    kept = report.measured
    assert kept is not None
    check_digest(folder / kept.file, kept.sha256)
    episodes = load_episodes(folder / kept.file)
    if len(episodes) != kept.whole:
        raise InputError(f"{len(episodes)} episodes", f"the {kept.whole} of the report", file=folder / kept.file)
    packets = {n for n, e in report.ports.items() if e.packets}
    doubts = {n: e.headers for n, e in report.ports.items()}
    return measured_episodes(episodes, kept.dtypes, packets, report.guessed(), doubts)


def _load_main(folder: Path, report: _Report) -> list[Measured]:
    """The one episode of a report that says nothing of others."""
    if report.episodes > 1 or len(report.seeds) > 1:
        raise InputError(
            "the traces of one episode only, as older versions kept them", "all episodes; run it again", file=folder
        )
    ports = {
        n: MeasuredPort(Trace.load(folder / e.trace), e.dtype) for n, e in report.ports.items() if e.trace is not None
    }
    return [Measured(ports, report.seed, 0)] if len(ports) == len(report.ports) else []


# -- checking -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Figure:
    """What one episode says of a limit.

    Attributes:
        at: the episode.
        value: measured; None when it was not.
        reason: why it was not, or why it is not good.
        absent: the episode is too short for it: there is nothing to measure, and others must show it.
        place: where in the episode.
        spot: the same for :class:`LimitCheck`: ``start_ns``, ``cycle``, ``line``.
    """

    at: Measured
    value: float | None
    reason: str = ""
    absent: bool = False
    place: str = ""
    spot: Mapping[str, Any] = field(default_factory=dict)


def _run_check(status: str, *, allow_recorded: bool) -> LimitCheck:
    """The check of the run's own verdict: a recording is no model."""
    if status.lower() != RECORDED:
        good = status.lower() in ("pass", "passed")
        reason = "" if good else "the run itself did not pass"
        return LimitCheck("run", "status", "pass", status, "", "pass" if good else "fail", reason)
    reason = "the run is the same as recorded, but was not checked by a golden model; --allow-recorded accepts that"
    if allow_recorded:
        return LimitCheck("run", "status", SAME_AS_RECORDED, SAME_AS_RECORDED, "", "pass")
    return LimitCheck("run", "status", "pass", SAME_AS_RECORDED, "", "fail", reason)


def _source_checks(subject: Subject, *, allow_stale: bool) -> Iterator[LimitCheck]:
    """A check where files of the run have changed since, or may have: what was measured is no longer what is there."""
    changed = changed_sources(subject.sources or {}, subject.moved)
    if changed:
        more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
        found, reason = "stale", f"stale: {changed[0]}{more}; run it again, or accept it with --stale"
    elif subject.processes:
        found, reason = "not known", f"cannot be measured: {subject.unrecorded}; accept it with --stale"
    else:
        return
    verdict: Verdict = "pass" if allow_stale else "fail" if changed else "unmeasured"
    yield LimitCheck("run", "sources", "unchanged", found, "", verdict, "" if allow_stale else reason)


def _clock_checks(subject: Subject) -> Iterator[LimitCheck]:
    """A check for each clock of a run that is not the described one: rates and times are those of another design."""
    for name, periods in subject.other_clocks.items():
        ran, described = (f"{1e6 / period:.6g} MHz" for period in periods)
        reason = f"the run had {ran}, the description has {described}; run it with that clock, or set period_ps"
        yield LimitCheck("run", f"clock {name}", described, ran, "", "fail", reason)


def check_subject(
    subject: Subject, limits: Limits, *, allow_recorded: bool = False, allow_stale: bool = False
) -> list[LimitCheck]:
    """Hold every limit against every episode of the subject; each check has the worst of them.

    A limit that cannot be measured is a failed check with the reason; so is a run that was compared with a recording alone, unless
    ``allow_recorded``, and one whose sources have changed, unless ``allow_stale``. An episode too short for a figure (one
    frame, say) is left out as long as another one has it; one whose figure exists and cannot be measured is not.

    Raises:
        UsageError: a limit for a port that is not there, or from a port to an input of the design.
    """
    limits = by_port(limits, subject.names)
    _check_names(subject, limits)
    found: list[LimitCheck] = []
    if subject.status is not None:
        found.append(_run_check(subject.status, allow_recorded=allow_recorded))
        found += _source_checks(subject, allow_stale=allow_stale)
        found += _clock_checks(subject)
    for name, table in limits.port.items():
        found += _port_checks(subject, name, table)
    for name, paths in limits.latency.items():
        found += _latency_checks(subject, *split_path(name), paths)
    for name, backlogs in limits.backlog.items():
        found += _backlog_checks(subject, *split_path(name), backlogs)
    for name, transactions in limits.transactions.items():
        found += _transaction_checks(subject, name, transactions)
    if limits.obligations is not None:
        found.append(_obligation_check(subject, limits.obligations))
    return found


def _check_names(subject: Subject, limits: Limits) -> None:
    """Refuse limits that the subject's ports cannot have."""
    wanted = [*limits.port, *(port for pair in limits.pairs() for port in pair)]
    # One file has one port; a latency limit cannot be measured on it, whatever the ports are called.
    alone = subject.status is None and len(subject.names) == 1
    missing = [] if alone else [p for p in wanted if p not in subject.names]
    missing = missing or [p for p in limits.port if p not in subject.names]
    if missing:
        raise UsageError(
            f"{limits.where}limit for unknown port {missing[0]!r}; {subject.name} has: {', '.join(subject.names)}"
        )
    check_transaction_ports(limits.transactions, subject.buses, subject.name, limits.where)
    for source, sink in limits.pairs():
        check_sink(subject, source, sink, limits.where)
    _check_clocks(subject, limits)


def check_sink(subject: Subject, source: str, sink: str, where: str = "") -> None:
    """Refuse a path to an input of a run's design, or to where it begins."""
    if source == sink:
        raise UsageError(f"{where}{source}{ARROW}{sink}: a path from a port to itself; expected two ports")
    if subject.directions.get(sink) == "in":
        path = f"{where}{source}{ARROW}{sink}"
        raise UsageError(f"{path}: {sink} is an input of the design: the bench decides when its beats come")


def _obligation_check(subject: Subject, limits: ObligationLimits) -> LimitCheck:
    """How many obligations a run has left open."""
    known = subject.obligations
    if known is None or not known.all:
        reason = "cannot be measured: no obligations were counted"
        return LimitCheck("obligations", "max_open", limits.max_open, None, "", "unmeasured", reason)
    good = known.open <= limits.max_open
    reason = "" if good else f"not tried: {known.not_tried()}"
    return LimitCheck("obligations", "max_open", limits.max_open, known.open, "", "pass" if good else "fail", reason)


def by_port(limits: Limits, names: Sequence[str]) -> Limits:
    """The limits with a table for each port of an array, ``m_axis`` for ``m_axis_0`` and so on, or of a pattern, ``m_*``.

    A port's own table comes first. A name that fits no port stays as it is.

    Raises:
        UsageError: two tables fit a port that has none of its own.
    """
    found = {name: table for name, table in limits.port.items() if name in names}
    fitting: dict[str, str] = {}
    for name, table in limits.port.items():
        array = re.compile(re.escape(name) + r"_\d+")
        mine = [one for one in names if array.fullmatch(one) or fnmatchcase(one, name)]
        for one in () if name in names else mine or [name]:
            if one in fitting:
                both = f'[port."{fitting[one]}"] and [port."{name}"] fit port {one}'
                raise UsageError(f"{limits.where}{both}; expected one of them, or [port.{one}], which replaces both")
            if one not in found:
                found[one], fitting[one] = table, name
    return limits.model_copy(update={"port": found})


def packet_ports(subject: Subject, limits: Limits) -> list[str]:
    """Ports whose headers of packets do not count: the limits decide it, else the file or run."""
    table = by_port(limits, subject.names).port
    decided = {name: one.packets for name, one in table.items() if one.packets is not None}
    return sorted({n for at in subject.episodes for n, port in at.ports.items() if decided.get(n, port.packets)})


def port_notes(subject: Subject, limits: Limits) -> list[str]:
    """What is suspicious of a port, with its name."""
    decided = {name for name, one in by_port(limits, subject.names).port.items() if one.packets is not None}
    found = [
        f"{name}: {text}"
        for at in subject.episodes
        for name, port in at.ports.items()
        for text in (*port.notes, "" if name in decided else port.doubt)
        if text
    ]
    return list(dict.fromkeys(found))


def ports_without_limits(subject: Subject, limits: Limits) -> list[str]:
    """The ports that no table is about."""
    named = {*by_port(limits, subject.names).port, *(port for pair in limits.pairs() for port in pair)}
    return [name for name in subject.names if name not in named]


def _check_clocks(subject: Subject, limits: Limits) -> None:
    """Refuse limits in cycles of a clock that nobody has given: a port that idles every second cycle shows half its clock."""
    for name, table in limits.port.items():
        needs = {one.key: one.span.kind for one in window_limits(table) if one.needs_clock}
        wanted = [f"{key} counts cycles" if kind == "cycle" else f"{key} is a share" for key, kind in needs.items()]
        wanted += ["max_idle_cycles counts cycles"] if table.max_idle_cycles is not None else []
        hint_other = "limit max_gap_ns" if not needs else 'limit least_rate in a window of time, such as "1 us"'
        for port in (at.ports[name] for at in subject.of_streams() if name in at.ports):
            if wanted and not port.clock_known:
                said = f"{limits.where}[port.{name}] {wanted[0]} of a clock that"
                if subject.status is None:
                    hint = f"{subject.name} does not contain; give it with --clock MHZ"
                else:
                    hint = (
                        "is inferred from T lines; set period_ps in the description, or run it again with --clock MHZ"
                    )
                raise UsageError(f"{said} {hint}, or {hint_other}")


def broken_limits(subject: Subject, limits: Limits) -> list[str]:
    """The limits that a run does not keep, as failures of the run."""
    return [f"limit {c.where} {c.name}: {c.reason}" for c in check_subject(subject, limits) if not c.passed]


def _worst(where: str, name: str, limit: float | str, unit: str, figures: Sequence[_Figure]) -> LimitCheck:
    """The check of a limit: by its worst value, unless a value that is there could not be measured."""
    values = [f for f in figures if f.value is not None]
    lacking = [f for f in figures if f.value is None]
    least = _is_least(name) or name == "steady"
    if values:
        worst = (min if least else max)(values, key=lambda f: _sortable(f.value, least=least))
        kept = _bound(where, name, limit, worst, unit)
        hidden = [f for f in lacking if not f.absent]
        if not (kept.passed and hidden):
            left_out = _placed(lacking[0].reason, lacking[0].at) if lacking else ""
            return replace(kept, measured_in=len(values), left_out=left_out)
        lacking = hidden
    if not lacking:
        return LimitCheck(where, name, limit, None, unit, "unmeasured", "cannot be measured: no episode was completed")
    first = lacking[0]
    reason = f"cannot be measured: {_placed(first.reason, first.at)}"
    place = (first.at.seed, first.at.episode)
    return LimitCheck(where, name, limit, None, unit, "unmeasured", reason, *place, measured_in=len(values))


def _is_least(name: str) -> bool:
    return name.startswith(("min_", "least_"))


def _sortable(value: float | None, *, least: bool) -> float:
    """A value that is no number is the worst of all."""
    if value is None or math.isnan(value):
        return -math.inf if least else math.inf
    return value


def _placed(text: str, at: Measured) -> str:
    return f"{text} ({at.place})" if at.place else text


def _bound(where: str, name: str, limit: float | str, worst: _Figure, unit: str) -> LimitCheck:
    measured = worst.value
    assert measured is not None
    place = (worst.at.seed, worst.at.episode)
    if isinstance(limit, str):
        holds = bool(measured)
        reason = "" if holds else _placed(worst.reason, worst.at)
        return LimitCheck(
            where, name, limit, "yes" if holds else "no", unit, "pass" if holds else "fail", reason, *place
        )
    least = _is_least(name)
    good = math.isfinite(measured) and (measured >= limit if least else measured <= limit)
    text = f"{_number(measured)} {unit} is {'below' if least else 'above'} {_number(limit)} {unit}"
    text += f" {worst.place}" if worst.place else ""
    reason = "" if good else _placed(text, worst.at)
    verdict: Verdict = "pass" if good else "fail"
    return LimitCheck(where, name, limit, measured, unit, verdict, reason, *place, **worst.spot)


def _port_checks(subject: Subject, name: str, limits: PortLimits) -> Iterator[LimitCheck]:
    ports = [(at, _payload(name, at.ports[name], limits.packets)) for at in subject.of_streams()]
    got = [(at, *_measured(port)) for at, port in ports]
    for one in window_limits(limits):
        windows = [_carried(port, one.key, _limited_window(at, port, one)) for at, port in ports]
        yield _worst(name, one.name, one.limit, one.unit, windows)
    for what, limit in limits.given().items():
        if what in WINDOW_KEYS:
            continue
        if what.startswith("min_") and limits.window_ns is not None:
            figures = [_carried(port, what, _window_figure(at, port, what, limits.window_ns)) for at, port in ports]
        else:
            figures = [
                _carried(port, what, _figure(at, found, what, limits.rate is not None, whole))
                for (_, port), (at, found, whole) in zip(ports, got, strict=True)
            ]
        yield _worst(name, what, limit, _unit(what), figures)
    if limits.steady:
        figures = [
            _Figure(at, None, found.reason("steady"), absent=True)
            if found.steady is None
            else _Figure(at, float(found.steady.holds), found.steady.why)
            for at, found, _ in got
        ]
        yield _worst(name, "steady", "yes", "", figures)


def _carried(port: MeasuredPort, what: str, figure: _Figure) -> _Figure:
    """A rate, but no more than the port carries in every cycle: stamps that lie off its clock's edges may say more."""
    if figure.value is None or not port.clock_known or what.startswith("max_"):
        return figure
    most = port_limit_mb_per_s(port.trace.width, port.clock_ps or port.trace.clock_ps)
    if what == "least_share":
        most = 1.0
    elif not what.endswith("mb_per_s"):
        # Without a type there are no samples to limit.
        most = math.inf if port.dtype is None else 8 * most / sample_type(port.dtype).bits
    return replace(figure, value=min(figure.value, most))


def _payload(name: str, port: MeasuredPort, packets: bool | None) -> MeasuredPort:
    """The port without headers of packets, where it carries packets."""
    if not (port.packets if packets is None else packets):
        return port
    try:
        if len(port.lines):
            # Episodes of a run keep no data.
            check_headers(port.trace)
        return replace(port, trace=without_headers(port.trace))
    except InputError as error:
        raise UsageError(f"[port.{name}] as packets: {error}") from None


def _window_figure(at: Measured, port: MeasuredPort, what: str, window_ns: float) -> _Figure:
    """The rate in the slowest window of a length."""
    window_ps = round(window_ns * 1000)
    slowest = slowest_window(port.trace, window_ps, in_ps=True, cycle_ps=port.clock_ps) if len(port.trace) > 1 else None
    if slowest is None:
        return _Figure(at, None, f"too few beats for a window of {_number(window_ns)} ns", absent=True)
    dtype, why = _sample_type(port)
    rate = rate_of(slowest.payload, dtype, window_ps)
    value = rate.mb_per_s if what == "min_mb_per_s" else rate.msamples_per_s
    place, spot = _window_place(port, slowest.start, slowest.beat)
    return _Figure(at, value, "" if value is not None else why, place=place, spot=spot)


def _limited_window(at: Measured, port: MeasuredPort, limit: WindowLimit) -> _Figure:
    """The rate in the worst window of a limit."""
    dtype, why = _sample_type(port)
    found = limit.measure(port.trace, dtype, port.clock_ps)
    if found is None:
        kind = "no frames" if limit.span.kind == "frame" and not bool(port.trace.last.any()) else "too few beats to say"
        return _Figure(at, None, f"{kind}: no window of {limit.span.text}", absent=True)
    value, start, _, beat = found
    place, spot = _window_place(port, start, beat) if limit.key.startswith("least_") else ("", {})
    return _Figure(at, value, "" if value is not None else why.replace("min_", "least_"), place=place, spot=spot)


def _window_place(port: MeasuredPort, start: int, beat: int) -> tuple[str, dict[str, Any]]:
    """Where a window begins, in words and for JSON: its time, its cycle, and the line of the beat before it."""
    first = port.trace[max(0, beat) : max(0, beat) + 1]
    # A window of time begins right after a beat, one of beats or frames with the first of them.
    after = beat >= 0 and start == int(first.time_ps[0]) + 1
    cycle = int((start - after - port.trace.offset_ps) // (port.clock_ps or port.trace.clock_ps)) + after
    spot: dict[str, Any] = {"start_ns": start / 1000, "cycle": cycle if port.clock_known else None}
    said = (
        f"right after the beat at {_number((start - 1) / 1000)} ns" if after else f"from {_number(start / 1000)} ns on"
    )
    more = [f"cycle {cycle}"] if port.clock_known else []
    if len(port.lines):
        spot["line"] = int(port.lines[max(0, beat)])
        more.append(f"{'after ' if beat >= 0 else ''}line {spot['line']}")
    return f"in the window {said}" + (f" ({', '.join(more)})" if more else ""), spot


def _sample_type(port: MeasuredPort) -> tuple[str | None, str]:
    """The type that samples are counted in; None with the reason where bytes alone can be counted."""
    if port.dtype is None:
        return None, "the sample type of the port is not known; use min_mb_per_s"
    if port.trace.ragged(port.dtype) is not None:
        return None, "TKEEP cuts samples apart; use min_mb_per_s"
    return port.dtype, ""


def _measured(port: MeasuredPort) -> tuple[Throughput, str]:
    """A port's figures, in bytes alone where its samples are cut apart; and why it has no samples."""
    dtype, why = _sample_type(port)
    return measure(port.trace, dtype, clock_ps=port.clock_ps), why


def _figure(at: Measured, got: Throughput, what: str, inside: bool, no_samples: str) -> _Figure:
    """What an episode says of a limit of a port."""
    if what.startswith("min_"):
        rate = got.continuous if inside else got.sustained
        if rate is None:
            return _Figure(at, None, got.reason("continuous" if inside else "raw"), absent=True)
        value = rate.mb_per_s if what == "min_mb_per_s" else rate.msamples_per_s
        return _Figure(at, value, "" if value is not None else no_samples)
    if what == "max_gap_ns":
        gap, reason = got.max_gap_ps, got.reason("max_gap_ps")
        return _Figure(at, None if gap is None else float(gap) / 1000, reason, absent=True)
    if what == "max_idle_cycles":
        return _Figure(at, got.max_idle_cycles, got.reason("max_idle_cycles"), absent=True)
    value = None if got.longest_frame_ps is None else float(got.longest_frame_ps) / 1000
    return _Figure(at, value, got.reason("longest_frame_ps"), absent=True)


def _latency_checks(subject: Subject, source: str, sink: str, limits: LatencyLimits) -> Iterator[LimitCheck]:
    where = f"{source}{ARROW}{sink}"
    given = limits.given()
    found: list[tuple[Measured, Mapping[str, float] | UnmeasurableError]] = []
    for at in subject.of_streams():
        try:
            if subject.status is None and len(subject.names) == 1:
                raise UnmeasurableError(_ALONE)
            took = _latencies(at.ports[source], at.ports[sink], limits, subject.modelled)
            found.append((at, latency_figures(took)))
        except UnmeasurableError as why:
            found.append((at, why))
        except EarlyOutputError as why:
            found.append((at, UnmatchedError(str(why))))
        except UsageError as why:
            raise UsageError(_placed(f"{where}: {why}", at)) from None
    for what, limit in given.items():
        figures = [
            _Figure(at, None, str(got), absent=not isinstance(got, UnmatchedError))
            if isinstance(got, UnmeasurableError)
            else _Figure(at, got[what] / 1000)
            for at, got in found
        ]
        unit = "iteration" if limits.iteration is not None else limits.by.partition("-")[0]
        stays = _stays(subject, source, sink) if unit == "frame" else ""
        note = _by_number(unit) + stays + (_one_sided(subject, source, sink) if unit == "beat" else "")
        yield replace(_worst(where, what, limit, "ns", figures), note=note)


def _latencies(
    source: MeasuredPort, sink: MeasuredPort, limits: LatencyLimits, modelled: bool
) -> npt.NDArray[np.int64]:
    if limits.iteration is None:
        return latencies(source.trace, sink.trace, by=limits.by, kept_inside=modelled)
    sizes = []
    for port, count in zip((source, sink), limits.iteration, strict=True):
        if port.dtype is None:
            raise UnmeasurableError("the sample type of a port is not known, and an iteration counts samples")
        sizes.append(iteration_bytes(count, sample_type(port.dtype)))
    found = iterations(source.trace, sink.trace, *sizes)
    if said := found.unmatched or ("" if modelled else found.unanswered):
        raise UnmatchedError(said)
    whole = limits.by == "frame-total"
    return np.concatenate([found.total if whole else found.latency, found.rest[whole]])


def _by_number(unit: str) -> str:
    """What a measure between two ports takes for granted."""
    return f"{unit}s are matched by number, not by content"


def _one_sided(subject: Subject, source: str, sink: str) -> str:
    """That TLAST of one port alone does not show whether beats belong to each other."""
    framed = [
        [bool(at.ports[name].trace.last.any()) for at in subject.of_streams() if name in at.ports]
        for name in (source, sink)
    ]
    alone = [
        name
        for name, mine, other in ((source, *framed), (sink, *framed[::-1]))
        if any(mine) and other and not any(other)
    ]
    return f"; {alone[0]} alone has TLAST" if alone else ""


def _stays(subject: Subject, source: str, sink: str) -> str:
    """What a run's golden model leaves in the design, so that it has no latency."""
    pairs = [(at.ports[source].trace, at.ports[sink].trace) for at in subject.of_streams()] if subject.modelled else []
    beats = sum(open_tail(one) for one, other in pairs if not open_tail(other))
    return (
        f"; {beats} beats of {source} behind the last TLAST stay in the design, and are not measured" if beats else ""
    )


def _backlog_checks(subject: Subject, source: str, sink: str, limits: BacklogLimits) -> Iterator[LimitCheck]:
    where = f"{source}{ARROW}{sink}"
    for what, limit in limits.given().items():
        unit = next(one for one in BACKLOG_UNITS if what.endswith(one))
        figures = [_backlog_figure(subject, at, source, sink, unit) for at in subject.of_streams()]
        stays = _stays(subject, source, sink) if unit == "frames" else ""
        yield replace(_worst(where, what, limit, unit, figures), note=_by_number(unit[:-1]) + stays)


def _backlog_figure(subject: Subject, at: Measured, source: str, sink: str, unit: BacklogUnit) -> _Figure:
    """What an episode says of the backlog between two ports."""
    if subject.status is None and len(subject.names) == 1:
        return _Figure(at, None, _ALONE)
    try:
        ports = (at.ports[source].trace, at.ports[sink].trace)
        return _Figure(at, backlog(*ports, unit=unit, kept_inside=subject.modelled).most)
    except UnmeasurableError as why:
        return _Figure(at, None, str(why), absent=not isinstance(why, UnmatchedError))
    except EarlyOutputError as why:
        return _Figure(at, None, str(why))


def _transaction_checks(subject: Subject, name: str, limits: TransactionLimits) -> Iterator[LimitCheck]:
    for what, limit in limits.given().items():
        found = [(at, *measured_transactions(at.transactions.get(name), what)) for at in subject.episodes]
        figures = [_Figure(at, value, why, absent=True) for at, value, why in found]
        yield _worst(name, what, limit, _unit(what), figures)


def _unit(what: str) -> str:
    units = {"msamples_per_s": "Msamples/s", "mb_per_s": "MB/s", "idle_cycles": "cycles"}
    return next((unit for name, unit in units.items() if what.endswith(name)), "ns")


def _number(value: float) -> str:
    """At least two decimals, and more where two would hide the difference from a whole figure."""
    text = f"{value:.6f}".rstrip("0")
    whole, _, decimals = text.partition(".")
    return whole if not decimals else f"{whole}.{decimals:0<2}"


def shown(value: float | str | None) -> str:
    """A limit or measured value as the table prints it."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else _number(value)


# -- JUnit ----------------------------------------------------------------------------------------------------------


def limits_junit(subject: Subject, checks: Sequence[LimitCheck]) -> str:
    """The checks as JUnit XML: a broken limit is a failure, an unmeasured one an error."""
    suite = JUnitSuite(f"signoff {subject.name}", (_junit_case(one) for one in checks))
    return junit_text([suite], suite.name)


def _junit_case(one: LimitCheck) -> JUnitCase:
    said = f"limit {shown(one.limit)} {one.unit}".rstrip() + f", measured {shown(one.measured)} {one.unit}".rstrip()
    if one.seed is not None:
        said += f", seed {one.seed}, episode {one.episode}"
    if one.passed:
        return JUnitCase(one.where, one.name, output=said)
    verdict: Literal["failure", "error"] = "failure" if one.verdict == "fail" else "error"
    return JUnitCase(one.where, one.name, verdict, message=one.reason, output=said)
