# SPDX-License-Identifier: Apache-2.0
"""The figures of docs and README, from ``docs/performance.json``: tables between markers, and numbers in sentences.

Without an option: merge full results of ``build/bench`` into that file, then write pages and README. ``--check`` compares
them instead, and fails for figures whose measured files changed, if they are much older than HEAD.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from measured import OUT, ROOT, digest

RESULTS = ROOT / "docs" / "performance.json"
BLOCK = re.compile(r"(?<=^<!-- figures )([\w/ -]+?)( -->\n).*?(?=^<!-- end figures -->$)", re.S | re.M)
OLD = " †"
DAYS = 30
"""Days between the commits of figures and HEAD, if the measured files have changed."""
Group = dict[str, Any]
QUOTES = {
    r"register slice move (\S+ M beats/s), (\S+) times\s+cocotbext-axi": (
        ("kernel", "register slice", "", "value"),
        ("kernel", "register slice", "", "ratio"),
    ),
    r"cuts a failing stimulus to (\S+ %) of its beats in (\S+ s) \(medians of (\d+)\s+mutants": (
        ("shrink", "all", "left, median", "value"),
        ("shrink", "all", "median", "value"),
        ("shrink", "all", "mutants", "value"),
    ),
}
"""Sentences of the README, and by group, name, column and key what is in their gaps."""


def shown(value: float, unit: str = "") -> str:
    """At most three digits, and the unit; whole numbers as they are.

    >>> shown(22_430_000, "beats/s"), shown(0.0219, "s"), shown(2362, "cycles"), shown(1351.2)
    ('22.4 M beats/s', '0.0219 s', '2,362 cycles', '1,351')
    """
    scale = ""
    if "/s" in unit:
        scale, value = next(((s, value / n) for s, n in (("M ", 1e6), ("k ", 1e3)) if value >= n), ("", value))
    if isinstance(value, int):
        return f"{value:,} {unit}".rstrip()
    digits = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    text = f"{value:,.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if digits else text} {scale}{unit}".rstrip()


def figure(row: dict[str, Any], key: str = "value") -> str:
    """A row's value or its peer's."""
    return shown(row[key], row.get("unit", ""))


def is_old(group: Group) -> bool:
    """Whether the measured files have changed since."""
    try:
        return digest(group["files"]) != group["hash"]
    except SystemExit:
        return True


def lines(group: Group) -> Iterator[str]:
    """The table of a group: a line per figure, or a column per kind of figure."""
    rows, mark = group["rows"], OLD if is_old(group) else ""
    if columns := list(dict.fromkeys(row["column"] for row in rows if "column" in row)):
        yield f"| what | {' | '.join(columns)} |"
        yield "|---" * (len(columns) + 1) + "|"
        for name in dict.fromkeys(row["name"] for row in rows):
            cells = {row["column"]: figure(row) for row in rows if row["name"] == name}
            yield f"| {name}{mark} | {' | '.join(cells.get(column, '') for column in columns)} |"
        return
    extra = [key for key in ("peer", "ratio", "goal") if any(row.get(key) for row in rows)]
    yield f"| what | {' | '.join(['value', *extra])} |"
    yield "|---" * (len(extra) + 2) + "|"
    for row in rows:
        peer = f"{figure(row, 'peer_value')}, {row['peer']}" if "peer" in row else ""
        cells = {"peer": peer, "ratio": shown(row["ratio"]) if "ratio" in row else "", "goal": row.get("goal", "")}
        yield f"| {row['name']}{mark} | {' | '.join([figure(row), *(cells[k] for k in extra)])} |"


def block(name: str, group: Group) -> str:
    """What is between the markers."""
    state = f"Measured {group['date']} at {group['commit']}"
    state += f", load {group['load']} on {group['cores']} cores." if group.get("load") is not None else "."
    if is_old(group):
        state += f" {OLD.strip()} The measured files have changed since."
    if group.get("skipped"):
        state += f" The last `make bench` left it out: {group['skipped']}."
    return "\n".join([*lines(group), "", state, ""])


def page(text: str, groups: dict[str, Group], used: list[str]) -> str:
    """A page with its tables.

    Raises:
        SystemExit: no such figures
    """

    def made(match: re.Match[str]) -> str:
        if match[1] not in groups:
            raise SystemExit(f"<!-- figures {match[1]} -->: not in {RESULTS.name}, which has {', '.join(groups)}")
        used.append(match[1])
        return match[1] + match[2] + block(match[1], groups[match[1]])

    return BLOCK.sub(made, text)


def readme(text: str, groups: dict[str, Group]) -> str:
    """The README with its figures.

    Raises:
        SystemExit: a sentence is not there
    """
    for pattern, gaps in QUOTES.items():
        if (found := re.search(pattern, text)) is None:
            raise SystemExit(f"README.md: no sentence {pattern!r}")
        for number, (group, name, column, key) in reversed(list(enumerate(gaps, 1))):
            rows = groups[group]["rows"]
            row = next(row for row in rows if (row["name"], row.get("column", "")) == (name, column))
            new = figure(row) if key == "value" else shown(row[key])
            text = text[: found.start(number)] + new + text[found.end(number) :]
    return text


def wanted(groups: dict[str, Group]) -> Iterator[tuple[Path, str, str]]:
    """Every page and the README: path, text, and what the text should be."""
    used: list[str] = []
    for path in [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]:
        text = path.read_text(encoding="utf-8")
        yield path, text, page(text, groups, used) if path.name != "README.md" else readme(text, groups)
    if sorted(used) != sorted(groups):
        raise SystemExit(f"shown once each: expected {sorted(groups)}, found {sorted(used)}")


def kept(row: dict[str, Any]) -> dict[str, Any]:
    """A row without what is empty, and with four digits."""
    digits = {k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in row.items() if k != "table"}
    return {k: v for k, v in digits.items() if v not in ("", None)}


def stored(groups: dict[str, Group]) -> str:
    """The file: a line per row."""
    parts = []
    for name, group in groups.items():
        head = json.dumps({k: v for k, v in group.items() if k != "rows"}, ensure_ascii=False)[:-1]
        rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in group["rows"])
        parts.append(f'{json.dumps(name)}: {head}, "rows": [\n{rows}\n]}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def merge(groups: dict[str, Group]) -> None:
    """Put full results in place of the old ones; short and incomplete ones are left."""
    for path in sorted(OUT.glob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        if not result["complete"] or not result["full"]:
            print(
                f"{path.name}: {'not of the full settings' if result['complete'] else 'not complete'}, left out",
                file=sys.stderr,
            )
            continue
        state = {k: result[k] for k in ("commit", "committed", "date", "cores", "load", "files", "hash")}
        rows = result["rows"]
        for table in dict.fromkeys(row["table"] for row in rows):
            own = [kept(row) for row in rows if row["table"] == table]
            groups[path.stem + (f"/{table}" if table else "")] = {**state, "rows": own}
        for table, reason in result["skipped"].items():
            name = path.stem + (f"/{table}" if table else "")
            for key in groups:
                if key == name or (not table and key.startswith(f"{name}/")):
                    groups[key]["skipped"] = reason


def too_old(groups: dict[str, Group]) -> Iterator[str]:
    """Groups whose files changed, and whose commit is long before HEAD."""
    git = ["git", "log", "-1", "--format=%cs"]
    head = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    for name, group in groups.items():
        days = (date.fromisoformat(head) - date.fromisoformat(group["committed"])).days if head else 0
        if days > DAYS and is_old(group):
            yield f"{name}: measured {days} days before HEAD, and the files have changed. Run make bench, make figures."


def main() -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="Compare pages and README with the figures.")
    check = parser.parse_args().check
    groups = json.loads(RESULTS.read_text(encoding="utf-8"))
    if not check:
        merge(groups)
        RESULTS.write_text(stored(groups), encoding="utf-8")
    wrong = list(too_old(groups)) if check else []
    for path, text, new in wanted(groups):
        if check and text != new:
            pairs = zip([*text.splitlines(), ""], [*new.splitlines(), ""], strict=False)
            was, now = next(pair for pair in pairs if pair[0] != pair[1])
            wrong.append(f"{path.relative_to(ROOT)}: found {was!r}, expected {now!r}. Run make figures.")
        elif not check:
            path.write_text(new, encoding="utf-8")
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
