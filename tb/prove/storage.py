# SPDX-License-Identifier: Apache-2.0
"""Words that hold what was written last, as properties of any one bit of any one word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.mapped_registers import ERROR, SKIP, ZERO
from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.wishbone import WishbonePort
from goldbeat.tb.prove.channels import Channels
from goldbeat.tb.prove.handshakes import counter
from goldbeat.tb.prove.register_facts import RegisterFacts
from goldbeat.tb.prove.sheet import Sheet, any_of

_QUEUE = 3
_MOST_STRETCHES = 256
"""Of words that are alike; of what is behind them, nothing is claimed."""


_Value = TypeVar("_Value", int, tuple[int, int])
_Events = tuple[str, str, str, str, str, str, str]
"""A write of the word is done; one failed; its data and strobes; a read of it answers; with what; an access gets an error."""


def add_storage(sheet: Sheet, port: RegisterPort, channels: Channels | None, facts: RegisterFacts) -> bool:
    """The properties that one bit of one word reads as it was last written, and which accesses fail; False: there is none.

    Args:
        sheet: they are written on.
        port: the slave.
        channels: of an AXI-Lite slave.
        facts: what the cases say of its words.
    """
    width, bits = int(port.address_width), int(port.data_width)
    name, words = port.name, facts.words
    if not words or (isinstance(port, WishbonePort) and port.has("stall")):
        return False
    at = sheet.constant(f"{name}_word", width)
    sheet.wire(f"{name}_held_bits", _table(port, at, _told(port, words)), bits)
    if isinstance(port, ApbPort):
        events = _of_apb(port, at)
    elif isinstance(port, WishbonePort):
        events = _of_wishbone(port, at)
    else:
        assert channels is not None
        found = _of_channels(sheet, channels, at, bits)
        if found is None:
            return False
        events = found
    writes, failed, data, strobe, reads, came, _ = events
    lanes = ", ".join(f"{{8{{{name}_lanes[{n}]}}}}" for n in reversed(range(bits // 8)))
    sheet.wire(f"{name}_lanes", strobe or "'1", bits // 8)
    hit = sheet.wire(f"{name}_writes_bits", f"{{{bits}{{{writes}}}}} & {{{lanes}}}", bits)
    known, value = f"{name}_known", f"{name}_last"
    begins, first = "'0", ""
    if facts.first:
        some = _told(port, facts.first)
        first = f"~prover_live ? ({_table(port, at, {a: one for a, (one, _) in some.items()})}) : "
        begins = _table(port, at, {a: mask for a, (_, mask) in some.items()})
    sheet.register(known, f"~prover_live ? ({begins}) : {failed} ? '0 : ({hit} | {known})", bits)
    sheet.register(value, f"{first}({hit} & ({data})) | (~{hit} & {value})", bits)
    never, fixed = _fixed(sheet, port, facts, at)
    compared = sheet.wire(f"{name}_compared", f"{{{bits}{{{reads}}}}} & (({name}_held_bits & {known}) | {never})", bits)
    told = f"read as they were last written{', or reset' if facts.first else ''}, bit by bit"
    sheet.check(
        f"storage {name}",
        f"{_listed(words, bits // 8)} {told}{'; other bits are constant' if facts.fixed else ''}",
        f"{compared} & (({came}) ^ ({fixed} | (~{never} & {value})))",
        f"|{compared}",
        width=bits,
    )
    _claim_errors(sheet, port, facts, at, events)
    _name_unseen(sheet, port, facts)
    return True


def _name_unseen(sheet: Sheet, port: RegisterPort, facts: RegisterFacts) -> None:
    """Note how many words no case asks for, and no rule is about."""
    seen = {*facts.words, *facts.fixed, *facts.others, *(a for some in facts.refused.values() for a in some)}
    beside = facts.elsewhere
    if beside is not None and beside.rule != SKIP:
        total = sum(len(one) for one in beside.mapped) // facts.size
    else:
        total = (_unit(port) << int(port.address_width)) // facts.size
    if len(seen) < total:
        sheet.unproven[f"words {port.name}"] = f"{total - len(seen)} of {total} are in no case"


def _unit(port: RegisterPort) -> int:
    """Bytes of one address."""
    return int(port.data_width) // 8 if isinstance(port, WishbonePort) and port.in_words else 1


def _fixed(sheet: Sheet, port: RegisterPort, facts: RegisterFacts, at: str) -> tuple[str, str]:
    """The bits of the word that never change, and their values; notes those of which nothing is claimed."""
    name, bits = port.name, int(port.data_width)
    some = _told(port, facts.fixed)
    untold = dict(facts.others)
    for address in (*(facts.fixed.keys() - some.keys()), *(facts.words.keys() - _told(port, facts.words).keys())):
        mask = facts.fixed.get(address, (0, 0))[1] | facts.words.get(address, 0)
        untold[address] = untold.get(address, 0) | mask
    if untold:
        first = ", ".join(f"{address:#x} & {mask:#x}" for address, mask in list(untold.items())[:4])
        more = f" and {len(untold) - 4} more" if len(untold) > 4 else ""
        sheet.unproven[f"bits {name}"] = f"{first}{more}: how they change is in no property; simulation compares them"
    zeros = (
        f"{_beside(port, facts, at)} ? '1 : " if facts.elsewhere is not None and facts.elsewhere.rule == ZERO else ""
    )
    never, fixed = (
        sheet.wire(f"{name}_{what}", more + _table(port, at, {a: one[k] for a, one in some.items()}), bits)
        for what, k, more in (("never", 1, zeros), ("fixed", 0, ""))
    )
    return never, fixed


def _beside(port: RegisterPort, facts: RegisterFacts, at: str) -> str:
    """Whether the address is beside the register map."""
    unit, width = _unit(port), int(port.address_width)
    mapped = () if facts.elsewhere is None else facts.elsewhere.mapped
    space = 1 << width
    inside = [
        f"(({at} >= {width}'d{one.start // unit}) & ({at} <= {width}'d{min(space, one.stop // unit) - 1}))"
        for one in mapped
    ]
    return f"(~{any_of(inside)})"


def _claim_errors(sheet: Sheet, port: RegisterPort, facts: RegisterFacts, at: str, events: _Events) -> None:
    """Which accesses of the word fail, and which do not."""
    writes, failed, _, _, reads, _, refused = events
    name = port.name
    # What is refused is a write that failed, or a read.
    bad_read = f"({refused} & ~{failed})"
    beside = facts.elsewhere is not None and facts.elsewhere.rule == ERROR
    if facts.refused or beside:
        inside = [_among(port, at, facts.refused.get(kind, ())) for kind in (WRITE, READ)]
        if beside:
            inside = [any_of([one, _beside(port, facts, at)]) for one in inside]
        sheet.check(
            f"errors {name}",
            "accesses of words of which the cases expect nothing but errors get an error"
            f"{', as do all beside the register map' if beside else ''}",
            f"({inside[0]} & {writes}) | ({inside[1]} & {reads})",
            f"({inside[0]} & ({writes} | {failed})) | ({inside[1]} & ({reads} | {bad_read}))",
        )
    both = [_told(port, dict.fromkeys(facts.allowed.get(kind, ()), 0)) for kind in (WRITE, READ)]
    inside = [_among(port, at, some) for some in both]
    if any(both):
        sheet.check(
            f"no_error {name}",
            f"accesses of {len(both[0])} words to write and {len(both[1])} to read get no error: the cases expect none",
            f"({inside[0]} & {failed}) | ({inside[1]} & {bad_read})",
            f"({inside[0]} & ({writes} | {failed})) | ({inside[1]} & ({reads} | {bad_read}))",
        )


def _among(port: RegisterPort, at: str, places: Iterable[int]) -> str:
    """Whether the address is one of some, as far as their stretches are few."""
    return any_of(one for one, _ in _stretches(port, at, dict.fromkeys(sorted(places), 0))[:_MOST_STRETCHES])


def _listed(words: Mapping[int, int], size: int) -> str:
    first, last = min(words), max(words)
    whole = len(words) == (last - first) // size + 1
    return f"words {first:#x} to {last:#x}" if whole else f"{len(words)} words from {first:#x} to {last:#x}"


def _told(port: RegisterPort, words: Mapping[int, _Value]) -> dict[int, _Value]:
    """The words of which something is claimed, by byte address."""
    kept: dict[int, _Value] = {}
    stretches, before, size = 0, None, int(port.data_width) // 8
    for address, value in sorted(words.items()):
        stretches += before != (address - size, value)
        before = address, value
        if stretches <= _MOST_STRETCHES:
            kept[address] = value
    return kept


def _stretches(port: RegisterPort, at: str, values: Mapping[int, int]) -> list[tuple[str, int]]:
    """Expressions that are high at words that follow each other and have one value, with the value."""
    size, unit, width = int(port.data_width) // 8, _unit(port), int(port.address_width)
    found: list[tuple[int, int, int]] = []
    for address, value in sorted(values.items()):
        if found and found[-1][1:] == (address - size, value):
            found[-1] = (found[-1][0], address, value)
        else:
            found.append((address, address, value))
    aligned = f" & (({at} & {width}'d{size // unit - 1}) == 0)" if size > unit else ""
    return [
        (
            f"({at} == {width}'d{first // unit})"
            if first == last
            else f"(({at} >= {width}'d{first // unit}) & ({at} <= {width}'d{last // unit}){aligned})",
            value,
        )
        for first, last, value in found
    ]


def _table(port: RegisterPort, at: str, values: Mapping[int, int]) -> str:
    """A value by the address of the word; 0 elsewhere."""
    bits = int(port.data_width)
    return "".join(f"{there} ? {bits}'h{value:x} : " for there, value in _stretches(port, at, values)) + "'0"


def _of_apb(port: ApbPort, at: str) -> _Events:
    name = port.name
    ready = f" & {name}_pready" if port.has("pready") else ""
    done = f"{name}_psel & {name}_penable{ready} & ({name}_paddr == {at})"
    failed = f"{name}_pslverr" if port.has("pslverr") else "1'b0"
    strobe = f"{name}_pstrb" if port.has("pstrb") else ""
    return (
        f"({done} & {name}_pwrite & ~{failed})",
        f"({done} & {name}_pwrite & {failed})",
        f"{name}_pwdata",
        strobe,
        f"({done} & ~{name}_pwrite & ~{failed})",
        f"{name}_prdata",
        f"({done} & {failed})",
    )


def _of_wishbone(port: WishbonePort, at: str) -> _Events:
    name = port.name
    asked = f"{name}_cyc & {name}_stb & ({name}_adr == {at})"
    bad = " | ".join(f"{name}_{role}" for role in ("err", "rty") if port.has(role)) or "1'b0"
    write = f"{name}_we" if port.has("we") else "1'b0"
    strobe = f"{name}_sel" if port.has("sel") else ""
    # What a read without all of its strobes gives is open.
    whole = f" & (&{name}_sel)" if strobe else ""
    return (
        f"({asked} & {name}_ack & {write})",
        f"({asked} & {write} & ({bad}))",
        f"{name}_wdat",
        strobe,
        f"({asked} & {name}_ack & ~{write}{whole})",
        f"{name}_rdat",
        f"({asked} & {name}_err)" if port.has("err") else "1'b0",
    )


def _of_channels(sheet: Sheet, channels: Channels, at: str, bits: int) -> _Events | None:
    """Writes in a queue up to their response; one read that no write of the same word meets."""
    aw, w, b, ar, r = channels.aw, channels.w, channels.b, channels.ar, channels.r
    if aw is None or w is None or b is None or ar is None or r is None or "arid" in ar.payload:
        return None
    name, depth = channels.port.name, 1 << _QUEUE
    step = bits // 8 - 1

    def same(channel: str) -> str:
        return f"(({channel} & ~{channels.port.widths()['address_width']}'d{step}) == {at})"

    for end, event in (("aw_put", aw.moves), ("w_put", w.moves), ("b_got", b.moves)):
        sheet.register(f"{name}_{end}", f"prover_live ? {name}_{end} + {_QUEUE}'({event}) : '0", _QUEUE)
    hits = f"{name}_hits"
    slots = [f"(({name}_aw_put == {n}) & {aw.moves} ? {same(aw.net('awaddr'))} : " for n in range(depth)]
    for n in range(depth):
        done = f"({b.moves} & ({name}_b_got == {n}))"
        sheet.register(f"{hits}_{n}", f"prover_live & {slots[n]}{hits}_{n} & ~{done})")
    strobes = bits // 8 if "wstrb" in w.payload else 0
    sheet.lines.append(f"  logic [{bits + strobes - 1}:0] {name}_written [{depth}];")
    whole = f"{{{w.net('wstrb')}, {w.net('wdata')}}}" if strobes else w.net("wdata")
    sheet.lines.append(f"  always_ff @(posedge {sheet.clock}) if ({w.moves}) {name}_written[{name}_w_put] <= {whole};")
    oldest = sheet.wire(f"{name}_oldest", f"{name}_written[{name}_b_got]", bits + strobes)
    hit = " | ".join(f"(({name}_b_got == {n}) & {hits}_{n})" for n in range(depth))
    meets = sheet.wire(
        f"{name}_meets",
        " | ".join(f"{hits}_{n}" for n in range(depth)) + f" | ({aw.is_valid} & {same(aw.net('awaddr'))})",
    )
    okay = f"({b.net('bresp')} == 0)" if "bresp" in b.payload else "1'b1"
    marked, ahead = f"{name}_read", f"{name}_read_ahead"
    open_ = f"{r.name}_open"
    marks = f"({sheet.free(f'{name}_read_free')} & {ar.moves} & {same(ar.net('araddr'))} & ~{marked} & ~{meets})"
    counter(sheet, f"{name}_reads_open", ar.moves, r.moves, _QUEUE)
    sheet.register(ahead, f"{marks} ? {open_} - {_QUEUE}'({r.moves}) : {ahead} - {_QUEUE}'({r.moves})", _QUEUE)
    answer = sheet.wire(f"{name}_read_done", f"{marked} & ({ahead} == 0) & {r.moves}")
    sheet.register(marked, f"prover_live & ({marks} | {marked}) & ~{answer} & ~{meets}")
    good = f"({r.net('rresp')} == 0)" if "rresp" in r.payload else "1'b1"
    done = f"({b.moves} & ({hit}))"
    return (
        f"({done} & {okay})",
        f"({done} & ~{okay})",
        f"{oldest}[{bits - 1}:0]",
        f"{oldest}[{bits + strobes - 1}:{bits}]" if strobes else "",
        f"({answer} & {good} & ~{meets})",
        r.net("rdata"),
        f"({done} & ~{okay} | {answer} & ~{good})",
    )
