# SPDX-License-Identifier: Apache-2.0
"""Sign-off: a table of limits against what traces say, and nothing passes that was not measured."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pymodels.errors import InputError, UsageError
from pymodels.measure import Rate, Throughput, UnmeasurableError, latency, measure
from pymodels.trace import Trace
from tb.toml import load_model

ARROW = "->"
"""Between the two ports of a latency limit."""

Verdict = Literal["pass", "fail", "unmeasured"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    def given(self) -> dict[str, Any]:
        """The limits that the file sets, by name."""
        return {k: v for k, v in self if k.startswith(("min_", "max_")) and v is not None}


class PortLimits(_Frozen):
    """Limits of one port.

    Attributes:
        rate: which throughput the two minima mean: ``frames`` (pauses between frames count), ``raw`` or ``continuous``
            (inside frames); see :mod:`pymodels.measure`.
        min_msamples_per_s: least throughput in millions of samples a second, a complex sample counting as one.
        min_mb_per_s: least throughput in millions of bytes a second.
        max_gap_ns: longest time from one beat to the next.
        max_idle_cycles: longest run of clock cycles without a transfer between two beats.
        max_frame_interval_ns: longest time from one TLAST to the next.
        steady: the last frame intervals must agree within 5 %.
    """

    rate: Literal["frames", "raw", "continuous"] = "frames"
    min_msamples_per_s: float | None = Field(default=None, gt=0)
    min_mb_per_s: float | None = Field(default=None, gt=0)
    max_gap_ns: float | None = Field(default=None, gt=0)
    max_idle_cycles: int | None = Field(default=None, ge=0)
    max_frame_interval_ns: float | None = Field(default=None, gt=0)
    steady: Literal[True] | None = None


class LatencyLimits(_Frozen):
    """Limits from one port to another.

    Attributes:
        by: what is matched with what; see :func:`pymodels.measure.latencies`.
        max_ns: largest latency.
        max_mean_ns: largest average latency.
        max_first_ns: largest latency of the first beat or frame.
    """

    by: Literal["beat", "frame", "frame-end", "frame-total"] = "beat"
    max_ns: float | None = Field(default=None, ge=0)
    max_mean_ns: float | None = Field(default=None, ge=0)
    max_first_ns: float | None = Field(default=None, ge=0)


class Limits(_Frozen):
    """A limits file: ``[port.NAME]`` and ``[latency."IN->OUT"]`` tables."""

    port: Mapping[str, PortLimits] = {}
    latency: Mapping[str, LatencyLimits] = {}

    def pairs(self) -> Iterator[tuple[str, str, LatencyLimits]]:
        """Input, output and limits of each latency table."""
        for name, limits in self.latency.items():
            source, _, sink = (part.strip() for part in name.partition(ARROW))
            yield source, sink, limits


@dataclass(frozen=True)
class Port:
    """One port's trace and what is known of it."""

    trace: Trace
    dtype: str | None = None


@dataclass(frozen=True)
class Check:
    """One limit and what became of it.

    Attributes:
        where: port, ``input->output``, or ``run``.
        name: the limit's name in the limits file.
        limit: as the file gives it.
        measured: None when it could not be measured.
        unit: of both.
        verdict: ``unmeasured`` counts as failed.
        reason: why it is not a pass.
    """

    where: str
    name: str
    limit: float | str
    measured: float | str | None
    unit: str
    verdict: Verdict
    reason: str = ""

    @property
    def passed(self) -> bool:
        """True only for a limit that was measured and is kept."""
        return self.verdict == "pass"


def load_limits(path: Path) -> Limits:
    """Read a limits file.

    Raises:
        InputError: not TOML, an unknown name, a value out of range, or no limit at all.
    """
    limits = load_model(Limits, path, "a limits file (.toml)")
    for kind, tables in (("port", limits.port), ("latency", limits.latency)):
        for name, table in tables.items():
            if not table.given() and not getattr(table, "steady", None):
                known = ", ".join(n for n in type(table).model_fields if n.startswith(("min_", "max_")))
                raise InputError(f'[{kind}."{name}"] without a limit', f"at least one of {known}", file=path)
    if not limits.port and not limits.latency:
        raise InputError("no limits", 'a [port.NAME] or a [latency."IN->OUT"] table', file=path)
    for name in limits.latency:
        source, arrow, sink = (part.strip() for part in name.partition(ARROW))
        if not (source and arrow and sink) or ARROW in sink:
            raise InputError(f'[latency."{name}"]', '[latency."INPUT->OUTPUT"]', file=path)
    return limits


# -- what is signed off ---------------------------------------------------------------------------------------------


class _ReportPort(BaseModel):
    """What sign-off needs of a port's entry in a run's report."""

    trace: str
    dtype: str | None = None


class _Report(BaseModel):
    """What sign-off needs of a run's report; the report says more."""

    status: str
    ports: Mapping[str, _ReportPort]
    design: str = ""
    case: str = ""
    time_compared: bool = True


@dataclass(frozen=True)
class Subject:
    """What is signed off: ports by name, and for a run whether it passed.

    Attributes:
        name: for the report.
        ports: by name.
        status: a run's own verdict; None for a file, which has none.
        time_compared: False for a run whose golden model says nothing of cycles: its times are measured all the same,
            but nobody has predicted them.
    """

    name: str
    ports: Mapping[str, Port]
    status: str | None = None
    time_compared: bool = True


def load_run(folder: Path) -> Subject:
    """Read the run folder that ``goldbeat run`` leaves: ``report.json`` and the traces it names.

    Raises:
        InputError: no report, a damaged one, or a trace that is not there.
    """
    path = folder / "report.json"
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        report = _Report.model_validate(raw)
    except FileNotFoundError:
        raise InputError("no report.json", "a folder that `goldbeat run` has written", file=folder) from None
    except json.JSONDecodeError as error:
        raise InputError(error.msg, "the report of a run (JSON)", file=path, line=error.lineno) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(error), "the report of a run (JSON)", file=path) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise InputError(f"{where}: {first['msg'].lower()}", "the report of a run", file=path) from None
    ports = {name: Port(Trace.load(folder / entry.trace), entry.dtype) for name, entry in report.ports.items()}
    name = " ".join(part for part in (report.design, report.case) if part) or folder.name
    return Subject(name, ports, report.status, report.time_compared)


# -- checking -------------------------------------------------------------------------------------------------------

_RATES = {"frames": "by_frames", "raw": "raw", "continuous": "continuous"}


def check(subject: Subject, limits: Limits) -> list[Check]:
    """Hold every limit against the subject.

    A limit that cannot be measured is a failed check with the reason.

    Raises:
        UsageError: a limit for a port that is not there.
    """
    wanted = [*limits.port, *(port for source, sink, _ in limits.pairs() for port in (source, sink))]
    # A file has one port; a latency limit cannot be measured on it, whatever the ports are called.
    missing = [p for p in wanted if p not in subject.ports] if subject.status is not None else []
    missing = missing or [p for p in limits.port if p not in subject.ports]
    if missing:
        raise UsageError(f"there is a limit for port {missing[0]!r}; {subject.name} has: {', '.join(subject.ports)}")
    found: list[Check] = []
    if subject.status is not None:
        good = subject.status.lower() in ("pass", "passed")
        reason = "" if good else "the run itself did not pass"
        found.append(Check("run", "status", "pass", subject.status, "", "pass" if good else "fail", reason))
    for name, table in limits.port.items():
        found += _port_checks(name, subject.ports[name], table)
    for source, sink, latencies in limits.pairs():
        found += _latency_checks(subject, source, sink, latencies)
    return found


def _bound(where: str, name: str, limit: float, measured: float, unit: str) -> Check:
    least = name.startswith("min_")
    good = math.isfinite(measured) and (measured >= limit if least else measured <= limit)
    reason = "" if good else f"{_number(measured)} {unit} is {'below' if least else 'above'} {_number(limit)} {unit}"
    return Check(where, name, limit, measured, unit, "pass" if good else "fail", reason)


def _unmeasured(where: str, name: str, limit: float | str, unit: str, reason: str) -> Check:
    return Check(where, name, limit, None, unit, "unmeasured", f"cannot be measured: {reason}")


def _port_checks(name: str, port: Port, limits: PortLimits) -> Iterator[Check]:
    got = measure(port.trace, port.dtype)
    for what, limit in limits.given().items():
        unit = _unit(what)
        value, reason = _value(got, what, limits.rate)
        if value is None:
            hint = ""
            if what.startswith("min_") and limits.rate == "frames" and got.by_frames is None and got.beats > 1:
                hint = '; set rate = "continuous" or "raw"'
            yield _unmeasured(name, what, limit, unit, reason + hint)
        else:
            yield _bound(name, what, limit, value, unit)
    if limits.steady:
        if got.steady is None:
            yield _unmeasured(name, "steady", "yes", "", got.reason("steady"))
        else:
            holds = got.steady.holds
            reason = "" if holds else "the last frame intervals differ by more than 5 %"
            yield Check(name, "steady", "yes", "yes" if holds else "no", "", "pass" if holds else "fail", reason)


def _value(got: Throughput, what: str, rate_name: str) -> tuple[float | None, str]:
    """The measured value of a limit, or None and why."""
    if what.startswith("min_"):
        rate: Rate | None = getattr(got, _RATES[rate_name])
        if rate is None:
            return None, got.reason(_RATES[rate_name])
        if what == "min_mb_per_s":
            return rate.mb_per_s, ""
        return rate.msamples_per_s, "the sample type of the port is not known; use min_mb_per_s"
    if what == "max_gap_ns":
        return None if got.max_gap_ps is None else got.max_gap_ps / 1000, got.reason("max_gap_ps")
    if what == "max_idle_cycles":
        return got.max_idle_cycles, got.reason("max_idle_cycles")
    return None if got.intervals is None else got.intervals.max_ps / 1000, got.reason("intervals")


def _latency_checks(subject: Subject, source: str, sink: str, limits: LatencyLimits) -> Iterator[Check]:
    where = f"{source}{ARROW}{sink}"
    given = limits.given()
    if subject.status is None:
        for what, limit in given.items():
            yield _unmeasured(where, what, limit, "ns", "a single file has no second port; give a run folder")
        return
    try:
        got = latency(subject.ports[source].trace, subject.ports[sink].trace, by=limits.by)
    except UnmeasurableError as why:
        for what, limit in given.items():
            yield _unmeasured(where, what, limit, "ns", str(why))
        return
    values = {"max_ns": got.max_ps, "max_mean_ns": got.mean_ps, "max_first_ns": got.first_ps}
    for what, limit in given.items():
        yield _bound(where, what, limit, values[what] / 1000, "ns")


def _unit(what: str) -> str:
    units = {"msamples_per_s": "Msamples/s", "mb_per_s": "MB/s", "idle_cycles": "cycles"}
    return units.get(what.partition("_")[2], "ns")


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


def junit(subject: Subject, checks: Sequence[Check]) -> str:
    """The checks as JUnit XML: a broken limit is a failure, an unmeasured one an error."""
    failed = sum(c.verdict == "fail" for c in checks)
    errors = sum(c.verdict == "unmeasured" for c in checks)
    counts = {"tests": str(len(checks)), "failures": str(failed), "errors": str(errors)}
    top = ET.Element("testsuites", counts)
    suite = ET.SubElement(top, "testsuite", {"name": f"signoff {subject.name}", **counts})
    for c in checks:
        case = ET.SubElement(suite, "testcase", {"classname": c.where, "name": c.name})
        if not c.passed:
            ET.SubElement(case, "failure" if c.verdict == "fail" else "error", {"message": c.reason})
        said = f"limit {shown(c.limit)} {c.unit}".rstrip() + f", measured {shown(c.measured)} {c.unit}".rstrip()
        ET.SubElement(case, "system-out").text = said
    ET.indent(top)
    return ET.tostring(top, encoding="unicode", xml_declaration=True) + "\n"
