# SPDX-License-Identifier: Apache-2.0
"""Packet headers in files of floats: the first number of a frame, written as an integer among floats.

A float32 has 24 significant bits, a header has more: as a float, id 1 would become id 0. The word itself is kept.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.packet_header import header_places
from goldbeat.pymodels.plio_file.beats import Beats
from goldbeat.pymodels.plio_file.layout import frame_starts
from goldbeat.pymodels.samples import SampleType

_WORD = re.compile(rb"[0-9]{1,10}")
_SURE_FROM = 1 << 24
"""Every smaller integer is a float32."""


def keep_headers(raw: bytes, beats: Beats, kind: SampleType, *, csv: bool, packets: bool) -> tuple[Beats, bool]:
    """The beats of a file of floats with the bits of its packet headers.

    Args:
        raw: the file.
        beats: what was read.
        kind: sample type; only types with 32-bit float parts have room for a header.
        csv: the numbers are cells of rows.
        packets: it is a packet stream, so that integers that begin a frame are headers even where that is not certain.

    Returns:
        The beats, and whether they have headers.
    """
    if kind.kind != "float" or not len(beats.counts):
        return beats, False
    place = np.cumsum(beats.counts, dtype=np.int64) - beats.counts
    at = np.flatnonzero(frame_starts(beats.last))
    value = beats.parts[place[at]]
    # A signalling NaN is no number either, and nothing to warn of.
    with np.errstate(invalid="ignore"):
        whole = (value >= 0) & (value <= 2.0**32) & (np.floor(value) == value)
    if not packets and not (whole & (value >= _SURE_FROM)).any():
        return beats, False
    at = at[whole]
    text = _first_numbers(raw, beats.line[at], csv)
    integer = np.array([_WORD.fullmatch(t) is not None and int(t) < 1 << 32 for t in text], np.bool_)
    words = np.array([int(t) if i else 0 for t, i in zip(text, integer, strict=True)], np.int64).astype(np.uint32)
    header = integer.copy()
    if not packets:
        header[integer] = header_places(words[integer])
    if not header.any():
        return beats, False
    parts = beats.parts.copy()
    parts.view("<u4")[place[at[header]]] = words[header]
    return replace(beats, parts=parts), True


def _first_numbers(raw: bytes, lines: npt.NDArray[np.int32], csv: bool) -> list[bytes]:
    """The first number of each of these lines, as it is written."""
    newline = np.flatnonzero(np.frombuffer(raw, np.uint8) == ord("\n"))
    begin = np.concatenate([[0], newline + 1])[lines - 1].tolist()
    end = np.append(newline, len(raw))[lines - 1].tolist()
    rows = [raw[a:b] for a, b in zip(begin, end, strict=True)]
    return [row.split(b",")[1].strip(b" \t\r") if csv else row.split(None, 1)[0] for row in rows]
