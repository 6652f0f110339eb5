# SPDX-License-Identifier: Apache-2.0
"""The generated SystemVerilog top that stands between a design and its transactors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jinja2

from pymodels.errors import UsageError
from tb.design import Design, Parameter, StreamPort

TOP = "harness"

_LITE = (
    *("awaddr", "awvalid", "awready", "wdata", "wstrb", "wvalid", "wready", "bresp", "bvalid", "bready"),
    *("araddr", "arvalid", "arready", "rdata", "rresp", "rvalid", "rready"),
)


@dataclass(frozen=True)
class Signal:
    """One signal of a stream bundle, seen from the design."""

    name: str
    width: int
    way: str

    @property
    def scalar(self) -> bool:
        """Handshake and TLAST are single bits; the others are vectors even when one bit wide."""
        return self.name in ("tvalid", "tready", "tlast")


def stream_signals(port: StreamPort) -> list[Signal]:
    """The signals of a bundle whose widths are numbers already."""
    forward, back = ("input ", "output") if port.direction == "in" else ("output", "input ")
    width = port.width
    assert isinstance(width, int)
    found = [Signal("tdata", width, forward), Signal("tkeep", width // 8, forward), Signal("tlast", 1, forward)]
    for side in ("tid", "tdest", "tuser"):
        value = getattr(port, side)
        if value is not None:
            found.append(Signal(side, value, forward))
    return [*found, Signal("tvalid", 1, forward), Signal("tready", 1, back)]


def literal(name: str, parameter: Parameter, value: Any) -> str:
    """A parameter value as SystemVerilog."""
    if parameter.bits is None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"parameter {name}: found {value!r}, expected an integer")
        return str(value)
    values = (value,) if isinstance(value, int) else tuple(value)
    top = 1 << parameter.bits
    if not values or any(not isinstance(v, int) or not 0 <= v < top for v in values):
        raise UsageError(f"parameter {name}: found {value!r}, expected integers from 0 to {top - 1}")
    return "{" + ", ".join(f"{parameter.bits}'d{v}" for v in reversed(values)) + "}"


def make_harness(design: Design, params: Mapping[str, Any]) -> str:
    """The text of the harness for one set of parameter values."""
    bundles = design.bundles(params)

    def lanes(port: StreamPort) -> list[StreamPort]:
        return [b for b in bundles if b.name.rsplit("_", 1)[0] == port.name and b.name != port.name]

    connections = [n for c in design.clocks for n in (c.name, c.reset)]
    connections += [f"{lite.name}_{s}" for lite in design.registers for s in _LITE]
    for port in design.streams:
        sample = lanes(port)[0] if port.lanes else next(b for b in bundles if b.name == port.name)
        connections += [f"{port.name}_{s.name}" for s in stream_signals(sample)]
    connections += [s.name for s in design.status]
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("tb", "templates"), undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    return environment.get_template("harness.sv.j2").render(
        design=design,
        bundles=bundles,
        lanes=lanes,
        signals=stream_signals,
        connections=connections,
        literals={name: literal(name, p, params[name]) for name, p in design.parameters.items()},
    )
