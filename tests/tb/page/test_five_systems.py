# SPDX-License-Identifier: Apache-2.0
"""`goldbeat run --page` of each system, from the command to the browser."""

import os
import subprocess
import sys

import pytest
from kept_runs import BROWSER, check_links, on_phone

from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.page.kept_run import load_kept
from goldbeat.tb.page.run_page import MB
from goldbeat.tb.paths import cache_root

# What every page of such a run has, and the parts that this one has beside them.
RUNS = [
    (["plio_fir"], {"throughput", "latency", "memory"}),
    (["objfifo", "--case", "forward"], {"throughput", "latency"}),
    (["tpu", "--case", "rate"], {"throughput", "memory"}),
    (["zynqnet", "--case", "mini"], {"memory", "tables"}),
    (["nvdla", "--case", "sdp"], {"memory"}),
]


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize(("words", "parts"), RUNS, ids=lambda value: value[0] if isinstance(value, list) else "")
def test_a_run_has_its_page(words, parts, tmp_path):
    build = tmp_path / "build"
    own = {**os.environ, "GOLDBEAT_CACHE": str(cache_root()), "GOLDBEAT_BUILD": str(build)}
    command = [sys.executable, "-m", "goldbeat.tb.cli", "run", *words, "--name", "a", "--page"]
    done = subprocess.run(command, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    verdict, page = (
        next(n for n, line in enumerate(done.stdout.splitlines()) if line.startswith(w)) for w in ("PASS", "page: ")
    )
    assert verdict < page
    folder = build / "runs" / "a"
    found = check_links(folder / "report.html")
    assert {"timeline", "setup", "files", *parts} <= found.ids
    assert (folder / "report.html").stat().st_size < MB
    kept = load_kept(folder)
    assert kept.report.design == find_design(words[0]).name
    if BROWSER is not None:
        said = on_phone(folder / "report.html", tmp_path)
        assert (said["console"], said["width"]) == ("", "390")
