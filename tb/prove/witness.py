# SPDX-License-Identifier: Apache-2.0
"""From a trace that breaks a property to stimuli that a simulation runs: first the trace as it is, then others close to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import INCR, READ, SLVERR, WRITE, Bursts
from goldbeat.pymodels.axi.memory import MasterTiming
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.bus_models import Route
from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.register_traffic import ORDERS, RegisterTraffic
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.ports.wishbone import WishbonePort
from goldbeat.tb.prove.aiger import Circuit
from goldbeat.tb.prove.far_side import FarSide
from goldbeat.tb.prove.harness import ProofHarness
from goldbeat.tb.prove.register_facts import KINDS, RegisterFacts
from goldbeat.tb.prove.sheet import RESET_CYCLES

_MOST_TEMPLATES = 8
_AWHILE = 256
"""Cycles in which a sink is ready behind the trace, so that everything comes out."""
_READY = ("none", "after-valid:3", "random:0.5", "random:0.8")
_COLUMNS = ("addr", "len", "size", "burst", "id", "cache", "prot", "qos", "region", "user")
_SIDES = ("tid", "tdest", "tuser", "tstrb")


_Known = Callable[[int, int | None], tuple[int, int]]
"""Of an address and the byte that was written there last: what must be read, and in which bits that is known."""


@dataclass(frozen=True)
class Witness:
    """The harness's signals in each cycle from the release of the reset on.

    Attributes:
        signals: values by name of the signal.
        cycles: how many.
        breaks: the property is broken in the last of them.
    """

    signals: Mapping[str, Sequence[int]]
    cycles: int
    breaks: bool

    def high(self, name: str, cycle: int) -> bool:
        """Whether a signal is high; one that is not there is."""
        return name not in self.signals or bool(self.signals[name][cycle])


def replay_witness(circuit: Circuit, harness: ProofHarness, inputs: Sequence[str], outputs: Sequence[int]) -> Witness:
    """What the signals are in a trace.

    Args:
        circuit: of the proof.
        harness: likewise.
        inputs: the circuit's, a cycle each.
        outputs: of which one has to be high at the end.
    """
    shown = circuit.numbers("see_")
    places = {name: shown[f"see_{n}"] for n, name in enumerate(harness.seen)}
    rows = list(circuit.simulate(iter([[int(bit) for bit in row] for row in inputs])))
    signals = {
        name: [sum(row[bit] << n for n, bit in enumerate(bits)) for row in rows[RESET_CYCLES:]]
        for name, bits in places.items()
    }
    return Witness(signals, max(0, len(rows) - RESET_CYCLES), bool(rows) and any(rows[-1][one] for one in outputs))


def stimuli(
    design: Design,
    params: Mapping[str, Any],
    witness: Witness,
    templates: Sequence[Stimulus],
    facts: Mapping[str, RegisterFacts],
) -> Iterator[Stimulus]:
    """Episodes that do what a trace does, the closest first.

    Args:
        design: the design.
        params: values of its parameters.
        witness: the trace.
        templates: of its cases, for clocks and memories behind its masters; the first few are used.
        facts: what all cases say of registers, by slave.
    """
    streams = design.bundles(params)
    registers, memories = design.register_ports(params), design.memory_ports(params)
    routes = design.routes(params) if design.routes is not None else ()
    far = far_side(routes, (*registers, *memories), witness, facts)
    for number, template in enumerate(templates[:_MOST_TEMPLATES]):
        # Those of a proof rise together.
        clock = replace(template.clocks[design.clocks[0].name], jitter_ps=0)
        inputs = {p.name: _trace(p, witness, clock) for p in streams if p.direction == "in"}
        ready = {p.name: _pattern(p, witness) for p in streams if p.direction == "out" and p.has("tready")}
        slaves = [p for p in registers if p.direction == "in"]
        program = {p.name: _judged(p, _accesses(p, witness), far) for p in slaves}
        bursts = {
            p.name: made
            for p in memories
            if p.direction == "in" and (made := burst_program(p, witness, number, far)) is not None
        }
        plain = Stimulus(
            inputs=inputs,
            ready=ready,
            clocks=dict.fromkeys(template.clocks, clock),
            program={name: steps for name, steps in program.items() if steps},
            memories=far.images(template.memories, program, bursts),
            bursts=bursts,
            together=len(program) + len(bursts) > 1,
            label="counterexample",
        )
        if number == 0:
            yield from _with_traffic(plain, slaves, witness, far)
        else:
            yield plain
            yield from list(_with_traffic(plain, slaves, witness, far))[number : number + 2]


def _offers(port: str, valid: str, ready: str, witness: Witness) -> Iterator[tuple[int, int | None]]:
    """Of each beat, the cycle in which it is first offered, and that in which it is taken."""
    since = None
    for cycle in range(witness.cycles):
        if not witness.signals[f"{port}_{valid}"][cycle]:
            continue
        since = cycle if since is None else since
        if witness.high(f"{port}_{ready}", cycle):
            yield since, cycle
            since = None
    if since is not None:
        yield since, None


def _trace(port: StreamPort, witness: Witness, clock: Clock) -> Trace:
    """The beats of an input; a frame that is open at the end is ended."""
    width = int(port.width) // 8
    offers = list(_offers(port.name, "tvalid", "tready", witness))
    rows: list[dict[str, int]] = []
    cycles: list[int] = []
    before = -1
    for offered, taken in offers:
        cycles.append((cycles[-1] if cycles else -1) + 1 + offered - before - 1)
        before = taken if taken is not None else offered
        rows.append(
            {
                role: witness.signals[f"{port.name}_{role}"][offered]
                for role in port.roles()
                if role not in ("tvalid", "tready")
            }
        )
    if rows and port.has("tlast") and not rows[-1]["tlast"]:
        rows.append({**rows[-1], "tlast": 1, "tkeep": (1 << width) - 1})
        cycles.append(cycles[-1] + 1)
    if not rows:
        return Trace.empty(int(port.width), clock_ps=clock.period_ps, offset_ps=clock.offset_ps)
    widths = {one.name: one.width for one in port.wires()}
    sides = {side: [row[side] for row in rows] if side in widths and widths[side] <= 64 else None for side in _SIDES}
    full = (1 << width) - 1
    return Trace.from_bytes(
        np.array([list(row["tdata"].to_bytes(width, "little")) for row in rows], np.uint8),
        clock_ps=clock.period_ps,
        offset_ps=clock.offset_ps,
        keep=np.array([[row.get("tkeep", full) >> n & 1 for n in range(width)] for row in rows], np.bool_),
        last=np.array([row.get("tlast", 0) for row in rows], np.bool_),
        cycle=cycles,
        **sides,
    )


def _pattern(port: StreamPort, witness: Witness) -> Pattern:
    values = [int(witness.signals[f"{port.name}_tready"][cycle]) for cycle in range(witness.cycles)]
    return Pattern("array", values=(*values, *([1] * _AWHILE)))


# -- registers --------------------------------------------------------------------------------------------------------


def _accesses(port: RegisterPort, witness: Witness) -> list[Access]:
    """The accesses in the order in which they are offered; reads are compared with what was written last."""
    if isinstance(port, ApbPort):
        made = _of_select(port, witness, "psel", "penable", ("paddr", "pwrite", "pwdata", "pstrb", "pprot"))
    elif isinstance(port, WishbonePort):
        made = _of_select(port, witness, "stb", "cyc", ("adr", "we", "wdat", "sel", ""))
    else:
        made = _of_channels(port, witness)
    return made


def _of_select(
    port: RegisterPort, witness: Witness, select: str, with_: str, roles: tuple[str, str, str, str, str]
) -> list[Access]:
    name, found = port.name, []
    unit = int(port.data_width) // 8 if isinstance(port, WishbonePort) and port.in_words else 1
    ready = "pready" if select == "psel" else "ack"
    busy = False
    for cycle in range(witness.cycles):
        if not witness.signals[f"{name}_{select}"][cycle]:
            busy = False
            continue
        if not busy:
            address, write, data, strobe, prot = (
                witness.signals[f"{name}_{role}"][cycle] if f"{name}_{role}" in witness.signals else None
                for role in roles
            )
            found.append(_access(port, (address or 0) * unit, bool(write), data or 0, strobe, prot or 0))
        ends = witness.high(f"{name}_{ready}", cycle)
        busy = not (ends and (select != "psel" or witness.high(f"{name}_{with_}", cycle)))
    return found


def _access(port: RegisterPort, address: int, write: bool, data: int, strobe: int | None, prot: int) -> Access:
    whole = (1 << int(port.data_width) // 8) - 1
    if write:
        return Access("write", address, data, strobe=whole if strobe is None else strobe, prot=prot)
    return Access("read", address, prot=prot)


def _of_channels(port: RegisterPort, witness: Witness) -> list[Access]:
    """Writes from both of their channels; one whose address or data never come is left out."""
    name, signals = port.name, witness.signals
    found: list[tuple[int, Access]] = []
    step = int(port.data_width) // 8
    if port.has("awvalid"):
        addresses = [offered for offered, _ in _offers(name, "awvalid", "awready", witness)]
        data = [offered for offered, _ in _offers(name, "wvalid", "wready", witness)]
        for first, second in zip(addresses, data, strict=False):
            strobe = signals[f"{name}_wstrb"][second] if f"{name}_wstrb" in signals else None
            address = signals[f"{name}_awaddr"][first] // step * step
            data_word, prot = signals[f"{name}_wdata"][second], _at(signals, f"{name}_awprot", first)
            found.append((min(first, second), _access(port, address, True, data_word, strobe, prot)))
    if port.has("arvalid"):
        for offered, _ in _offers(name, "arvalid", "arready", witness):
            address = signals[f"{name}_araddr"][offered] // step * step
            found.append((offered, _access(port, address, False, 0, None, _at(signals, f"{name}_arprot", offered))))
    return [access for _, access in sorted(found, key=lambda pair: pair[0])]


def far_side(
    routes: Sequence[Route], ports: Sequence[Bundle], witness: Witness, facts: Mapping[str, RegisterFacts]
) -> FarSide:
    """Where addresses lead, and which addresses behind masters got an error in a trace."""
    far = FarSide(routes, facts)
    for port in (one for one in ports if one.direction == "in"):
        _note_writes(far, port, witness)
    for port in (one for one in ports if one.direction == "out"):
        name, signals = port.name, witness.signals
        word = next(one.width for one in port.wires() if one.name in ("rdata", "wdata", "prdata", "pwdata")) // 8
        if isinstance(port, ApbPort):
            for cycle in range(witness.cycles):
                done = all(witness.high(f"{name}_{role}", cycle) for role in ("psel", "penable", "pready"))
                if done and _at(signals, f"{name}_pslverr", cycle):
                    kind = WRITE if signals[f"{name}_pwrite"][cycle] else READ
                    far.refuse(name, kind, signals[f"{name}_paddr"][cycle], 1, word, SLVERR)
            continue
        made = requests(port, witness)
        if made is None:
            continue
        lowest, length = made.span
        writes = np.flatnonzero(made.kind == WRITE).tolist()
        if port.has("bvalid"):
            for burst, (at, _) in zip(writes, _offers(name, "bvalid", "bready", witness), strict=False):
                code = _at(signals, f"{name}_bresp", at)
                far.refuse(name, WRITE, int(lowest[burst]), int(length[burst]), word, code)
        reads = np.flatnonzero(made.kind[made.of_beat] == READ).tolist()
        if port.has("rvalid"):
            for row, (at, _) in zip(reads, _offers(name, "rvalid", "rready", witness), strict=False):
                far.refuse(name, READ, int(made.addresses()[row]), 1, word, _at(signals, f"{name}_rresp", at))
    return far


def _note_writes(far: FarSide, port: Bundle, witness: Witness) -> None:
    if isinstance(port, RegisterPort):
        for access in _accesses(port, witness):
            if access.op == "write":
                far.write(port.name, access.address, int(port.data_width) // 8)
    elif (made := requests(port, witness)) is not None:
        lowest, length = made.span
        for burst in np.flatnonzero(made.kind == WRITE).tolist():
            far.write(port.name, int(lowest[burst]), int(length[burst]))


def _judged(port: RegisterPort, accesses: Sequence[Access], far: FarSide) -> tuple[Access, ...]:
    """The accesses with what they must give."""
    size = int(port.data_width) // 8
    exact = far.known and port.spec.name == "axil"
    told = []
    for one in accesses:
        code = far.code(port.name, KINDS[one.op], one.address // size * size, size)
        told.append(replace(one, error=code >= SLVERR, response=code if exact and code >= SLVERR else None))
    return tuple(_expected(told, size, partial(far.byte, port.name)))


def _expected(accesses: Sequence[Access], size: int, there: _Known) -> Iterator[Access]:
    held: dict[int, int] = {}
    for access in accesses:
        lanes = range(size)
        if access.error:
            yield access
        elif access.op == "write":
            for n in lanes:
                if access.strobe >> n & 1:
                    held[access.address + n] = (access.value or 0) >> 8 * n & 0xFF
            yield access
        else:
            known = [there(access.address + n, held.get(access.address + n)) for n in lanes]
            value, mask = (sum(one[part] << 8 * n for n, one in enumerate(known)) for part in (0, 1))
            yield replace(access, value=value, mask=mask) if mask else replace(access, value=None, mask=None)


def _with_traffic(
    plain: Stimulus, slaves: Sequence[RegisterPort], witness: Witness, far: FarSide
) -> Iterator[Stimulus]:
    """The same accesses at other paces, since a register program does not follow a trace cycle by cycle."""
    yield plain
    if not plain.program:
        return
    # Reads and writes of one word never overlap, so what a read gives is known at any pace.
    again = {port.name: _judged(port, plain.program.get(port.name, ()) * 4, far) for port in slaves}
    again = {name: steps for name, steps in again.items() if steps}
    patterns = [_answers_ready(port, witness) for port in slaves if port.has("bready") or port.has("rready")]
    for seed, (b_ready, r_ready) in enumerate([*patterns, *((one, one) for one in _READY)]):
        for order in ORDERS[:3]:
            for outstanding, gap, program in ((1, 0, plain.program), (4, 0, again), (4, 3, again)):
                traffic = RegisterTraffic(
                    order=order,
                    distance=2,
                    gap=gap,
                    outstanding=outstanding,
                    b_ready=b_ready,
                    r_ready=r_ready,
                    seed=seed,
                )
                yield replace(plain, program=program, traffic={port.name: port.fitting(traffic) for port in slaves})


def _answers_ready(port: RegisterPort, witness: Witness) -> tuple[str, str]:
    """When responses were taken in the trace, as patterns."""
    found = []
    for role in ("bready", "rready"):
        values = witness.signals.get(f"{port.name}_{role}", [1])
        found.append("array:" + ",".join(str(int(one)) for one in (*values, 1)))
    return found[0], found[1]


def requests(port: Bundle, witness: Witness) -> Bursts | None:
    """What is asked for on AXI channels, in the order in which it is offered."""
    name, signals = port.name, witness.signals
    found: list[tuple[int, int]] = []
    for kind, way in ((WRITE, "aw"), (READ, "ar")):
        if port.has(f"{way}valid"):
            found += [(at, kind) for at, _ in _offers(name, f"{way}valid", f"{way}ready", witness)]
    if not found:
        return None
    found.sort()
    absent = {"size": port.widths()["bytes"].bit_length() - 1, "burst": INCR}
    columns: dict[str, list[int]] = {one: [] for one in _COLUMNS}
    for at, kind in found:
        for role, column in columns.items():
            column.append(_at(signals, f"{name}_{'aw' if kind == WRITE else 'ar'}{role}", at, absent.get(role, 0)))
    address = columns.pop("addr")
    return Bursts(kind=[kind for _, kind in found], address=address, not_before=[at for at, _ in found], **columns)


def burst_program(port: MemoryPort, witness: Witness, number: int, far: FarSide) -> BurstProgram | None:
    """The bursts of a trace; reads are compared with what was written last, and wait for it.

    Args:
        port: the slave.
        witness: the trace.
        number: of the template: responses are taken at other paces.
        far: where addresses lead, and which of them get errors.
    """
    made = requests(port, witness)
    if made is None:
        return None
    width = int(port.data_width) // 8
    rows, strobe = _written(port, witness, made, width)
    of, size = made.of_beat, 1 << made.size.astype(np.int64)
    codes = [
        far.code(port.name, int(made.kind[burst]), start // int(size[burst]) * int(size[burst]), int(size[burst]))
        for burst, start in zip(of.tolist(), made.addresses().tolist(), strict=True)
    ]
    beats = np.array(codes, np.int64)
    barrier, checked = _compared(made, rows, strobe, beats, partial(far.byte, port.name))
    waits = Pattern() if number == 0 else Pattern.parse(_READY[number % len(_READY)])
    answers = np.maximum.reduceat(beats, made.rows) if far.known else np.full(len(made), -1)
    return BurstProgram(
        replace(made, barrier=barrier),
        rows,
        strobe,
        checked,
        answers,
        timing=MasterTiming(r_ready=waits, b_ready=waits),
        beat_response=beats if far.known else None,
    )


def _written(
    port: MemoryPort, witness: Witness, bursts: Bursts, width: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
    """Data and strobes of each beat of the writes; beats that never come write nothing."""
    rows, strobe = np.zeros((bursts.beats, width), np.uint8), np.zeros((bursts.beats, width), np.bool_)
    if not port.has("wvalid"):
        return rows, strobe
    name, signals = port.name, witness.signals
    beats = np.flatnonzero(bursts.kind[bursts.of_beat] == WRITE)
    for row, (at, _) in zip(beats, _offers(name, "wvalid", "wready", witness), strict=False):
        rows[row] = list(signals[f"{name}_wdata"][at].to_bytes(width, "little"))
        lanes = _at(signals, f"{name}_wstrb", at, (1 << width) - 1)
        strobe[row] = [lanes >> k & 1 for k in range(width)]
    return rows, strobe


def _compared(
    bursts: Bursts,
    rows: npt.NDArray[np.uint8],
    strobe: npt.NDArray[np.bool_],
    codes: npt.NDArray[np.int64],
    there: _Known,
) -> tuple[list[bool], npt.NDArray[np.bool_]]:
    """Which bursts wait for those before them, and which bytes of reads are known; ``rows`` gets what they must give.

    Args:
        bursts: the requests.
        rows: bytes of each beat.
        strobe: of the beats of writes.
        codes: response to each beat.
        there: what must be read.
    """
    width = rows.shape[1]
    checked = np.zeros(rows.shape, np.bool_)
    held: dict[int, int] = {}
    last: dict[int, int] = {}
    barrier = [False] * len(bursts)
    size = 1 << bursts.size.astype(np.int64)[bursts.of_beat]
    for row, (burst, start) in enumerate(zip(bursts.of_beat.tolist(), bursts.addresses().tolist(), strict=True)):
        word = start // width * width
        for lane in range(start - word, start // int(size[row]) * int(size[row]) - word + int(size[row])):
            byte = word + lane
            # What another burst has read or written waits for that.
            barrier[burst] |= last.get(byte, burst) != burst
            if bursts.kind[burst] == WRITE:
                if strobe[row, lane] and codes[row] < SLVERR:
                    held[byte] = int(rows[row, lane])
                    last[byte] = burst
            elif codes[row] < SLVERR and (known := there(byte, held.get(byte)))[1] == 0xFF:
                checked[row, lane] = True
                rows[row, lane] = held[byte] = known[0]
                last[byte] = burst
    return barrier, checked


def _at(signals: Mapping[str, Sequence[int]], name: str, cycle: int, absent: int = 0) -> int:
    return signals[name][cycle] if name in signals else absent
