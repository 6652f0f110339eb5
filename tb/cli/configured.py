# SPDX-License-Identifier: Apache-2.0
"""``goldbeat verify --configurations``: the same RTL with other values of its parameters."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.configurations import OtherValues, ParameterSet, other_configurations
from goldbeat.tb.cli.subject import VerifySubject, find_subject, verify_folder
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.obligations.summary import counts_text
from goldbeat.tb.run.failure_kind import failure_kind

Report = dict[str, Any]
GUESSED = (
    "the model is guessed, and with these values the module may do something else; --model M says that it does not"
)


def search_configurations(subject: VerifySubject, given: Mapping[str, Any], most: int) -> OtherValues:
    """Other values of parameters that are worth a run; none where there is no RTL, or none are asked for."""
    if subject.compiled is None or not most:
        return OtherValues([], [], [])
    return other_configurations(subject.compiled, most, relaxed=given["relaxed"])


def verify_configurations(
    subject: VerifySubject,
    given: Mapping[str, Any],
    verified: Callable[[VerifySubject, Path], Report],
    sets: Sequence[ParameterSet],
    tell: Callable[[str], None],
) -> list[Report]:
    """The reports of other configurations.

    Args:
        subject: with the parameter values that the user has.
        given: the options of the command.
        verified: verifies one, writes its page into a folder, and gives the report.
        sets: their values.
        tell: is told of each.
    """
    reports = []
    for one in sets:
        tell(f"configuration {_text(one.values)}")
        generics = [*(given["generics"] or ()), *(f"{name}={value}" for name, value in one.values.items())]
        report: Report = {"values": one.values, "places": one.places, "first": one.first}
        variant = "-".join(f"{name}_{value}".replace('"', "") for name, value in one.values.items())
        try:
            other = find_subject({**given, "generics": generics, "bench": None, "variant": variant})
            report = verified(other, verify_folder(subject.title, variant)) | report
        except GoldbeatError as error:
            # What does not build with these values says nothing of the user's own.
            reports.append({**report, "status": "partial", "failures": [], "partial": [f"not verified: {error}"]})
            continue
        if (
            other.guessed
            and report["status"] == "fail"
            and not any(failure_kind(text).kind in ("protocol", "hang") for text in report["failures"])
        ):
            # What differs is values, and nobody has said that the module has the same function with these parameters.
            report |= {"status": "partial", "partial": [*report["partial"], GUESSED]}
        reports.append(report)
    return reports


def with_ways(obligations: Sequence[Obligation], reports: Sequence[Report]) -> list[Obligation]:
    """The same; open ones that another configuration has met say which."""
    ways: dict[str, str] = {}
    for report in reversed(reports):
        text = _text(report["values"])
        ways |= {key: text for one in report.get("list", ()) if one["met"] and (key := _key(one))}
    return [replace(one, how=ways[one.key]) if one.open and one.key in ways else one for one in obligations]


def _key(one: Mapping[str, Any]) -> str:
    return Obligation(one["kind"], one["place"], one["what"], met=True).key


def worst_status(statuses: Sequence[str]) -> str:
    """The verdict of several."""
    return max(statuses, key=["pass", "partial", "fail"].index)


def search_notes(search: OtherValues, most: int) -> Iterator[str]:
    """How many sets of values there are, what the module refuses, and what is in none of them."""
    yield f"{len(search.sets)} other set(s) of values tried, of at most {most}"
    yield from (f"refused: {_text(values)}: {why or 'the module ends at its start'}" for values, why in search.refused)
    if search.left_out:
        yield f"generate blocks in no set: {', '.join(search.left_out)}"


def configuration_lines(reports: Sequence[Report]) -> Iterator[str]:
    """A line for each configuration, with its first failure and its page."""
    for report in reports:
        more = f" and {report['places'] - 1} more place(s)" if report["places"] > 1 else ""
        why = f"{report['first']}{more}" if report["places"] else "another size"
        said = f"configuration {_text(report['values'])} ({why}): {report['status'].upper()}"
        if "obligations" in report:
            said += f"; {report['compared']} values compared; {counts_text(report['obligations'])}"
        yield said
        yield from (f"  {text.partition(chr(10))[0]}" for text in [*report["failures"], *report["partial"]][:1])
        if "folder" in report:
            yield f"  page: {report['folder']}"


def _text(values: Mapping[str, int | str]) -> str:
    """As options of a command line."""
    return " ".join("-G " + shlex.quote(f"{name}={value}") for name, value in values.items())
