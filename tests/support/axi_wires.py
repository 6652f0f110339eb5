# SPDX-License-Identifier: Apache-2.0
"""RTL that joins AXI4 slave ports to AXI4 master ports by wires, and random bursts to send through it."""

from __future__ import annotations

import numpy as np

from goldbeat.pymodels.axi.burst import FIXED, INCR, WRAP, Bursts
from goldbeat.tb.design.ports.memory import MemoryPort

TOP = "axi_wires"


def wires(widths, id_width=4):
    """A top module with one pair ``s<width>_axi``, ``m<width>_axi`` a width."""
    ports, assigns = [], []
    for width in widths:
        bus = {"data_width": width, "address_width": 40, "id_width": id_width}
        for signal in MemoryPort(name="m", direction="out", **bus).wires():
            bits = "" if signal.width == 1 else f"[{signal.width - 1}:0] "
            s, m = f"s{width}_axi_{signal.name}", f"m{width}_axi_{signal.name}"
            if signal.way == "output":
                ports += [f"input logic {bits}{s}", f"output logic {bits}{m}"]
                assigns.append(f"  assign {m} = {s};\n")
            else:
                ports += [f"output logic {bits}{s}", f"input logic {bits}{m}"]
                assigns.append(f"  assign {s} = {m};\n")
    head = ",\n".join(f"  {p}" for p in ["input logic aclk", "input logic aresetn", *ports])
    return f"module {TOP} (\n{head}\n);\n{''.join(assigns)}endmodule\n"


def random_bursts(rng, count, width, regions, *, longest=16, ids=16, spread=0):
    """Legal bursts of every type and size that stay inside the regions, reads and writes mixed."""
    rows = []
    while len(rows) < count:
        size = int(rng.integers(0, width.bit_length())) if rng.random() < 0.5 else width.bit_length() - 1
        kind = int(rng.choice([INCR, INCR, INCR, WRAP, FIXED]))
        beats = int(rng.integers(1, longest + 1))
        if kind == WRAP:
            beats = int(rng.choice([2, 4, 8, 16]))
        elif kind == FIXED:
            beats = min(beats, 16)
        region = regions[int(rng.integers(len(regions)))]
        address = region.base + int(rng.integers(0, len(region.data)))
        if kind == WRAP or rng.random() < 0.5:
            address &= -(1 << size)
        one = Bursts(0, address, beats - 1, size, kind)
        lowest, span = (int(x[0]) for x in one.span)
        same_page = lowest >> 12 == (lowest + span - 1) >> 12
        if not same_page or lowest < region.base or lowest + span > region.end:
            continue
        rows.append((address, beats - 1, size, kind))
    address, length, size, burst = zip(*rows, strict=True)
    return Bursts(
        kind=rng.integers(0, 2, count),
        address=np.array(address, np.uint64),
        len=np.array(length),
        size=np.array(size),
        burst=np.array(burst),
        id=rng.integers(0, ids, count),
        gap=rng.integers(0, spread + 1, count),
        not_before=rng.integers(0, 40 * spread + 1, count),
    )
