# SPDX-License-Identifier: Apache-2.0
"""One bit of memory, followed from what slaves ask to what masters do and back: it reads as it was last written.

Which byte is a free choice, as are the ports that write and read it. Behind the masters there is a memory that holds this bit
alone; all else that it answers is any value. So one property covers widths, bursts, strobes, addresses and order. What that
memory holds at first is any value too, so that a read is followed without a write before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from goldbeat.pymodels.axi.burst import DECERR, READ, SLVERR, WRITE
from goldbeat.pymodels.bus_models import Route
from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.prove.bursts import POSITION
from goldbeat.tb.prove.channels import Channels
from goldbeat.tb.prove.handshakes import ProofChannel
from goldbeat.tb.prove.sheet import Sheet, any_of

TRACKED = "tracked"
_MEMORY, _BIT, _FIRST = f"{TRACKED}_memory", f"{TRACKED}_bit", f"{TRACKED}_first"
_SLOTS = 8
_NEVER = "1'b0"
_ERRORS = (SLVERR, DECERR)


@dataclass(frozen=True)
class _Place:
    """The byte on a port: whether it is reached, its address, and the bytes of the port's data."""

    on: str
    address: str
    width: int
    lanes: int

    @property
    def bit(self) -> str:
        """Where the bit is on the data."""
        return f"{{{self.lane}, {_BIT}}}"

    @property
    def lane(self) -> str:
        """Where the byte is on the data."""
        return f"{self.address}[{self.lanes.bit_length() - 2}:0]" if self.lanes > 1 else "1'b0"

    def of(self, data: str) -> str:
        """The bit of some data."""
        return f"|(({data} >> {self.bit}) & 1'b1)"

    def strobed(self, strobe: str) -> str:
        """Whether strobes have the byte."""
        return f"|(({strobe} >> {self.lane}) & 1'b1)"


@dataclass(frozen=True)
class _Hit:
    """Whether a request has the byte, in which beat, whether in all of them, and the bytes of a beat."""

    hit: str
    index: str
    fixed: str
    beat: str


@dataclass
class _Slave:
    """What a slave's traffic does with the byte, as expressions.

    Attributes:
        asks, offers: a write is offered; one of the byte that is not the followed one.
        idle: no write is open.
        marks: the followed write is offered.
        shows: its bit is offered.
        takes, value: its bit is taken, and which.
        failed: one of the answers since then is an error.
        read_asks, read_idle, read_marks: the same of reads.
        single, steady: the read has one beat; the byte is in one beat of it, for which a master's word is read once.
        came, got, error: the followed read is answered, with what, and whether with an error.
        done, refused: the followed write is answered, alone, and with an error.
        write_code, read_code: the responses to the followed write and read; empty: the bus has one error alone.
    """

    asks: str
    offers: str
    idle: str
    marks: str
    shows: str
    takes: str
    value: str
    failed: str
    read_asks: str
    read_idle: str
    read_marks: str
    single: str
    steady: str
    came: str
    got: str
    error: str
    done: str
    refused: str
    write_code: str = ""
    read_code: str = ""


def can_track(ports: Sequence[Bundle], routes: Sequence[Route]) -> bool:
    """Whether a byte can be followed through these ports."""
    known = all(one.spec.name in ("axil", "axi") or isinstance(one, ApbPort) for one in ports)
    return bool(ports) and bool(routes) and known and not _overlap(routes)


def add_tracked(
    sheet: Sheet, ports: Sequence[Bundle], made: Mapping[str, Channels], routes: Sequence[Route], *, closed: bool
) -> None:
    """The properties of the followed bit.

    Args:
        sheet: they are written on.
        ports: buses of the design.
        made: their channels, by name.
        routes: where addresses lead.
        closed: all others get an error.
    """
    slaves, masters = ([one for one in ports if one.direction == way] for way in ("in", "out"))
    places = _places(sheet, ports, routes, closed=closed)
    sheet.constant(_BIT, 3)
    for name in ("writer", "reader"):
        sheet.constant(f"{TRACKED}_{name}", max(1, (len(slaves) - 1).bit_length()))
    # Only behind a master is it known what there was before the first write.
    behind = bool(masters) and all(one.master for one in routes)
    if behind:
        sheet.constant(_FIRST)
    written = _memory(sheet, masters, made, places, behind=behind)
    widest = max((_lanes(one) for one in masters), default=1)
    found = [
        _slave(sheet, number, one, made.get(one.name), places[one.name], widest) for number, one in enumerate(slaves)
    ]
    names = ", ".join(one.name for one in slaves)
    alone = _claims(sheet, found, names, through=bool(masters), behind=behind, written=written)
    if masters and not any(isinstance(one, ApbPort) for one in masters):
        _claim_codes(sheet, found, names, alone)
    for port in masters:
        for kind in (WRITE, READ):
            _attributes(sheet, port, slaves, made, kind, routes)


def _overlap(routes: Sequence[Route]) -> bool:
    """Whether two stretches of addresses lead to one byte, so that a byte has two addresses."""
    there = sorted({(one.master or "", one.target, one.size, one.base) for one in routes})
    return any(
        a[0] == b[0] and b[1] < a[1] + a[2] for n, a in enumerate(there) for b in there[n + 1 :] if (a[0] or b[0])
    )


def _places(sheet: Sheet, ports: Sequence[Bundle], routes: Sequence[Route], *, closed: bool) -> dict[str, _Place]:
    """The byte's address on each port, by the stretch that it is in; the stretch behind the last one leads nowhere."""
    stretches = list(dict.fromkeys((one.base, one.size, one.master, one.target) for one in routes))
    which = sheet.constant(f"{TRACKED}_stretch", max(1, len(stretches).bit_length()))
    widest = max(max(base + size, target + size) for base, size, _, target in stretches).bit_length()
    widest = max([widest, *(_address_bits(port) for port in ports)])
    nowhere = sheet.wire(f"{TRACKED}_nowhere", f"{which} == {len(stretches)}" if closed else "1'b0")
    at = sheet.constant(f"{TRACKED}_at", widest)
    found = {}
    for port in ports:
        on, address = "1'b0", f"{widest}'d0"
        for number, (base, size, master, target) in enumerate(stretches):
            mine = [
                one for one in routes if (one.base, one.size, one.master, one.target) == (base, size, master, target)
            ]
            here = f"({which} == {number}) & ({at} < {widest}'d{size})"
            if port.direction == "in" and any(one.slave == port.name for one in mine):
                on, address = f"({here}) | {on}", f"{which} == {number} ? {at} + {widest}'d{base} : {address}"
            elif port.direction == "out" and master == port.name:
                on, address = f"({here}) | {on}", f"{which} == {number} ? {at} + {widest}'d{target} : {address}"
        width = _address_bits(port)
        if port.direction == "in" and closed:
            # An address of more bits than the port has would be another one there.
            fits = f" & ({at} >> {width} == 0)" if width < widest else ""
            own = {(one.base, one.size) for one in routes if one.slave == port.name}
            inside = any_of(
                [f"(({at} >= {widest}'d{base}) & ({at} < {widest + 1}'d{base + size}))" for base, size in sorted(own)]
            )
            on, address = f"{nowhere} ? ~({inside}){fits} : ({on})", f"{nowhere} ? {at} : {address}"
        lanes = _lanes(port)
        name = f"{TRACKED}_{port.name}"
        sheet.wire(f"{name}_on", on)
        sheet.wire(f"{name}_address", f"{width}'({address})", width)
        found[port.name] = _Place(f"{name}_on", f"{name}_address", width, lanes)
    return found


def _lanes(port: Bundle) -> int:
    """Bytes of a port's data."""
    return next(one.width for one in port.wires() if one.name in ("wdata", "rdata", "pwdata", "prdata")) // 8


def _address_bits(port: Bundle) -> int:
    return next(one.width for one in port.wires() if one.name in ("awaddr", "araddr", "paddr"))


def _of_request(sheet: Sheet, request: ProofChannel, place: _Place) -> _Hit:
    way, name, width = request.valid[:2], f"{TRACKED}_{request.name}", place.width
    address, size = request.net(f"{way}addr"), place.lanes.bit_length() - 1
    if f"{way}len" not in request.payload:
        hit = sheet.wire(f"{name}_hit", f"{place.on} & {_alike(address, place.address, place.lanes)}")
        return _Hit(hit, "8'd0", "1'b0", str(place.lanes))
    step = request.net(f"{way}size") if f"{way}size" in request.payload else f"3'd{size}"
    kind = request.net(f"{way}burst") if f"{way}burst" in request.payload else "2'd1"
    length = request.net(f"{way}len")
    wide = f"{max(width, 17)}'"
    beat = sheet.wire(f"{name}_bytes", f"({wide}d1 << {step})", max(width, 17))
    total = sheet.wire(f"{name}_all", f"(({wide}({length}) + 1) << {step})", max(width, 17))
    low = sheet.wire(f"{name}_low", f"{wide}({address}) & ~(({kind} == 2 ? {total} : {beat}) - 1)", max(width, 17))
    past = sheet.wire(f"{name}_past", f"{wide}({place.address}) - {low}", max(width, 17))
    inside = f"({past} < ({kind} == 0 ? {beat} : {total})) & (({kind} == 2) | ({place.address} >= {address}))"
    hit = sheet.wire(f"{name}_hit", f"{place.on} & {inside}")
    first = f"(({wide}({place.address}) - {wide}({address})) & ({total} - 1))"
    index = sheet.wire(
        f"{name}_index", f"8'({kind} == 0 ? {wide}({length}) : (({kind} == 2 ? {first} : {past}) >> {step}))", 8
    )
    return _Hit(hit, index, f"({kind} == 0)", beat)


# -- masters ----------------------------------------------------------------------------------------------------------


def _memory(
    sheet: Sheet,
    masters: Sequence[Bundle],
    made: Mapping[str, Channels],
    places: Mapping[str, _Place],
    *,
    behind: bool,
) -> bool:
    """The bit behind the masters, and what it answers; whether any of them writes."""
    writes: list[tuple[str, str]] = []
    failed: dict[str, list[str]] = {"write": [], "read": [], "hit": []}
    coded: dict[tuple[str, int], list[str]] = {(kind, code): [] for kind in ("write", "read") for code in _ERRORS}
    for port in masters:
        place = places[port.name]
        if isinstance(port, ApbPort):
            when, value, error = _behind_apb(sheet, port, place)
            writes.append((when, value))
            failed["write"].append(f"({error} & {port.name}_pwrite)")
            failed["read"].append(f"({error} & ~{port.name}_pwrite)")
            failed["hit"].append(f"({error} & ~{port.name}_pwrite & {TRACKED}_{port.name}_hit)")
            continue
        channels = made[port.name]
        if channels.aw is not None and channels.w is not None and channels.b is not None:
            writes.append(_written(sheet, channels.aw, channels.w, channels.b, place))
            failed["write"].append(f"({channels.b.is_valid} & {_bad(channels.b)})")
            for code in _ERRORS:
                coded["write", code].append(_with_code(channels.b, code))
        if channels.ar is not None and channels.r is not None:
            _read(sheet, channels.ar, channels.r, place)
            error = f"({channels.r.is_valid} & {_bad(channels.r)})"
            failed["read"].append(error)
            failed["hit"].append(f"({error} & |{channels.r.net('rdata')}_mask)")
            for code in _ERRORS:
                coded["read", code].append(_with_code(channels.r, code))
    sheet.wire(f"{TRACKED}_behind_writes", any_of([when for when, _ in writes]))
    sheet.wire(f"{TRACKED}_behind_value", any_of([f"({when} & {value})" for when, value in writes]))
    # Two masters never have the byte.
    takes = " : ".join([*(f"{when} ? {value}" for when, value in writes), _MEMORY])
    sheet.register(_MEMORY, f"prover_live ? ({takes}) : {_FIRST}" if behind else takes)
    # A response may pass within the cycle.
    named = {f"{kind}_{code}": some for (kind, code), some in coded.items()}
    for kind, events in {**failed, **named}.items():
        event = sheet.wire(f"{TRACKED}_{kind}_error", any_of(events))
        begins = f"{TRACKED}_{'write' if kind.startswith('write') else 'read'}_begins"
        since = sheet.wire(f"{TRACKED}_{kind}_erred", f"({TRACKED}_{kind}_before & ~{begins}) | {event}")
        sheet.register(f"{TRACKED}_{kind}_before", f"prover_live & {since}")
    return bool(writes)


def _with_code(answer: ProofChannel, code: int) -> str:
    """Whether a response is a code; one without codes has none."""
    role = f"{answer.valid[0]}resp"
    return f"({answer.is_valid} & ({answer.net(role)} == {code}))" if role in answer.payload else _NEVER


def _bad(answer: ProofChannel) -> str:
    role = f"{answer.valid[0]}resp"
    return f"{answer.net(role)}[1]" if role in answer.payload else "1'b0"


def _behind_apb(sheet: Sheet, port: ApbPort, place: _Place) -> tuple[str, str, str]:
    """When the bit is written and with what, and when an access fails."""
    name, size = port.name, place.lanes.bit_length() - 1
    hit = sheet.wire(f"{TRACKED}_{name}_hit", f"{place.on} & (({name}_paddr >> {size}) == ({place.address} >> {size}))")
    ready = f" & {name}_pready" if port.has("pready") else ""
    done = f"{name}_psel & {name}_penable{ready}"
    strobe = f" & {place.strobed(f'{name}_pstrb')}" if port.has("pstrb") else ""
    mask = f"({hit} ? {place.lanes * 8}'d1 << {place.bit} : '0)"
    sheet.wire(f"{name}_prdata_mask", mask, place.lanes * 8)
    failed = f"({done} & {name}_pslverr)" if port.has("pslverr") else "1'b0"
    return f"({done} & {name}_pwrite & {hit}{strobe})", place.of(f"{name}_pwdata"), failed


def _written(
    sheet: Sheet, request: ProofChannel, data: ProofChannel, answer: ProofChannel, place: _Place
) -> tuple[str, str]:
    """When the bit is written, and with what: with the answer, since addresses and data come in any order."""
    name, hit = f"{TRACKED}_{request.name}", _of_request(sheet, request, place)
    last = data.net("wlast") if "wlast" in data.payload else "1'b1"
    put, got, ended, beat = (f"{name}_{what}" for what in ("put", "got", "ended", "beat"))
    # Data may move while their address waits.
    sheet.register(put, f"prover_live ? {put} + 3'({request.offers}) : '0", 3)
    sheet.register(got, f"prover_live ? {got} + 3'({answer.moves}) : '0", 3)
    sheet.register(ended, f"prover_live ? {ended} + 3'({data.moves} & {last}) : '0", 3)
    sheet.register(beat, f"prover_live ? ({data.moves} ? ({last} ? '0 : {beat} + 8'd1) : {beat}) : '0", 8)
    entry = f"{{{hit.hit}, {hit.fixed}, {hit.index}}}"
    slots = f"{name}_slots"
    sheet.lines.append(f"  logic [9:0] {slots} [{_SLOTS}];")
    sheet.lines.append(f"  always_ff @(posedge {sheet.clock}) if ({request.offers}) {slots}[{put}] <= {entry};")
    now = sheet.wire(f"{name}_now", f"{put} == {ended} ? {entry} : {slots}[{ended}]", 10)
    strobe = place.strobed(data.net("wstrb")) if "wstrb" in data.payload else "1'b1"
    here = f"({now}[8] | ({beat} == {now}[7:0]))" if "awlen" in request.payload else "1'b1"
    takes = sheet.wire(f"{name}_takes", f"{data.moves} & {strobe} & {here}")
    kept = f"{name}_kept"
    held = sheet.wire(f"{name}_held", f"{beat} == 0 ? 2'd0 : {kept}[{ended}]", 2)
    sheet.lines.append(f"  logic [1:0] {kept} [{_SLOTS}];")
    sheet.lines.append(
        f"  always_ff @(posedge {sheet.clock}) if ({data.moves}) "
        f"{kept}[{ended}] <= {takes} ? {{1'b1, {place.of(data.net('wdata'))}}} : {held};"
    )
    written = sheet.wire(f"{name}_written", f"{kept}[{got}]", 2)
    reached = sheet.wire(f"{name}_reached", f"{slots}[{got}]", 10)
    return f"({answer.offers} & {written}[1] & {reached}[9])", f"{written}[0]"


def _read(sheet: Sheet, request: ProofChannel, answer: ProofChannel, place: _Place) -> None:
    """Which bit of read data is that of the memory."""
    name, hit = f"{TRACKED}_{request.name}", _of_request(sheet, request, place)
    last = answer.net("rlast") if "rlast" in answer.payload else "1'b1"
    put, got, beat, slots = (f"{name}_{what}" for what in ("put", "got", "beat", "slots"))
    sheet.register(put, f"prover_live ? {put} + 3'({request.moves}) : '0", 3)
    sheet.register(got, f"prover_live ? {got} + 3'({answer.moves} & {last}) : '0", 3)
    sheet.register(beat, f"prover_live ? ({answer.moves} ? ({last} ? '0 : {beat} + 8'd1) : {beat}) : '0", 8)
    sheet.lines.append(f"  logic [9:0] {slots} [{_SLOTS}];")
    sheet.lines.append(
        f"  always_ff @(posedge {sheet.clock}) if ({request.moves}) {slots}[{put}] <= {{{hit.hit}, {hit.fixed}, {hit.index}}};"
    )
    now = sheet.wire(f"{name}_now", f"{slots}[{got}]", 10)
    bits = place.lanes * 8
    mask = f"{now}[9] & ({now}[8] | ({beat} == {now}[7:0])) ? {bits}'d1 << {place.bit} : '0"
    sheet.wire(f"{answer.net('rdata')}_mask", mask, bits)


# -- slaves -----------------------------------------------------------------------------------------------------------


def _slave(sheet: Sheet, number: int, port: Bundle, channels: Channels | None, place: _Place, widest: int) -> _Slave:
    """What a slave does with the byte; the widest word of a master has so many bytes."""
    name = f"{TRACKED}_{port.name}"
    mine = f"({TRACKED}_writer == {number})", f"({TRACKED}_reader == {number})"
    if isinstance(port, ApbPort):
        return _of_apb(sheet, port, place, mine)
    assert channels is not None
    found = _Slave(*[_NEVER] * len(fields(_Slave)))
    found.idle = found.read_idle = "1'b1"
    if channels.aw is not None and channels.w is not None and channels.b is not None:
        _writes(sheet, (channels.aw, channels.w, channels.b), place, name, mine[0], found)
    if channels.ar is not None and channels.r is not None:
        _reads(sheet, channels.ar, channels.r, place, name, mine[1], found, widest)
    return found


def _writes(
    sheet: Sheet,
    ways: tuple[ProofChannel, ProofChannel, ProofChannel],
    place: _Place,
    name: str,
    mine: str,
    found: _Slave,
) -> None:
    request, data, answer = ways
    hit = _of_request(sheet, request, place)
    put, ended, beat = f"{request.name}_number", f"{data.name}_number", f"{data.name}_beat_number"
    ahead = f"{request.name}_ahead"
    distance = sheet.wire(f"{name}_distance", f"{put} - {ended}", POSITION)
    marks = sheet.wire(
        f"{name}_marks",
        f"{sheet.free(f'{name}_mark_free')} & {mine} & {request.offers} & {hit.hit} & ~{distance}[{POSITION - 1}] & "
        f"{TRACKED}_may",
    )
    now = []
    for label, value, width in (("at", put, POSITION), ("index", hit.index, 8), ("fixed", hit.fixed, 1)):
        kept = f"{name}_{label}"
        now.append(sheet.wire(f"{kept}_now", f"{marks} ? {value} : {kept}", width))
        sheet.register(kept, f"{kept}_now", width)
    strobe = place.strobed(data.net("wstrb")) if "wstrb" in data.payload else "1'b1"
    found.marks = marks
    found.asks = request.offers
    found.offers = f"({request.offers} & {hit.hit} & ~{marks})"
    found.idle = f"({ahead} == 0)"
    turn = f"({ended} == {now[0]}) & ({now[2]} | ({beat} == {now[1]}))"
    found.shows = f"(({marks} | ({TRACKED}_written & {mine})) & {data.is_valid} & {strobe} & {turn})"
    found.takes = f"(({marks} | ({TRACKED}_pending & {mine})) & {data.moves} & {strobe} & {turn})"
    found.value = place.of(data.net("wdata"))
    answered = f"({TRACKED}_pending & {mine} & {answer.moves})"
    found.failed = f"({answered} & {_bad(answer)})"
    found.done = f"({answered} & ({ahead} == 1) & {TRACKED}_lone)"
    found.refused = _bad(answer)
    found.write_code = answer.net("bresp") if "bresp" in answer.payload else ""


def _reads(
    sheet: Sheet,
    request: ProofChannel,
    answer: ProofChannel,
    place: _Place,
    name: str,
    mine: str,
    found: _Slave,
    widest: int,
) -> None:
    hit = _of_request(sheet, request, place)
    last = answer.net("rlast") if "rlast" in answer.payload else "1'b1"
    of = f"{answer.name}_id" if "rid" in answer.payload and "arid" in request.payload else ""
    asks, comes = (f" & ({request.net('arid')} == {of})", f" & ({answer.net('rid')} == {of})") if of else ("", "")
    open_, state, ahead, beat, index = (f"{name}_read_{one}" for one in ("open", "marked", "ahead", "beat", "index"))
    moves = f"({answer.moves}{comes})"
    ends = f"({moves} & {last})"
    sheet.register(open_, f"prover_live ? {open_} + 3'({request.offers}{asks}) - 3'({ends}) : '0", 3)
    marks = sheet.wire(
        f"{name}_read_marks",
        f"{sheet.free(f'{name}_read_free')} & {mine} & {request.offers}{asks} & {hit.hit} & ~{state}",
    )
    sheet.register(ahead, f"{marks} ? {open_} - 3'({ends}) : {ahead} - 3'({ends} & ({ahead} != 0))", 3)
    sheet.register(index, f"{marks} ? {hit.index} : {index}", 8)
    sheet.register(beat, f"prover_live ? ({moves} ? ({last} ? '0 : {beat} + 8'd1) : {beat}) : '0", 8)
    turn = f"({state} & ({ahead} == 0) & {moves})"
    found.came = sheet.wire(f"{name}_came", f"{turn} & ({beat} == {index})")
    sheet.register(state, f"prover_live & ({marks} | {state}) & ~({turn} & {last})")
    found.read_marks, found.read_asks, found.read_idle = marks, request.offers, f"({request.name}_ahead == 0)"
    length = f"{request.valid[:2]}len"
    found.single = f"({request.net(length)} == 0)" if length in request.payload else "1'b1"
    found.steady = f"({found.single} | (~{hit.fixed} & ({hit.beat} >= {widest})))"
    found.got = place.of(answer.net("rdata"))
    found.error = _bad(answer)
    found.read_code = answer.net("rresp") if "rresp" in answer.payload else ""


def _of_apb(sheet: Sheet, port: ApbPort, place: _Place, mine: tuple[str, str]) -> _Slave:
    """An access at a time: it is offered in its first cycle, and done in its last."""
    name, size, track = port.name, place.lanes.bit_length() - 1, f"{TRACKED}_{port.name}"
    hit = sheet.wire(f"{track}_hit", f"{place.on} & (({name}_paddr >> {size}) == ({place.address} >> {size}))")
    first = f"({name}_psel & ~{name}_penable)"
    done = f"({name}_psel & {name}_penable{f' & {name}_pready' if port.has('pready') else ''})"
    error = f"{name}_pslverr" if port.has("pslverr") else "1'b0"
    strobe = place.strobed(f"{name}_pstrb") if port.has("pstrb") else "1'b1"
    asked = f"({first} & {name}_pwrite & {hit})"
    marks = sheet.wire(f"{track}_marks", f"{sheet.free(f'{track}_mark_free')} & {mine[0]} & {asked} & {TRACKED}_may")
    # The next write may follow at once.
    pending = f"({TRACKED}_pending & {mine[0]} & {name}_pwrite & {done} & {hit})"
    state, read = f"{track}_read_marked", f"{name}_psel & ~{name}_pwrite"
    begins = f"({sheet.free(f'{track}_read_free')} & {mine[1]} & {first} & {hit} & {read})"
    sheet.register(state, f"prover_live & ({begins} | {state}) & ~{done}")
    return _Slave(
        asks=f"({first} & {name}_pwrite)",
        offers=f"({asked} & ~{marks})",
        idle=f"~({name}_psel & {name}_pwrite & {name}_penable)",
        marks=marks,
        shows=f"(({marks} | ({TRACKED}_written & {mine[0]} & {name}_psel & {name}_pwrite & {hit})) & {strobe})",
        takes=f"({pending} & {strobe})",
        value=place.of(f"{name}_pwdata"),
        failed=f"({pending} & {error})",
        came=sheet.wire(f"{track}_came", f"{state} & {done}"),
        read_marks=begins,
        read_asks=f"({first} & ~{name}_pwrite)",
        read_idle=f"~({name}_psel & ~{name}_pwrite & {name}_penable)",
        single="1'b1",
        steady="1'b1",
        got=place.of(f"{name}_prdata"),
        error=error,
        done=f"({pending} & {TRACKED}_lone)",
        refused=error,
    )


# -- claims -----------------------------------------------------------------------------------------------------------


def _claims(sheet: Sheet, slaves: Sequence[_Slave], names: str, *, through: bool, behind: bool, written: bool) -> str:
    """The state of the followed write, and what must be read behind it; that no other read is open."""
    t = TRACKED
    marks, offers = any_of([one.marks for one in slaves]), any_of([one.offers for one in slaves])
    idle = sheet.wire(f"{t}_idle", " & ".join(one.idle for one in slaves))
    quiet = sheet.wire(f"{t}_quiet", f"{idle} & ~({any_of([one.asks for one in slaves])})")
    others = sheet.wire(f"{t}_others", any_of([f"({one.asks} & ~{one.marks})" for one in slaves]))
    takes = sheet.wire(f"{t}_takes", any_of([one.takes for one in slaves]))
    value = any_of([f"({one.takes} & {one.value})" for one in slaves])
    sheet.wire(f"{t}_kill", f"{offers} | {any_of([one.failed for one in slaves])}")
    # Reads are followed until another write of the byte is offered; one without its strobe leaves it as it is.
    sheet.wire(f"{t}_cut", f"{t}_kill | {t}_pending | {marks}")
    # A write of the byte that is open already might end later.
    sheet.register(f"{t}_dirty", f"prover_live & ({t}_dirty | {offers}) & ~{quiet}")
    sheet.wire(f"{t}_may", f"~{t}_dirty & ~{t}_pending")
    sheet.wire(f"{t}_ended", f"{t}_pending & {quiet}")
    sheet.register(f"{t}_pending", f"prover_live & ~{t}_kill & (({marks}) | ({t}_pending & ~{t}_ended))")
    sheet.register(f"{t}_lone", f"(({marks}) ? {idle} : {t}_lone) & ~{others}")
    sheet.register(f"{t}_have", f"prover_live & ~{t}_kill & ({takes} | ({t}_have & ~({marks})))")
    known = f"~{t}_kill & ({t}_known | ({t}_ended & {t}_have))"
    sheet.register(f"{t}_known", f"~prover_live | ({known})" if behind else f"prover_live & {known}")
    first = f"~prover_live ? {_FIRST} : " if behind else ""
    sheet.register(f"{t}_value", f"{first}{takes} ? ({value}) : {t}_value")
    sheet.wire(f"{t}_write_begins", marks)
    sheet.register(f"{t}_written", f"prover_live & ({t}_written | ({marks}))")
    if behind and written:
        _passed_on(sheet, slaves, names, (marks, offers))
    return _answers(sheet, slaves, names, through=through)


def _passed_on(sheet: Sheet, slaves: Sequence[_Slave], names: str, events: tuple[str, str]) -> None:
    """What is written behind the masters, as long as slaves are asked for one write of the byte at most."""
    t, (marks, offers) = TRACKED, events
    several = f"({t}_several | ({offers}) | ({t}_written & ({marks})))"
    sheet.register(f"{t}_several", f"prover_live & {several}")
    # A burst at one address may write a byte more than once.
    seen = []
    for bit in "01":
        shows = any_of([f"({one.shows} & (({one.value}) == {bit}))" for one in slaves])
        seen.append(sheet.wire(f"{t}_asked_{bit}", f"{t}_asked_{bit}_was | {shows}"))
        sheet.register(f"{t}_asked_{bit}_was", f"prover_live & {seen[-1]}")
    lone = f"prover_live & ~{several} & {t}_behind_writes"
    # A byte that is read, changed and written back stays as it is.
    asked = f"({t}_behind_value ? {seen[1]} : {seen[0]})"
    changes = f"({t}_behind_value != {_MEMORY}) & ~{asked}"
    what = "a byte behind the masters changes only to what a slave is asked to write there"
    sheet.check(f"memory_write {names}", what, f"{lone} & {changes}", lone)


def _answers(sheet: Sheet, slaves: Sequence[_Slave], names: str, *, through: bool) -> str:
    """What a read gives, and which accesses get an error; that no other read is open."""
    t = TRACKED
    begins = sheet.wire(f"{t}_read_begins", any_of([one.read_marks for one in slaves]))
    sheet.register(f"{t}_clean", f"({begins} ? {t}_known : {t}_clean) & ~{t}_cut")
    # No other read is open, and none is offered until it is answered.
    idle = " & ".join(one.read_idle for one in slaves)
    others = any_of([f"({one.read_asks} & ~{one.read_marks})" for one in slaves])
    single = any_of([f"({one.read_marks} & {one.single})" for one in slaves])
    sheet.register(f"{t}_read_lone", f"({begins} ? {idle} : {t}_read_lone) & ~({others})")
    steady = any_of([f"({one.read_marks} & {one.steady})" for one in slaves])
    sheet.register(f"{t}_single", f"{begins} ? ({single}) : {t}_single")
    sheet.register(f"{t}_steady", f"{begins} ? ({steady}) : {t}_steady")
    alone = sheet.wire(f"{t}_read_alone", f"{t}_read_lone & ~({others})")
    compared = f"{t}_clean & ~{t}_cut & ~{t}_nowhere"
    came = any_of([f"({one.came} & ~{one.error})" for one in slaves])
    wrong = any_of([f"({one.came} & ~{one.error} & (({one.got}) != {t}_value))" for one in slaves])
    what = f"any bit of any byte reads as it was last written{' through the masters' if through else ''}"
    if any(one.read_marks != _NEVER for one in slaves):
        sheet.check(f"memory_bit {names}", what, f"{compared} & ({wrong})", f"{compared} & ({came})")
    written = any_of([one.done for one in slaves])
    refused = any_of([f"({one.done} & {one.refused})" for one in slaves])
    failed = any_of([f"({one.came} & {one.error})" for one in slaves])
    read = any_of([one.came for one in slaves])
    invented = f"(({refused}) & ~{t}_write_erred) | (({failed}) & {alone} & ~{t}_read_erred)"
    sheet.check(
        f"no_error {names}",
        "an access that leads somewhere gets no error unless one comes from behind the masters",
        f"~{t}_nowhere & ({invented})",
        f"~{t}_nowhere & (({written}) | ({read}) & {alone})",
    )
    if not through:
        return alone
    silent = f"(({written}) & ~({refused}) & ({t}_write_erred | {t}_nowhere))"
    lost = f"({t}_read_erred & {t}_single) | ({t}_hit_erred & {t}_steady) | {t}_nowhere"
    silent += f" | (({read}) & ~({failed}) & {alone} & ({lost}))"
    sheet.check(
        f"errors_pass {names}",
        "an access gets an error if one comes from behind the masters, or if its address leads nowhere",
        silent,
        f"(({written}) & ({t}_write_erred | {t}_nowhere)) | (({read}) & {alone} & ({lost}))",
    )
    return alone


def _claim_codes(sheet: Sheet, slaves: Sequence[_Slave], names: str, alone: str) -> None:
    """An error is one that came from behind the masters: SLVERR and DECERR are not taken for each other."""
    t = TRACKED
    turned, errors = [], []
    for one in slaves:
        for done, resp, kind in (
            (f"({one.done} & {one.refused})", one.write_code, "write"),
            (f"({one.came} & {one.error} & {alone})", one.read_code, "read"),
        ):
            if resp:
                errors.append(done)
                turned += [f"({done} & ({resp} == {code}) & ~{t}_{kind}_{code}_erred)" for code in _ERRORS]
    if turned:
        sheet.check(
            f"error_code {names}",
            "an error of an access that leads somewhere has a code that came from behind the masters",
            f"~{t}_nowhere & {any_of(turned)}",
            f"~{t}_nowhere & {any_of(errors)}",
        )


def _attributes(
    sheet: Sheet,
    master: Bundle,
    slaves: Sequence[Bundle],
    made: Mapping[str, Channels],
    kind: int,
    routes: Sequence[Route],
) -> None:
    """Attributes of requests for the byte: none reaches a master that no slave was asked with.

    A master may ask for a whole word where a slave was asked for a part of it, so any byte of the word will do there.
    """
    of = [one.carried for one in routes if one.master == master.name]
    names = sorted(name for way, name in of[0] if way == kind and all((kind, name) in one for one in of)) if of else []
    there = _request(master, made, kind, names)
    widest = max(_lanes(port) for port in (master, *slaves))
    asked = [(port, one) for port in slaves if (one := _request(port, made, kind, names, widest)) is not None]
    if there is None or len(asked) != len(slaves) or not names:
        return
    label = f"{TRACKED}_{master.name}_{'write' if kind == WRITE else 'read'}"
    width = there[2]
    if any(one[2] != width for _, one in asked):
        return
    any_ = sheet.constant(f"{label}_attributes", width)
    seen = any_of([f"({event} & ({value} == {any_}))" for _, (event, value, _) in asked])
    sheet.register(f"{label}_seen", f"prover_live & ({label}_seen | {seen})")
    event, value, _ = there
    sheet.check(
        f"attributes {master.name} {'write' if kind == WRITE else 'read'}",
        f"{', '.join(names)} of a request are those of a request for the same byte at a slave",
        f"prover_live & {event} & ({value} == {any_}) & ~({label}_seen | {seen})",
        f"prover_live & {event} & ({value} == {any_})",
    )


def _request(
    port: Bundle, made: Mapping[str, Channels], kind: int, names: Sequence[str], lanes: int = 1
) -> tuple[str, str, int] | None:
    """When a request is there for the byte, or for another one of an aligned group of some; its attributes, and their width."""
    place = f"{TRACKED}_{port.name}"
    if isinstance(port, ApbPort):
        if list(names) != ["prot"] or not port.has("pprot"):
            return None
        way = "" if kind == WRITE else "~"
        near = f"({place}_hit | {place}_on & {_alike(f'{port.name}_paddr', f'{place}_address', lanes)})"
        return f"({port.name}_psel & {near} & {way}{port.name}_pwrite)", f"{port.name}_pprot", 3
    channels = made[port.name]
    request = channels.aw if kind == WRITE else channels.ar
    if request is None:
        return None
    roles = [f"{request.valid[:2]}{name}" for name in names]
    if any(role not in request.payload for role in roles):
        return None
    values = ", ".join(request.net(role) for role in roles)
    name, address = f"{TRACKED}_{request.name}", request.net(f"{request.valid[:2]}addr")
    near = _alike(address, f"{place}_address", lanes)
    if f"{request.valid[:2]}len" in request.payload:
        shift = lanes.bit_length() - 1
        group = f"({place}_address >> {shift})"
        near = f"(({name}_low >> {shift}) <= {group}) & ({group} <= (({name}_low + {name}_all - 1) >> {shift}))"
    event = f"({request.is_valid} & ({name}_hit | {place}_on & {near}))"
    return event, f"{{{values}}}", sum(request.payload[role] for role in roles)


def _alike(one: str, other: str, lanes: int) -> str:
    """Whether two addresses are in one aligned group of bytes."""
    shift = lanes.bit_length() - 1
    return f"(({one} >> {shift}) == ({other} >> {shift}))"
