# SPDX-License-Identifier: Apache-2.0
"""The SystemVerilog of a proof: around the harness that is simulated, with the bench's side, and all that is claimed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.build.harness import TOP as HARNESS
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.wishbone import WishbonePort
from goldbeat.tb.prove.bursts import learn_bursts
from goldbeat.tb.prove.channels import Channels, add_channels
from goldbeat.tb.prove.habits import Habits, learn
from goldbeat.tb.prove.handshakes import ProofChannel
from goldbeat.tb.prove.order import claim_identity, claim_merge, claim_repack
from goldbeat.tb.prove.progress import claim_answers
from goldbeat.tb.prove.register_facts import learn_registers
from goldbeat.tb.prove.sheet import BEYOND, RESET_CYCLES, TOP, Property, Sheet, vector
from goldbeat.tb.prove.storage import add_storage
from goldbeat.tb.prove.streams import drive_stream, watch_stream
from goldbeat.tb.prove.tracked import add_tracked, can_track
from goldbeat.tb.prove.words import add_apb, add_wishbone

_STREAM_MODELS = ("identity", "broadcast", "merge", "repack")
_COUNTED = " & ~prover_over"
_LOW, _HIGH = "1'b0", "1'b1"
_CYCLE = 4
"""Bits of the number of the cycle; it stops at its end."""


@dataclass(frozen=True)
class ProofHarness:
    """What is proven of a design.

    Attributes:
        text: the SystemVerilog.
        properties: in the order of the outputs ``bad_N`` and ``hit_N``.
        seen: the harness's signals that outputs ``see_N`` show: names and widths.
        sheet: what it was made from.
        free: inputs of the design that may have any value in every cycle, and their widths.
    """

    text: str
    properties: tuple[Property, ...]
    seen: Mapping[str, int]
    sheet: Sheet
    free: Mapping[str, int] = field(default_factory=dict)


def make_proof(
    design: Design,
    params: Mapping[str, Any],
    model: str,
    stimuli: Sequence[Stimulus],
    within: int,
    fitted: Mapping[str, int],
    free: Mapping[str, int] = {},
) -> ProofHarness:
    """The harness of a proof.

    Args:
        design: what is proven.
        params: values of its parameters.
        model: a ready-made model; empty: order and data are left out.
        stimuli: of its cases: what inputs never do there, they do not do here.
        within: cycles in which something has to move.
        fitted: widths of counters, by name; none: those that are always enough.
        free: inputs that may have any value, and their widths.

    Several clocks rise together here: what a crossing does then is a part of what it does.
    """
    sheet = Sheet(design.clocks[0].name, fitted)
    if len(design.clocks) > 1:
        names = ", ".join(clock.name for clock in design.clocks)
        sheet.assumed.append(f"{names} rise together, and their resets end together")
        sheet.unproven[f"clocks {names}"] = "other periods and phases are simulated alone"
    if found := [f"{one.port} from {one.base:#x}" for one in design.found_ranges]:
        sheet.unproven[f"address map, {', '.join(found)}"] = (
            "the RTL itself was asked for it: nothing shows that it is right"
        )
    for pin, width in free.items():
        sheet.free(f"free_{pin}", width)
    nets: dict[str, tuple[Bundle, int]] = {}
    for port in (*design.register_ports(params), *design.memory_ports(params), *design.bundles(params)):
        for signal in port.wires():
            nets[f"{port.name}_{signal.name}"] = (port, signal.width)
    for name, (_, width) in nets.items():
        sheet.net(name, width)
    sources, sinks = _streams(sheet, design, params, stimuli)
    _quiet(sheet, sources, sinks, within, _unpaired(model, sources, sinks))
    _order(sheet, model, sources, sinks, within)
    _offered(sheet, model, sources, sinks, within)
    _buses(sheet, design, params, model, stimuli)
    claim_answers(
        sheet, (*design.register_ports(params), *design.memory_ports(params)), within, alone=not design.streams
    )
    seen = {name: width for name, (_, width) in nets.items()} | sheet.counters
    return ProofHarness(_text(sheet, design, params, seen), tuple(sheet.properties), seen, sheet, free)


def _streams(
    sheet: Sheet, design: Design, params: Mapping[str, Any], stimuli: Sequence[Stimulus]
) -> tuple[list[tuple[ProofChannel, Habits]], list[ProofChannel]]:
    sources, sinks = [], []
    for port in design.bundles(params):
        if port.direction == "in":
            habits = learn(port, stimuli)
            sources.append((drive_stream(sheet, port, habits), habits))
        else:
            sinks.append(watch_stream(sheet, port))
    return sources, sinks


def _unpaired(model: str, sources: Sequence[tuple[ProofChannel, Habits]], sinks: Sequence[ProofChannel]) -> list[str]:
    """When a beat of one input may wait for one of another, which a module may join: some inputs have offered fewer."""
    if model != "identity" or not 1 < len(sources) == len(sinks):
        return []
    flights = [f"{sink.place}_flight" for sink in sinks]
    offered = " & ".join(source.is_valid for source, _ in sources)
    equal = " & ".join(f"({flights[0]} == {one})" for one in flights[1:])
    return [f"~(({offered}) | ({equal}))"]


def _quiet(
    sheet: Sheet,
    sources: Sequence[tuple[ProofChannel, Habits]],
    sinks: Sequence[ProofChannel],
    within: int,
    unpaired: Sequence[str],
) -> None:
    """How long nothing has moved although all sinks are ready and no input waits for another, up to the bound."""
    moves = [event for source, _ in sources for event in (source.offers, source.moves)] + [one.moves for one in sinks]
    stalls = [f"~{one.is_ready}" for one in sinks if one.ready]
    frames = [f"{source.port}_open" for source, _ in sources if "tlast" in source.payload]
    busy = " | ".join([*moves, *stalls, *frames, *unpaired]) or "1'b0"
    count = "prover_quiet"
    sheet.register(count, f"~prover_live | {busy} ? '0 : {count} + 8'({count} != {within})", 8)
    still = " | ".join([*moves, *frames]) or _LOW
    sheet.register("prover_still", f"~prover_live | {still} ? '0 : prover_still + 8'(prover_still != {within})", 8)


def _order(
    sheet: Sheet, model: str, sources: Sequence[tuple[ProofChannel, Habits]], sinks: Sequence[ProofChannel], within: int
) -> None:
    """What the model of the streams says."""
    why = "no ready-made model of streams; --model names one"
    if model == "repack_msb":
        why = "the order of model repack_msb is compared in simulation alone"
    if model == "identity" and len(sources) == len(sinks):
        for (source, _), sink in zip(sources, sinks, strict=True):
            claim_identity(sheet, source, sink, within)
    elif model == "broadcast" and len(sources) == 1:
        for sink in sinks:
            claim_identity(sheet, sources[0][0], sink, within)
    elif model == "merge" and len(sinks) == 1 and sources:
        claim_merge(sheet, [source for source, _ in sources], sinks[0], within)
    elif model == "repack" and len(sources) == len(sinks) == 1:
        (source, habits) = sources[0]
        claim_repack(sheet, source, sinks[0], within, packed=habits.keep != "any" and not habits.null)
    if sinks and not sheet.counters:
        sheet.unproven["order " + ", ".join(sink.port for sink in sinks)] = why


def _offered(
    sheet: Sheet, model: str, sources: Sequence[tuple[ProofChannel, Habits]], sinks: Sequence[ProofChannel], within: int
) -> None:
    """That an output offers what it has, whether or not it is taken."""
    one_way = len(sources) == len(sinks) == 1 and sinks[0].ready and bool(sheet.counters)
    # Without the end of a frame, bytes may wait for others that fill a word.
    if one_way and (model == "identity" or (model == "repack" and "tlast" in sources[0][0].payload)):
        sink = sinks[0]
        sheet.unproven.pop(f"axis_valid_waits {sink.port}", None)
        sheet.check(
            f"axis_valid_waits {sink.port}",
            f"what is in flight is offered after {within} cycles in which nothing moves, whether or not the sink is ready",
            f"(prover_still == {within}) & ({sink.port}_flight != 0) & ~{sink.is_valid}",
            f"{sink.port}_flight != 0",
            counted=True,
        )


def _buses(sheet: Sheet, design: Design, params: Mapping[str, Any], model: str, stimuli: Sequence[Stimulus]) -> None:
    ports = (*design.register_ports(params), *design.memory_ports(params))
    masters = [port for port in ports if port.direction == "out"]
    made: dict[str, Channels] = {}
    routes = design.routes(params) if design.routes is not None else ()
    words = not masters and all(isinstance(port, RegisterPort) for port in ports)
    sheet.memory = can_track(ports, routes) and not words
    for port in ports:
        if port.spec.name in ("axil", "axi"):
            made[port.name] = add_channels(sheet, port, learn_bursts(port, stimuli))
        elif isinstance(port, ApbPort):
            add_apb(sheet, port)
        elif isinstance(port, WishbonePort):
            add_wishbone(sheet, port)
        else:
            raise UsageError(f"{port.name}: no proof knows the bus {port.spec.title}")
    if sheet.memory:
        add_tracked(sheet, ports, made, routes, closed=design.ready_model == "interconnect")
    beside = {} if design.elsewhere is None else design.elsewhere(params)
    for port in ports if words else ():
        if port.direction == "out" or not isinstance(port, RegisterPort):
            continue
        if not add_storage(sheet, port, made.get(port.name), learn_registers(port, stimuli, beside.get(port.name))):
            sheet.unproven[f"storage {port.name}"] = "no words that the cases read back, or no property for this bus"
    if masters and len(ports) == 2 and len(masters) == 1 and _passes(sheet, made, ports):
        return
    for port in masters if model and not sheet.memory else ():
        sheet.unproven[f"data {port.name}"] = f"no property says what model {model} asks of this master"


def _passes(sheet: Sheet, made: Mapping[str, Channels], ports: Sequence[Bundle]) -> bool:
    """Between a slave and a master of one kind, each channel is a stream of its own; False: they are not of one kind."""
    slave, master = (made.get(one.name) for one in sorted(ports, key=lambda one: one.direction))
    if slave is None or master is None or slave.port.spec is not master.port.spec:
        return False
    if _widths(slave.port) != _widths(master.port):
        return False
    forward = [(getattr(slave, name), getattr(master, name)) for name in ("aw", "w", "ar")]
    backward = [(getattr(master, name), getattr(slave, name)) for name in ("b", "r")]
    for source, sink in (*forward, *backward):
        if source is not None and sink is not None:
            claim_identity(sheet, source, sink, None)
            # Where a byte is followed, bursts may be split or joined on the way.
            sheet.guessed |= {f"order {sink.place}", f"nothing_extra {sink.place}"} if sheet.memory else set()
    return True


def _widths(port: Bundle) -> dict[str, int]:
    return {one.name: one.width for one in port.wires()}


def _text(sheet: Sheet, design: Design, params: Mapping[str, Any], seen: Mapping[str, int]) -> str:
    clock, *others = design.clocks
    reset = None if clock.reset is None else clock.resetn
    status = design.status_ports(params)
    cycle = "prover_cycle"
    end = (1 << _CYCLE) - 1
    # Behind the end of a counter, nothing that rests on it means anything.
    over = " | ".join(f"&{name}" for name in sheet.counters) or _LOW
    excluded = " | ".join([BEYOND, *(f"(prover_live & ({one}))" for one in sheet.limits)])
    ports = [
        f"  input  logic {clock.name}",
        f"  input  logic {BEYOND}",
        *(f"  input  logic {vector(width)}{name}" for name, width in sheet.inputs.items()),
        *(f"  output logic {vector(one.width)}bad_{n}" for n, one in enumerate(sheet.properties)),
        *(f"  output logic hit_{n}" for n in range(len(sheet.properties))),
        *(f"  output logic {vector(width)}see_{n}" for n, width in enumerate(seen.values())),
    ]
    # Without a reset, all begins at once.
    live = f"({cycle} >= {RESET_CYCLES})" if reset else _HIGH
    body = [
        f"  logic [{_CYCLE - 1}:0] {cycle} = '0;",
        f"  always_ff @(posedge {clock.name}) {cycle} <= {cycle} + {_CYCLE}'({cycle} != {end});",
        f"  wire prover_live = {live};",
        f"  wire prover_go = {f'({cycle} > {RESET_CYCLES})' if reset else live};",
        f"  wire prover_settled = ({cycle} >= 4) & ~prover_live;",
        f"  wire prover_released = {f'({cycle} == {RESET_CYCLES})' if reset else _LOW};",
        *([f"  wire {reset} = prover_live;"] if reset else []),
        *(f"  wire {one.name} = {clock.name};" for one in others),
        *(f"  wire {name} = prover_live;" for name in {one.resetn for one in others if one.reset} - {reset}),
        *(f"  wire {vector(int(one.width))}{one.name};" for one in status),
        "  wire harness_alive;",
        *sheet.lines,
        f"  wire prover_outside = {excluded};",
        "  logic prover_left = 1'b0;",
        f"  always_ff @(posedge {clock.name}) prover_left <= prover_left | prover_outside;",
        "  logic prover_over = 1'b0;",
        f"  always_ff @(posedge {clock.name}) prover_over <= prover_over | {over};",
        "  wire prover_ok = ~(prover_left | prover_outside);",
        *(
            f"  assign bad_{n} = (prover_ok{_COUNTED * one.counted}) ? ({one.violated}) : '0;"
            for n, one in enumerate(sheet.properties)
        ),
        *(f"  assign hit_{n} = prover_ok & ({one.occurs or _HIGH});" for n, one in enumerate(sheet.properties)),
        *(f"  assign see_{n} = {name};" for n, name in enumerate(seen)),
        f"  {HARNESS} bench (.*);",
    ]
    head = (
        f"// Generated from the description of {design.name}: what the bench does, and what is claimed of the design."
    )
    return "\n".join([head, f"module {TOP} (", ",\n".join(ports), ");", *_declared_first(body), "endmodule", ""])


def _declared_first(lines: Sequence[str]) -> list[str]:
    """Declarations before what uses them: nothing may be used before its declaration, and registers look at each other."""
    declared, rest = [], []
    for line in lines:
        words = line.strip()
        if words.startswith("logic "):
            declared.append(line)
        elif words.startswith("wire ") and "=" in words:
            name_part, _, expression = line.partition(" = ")
            declared.append(f"{name_part};")
            rest.append(f"  assign {name_part.split()[-1]} = {expression}")
        elif words.startswith("wire "):
            declared.append(line)
        else:
            rest.append(line)
    return [*declared, *rest]
