# SPDX-License-Identifier: Apache-2.0
"""`--resume`: leaves out the tests that have passed on the very same files, so that a broken-off run goes on where it was."""

import hashlib
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

OUTCOMES = "build/test-outcomes.txt"  # the state of the files, then an outcome and a test a line
_STATE = pytest.StashKey[str]()
_LEFT_OUT = pytest.StashKey[frozenset[str]]()


def state_of_files(root: Path) -> str:
    """A hash of the commit and of everything in the folder that differs from it; empty outside a clone."""

    def git(*words: str) -> bytes:
        return subprocess.run(["git", *words], cwd=root, capture_output=True, check=True).stdout

    try:
        digest = hashlib.sha256(git("rev-parse", "HEAD") + git("diff", "--binary", "HEAD"))
        for name in git("ls-files", "--others", "--exclude-standard", "-z").decode().split("\0")[:-1]:
            digest.update(name.encode() + b"\0" + (root / name).read_bytes())
    except (OSError, subprocess.CalledProcessError):
        return ""
    return digest.hexdigest()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--resume", action="store_true", help="leave out the tests that have passed on the same files")


def pytest_configure(config: pytest.Config) -> None:
    """Find out what has passed before; xdist's workers are told, so that all of them leave out the same tests."""
    if hasattr(config, "workerinput"):
        config.stash[_LEFT_OUT] = frozenset(config.workerinput["passed_before"])
        return
    config.stash[_STATE] = state = state_of_files(config.rootpath)
    outcomes = config.rootpath / OUTCOMES
    lines = outcomes.read_text().splitlines() if outcomes.exists() else []
    same = bool(state) and lines[:1] == [state]
    last = dict(reversed(line.split(" ", 1)) for line in lines[1:]) if same and config.getoption("resume") else {}
    config.stash[_LEFT_OUT] = frozenset(name for name, outcome in last.items() if outcome == "passed")
    if state and not same and not config.getoption("collectonly"):
        outcomes.parent.mkdir(parents=True, exist_ok=True)
        outcomes.write_text(state + "\n")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Tell a worker of xdist what has passed before."""
    node.workerinput["passed_before"] = sorted(node.config.stash[_LEFT_OUT])  # type: ignore[attr-defined]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has passed."""
    before = config.stash[_LEFT_OUT]
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in before])
    items[:] = [item for item in items if item.nodeid not in before]


class _Notes:
    """Notes each test when its last phase is over, so that nothing is lost when the run is broken off."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.outcomes: dict[str, list[str]] = defaultdict(list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the test after its teardown; it passed when it ran and no phase failed."""
        outcomes = self.outcomes[report.nodeid]
        outcomes.append(report.outcome)
        if report.when == "teardown":
            with self.path.open("a") as file:
                file.write(f"{'passed' if set(outcomes) == {'passed'} else 'open'} {report.nodeid}\n")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Note what comes out; not in xdist's workers, whose reports come to the main process."""
    if not hasattr(session.config, "workerinput") and session.config.stash[_STATE]:
        session.config.pluginmanager.register(_Notes(session.config.rootpath / OUTCOMES))
