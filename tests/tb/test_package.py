# SPDX-License-Identifier: Apache-2.0
"""What an installation brings along: everything that the packages read at run time."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGES = ("hdl", "pymodels", "tb")


def test_a_wheel_holds_every_file_of_the_packages(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()  # setuptools leaves its own folders where it builds.
    for package in PACKAGES:
        shutil.copytree(REPOSITORY / package, tree / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, tree)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        tmp_path,
        tree,
    ]
    subprocess.run(command, check=True, capture_output=True, text=True)
    (wheel,) = tmp_path.glob("*.whl")

    there = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith(PACKAGES)}
    kept = {str(f.relative_to(REPOSITORY)) for p in PACKAGES for f in (REPOSITORY / p).rglob("*") if f.is_file()}
    kept = {name for name in kept if "__pycache__" not in name}
    assert there == kept
    assert any(name.endswith(".sv") for name in there)
