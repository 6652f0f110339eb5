# SPDX-License-Identifier: Apache-2.0
"""What a trace test says, statement by statement."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL, Configuration
from goldbeat.pymodels.nvdla.engines.registers import CsbRegister, csb_register

MAIN_MEMORY, SECOND_MEMORY = "pri_mem", "sec_mem"
TRANSACTIONS = ".txn"
_WORD = 0xFFFF_FFFF


@dataclass(frozen=True)
class TraceStatement:
    """One statement.

    Attributes:
        line: in the file.
        kind: ``write``, ``read``, ``poll``; ``notify``, ``wait``; ``interrupt``; ``crc``, ``file``, ``nothing``.
        thread: statements of one thread follow each other; different threads run side by side.
        register: of ``write``, ``read`` and ``poll``.
        value: to write, to read or to poll for; the checksum of ``crc``. None: a read whose value does not count.
        mask: the bits of a read that count.
        sync: the event that is notified, waited for, or behind which memory is checked.
        source: of ``interrupt``: engine and group, such as ``SDP_0``; empty for any.
        base, size: of the memory that is checked, in bytes.
        wanted: what must lie there, for ``file``.
    """

    line: int
    kind: str
    thread: str = ""
    register: CsbRegister | None = None
    value: int | None = None
    mask: int = _WORD
    sync: str = ""
    source: str = ""
    base: int = 0
    size: int = 0
    wanted: bytes = b""


@dataclass(frozen=True)
class TraceMemory:
    """Bytes that are in memory before the first statement.

    Attributes:
        line: in the file.
        base: address of the first byte.
        pieces: offsets and bytes.
    """

    line: int
    base: int
    pieces: Sequence[tuple[int, bytes]]


@dataclass(frozen=True)
class NvdlaTrace:
    """A trace test.

    Attributes:
        file: where it stands.
        memories: what is written to memory, in this order.
        statements: all others.
        configuration: of the hardware that it is for.
    """

    file: Path
    memories: Sequence[TraceMemory] = field(default_factory=tuple)
    statements: Sequence[TraceStatement] = field(default_factory=tuple)
    configuration: Configuration = NV_SMALL

    @property
    def name(self) -> str:
        """Its name in reports."""
        return trace_name(self.file)

    @property
    def checks(self) -> list[TraceStatement]:
        """The statements that compare memory."""
        return [one for one in self.statements if one.kind in ("crc", "file")]


def trace_word(file: Path, line: int, text: str) -> int:
    """A register's value, a mask or a checksum.

    Raises:
        InputError: it is no number of 32 bits.
    """
    with suppress(ValueError):
        if 0 <= (value := int(text, 0)) <= _WORD:
            return value
    raise InputError(repr(text), f"a number of 32 bits, 0 to 0x{_WORD:x}", file=file, line=line)


def trace_name(file: Path) -> str:
    """The file's name; that of its folder where the file has the name that all have."""
    return file.parent.name if file.suffix == TRANSACTIONS else file.stem


def trace_register(file: Path, line: int, name: str, configuration: Configuration = NV_SMALL) -> CsbRegister:
    """A register by its name in trace tests, ``NVDLA_SDP.D_DATA_CUBE_WIDTH_0``.

    Raises:
        InputError: the hardware has none of this name.
    """
    block, dot, register = name.removeprefix("NVDLA_").partition(".")
    with suppress(UsageError):
        if dot and block not in configuration.absent_blocks:
            return csb_register(block, register.removesuffix("_0"))
    raise InputError(name, f"a register of {configuration.name}, such as NVDLA_SDP.S_POINTER_0", file=file, line=line)
