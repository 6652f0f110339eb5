# SPDX-License-Identifier: Apache-2.0
"""Obligations of slaves and masters on memory-mapped buses: addresses, sizes, answers, requests at the same time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import DECERR, FIXED, INCR, OKAY, READ, SLVERR, WRAP, WRITE, Bursts
from goldbeat.pymodels.axi.storage_traffic import MERGED, errors_of, merged_error
from goldbeat.pymodels.stimulus import ANY_RESPONSE, Access
from goldbeat.tb.design.bus_episodes import CROWDED, KEEPING
from goldbeat.tb.design.bus_ports import data_bytes
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.run.lost_places import fewer_places, requests_twice
from goldbeat.tb.run.runs import EpisodeResult, RunResult
from goldbeat.tb.run.transactions import episode_transactions

_WAYS = {READ: "read", WRITE: "write"}
_RESPONSES = {1: "EXOKAY", 2: "SLVERR", 3: "DECERR"}
_LENGTHS = (1, 2, 16, 256)
_KINDS = {FIXED: "FIXED", INCR: "INCR", WRAP: "WRAP"}
_ADDRESSES = "[accesses] that reach the bit, or [[address_map]] with the windows that there are"
_CONFIRM = "deleting `found = true` of ranges in [[address_map]] that are right"
_SWEEP = "the case sweep"
_ERRORS = "the case sweep with errors = true in [accesses]"

_TURNS = 48
"""Accesses that one may have to wait for, while others have them."""
_NAMED = 4
"""Addresses that an obligation lists."""

Spans = Mapping[str, Sequence[tuple[int, int]]]


def bus_obligations(result: RunResult) -> Iterator[Obligation]:
    """Obligations of the buses of a run whose model says where addresses lead; without one, what slaves answer alone."""
    design, params = result.request.design, result.request.all_params
    ports = (*design.register_ports(params), *design.memory_ports(params))
    if design.address_spans is None:
        # Outputs of episodes that are partial are compared with nothing.
        for port in ports if any(e.partial for e in result.episodes) else ():
            yield from _one_answer(port, result.episodes)
        return
    spans = design.address_spans(params)
    used = {port.name: [_words(port, e, data_bytes(port)) for e in result.episodes] for port in ports}
    yield from _ends(ports, spans, used)
    yield from _crowded(result)
    yield from _stay_open(result)
    for one in design.found_ranges:
        same = [f"0x{other.base:x}" for other in design.found_ranges if one.repeats(other, params)]
        also = f" (also reached from {', '.join(same)} on)" if same else ""
        what = f"{one.text(params)}{also}, which the RTL was asked for, is what the specification says"
        yield Obligation("addresses", one.port, what, False, _CONFIRM)
    for port in ports:
        if port.direction == "in":
            yield from _addresses(port, spans.get(port.name, ()), used[port.name])
            yield from _compared(port, result.episodes)
            yield from _kept_over_reset(port, spans.get(port.name, ()), result.episodes)
            if isinstance(port, MemoryPort):
                yield from _bursts(port, result.episodes)
                yield from merged_errors(port, result.episodes, lite=any(isinstance(one, LitePort) for one in ports))
            elif isinstance(port, RegisterPort):
                if port.takes_all:
                    how = "RTL that looks at CYC and lone_strobe = true, or a waiver if STB never goes to other slaves"
                    yield Obligation("handshake", port.place("cyc"), "STB without CYC is no access", False, how)
                yield from _refused_without_bytes(port, result.episodes)
                yield from _forms(port, spans.get(port.name, ()), result.episodes)
        else:
            yield from _answers(port, result.episodes)


@dataclass(frozen=True)
class _Flow:
    """The reads or the writes of one master in an episode: (n,) when each was offered and when it ended, in picoseconds."""

    port: Bundle
    way: int
    offered: npt.NDArray[np.int64]
    done: npt.NDArray[np.int64]

    def passed_by(self, other: _Flow, served: npt.NDArray[np.int64]) -> int:
        """The most accesses of another flow that were offered later than the next one of this, and ended while it was waiting.

        Args:
            other: the flow.
            served: when those ended that this one has to wait for, sorted: it waits since the last of them.
        """
        before = np.concatenate([[-1], served])[np.searchsorted(served, self.done)]
        since = np.maximum(self.offered, before)
        later = (other.offered >= self.offered[:, None]) & (other.done > since[:, None])
        return int((later & (other.done < self.done[:, None])).sum(axis=1).max(initial=0))


def _crowded(result: RunResult) -> Iterator[Obligation]:
    """What much traffic at once shows: where requests share a way, each gets its turn."""
    design, params = result.request.design, result.request.all_params
    ports = {p.name: p for p in (*design.register_ports(params), *design.memory_ports(params))}
    alone = sum(port.direction == "out" for port in ports.values()) < 2
    found: dict[tuple[str, int], int] = {}
    for episode in result.episodes:
        if not episode.stimulus.label.startswith(CROWDED):
            continue
        # What is asked for may be behind one way out alone.
        shared = alone or episode.stimulus.label != CROWDED
        times = episode_transactions(design, params, episode.stimulus, episode.record)
        flows = [
            _Flow(port, way, of.begin[mine] * of.period_ps, of.end[mine] * of.period_ps)
            for name, of in times.items()
            if (port := ports[name]).direction == "in" and not (isinstance(port, RegisterPort) and port.alone)
            for way in _WAYS
            if (mine := of.write == (way == WRITE)).any()
        ]
        for one in flows:
            # Beside accesses of the other kind, those of all ports have to wait for what is behind a shared way.
            alike = [each.done for each in flows if each.way == one.way and (shared or each is one)]
            own, every = np.sort(one.done), np.sort(np.concatenate(alike))
            for other in flows:
                beside = other.port is one.port or (shared and other.way == one.way)
                if other is not one and beside and len(other.done) >= _TURNS:
                    at = one.port.name, one.way
                    found[at] = max(found.get(at, 0), one.passed_by(other, own if other.way == one.way else every))
    for (name, way), most in found.items():
        what = f"a {_WAYS[way]} served before {_TURNS} others that were not asked for earlier"
        how = f"RTL that lets it wait for fewer than the {most} others, or a waiver if it comes last on purpose"
        yield Obligation("handshake", request_pin(ports[name], way), what, most < _TURNS, how, refuted=most >= _TURNS)


def _stay_open(result: RunResult) -> Iterator[Obligation]:
    """That a design takes as many requests without an answer at the end of a long run as at its beginning."""
    design, params = result.request.design, result.request.all_params
    for episode in result.episodes:
        for port, way, full in requests_twice(design, params, episode.stimulus, episode.record):
            what = f"as many {_WAYS[way]}s open at the end of a long run as at its beginning"
            how = f"RTL that does not go from {full[0]} to {full[1]}, or a waiver if it is meant to"
            fewer = fewer_places(*full)
            yield Obligation("outstanding", address_pin(port, way), what, not fewer, how, refuted=fewer)


def _can(port: Bundle, kind: int) -> bool:
    """Whether a slave can be read, or written."""
    if isinstance(port, RegisterPort):
        return port.readable if kind == READ else port.writable
    return port.has("arvalid" if kind == READ else "awvalid")


def _program(episode: EpisodeResult, port: Bundle) -> tuple[Access, ...]:
    return episode.stimulus.program.get(port.name, ())


def address_pin(port: Bundle, way: int = WRITE) -> str:
    """A port's address signal of reads or writes, or the only one that it has."""
    roles = (port.addresses_of[way], *port.addresses_of, *port.roles())
    return port.place(next(role for role in roles if port.has(role)))


def data_pin(port: Bundle) -> str:
    """A port's read data, or its address."""
    return port.place(port.read_data) if port.has(port.read_data) else address_pin(port, READ)


def request_pin(port: Bundle, way: int) -> str:
    """A port's signal that offers reads or writes; its address on buses without channels."""
    role = "arvalid" if way == READ else "awvalid"
    return port.place(role) if port.has(role) else address_pin(port, way)


def _addresses(port: Bundle, spans: Sequence[tuple[int, int]], used: Sequence[Collection[int]]) -> Iterator[Obligation]:
    """Of every bit that tells two words of a span apart: a pair of words that differ in it alone, both used in every way."""
    size = data_bytes(port)
    top = max((base + length - 1 for base, length in spans), default=0).bit_length()
    for bit in range(size.bit_length() - 1, top):
        pair = (1 << bit) // size
        if any(_has_pair(base // size, length // size, pair) for base, length in spans):
            met = any(word ^ pair in words for words in used for word in words)
            what = f"two words that differ in bit {bit} alone, written and read with different data"
            yield Obligation("addresses", address_pin(port), what, met, _ADDRESSES)


def _ends(ports: Sequence[Bundle], spans: Spans, used: Mapping[str, Sequence[Collection[int]]]) -> Iterator[Obligation]:
    """Both ends of each window, by any of the slaves that reach it."""
    windows: dict[tuple[int, int], list[Bundle]] = {}
    for port in ports:
        for window in spans.get(port.name, ()):
            windows.setdefault(window, []).append(port)
    for (base, length), slaves in windows.items():
        for end in ("first", "last"):
            met = any(
                (base if end == "first" else base + length - data_bytes(port)) // data_bytes(port) in words
                for port in slaves
                for words in used[port.name]
            )
            what = f"the {end} word of 0x{base:x} to 0x{base + length - 1:x}"
            yield Obligation("addresses", address_pin(slaves[0]), what, met, _ADDRESSES)


def _compared(port: Bundle, episodes: Sequence[EpisodeResult]) -> Iterator[Obligation]:
    """That some read data were compared."""
    if not _can(port, READ):
        return
    programs = [p for e in episodes if (p := e.stimulus.bursts.get(port.name)) is not None]
    accesses = (a for e in episodes for a in _program(e, port))
    met = any(bool(p.checked.any()) for p in programs) or any(a.kind == READ and a.value is not None for a in accesses)
    yield Obligation("ports", data_pin(port), "read data were compared", met, "a slave port that also writes")


def _one_answer(port: Bundle, episodes: Sequence[EpisodeResult]) -> Iterator[Obligation]:
    """That a slave may answer all reads OKAY and refuse all writes, or the other way round, where no model says what it answers."""
    refused: dict[int, set[bool]] = {READ: set(), WRITE: set()}
    for e in episodes if port.direction == "in" else ():
        made, asked = e.record.bursts.get(port.name), e.stimulus.bursts.get(port.name)
        if made is not None and asked is not None:
            for way, found in refused.items():
                found.update((made.response[(asked.bursts.kind == way) & (made.done >= 0)] > OKAY).tolist())
        for access, result in zip(_program(e, port), e.record.accesses.get(port.name, ()), strict=False):
            if access.op in ("read", "write"):
                refused[READ if access.op == "read" else WRITE].add(bool(result.error))
    if [len(found) for found in refused.values()] == [1, 1] and refused[READ] != refused[WRITE]:
        words = ("refused", "answered OKAY") if True in refused[READ] else ("answered OKAY", "refused")
        what = f"all reads are {words[0]} and all writes {words[1]}, as the specification says"
        yield Obligation("answers", address_pin(port), what, False, "a model of the module, or a waiver if it does")


def _refused_without_bytes(port: Bundle, episodes: Sequence[EpisodeResult]) -> Iterator[Obligation]:
    """That writes without a byte get the error of what they reach, where others do."""
    asked = [
        (access, result)
        for e in episodes
        if not e.stimulus.cut
        for access, result in zip(_program(e, port), e.record.accesses.get(port.name, ()), strict=False)
        if access.kind == WRITE and access.error
    ]
    bare = [result.error for access, result in asked if access.response == ANY_RESPONSE and not access.strobe]
    if bare and len(bare) < len(asked) and port.answers(WRITE):
        role = port.responses_of[WRITE]
        how = "RTL that passes such writes on with their answers, or a waiver if it leaves them out"
        what = "a refused write without a byte is answered with the error"
        yield Obligation("answers", port.place(role), what, all(bare), how, refuted=not all(bare))


def _kept_over_reset(
    port: Bundle, spans: Sequence[tuple[int, int]], episodes: Sequence[EpisodeResult]
) -> Iterator[Obligation]:
    """That all words of a window are alike in which of their bits a reset leaves as they were."""
    read = [e for e in episodes if e.stimulus.label.startswith(KEEPING) and port.name in e.record.accesses][1:]
    if len(read) != 2:
        return
    first, second = (
        {
            a.address: r.value
            for a, r in zip(_program(e, port), e.record.accesses[port.name], strict=False)
            if a.kind == READ and not r.error
        }
        for e in read
    )
    # Each bit was written as 0 before the one reset and as 1 before the other.
    kept = {at: one ^ two for at in first if (one := first[at]) is not None and (two := second.get(at)) is not None}
    for base, length in spans:
        some = {at: bits for at, bits in kept.items() if base <= at < base + length}
        if not some:
            continue
        usual = Counter(some.values()).most_common(1)[0][0]
        odd = [f"0x{at:x}" for at, bits in some.items() if bits != usual]
        more = f" and {len(odd) - _NAMED} more" if len(odd) > _NAMED else ""
        what = f"a reset does the same to all words of 0x{base:x} to 0x{base + length - 1:x}"
        how = f"RTL that resets {', '.join(odd[:_NAMED])}{more} as it resets the others, or a waiver if it is meant"
        yield Obligation("reset", data_pin(port), what, not odd, how, refuted=bool(odd))


def _has_pair(first: int, count: int, pair: int) -> bool:
    """Whether a stretch of words has two that differ in one bit alone."""
    block = -(-first // (2 * pair)) * 2 * pair
    inside = block + pair < first + count
    return inside or any(first <= at ^ pair < first + count for at in (first, first + count - 1))


def _words(port: Bundle, episode: EpisodeResult, size: int) -> set[int]:
    """Numbers of the words that were used in every way that the port has, and compared."""
    if isinstance(port, MemoryPort):
        program = episode.stimulus.bursts.get(port.name)
        if program is None:
            return set()
        word = program.bursts.addresses() // np.uint64(size)
        write = (program.bursts.kind == WRITE)[program.bursts.of_beat]
        ways = {
            READ: set(word[~write & program.checked.any(axis=1)].tolist()),
            WRITE: set(word[write & program.strobe.any(axis=1)].tolist()),
        }
    else:
        ways = {READ: set(), WRITE: set()}
        for access in _program(episode, port):
            if access.kind is not None and (access.kind == WRITE or access.value is not None) and not access.error:
                ways[access.kind].add(access.address // size)
    there = [ways[kind] for kind in (READ, WRITE) if _can(port, kind)]
    return set.intersection(*there) if there else set()


def _bursts(port: MemoryPort, episodes: Sequence[EpisodeResult]) -> Iterator[Obligation]:
    """Lengths, kinds and sizes of bursts, and how many are open at the same time."""
    programs = [(p, e.record.bursts.get(port.name)) for e in episodes if (p := e.stimulus.bursts.get(port.name))]
    size = data_bytes(port)
    for way in _WAYS:
        letter = "ar" if way == READ else "aw"
        if not port.has(f"{letter}valid"):
            continue
        some = [program.bursts for program, _ in programs]

        def met(column: str, value: int, way: int = way, some: list[Bursts] = some) -> bool:
            return any(bool(((b.kind == way) & (getattr(b, column) == value)).any()) for b in some)

        for length in _LENGTHS if port.has(f"{letter}len") else ():
            if length <= 1 << port.len_width:
                yield Obligation(
                    "sizes", port.place(f"{letter}len"), f"a burst of {length} beats", met("len", length - 1), _SWEEP
                )
        for kind, text in _KINDS.items() if port.has(f"{letter}burst") else ():
            yield Obligation("sizes", port.place(f"{letter}burst"), f"a {text} burst", met("burst", kind), _SWEEP)
        for power in range(size.bit_length()) if port.has(f"{letter}size") else ():
            yield Obligation(
                "sizes", port.place(f"{letter}size"), f"beats of {1 << power} bytes", met("size", power), _SWEEP
            )
        most = max((_open(p.bursts.kind == way, a.offered, a.done) for p, a in programs if a is not None), default=0)
        yield Obligation(
            "outstanding", port.place(f"{letter}valid"), "two bursts open at the same time", most > 1, _SWEEP
        )


def _forms(
    port: RegisterPort, spans: Sequence[tuple[int, int]], episodes: Sequence[EpisodeResult]
) -> Iterator[Obligation]:
    """Each form of accesses that the bus has, such as a kind of burst."""
    size, met = data_bytes(port), dict.fromkeys(_WAYS, 0)
    for episode in episodes:
        for access, result in zip(_program(episode, port), episode.record.accesses.get(port.name, ()), strict=False):
            if access.kind is not None and not result.error:
                met[access.kind] |= result.forms
    for bit, form in enumerate(port.forms()):
        if form is None or not any(-base % (form.words * size) + form.words * size <= length for base, length in spans):
            continue
        for way in (one for one in form.ways if _can(port, one)):
            what = f"a {_WAYS[way]} in a {form.text}"
            yield Obligation("sizes", port.place(form.role), what, bool(met[way] >> bit & 1), _SWEEP)


def merged_errors(port: MemoryPort, episodes: Sequence[EpisodeResult], *, lite: bool) -> Iterator[Obligation]:
    """Writes whose beats meet two errors, in both orders; where no rule says which of them is answered, a rule.

    With AXI-Lite behind the slave, it is the first one (IHI 0022, B1.3).
    """
    met: dict[tuple[int, int], bool] = {}
    rules = {*MERGED} - {"any"}
    for episode in episodes:
        program, found = episode.stimulus.bursts.get(port.name), episode.record.bursts.get(port.name)
        if program is None or found is None:
            continue
        known = (program.response != -1) & (found.done >= 0)
        for at in np.flatnonzero((program.bursts.kind == WRITE) & known).tolist():
            errors = errors_of(program.bursts, program.beat_answers, at)
            if len(errors) and errors.min() != errors.max():
                met[int(errors[0]), int(errors[errors != errors[0]][0])] = True
                rules &= {rule for rule in rules if merged_error(errors, rule) == found.response[at]}
    if not met:
        return
    pin = port.place("bresp")
    for one, other in ((SLVERR, DECERR), (DECERR, SLVERR)):
        what = f"a write that meets {_RESPONSES[one]}, then {_RESPONSES[other]}"
        yield Obligation("answers", pin, what, met.get((one, other), False), _ERRORS)
    if lite and "first" not in rules:
        how = "RTL that keeps the first error, as IHI 0022 B1.3 has it for bursts that become AXI-Lite accesses"
        yield Obligation("answers", pin, "the first of several errors is what a write gets", False, how, refuted=True)
    elif not rules:
        # Legal, but hardly meant; another run that is too short to show it does not close this.
        how = "RTL that answers the first, the last or the worst; see merged in [accesses]"
        yield Obligation("answers", pin, "one rule for which of several errors a write gets", False, how, refuted=True)


def _open(of: npt.NDArray[np.bool_], begin: npt.NDArray[np.int64], end: npt.NDArray[np.int64]) -> int:
    """How many bursts are open at the same time at most."""
    done = of & (begin >= 0) & (end >= 0)
    first, last = np.sort(begin[done]), np.sort(end[done])
    if not len(first):
        return 0
    return int((np.arange(1, len(first) + 1) - np.searchsorted(last, first, "left")).max())


def _answers(port: Bundle, episodes: Sequence[EpisodeResult]) -> Iterator[Obligation]:
    """Each response that what is behind a master can give."""
    for way, name in _WAYS.items():
        if not port.answers(way):
            continue
        logs = [m.log for e in episodes if (m := e.record.outcome.memories.get(port.name)) and m.log is not None]
        for response in port.refusals:
            met = any(bool(((log["kind"] == way) & (log["response"] == response)).any()) for log in logs)
            text = _RESPONSES[response] if len(port.refusals) > 1 else "an error"
            yield Obligation(
                "answers", port.place(port.responses_of[way]), f"a {name} answered with {text}", met, _ERRORS
            )
