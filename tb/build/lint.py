# SPDX-License-Identifier: Apache-2.0
"""``verilator --lint-only -Wall`` over every design and every variant of its parameters."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from goldbeat.tb.build.harness import TOP, make_harness
from goldbeat.tb.build.toolchain import need_programs, verilator
from goldbeat.tb.design.catalog import designs
from goldbeat.tb.design.design import Design
from goldbeat.tb.git import git_revision
from goldbeat.tb.paths import build_root

LINT_FILE = "lint.json"
"""In the folder for everything made."""
# The harness is generated glue: what is looked at is the design.
_WAIVERS = f'`verilator_config\nlint_off -file "*/{TOP}.sv"\n'


def lint(design: Design, params: Mapping[str, Any]) -> str:
    """What Verilator has to say; empty when all is well."""
    tool = verilator()
    need_programs("perl")
    with tempfile.TemporaryDirectory() as folder:
        harness, waivers = Path(folder) / f"{TOP}.sv", Path(folder) / "waivers.vlt"
        harness.write_text(make_harness(design, params))
        waivers.write_text(_WAIVERS)
        command = [str(tool.executable), "--lint-only", "-Wall", "--top-module", TOP, str(waivers)]
        command += design.compile_flags()
        command += [*map(str, design.sources()), str(harness)]
        run = subprocess.run(command, env=tool.environment(), capture_output=True, text=True, check=False)
    return run.stderr.strip() or ("" if run.returncode == 0 else run.stdout.strip() or "failed")


def lint_record(found: Iterable[Design], tell: Callable[[str], None]) -> dict[str, dict[str, Any]]:
    """Lint every variant of designs, and keep what came of it in ``lint.json`` beside what is known of others.

    Args:
        found: the designs.
        tell: is given each finding.

    Returns:
        by design: ``found`` findings in so many ``variants``, ``when``, and of which revision (``git``).
    """
    rows: dict[str, dict[str, Any]] = {}
    git = git_revision()
    for design in found:
        texts = [(variant, lint(design, design.params(design.cases[0], variant))) for variant in design.variants]
        for variant, text in texts:
            if text:
                tell(f"{design.name} {dict(variant)}:\n{text}")
        when = datetime.now(UTC).isoformat(timespec="seconds")
        bad = sum(1 for _, text in texts if text)
        rows[design.name] = {"found": bad, "variants": len(texts), "when": when, "git": git}
    path = build_root() / LINT_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        known = json.loads(path.read_text())
    except (OSError, ValueError):
        # There is none, or it is damaged: what it said of other designs is lost either way.
        known = {}
    path.write_text(json.dumps(known | rows, indent=1) + "\n")
    return rows


def main() -> int:
    """Lint everything; exit code 1 when anything is found."""
    rows = lint_record(designs().values(), lambda text: print(text, file=sys.stderr))
    found, runs = (sum(row[name] for row in rows.values()) for name in ("found", "variants"))
    print(f"verilator -Wall: {runs} variants of {len(rows)} designs, {found} with findings")
    return 1 if found or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
