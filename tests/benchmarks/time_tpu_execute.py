# SPDX-License-Identifier: Apache-2.0
"""How quick ``goldbeat tpu execute`` is, against the vendor's functional models on the same machine.

``PYTHONPATH=tests/support python tests/benchmarks/time_tpu_execute.py FOLDER --python VENDOR_PYTHON [--every N]``, with what
make_tpu_ops.py has put into FOLDER. VENDOR_PYTHON is a Python, or a script that starts one, in which
``from tools.model_runner import model_inference`` works. Each model is loaded and run twice by both, and the second time counts.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from tpu_ops import CHIPS, models

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.tpu.execute.model import StaticNet, tensors_of_file
from goldbeat.pymodels.tpu.streams.bmodel import BModel
from goldbeat.pymodels.tpu.streams.container import read_container

LIMIT_S = 120
_VENDOR = """
import sys, time
import numpy as np
from tools.model_runner import model_inference
for _ in range(2):
    inputs = dict(np.load(sys.argv[1]))
    start = time.process_time()
    model_inference(inputs, sys.argv[2])
    spent = time.process_time() - start
print("SECONDS", spent)
"""


def seconds_of(folder: Path, python: str) -> tuple[float, float] | None:
    """Processor seconds of both for one model, ours first; None where one of them does not run it."""
    try:
        model = read_container(folder / "model.bmodel")
        assert isinstance(model, BModel)
        for _ in range(2):
            start = time.process_time()
            net = StaticNet(model)
            inputs = tensors_of_file(net.inputs, folder / "input.dat")
            net.run(inputs)
            spent = time.process_time() - start
    except GoldbeatError:
        return None
    with tempfile.TemporaryDirectory() as place:
        np.savez(f"{place}/inputs.npz", **inputs)
        command = [python, "-c", _VENDOR, f"{place}/inputs.npz", str(folder / "model.bmodel")]
        try:
            done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        except subprocess.TimeoutExpired:
            return None
    told = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("SECONDS")]
    return (spent, float(told[0])) if told else None


def main() -> None:
    """Print a row per chip."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument("--every", type=int, default=20, help="of the models, every N-th (default: %(default)s)")
    asked = parser.parse_args()
    print(
        "| chip | models | seconds | functional model, s | ratio: median | least | most |\n|---|---|---|---|---|---|---|"
    )
    for chip in CHIPS:
        tried = models(asked.folder, chip)[:: asked.every]
        found = [both for one in tried if (both := seconds_of(one, asked.python)) is not None]
        if found:
            ratios = [theirs / ours for ours, theirs in found]
            ours, theirs = (statistics.median(side) for side in zip(*found, strict=True))
            print(
                f"| {chip} | {len(found)} | {ours:.3f} | {theirs:.3f} | {statistics.median(ratios):.2f} | "
                f"{min(ratios):.2f} | {max(ratios):.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main())
