# SPDX-License-Identifier: Apache-2.0
"""AXI-Lite and AXI4 bundles of a proof: five channels, and which responses may come when."""

from __future__ import annotations

from dataclasses import dataclass, replace

from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.prove.bursts import BurstHabits, check_lasts, data_ties, number_writes, request_ties
from goldbeat.tb.prove.handshakes import ProofChannel, counter, drive, take, watch
from goldbeat.tb.prove.sheet import Sheet

_OPEN = 3
"""Bits of the numbers of open accesses."""
MOST = 4
"""Accesses that the bench's master leaves open at most."""
_SIMPLE = {
    "axi_burst_type": ("AxBURST is not the reserved value 3", "{b} == 3"),
    "axi_wrap_length": ("a WRAP burst has 2, 4, 8 or 16 beats", "{b} == 2 & ~({n} inside {{1, 3, 7, 15}})"),
    "axi_fixed_length": ("a FIXED burst has at most 16 beats", "{b} == 0 & {n} > 15"),
    "axi_size": ("a beat is not wider than the bus", "(1 << {s}) > {bytes}"),
    "axi_wrap_alignment": (
        "a WRAP burst starts at a multiple of its beat size",
        "{b} == 2 & ({a} & ((1 << {s}) - 1)) != 0",
    ),
    "axi_4k_boundary": (
        "no INCR burst crosses a 4 KiB boundary",
        "{b} == 1 & ((32'({a}[11:0]) >> {s}) << {s}) + ((32'({n}) + 1) << {s}) > 4096",
    ),
}
_SIMULATED = "no property yet; simulation checks it"
EXCUSED = {
    "data_before_address": "a bound of the checker on the bench's own memory",
    "ready_late": "a warning",
    "outstanding": "a run ends, a proof does not",
    "places_lost": "about a long run",
    "narrow_unsupported": "only if the checker is set so",
    "fixed_unsupported": "only if the checker is set so",
    "interleaved": "only if the checker is set so",
}
_OF_MASTERS = (
    "4k_boundary",
    "burst_type",
    "wrap_length",
    "wrap_alignment",
    "fixed_length",
    "size",
    "wlast_early",
    "wlast_late",
)
_ANSWERS = (
    "b_without_request",
    "b_before_data",
    "r_without_request",
    "b_id",
    "r_id",
    "rlast_early",
    "rlast_late",
    "exokay",
)
_ADVANCED = ("strobe_lanes", "exclusive", "exclusive_pair", "exclusive_response", "region", "cache")
NO_PROPERTY = {
    "valid_waits": "only of slaves without other ports; simulation tries it",
    "data_waits": "for ever cannot be put to the test in a bounded number of cycles; simulation tries it",
    **dict.fromkeys(_ADVANCED, _SIMULATED),
}


@dataclass(frozen=True)
class Channels:
    """The channels of a bundle; None where it has none."""

    port: Bundle
    aw: ProofChannel | None
    w: ProofChannel | None
    b: ProofChannel | None
    ar: ProofChannel | None
    r: ProofChannel | None

    @property
    def slave(self) -> bool:
        """The design answers."""
        return self.port.direction == "in"

    def net(self, role: str) -> str:
        """The harness's net of a role."""
        return f"{self.port.name}_{role}"


def _channel(port: Bundle, letter: str) -> ProofChannel | None:
    if not port.has(f"{letter}valid"):
        return None
    roles = {one.name: one.width for one in port.wires()}
    mine = {
        role: width
        for role, width in roles.items()
        if role.startswith(letter) and role not in (f"{letter}valid", f"{letter}ready")
    }
    return ProofChannel(port.name, f"{letter}valid", f"{letter}ready", mine)


def add_channels(sheet: Sheet, port: Bundle, bursts: BurstHabits) -> Channels:
    """The bench's side of a bundle, and the rules of the design's side; ``bursts``: what an AXI4 slave is asked for."""
    found = Channels(port, *(_channel(port, letter) for letter in ("aw", "w", "b", "ar", "r")))
    bus = port.spec.name
    for ways in ((found.aw, found.w, found.b), (found.ar, None, found.r)):
        request, data, answer = ways
        if request is not None and answer is not None:
            _way(sheet, bus, found, (request, data, answer), bursts)
    kept = _ANSWERS if not found.slave else (*_OF_MASTERS, *_ADVANCED, "data_waits")
    excused = EXCUSED | dict.fromkeys(kept, "the bench's side keeps it")
    sheet.leave(bus, port.name, port.spec.rules, NO_PROPERTY, excused)
    return found


def _way(
    sheet: Sheet,
    bus: str,
    port: Channels,
    ways: tuple[ProofChannel, ProofChannel | None, ProofChannel],
    bursts: BurstHabits,
) -> None:
    """The channels of writes, or those of reads."""
    request, data, answer = ways
    name = answer.name
    last = answer.net("rlast") if data is None and "rlast" in answer.payload else "1'b1"
    done = f"({answer.moves} & {last})"
    pending, full = f"{name}_open", f"{name}_whole"
    counter(sheet, pending, request.moves, done, _OPEN)
    if data is not None:
        ended = data.net("wlast") if "wlast" in data.payload else "1'b1"
        counter(sheet, full, f"{data.moves} & {ended}", done, _OPEN)
    if port.slave:
        _drive_requests(sheet, port, ways, pending, bursts)
        take(sheet, answer)
        watch(sheet, bus, answer)
        _check_answers(sheet, bus, port, request, data, answer)
    else:
        for channel in (request, data):
            if channel is not None:
                take(sheet, channel)
                watch(sheet, bus, channel)
        ready = f"{pending} != 0" + (f" & {full} != 0" if data is not None else "")
        _answer(sheet, port, request, data, answer, ready)
        if bus == "axi":
            _check_bursts(sheet, port, request, data)


def _drive_requests(
    sheet: Sheet,
    port: Channels,
    ways: tuple[ProofChannel, ProofChannel | None, ProofChannel],
    pending: str,
    bursts: BurstHabits,
) -> None:
    request, data, answer = ways
    name = request.name
    room = f"({pending} < {MOST}) & ({name}_ahead < {MOST})"
    # Offered and not answered, so that what waits counts as well.
    last = answer.net("rlast") if data is None and "rlast" in answer.payload else "1'b1"
    done = f"({answer.moves} & {last})"
    counter(sheet, f"{name}_ahead", request.offers, done, _OPEN)
    long = f"{request.valid[:2]}len" in request.payload
    if long:
        request = replace(request, ties=request_ties(sheet, port.port, request, bursts))
        if data is None or port.ar is None:
            sheet.assumed.append(f"{port.port.name}: {bursts.text}")
    elif step := port.port.widths()["bytes"] - 1:
        role = f"{request.valid[:2]}addr"
        free = sheet.free(f"{name}_address_free", request.payload[role])
        request = replace(request, ties={role: f"({free} & ~{request.payload[role]}'d{step})"})
        if data is None or port.ar is None:
            sheet.assumed.append(f"{port.port.name}: addresses of whole words")
    drive(sheet, request, room)
    if data is not None:
        number_writes(sheet, request, data)
        ends = data.net("wlast") if "wlast" in data.payload else "1'b1"
        counter(sheet, f"{data.name}_ahead", f"{data.offers} & {ends}", done, _OPEN)
        ties = data_ties(sheet, port.port, request, data) if long else {}
        asked = f" & (({name}_number != {data.name}_number) | {request.offers})" if long else ""
        drive(sheet, replace(data, ties=ties), f"({data.name}_ahead < {MOST}){asked}")
    sheet.assumed.append(f"{port.port.name}: at most {MOST} {'reads' if data is None else 'writes'} are open")


def _check_answers(
    sheet: Sheet, bus: str, port: Channels, request: ProofChannel, data: ProofChannel | None, answer: ProofChannel
) -> None:
    letter, name = answer.valid[0], port.port.name
    what = "read" if data is None else "write"
    pending = f"{answer.name}_open"
    sheet.check(
        f"{bus}_{letter}_without_request {name}",
        f"{answer.valid} comes only while a {what} is outstanding",
        f"prover_live & {answer.is_valid} & ({pending} == 0)",
        answer.is_valid,
    )
    if data is not None:
        sheet.check(
            f"{bus}_b_before_data {name}",
            "bvalid comes only after all data of its write",
            f"prover_live & {answer.is_valid} & ({pending} != 0) & ({answer.name}_whole == 0)",
            answer.is_valid,
        )
    response = f"{letter}resp"
    if response in answer.payload:
        sheet.check(
            f"{bus}_exokay {name} {response}",
            "EXOKAY answers exclusive accesses only",
            f"prover_live & {answer.is_valid} & ({answer.net(response)} == 1)",
            answer.is_valid,
        )
    of = ""
    if f"{letter}id" in answer.payload:
        of = sheet.constant(f"{answer.name}_id", answer.payload[f"{letter}id"])
        mine = f"({answer.net(f'{letter}id')} == {of})"
        count = f"{answer.name}_id_open"
        last = answer.net("rlast") if "rlast" in answer.payload else "1'b1"
        asked = f"{request.moves} & ({request.net(request.valid[:2] + 'id')} == {of})"
        counter(sheet, count, asked, f"{answer.moves} & {last} & {mine}", _OPEN)
        sheet.check(
            f"{bus}_{letter}_id {name}",
            f"{letter}id is the ID of an outstanding {what}",
            f"prover_live & {answer.is_valid} & {mine} & ({pending} != 0) & ({count} == 0)",
            f"{answer.is_valid} & {mine}",
        )
    if "rlast" in answer.payload:
        check_lasts(sheet, bus, request, answer, of)


def _answer(
    sheet: Sheet, port: Channels, request: ProofChannel, data: ProofChannel | None, answer: ProofChannel, ready: str
) -> None:
    """The bench's memory behind a master: answers in order."""
    letter, name = answer.valid[0], answer.name
    ties = {}
    if f"{letter}resp" in answer.payload:
        # OKAY, SLVERR or DECERR.
        error = sheet.free(f"{name}_error_free", 2)
        ties[f"{letter}resp"] = f"{{{error}[1], &{error}}}"
    if letter == "r":
        free = sheet.free(f"{name}_data_free", answer.payload["rdata"])
        ties["rdata"] = sheet.remembered(answer.net("rdata"), free)
    if f"{letter}id" in answer.payload or "rlast" in answer.payload:
        ties |= _in_order(sheet, port, request, answer)
    drive(sheet, ProofChannel(answer.port, answer.valid, answer.ready, answer.payload, ties=ties), ready)


def _in_order(sheet: Sheet, port: Channels, request: ProofChannel, answer: ProofChannel) -> dict[str, str]:
    """IDs and lengths of the open requests, as a queue: what comes out of it is answered next."""
    letter, name, way = answer.valid[0], answer.name, request.valid[:2]
    depth = 1 << _OPEN
    roles = {role: request.payload[role] for role in (f"{way}id", f"{way}len") if role in request.payload}
    last = answer.net("rlast") if "rlast" in answer.payload else "1'b1"
    sheet.limit(
        f"&{name}_open", f"{port.port.name}: at most {depth - 1} {'reads' if letter == 'r' else 'writes'} are open"
    )
    for end, event in (("put", request.moves), ("got", f"{answer.moves} & {last}")):
        sheet.register(f"{name}_{end}", f"prover_live ? {name}_{end} + {_OPEN}'({event}) : '0", _OPEN)
    ties = {}
    for role, width in roles.items():
        sheet.lines.append(f"  logic [{width - 1}:0] {name}_{role} [{depth}];")
        sheet.lines.append(
            f"  always_ff @(posedge {sheet.clock}) if ({request.moves}) {name}_{role}[{name}_put] <= {request.net(role)};"
        )
    if f"{letter}id" in answer.payload:
        ties[f"{letter}id"] = f"{name}_{way}id[{name}_got]"
    if "rlast" in answer.payload:
        # A beat that waits has been counted only when it has moved.
        beat = f"{name}_beat"
        sheet.register(beat, f"prover_live & {answer.moves} ? ({last} ? '0 : {beat} + 8'd1) : {beat}", 8)
        ties["rlast"] = f"{beat} == 8'({name}_{way}len[{name}_got])"
    return ties


def _check_bursts(sheet: Sheet, port: Channels, request: ProofChannel, data: ProofChannel | None) -> None:
    """What a master asks for, and where its write data end."""
    way, name = request.valid[:2], port.port.name
    nets = {
        letter: request.net(way + role) for letter, role in (("b", "burst"), ("s", "size"), ("n", "len"), ("a", "addr"))
    }
    size = (port.port.widths()["bytes"]).bit_length() - 1
    for role, letter, tied in (("size", "s", f"3'd{size}"), ("burst", "b", "2'd1")):
        if way + role not in request.payload:
            nets[letter] = tied
    for rule, (text, wrong) in _SIMPLE.items():
        expression = wrong.format(**nets, bytes=port.port.widths()["bytes"])
        if request.payload[f"{way}addr"] < 12 and rule == "axi_4k_boundary":
            continue
        sheet.check(
            f"{rule} {name} {way}", text, f"prover_live & {request.is_valid} & ({expression})", request.is_valid
        )
    if data is None or "wlast" not in data.payload:
        return
    # The lengths of writes whose data have not ended, oldest first, from the first offer of their address on; data ahead of
    # that are not followed.
    put, got, beat = (f"{data.name}_{end}" for end in ("put", "got", "beat"))
    last = data.net("wlast")
    depth = 1 << _OPEN
    length = f"{data.name}_length"
    sheet.register(put, f"prover_live ? {put} + {_OPEN}'({request.offers}) : '0", _OPEN)
    sheet.register(got, f"prover_live ? {got} + {_OPEN}'({data.moves} & {last}) : '0", _OPEN)
    sheet.register(beat, f"prover_live ? ({data.moves} ? ({last} ? '0 : {beat} + 8'd1) : {beat}) : '0", 8)
    sheet.lines.append(f"  logic [7:0] {length} [{depth}];")
    sheet.lines.append(
        f"  always_ff @(posedge {sheet.clock}) if ({request.offers}) {length}[{put}] <= 8'({request.net('awlen')});"
    )
    sheet.limit(
        f"{data.is_valid} & ({put} == {got}) & ~{request.offers}", f"{name}: no write data ahead of their address"
    )
    known = sheet.wire(f"{data.name}_known", f"({put} == {got}) ? 8'({request.net('awlen')}) : {length}[{got}]", 8)
    for rule, text, wrong in (
        ("axi_wlast_early", "wlast is low on all beats of a burst but the last", f"{last} & ({beat} != {known})"),
        ("axi_wlast_late", "wlast is high on the last beat", f"~{last} & ({beat} == {known})"),
    ):
        sheet.check(f"{rule} {name}", text, f"{data.moves} & {wrong}", data.moves)
