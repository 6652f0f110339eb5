# SPDX-License-Identifier: Apache-2.0
"""How much of what a golden model predicts comes out at all: a fault leaves most of it, a model of something else hardly any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from goldbeat.pymodels.stimulus import Access, AccessAnswer
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.inside.job import AccessResult
from goldbeat.tb.run.runs import EpisodeResult, RunResult

_BYTES = 4
"""Beats with fewer bytes are counted together with those that follow: single ones are alike by chance."""
_MEANT = 1 / 100
"""Share of the words that a filter changes at least; a fault behind a value spoils fewer."""
_BEGIN = 8
"""Beats that are the first ones predicted, from which on a port that stops there is one that stops."""
_UNORDERED_BYTES = 2
"""Likewise where words of several inputs may come in any order, in which those that follow are others."""
_MOST = 1 << 16
"""Beats of a port and an episode that are looked at."""
_REPEATED = 1000
"""Beats of one word at the end of an output: more than a command makes of one."""
_SHARES = {"merge": 1 / 2}
_SHARE = 1 / 4
"""Share of the predicted words that come out at least where a guessed model is the right one. What makes one word of two gives at
most half of what is merged: of a sum of floats, many words are those of the larger one."""


def is_unlike(model: str, predicted: int, alike: int) -> bool:
    """Whether so few of the words that a guessed model predicts came that the RTL does something else."""
    return alike < _SHARES.get(model, _SHARE) * predicted


def may_be_meant(model: str, predicted: int, alike: int) -> bool:
    """Whether so many words come as others than a guessed `identity` says that RTL which looks into words may mean it."""
    return model == "identity" and predicted - alike >= _MEANT * predicted


def locks_up(results: Sequence[RunResult]) -> bool:
    """Whether an output repeats one word without an end while an input waits for ever, which no function of words does."""
    for e in whole_episodes(results):
        if not {text.partition(":")[0] for text in e.record.hanging} & e.stimulus.inputs.keys():
            continue
        for name in e.expected.ports.keys() - e.stimulus.inputs.keys():
            came, predicted = (o.ports[name].data[-_REPEATED:] for o in (e.record.outcome, e.expected))
            if len(came) == _REPEATED and (came == came[0]).all() and not (predicted == came[0]).all():
                return True
    return False


def likeness(results: Sequence[RunResult]) -> tuple[int, int]:
    """Words of stream outputs and of reads that golden models predict, and how many of them came.

    Words of streams count wherever they came, with the bytes of a beat in any order: one beat too many, or lanes that are
    crossed, make no other design. Words that are zero are no evidence, and do not count.
    """
    predicted, alike = 0, 0.0
    for result in results:
        bundles = result.request.design.bundles(result.request.all_params)
        ways = {p.name: p.direction for p in bundles}
        widest = max((int(p.width) // 8 for p in bundles), default=0)
        design, params = result.request.design, result.request.all_params
        buses = (*design.register_ports(params), *design.memory_ports(params))
        # A bridge that takes wrong lanes passes on some of the bytes; a register may hold some of them alone.
        bytewise = any(port.direction == "out" for port in buses)
        for episode in result.episodes:
            outputs = [name for name in episode.expected.ports if ways.get(name) == "out"]
            for name in outputs:
                sides = [o.ports[name] for o in (episode.expected, episode.record.outcome)]
                least = _BYTES if result.request.design.ordered else _UNORDERED_BYTES
                if _stops(*sides):
                    # What comes is as predicted: the rest is missing, and nothing else is computed.
                    sides[0] = sides[1]
                want, came = (word_counts(one, least) for one in sides)
                if 2 * (want & came).total() < want.total():
                    # What is made of wide words has their bytes in groups, in whatever order of lanes.
                    wide, wide_came = (_groups(one, widest) for one in sides)
                    want, came = max((want, came), (wide, wide_came), key=_share)
                predicted, alike = predicted + want.total(), alike + (want & came).total()
            for fits in (*_reads(episode, bytewise=bytewise), *_bursts(episode)):
                predicted, alike = predicted + 1, alike + fits
    return predicted, round(alike)


def _stops(expected: Trace, came: Trace) -> bool:
    """Whether what came is the begin of what is expected, and enough to tell."""
    count = len(came)
    if not _BEGIN <= count < len(expected) or came.data.shape[1] != expected.data.shape[1]:
        return False
    words = came.masked().data
    return bool(words.any()) and np.array_equal(words, expected.masked().data[:count])


def word_counts(trace: Trace, size: int = _BYTES) -> Counter[bytes]:
    """Words of at least ``size`` bytes, made of beats that follow one another, and how often each occurs; zeros left out."""
    data = np.sort(trace.masked().data[:_MOST], axis=1)
    beats = -(-size // data.shape[1])
    if len(data) < beats:
        return Counter()
    rows = np.hstack([data[at : len(data) - beats + 1 + at] for at in range(beats)])
    return Counter(row.tobytes() for row in rows[rows.any(axis=1)])


def _share(pair: tuple[Counter[bytes], Counter[bytes]]) -> float:
    """Of the first ones, those that are among the others."""
    return (pair[0] & pair[1]).total() / max(1, pair[0].total())


def _groups(trace: Trace, size: int) -> Counter[bytes]:
    """The bytes of so many narrow beats after another that they make a word of this size, from each frame's first on."""
    data = trace.masked().data[:_MOST]
    beats = size // data.shape[1]
    if beats < 2 or not len(data):
        return Counter()
    at = np.arange(len(data))
    ends = np.flatnonzero(trace.last[: len(data)]) if trace.last is not None else at[:0]
    begins = np.concatenate([at[:1], ends[ends < len(data) - 1] + 1])
    first = begins[np.searchsorted(begins, at, side="right") - 1]
    cuts = np.flatnonzero((at - first) % beats == 0)[1:]
    groups = (np.sort(group, axis=None) for group in np.split(data, cuts))
    return Counter(group.tobytes() for group in groups if len(group) >= _BYTES and group.any())


def whole_episodes(results: Sequence[RunResult]) -> list[EpisodeResult]:
    """The episodes of runs that no reset cuts off: what one cuts off fits nothing."""
    return [one for result in results for one in result.episodes if one.stimulus.stop_ps is None]


def expected_reads(episode: EpisodeResult) -> Iterator[tuple[Access, int, bool, AccessResult]]:
    """Reads of which a value is expected: the access, the value, whether an error is expected, and what came."""
    for port, asked in episode.stimulus.program.items():
        answers = episode.expected.accesses.get(port) or (AccessAnswer(),) * len(asked)
        for access, answer, result in zip(asked, answers, episode.record.accesses.get(port, ()), strict=False):
            value = answer.value if answer.value is not None else access.value if access.op == "read" else None
            if value is not None:
                yield access, value, access.error if answer.error is None else answer.error, result


def _reads(episode: EpisodeResult, *, bytewise: bool) -> Iterator[float]:
    """Whether accesses were answered as predicted, of those that say something; ``bytewise``: which share of their bytes."""
    for access, value, error, result in expected_reads(episode):
        if error or not (wanted := value & read_mask(access)):
            continue
        came = None if result.error or result.value is None else result.value & read_mask(access)
        if came is None or not bytewise:
            yield float(came == wanted)
            continue
        size = -(-max(wanted, came).bit_length() // 8)
        pairs = list(zip(wanted.to_bytes(size, "little"), came.to_bytes(size, "little"), strict=True))
        yield sum(one == other for one, other in pairs) / size


def read_mask(access: Access) -> int:
    """The bits in which a read is compared."""
    return -1 if access.mask is None else access.mask


def _bursts(episode: EpisodeResult) -> Iterator[bool]:
    """Whether beats of reads gave what is predicted; what never got an answer says nothing of the model."""
    for port, program in episode.stimulus.bursts.items():
        found = episode.record.bursts.get(port)
        if found is None:
            continue
        told = (program.checked & (program.data != 0)).any(axis=1) & (found.done >= 0)[program.bursts.of_beat]
        yield from (~(program.checked & (found.data != program.data)).any(axis=1))[told].tolist()
