# SPDX-License-Identifier: Apache-2.0
"""Regressions from pytest.

With ``pytest -p goldbeat.tb.regress.pytest_plugin --goldbeat smoke``, pytest collects what a regression runs.
Cases that share a simulator share its process here too: the first of them that is asked for runs all that were selected. With
pytest-xdist, ``--dist loadgroup`` keeps them together; otherwise each case has a process of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from goldbeat.tb.regress.item import Item, ItemResult


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of ``goldbeat regress`` that make sense here."""
    group = parser.getgroup("goldbeat")
    group.addoption(
        "--goldbeat", metavar="SUITE", help="collect the cases of a Goldbeat suite (a name or a .toml file)"
    )
    group.addoption("--goldbeat-seeds", metavar="N", type=int, help="seeds of every case that does not fix them itself")
    group.addoption("--goldbeat-seed", metavar="S", type=int, default=0, help="the first seed")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marks."""
    config.addinivalue_line("markers", "goldbeat: a case of a Goldbeat suite")
    config.addinivalue_line("markers", "xdist_group(name): cases that share a simulator")


def pytest_collection(session: pytest.Session) -> None:
    """Prepare the collector of the suite that was asked for."""
    name = session.config.getoption("--goldbeat")
    if name is not None:
        session.config.pluginmanager.register(_Collect(name), "goldbeat-collect")


class _Collect:
    """Adds the suite's cases to what pytest has collected by itself."""

    def __init__(self, name: str) -> None:
        self._name = name

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        from goldbeat.pymodels.errors import GoldbeatError
        from goldbeat.tb.regress.suite import find_suite

        try:
            path = find_suite(self._name)
            suite = SuiteCollector.from_parent(session, path=path.resolve(), name=self._name)
            items.extend(suite.collect())
        except GoldbeatError as error:
            raise pytest.UsageError(str(error)) from None


class SuiteCollector(pytest.File):
    """A suite."""

    def collect(self) -> Iterator[CaseItem]:
        """One test a case, seeds included, in the plan's order."""
        from goldbeat.tb.regress.plan import build_key, make_plan
        from goldbeat.tb.regress.suite import load_suite
        from goldbeat.tb.visible import visible

        option = self.config.getoption
        self.planned = make_plan(
            load_suite(self.path),
            self.path.parent,
            seed=option("--goldbeat-seed"),
            seeds=option("--goldbeat-seeds"),
        )
        self.results: dict[int, ItemResult] = {}
        groups: dict[tuple[str | None, str], str] = {}
        for item in self.planned:
            short = (item.source, item.group)
            if short not in groups:
                groups[short] = "|".join(str(part) for part in (*build_key(item), item.transactors))
            yield CaseItem.from_parent(self, name=visible(item.key, line=True), item=item, group=groups[short])

    def result(self, wanted: CaseItem) -> ItemResult:
        """The result of a case; runs it, and those that were selected with it, when that has not been done."""
        if wanted.item.index not in self.results:
            for result in _run(self._together(wanted)):
                self.results[result.index] = result
        return self.results[wanted.item.index]

    def _together(self, wanted: CaseItem) -> Sequence[Item]:
        from goldbeat.tb.regress.plan import MOST_ITEMS

        if os.environ.get("PYTEST_XDIST_WORKER") and self.config.getoption("dist", "no") != "loadgroup":
            return [wanted.item]
        same = [
            i.item
            for i in self.session.items
            if isinstance(i, CaseItem) and i.group == wanted.group and i.item.index not in self.results
        ]
        at = same.index(wanted.item)
        return same[at : at + MOST_ITEMS]


def _run(items: Sequence[Item]) -> Sequence[ItemResult]:
    from goldbeat.tb.regress.item import Batch
    from goldbeat.tb.regress.worker import build_simulator, run_batch

    simulator, _ = build_simulator(items[0], None, cases=len(items))
    return run_batch(Batch(tuple(items), simulator)).results


class CaseFailedError(Exception):
    """A case did not pass."""


class CaseItem(pytest.Item):
    """One case on one seed."""

    def __init__(self, *, item: Item, group: str, **more: Any) -> None:
        super().__init__(**more)
        self.item = item
        self.group = group
        self.add_marker("goldbeat")
        self.add_marker(pytest.mark.xdist_group(group))

    def runtest(self) -> None:
        """Look up, or make, the result."""
        from goldbeat.tb.visible import visible

        assert isinstance(self.parent, SuiteCollector)
        result = self.parent.result(self)
        self.user_properties += [("trace_hash", result.trace_hash), ("cycles", result.cycles), ("seed", self.item.seed)]
        if result.log:
            self.add_report_section("call", "simulator", visible(result.log))
        if not result.passed:
            raise CaseFailedError(visible("\n".join([f"{result.status.value}: {self.name}", *result.failures])))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What failed, without a traceback of this file."""
        if isinstance(excinfo.value, CaseFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it comes from."""
        return self.path, None, self.name
