# SPDX-License-Identifier: Apache-2.0
"""What the PLIO commands do with packet streams."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.packet_header import make_header
from goldbeat.pymodels.plio_file import PlioFile
from goldbeat.pymodels.plio_file.packets import Packet, file_to_packets
from goldbeat.pymodels.samples import SampleType, sample_type
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli.common import say

Strict = Annotated[bool, typer.Option("--strict", help="With --packets: refuse headers of even parity.")]


def check_strict(strict: bool, packets: bool) -> None:
    """Refuse an option that would do nothing."""
    if strict and not packets:
        raise UsageError("--strict is for --packets: it refuses headers of even parity")


def packets_of(file: PlioFile, path: Path, strict: bool) -> list[Packet]:
    """The packets of a file; headers of even parity are refused (``strict``) or reported on stderr."""
    packets = file_to_packets(file, strict=strict, name=str(path))
    odd = [p for p in packets if not p.parity_ok]
    if odd:
        say(
            f"warning: {path}: {len(odd)} of {len(packets)} packet headers have even parity, the first is "
            f"0x{odd[0].header:08X} in line {file.lines[odd[0].first_beat]}; hardware expects odd parity "
            "(--strict refuses such a file)",
            err=True,
        )
    return packets


def count_by_id(packets: list[Packet]) -> dict[int, tuple[int, int]]:
    """Id -> packets and payload words, in the order of ids."""
    found: dict[int, tuple[int, int]] = {}
    for packet in packets:
        count, size = found.get(packet.packet_id, (0, 0))
        found[packet.packet_id] = (count + 1, size + len(packet.payload))
    return dict(sorted(found.items()))


def payloads(packets: list[Packet], kind: SampleType, types: list[str]) -> dict[str, npt.NDArray[Any]]:
    """Arrays by name: ``id3``, the samples of all packets with id 3 in their order, and ``id3_sizes``, samples per packet.

    Args:
        packets: in the order of the file.
        kind: type of the payload of ids that ``types`` does not name.
        types: ``ID=TYPE``.

    Raises:
        UsageError: not of this form, or an id that no packet has.
        InputError: a payload that is not whole samples.
    """
    wanted: dict[int, SampleType] = {}
    for item in types:
        number, equals, name = item.partition("=")
        if not equals or not number.isdecimal():
            raise UsageError(f"--type {item}: expected ID=TYPE, such as 2=float")
        wanted[int(number)] = sample_type(name)
    there = sorted({p.packet_id for p in packets})
    for ident in wanted:
        if ident not in there:
            raise UsageError(f"--type {ident}: no packet has id {ident}; the file has {', '.join(map(str, there))}")
    found: dict[str, npt.NDArray[Any]] = {}
    for ident in there:
        of = wanted.get(ident, kind)
        samples = []
        for packet in packets:
            if packet.packet_id != ident:
                continue
            try:
                samples.append(packet.samples(of))
            except InputError as error:
                raise InputError(f"{error.found} in a packet of id {ident}", error.expected) from None
        found[f"id{ident}"] = np.concatenate(samples)
        found[f"id{ident}_sizes"] = np.array([len(s) for s in samples], np.int64)
    return found


def make_packets(
    values: npt.NDArray[Any], kind: SampleType, width: int, frame: int | None, packets: str, period: int
) -> Trace:
    """Frames of samples as packets, the ids in turn.

    Raises:
        UsageError: no frame size, ids that cannot be, or a type wider than the port.
    """
    if frame is None:
        raise UsageError("--packets needs --frame N, the samples in a packet")
    kind.per_beat(width)
    ids = _ids(packets)
    words = kind.encode(values).view("<u4")
    size = frame * kind.bits // 32
    starts = np.arange(0, len(words), size)
    headers = make_header(np.resize(ids, len(starts)))
    return Trace.from_samples(np.insert(words, starts, headers), "uint32", width, clock_ps=period, frame=size + 1)


def _ids(text: str) -> list[int]:
    """``0,2,5-7`` as numbers."""
    ids: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()):
            raise UsageError(f"--packets {text!r}: {part!r} is not an id, or a range such as 0-3")
        ids += range(int(low), int(high if dash else low) + 1)
    if not ids or max(ids) > 31:
        raise UsageError(f"--packets {text!r}: ids go from 0 to 31")
    return ids
