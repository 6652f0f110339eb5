# SPDX-License-Identifier: Apache-2.0
"""Compiled files as text and back, byte for byte.

A line is an operation: a mnemonic, an address ``column,row+offset``, hexadecimal words, a comment after ``;``. Where a file
stores an operation in other words than a compiler's, ``|`` and these words follow. Lines that begin with a point are
the container's: ``.txn`` and ``.cdo`` begin a part, ``.bytes`` are bytes that are neither.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.artefact.cdo import Cdo, cdo_words, decode_cdo, is_cdo
from goldbeat.pymodels.objfifo.artefact.container import split_container
from goldbeat.pymodels.objfifo.artefact.elf import ELF_MAGIC, control_sections
from goldbeat.pymodels.objfifo.artefact.operation import OpKind, RegisterOp, array_address, split_address
from goldbeat.pymodels.objfifo.artefact.register_names import describe_op
from goldbeat.pymodels.objfifo.artefact.transaction import (
    HEADER_BYTES,
    Transaction,
    TxnHeader,
    decode_transaction,
    is_transaction,
    read_hex_words,
    usual_words,
)
from goldbeat.pymodels.objfifo.artefact.words import WordFile

_ADDRESSED = {OpKind.WRITE, OpKind.BLOCK, OpKind.SET, OpKind.MASK, OpKind.POLL, OpKind.POLL_BUSY, OpKind.PATCH}
_MASKED = {OpKind.MASK, OpKind.POLL, OpKind.POLL_BUSY}
_BYTES_A_LINE = 32
_ADDRESS = re.compile(r"(?:([0-9A-Fa-f]+)/)?(\d+),(\d+)\+([0-9A-Fa-f]+)")
_HEADER = ("version", "generation", "rows", "columns", "mem_rows", "rest")


@dataclass(frozen=True)
class CompiledPart:
    """A part of a compiled file: an instruction stream, a configuration object, or other bytes."""

    offset: int
    content: Transaction | Cdo | bytes

    def encode(self) -> bytes:
        """Its bytes."""
        return self.content if isinstance(self.content, bytes) else self.content.encode()


@dataclass(frozen=True)
class CompiledFile:
    """A compiled file: its parts in order."""

    parts: tuple[CompiledPart, ...]

    def encode(self) -> bytes:
        """The file's bytes."""
        return b"".join(part.encode() for part in self.parts)

    @property
    def ops(self) -> tuple[RegisterOp, ...]:
        """The operations of all parts."""
        return tuple(op for part in self.parts if not isinstance(part.content, bytes) for op in part.content.ops)

    @property
    def transaction(self) -> Transaction | None:
        """The instruction stream, None if it is none."""
        return next((p.content for p in self.parts if isinstance(p.content, Transaction)), None)


def decode_compiled(data: bytes, file: Path | None = None) -> CompiledFile:
    """Read an instruction stream (binary or one hexadecimal word per line), a CDO, a PDI, an xclbin or an ELF file.

    Raises:
        InputError: damage, with its byte offset (with its line for hexadecimal words).
    """
    if len(data) < 4:
        raise InputError(f"{len(data)} bytes", "a compiled file: insts.bin, CDO, PDI or xclbin", file=file, offset=0)
    if re.match(rb"\s*[0-9A-Fa-f]{8}\s*[\r\n]", data):
        data = read_hex_words(data.decode("ascii", "replace"), file)
        if not is_transaction(data):
            raise InputError(f"the word {data[:4][::-1].hex()}", "the header of version 0.1 or 1.0", file=file, line=1)
    if is_transaction(data):
        return CompiledFile((CompiledPart(0, decode_transaction(data, file)),))
    if data.startswith(ELF_MAGIC):
        parts = _elf_parts(data, file)
        if any(isinstance(part.content, Transaction) for part in parts):
            return CompiledFile(tuple(parts))
    return CompiledFile(tuple(_objects(data, file)))


def _objects(data: bytes, file: Path | None, base: int = 0) -> list[CompiledPart]:
    """Configuration objects and what is between them."""
    found = split_container(data, file)
    return [CompiledPart(base + p.offset, p.data if p.cdo is None else p.cdo) for p in found]


def _elf_parts(data: bytes, file: Path | None) -> list[CompiledPart]:
    """The instruction streams of an ELF file, and between them configuration objects or other bytes."""
    found: list[CompiledPart] = []
    at = 0
    for offset, size in control_sections(WordFile(data, file)):
        section = data[offset : offset + size]
        if offset < at or not is_transaction(section) or size < HEADER_BYTES:
            continue
        length = min(size, int.from_bytes(section[12:16], "little"))
        try:
            stream = decode_transaction(section[:length], file)
        except InputError as error:
            raise InputError(error.found, error.expected, file=file, offset=offset + (error.offset or 0)) from None
        found += _between(data, at, offset, file)
        found.append(CompiledPart(offset, stream))
        at = offset + length
    return [*found, *_between(data, at, len(data), file)]


def _between(data: bytes, first: int, end: int, file: Path | None) -> list[CompiledPart]:
    piece = data[first:end]
    if not piece:
        return []
    # Configuration objects begin at words of the file.
    if first % 4 == 0 and any(is_cdo(piece, n) for n in range(0, len(piece) - 8, 4)):
        return _objects(piece, file, first)
    return [CompiledPart(first, piece)]


# -- to text -----------------------------------------------------------------------------------------------------------


def to_listing(compiled: CompiledFile) -> Iterator[str]:
    """The lines of the text."""
    mem_rows = 1
    for part in compiled.parts:
        content = part.content
        if isinstance(content, bytes):
            for at in range(0, len(content), _BYTES_A_LINE):
                yield f".bytes {content[at : at + _BYTES_A_LINE].hex()}"
            continue
        if isinstance(content, Transaction):
            head = content.header
            mem_rows = head.mem_rows
            values = (f"{head.major}.{head.minor}", head.generation, head.rows, head.columns, head.mem_rows, head.rest)
            yield ".txn " + " ".join(f"{n}={v}" for n, v in zip(_HEADER, values, strict=True)) + f" ; {head.device}"
        else:
            yield f".cdo magic={content.magic:08X} version={content.version:#x} ; at byte {part.offset}"
        for op in content.ops:
            yield _line(op, _usual(op, content), mem_rows)


def _usual(op: RegisterOp, content: Transaction | Cdo) -> bool:
    try:
        return op.words == _words_of(op, content)
    except (UsageError, IndexError):
        return False


def _words_of(op: RegisterOp, content: Transaction | Cdo) -> tuple[int, ...]:
    return usual_words(op, content.header.version) if isinstance(content, Transaction) else cdo_words(op)


def _line(op: RegisterOp, usual: bool, mem_rows: int) -> str:
    parts = [str(op.kind), *_operands(op)]
    if not usual:
        parts += ["|", *(f"{word:08X}" for word in op.words)]
    note = describe_op(op, mem_rows)
    return " ".join(parts) + (f" ; {note}" if note else "")


def address_text(address: int) -> str:
    """``column,row+offset``, with the array's base before a stroke where it is not 0."""
    base, column, row, offset = split_address(address)
    return (f"{base:X}/" if base else "") + f"{column},{row}+{offset:05X}"


def _operands(op: RegisterOp) -> Iterator[str]:
    if op.kind in _ADDRESSED:
        yield address_text(op.address)
    for value in op.values:
        yield f"{value:X}"
    if op.kind in _MASKED:
        yield f"mask={op.mask:X}"
    if op.numbers:
        yield "#" + ",".join(str(number) for number in op.numbers)


# -- from text ---------------------------------------------------------------------------------------------------------


def from_listing(text: str, file: Path | None = None) -> CompiledFile:
    """Read the text.

    Raises:
        InputError: a line that is not understood, with file and line.
    """
    return _Assembler(file).run(text)


class _Assembler:
    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.parts: list[Transaction | Cdo | bytes] = []
        self.ops: list[RegisterOp] = []

    def run(self, text: str) -> CompiledFile:
        for number, line in enumerate(text.splitlines(), 1):
            words = line.partition(";")[0].split()
            if not words:
                continue
            try:
                if words[0].startswith("."):
                    self._part(words)
                else:
                    self._op(words)
            except InputError as error:
                raise InputError(error.found, error.expected, file=self.file, line=number) from None
            except (UsageError, ValueError, IndexError, KeyError, TypeError, struct.error) as error:
                raise InputError(repr(line.strip()[:60]), f"a line of a listing ({error})",
                                 file=self.file, line=number) from None  # fmt: skip
        self._finish()
        if not self.parts:
            raise InputError("no part", "a line that begins with .txn, .cdo or .bytes", file=self.file, line=1)
        at, parts = 0, []
        for part in self.parts:
            parts.append(CompiledPart(at, part))
            at += len(parts[-1].encode())
        return CompiledFile(tuple(parts))

    def _finish(self) -> None:
        """Give the last part its operations."""
        if self.ops:
            part = self.parts[-1]
            assert not isinstance(part, bytes)
            self.parts[-1] = replace(part, ops=tuple(self.ops))
            self.ops = []

    def _part(self, words: list[str]) -> None:
        self._finish()
        if words[0] == ".bytes":
            data = bytes.fromhex("".join(words[1:]))
            last = self.parts[-1] if self.parts else None
            if isinstance(last, bytes):
                self.parts[-1] = last + data
            else:
                self.parts.append(data)
            return
        given = dict(word.split("=", 1) for word in words[1:])
        if words[0] == ".txn":
            major, minor = (int(v) for v in given["version"].split("."))
            rest = {name: int(given.get(name, "0")) for name in _HEADER[1:]}
            header = TxnHeader(major, minor, **rest)
            if decode_transaction(Transaction(header, ()).encode()).header != header:
                raise InputError(" ".join(words[1:]), "numbers of 8 bits (rest: of 16)")
            self.parts.append(Transaction(header, ()))
        elif words[0] == ".cdo":
            cdo = Cdo(int(given["magic"], 16), int(given["version"], 16), ())
            decode_cdo(WordFile(cdo.encode()))
            self.parts.append(cdo)
        else:
            raise InputError(words[0], ".txn, .cdo or .bytes")

    def _op(self, words: list[str]) -> None:
        if not self.parts or isinstance(self.parts[-1], bytes):
            raise InputError(f"the operation {words[0]}", "a line .txn or .cdo before it")
        part = self.parts[-1]
        stroke = words.index("|") if "|" in words else len(words)
        op = _parse(words[:stroke])
        stored = tuple(_word(w) for w in words[stroke + 1 :]) if stroke < len(words) else _words_of(op, part)
        read = _read_back(part, stored)
        if read.meaning != op.meaning or len(read.words) != len(stored):
            raise InputError(f"words of: {_line(read, True, 1)}", "those of the operation before the stroke")
        self.ops.append(replace(op, words=stored))


def _read_back(part: Transaction | Cdo, stored: tuple[int, ...]) -> RegisterOp:
    op = RegisterOp(OpKind.NOOP, words=stored)
    alone = replace(part, ops=(op,)).encode()
    if isinstance(part, Transaction):
        return decode_transaction(alone).ops[0]
    return decode_cdo(WordFile(alone)).ops[0]


def _word(text: str) -> int:
    value = int(text, 16)
    if not 0 <= value < 1 << 32:
        raise InputError(text, "a word of at most 8 hexadecimal digits")
    return value


def _parse(words: list[str]) -> RegisterOp:
    try:
        kind = OpKind(words[0])
    except ValueError:
        raise InputError(repr(words[0]), f"one of {', '.join(OpKind)}") from None
    rest = words[1:]
    address = 0
    if kind in _ADDRESSED:
        found = _ADDRESS.fullmatch(rest[0]) if rest else None
        if found is None:
            raise InputError(rest[0] if rest else "nothing", f"an address column,row+offset after {kind}")
        base, column, row, offset = found.groups()
        address = array_address(int(column), int(row), int(offset, 16), int(base or "0", 16))
        if split_address(address) != (int(base or "0", 16), int(column), int(row), int(offset, 16)):
            raise InputError(rest[0], "a column, a row below 32 and an offset below 100000")
        rest = rest[1:]
    values: list[int] = []
    mask = 0
    numbers: tuple[int, ...] = ()
    for word in rest:
        if word.startswith("mask="):
            mask = _word(word[5:])
        elif word.startswith("#"):
            numbers = tuple(int(n) for n in word[1:].split(","))
        else:
            values.append(_word(word))
    return RegisterOp(kind, address, tuple(values), mask, numbers)
