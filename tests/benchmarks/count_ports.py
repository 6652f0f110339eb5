# SPDX-License-Identifier: Apache-2.0
"""How many modules of other people's folders ``goldbeat probe`` takes as they are, and Verilator its harness.

python tests/benchmarks/count_ports.py FOLDER... [-y DIR] [-I DIR] [--skip NAME]: every module of the folders is a top
once, found by its file and the folders alone. Interfaces and packages are no modules; ``--skip`` names what cannot be synthesised.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.harness import TOP, misfits
from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.probe.elaborate import elaborate
from goldbeat.tb.probe.find import find
from goldbeat.tb.probe.write import wrapper

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
MODULE = re.compile(r"^[ \t]*module\s+(?:automatic\s+|static\s+)?(\w+)", re.MULTILINE)


def modules(folders: list[Path]) -> Iterator[tuple[Path, str]]:
    """Every module and its file."""
    for folder in folders:
        for path in sorted(p for p in folder.iterdir() if p.suffix in (".v", ".sv")):
            for name in MODULE.findall(COMMENT.sub(" ", path.read_text(errors="replace"))):
                yield path, name


def outcome(one: tuple[Path, str], libraries: list[Path], includes: list[Path]) -> tuple[str, str, str]:
    """Module, what came of it, and why or what was found.

    ``relaxed`` is taken with slang's errors as warnings, ``bench`` is not synthesizable.
    """
    path, name = one
    try:
        sources = Sources((path,), tuple(includes), libraries=tuple(libraries)).complete()
        found = find(elaborate(sources, name, relaxed=True))
        text = wrapper(found)
    except GoldbeatError as error:
        return name, "bench" if "which no hardware does" in str(error) else "probe", str(error)
    with tempfile.TemporaryDirectory() as folder:
        harness = Path(folder) / f"{TOP}.sv"
        harness.write_text(text)
        tool = verilator()
        command = [str(tool.executable), "--lint-only", "--timing", "-Wno-fatal", "--top-module", TOP]
        command += [*(f"-I{d}" for d in includes), *map(str, sources.files), str(harness)]
        run = subprocess.run(command, env=tool.environment(), capture_output=True, text=True, check=False)
    said = [line for line in run.stderr.splitlines() if line.startswith("%Error")] + misfits(run.stderr)
    if run.returncode or misfits(run.stderr):
        return name, "verilator", "\n".join(said)
    bundles = " ".join(f"{b.bus}:{b.name}" for b in found.bundles) or "no bundle"
    return name, "taken" if not found.module.warnings else "relaxed", "\n".join([bundles, *found.module.warnings])


def main() -> None:
    """Count and list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("-y", dest="libraries", action="append", type=Path, default=[])
    parser.add_argument("-I", dest="includes", action="append", type=Path, default=[])
    parser.add_argument("--skip", action="append", default=[], help="a module that is not synthesizable")
    parser.add_argument("--only", action="append", default=[])
    asked = parser.parse_args()
    work = [
        one for one in modules(asked.folders) if one[1] not in asked.skip and (not asked.only or one[1] in asked.only)
    ]
    with ProcessPoolExecutor(2) as pool:
        done = list(
            pool.map(partial(outcome, libraries=asked.folders + asked.libraries, includes=asked.includes), work)
        )
    for name, what, why in done:
        print(f"{what:10} {name}: {why}")
    taken = sum(what in ("taken", "relaxed") for _, what, _ in done)
    count = sum(what != "bench" for _, what, _ in done)
    print(f"{taken} of {count} synthesizable modules taken: {100 * taken / max(count, 1):.1f} %")


if __name__ == "__main__":
    main()
