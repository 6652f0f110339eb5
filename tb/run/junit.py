# SPDX-License-Identifier: Apache-2.0
"""JUnit XML, as CI servers read it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from goldbeat.tb.visible import visible

_PLAIN = re.compile(r"[\w./=+#:, -]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """A test case.

    Attributes:
        classname, name: what a CI server lists it under.
        verdict: how it ended.
        seconds: how long it took; None: not measured.
        message: one line that says why it did not pass.
        kind: of failure or error; empty: none.
        text: the whole story of a failure or error.
        properties: facts by name.
        output: what it printed.
    """

    classname: str
    name: str
    verdict: Literal["passed", "failure", "error", "skipped"] = "passed"
    seconds: float | None = None
    message: str = ""
    kind: str = ""
    text: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)
    output: str = ""


@dataclass(frozen=True, slots=True)
class JUnitSuite:
    """Cases that belong together.

    Attributes:
        name: of the suite.
        cases: of it.
        started: a time in ISO 8601; empty: not known.
        properties: facts by name.
    """

    name: str
    cases: Iterable[JUnitCase]
    started: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)


def junit_text(suites: Iterable[JUnitSuite], name: str) -> str:
    """The suites as the text of a file; what cannot be seen is escaped.

    It is put together as text, case by case: a tree of 100,000 cases would take seconds and half a gigabyte.
    """
    whole, body = _Counts(), list[str]()
    for suite in suites:
        counts, lines = _Counts(), list[str]()
        for case in suite.cases:
            counts.add(case)
            lines.append(_case(case))
        started = {"timestamp": suite.started} if suite.started else {}
        head = f"  <testsuite{_attributes(name=suite.name, **started)}{counts.text()}>"
        body += [head, *_properties(suite.properties, "    "), *lines, "  </testsuite>"]
        whole.merge(counts)
    head = "<?xml version='1.0' encoding='utf-8'?>"
    return "\n".join([head, f"<testsuites{_attributes(name=name)}{whole.text()}>", *body, "</testsuites>", ""])


class _Counts:
    """How many cases there are of each verdict, and their time."""

    def __init__(self) -> None:
        self._verdicts: Counter[str] = Counter()
        self._seconds: float | None = None

    def add(self, case: JUnitCase) -> None:
        self._verdicts[case.verdict] += 1
        self._spend(case.seconds)

    def merge(self, other: _Counts) -> None:
        self._verdicts += other._verdicts
        self._spend(other._seconds)

    def _spend(self, seconds: float | None) -> None:
        if seconds is not None:
            self._seconds = (self._seconds or 0.0) + seconds

    def text(self) -> str:
        found = self._verdicts
        text = f' tests="{found.total()}" failures="{found["failure"]}" errors="{found["error"]}" skipped="{found["skipped"]}"'
        return text if self._seconds is None else f'{text} time="{self._seconds:.3f}"'


def _case(case: JUnitCase) -> str:
    seconds = {} if case.seconds is None else {"time": f"{case.seconds:.3f}"}
    inner = _properties(case.properties, "      ")
    if case.verdict != "passed":
        kind = {"type": case.kind} if case.kind else {}
        tag = f"{case.verdict}{_attributes(message=case.message, **kind)}"
        inner.append(f"      <{tag}>{escape(visible(case.text))}</{case.verdict}>" if case.text else f"      <{tag} />")
    if case.output:
        inner.append(f"      <system-out>{escape(visible(case.output))}</system-out>")
    head = f"    <testcase{_attributes(classname=case.classname, name=case.name, **seconds)}"
    return "\n".join([f"{head}>", *inner, "    </testcase>"]) if inner else f"{head} />"


def _properties(facts: Mapping[str, str], indent: str) -> list[str]:
    inner = [f"{indent}  <property{_attributes(name=n, value=v)} />" for n, v in facts.items()]
    return [f"{indent}<properties>", *inner, f"{indent}</properties>"] if inner else []


def _attributes(**values: str) -> str:
    return "".join([f" {name}={_quoted(value)}" for name, value in values.items()])


def _quoted(text: str) -> str:
    # Nearly every text is plain, and this is half of the time that a report takes.
    return f'"{text}"' if _PLAIN.fullmatch(text) else quoteattr(visible(text, line=True))
