# SPDX-License-Identifier: Apache-2.0
"""A dask scheduler and two workers as processes of their own, without a shared build folder."""

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path


def command(*words):
    return [sys.executable, "-m", "goldbeat.tb.cli", *words]


@contextmanager
def running_farm(folder):
    """Address, process ids of the scheduler and the workers, and the workers' build folders, which are in a folder."""
    process = subprocess.Popen(
        command("farm", "local", "--workers", "2", "--port", "0"),
        stdout=subprocess.PIPE,
        text=True,
        # Rich folds lines at the width of the terminal.
        env=os.environ | {"COLUMNS": "400", "GOLDBEAT_BUILD": str(folder)},
    )
    try:
        address, scheduler, workers, folders, text = "", 0, [], [], ""
        while not address or len(workers) < 2 or "goldbeat regress" not in text:
            text = process.stdout.readline()
            assert text, "the farm does not start"
            if found := re.match(r"scheduler at (\S+), process (\d+)", text):
                address, scheduler = found[1], int(found[2])
            if found := re.match(r"worker-\d: process (\d+), build folder (\S+)", text):
                workers.append(int(found[1]))
                folders.append(Path(found[2]))
        yield address, scheduler, workers, folders
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
