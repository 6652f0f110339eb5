# SPDX-License-Identifier: Apache-2.0
"""Order and data of the ready-made models of streams, as properties of any one beat.

Which beat is followed is a free choice: what holds for it holds for all. Beats count from their offer on, since
some modules pass them on before they take them.
"""

from __future__ import annotations

from collections.abc import Sequence

from goldbeat.tb.prove.handshakes import ProofChannel
from goldbeat.tb.prove.sheet import Followed, Sheet

_FLIGHT = 8
"""Bits of the numbers of beats in flight."""
_BYTES = 10
"""Bits of the numbers of bytes in flight."""


def _common(source: ProofChannel, sink: ProofChannel) -> list[tuple[str, str, int]]:
    """What has to be equal: what is expected, what comes, and its width."""
    found = []
    for role, width in sink.payload.items():
        if role in source.payload:
            found.append((source.net(role), sink.net(role), width))
        elif role in ("tkeep", "tlast"):
            found.append((f"{{{width}{{1'b1}}}}" if role == "tkeep" else "1'b0", sink.net(role), width))
    return found


def claim_identity(sheet: Sheet, source: ProofChannel, sink: ProofChannel, within: int | None) -> None:
    """The n-th beat in is the n-th beat out; without a bound, nothing is said of when."""
    name = sink.place
    pairs = _common(source, sink)
    width = sum(w for _, _, w in pairs)
    expected = sheet.wire(f"{name}_expected", "{" + ", ".join(e for e, _, _ in pairs) + "}", width)
    came = sheet.wire(f"{name}_came", "{" + ", ".join(c for _, c, _ in pairs) + "}", width)
    kept = [(expected, "expected", width)]
    differs = f"({came} ^ {name}_now_expected)"
    if "tkeep" in source.payload and "tkeep" in sink.payload and "tdata" in sink.payload:
        # Data of bytes that are not kept, and of position bytes, may be anything.
        parts = [_byte_mask(source, w) if c == sink.net("tdata") else f"{{{w}{{1'b1}}}}" for _, c, w in pairs]
        kept.append((sheet.wire(f"{name}_compared", "{" + ", ".join(parts) + "}", width), "care", width))
        differs += f" & {name}_now_care"
    _marked(sheet, name, source, sink, kept)
    sheet.check(
        f"order {name}",
        f"the n-th beat of {source.place} is the n-th beat of {sink.place}, in all bits that are compared",
        f"{{{width}{{{name}_hit}}}} & {differs}",
        f"{name}_hit",
        counted=True,
        width=width,
    )
    sheet.check(
        f"nothing_extra {name}",
        "no beat comes that was not offered",
        f"{sink.moves} & ({name}_flight == 0) & ~{source.offers}",
        sink.moves,
        counted=True,
    )
    if within is None:
        return
    sheet.check(
        f"delivered {name}",
        f"every beat leaves: not {within} cycles in which nothing moves, all sinks are ready and no frame is open",
        f"(prover_quiet == {within}) & ({name}_flight != 0)",
        f"{name}_flight != 0",
        counted=True,
    )


def _byte_mask(source: ProofChannel, width: int) -> str:
    lanes = [source.net(role) for role in ("tkeep", "tstrb") if role in source.payload]
    kept = (" & ".join(f"{lane}[{byte}]" for lane in lanes) for byte in reversed(range(width // 8)))
    return "{" + ", ".join(f"{{8{{{one}}}}}" for one in kept) + "}"


def _marked(
    sheet: Sheet, name: str, source: ProofChannel, sink: ProofChannel, kept: Sequence[tuple[str, str, int]]
) -> None:
    """A beat that is followed from its offer to its delivery: ``_hit`` is high when it is delivered."""
    offers, moves, flight = source.offers, sink.moves, f"{name}_flight"
    bits = sheet.flight(flight, f"{_FLIGHT}'({offers})", f"{_FLIGHT}'({moves})", _FLIGHT, "beats")
    free = sheet.free(f"{name}_mark_free")
    state = f"{name}_marked"
    marks = sheet.wire(f"{name}_marks", f"{free} & {offers} & ~{state}")
    direct = f"({marks} & ({flight} == 0) & {moves})"
    sheet.wire(f"{name}_hit", f"{direct} | ({state} & ({name}_ahead == 0) & {moves})")
    sheet.register(state, f"prover_live & ({marks} | {state}) & ~{name}_hit")
    ahead = f"{name}_ahead"
    sheet.followed.append(Followed(state, ahead, f"{name}_expected_kept", flight, source.waits))
    sheet.register(ahead, f"{marks} ? {flight} - {bits}'({moves}) : {ahead} - {bits}'({moves})", bits)
    for value, label, width in kept:
        sheet.register(f"{name}_{label}_kept", f"{marks} ? {value} : {name}_{label}_kept", width)
        sheet.wire(f"{name}_now_{label}", f"{marks} ? {value} : {name}_{label}_kept", width)


def claim_merge(sheet: Sheet, sources: Sequence[ProofChannel], sink: ProofChannel, within: int) -> None:
    """Every beat in comes out once, those of one source in order, frames whole."""
    name = sink.port
    pairs = [_common(source, sink) for source in sources]
    width = sum(w for _, _, w in pairs[0])
    came = sheet.wire(f"{name}_came", "{" + ", ".join(c for _, c, _ in pairs[0]) + "}", width)
    there = [
        sheet.wire(f"{name}_from_{n}", "{" + ", ".join(e for e, _, _ in pair) + "}", width)
        for n, pair in enumerate(pairs)
    ]
    one = sheet.constant(f"{name}_one", width)
    offered = [f"({s.offers} & ({t} == {one}))" for s, t in zip(sources, there, strict=True)]
    added = " + ".join(f"{_FLIGHT}'({o})" for o in offered)
    leaves = f"({sink.moves} & ({came} == {one}))"
    ones, flight = f"{name}_ones", f"{name}_flight"
    every = " + ".join(f"{_FLIGHT}'({s.offers})" for s in sources)
    bits = sheet.flight(flight, every, f"{_FLIGHT}'({sink.moves})", _FLIGHT, "beats")
    sheet.register(ones, f"prover_live ? {ones} + {added} - {_FLIGHT}'({leaves}) : '0", bits)
    sheet.check(
        f"order {name}",
        "every beat that comes was offered, and comes as often as it was",
        f"{leaves} & ({ones} == 0) & ~({' | '.join(offered)})",
        leaves,
        counted=True,
    )
    sheet.check(
        f"delivered {name}",
        f"every beat leaves: not {within} cycles in which nothing moves, all sinks are ready and no frame is open",
        f"(prover_quiet == {within}) & ({flight} != 0)",
        f"{flight} != 0",
        counted=True,
    )
    if "tlast" in sink.payload:
        _whole_frames(sheet, sources, sink, there, (one, came, offered, leaves))


def _whole_frames(
    sheet: Sheet,
    sources: Sequence[ProofChannel],
    sink: ProofChannel,
    there: Sequence[str],
    of: tuple[str, str, Sequence[str], str],
) -> None:
    """Behind a beat within a frame comes the next beat of its frame: that of a beat which is offered only once."""
    _, came, offered, leaves = of
    name, width = sink.port, sum(w for _, _, w in _common(sources[0], sink))
    any_offer = " | ".join(offered)
    twice = " + ".join(f"2'({o})" for o in offered)
    sheet.register(f"{name}_once", f"prover_live & ({name}_once | {any_offer})")
    sheet.register(f"{name}_again", f"prover_live & ({name}_again | (({name}_once & ({any_offer})) | (({twice}) > 1)))")
    for n, source in enumerate(sources):
        # The beat that its source offers next.
        sheet.register(f"{name}_before_{n}", f"prover_live & ({source.offers} ? {offered[n]} : {name}_before_{n})")
    nexts = [f"({s.offers} & {name}_before_{n})" for n, s in enumerate(sources)]
    value = f"{name}_next"
    chosen = " | ".join(f"({{{width}{{{e}}}}} & {t})" for e, t in zip(nexts, there, strict=True))
    sheet.register(value, f"({' | '.join(nexts)}) ? ({chosen}) : {value}", width)
    sheet.register(f"{name}_has_next", f"prover_live & ({name}_has_next | {' | '.join(nexts)})")
    last = sink.net("tlast")
    after = sheet.register(
        f"{name}_after_one", f"prover_live & ({sink.moves} ? ({leaves} & ~{last}) : {name}_after_one)"
    )
    once = f"{after} & {sink.moves} & ~{name}_again"
    now = sheet.wire(f"{name}_next_now", f"({' | '.join(nexts)}) ? ({chosen}) : {value}", width)
    known = f"({name}_has_next | {' | '.join(nexts)})"
    sheet.check(
        f"whole_frames {name}",
        "behind a beat of a frame comes the next beat of the same frame",
        f"{once} & ~({known} & ({came} == {now}))",
        once,
        counted=True,
    )


def claim_repack(sheet: Sheet, source: ProofChannel, sink: ProofChannel, within: int, *, packed: bool) -> None:
    """The n-th kept byte in is the n-th kept byte out, and ends its frame if it did."""
    name, wide = sink.port, _BYTES
    count_in = sheet.wire(f"{name}_bytes_in", _kept(source), wide)
    count_out = sheet.wire(f"{name}_bytes_out", _kept(sink), wide)
    flight = f"{name}_flight"
    into, out = f"({source.offers} ? {count_in} : '0)", f"({sink.moves} ? {count_out} : '0)"
    sheet.flight(flight, into, out, wide, "bytes")
    lanes, lanes_out = source.payload["tdata"] // 8, sink.payload["tdata"] // 8
    lane = sheet.constant(f"{name}_lane", max(1, (lanes - 1).bit_length()))
    bit = sheet.constant(f"{name}_bit", 3)
    state, ahead = f"{name}_marked", f"{name}_ahead"
    kept = _lanes(source, lanes)
    valid = " | ".join(f"(({lane} == {n}) & {kept[n]})" for n in range(lanes))
    marks = sheet.wire(f"{name}_marks", f"{sheet.free(f'{name}_mark_free')} & {source.offers} & ~{state} & ({valid})")
    below = " + ".join(f"{wide}'({kept[n]} & ({lane} > {n}))" for n in range(lanes))
    place = sheet.wire(f"{name}_place", f"{marks} ? {flight} + {below} : {ahead}", wide)
    there = sheet.wire(f"{name}_hit", f"({marks} | {state}) & {sink.moves} & ({place} < {count_out})")
    sheet.register(state, f"prover_live & ({marks} | {state}) & ~{there}")
    sheet.register(ahead, f"{place} - {out}", wide)
    data = " | ".join(
        f"(({lane} == {n}) & |(({source.net('tdata')} >> ({8 * n} + {bit})) & 1'b1))" for n in range(lanes)
    )
    above = " | ".join(f"(({lane} < {n}) & {kept[n]})" for n in range(lanes)) if lanes > 1 else "1'b0"
    both = "tlast" in source.payload and "tlast" in sink.payload
    # Null bytes may move behind the last byte of a frame.
    ended = both and packed
    ends = f"{source.net('tlast')} & ~({above})" if ended else "1'b0"
    for label, value in (("expected", data), ("ends", ends)):
        sheet.register(f"{name}_{label}_bit", f"{marks} ? ({value}) : {name}_{label}_bit")
        sheet.wire(f"{name}_now_{label}", f"{marks} ? ({value}) : {name}_{label}_bit")
    found, final = _found(sheet, sink, lanes_out, place, bit)
    wrong = f"({found} != {name}_now_expected)"
    if ended:
        # A null beat may end the frame.
        ends, going = f"({sink.net('tlast')} & {final})", f"{name}_ending"
        late = f"{name}_now_ends & {final} & ~{sink.net('tlast')}"
        sheet.register(going, f"prover_live & (({there} & {late}) | ({going} & ~({sink.moves} & {sink.net('tlast')})))")
        wrong += f" | ({ends} & ~{name}_now_ends) | ({name}_now_ends & ~{final})"
    sheet.check(
        f"order {name}",
        f"the n-th kept byte of {source.port} is the n-th of {name}, and frames end behind the same byte",
        f"({there} & ({wrong}))" + (f" | ({name}_ending & {sink.moves} & ({count_out} != 0))" if ended else ""),
        there,
        counted=True,
    )
    _all_bytes(sheet, sink, within, (count_out, into), both=both, packed=packed)


def _all_bytes(
    sheet: Sheet, sink: ProofChannel, within: int, counts: tuple[str, str], *, both: bool, packed: bool
) -> None:
    """That no byte is invented, none stays inside, and beats are full."""
    name, flight = sink.port, f"{sink.port}_flight"
    count_out, into = counts
    sheet.check(
        f"nothing_extra {name}",
        "no byte comes that was not offered",
        f"{sink.moves} & ({count_out} > {flight} + {into})",
        sink.moves,
        counted=True,
    )
    if both:
        sheet.check(
            f"delivered {name}",
            f"every byte leaves: not {within} cycles in which nothing moves, all sinks are ready and no frame is open",
            f"(prover_quiet == {within}) & ({flight} != 0)",
            f"{flight} != 0",
            counted=True,
        )
    if packed and "tkeep" in sink.payload:
        last = sink.net("tlast") if "tlast" in sink.payload else "1'b0"
        sheet.check(
            f"packed {name}",
            "only the last beat of a frame is partial",
            f"{sink.moves} & ~{last} & ({sink.net('tkeep')} != '1)",
            sink.moves,
            counted=True,
        )


def _lanes(channel: ProofChannel, lanes: int) -> list[str]:
    """Whether each byte is kept."""
    if "tkeep" not in channel.payload:
        return ["1'b1"] * lanes
    return [f"{channel.net('tkeep')}[{n}]" for n in range(lanes)]


def _kept(channel: ProofChannel) -> str:
    lanes = channel.payload["tdata"] // 8
    if "tkeep" not in channel.payload:
        return f"{_BYTES}'d{lanes}"
    return " + ".join(f"{_BYTES}'({channel.net('tkeep')}[{n}])" for n in range(lanes))


def _found(sheet: Sheet, sink: ProofChannel, lanes: int, place: str, bit: str) -> tuple[str, str]:
    """The bit of the byte at a place among the kept bytes of a beat, and whether no kept byte is above it."""
    name, kept = sink.port, _lanes(sink, lanes)
    bits, finals = [], []
    for n in range(lanes):
        before = " + ".join(f"{_BYTES}'({kept[m]})" for m in range(n)) or f"{_BYTES}'d0"
        here = sheet.wire(f"{name}_here_{n}", f"{kept[n]} & (({before}) == {place})")
        bits.append(f"({here} & |(({sink.net('tdata')} >> ({8 * n} + {bit})) & 1'b1))")
        later = " | ".join(kept[m] for m in range(n + 1, lanes)) or "1'b0"
        finals.append(f"({here} & ~({later}))")
    return f"({' | '.join(bits)})", f"({' | '.join(finals)})"
