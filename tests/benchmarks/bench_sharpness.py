# SPDX-License-Identifier: Apache-2.0
"""What sharp verdicts cost: simulations with everything on beside the same ones with one thing left out.

``initial`` are random initial values and X per case, ``assertions`` those of the RTL, ``flips`` the search for outputs that follow
inputs within a cycle, ``probe`` the search for a valid that waits for ready. Processor time of the simulator, its start included.
The ways alternate, and the median of all rounds counts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from unittest import mock

from measured import Row, benchmark, spent

from goldbeat.tb.build.simulator import build
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.inside.job import Episode
from goldbeat.tb.run import simulate as simulating
from goldbeat.tb.run.runs import Request, predict

HERE = Path(__file__).resolve().parent
FILES = ("tb/kernel/**/*.*", "tb/inside/*.py", "tb/run/simulate.py", "hdl/axis/axis_fifo.sv", "hdl/plio/plio_fir.sv")
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


def measure(name: str, cases: int, rounds: int) -> Iterator[Row]:
    """The rows of one design."""
    design = find_design(name)
    request = Request(design, design.case("sweep"), range(cases), options=DESIGNS[name])
    params = request.all_params
    built = build(design, params)
    flat = [episode for seed in request.seeds for episode in predict(request, seed).episodes(design)]
    held = [flat[0], *(replace(episode, seed=None) for episode in flat[1:])]
    times: dict[str, list[float]] = {off: [] for off in WAYS}
    with tempfile.TemporaryDirectory() as folder:

        def simulated(episodes: list[Episode]) -> None:
            failure = simulating.simulate(design, params, built, episodes, Path(folder)).failure
            if failure is not None:
                raise SystemExit(failure)

        for _ in range(rounds):
            for off in WAYS:
                with left_out(off):
                    episodes = held if "initial" in off else flat
                    times[off].append(spent(lambda episodes=episodes: simulated(episodes)))
    whole = median(times[""])
    for off in WAYS[1:]:
        ratio = median(a / b for a, b in zip(times[""], times[off], strict=True))
        what = "all four" if "," in off else off
        yield Row(what, round(ratio, 3), "", column=name)
        yield Row(f"{what}, per episode", (whole - median(times[off])) / len(flat) * 1e3, "ms", column=name)


def run(cases: int, rounds: int) -> Iterator[Row]:
    """Both designs."""
    for name in DESIGNS:
        yield from measure(name, cases, rounds)


if __name__ == "__main__":
    benchmark(run, FILES, {"cases": 30, "rounds": 5}, {"cases": 5, "rounds": 1})
