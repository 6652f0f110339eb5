# SPDX-License-Identifier: Apache-2.0
"""How many modules of public libraries get a bench that drives them, with no option beyond sources, top and parameters.

python tests/benchmarks/probe_libraries.py --library NAME=DIR... [--every N] [--out FILE] [--write] [--only MODULE]:
libraries.toml says where the modules of each library are. ``goldbeat verify`` runs every N-th module. What is done is kept in
FILE, so that a run goes on where it was stopped; --write puts the tables into docs/public-rtl.md. Interfaces, packages and test
benches are no modules.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

from public_rtl import PAGE, replaced, version

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.harness import TOP, misfits
from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.probe.discover import discover
from goldbeat.tb.probe.find import Found
from goldbeat.tb.probe.handshakes import with_handshakes
from goldbeat.tb.probe.write import wrapper

FACTS = Path(__file__).with_name("libraries.toml")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MODULE = re.compile(r"^[ \t]*module\s+(?:automatic\s+|static\s+)?(\w+)", re.MULTILINE)
_HANDSHAKE = re.compile(
    r"(?:.*_)?[a-z]{0,2}(?:valid|vld|ready|rdy|req|ack|gnt|grant|stb|push|pop|enq|deq|full|empty|stall|yumi|awaddr|psel|cyc)"
    r"(?:_?\d+)?(?:_(?:i|o|n|in|out|and))*",
    re.IGNORECASE,
)
"""Names of ports of modules that hand something over."""
_LIMIT, _VERIFY_LIMIT = 60, 240
"""Seconds for one module's harness, and for its ``verify``."""
_BUDGET = "3s"
"""Of ``verify``: what is asked here is whether a bench drives the module, and how it ends."""
_MISSING = re.compile(
    "modules are missing|Cannot find file containing|unknown module|Cannot find include file|unknown package|could not find include"
)
"""What is said where a checkout lacks sources of another library."""


@dataclass(frozen=True)
class Probed:
    """A module and what came of it.

    Attributes:
        library, module: names.
        outcome: ``driven``; ``refused``: there is no harness; ``none``: no bundle although ports say that something is handed
            over; ``plain``: no such port; ``missing``: sources are not there; ``bench``: it is not synthesizable.
        why: bundles, or the reason.
        guesses: ports in bundles by a guess.
        seconds: of processor time, Verilator included.
        verdict: of ``verify``: ``pass``, ``partial``, ``fail``, ``ran refused``, ``limit``; empty where it was not asked.
        said: the first failure, or why there is no verdict.
        met, obligations: counts of ``verify``.
    """

    library: str
    module: str
    outcome: str
    why: str
    guesses: int = 0
    seconds: float = 0.0
    verdict: str = ""
    said: str = ""
    met: int = 0
    obligations: int = 0


@dataclass(frozen=True)
class Surroundings:
    """Where everything beside a module's own file is found."""

    libraries: tuple[Path, ...]
    includes: tuple[Path, ...]

    def sources(self, path: Path) -> Sources:
        """A module's file, and what it uses."""
        return Sources((path,), self.includes, libraries=self.libraries).complete()


def modules(folders: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Every module and its file."""
    for folder in folders:
        for path in sorted(p for p in folder.iterdir() if p.suffix in (".v", ".sv")):
            for name in _MODULE.findall(_COMMENT.sub(" ", path.read_text(errors="replace"))):
                yield path, name


def folders(name: str, patterns: list[str], checkouts: Mapping[str, Path]) -> Iterator[Path]:
    """The folders of patterns; those of a library that is not there are left out."""
    for pattern in patterns:
        other, _, below = pattern.rpartition(":")
        root = checkouts.get(other or name)
        if root is not None:
            yield from (p for p in sorted(root.glob(below)) if p.is_dir())


def values_of(path: Path, module: str, given: Mapping[str, int]) -> dict[str, str]:
    """Values for the parameters without a default, by the first pattern that fits."""
    text = path.read_text(errors="replace")
    head = re.search(rf"\bmodule\s+{module}\b(.*?)\)\s*\(", text, re.DOTALL)
    if head is None:
        return {}
    names = re.findall(r"`BSG_INV_PARAM\(\s*(\w+)", head[1])
    names += re.findall(r"\bparameter\s+(?:(?:int|unsigned|signed|integer|\[[^\]]*\])\s+)*(\w+)\s*(?=,|\)?$)", head[1])
    return {n: str(next(v for pattern, v in given.items() if fnmatch(n, pattern))) for n in names} if given else {}


def probed(one: tuple[Path, str, bool], library: str, around: Surroundings, given: Mapping[str, int]) -> Probed:
    """Find, and lint what would be simulated; run it where the third item says so."""
    path, name, runs = one
    before, values = os.times(), values_of(path, name, given)
    try:
        sources = around.sources(path)
        found = with_handshakes(discover(sources, name, values, relaxed=True))
        outcome, why, guesses = _judged(found, sources)
    except GoldbeatError as error:
        outcome, why, guesses = _refusal(str(error)), str(error).splitlines()[0], 0
    more = verified(sources, name, values) if runs and outcome == "driven" else ("", "", 0, 0)
    after = os.times()
    return Probed(library, name, outcome, why[:300], guesses, round(sum(after[:4]) - sum(before[:4]), 1), *more)


def called(
    words: list[str], folder: Path, limit: float, environment: Mapping[str, str] | None = None
) -> tuple[int | None, str, str]:
    """Exit code (None: it took too long), output and errors of a process; it ends with all that it has started."""
    with subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:  # fmt: skip
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, *process.communicate()
    return process.returncode, out, err


def verified(sources: Sources, name: str, values: Mapping[str, str]) -> tuple[str, str, int, int]:
    """Verdict of ``goldbeat verify``, what it says first, obligations met, all obligations."""
    words = [sys.executable, "-m", "goldbeat", "verify", *map(str, sources.files), "--top", name, "--relaxed"]
    words += [f"-I{d}" for d in sources.include_dirs] + [f"-G{key}={value}" for key, value in values.items()]
    words += ["--budget", _BUDGET, "--mutants", "0", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = called(words, Path(folder), _VERIFY_LIMIT)
    if code is None:
        return "limit", f"more than {_VERIFY_LIMIT} s", 0, 0
    try:
        report = json.loads(out)
    except ValueError:
        lines = [line for line in err.splitlines() if line.strip()]
        first = next((line for line in lines if "rror" in line), lines[-1] if lines else "")
        return "ran refused", " ".join(first.split())[:300], 0, 0
    counts = report["obligations"]
    first = next(iter([*report["failures"], *report["not_checked"]]), "")
    return report["status"], first.partition("\n")[0][:300], counts["met"], counts["all"]


def _refusal(text: str) -> str:
    if _MISSING.search(text):
        return "missing"
    return "bench" if "like a test bench" in text or "no top module" in text else "refused"


def _judged(found: Found, sources: Sources) -> tuple[str, str, int]:
    if not found.bundles:
        hands = [p.name for p in found.module.ports if _HANDSHAKE.fullmatch(p.name)]
        return ("none", ", ".join(hands), 0) if hands else ("plain", "", 0)
    text = wrapper(found)
    with tempfile.TemporaryDirectory() as folder:
        harness = Path(folder) / f"{TOP}.sv"
        harness.write_text(text)
        tool = verilator()
        command = [str(tool.executable), "--lint-only", "--timing", "-Wno-fatal", "--top-module", TOP]
        command += [*(f"-I{d}" for d in sources.include_dirs), *map(str, sources.files), str(harness)]
        code, _, err = called(command, Path(folder), _LIMIT, tool.environment())
    if code is None:
        return "refused", f"Verilator takes more than {_LIMIT} s", 0
    said = [line for line in err.splitlines() if line.startswith("%Error")] + misfits(err)
    if code or misfits(err):
        why = (said or ["Verilator failed"])[0]
        return _refusal(why), why, 0
    return "driven", " ".join(f"{b.bus}:{b.name}" for b in found.bundles), len(found.guesses)


def table(rows: list[Probed], states: Mapping[str, str]) -> str:
    """Markdown: a line a library: what was found, and how the modules ended that ran."""
    lines = [
        "| library | at | modules | driven | guessed | refused | not found | ran | pass | partial | fail | no verdict "
        "| met | s |",
        "|---" * 14 + "|",
    ]
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        one = counts.setdefault(row.library, Counter())
        one[row.outcome] += 1
        one[row.verdict] += 1
        one["guess"] += row.outcome == "driven" and row.guesses > 0
        one.update(met=row.met, obligations=row.obligations, seconds=round(row.seconds))
    for name, one in [*counts.items(), ("together", sum(counts.values(), Counter()))]:
        asked = one["driven"] + one["refused"] + one["none"]
        ended, none = one["pass"] + one["partial"] + one["fail"], one["limit"] + one["ran refused"]
        cells = [name, states.get(name, ""), asked, f"{one['driven']} ({100 * one['driven'] / max(asked, 1):.0f} %)"]
        cells += [
            one["guess"],
            one["refused"],
            one["none"],
            ended + none,
            one["pass"],
            one["partial"],
            one["fail"],
            none,
        ]
        cells += [f"{one['met']} of {one['obligations']}", one["seconds"]]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    total = sum(counts.values(), Counter())
    lines += [
        "",
        f"Beside them {total['plain']} modules have no port that hands anything over, {total['bench']} are benches,",
    ]
    lines += [f"and sources of {total['missing']} are in none of these checkouts."]
    return "\n".join(lines)


def main() -> None:
    """Probe what is left, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", action="append", required=True, metavar="NAME=DIR")
    parser.add_argument(
        "--state", action="append", default=[], metavar="NAME=TEXT", help="of a folder that is no checkout"
    )
    parser.add_argument("--out", type=Path, default=Path("build/libraries.jsonl"))
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--every", type=int, default=0, metavar="N", help="verify every N-th module; 0: none")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    checkouts = {name: Path(folder) for name, _, folder in (text.partition("=") for text in asked.library)}
    facts = tomllib.loads(FACTS.read_text())
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    rows = [Probed(**json.loads(line)) for line in asked.out.read_text().splitlines()] if asked.out.is_file() else []
    done = {(row.library, row.module) for row in rows}
    with ProcessPoolExecutor(asked.jobs) as pool, asked.out.open("a") as file:
        for name in checkouts:
            one = facts[name]
            mine = list(folders(name, one["modules"], checkouts))
            around = Surroundings(
                (*mine, *folders(name, one.get("libraries", []), checkouts)),
                tuple(folders(name, one.get("includes", []), checkouts)),
            )
            work = [
                (path, module, asked.every > 0 and n % asked.every == 0)
                for n, (path, module) in enumerate(dict.fromkeys(modules(mine)))
                if (name, module) not in done and (not asked.only or module in asked.only)
            ]
            start = time.monotonic()
            task = partial(probed, library=name, around=around, given=one.get("values", {}))
            for row in pool.map(task, work):
                rows.append(row)
                file.write(json.dumps(asdict(row)) + "\n")
                file.flush()
            print(f"{name}: {len(work)} modules, {time.monotonic() - start:.0f} s", flush=True)
    states = {name: version(folder) for name, folder in checkouts.items()}
    states |= dict(text.split("=", 1) for text in asked.state)
    text = table(rows, states)
    print(text)
    if asked.write:
        PAGE.write_text(replaced(PAGE.read_text(), "libraries", text))


if __name__ == "__main__":
    main()
