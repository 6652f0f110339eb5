# SPDX-License-Identifier: Apache-2.0
"""FST wave files: their signals, and signals added to a file that a simulator has written.

Layout: GTKWave's ``fstapi.c``, and "Implementation of an efficient method for digital waveform compression" (GTKWave manual).
A file is a sequence of blocks: one byte of type, eight of length. Value changes come in blocks that each hold a time table, the
values of all signals at its start, and per signal its changes with indices into the table.
"""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.run.lane import LaneSignal, WaveNames

_HEADER, _GEOMETRY, _HIERARCHY, _HIERARCHY_LZ4, _CHANGES = 0, 3, 4, 6, 8
_SCOPES, _VARS, _HANDLES, _TIMESCALE = 32, 40, 48, 64
"""Of the header: offsets of counts, and of the exponent of the unit of time."""
_SCOPE, _UPSCOPE, _ATTRIBUTE, _ATTRIBUTE_END, _LAST_TYPE = 254, 255, 252, 253, 29
_MODULE, _WIRE = 0, 16
_STATES = {"x": 0, "z": 1}
"""Of a bit that is not 0 or 1."""
PICOSECONDS = -12


@dataclass(frozen=True)
class _Block:
    kind: int
    start: int
    size: int


def _blocks(stream: BinaryIO) -> Iterator[_Block]:
    """Every block of a file: its type, and where its content lies.

    Raises:
        InputError: the file ends within a block.
    """
    size = os.fstat(stream.fileno()).st_size
    at = 0
    while at < size:
        stream.seek(at)
        head = stream.read(9)
        length = struct.unpack(">Q", head[1:])[0] if len(head) == 9 else 0
        if length < 8 or at + 1 + length > size:
            raise InputError(
                f"a block of {length} bytes at {at}", f"whole blocks in {size} bytes", file=Path(stream.name)
            )
        yield _Block(head[0], at + 9, length - 8)
        at += 1 + length


def _content(stream: BinaryIO, block: _Block) -> bytes:
    stream.seek(block.start)
    return stream.read(block.size)


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A LEB128 number, and the position after it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def _signed(data: bytes, at: int) -> tuple[int, int]:
    value, end = _number(data, at)
    bits = 7 * (end - at)
    return (value - (1 << bits) if value >> (bits - 1) else value), end


def leb128(value: int) -> bytes:
    """A number of at least 0 as LEB128."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _signed_leb128(value: int) -> bytes:
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value & 127)
    return bytes(out)


def unpack_lz4(block: bytes, size: int) -> bytes:
    """The content of a block in the LZ4 block format, which has ``size`` bytes."""
    out, at = bytearray(), 0
    while len(out) < size:
        token, at = block[at], at + 1
        count, at = _lz4_length(block, at, token >> 4)
        out += block[at : at + count]
        at += count
        if at >= len(block):
            break
        back, at = int.from_bytes(block[at : at + 2], "little"), at + 2
        count, at = _lz4_length(block, at, token & 15)
        # A copy may reach into itself.
        start, count = len(out) - back, count + 4
        chunk = bytes(out[start : start + count])
        out += (chunk * (count // len(chunk) + 1))[:count]
    return bytes(out)


def _lz4_length(block: bytes, at: int, low: int) -> tuple[int, int]:
    total = low
    while low == 15:
        total, at = total + block[at], at + 1
        if block[at - 1] < 255:
            break
    return total, at


# -- reading ----------------------------------------------------------------------------------------------------------


def _hierarchy(stream: BinaryIO, block: _Block) -> bytes:
    data = _content(stream, block)
    size, packed = struct.unpack(">Q", data[:8])[0], data[8:]
    return gzip.decompress(packed) if block.kind == _HIERARCHY else unpack_lz4(packed, size)


def _text(data: bytes, at: int) -> tuple[str, int]:
    end = data.index(0, at)
    return data[at:end].decode("utf-8", "replace"), end + 1


def _names(data: bytes) -> Iterator[str]:
    """Paths of all signals in a hierarchy, with their ranges: ``top.data[7:0]``."""
    scopes: list[str] = []
    at = 0
    while at < len(data):
        kind, at = data[at], at + 1
        if kind == _SCOPE:
            name, at = _text(data, at + 1)
            _, at = _text(data, at)
            scopes.append(name)
        elif kind == _UPSCOPE:
            scopes.pop()
        elif kind == _ATTRIBUTE:
            _, at = _text(data, at + 2)
            _, at = _number(data, at)
        elif kind <= _LAST_TYPE:
            name, at = _text(data, at + 1)
            _, at = _number(data, at)
            _, at = _number(data, at)
            yield ".".join([*scopes, name.replace(" ", "")])
        elif kind != _ATTRIBUTE_END:
            raise InputError(f"hierarchy entry {kind}", "scope, variable or attribute")


def fst_names(path: Path) -> WaveNames:
    """Names of all signals, and the time of the last change in ps.

    Raises:
        InputError: the file is damaged, or of a kind that is not read here.
    """
    try:
        with path.open("rb") as stream:
            blocks = list(_blocks(stream))
            head = _content(stream, _only(blocks, path, _HEADER))
            if struct.unpack(">b", head[_TIMESCALE : _TIMESCALE + 1])[0] != PICOSECONDS:
                raise InputError("another unit of time", "1 ps", file=path)
            found = _names(_hierarchy(stream, _only(blocks, path, _HIERARCHY, _HIERARCHY_LZ4)))
            return WaveNames(tuple(found), struct.unpack(">Q", head[8:16])[0])
    except (IndexError, ValueError, EOFError, OSError, struct.error) as error:
        raise InputError(f"{type(error).__name__}: {error}", "an FST file", file=path) from None


def _only(blocks: Sequence[_Block], path: Path, *kinds: int) -> _Block:
    found = [one for one in blocks if one.kind in kinds]
    if len(found) != 1:
        raise InputError(f"{len(found)} blocks of type {kinds[0]}", "one", file=path)
    return found[0]


# -- adding -----------------------------------------------------------------------------------------------------------


def add_to_fst(path: Path, scope: str, signals: Sequence[LaneSignal]) -> None:
    """Add a scope with signals to a file; changes move to the next time that the file has.

    Args:
        path: of the file, which is replaced as a whole.
        scope: name of the new scope, at the top.
        signals: in it.

    Raises:
        InputError: the file is damaged, or of a kind that is not read here; it stays as it is.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        with path.open("rb") as stream, part.open("wb") as out:
            blocks = list(_blocks(stream))
            handles = struct.unpack(">Q", _content(stream, _only(blocks, path, _HEADER))[_HANDLES:][:8])[0]
            for block in blocks:
                _write(out, *_changed(_content(stream, block), block.kind, scope, signals, handles, stream, block))
        part.replace(path)
    except (IndexError, ValueError, EOFError, struct.error, zlib.error) as error:
        raise InputError(f"{type(error).__name__}: {error}", "an FST file", file=path) from None
    finally:
        part.unlink(missing_ok=True)


def _write(out: BinaryIO, kind: int, data: bytes) -> None:
    out.write(struct.pack(">BQ", kind, len(data) + 8) + data)


def _changed(
    data: bytes, kind: int, scope: str, signals: Sequence[LaneSignal], handles: int, stream: BinaryIO, block: _Block
) -> tuple[int, bytes]:
    """The type and content of a block with the new signals."""
    if kind == _HEADER:
        return kind, _more_counts(data, len(signals))
    if kind == _GEOMETRY:
        return kind, _more_widths(data, signals)
    if kind in (_HIERARCHY, _HIERARCHY_LZ4):
        whole = _hierarchy(stream, block) + _scope_entry(scope, signals)
        return _HIERARCHY, struct.pack(">Q", len(whole)) + gzip.compress(whole, 4, mtime=0)
    if kind == _CHANGES:
        return kind, _more_changes(data, signals, handles)
    raise InputError(f"block of type {kind}", "header, geometry, hierarchy or value changes")


def _more_counts(head: bytes, count: int) -> bytes:
    scopes, variables, handles = struct.unpack(">QQQ", head[_SCOPES : _SCOPES + 24])
    return head[:_SCOPES] + struct.pack(">QQQ", scopes + 1, variables + count, handles + count) + head[_SCOPES + 24 :]


def _more_widths(data: bytes, signals: Sequence[LaneSignal]) -> bytes:
    size, handles = struct.unpack(">QQ", data[:16])
    whole = (data[16:] if size == len(data) - 16 else zlib.decompress(data[16:])) + b"".join(
        leb128(one.width) for one in signals
    )
    return struct.pack(">QQ", len(whole), handles + len(signals)) + _smaller(whole)


def _smaller(data: bytes) -> bytes:
    """Packed by zlib where that is smaller; readers know it by the size."""
    packed = zlib.compress(data, 4)
    return packed if len(packed) < len(data) else data


def _scope_entry(scope: str, signals: Sequence[LaneSignal]) -> bytes:
    out = bytes([_SCOPE, _MODULE]) + scope.encode() + b"\0\0"
    for one in signals:
        # Direction 0: none; alias 0: a signal of its own.
        out += bytes([_WIRE, 0]) + one.declared.encode() + b"\0" + leb128(one.width) + b"\0"
    return out + bytes([_UPSCOPE])


def _more_changes(data: bytes, signals: Sequence[LaneSignal], handles: int) -> bytes:
    """A block of value changes with those of the new signals."""
    needed = struct.unpack(">Q", data[16:24])[0]
    whole, packed, at = *(pair := _number(data, 24))[:1], *_number(data, pair[1])
    count, at = _number(data, at)
    frame = data[at : at + packed]
    frame = frame if whole == packed else zlib.decompress(frame)
    at += packed
    waved, at = _number(data, at)
    if not count == waved == handles:
        raise InputError(f"values of {count} and changes of {waved} signals", f"{handles} signals")
    times_size, times_packed, times_count = struct.unpack(">QQQ", data[-24:])
    times_at = len(data) - 24 - times_packed
    chain_size = struct.unpack(">Q", data[times_at - 8 : times_at])[0]
    chain_at = times_at - 8 - chain_size
    times = _times(data[times_at:-24], times_size, times_count)
    chunks = [_chunk(one, times) for one in signals]
    # Positions count from the byte of the kind of packing, which stands before the changes.
    end, last = chain_at - at, _last_position(data[chain_at : times_at - 8])
    chain, changes = data[chain_at : times_at - 8], data[at:chain_at]
    for chunk in chunks:
        if not chunk:
            chain += _signed_leb128(1 << 1)
            continue
        chain += _signed_leb128((end - last) << 1 | 1)
        changes += b"\0" + chunk
        end, last = end + 1 + len(chunk), end
    frame += b"".join(one.value_before(times[0]).encode() for one in signals)
    kept = _smaller(frame)
    more = len(signals)
    return b"".join(
        [
            data[:16] + struct.pack(">Q", needed + sum(map(len, chunks))),
            leb128(len(frame)) + leb128(len(kept)) + leb128(count + more) + kept,
            leb128(waved + more) + changes,
            chain + struct.pack(">Q", len(chain)) + data[times_at:],
        ]
    )


def _times(packed: bytes, size: int, count: int) -> list[int]:
    data = packed if size == len(packed) else zlib.decompress(packed)
    found, now, at = [], 0, 0
    for _ in range(count):
        step, at = _number(data, at)
        now += step
        found.append(now)
    return found


def _last_position(chain: bytes) -> int:
    """Where the changes of the last signal begin that has some of its own."""
    position = at = 0
    while at < len(chain):
        if chain[at] & 1:
            value, at = _signed(chain, at)
            position += max(0, value >> 1)
        else:
            _, at = _number(chain, at)
    return position


def _chunk(signal: LaneSignal, times: Sequence[int]) -> bytes:
    """Changes of a signal within a time table; of those that fall on one time, the last."""
    placed: dict[int, str] = {}
    low = bisect_left(signal.times, times[0])
    for time, value in zip(signal.times[low:], signal.values[low:], strict=True):
        if time > times[-1]:
            break
        placed[bisect_left(times, time)] = value
    out, before = bytearray(), 0
    for index, value in placed.items():
        out += _change(index - before, value)
        before = index
    return bytes(out)


def _change(step: int, value: str) -> bytes:
    known = not value.strip("01")
    if len(value) == 1:
        return leb128(step << 2 | int(value) << 1) if known else leb128(step << 4 | _STATES[value] << 1 | 1)
    if not known:
        return leb128(step << 1 | 1) + value.encode()
    size = -(-len(value) // 8)
    return leb128(step << 1) + (int(value, 2) << (8 * size - len(value))).to_bytes(size, "big")
