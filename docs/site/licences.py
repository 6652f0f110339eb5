# SPDX-License-Identifier: Apache-2.0
"""The table of docs/licences.md: every package in requirements, with the licence that its metadata states.

``python docs/site/licences.py`` writes it anew after ``make lock`` and ``make setup``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "licences.md"
LISTS = ("run", "test", "docs")
HEAD = "| package | licence | list | needed by |\n|---|---|---|---|\n"


def licence(package: str) -> str | None:
    """What the metadata of an installed package states: an SPDX expression, else classifiers, else its own word."""
    try:
        found = metadata(package)
    except PackageNotFoundError:
        return None
    classes = [c.rpartition(" :: ")[2] for c in found.get_all("Classifier") or () if c.startswith("License :: OSI")]
    word = found.get("License") or ""
    return found.get("License-Expression") or ", ".join(classes) or (word if 0 < len(word) < 40 else "not stated")


def locked() -> dict[str, tuple[str, set[str]]]:
    """Per package the first list that has it, and what needs it; ``goldbeat`` needs what pyproject.toml names."""
    found: dict[str, tuple[str, set[str]]] = {}
    for name in LISTS:
        for line in (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            package, _, via = line.partition("# via ")
            parents = {one for one in via.split(", ") if not one.startswith("-c ")}
            found.setdefault(Requirement(package).name, (name, set()))[1].update(parents)
    return found


def extras() -> dict[str, set[str]]:
    """Per package the extras that install it; ``(always)`` without any, ``(build)`` for the wheel."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = {"(always)": project["project"]["dependencies"], "(build)": project["dependency-groups"]["build"]}
    groups |= project["project"]["optional-dependencies"]
    parents = {package: needed for package, (_, needed) in locked().items()}
    found: dict[str, set[str]] = {package: set() for package in parents}
    for group, needs in groups.items():
        todo = [Requirement(one).name for one in needs]
        while todo:
            package = todo.pop()
            if group not in found[package]:
                found[package].add(group)
                todo += [child for child, needed in parents.items() if package in needed]
    return found


def rows(page: str) -> Iterator[str]:
    """The rows of the table. A package that is not installed keeps the licence that the page has."""
    known = dict(re.findall(r"^\| `(\S+)` \| (.*?) \|", page, flags=re.M))
    needed = extras()
    for package, (name, _) in sorted(locked().items()):
        groups = sorted(needed[package])
        always = [one for one in groups if one.startswith("(")][:1]
        stated = licence(package) or known.get(package) or "unknown: not installed"
        yield f"| `{package}` | {stated} | {name} | {', '.join(always or groups)} |"


def written(page: str) -> str:
    """The page with the table of today."""
    start = page.index(HEAD) + len(HEAD)
    rest = page[start:].partition("\n\n")[2]
    return page[:start] + "\n".join(rows(page)) + "\n" + (f"\n{rest}" if rest else "")


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
