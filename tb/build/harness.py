# SPDX-License-Identifier: Apache-2.0
"""The generated SystemVerilog top that stands between a design and its transactors.

Its ports have Goldbeat's names whatever the design calls its own: ``name_role`` for every bundle (arrays of bundles taken apart),
resets active low, and only for signals that the design has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.bundle import Bundle, Layout, Signal, lanes

TOP = "harness"
MADE_MARK = "// Made by goldbeat: "
"""How files begin that ``goldbeat new`` makes beside the RTL."""
WRAPPER_MARK = f"{MADE_MARK}the ports as plain vectors"
"""What a wrapper begins with that ``goldbeat new`` has written."""
NETLIST = "netlist"
"""The module that synthesis makes of the harness with the design inside."""

_RANGES: dict[Layout, str] = {"unpacked": "[0:{top}]", "unpacked_down": "[{top}:0]"}
_MISFIT = re.compile(r"%(?:Warning|Error)-(?:WIDTH(?!CONCAT)\w*|PIN\w*): (?:\S*/)?(\S+)\.sv:\d+:\d+: (.*)")
_CONSTANT = re.compile(r"expects (\d+) bits .* CONST '\d+'h([0-9a-f]+)'")


@dataclass(frozen=True)
class _Array:
    """The wires that gather one role of an array of bundles."""

    name: str
    signal: Signal
    before: str
    after: str
    members: tuple[str, ...]


def literal(name: str, parameter: Parameter, value: Any) -> str:
    """A parameter value as SystemVerilog."""
    if parameter.bits is None:
        if isinstance(parameter.default, str) and isinstance(value, str):
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"parameter {name}: found {value!r}, expected an integer")
        # A plain decimal literal is a signed 32-bit number.
        number = str(value) if -(1 << 31) <= value < 1 << 31 else f"{max(value.bit_length(), 32)}'d{value}"
        return number if parameter.enum is None else f"{parameter.enum}'({number})"
    values = (value,) if isinstance(value, int) else tuple(value)
    top = 1 << parameter.bits
    if not values or any(not isinstance(v, int) or not 0 <= v < top for v in values):
        raise UsageError(f"parameter {name}: found {value!r}, expected integers from 0 to {top - 1}")
    return "{" + ", ".join(f"{parameter.bits}'d{v}" for v in reversed(values)) + "}"


def _constant(value: int) -> str:
    if value in (0, -1):
        return "'0" if value == 0 else "'1"
    return f"{max(value.bit_length(), 32)}'d{value}"


def _arrays(port: Bundle, params: Mapping[str, Any]) -> Iterator[_Array]:
    if port.lanes is None:
        return
    group = lanes(port, params)
    if not group:
        raise UsageError(f"port {port.name}: an array of no bundles ({port.lanes} is 0)")
    top = len(group) - 1
    for signal in group[0].wires():
        members = tuple(f"{lane.name}_{signal.name}" for lane in group)
        vector = f"[{signal.width - 1}:0]"
        if port.layout == "packed":
            before, after = f"[{top}:0]{vector}", ""
        else:
            before, after = "" if signal.scalar else vector, _RANGES[port.layout].format(top=top)
        yield _Array(f"{port.name}_{signal.name}", signal, before, after, members)


def make_shell(design: Design, params: Mapping[str, Any]) -> str:
    """The text of a harness around the netlist of a harness: its ports and nothing else."""
    head = f"// Generated from the description of {design.name}: the ports of its harness around its netlist."
    return "\n".join([head, *_head(design, params), f"  {NETLIST} dut (.*);", "endmodule", ""])


def _bundles(design: Design, params: Mapping[str, Any]) -> list[Bundle]:
    return [*design.register_ports(params), *design.memory_ports(params), *design.bundles(params)]


def _resets(design: Design) -> dict[str, tuple[str | None, bool]]:
    """The design's resets with the names that they have outside, and whether they are active high."""
    return {c.reset: (c.resetn, c.active_high) for c in design.clocks if c.reset is not None}


def _head(design: Design, params: Mapping[str, Any], free: Mapping[str, int] = {}) -> list[str]:
    """The harness's ports."""
    return [
        f"module {TOP} (",
        *(f"  input  logic [{width - 1}:0] free_{pin}," for pin, width in free.items()),
        *(f"  input  logic {clock.name}," for clock in design.clocks),
        *(f"  input  logic {low}," for low, _ in _resets(design).values()),
        *(_port(bundle.name, signal) for bundle in _bundles(design, params) for signal in bundle.wires()),
        *(f"  output logic [{int(item.width) - 1}:0] {item.name}," for item in design.status_ports(params)),
        "  output logic harness_alive",
        ");",
    ]


def make_harness(design: Design, params: Mapping[str, Any], free: Mapping[str, int] = {}) -> str:
    """The text of the harness for one set of parameter values; free pins, of these widths, are ports of its own."""
    ports = (*design.registers, *design.memories, *design.streams)
    bundles, resets = _bundles(design, params), _resets(design)
    connections = {pin: c.name for c in design.clocks for pin in (c.name, *c.also)}
    connections |= {name: f"~{low}" if high else f"{low}" for name, (low, high) in resets.items()}
    # What says that a start is taken may be the valid of its results.
    shared: dict[str, str] = {}
    for port in ports:
        pins = port.pins() if port.lanes is not None else port.resolved(params).pins()
        shared |= {connections[pin]: net for pin, net in pins.items() if pin in connections}
        connections |= pins
    connections |= {s.name: s.name for s in design.status}
    ends = {f"{s.name}_done": s.pin("tready") for s in design.streams if s.until is not None}
    # What says that something is done may be a stream's valid as well.
    ends = {net: connections.setdefault(pin, f"{net}_inside") for net, pin in ends.items()}
    connections |= {name: _constant(value) for name, value in design.ties.items()}
    connections |= dict.fromkeys(design.ignored, "")
    connections |= {pin: f"free_{pin}" for pin in free}
    literals = {name: literal(name, p, params[name]) for name, p in design.parameters.items()}
    arrays = [array for port in ports for array in _arrays(port, params)]
    lines = [
        f"// Generated from the description of {design.name}: one flat port a signal, "
        "so that every signal can be driven from outside.",
        *_head(design, params, free),
        "  // The last port closes the list whatever the description holds.",
        "  assign harness_alive = 1'b1;",
        "",
        *(line for array in arrays for line in _gathered(array)),
        *(f"  logic {name} = 1'b0;" for _, (name, _, _) in _kept(bundles)),
        *(f"  wire {net};\n  assign {target} = {level};" for bundle in bundles for net, target, level in bundle.glue()),
        *(f"  assign {net} = {_constant(value)};" for bundle in bundles for net, value in bundle.constants().items()),
        *(f"  assign {net} = {inner};" for net, inner in shared.items()),
        *(f"  wire {wire};" for wire in ends.values() if wire.endswith("_done_inside")),
        *(f"  wire {net} = {wire};" for net, wire in ends.items()),
        *_registers(design, bundles),
        "",
        f"  {design.top} #(" if literals else f"  {design.top} dut (",
        *_connected(literals),
        *(["  ) dut ("] if literals else []),
        *_connected(connections),
        "  );",
        "endmodule",
        "",
    ]
    return "\n".join(lines)


def _registers(design: Design, bundles: list[Bundle]) -> Iterator[str]:
    """What the harness keeps for streams whose words come late, and for what is started."""
    clocks = {clock.name: clock for clock in design.clocks}
    for bundle, (name, sets, clears) in _kept(bundles):
        clock = clocks[bundle.clock]
        low = None if clock.reset is None else _resets(design)[clock.reset][0]
        held = f"({sets}) | ({name} & ~({clears}))"
        yield f"  always_ff @(posedge {clock.name}) {name} <= {held if low is None else f'{low} & ({held})'};"


def _kept(bundles: Iterable[Bundle]) -> Iterator[tuple[Bundle, tuple[str, str, str]]]:
    return ((one, kept) for one in bundles for kept in one.kept(bundles))


def _port(bundle: str, signal: Signal) -> str:
    width = "" if signal.scalar else f"[{signal.width - 1}:0] "
    return f"  {signal.way:6} logic {width}{bundle}_{signal.name},"


def _gathered(array: _Array) -> Iterator[str]:
    """The declaration of an array's wires, and what connects each bundle to them."""
    after = f" {array.after}" if array.after else ""
    yield f"  wire {array.before} {array.name}{after};"
    for number, member in enumerate(array.members):
        one = f"{array.name}[{number}]"
        yield f"  assign {one} = {member};" if array.signal.way == "input" else f"  assign {member} = {one};"


def _connected(pairs: Mapping[str, str]) -> list[str]:
    """Named connections, all but the last with a comma."""
    return [f"    .{pin}({net})," for pin, net in list(pairs.items())[:-1]] + [
        f"    .{pin}({net})" for pin, net in list(pairs.items())[-1:]
    ]


def misfits(log: str, name: str = TOP) -> list[str]:
    """What Verilator says of a description that does not fit the design: widths that differ, ports left out or unknown.

    A constant is written wider than most ports that it holds; that is no misfit as long as its value fits.

    Args:
        log: what it has printed.
        name: the file without its ending: the harness, or a wrapper that ``goldbeat new`` has written.
    """
    texts = [match[2].strip() for match in _MISFIT.finditer(log) if match[1] == name]
    constants = ((_CONSTANT.search(text), text) for text in texts)
    return [text for match, text in constants if match is None or int(match[2], 16) >> int(match[1])]
