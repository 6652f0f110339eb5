# SPDX-License-Identifier: Apache-2.0
"""The figures of pages and README are those of docs/performance.json, which has full results of benchmarks that ended."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from goldbeat.tb.paths import REPOSITORY

BENCHMARKS = REPOSITORY / "tests" / "benchmarks"
SCRIPTS = sorted(BENCHMARKS.glob("bench_*.py"))
RESULTS = "docs/performance.json"


def call(*words: str | Path, **environment: str) -> tuple[int, str, str]:
    """Exit code and output of a script."""
    env = os.environ | {"PYTHONPATH": str(BENCHMARKS)} | environment
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, env=env)
    return done.returncode, done.stdout, done.stderr


def test_pages_and_readme_have_the_figures_and_none_is_too_old() -> None:
    assert call(BENCHMARKS / "figures.py", "--check") == (0, "", "")


def test_a_table_of_the_page_is_a_result() -> None:
    page = (REPOSITORY / "docs" / "performance.md").read_text(encoding="utf-8")
    by_hand = re.sub(r"^<!-- figures .*?^<!-- end figures -->$", "", page, flags=re.S | re.M)
    assert [line for line in by_hand.splitlines() if line.startswith("|")] == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_has_a_short_form_and_names_its_files(script: Path) -> None:
    last = ast.parse(script.read_text(encoding="utf-8")).body[-1]
    calls = [n for n in ast.walk(last) if isinstance(n, ast.Call) and ast.unparse(n.func) == "benchmark"]
    assert [(ast.unparse(one.args[1]), len(one.args)) for one in calls] == [("FILES", 4)]


@pytest.mark.slow
@pytest.mark.timeout(1000)
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_ends_in_its_short_form(script: Path, tmp_path: Path) -> None:
    code, printed, errors = call(script, "--short", GOLDBEAT_BENCH=str(tmp_path))
    assert code == 0, printed + errors
    (found,) = (json.loads(path.read_text(encoding="utf-8")) for path in tmp_path.glob("*.json"))
    assert found["complete"]
    assert found["rows"] or found["skipped"]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the pages, one commit, and figures of one file."""
    shutil.copytree(REPOSITORY / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("images", "assets"))
    shutil.copy(REPOSITORY / "README.md", tmp_path)
    (tmp_path / "tests" / "benchmarks").mkdir(parents=True)
    for name in ("measured.py", "figures.py"):
        shutil.copy(BENCHMARKS / name, tmp_path / "tests" / "benchmarks")
    (tmp_path / "measured.txt").write_text("1")
    groups = json.loads((tmp_path / RESULTS).read_text(encoding="utf-8"))
    for group in groups.values():
        group |= {"files": ["measured.txt"], "hash": "", "committed": "2026-01-01"}
    (tmp_path / RESULTS).write_text(json.dumps(groups), encoding="utf-8")
    # Of a hook that runs the tests: the commit must not go to its repository.
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-31T12:00:00Z")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    return tmp_path


def written(copy: Path, *words: str) -> tuple[int, str, str]:
    """Pages of the copy, written or checked; results come from its folder ``bench``."""
    return call(copy / "tests" / "benchmarks" / "figures.py", *words, GOLDBEAT_BENCH=str(copy / "bench"))


def change(copy: Path, name: str, old: str, new: str) -> None:
    path = copy / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_old_and_other_figures_are_found(copy: Path) -> None:
    assert written(copy) == (0, "", "")
    page = (copy / "docs" / "performance.md").read_text(encoding="utf-8")
    assert "| register slice † | " in page
    assert written(copy, "--check") == (0, "", "")
    # Another figure on the page, in the README, in the file.
    for name, old, new in (
        ("docs/performance.md", "| systolic array † | 1.", "| systolic array † | 2."),
        ("README.md", "slice move 2", "slice move 3"),
        (RESULTS, '"name": "AXI4 memory", "value": ', '"name": "AXI4 memory", "value": 1'),
    ):
        change(copy, name, old, new)
        code, out, _ = written(copy, "--check")
        assert (code, out.count("Run make figures.")) == (1, 1), name
        change(copy, name, new, old)
    # 31 days, and the files have changed: too old. The same files: not.
    change(copy, RESULTS, "2026-01-01", "2025-12-31")
    code, out, _ = written(copy, "--check")
    name = next(iter(json.loads((copy / RESULTS).read_text(encoding="utf-8"))))
    assert (code, out.startswith(f"{name}: measured 31 days before HEAD")) == (1, True)


SCRIPT = """
from measured import Row, Skipped, benchmark
FILES = ("measured.txt",)
def run(rounds):
    yield Row("beats", 2.5 * rounds, "s", "peer", 10.0)
    {middle}
    yield Skipped("set A_VARIABLE", "rest")
if __name__ == "__main__":
    benchmark(run, FILES, {{"rounds": 2}}, {{"rounds": 1}})
"""


@pytest.fixture
def script(copy: Path) -> Path:
    """A benchmark of the copy, and a page for its figures."""
    path = copy / "tests" / "benchmarks" / "bench_small.py"
    path.write_text(SCRIPT.format(middle=""), encoding="utf-8")
    return path


def test_a_benchmark_that_ends_is_complete_and_its_full_results_alone_are_published(copy: Path, script: Path) -> None:
    out = copy / "bench" / "small.json"
    blocks = "".join(f"\n<!-- figures {name} -->\n<!-- end figures -->\n" for name in ("small", "small/rest"))
    change(copy, "docs/performance.md", "# Performance\n", f"# Performance\n{blocks}")
    empty = '{"rows": [], "files": [], "hash": "", "commit": "", "date": "", "committed": "2026-01-31"}'
    change(copy, RESULTS, "{", f'{{"small": {empty}, "small/rest": {empty},')
    for words, value, full in ((("--short",), 2.5, False), ((), 5.0, True)):
        code, _, err = call(script, *words, GOLDBEAT_BENCH=str(out.parent))
        assert (code, err) == (0, "")
        found = json.loads(out.read_text(encoding="utf-8"))
        assert (found["complete"], found["full"], found["skipped"]) == (True, full, {"rest": "set A_VARIABLE"})
        assert [(row["value"], row["ratio"]) for row in found["rows"]] == [(value, 10.0 / value)]
        assert (found["files"], len(found["hash"]), found["cores"]) == (["measured.txt"], 16, os.cpu_count())
        assert written(copy) == (0, "", "" if full else "small.json: not of the full settings, left out\n")
        page = (copy / "docs" / "performance.md").read_text(encoding="utf-8")
        assert ("| beats | 5 s | 10 s, peer | 2 |" in page) is full
        assert ("The last `make bench` left it out: set A_VARIABLE." in page) is full
    # The file that it measures changes: the row is marked, and the page must say so.
    (copy / "measured.txt").write_text("2")
    assert "expected '| beats † | 5 s | 10 s, peer | 2 |'" in written(copy, "--check")[1]


@pytest.mark.parametrize("middle", ["raise SystemExit('no answer')", "import os; os._exit(0)"])
def test_a_benchmark_that_does_not_end_is_not_complete(copy: Path, script: Path, middle: str) -> None:
    script.write_text(SCRIPT.format(middle=middle), encoding="utf-8")
    out = copy / "bench" / "small.json"
    code, _, _ = call(script, GOLDBEAT_BENCH=str(out.parent))
    assert code == (1 if "raise" in middle else 0)
    assert json.loads(out.read_text(encoding="utf-8"))["complete"] is False
    assert written(copy)[2] == "small.json: not complete, left out\n"


@pytest.mark.parametrize("code", [0, 1])
def test_a_benchmark_that_fails_or_leaves_no_result_is_named_and_the_others_run(tmp_path: Path, code: int) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nexit {code}\n", encoding="utf-8")
    python.chmod(0o755)
    # Nothing is installed first.
    words = ["make", "-o", ".venv/.test", "bench", "ONLY=absent missing", f"BIN={tmp_path}"]
    done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "failed: tests/benchmarks/bench_absent.py tests/benchmarks/bench_missing.py" in done.stderr
