# SPDX-License-Identifier: Apache-2.0
"""How many bytes of commands a cycle an engine of the TPU front end dispatches, against the 16 of its memory port.

Counted in simulated cycles, so the figures are exact and
the same on every machine; every beat and cycle is compared with the golden model in the same run.
"""

from __future__ import annotations

from collections.abc import Iterator

from measured import Row, benchmark

from goldbeat.tb.designs.tpu.bench import DESIGN
from goldbeat.tb.run.runs import Request, run

FILES = ("hdl/tpu/*.sv",)
PORT = 16
"""Bytes a cycle of the AXI4 port."""
LATENCIES = (1, 20, 53, 54, 100, 200)
STREAMS = ("system commands, 16 bytes", "all kinds")
ENGINES = ("TIU", "GDMA")


def measure(latencies: tuple[int, ...], commands: int) -> Iterator[Row]:
    """The port's rate must be reached at a read latency of 20."""
    for latency in latencies:
        options = {"commands": commands, "latency": latency}
        (result,) = run(Request(DESIGN, DESIGN.case("rate"), [0], {}, options))
        if not result.passed:
            raise SystemExit("\n".join(result.failures[:3]))
        for stream, episode in zip(STREAMS, result.episodes, strict=True):
            for n, engine in enumerate(ENGINES):
                trace = episode.record.outcome.ports[f"m_axis_{n}"]
                # From the first dispatch on: what comes before it is the latency of the first read.
                value = int(trace.keep[1:].sum()) / int(trace.cycle[-1] - trace.cycle[0])
                if latency <= 20 and value < 0.999 * PORT:
                    raise SystemExit(f"{engine}, latency {latency}: {value:.2f} bytes per cycle of {PORT}")
                yield Row(f"read latency {latency}", value, "B/cycle", column=f"{engine}, {stream}")


if __name__ == "__main__":
    benchmark(measure, FILES, {"latencies": LATENCIES, "commands": 2000}, {"latencies": (20, 54), "commands": 500})
