# SPDX-License-Identifier: Apache-2.0
"""``verilator --lint-only -Wall`` over every design and every variant of its parameters."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goldbeat.tb.build.harness import TOP, make_harness
from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.design.catalog import designs
from goldbeat.tb.design.design import Design

# The harness is generated glue: what is looked at is the design.
_WAIVERS = f'`verilator_config\nlint_off -file "*/{TOP}.sv"\n'


def lint(design: Design, params: Mapping[str, Any]) -> str:
    """What Verilator has to say; empty when all is well."""
    tool = verilator()
    with tempfile.TemporaryDirectory() as folder:
        harness, waivers = Path(folder) / f"{TOP}.sv", Path(folder) / "waivers.vlt"
        harness.write_text(make_harness(design, params))
        waivers.write_text(_WAIVERS)
        command = [str(tool.executable), "--lint-only", "-Wall", "--top-module", TOP, str(waivers)]
        command += design.compile_flags()
        command += [*map(str, design.sources()), str(harness)]
        run = subprocess.run(command, env=tool.environment(), capture_output=True, text=True, check=False)
    return run.stderr.strip() or ("" if run.returncode == 0 else run.stdout.strip() or "failed")


def main() -> int:
    """Lint everything; exit code 1 when anything is found."""
    found, runs = 0, 0
    for design in designs().values():
        for variant in design.variants:
            runs += 1
            text = lint(design, design.params(design.cases[0], variant))
            if text:
                found += 1
                print(f"{design.name} {dict(variant)}:\n{text}", file=sys.stderr)
    print(f"verilator -Wall: {runs} variants of {len(designs())} designs, {found} with findings")
    return 1 if found or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
