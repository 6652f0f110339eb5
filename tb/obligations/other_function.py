# SPDX-License-Identifier: Apache-2.0
"""What RTL does in all episodes in place of what a guessed model says: something regular is meant, and no fault.

A single word that does not fit, and nothing is found (of several outputs, some words are equal by chance).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.trace import Trace
from goldbeat.tb.obligations.likeness import whole_episodes, word_counts
from goldbeat.tb.run.runs import EpisodeResult, RunResult

_LEAST = 32
"""Words that must fit before they say anything; of frames, a quarter as many."""
_LOST = 1 / 32
"""Share of the words that a module takes off frames, or puts behind them: a fault in a rare place spoils fewer."""
_MOVED = 1 / 16
"""Share of words that overtake others: a fault at some event moves fewer."""
_SHARE = 1 / 16
"""Share of what comes that each output of a distributor gives at least."""
_ENDS = range(9)
"""Beats that a module takes off at one end of each frame."""
_VALUES = 16
"""Values of TUSER that are looked at."""
_STEPS = range(2, 5)
"""Of so many words one is left out, or kept; so many come in place of each."""
_BLOCKS = [1 << power for power in range(1, 11)]
"""Words of a block that comes in another order."""
_CHANCE = 1 / 16
"""Share of words of a distributor that come twice, as others happen to be equal."""
_Pair = tuple[Trace, Trace]
"""What is expected of an output, and what came."""
_Column = npt.NDArray[np.bool_] | npt.NDArray[np.uint8]


def other_function(results: Sequence[RunResult], *, routed: bool = False) -> str:
    """What streams do in every episode in place of passing words on, for people; empty: nothing regular.

    Args:
        results: runs of a design with model ``identity``, ``broadcast``, ``route`` or ``merge``, of which some fail.
        routed: the model is ``route``.
    """
    episodes = whole_episodes(results)
    inputs = {name for one in episodes for name in one.stimulus.inputs}
    names = sorted({name for one in episodes for name in one.expected.ports} - inputs)
    if len(names) > len(inputs) == 1 and (said := (_routed if routed else _distributed)(episodes, names)):
        return said
    if len(inputs) > len(names) == 1:
        return _interleaved(episodes, names[0]) or _joined(episodes, names[0])
    if len(names) != len(inputs) != 1:
        return ""
    if len(names) > 1 and (said := _switched(episodes, names)):
        return said
    found = [_unlike_identity(episodes, name) for name in names]
    return "" if None in found else "; ".join(dict.fromkeys(text for text in found if text))


def _distributed(episodes: Sequence[EpisodeResult], names: Sequence[str]) -> str:
    """Whether each word of the only input comes out of one output."""
    came, twice = Counter[str](), 0
    for one in episodes:
        want = word_counts(one.expected.ports[names[0]])
        total = Counter[bytes]()
        for name in names:
            mine = word_counts(one.record.outcome.ports[name]) & want
            came[name] += mine.total()
            total += mine
        twice += (total - want).total()
    words = came.total()
    shared = words >= _LEAST and twice <= _CHANCE * words and min(came[name] for name in names) >= _SHARE * words
    return "each word comes out of one output alone" if shared else ""


def _routed(episodes: Sequence[EpisodeResult], names: Sequence[str]) -> str:
    """Whether all words of each TDEST come out of one output, of some not of that in their place."""
    shares: dict[int, Counter[str]] = {}
    sides: list[tuple[Trace, dict[str, npt.NDArray[np.uint8]]]] = []
    for one in episodes:
        (given,) = one.stimulus.inputs.values()
        assert given.tdest is not None
        came = {name: _words(one.record.outcome.ports[name]) for name in names}
        sides.append((given, came))
        found = {name: Counter(row.tobytes() for row in rows) for name, rows in came.items()}
        for dest in np.unique(given.tdest).tolist():
            mine = Counter(row.tobytes() for row in _words(given[np.flatnonzero(given.tdest == dest)]))
            counts = {name: (mine & rows).total() for name, rows in found.items()}
            shares.setdefault(dest, Counter()).update(counts)
    homes = {dest: max(names, key=counts.__getitem__) for dest, counts in shares.items()}
    for given, came in sides:
        for name, rows in came.items():
            dests = [dest for dest, home in homes.items() if home == name]
            if not _begins(_words(given[np.flatnonzero(np.isin(np.asarray(given.tdest), dests))]), rows):
                return ""
    moved = {dest: home for dest, home in homes.items() if names.index(home) != dest}
    words = sum(shares[dest][home] for dest, home in moved.items())
    said = ", ".join(f"{dest} out of {home}" for dest, home in sorted(moved.items()))
    return f"words of TDEST {said}" if words >= _LEAST else ""


def _switched(episodes: Sequence[EpisodeResult], names: Sequence[str]) -> str:
    """Whether frames come whole, each once, and many out of another output than that of their input."""
    moved = 0
    for one in episodes:
        given = Counter(frame.tobytes() for trace in one.stimulus.inputs.values() for frame in _frames(trace))
        for name in names:
            mine = {frame.tobytes() for frame in _frames(one.expected.ports[name])}
            for frame in (each.tobytes() for each in _frames(one.record.outcome.ports[name])):
                if not given[frame]:
                    return ""
                given[frame] -= 1
                moved += frame not in mine
    return "frames of an input come out of several outputs" if 4 * moved >= _LEAST else ""


def _interleaved(episodes: Sequence[EpisodeResult], name: str) -> str:
    """Whether words of several inputs come one by one, in the order of each, and TID says whose each is."""
    words = mixed = 0
    for one in episodes:
        got, given = one.record.outcome.ports[name], one.stimulus.inputs
        if got.tid is None or any(trace.tid is not None for trace in given.values()):
            return ""
        parts = {int(tid): got[got.tid == tid] for tid in np.unique(got.tid)}
        if len(parts) > len(given) or not all(
            any(_begins(_words(trace), _words(part)) for trace in given.values()) for part in parts.values()
        ):
            return ""
        words += len(got)
        mixed += int((np.diff(got.tid.astype(np.int64)) != 0).sum())
    return "words of the inputs come in turn, and TID says whose each is" if min(words, mixed) >= _LEAST else ""


def _joined(episodes: Sequence[EpisodeResult], name: str) -> str:
    """Whether frames of the inputs come in turn, whatever comes first."""
    words = 0
    for one in episodes:
        got = _words(one.record.outcome.ports[name])
        turns = zip(*(_frames(trace) for _, trace in sorted(one.stimulus.inputs.items())), strict=False)
        rows = [frame for turn in turns for frame in turn]
        if len(rows):
            whole = np.concatenate(rows)
            # What comes behind the last whole turn says nothing.
            count = min(len(whole), len(got))
            if not np.array_equal(whole[:count], got[:count]):
                return ""
            # Every round-robin arbiter takes turns while all inputs wait; what is missing needs another reason.
            if len(whole) - count > sum(map(len, rows[-len(one.stimulus.inputs) :])):
                return ""
            words += count
    return "frames of the inputs come in turn, one of each" if words >= _LEAST else ""


def _unlike_identity(episodes: Sequence[EpisodeResult], name: str) -> str | None:
    """What an output does with the words of its input; empty: it passes them on; None: nothing regular."""
    pairs = [(_with_user(one, name), one.record.outcome.ports[name]) for one in episodes]
    if all(_begins(_words(want), _words(got)) and _begins(want.last, got.last) for want, got in pairs):
        return _gathered(pairs)
    framed = any(want.last.any() for want, _ in pairs)
    kinds = (_cut, _padded, _inserted, _again, _counted, _divided, _left_out) if framed else ()
    of_frames = next((said for kind in kinds if (said := kind(pairs))), "")
    queue = all(_begins(_words(want), _words(got)) for want, got in pairs)
    of_words = of_frames or _turned(pairs) or _thinned(pairs) or _by_id(pairs)
    return of_words or ("" if queue else _stacked(episodes, name)) or _permuted(pairs) or None


def _by_id(pairs: Sequence[_Pair]) -> str:
    """Whether the words of each TID come in their order, and many in front of others of another TID."""
    words = moved = 0
    for want, got in pairs:
        if want.tid is None or got.tid is None:
            return ""
        for tid in np.unique(got.tid):
            asked, came = want[want.tid == tid], got[got.tid == tid]
            if not _begins(_words(asked), _words(came)) or not _begins(asked.last, came.last):
                return ""
        words += len(got)
        moved += int((want.tid[: len(got)] != got.tid).sum())
    return "words overtake those of other TIDs" if words >= _LEAST and moved >= _MOVED * words else ""


def _with_user(episode: EpisodeResult, name: str) -> Trace:
    """What is expected of an output, with the TUSER of the only input, which the output may not have."""
    want, inputs = episode.expected.ports[name], [*episode.stimulus.inputs.values()]
    return replace(want, tuser=inputs[0].tuser) if len(inputs) == 1 and len(inputs[0]) == len(want) else want


def _words(trace: Trace) -> npt.NDArray[np.uint8]:
    return trace.masked().data


def _begins(whole: _Column, part: _Column) -> bool:
    return len(part) <= len(whole) and np.array_equal(whole[: len(part)], part)


# -- frames ---------------------------------------------------------------------------------------------------------


def _cut(pairs: Sequence[_Pair]) -> str:
    """Whether every frame lacks as many beats at its begin and end, or what is beyond a length."""
    longest = max((int(_lengths(got).max(initial=0)) for _, got in pairs), default=0)
    for most in (0, longest):
        for first in _ENDS:
            for behind in _ENDS:
                if _is_cut(pairs, first, behind, most):
                    parts = (
                        f"its first {first} beats" if first else "",
                        f"its last {behind} beats" if behind else "",
                        f"what is behind beat {first + most}" if most else "",
                    )
                    return f"every frame comes without {' and '.join(filter(None, parts))}"
    return ""


def _lengths(trace: Trace) -> npt.NDArray[np.int64]:
    """Beats of each whole frame."""
    return np.diff(np.flatnonzero(trace.last), prepend=-1)


def _is_cut(pairs: Sequence[_Pair], first: int, behind: int, most: int) -> bool:
    """Whether frames come without so many beats at their begin and end, and the rest without what is beyond ``most``; 0: all."""
    shorter = words = lost = 0
    for want, got in pairs:
        whole, came = _lengths(want), _lengths(got)
        kept = np.clip(whole - first - behind, 0, most or None)
        some = np.flatnonzero(kept)[: len(came)]
        if not np.array_equal(kept[some], came):
            return False
        at = np.arange(int(whole.sum()))
        frame = np.repeat(np.arange(len(whole)), whole)
        place = at - (np.cumsum(whole) - whole)[frame] - first
        at = at[(place >= 0) & (place < kept[frame])][: int(came.sum())]
        if not np.array_equal(_words(want)[at], _words(got)[: len(at)]):
            return False
        seen = int(some[-1]) + 1 if len(some) else 0
        words += int(whole[:seen].sum())
        shorter += int((kept < whole)[:seen].sum())
        lost += int((whole - kept)[:seen].sum())
    return words >= _LEAST and 4 * shorter >= _LEAST and lost >= _LOST * words


def _gathered(pairs: Sequence[_Pair]) -> str:
    """Whether all is as it came in, but for the TUSER of the last beats, which have that of their frames together."""
    changed = 0
    for want, got in pairs:
        if want.tuser is None or got.tuser is None:
            return ""
        ends = np.flatnonzero(want.last)
        user = want.tuser.copy()
        if len(ends):
            user[ends] = np.bitwise_or.reduceat(want.tuser[: ends[-1] + 1], np.concatenate([[0], ends[:-1] + 1]))
        if not np.array_equal(user[: len(got)], got.tuser):
            return ""
        changed += int((user != want.tuser)[: len(got)].sum())
    return "the TUSER of last beats is that of all beats of their frames together" if 4 * changed >= _LEAST else ""


def _padded(pairs: Sequence[_Pair]) -> str:
    """Whether words stand behind every frame that is too short, and nothing else differs."""
    least = min((int(_lengths(got).min(initial=1 << 30)) for _, got in pairs), default=0)
    frames = words = more = 0
    for want, got in pairs:
        whole, came = _lengths(want), _lengths(got)
        longer = np.maximum(whole, least)[: len(came)]
        if not np.array_equal(longer, came):
            return ""
        at = np.arange(int(came.sum()))
        frame = np.repeat(np.arange(len(came)), came)
        place = at - (np.cumsum(came) - came)[frame]
        given = at[place < whole[frame]]
        if not np.array_equal(_words(got)[given], _words(want)[: len(given)]):
            return ""
        short = whole[: len(came)] < least
        frames, words, more = frames + int(short.sum()), words + len(at), more + len(at) - len(given)
    enough = words >= _LEAST and 4 * frames >= _LEAST and more >= _LOST * words
    return f"every frame of fewer than {least} beats comes with more behind it" if enough else ""


def _inserted(pairs: Sequence[_Pair]) -> str:
    """Whether as many more words come in every frame that reaches a place, or behind every frame, and nothing else differs.

    Or in frames whose first beat has a bit of TUSER, or has it not.
    """
    found = [(_lengths(want), _lengths(got)) for want, got in pairs]
    if any(len(came) > len(whole) for whole, came in found) or 4 * sum(len(came) for _, came in found) < _LEAST:
        return ""
    more = {int(one) for whole, came in found for one in came - whole[: len(came)]} - {0}
    for at in (*_ENDS, None) if len(more) == 1 and min(more) > 0 else ():
        reached = [whole[: len(came)] > (-1 if at is None else at) for whole, came in found]
        asked = [came > whole[: len(came)] for whole, came in found]
        every = all(map(np.array_equal, asked, reached))
        bit = "" if every or at else _bit_of_first(pairs, asked)
        words = [_with_more(want, got, at, min(more)) for want, got in pairs] if every or bit else []
        if (4 if bit else 1) * sum(words) >= _LEAST and min(words) >= 0:
            place = "behind every frame" if at is None else f"behind beat {at} of frames"
            return f"{min(more)} more word(s) come {place}{bit}"
    return ""


def _bit_of_first(pairs: Sequence[_Pair], chosen: Sequence[npt.NDArray[np.bool_]]) -> str:
    """The bit of TUSER in first beats that tells chosen frames from others; empty: none does."""
    users = []
    for (want, _), some in zip(pairs, chosen, strict=True):
        if want.tuser is None:
            return ""
        users.append(want.tuser[np.concatenate([[0], np.flatnonzero(want.last) + 1])[: len(some)]])
    user, some = np.concatenate(users).astype(np.uint64), np.concatenate(chosen)
    for bit in range(64 if len(user) else 0):
        has = (user >> np.uint64(bit) & np.uint64(1)).astype(np.bool_)
        for level in (1, 0):
            if np.array_equal(has == bool(level), some) and 0 < some.sum() < len(some):
                return f" whose first TUSER has bit {bit} at {level}"
    return ""


def _with_more(want: Trace, got: Trace, at: int | None, more: int) -> int:
    """Words that come between those that are expected, so many behind a beat of longer frames, or their end; -1: others differ."""
    whole, came = _lengths(want), _lengths(got)
    whole = whole[: len(came)]
    longer = came > whole
    if not np.array_equal(came, whole + more * longer):
        return -1
    frame = np.repeat(np.arange(len(came)), came)
    place = np.arange(len(frame)) - (np.cumsum(came) - came)[frame]
    begin = whole[frame] if at is None else at
    between = longer[frame] & (place >= begin) & (place < begin + more)
    given = np.flatnonzero(~between)
    rows, added = _words(got), np.flatnonzero(between)
    # Words that come twice are a fault.
    twice = any(np.array_equal(rows[added], rows[(added + step) % max(1, len(rows))]) for step in (-more, more))
    same = np.array_equal(rows[given], _words(want)[: len(given)])
    return len(added) if same and not (len(added) and twice) else -1


def _again(pairs: Sequence[_Pair]) -> str:
    """Whether each frame comes several times, or its first beats do."""
    both = [(_frames(want), _frames(got)) for want, got in pairs]
    longest = max((len(frame) for _, came in both for frame in came), default=0)
    for times in _STEPS:
        # The last one may be under way.
        fits = all(
            n // times < len(whole) and np.array_equal(whole[n // times][:longest], frame)
            for whole, came in both
            for n, frame in enumerate(came)
        )
        if fits and sum(len(frame) for _, came in both for frame in came) >= _LEAST:
            return f"each frame comes {times} times"
    return ""


def _divided(pairs: Sequence[_Pair]) -> str:
    """Whether all words come, and TLAST also with one word of so many of each frame."""
    if not all(_begins(_words(want), _words(got)) for want, got in pairs):
        return ""
    step = max((int(_lengths(got).max(initial=0)) for _, got in pairs), default=0)
    divided = 0
    for want, got in pairs:
        last = want.last[: len(got)]
        begin = np.concatenate([[0], np.flatnonzero(last[:-1]) + 1]) if len(last) else np.zeros(0, np.int64)
        place = np.arange(len(last)) - np.repeat(begin, np.diff(begin, append=len(last)))
        ends = last | (place % max(step, 1) == step - 1)
        if not np.array_equal(ends, got.last):
            return ""
        divided += int((ends & ~last).sum())
    return f"frames of more than {step} beats come as several" if step > 1 and 4 * divided >= _LEAST else ""


def _counted(pairs: Sequence[_Pair]) -> str:
    """Whether all words come, with TLAST on each of so many, wherever the frames of the input end."""
    ends = [np.flatnonzero(got.last) for _, got in pairs]
    step = min((int(one[0]) + 1 for one in ends if len(one)), default=0)
    fits = all(_begins(_words(want), _words(got)) for want, got in pairs) and all(
        np.array_equal(one, np.arange(step - 1, len(got), step)) for one, (_, got) in zip(ends, pairs, strict=True)
    )
    # One that is always high is a fault.
    regular = step > 1 and fits and 4 * sum(map(len, ends)) >= _LEAST
    return f"TLAST comes with one word of {step}" if regular else ""


def _left_out(pairs: Sequence[_Pair]) -> str:
    """Whether frames are left out whole by their length, or by the TUSER of their last beats, and all others come."""
    lengths = np.concatenate([_lengths(want) for want, _ in pairs])
    for said, short in (("fewer", True), ("more", False)):
        for most in np.unique(lengths):
            if _comes(pairs, [(_lengths(want) < most) if short else (_lengths(want) > most) for want, _ in pairs]):
                return f"every frame of {said} than {most} beats is left out"
    if any(want.tuser is None for want, _ in pairs):
        return ""
    sides = [want.tuser[want.last] for want, _ in pairs if want.tuser is not None]
    # What has no room is left out, too.
    longest = max(int(_lengths(got).max(initial=0)) for _, got in pairs)
    long = [_lengths(want) > longest for want, _ in pairs]
    for value in np.unique(np.concatenate(sides))[:_VALUES]:
        if _comes(pairs, [(one == value) | more for one, more in zip(sides, long, strict=True)]):
            return f"every frame whose last TUSER is {value} is left out"
    return ""


def drops_frames(results: Sequence[RunResult]) -> bool:
    """Whether an output of a design with model ``identity`` leaves frames out whole, and all others come as they are."""
    return 4 * _left_out_of(results, _frames) >= _LEAST


def drops_words(results: Sequence[RunResult]) -> bool:
    """The same of words."""
    return _left_out_of(results, _words) >= _LEAST


def _left_out_of(results: Sequence[RunResult], parts: Callable[[Trace], Iterable[npt.NDArray[np.uint8]]]) -> int:
    """How many parts of what is expected of outputs are left out in front of others, which come in order; 0: others come."""
    lost = 0
    for episode in whole_episodes(results):
        for name in episode.expected.ports.keys() - episode.stimulus.inputs.keys():
            given = [one.tobytes() for one in parts(episode.expected.ports[name])]
            at = 0
            for part in parts(episode.record.outcome.ports[name]):
                try:
                    lost, at = lost - at, given.index(part.tobytes(), at) + 1
                except ValueError:
                    return 0
                lost += at - 1
    return lost


def _frames(trace: Trace) -> list[npt.NDArray[np.uint8]]:
    """The words of each whole frame."""
    ends = np.flatnonzero(trace.last) + 1
    return np.split(_words(trace)[: int(ends[-1])], ends[:-1]) if len(ends) else []


def _comes(pairs: Sequence[_Pair], without: Sequence[npt.NDArray[np.bool_]]) -> bool:
    """Whether all whole frames come but those that are marked, of which there are some."""
    left = sum(int(one.sum()) for one in without)
    frames = sum(len(one) for one in without)
    if 4 * left < _LEAST or 4 * (frames - left) < _LEAST:
        return False
    for (want, got), out in zip(pairs, without, strict=True):
        lengths = _lengths(want)
        kept = np.repeat(~out, lengths)
        rows, last = _words(want)[: len(kept)][kept], want.last[: len(kept)][kept]
        if not (_begins(rows, _words(got)) and _begins(last, got.last)):
            return False
    return True


# -- words ----------------------------------------------------------------------------------------------------------


def _turned(pairs: Sequence[_Pair]) -> str:
    """Whether all words come with their bytes, or those of parts of them, in the opposite order."""
    lanes = min((want.data.shape[1] for want, _ in pairs), default=1)
    for size in (1 << power for power in range(1, lanes.bit_length()) if lanes % (1 << power) == 0):
        turned = [_words(want).reshape(-1, lanes // size, size)[:, :, ::-1].reshape(-1, lanes) for want, _ in pairs]
        fits = all(_begins(whole, _words(got)) for whole, (_, got) in zip(turned, pairs, strict=True))
        if fits and sum(len(got) for _, got in pairs) >= _LEAST:
            return f"the bytes of each {8 * size} bits come in the opposite order"
    return ""


def _thinned(pairs: Sequence[_Pair]) -> str:
    """Whether of so many words one comes, or one is left out, or so many come in place of each."""
    count = min(len(want) for want, _ in pairs)
    whole = np.arange(max(len(want) for want, _ in pairs))
    for said, chosen in _choices(whole):
        fits = [_begins(_words(want)[chosen[chosen < len(want)]], _words(got)) for want, got in pairs]
        if count and all(fits) and sum(len(got) for _, got in pairs) >= _LEAST:
            return said
    return ""


def _permuted(pairs: Sequence[_Pair]) -> str:
    """Whether the words of each block come in one other order, as those of a transform do."""
    want, got = max(pairs, key=lambda pair: len(pair[1]))
    for size in _BLOCKS:
        places = {row.tobytes(): n for n, row in enumerate(_words(want)[:size])}
        order = np.array([places.get(row.tobytes(), -1) for row in _words(got)[:size]])
        if len(places) < size or not np.array_equal(np.sort(order), np.arange(size)):
            continue
        moved = 0
        for given, came in pairs:
            blocks = len(came) // size
            whole = _words(given)[: blocks * size]
            if len(whole) < blocks * size:
                return ""
            rows = whole.reshape(blocks, size, whole.shape[1])[:, order].reshape(blocks * size, whole.shape[1])
            if not np.array_equal(rows, _words(came)[: blocks * size]):
                return ""
            moved += blocks * int((order != np.arange(size)).sum())
        return f"words come in another order, the same in each block of {size}" if moved >= _LEAST else ""
    return ""


def _choices(whole: npt.NDArray[np.int64]) -> Iterator[tuple[str, npt.NDArray[np.int64]]]:
    for step in _STEPS:
        for at in range(step):
            yield f"one word of {step} comes", whole[at::step]
            yield f"one word of {step} is left out", np.delete(whole, np.s_[at::step])
        yield f"each word comes {step} times", np.repeat(whole, step)


def _stacked(episodes: Sequence[EpisodeResult], name: str) -> str:
    """Whether the word that came in last goes out first, of a module with one input."""
    words = 0
    for one in episodes:
        if len(one.stimulus.inputs) != 1:
            return ""
        given, got = one.record.outcome.ports[next(iter(one.stimulus.inputs))], one.record.outcome.ports[name]
        held: list[bytes] = []
        rows = _words(given)
        if len(got) != len(given):
            return ""
        taken = 0
        for row, time in zip(_words(got), got.time_ps, strict=True):
            # What comes in at the same edge is on top behind it.
            count = given.beats_before(int(time))
            held += [one.tobytes() for one in rows[taken:count]]
            taken = count
            if not held or held.pop() != row.tobytes():
                return ""
        words += len(got)
    return "the word that came in last goes out first" if words >= _LEAST else ""
