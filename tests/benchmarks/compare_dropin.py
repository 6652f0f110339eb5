# SPDX-License-Identifier: Apache-2.0
"""Compares two runs of the same cocotb tests: stock, and with ``-p goldbeat.dropin``.

    python tests/benchmarks/compare_dropin.py STOCK DROPIN

Each is a folder in which pytest has run tests that use ``cocotb_test.simulator.run``; results are taken from its ``sim_build``
folders. Per test: verdict and seconds in both runs, as cocotb has them (starts of processes and builds are not in them).
"""

import statistics
import sys
from pathlib import Path
from xml.etree import ElementTree


def results(folder: Path) -> dict[tuple[str, str], tuple[bool, float]]:
    """By simulator and test: passed, and seconds."""
    found = {}
    for path in sorted(folder.rglob("*_results.xml"), key=lambda p: p.stat().st_mtime):
        if not path.stat().st_size:
            continue
        for case in ElementTree.parse(path).iter("testcase"):
            passed = case.find("failure") is None and case.find("error") is None
            found[path.parent.name, case.get("name", "")] = passed, float(case.get("time", 0))
    return found


def main(stock: Path, dropin: Path) -> int:
    """Print the comparison; 1 where a verdict differs."""
    before, after = results(stock), results(dropin)
    common = sorted(before.keys() & after.keys())
    differ = [key for key in common if before[key][0] != after[key][0]]
    for key in common:
        (passed, slow), (_, quick) = before[key], after[key]
        print(
            f"{'pass' if passed else 'FAIL'} {slow:9.3f} {quick:9.3f} {slow / max(quick, 1e-9):8.1f}  {' '.join(key)}"
        )
    for key in differ:
        print("other verdict:", *key)
    if common:
        print(
            f"{len(common)} tests, median {statistics.median(before[k][1] / max(after[k][1], 1e-9) for k in common):.1f}"
        )
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:3])))
