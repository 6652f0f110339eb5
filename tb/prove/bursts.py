# SPDX-License-Identifier: Apache-2.0
"""Bursts of a proof: what the bench asks an AXI4 slave for, as the traffic of the cases does, and which beat has which bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goldbeat.pymodels.axi.burst import FIXED, INCR, WRAP
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.prove.handshakes import ProofChannel
from goldbeat.tb.prove.sheet import Sheet

POSITION = 4
"""Bits of the numbers of bursts: differences of up to 7 either way."""
_SLOTS = 8
_PAGE = 12


@dataclass(frozen=True)
class BurstHabits:
    """What the bursts of a slave's cases are like.

    Attributes:
        kinds: FIXED, INCR and WRAP, as AxBURST has them.
        longest: highest AxLEN.
        narrow: some beats are narrower than the bus.
        unaligned: some bursts start within a beat.
    """

    kinds: frozenset[int] = frozenset({INCR})
    longest: int = 0
    narrow: bool = False
    unaligned: bool = False

    @property
    def text(self) -> str:
        """For people."""
        names = {FIXED: "FIXED", INCR: "INCR", WRAP: "WRAP"}
        beats = f"up to {self.longest + 1} beats" if self.longest else "one beat"
        return (
            f"{'/'.join(names[one] for one in sorted(self.kinds))} bursts of {beats}, {'' if self.narrow else 'not '}narrow, "
            f"{'' if self.unaligned else 'not '}unaligned, not exclusive, data not ahead of their address; axregion is 0"
        )


def learn_bursts(port: Bundle, stimuli: Sequence[Stimulus]) -> BurstHabits:
    """The habits of a slave's bursts; without any, one whole beat."""
    found = [one.bursts[port.name].bursts for one in stimuli if port.name in one.bursts]
    found = [one for one in found if len(one)]
    if not found:
        return BurstHabits()
    size = port.widths()["bytes"].bit_length() - 1
    return BurstHabits(
        frozenset(int(kind) for one in found for kind in set(one.burst.tolist())) | {INCR},
        max(int(one.len.max()) for one in found),
        any(bool((one.size < size).any()) for one in found),
        any(bool((one.address % (1 << one.size.astype("uint64"))).any()) for one in found),
    )


def request_ties(sheet: Sheet, port: Bundle, request: ProofChannel, habits: BurstHabits) -> dict[str, str]:
    """What the bench drives on the signals of a request."""
    way, name, roles = request.valid[:2], request.name, request.payload
    size = port.widths()["bytes"].bit_length() - 1
    width = roles[f"{way}addr"]
    kind = "2'd1"
    if f"{way}burst" in roles and len(habits.kinds) > 1:
        free = sheet.free(f"{name}_kind_free", 2)
        others = "".join(f"{free} == {one} ? 2'd{one} : " for one in sorted(habits.kinds - {INCR}))
        kind = sheet.wire(f"{name}_kind", f"{others}2'd1", 2)
    step = f"3'd{size}"
    if f"{way}size" in roles and habits.narrow:
        free = sheet.free(f"{name}_step_free", 3)
        step = sheet.wire(f"{name}_step", f"{free} > 3'd{size} ? 3'd{size} : {free}", 3)
    low = f"(({width}'d1 << {step}) - {width}'d1)"
    loose = f"{kind} == 2'd1 ? '0 : {low}" if habits.unaligned else low
    start = sheet.wire(f"{name}_start", f"{sheet.free(f'{name}_address_free', width)} & ~({loose})", width)
    most = f"8'd{habits.longest}"
    free = sheet.free(f"{name}_beats_free", 8)
    count = sheet.wire(f"{name}_beats", f"{free} > {most} ? {most} : {free}", 8)
    # Nothing crosses a page, or the end of a smaller space of addresses.
    bits = min(_PAGE, width)
    page = f"({_PAGE + 1}'({start}{f'[{bits - 1}:0]' if width > bits else ''}) >> {step})"
    crosses = f"({page} + {_PAGE + 1}'({count})) > ({_PAGE + 1}'d{(1 << bits) - 1} >> {step})"
    wraps = f"((8'd2 << {count}[1:0]) - 8'd1)"
    length = f"{kind} == 2'd2 ? {wraps} : {kind} == 2'd0 ? {count} & 8'd15 : {crosses} ? 8'd0 : {count}"
    cache = sheet.free(f"{name}_cache_free", 4)
    ties = {
        "burst": kind,
        "size": step,
        "addr": start,
        "len": length if habits.longest else "'0",
        "lock": "'0",
        "region": "'0",
        # The values that are not reserved.
        "cache": f"{cache} | {{2'b0, |{cache}[3:2], 1'b0}}",
    }
    return {way + role: text for role, text in ties.items() if way + role in roles}


def number_writes(sheet: Sheet, request: ProofChannel, data: ProofChannel) -> None:
    """Count offered addresses, and the bursts and beats whose data have moved: what belongs together has one number."""
    last = data.net("wlast") if "wlast" in data.payload else "1'b1"
    put, got, beat = f"{request.name}_number", f"{data.name}_number", f"{data.name}_beat_number"
    sheet.register(put, f"prover_live ? {put} + {POSITION}'({request.offers}) : '0", POSITION)
    sheet.register(got, f"prover_live ? {got} + {POSITION}'({data.moves} & {last}) : '0", POSITION)
    sheet.register(beat, f"prover_live ? ({data.moves} ? ({last} ? '0 : {beat} + 8'd1) : {beat}) : '0", 8)


def data_ties(sheet: Sheet, port: Bundle, request: ProofChannel, data: ProofChannel) -> dict[str, str]:
    """WLAST by the lengths of the addresses that were offered, and strobes in the lanes of each beat."""
    name, lanes = data.name, port.widths()["bytes"]
    number, beat = f"{name}_number", f"{name}_beat_number"
    nets = {"len": 8, "burst": 2, "size": 3, "addr": _PAGE}
    known = {}
    for role, width in nets.items():
        if f"aw{role}" not in request.payload:
            known[role] = {"burst": "2'd1", "size": f"3'd{lanes.bit_length() - 1}"}[role]
            continue
        slots = f"{name}_{role}_slots"
        sheet.lines.append(f"  logic [{width - 1}:0] {slots} [{_SLOTS}];")
        sheet.lines.append(
            f"  always_ff @(posedge {sheet.clock}) if ({request.offers}) {slots}[{request.name}_number[2:0]] <= "
            f"{width}'({request.net(f'aw{role}')});"
        )
        fresh = f"{request.name}_number == {number}"
        known[role] = sheet.wire(
            f"{name}_{role}", f"{fresh} ? {width}'({request.net(f'aw{role}')}) : {slots}[{number}[2:0]]", width
        )
    ties = {"wlast": f"{beat} == {known['len']}"}
    if "wstrb" in data.payload:
        step, start, kind = known["size"], known["addr"], known["burst"]
        whole = f"({_PAGE}'d1 << {step})"
        plain = f"((({start} >> {step}) + {_PAGE}'({beat})) << {step})"
        total = f"(({_PAGE}'({known['len']}) + {_PAGE}'d1) << {step})"
        around = f"(({start} & ~({total} - 1)) | ({plain} & ({total} - 1)))"
        at = sheet.wire(f"{name}_at", f"{beat} == 0 | {kind} == 0 ? {start} : {kind} == 2 ? {around} : {plain}", _PAGE)
        first = f"({at} & {_PAGE}'d{lanes - 1})"
        end = f"((({at} >> {step}) << {step}) & {_PAGE}'d{lanes - 1}) + {whole}"
        mask = sheet.wire(
            f"{name}_mask",
            f"({lanes}'(64'd1 << ({end})) - {lanes}'d1) & ~({lanes}'(64'd1 << {first}) - {lanes}'d1)",
            lanes,
        )
        ties["wstrb"] = f"({sheet.free(f'{name}_strobes_free', lanes)} & {mask})"
    return ties


def check_lasts(sheet: Sheet, bus: str, request: ProofChannel, answer: ProofChannel, of: str) -> None:
    """RLAST on the beat that the length asks for, of the reads of any one ID.

    Args:
        sheet: what is written.
        bus: names of rules begin with it.
        request: the channel of read addresses.
        answer: that of read data.
        of: name of the constant ID; empty: there are no IDs.
    """
    name, last = answer.name, answer.net("rlast")
    asks = f"({request.net('arid')} == {of})" if of else "1'b1"
    mine = f"({answer.net('rid')} == {of})" if of else "1'b1"
    put, got, beat, slots = (f"{name}_len_{what}" for what in ("put", "got", "beat", "slots"))
    moves = f"{answer.moves} & {mine}"
    sheet.register(put, f"prover_live ? {put} + {POSITION}'({request.moves} & {asks}) : '0", POSITION)
    sheet.register(got, f"prover_live ? {got} + {POSITION}'({moves} & {last}) : '0", POSITION)
    sheet.register(beat, f"prover_live ? ({moves} ? ({last} ? '0 : {beat} + 8'd1) : {beat}) : '0", 8)
    sheet.lines.append(f"  logic [7:0] {slots} [{_SLOTS}];")
    sheet.lines.append(
        f"  always_ff @(posedge {sheet.clock}) if ({request.moves} & {asks}) {slots}[{put}[2:0]] <= {request.net('arlen')};"
    )
    beats = sheet.wire(f"{name}_len", f"{slots}[{got}[2:0]]", 8)
    there = f"prover_live & {answer.is_valid} & {mine} & ({put} != {got})"
    for rule, text, wrong in (
        ("rlast_early", "rlast is low on all beats of a burst but the last", f"{last} & ({beat} != {beats})"),
        ("rlast_late", "rlast is high on the last beat", f"~{last} & ({beat} == {beats})"),
    ):
        sheet.check(f"{bus}_{rule} {answer.port}", text, f"{there} & {wrong}", there)
