# SPDX-License-Identifier: Apache-2.0
"""The instruction stream of an NPU (``insts.bin``, "TXN"), versions 0.1 and 1.0.

Sources: mlir-aie's include/aie/Runtime/TxnEncoding.h and lib/Targets/AIETargetNPU.cpp; aie-rt's driver
(common/xaie_txn.h, global/xaiegbl.h). Where both differ (the size of masked writes, the numbers 9 to 15), the size in
the record decides, or the operation is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.artefact.operation import OpKind, RegisterOp
from goldbeat.pymodels.objfifo.artefact.words import WordFile, words_to_bytes

HEADER_BYTES = 16
VERSIONS = ((0, 1), (1, 0))
_GENERATIONS = {3: "npu1", 4: "npu2"}
_MASKED = {3: OpKind.MASK, 4: OpKind.POLL, 7: OpKind.POLL_BUSY}
_TOKEN, _PATCH, _CUSTOM = 0x80, 0x81, 0x80
_BYTE = 0xFF


@dataclass(frozen=True)
class TxnHeader:
    """The first 16 bytes.

    Attributes:
        major, minor: version.
        generation: 3 for npu1, 4 for npu2.
        rows, columns, mem_rows: of the array or partition.
        rest: bytes 6 and 7.
    """

    major: int
    minor: int
    generation: int = 3
    rows: int = 6
    columns: int = 1
    mem_rows: int = 1
    rest: int = 0

    @property
    def version(self) -> tuple[int, int]:
        """Major and minor."""
        return self.major, self.minor

    @property
    def device(self) -> str:
        """``npu1`` or ``npu2``."""
        return _GENERATIONS[self.generation]

    def words(self) -> tuple[int, int]:
        """The first two words."""
        first = self.major | self.minor << 8 | self.generation << 16 | self.rows << 24
        return first, self.columns | self.mem_rows << 8 | self.rest << 16


@dataclass(frozen=True)
class Transaction:
    """An instruction stream.

    Attributes:
        header: its version and array.
        ops: in order.
    """

    header: TxnHeader
    ops: tuple[RegisterOp, ...]

    def encode(self) -> bytes:
        """The file's bytes; operations keep the words they were read with."""
        body = [word for op in self.ops for word in op.words]
        return words_to_bytes([*self.header.words(), len(self.ops), HEADER_BYTES + 4 * len(body), *body])


def is_transaction(data: bytes) -> bool:
    """True if the bytes begin as an instruction stream does."""
    return len(data) >= 4 and (data[0], data[1]) in VERSIONS and data[2] in _GENERATIONS


def decode_transaction(data: bytes, file: Path | None = None) -> Transaction:
    """Read an instruction stream.

    Raises:
        InputError: anything that is not one, with its byte offset.
    """
    source = WordFile(data, file)
    first, second, count, size = source.words(0, 4, "the header")
    header = TxnHeader(first & _BYTE, first >> 8 & _BYTE, first >> 16 & _BYTE, first >> 24,
                       second & _BYTE, second >> 8 & _BYTE, second >> 16)  # fmt: skip
    if header.version not in VERSIONS:
        raise source.error(0, f"version {header.major}.{header.minor}", "0.1 or 1.0")
    if header.generation not in _GENERATIONS:
        raise source.error(2, f"device generation {header.generation}", "3 (npu1) or 4 (npu2)")
    if size != len(data):
        raise source.error(12, f"a size of {size} bytes", f"{len(data)}, the bytes of the file")
    at, ops = HEADER_BYTES, []
    reader = _Reader(source, header.version == (0, 1))
    for number in range(count):
        if at == len(data):
            raise source.error(8, f"{count} operations announced", f"{number}, as many as there are")
        ops.append(reader.read(at))
        at += 4 * len(ops[-1].words)
    if at != len(data):
        raise source.error(at, f"{len(data) - at} bytes after operation {count}", "the end")
    return Transaction(header, tuple(ops))


class _Reader:
    """Reads operations of one version."""

    def __init__(self, source: WordFile, long: bool) -> None:
        self.source = source
        self.long = long

    def read(self, at: int) -> RegisterOp:
        """The operation at a byte offset."""
        code = self.source.word(at, "an operation") & _BYTE
        if code in (0, 1, 2, *_MASKED):
            return self._access(at, code)
        if code in (5, 6):
            words = self.source.words(at, 1, "an operation")
            kind = OpKind.NOOP if code == 5 else OpKind.PREEMPT
            return RegisterOp(kind, numbers=() if code == 5 else (words[0] >> 8 & _BYTE,), words=words, offset=at)
        if code == 8 and self.long:
            words = self.source.words(at, 4, "load PDI")
            return RegisterOp(OpKind.PDI, numbers=(words[0] >> 16, *words[1:]), words=words, offset=at)
        if code >= _CUSTOM:
            return self._custom(at, code)
        raise self.source.error(
            at, f"operation {code}", "an operation of known length: 0 to 7, 8 (version 0.1), 128 up"
        )

    def _access(self, at: int, code: int) -> RegisterOp:
        if code == 2 and not self.long:
            raise self.source.error(at, "block set in version 1.0", "an operation of known length")
        if code in (1, 2):
            return self._block(at, code)
        masked = code in _MASKED
        kind = _MASKED.get(code, OpKind.WRITE)
        if not self.long:
            words = self.source.words(at, 4 if masked else 3, str(kind))
            return RegisterOp(kind, words[1], (words[2],), words[3] if masked else 0, words=words, offset=at)
        count = 7 if masked else 6
        words = self.source.words(at, count, str(kind))
        if masked and words[6] == 32:
            words = self.source.words(at, 8, str(kind))
        elif words[count - 1] != 4 * count:
            expected = f"{4 * count}" + (" or 32" if masked else "")
            raise self.source.error(at + 4 * count - 4, f"{kind} of {words[count - 1]} bytes", expected)
        return RegisterOp(kind, words[2], (words[4],), words[5] if masked else 0, words=words, offset=at)

    def _block(self, at: int, code: int) -> RegisterOp:
        head = 4 if self.long else 3
        first = self.source.words(at, head, "block write")
        size = first[head - 1]
        if size % 4 or size < 4 * head or (code == 2 and size != 24):
            expected = "24" if code == 2 else f"a multiple of 4, at least {4 * head}"
            raise self.source.error(at + 4 * head - 4, f"block of {size} bytes", expected)
        words = self.source.words(at, size // 4, f"a block of {size} bytes")
        address = words[2] if self.long else words[1]
        if code == 2:
            return RegisterOp(OpKind.SET, address, (words[4],), numbers=(words[5],), words=words, offset=at)
        return RegisterOp(OpKind.BLOCK, address, words[head:], words=words, offset=at)

    def _custom(self, at: int, code: int) -> RegisterOp:
        size = self.source.words(at, 2, "an operation with its size")[1]
        wanted = {_TOKEN: 16, _PATCH: 48 if self.long else 24}.get(code)
        if size % 4 or size < 8 or (wanted is not None and size != wanted):
            expected = f"{wanted}" if wanted is not None else "a multiple of 4, at least 8"
            raise self.source.error(at + 4, f"operation {code:#x} of {size} bytes", expected)
        words = self.source.words(at, size // 4, f"operation {code:#x} of {size} bytes")
        if code == _TOKEN:
            a, b = words[2:]
            numbers = (a & _BYTE, a >> 16 & _BYTE, a >> 8 & _BYTE, b >> 16 & _BYTE, b >> 8 & _BYTE, b >> 24)
            return RegisterOp(OpKind.WAIT, numbers=numbers, words=words, offset=at)
        if code == _PATCH:
            address, argument, extra = (words[6], words[8], words[10]) if self.long else words[2:5]
            return RegisterOp(OpKind.PATCH, address, numbers=(argument, extra), words=words, offset=at)
        return RegisterOp(OpKind.CUSTOM, values=words[2:], numbers=(code,), words=words, offset=at)


# -- the usual words ---------------------------------------------------------------------------------------------------


def usual_words(op: RegisterOp, version: tuple[int, int]) -> tuple[int, ...]:
    """The words that a compiler writes for an operation.

    Raises:
        UsageError: the version has no such operation.
    """
    long = version == (0, 1)
    plain: dict[OpKind, Callable[[], Sequence[int]]] = {
        OpKind.NOOP: lambda: (5,),
        OpKind.PREEMPT: lambda: (6 | op.numbers[0] << 8,),
        OpKind.WAIT: lambda: _wait(op),
        OpKind.CUSTOM: lambda: (op.numbers[0], 8 + 4 * len(op.values), *op.values),
    }
    wide: dict[OpKind, Callable[[], Sequence[int]]] = {
        OpKind.WRITE: lambda: (0, 0, op.address, 0, op.values[0], 24),
        OpKind.BLOCK: lambda: (1, 0, op.address, 16 + 4 * len(op.values), *op.values),
        OpKind.SET: lambda: (2, 0, op.address, 24, op.values[0], op.numbers[0]),
        OpKind.PDI: lambda: (8 | op.numbers[0] << 16, *op.numbers[1:]),
        OpKind.PATCH: lambda: (_PATCH, 48, 0, 0, 0, 0, op.address, 0, op.numbers[0], 0, op.numbers[1], 0),
    }
    short: dict[OpKind, Callable[[], Sequence[int]]] = {
        OpKind.WRITE: lambda: (0, op.address, op.values[0]),
        OpKind.BLOCK: lambda: (1, op.address, 12 + 4 * len(op.values), *op.values),
        OpKind.PATCH: lambda: (_PATCH, 24, op.address, *op.numbers, 0),
    }
    made = {**plain, **(wide if long else short)}.get(op.kind)
    if made is not None:
        return tuple(made())
    for code, kind in _MASKED.items():
        if kind is op.kind:
            return (code, 0, op.address, 0, op.values[0], op.mask, 28) if long else (
                code, op.address, op.values[0], op.mask)  # fmt: skip
    raise UsageError(f"version {version[0]}.{version[1]} of an instruction stream has no {op.kind}")


def _wait(op: RegisterOp) -> tuple[int, ...]:
    direction, column, row, columns, rows, channel = op.numbers
    return (_TOKEN, 16, direction | row << 8 | column << 16, rows << 8 | columns << 16 | channel << 24)


def read_hex_words(text: str, file: Path | None = None) -> bytes:
    """The text form of an instruction stream: a word of 8 hexadecimal digits per line.

    Raises:
        InputError: another line.
    """
    words = []
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped:
            continue
        try:
            if len(stripped) != 8:
                raise ValueError
            words.append(int(stripped, 16))
        except ValueError:
            raise InputError(repr(stripped[:20]), "8 hexadecimal digits", file=file, line=number) from None
    return words_to_bytes(words)
