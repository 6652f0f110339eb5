# SPDX-License-Identifier: Apache-2.0
"""What AXI4 slaves have answered against what programs of bursts say that they must."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import READ, SLVERR, WRITE
from goldbeat.pymodels.axi.program import ANY_ERROR, BurstProgram
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.inside.job import BurstAnswers, Record

RESPONSES = {ANY_ERROR: "an error that a beat has met", -1: "none", 0: "OKAY", 1: "EXOKAY", 2: "SLVERR", 3: "DECERR"}
_KINDS = ("FIXED", "INCR", "WRAP")


def check_bursts(stimulus: Stimulus, record: Record) -> tuple[list[str], int, int]:
    """Compare read data and responses of all programs of an episode.

    Returns:
        failures, each a text that stands alone; bytes and responses compared; bursts that were over.
    """
    failures: list[str] = []
    compared = over = 0
    for port, program in stimulus.bursts.items():
        found = record.bursts.get(port)
        if found is None:
            failures.append(f"{port}: no burst was sent")
            continue
        failures += _check(port, program, found)
        over += int((found.done >= 0).sum())
        compared += int(program.checked.sum()) + int((program.response != -1).sum())
        compared += 0 if program.answer_mask is None else int((program.answer_mask != 0).sum())
    return failures, compared, over


def _check(port: str, program: BurstProgram, found: BurstAnswers) -> list[str]:
    texts: list[str] = []
    late = np.flatnonzero(found.done < 0)
    if len(late):
        texts.append(
            f"{port}: {len(late)} of {len(program.bursts)} bursts did not finish, the first is {_name(program, late[0])}"
        )
    differs = (program.response >= 0) & (found.response != program.response)
    differs |= (program.response == ANY_ERROR) & ~_has_met(program, found)
    wrong = np.flatnonzero(differs & (found.done >= 0))
    if len(wrong):
        at = int(wrong[0])
        want, got = RESPONSES[int(program.response[at])], RESPONSES[int(found.response[at])]
        texts.append(
            f"{port}: {len(wrong)} responses differ, the first is of {_name(program, at)}: expected {want}, got {got}"
        )
    of = program.bursts.of_beat
    over = (found.done >= 0)[of]
    answered = over & (program.bursts.kind == READ)[of] & (program.response >= 0)[of]
    beats = np.flatnonzero(answered & (found.beat_response != program.beat_answers))
    if len(beats) and program.beat_response is not None:
        texts.append(_refused(port, program, found, beats))
    rows, lanes = np.nonzero(program.checked & over[:, None] & (found.data != program.data))
    if len(rows):
        texts.append(_differs(port, program, found, rows, lanes))
    if program.answer_mask is not None and program.answer_user is not None:
        users = np.flatnonzero(over & ((found.answer_user ^ program.answer_user) & program.answer_mask != 0))
        texts += [_other_user(port, program, found, users)] if len(users) else []
    return texts


def _has_met(program: BurstProgram, found: BurstAnswers) -> npt.NDArray[np.bool_]:
    """(n,) bursts that are answered with an error that one of their beats has met."""
    answers, rows = program.beat_answers, program.bursts.rows
    same = (answers == found.response[program.bursts.of_beat]) & (answers >= SLVERR)
    met: npt.NDArray[np.bool_] = np.logical_or.reduceat(same, rows) if len(rows) else np.zeros(0, np.bool_)
    return met


def _other_user(port: str, program: BurstProgram, found: BurstAnswers, rows: np.ndarray) -> str:
    """The first user signal of an answer that differs."""
    assert program.answer_user is not None
    assert program.answer_mask is not None
    row = int(rows[0])
    at, mask = int(program.bursts.of_beat[row]), int(program.answer_mask[row])
    want, got = (int(values[row]) & mask for values in (program.answer_user, found.answer_user))
    signal = "ruser" if program.bursts.kind[at] == READ else "buser"
    return (
        f"{port}: {signal} of {len(rows)} answers differs, the first is of beat {row - int(program.bursts.rows[at])} of "
        f"{_name(program, at)}: expected 0x{want:x}, got 0x{got:x}; if the design may change it, confirm it in [unchecked]"
    )


def _refused(port: str, program: BurstProgram, found: BurstAnswers, beats: np.ndarray) -> str:
    """The first beat of read data whose response differs."""
    row = int(beats[0])
    at = int(program.bursts.of_beat[row])
    want, got = RESPONSES[int(program.beat_answers[row])], RESPONSES[int(found.beat_response[row])]
    return (
        f"{port}: {len(beats)} responses of read data differ, the first is of beat {row - int(program.bursts.rows[at])} of "
        f"{_name(program, at)}: expected {want}, got {got}"
    )


def _differs(port: str, program: BurstProgram, found: BurstAnswers, rows: np.ndarray, lanes: np.ndarray) -> str:
    """The first byte that differs, and who wrote it last."""
    row, lane = int(rows[0]), int(lanes[0])
    at = int(program.bursts.of_beat[row])
    width = program.data.shape[1]
    address = int(program.bursts.addresses()[row]) // width * width + lane
    text = (
        f"{port}: {len(rows)} bytes read differ, the first at 0x{address:x}, beat {row - int(program.bursts.rows[at])} of "
        f"{_name(program, at)}: expected 0x{program.data[row, lane]:02x}, got 0x{found.data[row, lane]:02x}"
    )
    writer = _last_write(program, address, at)
    return text if writer is None else f"{text}; last written by {_name(program, writer)}"


def _last_write(program: BurstProgram, address: int, before: int) -> int | None:
    """The write ahead of a burst that stored a byte last."""
    width = program.data.shape[1]
    start = program.bursts.addresses().astype(np.int64) // width * width
    of = program.bursts.of_beat
    lane = address % width
    hits = np.flatnonzero((start == address - lane) & program.strobe[:, lane] & (of < before))
    return int(of[hits[-1]]) if len(hits) else None


def _name(program: BurstProgram, at: int) -> str:
    """`burst 7 (write of 4 beats of 8 bytes at 0x100, INCR, id 2)`."""
    b = program.bursts
    kind = {READ: "read", WRITE: "write"}[int(b.kind[at])]
    return (
        f"burst {at} ({kind} of {int(b.len[at]) + 1} beats of {1 << int(b.size[at])} bytes at 0x{int(b.address[at]):x}, "
        f"{_KINDS[int(b.burst[at])]}, id {int(b.id[at])})"
    )
