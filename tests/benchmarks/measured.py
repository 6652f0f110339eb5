# SPDX-License-Identifier: Apache-2.0
"""What all benchmarks share: rows, options, the hash of the measured files, and ``build/bench/NAME.json``.

A script gives ``benchmark`` a function that yields rows, the files that it measures, and two settings: those of published
figures, and those of ``--short``, which takes a minute at most if simulators are in the cache. Each setting is an option.
One whose default is empty names files that a user brings.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
OUT = Path(os.environ.get("GOLDBEAT_BENCH", ROOT / "build" / "bench"))
LESS = ("s", "ms", "us", "ns", "bytes", "MB", "cycles")
"""Units of which less is better."""
LIMITS = {True: 900, False: 4 * 3600}
"""Seconds until a script is ended, by whether it is short: builds of simulators take most of them."""


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes:
        column: of a table whose cells are figures; "" for one figure per line.
        peer: what it is compared with.
        goal: in words.
        table: of the scripts that have several.
    """

    name: str
    value: float
    unit: str = ""
    peer: str = ""
    peer_value: float | None = None
    column: str = ""
    goal: str = ""
    table: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times better than the peer."""
        if self.peer_value is None:
            return None
        return self.peer_value / self.value if self.unit in LESS else self.value / self.peer_value

    def __str__(self) -> str:
        name = ", ".join(part for part in (self.table, self.name, self.column) if part)
        peer = "" if self.peer_value is None else f"{self.ratio:10.3g} x  {self.peer} ({self.peer_value:,.4g})"
        return f"{name:<60} {self.value:>14,.4g} {self.unit:<12}{peer}{f'  goal: {self.goal}' if self.goal else ''}"


@dataclass(frozen=True)
class Skipped:
    """A table that cannot be measured here.

    Attributes:
        reason: the file or variable that is missing.
    """

    reason: str
    table: str = ""

    def __str__(self) -> str:
        return f"{self.table or 'all'} skipped: {self.reason}"


def digest(files: Sequence[str], root: Path = ROOT) -> str:
    """Hash of names and contents of all files that these patterns name.

    Raises:
        SystemExit: a pattern names no file
    """
    found = hashlib.sha256()
    for pattern in files:
        paths = sorted(p for p in root.glob(pattern) if p.is_file() and "__pycache__" not in p.parts)
        if not paths:
            raise SystemExit(f"{pattern}: no such file. Name the measured files in the benchmark's FILES.")
        for path in paths:
            found.update(f"{path.relative_to(root)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return found.hexdigest()[:16]


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def machine(files: Sequence[str]) -> dict[str, Any]:
    """The commit that changed the measured files last, the day of HEAD, and the state of the machine."""
    return {
        "commit": _git("log", "-1", "--format=%h", "--", *(f":(glob){pattern}" for pattern in files)),
        "committed": _git("log", "-1", "--format=%cs"),
        "date": time.strftime("%Y-%m-%d"),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


def spent(call: Callable[[], Any]) -> float:
    """Processor time of the processes that a call has started and waited for, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _settings(full: dict[str, Any], short: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The settings of this call: each has an option."""
    script = sys.modules["__main__"]
    parser = argparse.ArgumentParser(description=script.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="Take a minute at most; not for publication.")
    for name, value in full.items():
        kind: dict[str, Any] = {"type": str if value is None else type(value)}
        if isinstance(value, tuple):
            kind = {"nargs": "+", "type": type(value[0]) if value else str}
        parser.add_argument(
            f"--{name.replace('_', '-')}", help=f"Default: {value}. Short: {short.get(name, value)}.", **kind
        )
    asked = vars(parser.parse_args())
    is_short = bool(asked.pop("short"))
    given = {name: tuple(v) if isinstance(v, list) else v for name, v in asked.items() if v is not None}
    return {**full, **(short if is_short else {}), **given}, is_short


def benchmark(
    measure: Callable[..., Iterable[Row | Skipped]], files: Sequence[str], full: dict[str, Any], short: dict[str, Any]
) -> None:
    """Measure with the settings of the command line; print each row, keep all.

    The file says ``complete`` only if the script has run to its end.
    """
    settings, is_short = _settings(full, short)
    out = OUT / f"{Path(sys.argv[0]).stem.removeprefix('bench_')}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"not at its end after {LIMITS[is_short]} s"))
    signal.alarm(LIMITS[is_short])
    head = {
        "short": is_short,
        "full": not is_short and all(settings[k] == v for k, v in full.items() if v),
        "settings": settings,
        **machine(files),
    }
    head |= {"files": list(files), "hash": digest(files)}
    rows: list[dict[str, Any]] = []
    skipped: dict[str, str] = {}

    def keep(complete: bool) -> None:
        text = json.dumps({**head, "complete": complete, "skipped": skipped, "rows": rows}, indent=1)
        out.write_text(text + "\n", encoding="utf-8")

    keep(complete=False)
    for one in measure(**settings):
        print(one, flush=True)
        if isinstance(one, Skipped):
            skipped[one.table] = one.reason
        else:
            rows.append({**asdict(one), "ratio": one.ratio})
    head["load"] = max(head["load"], round(os.getloadavg()[0], 1))
    if not rows and not skipped:
        raise SystemExit("nothing was measured")
    keep(complete=True)
