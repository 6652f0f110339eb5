# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/public-rtl.md: a bench of each module of ``public_rtl.toml``, made by ``goldbeat new`` and run.

Takes folders of clones. Prints the tables; ``--write`` puts them into the page. What has passed under ``--work`` with the
same entry is not run again.

    python tests/benchmarks/public_rtl.py --library verilog-axis=DIR --library verilog-axi=DIR --write
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from run_bugs import GOLDBEAT, first_reason, said

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "public-rtl.md"
COMPARED = re.compile(r"^PASS .*?(\d+) output values? compared", re.MULTILINE)


@dataclass(frozen=True)
class PublicModule:
    """A module and how its bench is made.

    Attributes:
        new: options of ``goldbeat new``.
        ties: more of them, which are corrections by hand.
        run: options of ``goldbeat run``, likewise.
        edits: texts of the description and what replaces them.
        model: a golden model in place of the one of ``new``.
        unchecked: signals that the description confirms as unchecked.
    """

    name: str
    library: str
    new: str
    cases: tuple[str, ...]
    seeds: int
    ties: str = ""
    run: str = ""
    edits: list[list[str]] = field(default_factory=list)
    model: str = ""
    unchecked: list[str] = field(default_factory=list)

    @property
    def by_hand(self) -> str:
        """The corrections in a cell of the table."""
        words = [*re.findall(r"--\w+ \S+", f"{self.ties} {self.run}"), *(new for _, new in self.edits)]
        names = self.unchecked
        # A row fits in a line: several signals are counted.
        left = [f"{len(names)} unchecked"] if len(names) > 1 else [f"unchecked: `{name}`" for name in names]
        return "; ".join([f"`{word}`" for word in words] + ["its own model"] * bool(self.model) + left)


@dataclass(frozen=True)
class PublicResult:
    """Values that were compared in all cases and are equal; else why not."""

    values: int
    why: str = ""


def tables() -> dict[str, list[PublicModule]]:
    """The modules by table."""
    found = {}
    for table in tomllib.loads((HERE / "public_rtl.toml").read_text(encoding="utf-8"))["table"]:
        shared = {"cases": table["cases"], "seeds": table["seeds"]}
        found[table["name"]] = [PublicModule(**(shared | entry)) for entry in table["module"]]
    return found


def tried(module: PublicModule, rtl: Path, folder: Path) -> PublicResult:
    """Make the bench and run its cases."""
    folder.mkdir(parents=True, exist_ok=True)
    made = f"{GOLDBEAT} new bench --force {rtl}/{module.name}.v --top {module.name} -y {rtl} {module.new} {module.ties}"
    code, text = said(made.split(), folder)
    if code:
        return PublicResult(0, "goldbeat new: " + first_reason(text))
    if module.model:
        (folder / "bench" / "model.py").write_text(module.model.lstrip(), encoding="utf-8")
    description = folder / "bench" / f"{module.name}.toml"
    for old, new in module.edits:
        description.write_text(description.read_text().replace(old, new))
    confirmed = "".join(f'{name} = "not modelled"\n' for name in module.unchecked)
    description.write_text(description.read_text().replace("[unchecked]\n", f"[unchecked]\n{confirmed}"))
    values = 0
    for case in module.cases:
        call = f"{GOLDBEAT} run {description} --case {case} --seeds {module.seeds} --name {case} {module.run}"
        code, text = said(call.split(), folder)
        if code or not (compared := COMPARED.search(text)):
            return PublicResult(values, f"{case}: {first_reason(text)}")
        values += int(compared[1])
    return PublicResult(values)


def result(module: PublicModule, libraries: Mapping[str, Path], work: Path) -> PublicResult:
    """The result of an earlier start with the same entry, or a new one."""
    entry = json.dumps(asdict(module), sort_keys=True)
    folder = work / re.sub(r"\W+", "_", f"{module.name} {module.new}")
    kept = folder / "result.json"
    if kept.is_file() and (old := json.loads(kept.read_text()))["entry"] == entry:
        return PublicResult(old["values"])
    found = tried(module, libraries[module.library] / "rtl", folder)
    if not found.why:
        kept.write_text(json.dumps({"entry": entry, "values": found.values}))
    return found


def lines_of(modules: list[PublicModule], results: list[PublicResult]) -> Iterator[str]:
    """The lines of a table, and of the one of its corrections."""
    yield "| module | options of `goldbeat new` | equal values |"
    yield "|---|---|---|"
    for module, found in zip(modules, results, strict=True):
        yield f"| `{module.name}` | `{module.new}` | {found.why or f'{found.values:,}'} |"
    yield from ("", "| module | corrected by hand |", "|---|---|")
    yield from (f"| `{module.name}` | {module.by_hand} |" for module in modules if module.by_hand)


def outdated(page: str) -> list[str]:
    """Lines of the tables that the page does not have, whatever their values."""
    without = {re.sub(r"\| [\d,]+ \|$", "| 0 |", line) for line in page.splitlines()}
    return [
        line
        for modules in tables().values()
        for line in lines_of(modules, [PublicResult(0)] * len(modules))
        if line not in without
    ]


def version(checkout: Path) -> str:
    """Commit and day of a checkout; empty for a folder that is none."""
    command = ["git", "-C", str(checkout), "log", "-1", "--format=%h of %cs"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def commits(libraries: Mapping[str, Path]) -> str:
    """Which versions were tried."""
    return ", ".join(f"{name} at {version(p)}" for name, p in sorted(libraries.items()))


def replaced(page: str, name: str, table: str) -> str:
    """The page with another table of this name."""
    block = re.compile(rf"(<!-- public {name} -->\n).*?(<!-- end public -->)", re.DOTALL)
    page, count = block.subn(lambda found: f"{found[1]}{table}\n{found[2]}", page)
    if count != 1:
        raise SystemExit(
            f"{PAGE}: expected one table between <!-- public {name} --> and <!-- end public -->, found {count}"
        )
    return page


def main() -> None:
    """Run all modules; exit code 1 if one of them fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--work", type=Path, default=Path("build/public_rtl"))
    parser.add_argument("--only", action="append", default=[], metavar="MODULE")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    parser.add_argument("--check", action="store_true", help="run nothing: does the page have every entry?")
    asked = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    if asked.check:
        missing = outdated(page)
        print(*missing, sep="\n")
        raise SystemExit(int(bool(missing)))
    libraries = {name: Path(folder).resolve() for name, _, folder in (one.partition("=") for one in asked.library)}
    failed = False
    for name, modules in tables().items():
        chosen = [one for one in modules if not asked.only or one.name in asked.only]
        results = []
        for module in chosen:
            results.append(result(module, libraries, asked.work.resolve()))
            print(f"{module.name}: {results[-1].why or results[-1].values}", file=sys.stderr, flush=True)
        table = "\n".join([*lines_of(chosen, results), "", f"Tried: {commits(libraries)}."])
        print(table)
        failed |= any(found.why for found in results)
        page = replaced(page, name, table)
    if asked.write and not asked.only and not failed:
        PAGE.write_text(page, encoding="utf-8")
    raise SystemExit(int(failed))


if __name__ == "__main__":
    main()
