# SPDX-License-Identifier: Apache-2.0
"""The packages of the page on installing are enough: builds and runs find every program in them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from goldbeat.tb.build.doctor import examine
from goldbeat.tb.paths import REPOSITORY

PAGE = (REPOSITORY / "docs" / "install.md").read_text(encoding="utf-8")
LINES = re.findall(r"^apt install ([^#\n]+)", PAGE, flags=re.M)
# One line per release of Debian and Ubuntu, and one for all of them.
PYTHON = f"python{sys.version_info[0]}.{sys.version_info[1]}"
LISTED = tuple(name for line in LINES if PYTHON in line or "python" not in line for name in line.split())
PROGRAMS = ("/usr/bin", "/bin", "/usr/sbin", "/sbin")

needs_dpkg = pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="needs dpkg-query: not Debian or Ubuntu")


def asked(*words: str) -> str:
    """What dpkg-query prints; nothing for packages that are not installed."""
    return subprocess.run(["dpkg-query", *words], capture_output=True, text=True, check=False).stdout


def with_dependencies(names: tuple[str, ...]) -> set[str]:
    """Installed packages of these names, the essential ones, and all that they depend on."""
    form = "${Package}\t${Essential}\t${Pre-Depends}, ${Depends}\n"
    rows = [line.split("\t") for line in asked("-W", "-f", form).splitlines()]
    needs = {name: re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]+)", depends) for name, _, depends in rows}
    found: set[str] = set()
    todo = [*names, *(name for name, essential, _ in rows if essential == "yes")]
    while todo:
        name = todo.pop()
        if name in needs and name not in found:
            found.add(name)
            todo += needs[name]
    return found


def programs_of(packages: set[str], folder: Path) -> Path:
    """A folder with links to the programs of these packages alone, and to the alternatives that lead to them."""
    folder.mkdir()
    files = [Path(line) for line in asked("-L", *sorted(packages)).splitlines()]
    found = {file.name: file for file in files if str(file.parent) in PROGRAMS and file.exists()}
    owned = {file.resolve() for file in found.values()}
    links = [link for link in Path("/usr/bin").iterdir() if link.is_symlink()]
    chosen = [link for link in links if "alternatives" in link.readlink().parts and link.resolve() in owned]
    for name, file in (found | {link.name: link for link in chosen}).items():
        (folder / name).symlink_to(file)
    return folder


def goldbeat(path: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """The command with just these programs on its PATH."""
    env = {key: value for key, value in os.environ.items() if key != "GOLDBEAT_CACHE"} | settings | {"PATH": str(path)}
    command = [sys.executable, "-m", "goldbeat.tb.cli", *words]
    return subprocess.run(command, env=env, cwd=path.parent, capture_output=True, text=True, check=False)


def test_the_page_has_the_packages_that_doctor_asks_for() -> None:
    asks = {name for one in examine() for text in re.findall(r"apt install (.*)", one.hint) for name in text.split()}
    assert asks == set(LISTED)
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert [name for name in LINES[0].split() if name not in readme] == []


@needs_dpkg
def test_the_needed_programs_are_in_the_packages(tmp_path: Path) -> None:
    path = programs_of(with_dependencies(LISTED), tmp_path / "bin")
    done = goldbeat(path, "doctor")
    assert done.returncode == 0, done.stdout
    # Without one of them it finds something missing.
    fewer = tuple(name for name in LISTED if name != "make")
    done = goldbeat(programs_of(with_dependencies(fewer), tmp_path / "fewer"), "doctor")
    assert done.returncode == 1
    assert "to get it: apt install make" in done.stdout


@needs_dpkg
@pytest.mark.slow
@pytest.mark.sim
def test_a_simulator_is_built_with_the_programs_of_the_packages(tmp_path: Path) -> None:
    path = programs_of(with_dependencies(LISTED), tmp_path / "bin")
    settings = {"GOLDBEAT_CACHE": str(tmp_path / "cache"), "GOLDBEAT_OPTIMIZE": "-O0"}
    done = goldbeat(path, "run", "axis_skid", "--name", "packages", **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-3].startswith("PASS axis_skid")
