# SPDX-License-Identifier: Apache-2.0
"""What always holds between the commands of TPU engines, by trying all runs, and faults of their messages."""

import numpy as np

from goldbeat.pymodels.tpu.streams.schedule import OTHER, SEND, WAIT, Lane, needed_commands

MESSAGES = 8


def engine(core, name, commands):
    """Commands are (dep,) or (role, message, count)."""
    n = len(commands)
    role, message, count, dep = (np.zeros(n, np.int64) for _ in range(4))
    for row, one in enumerate(commands):
        if len(one) == 1:
            dep[row] = one[0]
        else:
            role[row], message[row], count[row] = one
    return Lane(core, name, np.arange(1, n + 1), dep, role.astype(np.int8), message, count)


def always_ended(lanes, bounds=()):
    """Commands that have ended in every run when another one starts, by trying all runs; and whether every run ends.

    A core begins a group when all of its engines are done with the one before. A message counts as the front end does: SEND adds
    one and says how many WAITs are to come, the last WAIT sets it back.
    """
    partner = [
        next((i for i, o in enumerate(lanes) if o.core == one.core and o.engine == OTHER.get(one.engine)), None)
        for one in lanes
    ]
    need = [
        np.zeros(len(one)) if other is None else np.array(needed_commands(one, lanes[other]))
        for one, other in zip(lanes, partner, strict=True)
    ]
    sure: dict[tuple[int, int], np.ndarray] = {}
    seen, todo = set(), [((0,) * len(lanes), (0,) * MESSAGES, (0,) * MESSAGES)]
    ends = True
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        at, sent, left = state
        moved = False
        for index, one in enumerate(lanes):
            row = at[index]
            if row == len(one) or need[index][row] > (0 if partner[index] is None else at[partner[index]]):
                continue
            if bounds:
                group = int(np.searchsorted(bounds[index], row, "right")) - 1
                if any(at[i] < bounds[i][group] for i, o in enumerate(lanes) if o.core == one.core):
                    continue
            message, count = int(one.message[row]), int(one.count[row])
            if one.role[row] == WAIT and sent[message] < count:
                continue
            moved = True
            sure[index, row] = np.minimum(sure.get((index, row), np.array(at)), np.array(at))
            counters = list(sent), list(left)
            if one.role[row] == SEND:
                counters[0][message] += 1
                counters[1][message] = count
            elif one.role[row] == WAIT:
                counters[1][message] -= 1
                if counters[1][message] <= 0:
                    counters[0][message] = counters[1][message] = 0
            ahead = tuple(place + (i == index) for i, place in enumerate(at))
            todo.append((ahead, tuple(counters[0]), tuple(counters[1])))
        ends &= moved or all(place == len(one) for place, one in zip(at, lanes, strict=True))
    return sure, ends


def regular(lanes):
    """Whether counts agree, and SENDs and WAITs make up the same whole rounds."""
    for message in range(MESSAGES):
        counts = {
            role: [int(n) for one in lanes for n in one.count[(one.role == role) & (one.message == message)]]
            for role in (SEND, WAIT)
        }
        if any(len(set(said)) > 1 for said in counts.values()):
            return False
        if not counts[SEND] and not counts[WAIT]:
            continue
        if not counts[SEND] or not counts[WAIT] or len(counts[SEND]) % counts[WAIT][0]:
            return False
        if len(counts[SEND]) * counts[SEND][0] != len(counts[WAIT]) * counts[WAIT][0]:
            return False
    return True


def barriers(messages, users=2):
    """Programs of as many cores: a command that is not about messages, then a barrier, again and again."""
    return [[step for m in messages for step in ((0,), (SEND, m, users), (WAIT, m, users))] for _ in range(users)]


def message_faults(programs):
    """Kind and programs: each SEND or WAIT removed, doubled, moved past its neighbour, with another message or count."""
    for core, program in enumerate(programs):
        for row, one in enumerate(program):
            if len(one) == 1:
                continue
            kind, rest = "SEND" if one[0] == SEND else "WAIT", [*program[:row], *program[row + 1 :]]
            changed = [("removed", rest), ("doubled", [*rest[:row], one, one, *rest[row:]])]
            changed += [("moved", [*rest[:to], one, *rest[to:]]) for to in (row - 1, row + 1) if 0 <= to <= len(rest)]
            for how, other in (("message", (one[0], 1 - one[1], one[2])), ("count", (one[0], one[1], one[2] + 1))):
                changed.append((f"with another {how}", [*rest[:row], other, *rest[row:]]))
            for how, made in changed:
                yield f"{kind} {how}", [made if n == core else p for n, p in enumerate(programs)]
