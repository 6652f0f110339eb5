# SPDX-License-Identifier: Apache-2.0
"""How many modules of other people's folders ``goldbeat probe`` takes as they are, and Verilator its harness.

python tests/benchmarks/count_ports.py FOLDER... [-y DIR] [-I DIR] [--skip NAME]: every module of the folders is a top
once, found by its file and the folders alone. Interfaces and packages are no modules; ``--skip`` names what cannot be synthesised.
"""

from __future__ import annotations

import subprocess
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from foreign import Surroundings, arguments, asked_for

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.harness import TOP, misfits
from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.probe.discover import discover
from goldbeat.tb.probe.handshakes import with_handshakes
from goldbeat.tb.probe.write import wrapper


def outcome(one: tuple[Path, str], around: Surroundings) -> tuple[str, str, str]:
    """Module, what came of it, and why or what was found.

    ``relaxed`` is taken with slang's errors as warnings, ``bench`` is not synthesizable.
    """
    path, name = one
    try:
        sources = around.sources(path)
        found = with_handshakes(discover(sources, name, relaxed=True))
        text = wrapper(found)
    except GoldbeatError as error:
        return name, "bench" if "like a test bench" in str(error) else "probe", str(error)
    with tempfile.TemporaryDirectory() as folder:
        harness = Path(folder) / f"{TOP}.sv"
        harness.write_text(text)
        tool = verilator()
        command = [str(tool.executable), "--lint-only", "--timing", "-Wno-fatal", "--top-module", TOP]
        command += [*(f"-I{d}" for d in around.includes), *map(str, sources.files), str(harness)]
        run = subprocess.run(command, env=tool.environment(), capture_output=True, text=True, check=False)
    said = [line for line in run.stderr.splitlines() if line.startswith("%Error")] + misfits(run.stderr)
    if run.returncode or misfits(run.stderr):
        return name, "verilator", "\n".join(said)
    bundles = " ".join(f"{b.bus}:{b.name}" for b in found.bundles) or "no bundle"
    return name, "taken" if not found.module.warnings else "relaxed", "\n".join([bundles, *found.module.warnings])


def main() -> None:
    """Count and list."""
    work, around = asked_for(arguments(__doc__).parse_args())
    with ProcessPoolExecutor(2) as pool:
        done = list(pool.map(partial(outcome, around=around), work))
    for name, what, why in done:
        print(f"{what:10} {name}: {why}")
    taken = sum(what in ("taken", "relaxed") for _, what, _ in done)
    count = sum(what != "bench" for _, what, _ in done)
    print(f"{taken} of {count} synthesizable modules taken: {100 * taken / max(count, 1):.1f} %")


if __name__ == "__main__":
    main()
