# SPDX-License-Identifier: Apache-2.0
"""What of a stream is payload: headers of packets are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.packet_header import PL_COL, PL_ROW, WORD_BYTES, parse_header
from goldbeat.pymodels.trace import Trace


def looks_like_packets(trace: Trace) -> bool:
    """Whether every complete frame begins with a packet header.

    One frame is enough where the header comes from programmable logic (its row and column are all ones, whatever its parity).
    Headers from inside the array have odd parity and a source; it takes two frames to tell them from data.
    """
    if trace.width < 8 * WORD_BYTES:
        return False
    frames = others = 0
    ended = True
    for part in trace.parts():
        starts = np.concatenate([[ended], part.last[:-1]])
        found = np.ascontiguousarray(part.data[starts, :WORD_BYTES]).view("<u4").reshape(-1)
        header = parse_header(found)
        from_pl = (header.row == PL_ROW) & (header.col == PL_COL)
        inside = header.parity_ok & ((header.row > 0) | (header.col > 0))
        whole = part.keep[starts, :WORD_BYTES].all(axis=1)
        if not (header.reserved_ok & whole & (from_pl | inside)).all():
            return False
        frames += int(np.count_nonzero(part.last))
        others += int(np.count_nonzero(~from_pl))
        ended = bool(part.last[-1])
    return frames >= (2 if others else 1)


def unsure_headers(trace: Trace) -> str:
    """What is suspicious of a stream that does not look like packets: frames that begin with a header all the same; else empty."""
    if trace.width < 8 * WORD_BYTES or looks_like_packets(trace):
        return ""
    frames = valid = sure = 0
    ended = True
    for part in trace.parts():
        starts = np.concatenate([[ended], part.last[:-1]])
        header = parse_header(np.ascontiguousarray(part.data[starts, :WORD_BYTES]).view("<u4").reshape(-1))
        whole = part.keep[starts, :WORD_BYTES].all(axis=1) & header.reserved_ok
        located = (header.row > 0) | (header.col > 0)
        from_pl = (header.row == PL_ROW) & (header.col == PL_COL)
        frames += int(np.count_nonzero(starts))
        valid += int(np.count_nonzero(whole & header.parity_ok))
        sure += int(np.count_nonzero(whole & (from_pl | (header.parity_ok & located))))
        ended = bool(part.last[-1])
        if 2 * max(valid, sure) < frames:
            return ""
    if frames > 1 and valid == frames:
        return "each frame begins with a word that is a valid packet header, but counts as payload"
    return (
        f"{sure} of {frames} frames begin with a packet header, which counts as payload" if sure and frames > 1 else ""
    )


def without_headers(trace: Trace) -> Trace:
    """The same beats with the headers of packets left out by TKEEP: what counts bytes counts payload.

    Raises:
        InputError: a packet begins with fewer bytes than a header has.
    """
    starts = np.concatenate([[True], trace.last[:-1]]) if len(trace) else np.zeros(0, np.bool_)
    short = starts & ~trace.keep[:, :WORD_BYTES].all(axis=1)
    if trace.width < 8 * WORD_BYTES or short.any():
        at = int(np.argmax(short))
        found = (
            f"{int(trace.valid_bytes()[at])} valid bytes in beat {at}" if short.any() else f"a {trace.width} bit port"
        )
        raise InputError(found, "a packet, which begins with a 32-bit header")
    keep = trace.keep.copy()
    keep[starts, :WORD_BYTES] = False
    return replace(trace, keep=keep)


def check_headers(trace: Trace) -> None:
    """Refuse a packet stream with a frame that begins with another word than a header.

    Raises:
        InputError: it names the frame and its word.
    """
    if trace.width < 8 * WORD_BYTES or not len(trace):
        return
    at = np.flatnonzero(np.concatenate([[True], trace.last[:-1]]))
    words = np.ascontiguousarray(trace.data[at, :WORD_BYTES]).view("<u4").reshape(-1)
    header = parse_header(words)
    from_pl = (header.row == PL_ROW) & (header.col == PL_COL)
    if len(wrong := np.flatnonzero(~(header.reserved_ok & (header.parity_ok | from_pl)))):
        frame = int(wrong[0])
        found = f"0x{int(words[frame]):08x} in beat {at[frame]}, where frame {frame} begins"
        raise InputError(found, "a packet header: odd parity, and reserved bits zero")


def payload_of(trace: Trace, packets: bool | None = None) -> Trace:
    """A stream without what is no payload.

    Args:
        trace: the stream.
        packets: it is a packet stream; None: if it looks like one.

    Raises:
        InputError: it is said to be a packet stream, and is none.
    """
    if packets:
        check_headers(trace)
    return without_headers(trace) if (looks_like_packets(trace) if packets is None else packets) else trace
