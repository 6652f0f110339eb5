# SPDX-License-Identifier: Apache-2.0
"""Configuration data objects (CDO), as compilers write them for an array of engines.

Sources: UG1304 (commands and header); bootgen's cdo_driver (payloads, address words high then low, the checksum).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.artefact.operation import OpKind, RegisterOp
from goldbeat.pymodels.objfifo.artefact.words import WordFile, words_to_bytes

HEADER_WORDS = 5
MAGICS = (0x584C4E58, 0x004F4443)
_VERSION = 0x200
_ALL = 0xFFFFFFFF
_LONG = 255
_END, _NOOP = 0x100, 0x111


@dataclass(frozen=True)
class _Form:
    """How a command is laid out: its kind, whether its address has two words, and words after the address."""

    kind: OpKind
    wide: bool
    after: int | None


_FORMS = {
    0x101: _Form(OpKind.POLL, False, 3),
    0x102: _Form(OpKind.MASK, False, 2),
    0x103: _Form(OpKind.WRITE, False, 1),
    0x105: _Form(OpKind.BLOCK, True, None),
    0x106: _Form(OpKind.POLL, True, 3),
    0x107: _Form(OpKind.MASK, True, 2),
    0x108: _Form(OpKind.WRITE, True, 1),
}
_CODES = {(form.kind, form.wide): code for code, form in _FORMS.items()}


@dataclass(frozen=True)
class Cdo:
    """One configuration object.

    Attributes:
        magic, version: of the header.
        ops: its commands in order.
        offset: byte offset of its header in the file.
    """

    magic: int
    version: int
    ops: tuple[RegisterOp, ...]
    offset: int = 0

    def encode(self) -> bytes:
        """Its bytes; commands keep the words they were read with."""
        body = [word for op in self.ops for word in op.words]
        head = [4, self.magic, self.version, len(body)]
        return words_to_bytes([*head, ~sum(head) & _ALL, *body])


def is_cdo(data: bytes, offset: int = 0) -> bool:
    """True if a header's first two words are at an offset."""
    first = int.from_bytes(data[offset : offset + 4], "little")
    return first == 4 and int.from_bytes(data[offset + 4 : offset + 8], "little") in MAGICS


def decode_cdo(source: WordFile, offset: int = 0, end: int | None = None) -> Cdo:
    """Read the configuration object whose header is at a byte offset.

    Args:
        source: the file.
        offset: of the header.
        end: where it must have ended, None for the end of the file.

    Raises:
        InputError: anything that is not one, with its byte offset.
    """
    count, magic, version, length, checksum = source.words(offset, HEADER_WORDS, "a CDO header")
    if count != 4 or magic not in MAGICS:
        raise source.error(offset, f"the words {count:#x} {magic:#x}", "a CDO header: 0x4 and XLNX or CDO")
    if version != _VERSION:
        raise source.error(offset + 8, f"CDO version {version:#x}", f"{_VERSION:#x}")
    wanted = ~(count + magic + version + length) & _ALL
    if checksum != wanted:
        raise source.error(offset + 16, f"CDO checksum {checksum:#010x}", f"{wanted:#010x}")
    at = offset + 4 * HEADER_WORDS
    stop = at + 4 * length
    limit = len(source.data) if end is None else end
    if stop > limit:
        raise source.error(offset + 12, f"a CDO of {length} words", f"at most {(limit - at) // 4} to the end")
    ops = []
    while at < stop:
        ops.append(_command(source, at, stop))
        at += 4 * len(ops[-1].words)
    return Cdo(magic, version, tuple(ops), offset)


def _command(source: WordFile, at: int, stop: int) -> RegisterOp:
    head = source.word(at, "a command")
    code, length, first = head & 0xFFFF, head >> 16 & 0xFF, 1
    if length == _LONG:
        length, first = source.word(at + 4, "the length of a long command"), 2
    if at + 4 * (first + length) > stop:
        raise source.error(
            at, f"command {code:#x} with {length} words", f"at most {(stop - at) // 4 - first} to the end"
        )
    words = source.words(at, first + length, f"command {code:#x}")
    load = words[first:]
    form = _FORMS.get(code)
    if form is None:
        return RegisterOp(OpKind.COMMAND, values=load, numbers=(code,), words=words, offset=at)
    addressed = 2 if form.wide else 1
    if length < addressed or (form.after is not None and length < addressed + form.after):
        least = addressed + (form.after or 0)
        raise source.error(at, f"command {code:#x} with {length} words", f"at least {least}")
    address = load[0] << 32 | load[1] if form.wide else load[0]
    rest = load[addressed:]
    if form.kind is OpKind.BLOCK:
        return RegisterOp(OpKind.BLOCK, address, rest, words=words, offset=at)
    if form.kind is OpKind.WRITE:
        return RegisterOp(OpKind.WRITE, address, rest[:1], words=words, offset=at)
    numbers = rest[2:3] if form.kind is OpKind.POLL else ()
    return RegisterOp(form.kind, address, (rest[1],), rest[0], numbers, words, at)


def cdo_words(op: RegisterOp) -> tuple[int, ...]:
    """The words that a compiler writes for a command: addresses of 64 bits.

    Raises:
        UsageError: a CDO has no such command.
    """
    if op.kind is OpKind.COMMAND:
        return _headed(op.numbers[0], op.values)
    if op.kind is OpKind.NOOP:
        return (_NOOP,)
    code = _CODES.get((op.kind, True))
    if code is None:
        raise UsageError(f"a CDO has no {op.kind}")
    rest = op.values if op.mask == 0 and op.kind in (OpKind.WRITE, OpKind.BLOCK) else (op.mask, *op.values, *op.numbers)
    return _headed(code, (op.address >> 32, op.address & _ALL, *rest))


def _headed(code: int, load: tuple[int, ...]) -> tuple[int, ...]:
    if len(load) < _LONG:
        return (code | len(load) << 16, *load)
    return (code | _LONG << 16, len(load), *load)


def command_note(code: int) -> str:
    """The name of a command that is no access."""
    names = {_END: "end", 0x104: "delay", 0x109: "DMA transfer", _NOOP: "no-op", 0x119: "marker"}
    return names.get(code, "not known")


def read_cdo(data: bytes, file: Path | None = None) -> Cdo:
    """A file that is one configuration object.

    Raises:
        InputError: it is none, or more follows.
    """
    source = WordFile(data, file)
    found = decode_cdo(source)
    size = len(found.encode())
    if size != len(data):
        raise source.error(size, f"{len(data) - size} bytes after the CDO", "the end")
    return found
