# SPDX-License-Identifier: Apache-2.0
"""Runs a module of cocotb tests in a simulator of the tests' own RTL."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from goldbeat.tb.build.compile import Recipe, compile_model
from goldbeat.tb.kernel.launch import cocotb_environment, seed_arguments
from goldbeat.tb.paths import REPOSITORY

INSIDE = REPOSITORY / "tests" / "tb" / "kernel"
"""Where the modules that run inside the simulator are."""


def run_inside(
    module: str,
    top: str,
    folder: Path,
    *,
    sources: Sequence[Path] = (),
    texts: Mapping[str, str] | None = None,
    flags: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    seed: int = 1,
) -> str:
    """Build, run, and demand that all tests of the module pass; returns what the process printed."""
    public = {"public.vlt": f'`verilator_config\npublic_flat_rw -module "{top}" -var "*"\n'}
    # The kernel is what is tested: compiling these tops for speed would take longer than they run.
    flags = ["--timescale", "1ps/1ps", *flags]
    recipe = Recipe(top, top, sources, {**public, **(texts or {})}, flags=flags, optimize="-O0")
    built = compile_model(recipe)
    results = folder / "results.xml"
    env = cocotb_environment(top, module, seed, results, [INSIDE]) | dict(environment or {})
    run = subprocess.run(
        [str(built.executable), *seed_arguments(seed)],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=600,
    )
    assert run.returncode == 0, run.stdout[-6000:]
    assert results.is_file(), run.stdout[-6000:]
    cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    broken = [c.get("name") for c in cases if c.find("failure") is not None or c.find("error") is not None]
    assert cases, run.stdout[-6000:]
    assert not broken, f"{broken}\n{run.stdout[-6000:]}"
    return run.stdout
