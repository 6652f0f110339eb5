# SPDX-License-Identifier: Apache-2.0
"""Every design of a clone of mlir-aie, with the command lines that its tests give it, and what becomes of each.

A design is a script that makes one with one of its command lines, a file of pytest functions that make some, or an
``.mlir`` file that a test puts on an NPU. Command lines that differ in device, files and traces alone are one. Scripts that
only print operations for FileCheck, and host programs of a design in another file, are none.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import resource
import shlex
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.objfifo.iron.scope import fresh
from goldbeat.pymodels.objfifo.iron.surroundings import script_surroundings
from goldbeat.pymodels.objfifo.live.execute import LiveResult
from goldbeat.pymodels.objfifo.live.open_live import StandIns
from goldbeat.pymodels.objfifo.mlir_exec.configured import execute_text
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.script.import_names import script_imports
from goldbeat.pymodels.objfifo.script.jit import ScriptSession, named_device, own_declarations, script_session
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

FOLDERS = ("programming_examples", "programming_guide", "test/npu-xrt", "test/python/npu", "test/python/npu-xrt")
"""Where designs are."""
_MAKES = re.compile(r"\b(ObjectFifo|object_fifo|Program|TileDma|dma_start|jit)\(|@(iron\.)?jit\b|@device\(|@aie\.jit")
_RUN = re.compile(r"^\s*(?://|#|;)\s*RUN:\s*(.*)$", re.M)
_CONTINUED = re.compile(r"\\\n\s*(?://|#|;)\s*RUN:")
_SECONDS = 60
"""Of processor time that a design has."""
_FILES = re.compile(
    r"(--(xclbin-path|insts-path|trace[-_]size|trace-file|aot-dir|from-xclbin|from-insts|dev|device)|-[dt])(=|$)"
)
_SWITCHES = ("--emit-mlir", "-v", "--verbose")


class EmptyKernels(StandIns):
    """A stand-in that computes nothing for every kernel that has no model.

    Args:
        models: kernels of the library have models, which are used.

    Attributes:
        called: names of those that were run.
    """

    def __init__(self, models: bool = True) -> None:
        super().__init__()
        self.models = models
        self.called: set[str] = set()

    def __contains__(self, name: object) -> bool:
        return bool(name) and not self.models

    def __missing__(self, name: str) -> Callable[..., Any]:
        return lambda *_, **__: self.called.add(name)

    def __bool__(self) -> bool:
        return True

    def get(self, name: str, default: Any = None) -> Any:
        """What computes nothing."""
        return self[name] if name else default


@dataclass(frozen=True)
class UpstreamDesign:
    """A file with a design.

    Attributes:
        path: below the clone.
        arguments: a command line of its tests; None for a file of pytest functions.
    """

    path: str
    arguments: tuple[str, ...] | None = ()

    def __str__(self) -> str:
        return " ".join([self.path, *_of_design(self.arguments or ())])


def upstream_designs(root: Path, only: str = "") -> list[UpstreamDesign]:
    """All designs of a clone, in the order of their paths."""
    found: list[UpstreamDesign] = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if only not in name:
                continue
            if path.suffix == ".mlir":
                found.append(UpstreamDesign(name))
            elif path.suffix == ".py" and path.name != "conftest.py" and _makes_design(path):
                if "%pytest" in path.read_text() or path.parent.name == "e2e":
                    found.append(UpstreamDesign(name, None))
                else:
                    found += [UpstreamDesign(name, words) for words in _commands(path, root)]
    return found


def _makes_design(path: Path) -> bool:
    text = path.read_text(errors="replace")
    return re.search(r"^\s*(from|import) aie\b", text, re.M) is not None and _MAKES.search(text) is not None


def _commands(path: Path, root: Path) -> list[tuple[str, ...]]:
    """Arguments of all commands that run a script: of tests beside it or above it, or of a Makefile there."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for folder in (path.parent, path.parent.parent):
        if folder == root or found:
            break
        tests = [path, *sorted(folder.glob("*.lit")), *sorted(folder.glob("*/*.lit"))]
        for line, where in _run_lines(tests):
            direct = re.search(rf"python3?%?\s+\S*{re.escape(path.name)}(\s[^|>&;]*)?", line)
            made = (
                _made(line, where, path) if direct is None else shlex.split((direct[1] or "").replace("%S", str(where)))
            )
            if made is not None:
                found.setdefault(_of_design(made), tuple(made))
        if not found and (made := _made("make -f %S/Makefile", folder, path)) is not None:
            found[_of_design(made)] = tuple(made)
    return list(found.values()) or [()]


def _of_design(words: Sequence[str]) -> tuple[str, ...]:
    """A command line without the device, files and traces."""
    kept, rest = [], iter(words)
    for word in rest:
        if _FILES.match(word):
            next(rest, None) if "=" not in word else None
        elif word not in _SWITCHES:
            kept.append(word)
    return tuple(kept)


def _run_lines(tests: list[Path]) -> Iterator[tuple[str, Path]]:
    for test in tests:
        for line in _RUN.findall(_CONTINUED.sub(" ", test.read_text(errors="replace"))):
            yield line, test.parent


@cache
def _made(line: str, where: Path, path: Path) -> list[str] | None:
    """Arguments of a script in what ``make`` of a test's line would do; nothing is made."""
    words = line.replace("%S", str(where)).split()
    if "make" not in words or not (where / words[words.index("-f") + 1]).is_file() or "clean" in line:
        return None
    given = [word for word in words if re.fullmatch(r"\w+=.*", word)]
    file = (where / words[words.index("-f") + 1]).resolve()
    targets = [w for w in words[words.index("-f") + 2 :] if "=" not in w and re.fullmatch(r"[\w-]+", w)]
    with tempfile.TemporaryDirectory() as folder:
        command = ["make", "-n", "-k", "-f", str(file), *given, *targets]
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False).stdout
    call = re.search(rf"python3?\s+\S*{re.escape(path.name)}(\s[^|>&;\n]*)?", said)
    return None if call is None else shlex.split(call[1] or "")


# -- what becomes of one --------------------------------------------------------------------------------------------------


def run_design(design: UpstreamDesign, root: Path) -> tuple[str, str]:
    """Execute a design with kernels that compute nothing: (right, run or refused; what there is to say).

    Its arrays are zeros. What it computes cannot be compared, unless it is a file of pytest functions without kernels.
    """
    path = root / design.path
    kernels = EmptyKernels(models=path.suffix != ".mlir")
    try:
        if design.arguments is None:
            return _pytest_file(path, kernels)
        if path.suffix == ".mlir":
            return _said([execute_text(TextArray(path, kernels))], False, kernels)
        script = ScriptArray(path, design.arguments, kernels, "npu2")
        results = script.execute(None)
        return _said(results, bool(script.session.results), kernels)
    except GoldbeatError as error:
        said = str(error).replace(f"{root}/", "")
        if "missing design" in said:
            return "part", "a part of another script"
        if "the script ends with" in said and kernels.called:
            return "run", f"its check fails, with kernels that compute nothing: {', '.join(sorted(kernels.called))}"
        return "refused", said
    except Exception as error:
        return "refused", f"{type(error).__name__}: {error}"


def _said(results: list[LiveResult], called: bool, kernels: EmptyKernels) -> tuple[str, str]:
    last = results[-1]
    if not last.completes:
        return "refused", "hangs: " + "; ".join(last.report)[:300]
    if kernels.called:
        return "run", f"kernels that compute nothing: {', '.join(sorted(kernels.called))}"
    return ("right", "its own check") if called else ("run", "its arrays are zeros")


class _Outcomes:
    """What became of the functions of a file, as a plugin of pytest."""

    def __init__(self, kernels: EmptyKernels) -> None:
        self.kernels = kernels
        self.found: list[tuple[str, str]] = []

    def pytest_runtest_setup(self, item: Any) -> None:
        self.kernels.called.clear()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when != "call" and report.outcome == "passed":
            return
        called, why = sorted(self.kernels.called), str(report.longrepr).splitlines()[-1] if report.longrepr else ""
        if report.outcome == "skipped":
            return
        if report.outcome == "passed":
            self.found.append(("run", "") if called else ("right", ""))
        elif called and "AssertionError" in str(report.longrepr):
            self.found.append(("run", f"kernels that compute nothing: {', '.join(called)}"))
        else:
            lines = [line[1:].strip() for line in str(report.longrepr).splitlines() if line.startswith("E ")]
            self.found.append(("refused", lines[0] if lines else why))

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            lines = [line[1:].strip() for line in str(report.longrepr).splitlines() if line.startswith("E ")]
            self.found.append(("refused", lines[-1] if lines else str(report.longrepr).splitlines()[-1]))


def _pytest_file(path: Path, kernels: EmptyKernels) -> tuple[str, str]:
    """Run the functions of a file of pytest's: right if all of them pass, refused if one is."""
    import pytest

    outcomes = _Outcomes(kernels)
    session = ScriptSession(kernels, named_device("npu2"))
    options = [
        str(path),
        "-q",
        "--noconftest",
        "-p",
        "no:cacheprovider",
        "-c",
        os.devnull,
        "--rootdir",
        str(path.parent),
    ]
    with script_surroundings(path, ()), script_imports(), script_session(session), own_declarations(), fresh() as scope:
        scope.live = scope.silent = True
        pytest.main(options, plugins=[outcomes])
    counts = Counter(one for one, _ in outcomes.found)
    text = f"{counts['right']} of {len(outcomes.found)} functions pass"
    for outcome in ("refused", "run"):
        said = next((said for one, said in outcomes.found if one == outcome), None)
        if said is not None:
            return outcome, f"{said} ({text})"
    return ("right", text) if outcomes.found else ("part", "no function runs without its files")


def _child(design: UpstreamDesign, root: Path, answer: Any) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 1))
    with open(os.devnull, "w") as unseen, redirect_stdout(unseen), redirect_stderr(unseen):
        found = run_design(design, root)
    answer.send(found)


def survey(root: Path, known: Mapping[str, str], only: str = "") -> Iterator[tuple[UpstreamDesign, str, str]]:
    """Each design with its outcome: ``right`` and ``run`` as above, ``refused``, and those that ``known`` has by path."""
    forked = multiprocessing.get_context("fork")
    for design in upstream_designs(root):
        if only not in design.path:
            continue
        if design.path in known:
            yield design, known[design.path], "by its test's data"
            continue
        answer, send = forked.Pipe(False)
        child = forked.Process(target=_child, args=(design, root, send))
        child.start()
        send.close()
        try:
            outcome, said = answer.recv()
        except EOFError:
            child.join()
            late = child.exitcode in (-signal.SIGXCPU, -signal.SIGKILL)
            outcome, said = "refused", f"more than {_SECONDS} s" if late else "the process ended"
        child.kill()
        child.join()
        yield design, outcome, said


def cause_of(said: str) -> str:
    """A refusal without its place and its numbers, for counting."""
    text = re.sub(r"^\S+\.(py|mlir)(:[\d:]+)? ?", "", said.partition(" (")[0])
    return re.sub(r"\d+", "N", text)[:110]


def print_survey(root: Path, known: Mapping[str, str], only: str) -> list[tuple[str, str, str]]:
    """Print each design with its outcome, the counts by folder, and the causes of refusals; gives the rows."""
    rows: list[tuple[str, str, str]] = []
    counts: dict[str, Counter[str]] = {folder: Counter() for folder in FOLDERS}
    refusals: Counter[str] = Counter()
    for design, outcome, said in survey(root, known, only):
        rows.append((str(design), outcome, said))
        counts[next(f for f in FOLDERS if design.path.startswith(f"{f}/"))][outcome] += 1
        refusals.update([cause_of(said)] if outcome == "refused" else [])
        print(f"{design!s:90} {outcome:8} {said[:150]}", flush=True)
    print("\n| folder | designs | run and right | run, not comparable | refused |\n|---|---|---|---|---|")
    for folder, found in (*counts.items(), ("all", sum(counts.values(), Counter()))):
        parts = [found[outcome] for outcome in ("right", "run", "refused")]
        print(f"| {folder} | {sum(parts)} | {' | '.join(map(str, parts))} |")
    print("\n| refused for | designs |\n|---|---|")
    for cause, count in refusals.most_common():
        print(f"| {cause} | {count} |")
    return rows
