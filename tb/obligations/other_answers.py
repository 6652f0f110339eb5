# SPDX-License-Identifier: Apache-2.0
"""What slaves and bridges do in all episodes in place of what a guessed model says: something regular is meant, and no fault."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

import numpy as np

from goldbeat.pymodels.axi.burst import SLVERR, WRITE
from goldbeat.pymodels.axi.program import ANY_ERROR, BurstProgram
from goldbeat.pymodels.stimulus import Access, AccessAnswer
from goldbeat.tb.design.bus_ports import data_bytes
from goldbeat.tb.inside.job import AccessResult, BurstAnswers
from goldbeat.tb.obligations.likeness import expected_reads, read_mask, whole_episodes
from goldbeat.tb.run.runs import EpisodeResult, RunResult

_OTHERS = 1 / 8
"""Bytes that need another reason, for each that has the one that is looked for."""
_LEAST = 32
"""Reads that must fit before they say anything."""
_REFUSED = 8
"""Accesses that are refused against the model, at least."""
_REGISTERS, _TRIED = 64, 4
"""Words of a slave that may be a register file, and different values that were written to each with fixed bits, at least."""
_UNUSED = 1 / 4
"""Share of the words of a register file that nothing stands at, at least; a decoder that is off by one refuses fewer."""
_MEMORY = range(4, 25)
"""Powers of two that are the bytes of a small memory."""
_RACES = 1 / 64
"""Share of reads that may meet a write of the same word, as the bench does not know that they are one."""
_PATIENT = 24
"""Cycles after which a bridge may give up; a shorter wait is no reason."""
_SAID = ("are writes", "are reads", "write a part of a word")
_PROT_BITS, _ADDRESS_BITS = 3, 64


_Traffic = tuple[Sequence[Access], Sequence[AccessResult]]
"""Accesses, and what came of each."""


@dataclass(frozen=True)
class _Access:
    """One access that no error is expected of, or that lacks the error.

    Attributes:
        begin, end: bytes, the end is behind the last one.
        prot: AxPROT or PPROT.
        cycles: from the first offer to the answer.
        write: it is one.
        part: it writes no whole word.
        stores: bytes that it writes, if it is not refused.
        refused: answered with an error.
        wrong: not so, and answered in another way than expected.
    """

    begin: int
    end: int
    prot: int
    cycles: int
    write: bool
    part: bool
    stores: Collection[int]
    refused: bool
    wrong: bool


def refuses(results: Sequence[RunResult], arrays: Collection[int]) -> str:
    """Which accesses are refused against the model, if these are all of a kind and no others, for people; empty: they are not.

    Args:
        results: runs of a design with one of the models of buses, of which some fail.
        arrays: bytes of each array of words that the RTL has.
    """
    found = [_accesses(one) for one in whole_episodes(results)]
    if any(map(_has_wrong, found)):
        return ""
    every = [access for ports in found for accesses in ports for access in accesses]
    count = sum(access.refused for access in every)
    if not _REFUSED <= count <= len(every) - _REFUSED:
        return ""
    return _from_an_address(every, arrays) or _by_kind(every) or _after_cycles(every)


def _accesses(episode: EpisodeResult) -> list[list[_Access]]:
    """The accesses of each port in order."""
    ports = []
    for port, asked in episode.stimulus.program.items():
        answers = episode.expected.accesses.get(port) or (AccessAnswer(),) * len(asked)
        triples = zip(asked, answers, episode.record.accesses.get(port, ()), strict=False)
        whole = max((access.strobe for access in asked), default=0)
        ports.append([one for triple in triples if (one := _access(*triple, whole)) is not None])
    for port, program in episode.stimulus.bursts.items():
        if (found := episode.record.bursts.get(port)) is not None:
            ports.append([*_bursts(program, found)])
    return ports


def _access(access: Access, answer: AccessAnswer, result: AccessResult, whole: int) -> _Access | None:
    error = access.error if answer.error is None else answer.error
    if access.op not in ("read", "write") or (error and result.error):
        return None
    value = answer.value if answer.value is not None else access.value
    differs = error
    if access.op == "read" and value is not None and not result.error:
        differs |= result.value is None or (result.value ^ value) & read_mask(access) != 0
    lasted = 0 if result.cycle is None or result.first is None else result.cycle - result.first
    lanes = range(access.strobe.bit_length())
    write = access.op == "write"
    stores = [access.address + n for n in lanes if write and access.strobe >> n & 1]
    end = access.address + max(1, len(lanes))
    return _Access(
        access.address, end, access.prot, lasted, write, write and access.strobe != whole, stores, result.error, differs
    )


def _bursts(program: BurstProgram, found: BurstAnswers) -> Iterator[_Access]:
    bursts = program.bursts
    begin, size = bursts.span
    got, wanted = found.response >= SLVERR, (program.response >= SLVERR) | (program.response == ANY_ERROR)
    differs = np.zeros(len(bursts), np.bool_)
    np.bitwise_or.at(differs, bursts.of_beat, (program.checked & (found.data != program.data)).any(axis=1))
    lasted, rows = found.done - found.offered, bursts.rows
    for n in np.flatnonzero(~(got & wanted)).tolist():
        first, end = int(begin[n]), int(begin[n] + size[n])
        strobe = program.strobe[rows[n] : rows[n] + int(bursts.len[n]) + 1]
        write = bool(bursts.kind[n] == WRITE)
        stores = range(first, end) if write and strobe.any() else ()
        wrong = bool(wanted[n] or (differs[n] and not got[n]))
        yield _Access(first, end, int(bursts.prot[n]), int(lasted[n]), write, False, stores, bool(got[n]), wrong)


def _has_wrong(ports: Sequence[Sequence[_Access]]) -> bool:
    """Whether something is wrong that does not come of a write that was refused, which may have been stored or not."""
    lost = {byte for accesses in ports for one in accesses if one.refused for byte in one.stores}
    for accesses in ports:
        # Of one port it is known which write was the last.
        unknown = set[int]() if len(ports) == 1 else lost
        for one in accesses:
            if one.wrong and unknown.isdisjoint(range(one.begin, one.end)):
                return True
            if len(ports) == 1 and one.refused:
                unknown.update(one.stores)
            elif len(ports) == 1:
                unknown.difference_update(one.stores)
    return False


def _from_an_address(accesses: Sequence[_Access], arrays: Collection[int]) -> str:
    """Whether all is refused from an address on, behind which there is nothing in the RTL."""
    first = min(one.begin for one in accesses if one.refused)
    if any(one.refused != (one.begin >= first) for one in accesses if not one.begin < first < one.end):
        return ""
    words = {one.begin for one in accesses}
    unused = sum(begin >= first for begin in words)
    if first - min(words) in arrays:
        return f"addresses from 0x{first:x} on are refused, and an array of the RTL has as many bytes before it"
    few = len(words) <= _REGISTERS and unused >= _UNUSED * len(words)
    return f"addresses from 0x{first:x} on are refused: it may have no more registers" if few else ""


def _by_kind(accesses: Sequence[_Access]) -> str:
    """Whether all is refused that has a bit of AxPROT or PPROT, or is a write, or a read, in a part of the addresses."""
    bits = [_literals(one) for one in accesses]
    common = reduce(and_, (one for one, access in zip(bits, accesses, strict=True) if access.refused))
    # What all accesses have tells nothing of these.
    common &= ~reduce(and_, bits)
    if any(one.refused != (common & bits_of == common) for one, bits_of in zip(accesses, bits, strict=True)):
        return ""
    said = [text for bit, text in enumerate(_SAID) if common >> bit & 1]
    said += [f"have bit {n // 2} of PROT = {n % 2}" for n in range(2 * _PROT_BITS) if common >> len(_SAID) + n & 1]
    places = [n for n in range(2 * _ADDRESS_BITS) if common >> len(_SAID) + 2 * _PROT_BITS + n & 1]
    if not said or (places and places[-1] // 2 - places[0] // 2 >= len(places)):
        return ""
    # A fault may refuse one place.
    if len({one.begin for one in accesses if one.refused}) < _REFUSED:
        return ""
    said += [f"have bit {n // 2} of the address = {n % 2}" for n in places]
    return f"accesses that {' and '.join(said)} are refused, and no others"


def _literals(access: _Access) -> int:
    """What an access is, a bit each: :data:`_SAID`, then each bit of PROT and of the address as 0 and as 1."""
    found = access.write | (not access.write) << 1 | access.part << 2
    at = len(_SAID)
    for shift, value, bits in ((at, access.prot, _PROT_BITS), (at + 2 * _PROT_BITS, access.begin, _ADDRESS_BITS)):
        for n in range(bits):
            found |= 1 << shift + 2 * n + (value >> n & 1)
    return found


def _after_cycles(accesses: Sequence[_Access]) -> str:
    """Whether refusals come after many cycles, and often after as many; what takes longer may have waited for others."""
    cycles = [one.cycles for one in accesses if one.refused]
    least = min(cycles)
    gives_up = least >= _PATIENT and cycles.count(least) >= _REFUSED
    return f"refusals come after {least} cycles, and none sooner: it may give up" if gives_up else ""


def fixed_bits(results: Sequence[RunResult]) -> str:
    """Words of a small slave with bits that no write changes, which is all that differs from a memory; empty: more differs.

    A register file has them. In a memory of more words they are a fault.
    """
    reads: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for episode in whole_episodes(results):
        for access, value, error, result in expected_reads(episode):
            if access.op == "read":
                if result.value is None or result.error or error:
                    return ""
                mask = read_mask(access)
                reads[access.address].append((value & mask, result.value & mask))
    wrong = {at: reduce(or_, (want ^ got for want, got in pairs)) for at, pairs in reads.items()}
    fixed = {at: bits for at, bits in wrong.items() if bits}
    for at, bits in fixed.items():
        wanted, came = ({pair[side] & bits for pair in reads[at]} for side in (0, 1))
        if len(came) > 1 or len(wanted) < _TRIED:
            return ""
    if not fixed or len(reads) > _REGISTERS or 2 * len(fixed) > len(reads):
        return ""
    return f"bits of {len(fixed)} of {len(reads)} words are fixed, that at 0x{min(fixed):x} for example"


def ends_before(results: Sequence[RunResult], arrays: Collection[int]) -> str:
    """From which address on a memory gives one value, whatever is written, if it has no more words; empty: from none.

    Args:
        results: runs of a design with model ``memory``, of which some fail.
        arrays: bytes of each array of words that the RTL has.
    """
    episodes = whole_episodes(results)
    reads = [
        (access, wanted ^ (came.value or 0), came)
        for one in episodes
        for access, wanted, _, came in expected_reads(one)
    ]
    wrong = [access.address for access, differs, _ in reads if differs & read_mask(access)]
    first, low = min(wrong, default=0), min((access.address for access, _, _ in reads), default=0)
    beyond = {came.value for access, _, came in reads if access.address >= first}
    if len(wrong) < _LEAST or first - low not in arrays or len(beyond) > 1:
        return ""
    return f"what is read from address 0x{first:x} on is always the same, and an array of the RTL has as many bytes before it"


def turns_words(results: Sequence[RunResult]) -> str:
    """Whether a bridge between widths puts the first of narrow words into the high lanes of the wide one; empty: it does not.

    What is written is then in memories as predicted, with the narrow words of each wide word in the other order.
    """
    turned = others = 0
    for result in results:
        design, params = result.request.design, result.request.all_params
        ports = (*design.register_ports(params), *design.memory_ports(params))
        narrow, wide = (how(map(data_bytes, ports)) for how in (min, max))
        if narrow == wide:
            return ""
        for one in whole_episodes([result]):
            for name, image in one.stimulus.memories.items():
                for region in image.regions:
                    want, got = (o.memories[name].regions[region.name] for o in (one.expected, one.record.outcome))
                    before, want = (
                        part.reshape(-1, wide // narrow, narrow)[:, ::-1].ravel() for part in (region.data, want)
                    )
                    written = (want != before) | (got != region.data)
                    turned += int((want[written] == got[written]).sum())
                    others += int((want[written] != got[written]).sum())
    # Of a word that is refused in part, another part may be stored.
    regular = turned >= _LEAST and others <= _OTHERS * turned
    return "the first of narrow words is in the high lanes of wide ones" if regular else ""


def writes_whole(results: Sequence[RunResult]) -> bool:
    """Whether a small slave is as one that stores all bytes of each write, whatever the strobes are."""
    traffic, lanes = _traffic(results)
    small = len({access.address for asked, _ in traffic for access in asked}) <= _REGISTERS
    return bool(small and lanes and _fits(traffic, 1 << 64, lanes, whole=True))


def repeats_every(results: Sequence[RunResult]) -> int:
    """Bytes of a memory behind a register port, if words come as if its addresses began again there; 0: they do not."""
    traffic, lanes = _traffic(results)
    if not lanes or _fits(traffic, 1 << 64, lanes):
        return 0
    return next((1 << power for power in _MEMORY if _fits(traffic, 1 << power, lanes)), 0)


def _traffic(results: Sequence[RunResult]) -> tuple[list[_Traffic], int]:
    """The programs of register ports and what came of them, and the bytes of their words; 0: they differ."""
    traffic: list[_Traffic] = []
    sizes = set[int]()
    for result in results:
        ports = result.request.design.register_ports(result.request.all_params)
        sizes |= {int(port.data_width) // 8 for port in ports}
        for episode in whole_episodes([result]):
            traffic += [
                (asked, episode.record.accesses.get(port, ())) for port, asked in episode.stimulus.program.items()
            ]
    return traffic, min(sizes) if len(sizes) == 1 else 0


def _fits(traffic: Sequence[_Traffic], size: int, lanes: int, *, whole: bool = False) -> bool:
    """Whether nearly all that is read is what was written there in a memory of so many bytes."""
    counts = [_read_back(asked, came, size, lanes, whole=whole) for asked, came in traffic]
    reads, wrong = (sum(many) for many in zip(*counts, strict=True)) if counts else (0, 0)
    return reads >= _LEAST and wrong <= _RACES * reads


def _read_back(
    asked: Sequence[Access], came: Sequence[AccessResult], size: int, lanes: int, *, whole: bool
) -> tuple[int, int]:
    """Reads of words that were written before in a memory of so many bytes, and how many of them give something else."""
    held: dict[int, int] = {}
    reads = wrong = 0
    for access, answer in zip(asked, came, strict=False):
        at = [(access.address + lane) % size for lane in range(lanes)]
        if access.op == "write" and access.value is not None:
            held |= {at[n]: access.value >> 8 * n & 255 for n in range(lanes) if whole or access.strobe >> n & 1}
        elif access.op == "read" and all(one in held for one in at):
            reads += 1
            wrong += answer.value != sum(held[one] << 8 * n for n, one in enumerate(at))
    return reads, wrong
