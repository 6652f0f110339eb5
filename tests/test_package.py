# SPDX-License-Identifier: Apache-2.0
"""What an installation brings along, and that a user's own folders called tb and hdl live beside it."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from goldbeat.tb.paths import REPOSITORY

PACKAGES = ("hdl", "pymodels", "tb")


def _copy(tree: Path) -> None:
    """The sources by themselves: setuptools leaves its own folders where it builds."""
    tree.mkdir()
    for package in (*PACKAGES, "src"):
        ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(REPOSITORY / package, tree / package, symlinks=True, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, tree)


def _pip(*words):
    command = [sys.executable, "-m", "pip", *map(str, words), "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run(command, check=True, capture_output=True, text=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    _copy(folder / "tree")
    _pip("wheel", "-w", folder, folder / "tree")
    (found,) = folder.glob("*.whl")
    return found


def test_a_wheel_holds_every_file_of_the_packages(wheel):
    there = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    kept = {
        f"goldbeat/{f.relative_to(REPOSITORY)}" for p in PACKAGES for f in (REPOSITORY / p).rglob("*") if f.is_file()
    }
    kept |= {f"goldbeat/{f.name}" for f in (REPOSITORY / "src" / "goldbeat").iterdir() if f.is_file()}
    assert there == {name for name in kept if "__pycache__" not in name}
    assert any(name.endswith(".sv") for name in there)


def test_a_wheel_puts_one_name_on_the_path(wheel):
    assert {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()} == {
        "goldbeat",
        "goldbeat-0.1.0.dist-info",
    }


_CHECK = """
import goldbeat, hdl, tb
assert tb.__file__ == {tb!r}, tb.__file__
assert goldbeat.__file__.startswith({home!r}), goldbeat.__file__
assert goldbeat.load("axis_skid").sources()
assert goldbeat.Trace and goldbeat.Stimulus and goldbeat.Outcome and goldbeat.Pattern and goldbeat.run
assert sorted(goldbeat.__all__) == sorted(goldbeat._HOMES)
assert all(getattr(goldbeat, name) for name in goldbeat.__all__)
"""


def _project(folder: Path) -> dict[str, str]:
    """A project with folders named as ours; the environment in which an installation is found behind it alone."""
    for package in ("tb", "hdl"):
        (folder / package).mkdir(parents=True)
        (folder / package / "__init__.py").write_text("")
    (folder / "tests").mkdir()
    return {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}


@pytest.mark.parametrize("how", ["wheel", "editable"])
def test_a_project_with_its_own_tb_and_hdl_works(how, wheel, tmp_path):
    site = tmp_path / "site"
    if how == "wheel":
        home = site
        _pip("install", "--target", site, wheel)
    else:
        _copy(tmp_path / "tree")
        home = tmp_path / "tree" / "src"
        _pip("install", "--target", site, "-e", tmp_path / "tree")
        (link,) = site.glob("*.pth")
        assert link.read_text().strip() == str(home)
    project = tmp_path / "project"
    environment = _project(project)
    environment["PYTHONPATH"] = os.pathsep.join([str(home)])
    code = _CHECK.format(tb=str(project / "tb" / "__init__.py"), home=str(home))
    (project / "tests" / "test_own.py").write_text(
        f"def test_own():\n    {code.strip().replace(chr(10), chr(10) + '    ')}\n"
    )

    def run(*words):
        command = [sys.executable, *words]
        return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)

    for words in (("-c", code), ("-m", "pytest", "-q", "-p", "no:cacheprovider"), ("-m", "goldbeat", "list")):
        done = run(*words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
