# SPDX-License-Identifier: Apache-2.0
"""Attributes of accesses (AxLOCK, AxCACHE, AxPROT...): random legal values, and what of them has to reach a memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.pattern import splitmix64

ATTRIBUTES = ("lock", "cache", "prot", "qos", "region", "user")
CACHES = (0, 1, 2, 3, 6, 7, 10, 11, 14, 15)
"""Values of AxCACHE that are not reserved (IHI 0022, table A4-5)."""
DEFAULTS = {"cache": 3}
"""What an attribute is that does not vary; 0 where it is not listed."""
_PAGE = 4096

Key = tuple[int, str]
"""Kind of access (:data:`~goldbeat.pymodels.axi.burst.READ` or ``WRITE``) and name of the attribute."""


@dataclass(frozen=True)
class AttributeDraw:
    """Random attributes by address and kind of access: what splits or merges accesses to neighbours changes none of them.

    Attributes:
        seed: draws them.
        chunk: bytes that share them; AxREGION is the same for all of a page (IHI 0022, A8.2.1).
        user_bits: of AxUSER of reads and of writes.
        fixed: attributes that keep their default.
    """

    seed: int
    chunk: int
    user_bits: tuple[int, int] = (0, 0)
    fixed: frozenset[Key] = frozenset()

    def columns(
        self, kind: npt.NDArray[np.uint8], address: npt.NDArray[np.uint64]
    ) -> dict[str, npt.NDArray[np.uint64]]:
        """By name, (n,) values of accesses: (n,) kinds and (n,) addresses of their first bytes."""
        place = address // np.uint64(self.chunk) * np.uint64(2) + kind.astype(np.uint64)
        bits, user = (splitmix64(self.seed + salt, place) for salt in range(2))
        masks = np.array([(1 << min(width, 64)) - 1 for width in self.user_bits], np.uint64)
        drawn = {
            "cache": np.array(CACHES, np.uint64)[bits // np.uint64(256) % np.uint64(len(CACHES))],
            "prot": bits % np.uint64(8),
            "qos": bits // np.uint64(16) % np.uint64(16),
            "region": splitmix64(self.seed + 2, address // np.uint64(_PAGE)) % np.uint64(16),
            "user": user & masks[kind.astype(np.int64)],
        }
        for name, column in drawn.items():
            for one in (one for one in (0, 1) if (one, name) in self.fixed):
                column[kind == one] = DEFAULTS.get(name, 0)
        return drawn


READ_USER, ANSWER_USER, WRITE_USER = range(3)
"""RUSER by word, BUSER by page, WUSER by word: the streams of :func:`user_of`."""


def user_of(seed: int, stream: int, address: npt.NDArray[np.uint64], width: int) -> npt.NDArray[np.uint64]:
    """What user signals of data and answers are, by address: splitting bursts changes none of them.

    Args:
        seed: of a memory.
        stream: one of :data:`READ_USER`, :data:`ANSWER_USER`, :data:`WRITE_USER`.
        address: at the memory, of beats, or of bursts for BUSER.
        width: bytes of the data bus.
    """
    return splitmix64(seed + stream, address // np.uint64(_PAGE if stream == ANSWER_USER else width))


@dataclass(frozen=True, eq=False)
class AskedWords:
    """Words of a memory's bus that beats of one kind ask for, one row for each beat and word.

    Attributes:
        unit: bytes of a word.
        address: (k,) at the memory.
        fixed: (k,) in a burst that asks for the same word again: each of these beats has to arrive.
    """

    unit: int
    address: npt.NDArray[np.uint64]
    fixed: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Carried:
    """Accesses that lead to a memory, with the attributes that must arrive there with them.

    Attributes:
        kind: (n,) kinds.
        begin, end: (n,) bytes at the memory, to whole words of the widest bus on the way.
        values: by name, (n,) int64; -1: any.
        signals: the master's signal of each attribute that is compared.
        write_user: the master's WUSER, if that is compared.
        once: kinds of which each word arrives at most as often as it was asked for: what a read or a write does may be more
            than to give or to store a word.
        ordered: kinds whose accesses arrive in order.
        slave, place: (n,) who asked, and where in its program.
        words: by kind, what single beats ask for.
    """

    kind: npt.NDArray[np.uint8]
    begin: npt.NDArray[np.uint64]
    end: npt.NDArray[np.uint64]
    values: Mapping[str, npt.NDArray[np.int64]]
    signals: Mapping[Key, str] = field(default_factory=dict)
    write_user: str = ""
    once: frozenset[int] = frozenset()
    ordered: frozenset[int] = frozenset()
    slave: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    place: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    words: Mapping[int, AskedWords] = field(default_factory=dict)
