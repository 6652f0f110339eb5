# SPDX-License-Identifier: Apache-2.0
"""How many benches that ``goldbeat new`` writes for other people's modules pass random traffic as they are.

python tests/benchmarks/run_ports.py FOLDER... [-y DIR] [-I DIR] [--skip NAME] [--given MODULE:P=V] [--out DIR] [--again NAME]:
each module gets a bench by the code of ``goldbeat new``, with a ready-made model that its ports allow, and ``sweep`` runs on two
seeds. Where that fails, the next such model is tried; ``rules``, which compares no values, is the last and gives ``partial`` at
best. DIR/results.jsonl keeps what is done, so that a run goes on where it was stopped; --table prints it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from foreign import Surroundings, arguments, asked_for

SEEDS = 2
WAIVED = ("axi_combinational", "axil_combinational")
"""Rules that libraries break on purpose, in modules without a register in the way."""
_ENDS = {0: "pass", 3: "partial"}


@dataclass(frozen=True)
class Tried:
    """A bench and how it ended: ``pass``, ``partial``, ``fail``, ``limit`` (too slow), ``build``, ``refused``, ``bench``."""

    module: str
    file: str
    model: str
    options: str
    status: str
    why: str
    compared: int = 0
    seconds: float = 0.0


def called(command: list[str], limit: float, folder: Path) -> tuple[int | None, str, str]:
    """Exit code (None: it took too long), output and errors of a process with all that it starts."""
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            out, err = process.communicate()
            return None, out, err
    return process.returncode, out, err


def tried(
    one: tuple[Path, str], around: Surroundings, folder: Path, limit: float, given: dict[str, list[str]]
) -> list[Tried]:
    """All attempts at a module, the last one counts."""
    path, name = one
    end = time.monotonic() + limit
    words = [str(path.resolve()), name, str(folder / name)]
    words += [word for value in given.get(name, ()) for word in ("-G", value)]
    for option, items in (("-y", around.libraries), ("-I", around.includes)):
        words += [word for item in items for word in (option, str(item.resolve()))]
    script = [sys.executable, str(Path(__file__).with_name("make_benches.py").resolve())]
    code, out, err = called([*script, *words], limit, folder)
    if code != 0:
        why = "making the bench took too long" if code is None else last(err)
        status = "bench" if "like a test bench" in why else "refused"
        return [Tried(name, str(path), "", "", status, why)]
    attempts: list[Tried] = []
    for bench in json.loads(out):
        attempts.append(run(bench, name, path, folder, end - time.monotonic()))
        if attempts[-1].status == "fail" and combinational(attempts[-1].why):
            attempts.append(run(bench, name, path, folder, end - time.monotonic(), WAIVED))
        if attempts[-1].status in ("pass", "limit", "build") or end < time.monotonic():
            break
    return attempts or [Tried(name, str(path), "", "", "refused", "no bench was made")]


def combinational(why: str) -> bool:
    """Outputs that follow inputs are all that is wrong, as far as it is said."""
    return all(re.search(r"(?:axi|axil)_combinational: ", text) for text in why.split("; "))


def run(
    bench: dict[str, Any], name: str, path: Path, folder: Path, limit: float, waived: tuple[str, ...] = ()
) -> Tried:
    """One bench."""
    options = "; ".join(filter(None, (bench["options"], " ".join(f"waive {rule}" for rule in waived[:1]))))
    known = Tried(name, str(path), bench["model"], options, "refused", bench.get("why", ""))
    if "file" not in bench:
        return known
    start = time.monotonic()
    words = ["run", bench["file"], "--case", "sweep", "--seeds", str(SEEDS), "--json", "--traces", "none", "--force"]
    words += [word for rule in waived for word in ("--waive", rule)]
    words += ["--name", f"{name}-{Path(bench['file']).parent.name}"]
    executable = str(Path(sys.executable).with_name("goldbeat"))
    code, out, err = called([executable, *words], max(limit, 1), folder)
    took = round(time.monotonic() - start, 1)
    facts = asdict(known) | {"seconds": took}
    try:
        report = json.loads(out)
    except ValueError:
        status = "limit" if code is None else "build" if code not in (0, 1, 3) else "fail"
        return Tried(**facts | {"status": status, "why": last(err) if code is not None else f"more than {limit:.0f} s"})
    why = "; ".join(text.splitlines()[0] for text in report["failures"][:2])
    return Tried(**facts | {"status": _ENDS.get(code, "fail"), "why": why, "compared": report["compared"]})


def last(text: str) -> str:
    """What an error output says, cut short."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    found = [line for line in lines if "rror" in line] or lines[-3:]
    return " ".join(" ".join(found[:3]).split())[:400]


def table(results: dict[str, list[Tried]]) -> str:
    """What came of each module, for people."""
    lines = ["| module | outcome | model | options | why |", "|---|---|---|---|---|"]
    for name, attempts in sorted(results.items(), key=lambda item: (item[1][-1].status, item[0])):
        end = attempts[-1]
        why = " // ".join(f"{a.model} {a.options}: {a.why}" for a in attempts if a.why)
        lines.append(f"| `{name}` | {end.status} | {end.model} | {end.options} | {why} |")
    counts = Counter(a[-1].status for a in results.values())
    said = ", ".join(f"{n} {status}" for status, n in sorted(counts.items()))
    return "\n".join([*lines, f"{len(results)} modules: {said}"])


def main() -> None:
    """Run what is left, and list all of it."""
    parser = arguments(__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/ports"))
    parser.add_argument("--again", action="append", default=[], help="a module, or a status, to run again")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a module")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="run nothing")
    parser.add_argument("--given", action="append", default=[], help="MODULE:PARAMETER=VALUE")
    asked = parser.parse_args()
    given: dict[str, list[str]] = {}
    for module, _, value in (text.partition(":") for text in asked.given):
        given.setdefault(module, []).append(value)
    work, around = asked_for(asked)
    asked.out.mkdir(parents=True, exist_ok=True)
    results = load(asked, {name for _, name in work})
    left = [] if asked.table else [one for one in work if one[1] not in results]
    run_one = partial(tried, around=around, folder=asked.out.resolve(), limit=asked.limit, given=given)
    with ThreadPoolExecutor(asked.jobs) as pool, (asked.out / "results.jsonl").open("a") as file:
        for attempts in pool.map(run_one, left):
            results[attempts[-1].module] = attempts
            file.write(json.dumps([asdict(a) for a in attempts]) + "\n")
            file.flush()
            end = attempts[-1]
            print(f"{end.status:8} {end.module} {end.model} {end.options} {end.seconds} s {end.why}", flush=True)
    print(table(results))


def load(asked: argparse.Namespace, names: set[str]) -> dict[str, list[Tried]]:
    """What earlier runs have done, without what is to be run again."""
    path = asked.out / "results.jsonl"
    results = {}
    for line in path.read_text().splitlines() if path.is_file() else ():
        attempts = [Tried(**fields) for fields in json.loads(line)]
        results[attempts[-1].module] = attempts
    again = set(asked.again)
    return {n: a for n, a in results.items() if n in names and not again & {n, a[-1].status}}


if __name__ == "__main__":
    main()
