# SPDX-License-Identifier: Apache-2.0
"""What sharp verdicts cost: simulations with everything on beside the same ones with one thing left out.

    python tests/benchmarks/bench_sharpness.py [--cases N] [--rounds N]

``initial`` are random initial values and X per case, ``assertions`` those of the RTL, ``flips`` the search for outputs that follow
inputs within a cycle, ``probe`` the search for a valid that waits for ready. Processor time of the simulator, its start included.
The ways alternate, and the median of all rounds counts.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

from goldbeat.tb.build.simulator import build
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.inside.job import Episode
from goldbeat.tb.run import simulate as simulating
from goldbeat.tb.run.runs import Request, predict

HERE = Path(__file__).resolve().parent
WAYS = ("", "initial", "assertions", "flips", "probe", "initial,assertions,flips,probe")
"""What is left out."""
DESIGNS = {"axis_fifo": {"beats": 60}, "plio_fir": {"beats": 60}}
"""With the options of their case ``sweep``; the second one has registers."""


@contextmanager
def left_out(off: str) -> Iterator[None]:
    """Simulators without some of it."""
    environment, arguments = simulating.simulator_environment, simulating.seed_arguments

    def with_session(top: str, seed: int) -> dict[str, str]:
        return environment(top, seed, paths=(HERE,)) | {"SHARPNESS_OFF": off}

    def other_arguments(seed: int) -> list[str]:
        return [*arguments(seed), *(["+verilator+noassert"] if "assertions" in off else [])]

    with (
        mock.patch.object(simulating, "SESSION", "sharpness_session"),
        mock.patch.object(simulating, "simulator_environment", with_session),
        mock.patch.object(simulating, "seed_arguments", other_arguments),
    ):
        yield


def spent(call: Callable[[], Any]) -> float:
    """Processor time of the processes that a call has started and waited for, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = call()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.failure is not None:
        raise SystemExit(result.failure)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(name: str, cases: int, rounds: int) -> list[dict[str, object]]:
    """The rows of one design."""
    design = find_design(name)
    request = Request(design, design.case("sweep"), range(cases), options=DESIGNS[name])
    params = request.all_params
    built = build(design, params)
    flat = [episode for seed in request.seeds for episode in predict(request, seed).episodes(design)]
    held = [flat[0], *(replace(episode, seed=None) for episode in flat[1:])]
    times: dict[str, list[float]] = {off: [] for off in WAYS}
    with tempfile.TemporaryDirectory() as folder:

        def simulated(episodes: list[Episode]) -> Any:
            return simulating.simulate(design, params, built, episodes, Path(folder))

        for _ in range(rounds):
            for off in WAYS:
                with left_out(off):
                    episodes = held if "initial" in off else flat
                    times[off].append(spent(lambda episodes=episodes: simulated(episodes)))
    whole = median(times[""])
    rows = []
    for off in WAYS[1:]:
        ratio = median(a / b for a, b in zip(times[""], times[off], strict=True))
        each = (whole - median(times[off])) / len(flat) * 1e3
        print(f"{name}: all on beside without {off}: ratio {ratio:.3f}, {each:.3f} ms per episode", flush=True)
        rows.append({"design": name, "without": off, "ratio": round(ratio, 3), "ms_per_episode": round(each, 3)})
    print(f"{name}: {len(flat)} episodes of {cases} cases, all on: {whole:.2f} s", flush=True)
    return rows


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=30, help="Number of cases.")
    parser.add_argument("--rounds", type=int, default=5, help="Number of rounds.")
    options = parser.parse_args()
    rows = [row for name in DESIGNS for row in measure(name, options.cases, options.rounds)]
    folder = Path("build/bench")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sharpness.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
