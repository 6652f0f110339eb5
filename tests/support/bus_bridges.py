# SPDX-License-Identifier: Apache-2.0
"""RTL of bridges of wires with a fault in each lane, and their bench as ``goldbeat new`` writes it."""

import re

from typer.testing import CliRunner

from goldbeat.pymodels.buses import APB
from goldbeat.tb.cli import app

WIDTHS = {
    "data_width": 32,
    "bytes": 4,
    "id_width": 3,
    "len_width": 8,
    "awuser": 2,
    "aruser": 2,
    "wuser": 3,
    "buser": 2,
    "ruser": 9,
}


def bridges(bus, faults, width, state=()):
    """An array of bridges of wires; lane 0 is right, and each other one has one fault.

    Args:
        bus: of the bridges.
        faults: what is assigned in place of the signal of the other side, one in each lane from 1 on.
        width: of addresses.
        state: what each faulty lane has beside; ``L`` is its number.
    """
    lanes, ports, text = len(faults) + 1, [], []
    for lane, more in enumerate(state, 1):
        text.append(re.sub(r"\b([sm])_(\w+)", rf"\1_\2[{lane}]", re.sub(r"_L\b", f"_{lane}", more)))
    changed = {name.strip(): {} for name in faults}
    for lane, (name, value) in enumerate(faults.items(), 1):
        changed[name.strip()][lane] = value
    for one in bus.signals:
        bits = one.width if isinstance(one.width, int) else {**WIDTHS, "address_width": width}[one.width]
        to, of = ("{s}", "{m}") if one.from_slave else ("{m}", "{s}")
        for side in "sm":
            way = "output" if (side == "s") == one.from_slave else "input"
            ports.append(f"{way} logic [{lanes - 1}:0]{f'[{bits - 1}:0]' if bits > 1 else ''} {side}_{one.name}")
        for lane in range(lanes):
            target = f"{to}_{one.name}"
            value = changed.get(target, {}).get(lane, f"{of}_{one.name}")
            line = re.sub(r"_L\b", f"_{lane}", f"assign {target} = {value};")
            text.append(re.sub(r"\b([sm])_(\w+)", rf"\1_\2[{lane}]", line.format(s="s", m="m")))
    clock, reset = ("pclk", "presetn") if bus is APB else ("aclk", "aresetn")
    head = ", ".join([f"input logic {clock}", f"input logic {reset}", *ports])
    beat = f"logic seen; always_ff @(posedge {clock}) seen <= {reset};"
    return f"module bridges({head});\n{beat}\n" + "\n".join(text) + "\nendmodule\n"


def bench(folder, source):
    (folder / "bridges.sv").write_text(source)
    words = ["new", folder / "bench", folder / "bridges.sv", "--model", "adapter"]
    said = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert said.exit_code == 0, said.output
    return folder / "bench" / "bridges.toml"
