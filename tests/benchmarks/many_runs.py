# SPDX-License-Identifier: Apache-2.0
"""How long the history of many runs takes: 200 runs of 2,000 cases; with GOLDBEAT_STORE, in a database."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from many_results import make_run

from goldbeat.tb.regress.store import Store

RUNS, CASES, TIMES = 200, 2000, 3


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="goldbeat-") as folder:
        os.environ["GOLDBEAT_BUILD"] = folder
        with Store() as store:
            for number in range(RUNS):
                # The design changes with every fourth run.
                files = {f"design_{n}": f"{number // 4:016x}" for n in range(20)}
                make_run(store, CASES, seed=number, settings={"files": files, "tools": {"Verilator": "5.048"}})
        for _ in range(TIMES):
            began, before = time.monotonic(), os.times()
            subprocess.run([sys.executable, "-m", "goldbeat.tb.cli", "history", "--page"], check=True)
            after = os.times()
            spent = sum(after[2:4]) - sum(before[2:4])
            print(f"{RUNS} runs of {CASES} cases: {time.monotonic() - began:.2f} s, {spent:.2f} s of processor time")


if __name__ == "__main__":
    main()
