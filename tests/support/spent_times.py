# SPDX-License-Identifier: Apache-2.0
"""Writes what each test cost to build/test-times.tsv: seconds by the clock, and processor seconds of it and its processes.

With `--store-durations` the processor seconds also go to the file that shards are made from: another load gives the same shards.
"""

import json
import resource
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

TIMES = "build/test-times.tsv"
SPENT = "processor_seconds"
SHOWN = 15  # tests in the summary at the end


def _spent() -> float:
    """Processor seconds of this process and of those it has waited for."""
    use = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in use)


_START = pytest.StashKey[float]()
_TOTALS: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])  # test: seconds of processor, by the clock


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Keep the processor time at the start; a shared fixture counts for the test that made it."""
    item.stash[_START] = _spent()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the processor time to the report of the last phase: reports cross from xdist's workers, items do not."""
    report = yield
    if call.when == "teardown":
        report.user_properties.append((SPENT, _spent() - item.stash[_START]))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add a phase's seconds to its test."""
    total = _TOTALS[report.nodeid]
    total[0] += dict(report.user_properties).get(SPENT, 0.0)
    total[1] += report.duration


def _rows() -> list[tuple[str, list[float]]]:
    return sorted(_TOTALS.items(), key=lambda row: -row[1][0])


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the table, dearest first; not in xdist's workers, which hold a part each."""
    if hasattr(session.config, "workerinput") or not _TOTALS:
        return
    lines = [f"{processor:.2f}\t{clock:.2f}\t{name}\n" for name, (processor, clock) in _rows()]
    times = session.config.rootpath / TIMES
    times.parent.mkdir(parents=True, exist_ok=True)
    times.write_text("processor_s\twall_s\ttest\n" + "".join(lines))
    if session.config.getoption("store_durations", False):
        # pytest-split has written seconds by the clock.
        durations = Path(session.config.getoption("durations_path"))
        kept = json.loads(durations.read_text()) | {name: round(processor, 1) for name, (processor, _) in _rows()}
        durations.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the dearest tests, and what all of them took."""
    if not _TOTALS:
        return
    terminalreporter.section(f"processor seconds: {sum(spent for spent, _ in _TOTALS.values()):.0f} in all")
    for name, (processor, clock) in _rows()[:SHOWN]:
        terminalreporter.write_line(f"{processor:8.1f} s  {clock:8.1f} s by the clock  {name}")
