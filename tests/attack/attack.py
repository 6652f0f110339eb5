# SPDX-License-Identifier: Apache-2.0
"""Attack Goldbeat with faults drawn from a seed: nothing lost, nothing twice, no hang, no orphan, no leftover.

Usage: python tests/attack/attack.py [--seed S] [--faults N] [--from I] [--only I] [--kind NAME]... [--jobs J] [--json]
Exit code: 0 every fault ended as promised, 1 one did not, 2 bad usage.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_CLEAR = "\r\x1b[K"
HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
SUPPORT = REPOSITORY / "tests" / "support"
sys.path[:0] = [str(HERE), str(SUPPORT), str(REPOSITORY / "src")]


@dataclass(frozen=True)
class Fault:
    """What became of a fault: its number, kind, seconds, what it was, and what is wrong (empty: nothing)."""

    index: int
    kind: str
    seconds: float
    what: str
    wrong: str


def load() -> dict[str, Any]:
    """All kinds of faults that can be made here."""
    import kinds
    import kinds_farm
    import kinds_files
    import kinds_models
    import kinds_processes

    assert all((kinds_farm, kinds_files, kinds_models, kinds_processes))
    return kinds.KINDS


def possible(kinds: dict[str, Any]) -> list[str]:
    """The kinds that this machine and this user can make."""
    there = {"": True, "root": os.geteuid() == 0, "farm": True}
    try:
        import distributed  # noqa: F401
    except ModuleNotFoundError:
        there["farm"] = False
    return [name for name, kind in kinds.items() if there[kind.needs]]


def draw(kinds: dict[str, Any], names: list[str], seed: int, index: int) -> str:
    """The kind of a fault: first each of them once, in random order, then by weight. Does not depend on how many are drawn."""
    if index < len(names):
        return random.Random(f"order {seed}").sample(names, len(names))[index]
    return random.Random(f"kind {seed} {index}").choices(names, [kinds[n].weight for n in names])[0]


def attack(kinds: dict[str, Any], name: str, seed: int, index: int, root: Path, cache: Path) -> Fault:
    """Make one fault in an arena of its own."""
    from arena import Arena, BrokenError

    begun = time.monotonic()
    kind = kinds[name]
    arena = Arena(root / f"fault-{index}", cache, own_cache=kind.own_cache)
    what = wrong = ""
    try:
        what = kind.attack(arena, random.Random(f"fault {seed} {index}"))
        arena.settle()
    except BrokenError as error:
        wrong = str(error)
    except Exception:
        wrong = f"the attack itself: {traceback.format_exc()}"
    finally:
        arena.destroy()
    return Fault(index, name, round(time.monotonic() - begun, 2), what, wrong)


def prepare(root: Path) -> Path:
    """A build folder with the simulator that all need."""
    from arena import MOODY, PLACE, Arena
    from kinds import FAILED, REGRESS, ended

    cache = PLACE
    for name in ("moody.py", "rtl/moody.sv"):
        ours, theirs = MOODY.parent / name, SUPPORT / name
        ours.parent.mkdir(parents=True, exist_ok=True)
        if not ours.is_file() or ours.read_bytes() != theirs.read_bytes():
            shutil.copyfile(theirs, ours)
    for name in ("sim", "runtime"):
        (cache / name).mkdir(parents=True, exist_ok=True)
    arena = Arena(root / "prepare", cache)
    try:
        ended(arena.goldbeat("regress", arena.suite(seeds=2, moods="lie@1"), *REGRESS), FAILED)
    finally:
        arena.destroy()
    return cache


def work(tasks: Any, results: Any, seed: int, root: Path, cache: Path, master: int) -> None:
    """A slot: makes faults one after the other. Each is a fork of this process, which has imported everything."""
    kinds = load()
    import goldbeat.tb.cli.regress
    from goldbeat.tb import orphan_guard

    assert goldbeat.tb.cli.regress
    orphan_guard.end_with(master)
    while (task := tasks.get()) is not None:
        results.put(attack(kinds, task[1], seed, task[0], root, cache))


def run(todo: list[tuple[int, str]], seed: int, jobs: int, root: Path, cache: Path, tell: Any) -> list[Fault]:
    """Make faults, a few at a time."""
    context = multiprocessing.get_context("spawn")
    tasks, results = context.Queue(), context.Queue()
    slots = [context.Process(target=work, args=(tasks, results, seed, root, cache, os.getpid())) for _ in range(jobs)]
    for slot in slots:
        slot.start()
    for task in todo:
        tasks.put(task)
    for _ in slots:
        tasks.put(None)
    done = []
    while len(done) < len(todo):
        done.append(results.get(timeout=3600))
        tell(done)
    for slot in slots:
        slot.join()
    return sorted(done, key=lambda fault: fault.index)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="What all faults are drawn from.")
    parser.add_argument("--faults", type=int, default=200, help="Number of faults.")
    parser.add_argument("--from", type=int, default=0, dest="first", help="Number of the first fault to make.")
    parser.add_argument("--only", type=int, help="Make the fault of this number alone.")
    parser.add_argument("--kind", action="append", help="Only kinds that match this glob.")
    parser.add_argument("--cheap", action="store_true", help="One fault of each cheap kind.")
    parser.add_argument("--jobs", type=int, default=2, help="Faults at a time.")
    parser.add_argument("--list", action="store_true", help="List the kinds.")
    parser.add_argument("--json", action="store_true", help="Print results as JSON.")
    options = parser.parse_args()
    from arena import PLACE

    kinds = load()
    names = possible(kinds)
    if options.list:
        print(json.dumps(sorted(kinds)) if options.json else "\n".join(sorted(kinds)))
        return 0
    if options.kind:
        names = [n for n in names if any(fnmatch.fnmatch(n, k) for k in options.kind)]
    if options.cheap:
        names = [n for n in names if kinds[n].cheap]
        options.faults = len(names)
    if not names or options.faults <= options.first:
        parser.error("no kind of fault to make")
    numbers = range(options.first, options.faults) if options.only is None else [options.only]
    todo = [(i, draw(kinds, names, options.seed, i)) for i in numbers]
    chosen = "".join(f" --kind '{k}'" for k in options.kind or ()) + (" --cheap" if options.cheap else "")
    PLACE.mkdir(parents=True, exist_ok=True)
    # Beside the simulators, so that copies of those are links.
    root = Path(tempfile.mkdtemp(dir=PLACE, prefix="faults-"))
    begun = time.monotonic()
    try:
        cache = prepare(root)
        done = run(
            todo, options.seed, options.jobs, root, cache, lambda d: show(d, len(todo), begun, options.seed, chosen)
        )
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return report(done, names, kinds, time.monotonic() - begun, options)


def show(done: list[Fault], total: int, begun: float, seed: int, chosen: str) -> None:
    """Progress, and what went wrong with the command that repeats it."""
    last = done[-1]
    wrong = sum(bool(f.wrong) for f in done)
    terminal = sys.stderr.isatty()
    if last.wrong:
        print(f"{_CLEAR if terminal else ''}BROKEN {last.index} {last.kind}: {last.wrong}", file=sys.stderr)
        print(f"  repeat: python tests/attack/attack.py --seed {seed} --only {last.index}{chosen}", file=sys.stderr)
    if terminal:
        filled = 30 * len(done) // total
        bar = "#" * filled + "." * (30 - filled)
        rest = (time.monotonic() - begun) / len(done) * (total - len(done))
        text = f"{_CLEAR}{bar} {len(done)}/{total}, {wrong} broken, {rest:.0f} s left: {last.kind}"
        print(text, end="" if len(done) < total else "\n", file=sys.stderr, flush=True)
    elif not last.wrong:
        print(f"{len(done)}/{total} {last.index} {last.kind}, {last.seconds:.0f} s: {last.what}", file=sys.stderr)


def report(done: list[Fault], names: list[str], kinds: dict[str, Any], seconds: float, options: Any) -> int:
    """The verdict."""
    broken = [f for f in done if f.wrong]
    left_out = sorted(set(kinds) - set(names)) if not (options.kind or options.cheap) else []
    if options.json:
        said = {"seed": options.seed, "faults": [asdict(f) for f in done], "broken": len(broken)}
        print(json.dumps({**said, "left_out": left_out, "seconds": round(seconds, 1)}, indent=1))
    else:
        if left_out:
            print(f"not possible here (no root, or no dask.distributed): {', '.join(left_out)}")
        found = len({f.kind for f in done})
        verdict = "FAIL" if broken else "PASS"
        print(
            f"{verdict} seed {options.seed}: {len(done)} faults of {found} kinds, {len(broken)} broken; {seconds:.0f} s"
        )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
