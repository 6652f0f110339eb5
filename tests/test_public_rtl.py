# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/public-rtl.md are those that the script makes from its data; their values need clones."""

import shutil
import subprocess
import sys
from pathlib import Path

from goldbeat.tb.paths import REPOSITORY

SCRIPTS = REPOSITORY / "tests" / "benchmarks"


def check(script: Path) -> subprocess.CompletedProcess[str]:
    """Compare the page beside a script with the data beside it."""
    return subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)


def test_the_page_has_every_module_of_the_data(tmp_path: Path) -> None:
    assert (done := check(SCRIPTS / "public_rtl.py")).returncode == 0, done.stdout + done.stderr
    # Another module, or another option, is found.
    folder = tmp_path / "tests" / "benchmarks"
    folder.mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    shutil.copy(REPOSITORY / "docs" / "public-rtl.md", tmp_path / "docs")
    for name in ("public_rtl.py", "run_bugs.py"):
        shutil.copy(SCRIPTS / name, folder)
    data = (SCRIPTS / "public_rtl.toml").read_text(encoding="utf-8")
    (folder / "public_rtl.toml").write_text(data.replace("DEPTH=64 --model", "DEPTH=32 --model"), encoding="utf-8")
    done = check(folder / "public_rtl.py")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("| `axis_async_fifo` | `-G DATA_WIDTH=32 -G DEPTH=32")
