# SPDX-License-Identifier: Apache-2.0
"""Letting whatever builds simulators with Verilator build Goldbeat's.

cocotb's runner and makefiles and cocotb-test look for a program ``verilator`` on the path, call it, and call make on what it has
written. A program of that name, put before all others on the path, builds with Goldbeat instead
(:mod:`goldbeat.tb.dropin.verilator`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping
from pathlib import Path

from goldbeat.tb.paths import IMPORT_ROOT, cache_root

PYTHON = "GOLDBEAT_DROPIN_PYTHON"
_PATH = "GOLDBEAT_DROPIN_PATH"
# cocotb-test runs the program with perl, whatever it is.
_PROGRAM = f"""#!/usr/bin/env perl
$ENV{{PYTHONPATH}} = join(":", grep {{ defined && length }} $ENV{{PYTHONPATH}}, $ENV{{{_PATH}}});
exec $ENV{{{PYTHON}}}, "-m", "goldbeat.tb.dropin.verilator", @ARGV or die "goldbeat: $!";
"""


def program_folder() -> Path:
    """The folder of the program ``verilator``, made where it is missing."""
    folder = cache_root() / "dropin"
    program = folder / "verilator"
    if not program.is_file() or program.read_text() != _PROGRAM:
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f"verilator.{os.getpid()}"
        fresh.write_text(_PROGRAM)
        fresh.chmod(0o755)
        fresh.replace(program)
    return folder


def activate(env: MutableMapping[str, str]) -> None:
    """Let processes with this environment use Goldbeat's simulators."""
    folder = str(program_folder().absolute())
    path = [p for p in env.get("PATH", "").split(os.pathsep) if p and p != folder]
    env["PATH"] = os.pathsep.join([folder, *path])
    env[PYTHON] = sys.executable
    env[_PATH] = str(IMPORT_ROOT)
    env.setdefault("SIM", "verilator")
    env["GOLDBEAT_DROPIN"] = "1"


def off_path(env: MutableMapping[str, str]) -> None:
    """Take the folder off the path."""
    folder = str((cache_root() / "dropin").absolute())
    env["PATH"] = os.pathsep.join(p for p in env.get("PATH", "").split(os.pathsep) if p != folder)
