# SPDX-License-Identifier: Apache-2.0
"""Trace configurations (``.cfg``) of the public hardware repository.

Source of the form: nvdla/hw, branch nv_small, ``verif/tests/trace_tests`` and the statements that its player knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL, Configuration
from goldbeat.pymodels.nvdla.traces.statements import (
    MAIN_MEMORY,
    SECOND_MEMORY,
    TRANSACTIONS,
    NvdlaTrace,
    TraceMemory,
    TraceStatement,
    trace_register,
    trace_word,
)
from goldbeat.pymodels.nvdla.traces.surfaces import read_pieces
from goldbeat.pymodels.nvdla.traces.transactions import read_transactions

_CALL = re.compile(r"(\w+)\s*\(([^()]*)\)\s*;?\s*")
_FILL = {"ALL_ZERO": 0x00, "ONES": 0xFF, "AFIVE": 0xA5, "FIVEA": 0x5A}
_MAIN = (MAIN_MEMORY, "0", "1")
"""What the main memory is called; several public tests call it 1."""
_MOST_BYTES = 256 << 20


def read_nvdla_trace(file: Path, configuration: Configuration = NV_SMALL) -> NvdlaTrace:
    """A trace test with its data: a configuration (``.cfg``), or transactions (``.txn``).

    Args:
        file: the test.
        configuration: of the hardware: it has more registers and a second memory, or other addresses of registers.

    Raises:
        InputError: no such file, a statement of another form, a register that the hardware does not have, or data
            that are not there.
    """
    try:
        text = file.read_text(encoding="ascii", errors="replace")
    except FileNotFoundError as error:
        raise InputError("no such file", "a trace test (.cfg or .txn)", file=file) from error
    except OSError as error:
        raise InputError(str(error), "a trace test (.cfg or .txn)", file=file) from error
    if file.suffix == TRANSACTIONS:
        return read_transactions(file, text, configuration)
    return _Statements(file, configuration).read(text)


class _Statements:
    def __init__(self, file: Path, configuration: Configuration) -> None:
        self._file, self._configuration = file, configuration
        self._memories: list[TraceMemory] = []
        self._statements: list[TraceStatement] = []
        self._line = 0
        self._forms: dict[str, tuple[tuple[int, ...], Callable[..., None]]] = {
            "mem_init": ((4,), self._init),
            "mem_load": ((3,), self._load),
            "reg_write": ((2,), self._write),
            "reg_read_check": ((2,), self._read_check),
            "reg_read": ((2,), self._read),
            "poll_reg_equal": ((2,), self._poll),
            "sync_notify": ((2,), self._notify),
            "sync_wait": ((2,), self._wait),
            "intr_notify": ((1, 2), self._interrupt),
            "check_crc": ((5,), self._crc),
            "check_file": ((5,), self._check_file),
            "check_nothing": ((1, 2, 3, 4, 5), self._nothing),
        }

    def read(self, text: str) -> NvdlaTrace:
        for self._line, line in enumerate(text.splitlines(), 1):
            code = line.partition("//")[0].strip()
            at = 0
            while at < len(code):
                call = _CALL.match(code, at)
                if call is None:
                    found = repr(code[at : at + 60])
                    raise self._error(found, "a statement such as reg_write(NVDLA_SDP.S_POINTER_0, 0x0);")
                self._statement(call[1], [part.strip() for part in call[2].split(",")])
                at = call.end()
        return NvdlaTrace(self._file, tuple(self._memories), tuple(self._statements), self._configuration)

    def _error(self, found: str, expected: str) -> InputError:
        return InputError(found, expected, file=self._file, line=self._line)

    def _statement(self, name: str, arguments: list[str]) -> None:
        if name not in self._forms:
            raise self._error(name, f"one of {', '.join(self._forms)}")
        counts, make = self._forms[name]
        if len(arguments) not in counts:
            wanted = " or ".join(map(str, counts))
            raise self._error(f"{name} with {len(arguments)} argument(s)", f"{wanted} of them")
        make(*arguments)

    def _number(self, text: str) -> int:
        try:
            return int(text, 0)
        except ValueError:
            raise self._error(repr(text), "a number") from None

    def _extent(self, memory: str, base: str, size: str | None = None) -> tuple[int, int]:
        if memory not in _MAIN and not (memory == SECOND_MEMORY and self._configuration.second_memory):
            name = self._configuration.name
            wanted = f" or {SECOND_MEMORY}" if self._configuration.second_memory else f": {name} has no second memory"
            raise self._error(f"memory {memory}", MAIN_MEMORY + wanted)
        at, length = self._number(base), 0 if size is None else self._number(size)
        bits = self._configuration.address_bits
        if not 0 <= length <= _MOST_BYTES or not 0 <= at <= (1 << bits) - length:
            raise self._error(f"{length} bytes at 0x{at:x}", f"at most {_MOST_BYTES} bytes within {bits} address bits")
        return at, length

    def _path(self, text: str) -> Path:
        return self._file.parent / text.strip('"')

    # -- memory

    def _init(self, memory: str, base: str, size: str, pattern: str) -> None:
        if size.startswith('"'):
            at, length = self._extent(memory, base)[0], max(at + len(d) for at, d in read_pieces(self._path(size)))
        else:
            at, length = self._extent(memory, base, size)
        self._memories.append(TraceMemory(self._line, at, ((0, self._filled(pattern, at, length)),)))

    def _filled(self, pattern: str, base: int, size: int) -> bytes:
        if pattern == "ADDR":
            return (np.arange(base, base + size, dtype=np.uint64) & 0xFF).astype(np.uint8).tobytes()
        if pattern == "RANDOM":
            # Any bytes will do; these are the same each time.
            return np.random.default_rng(base).integers(0, 256, size, dtype=np.uint8).tobytes()
        if pattern not in _FILL:
            raise self._error(f"pattern {pattern}", f"one of {', '.join([*_FILL, 'ADDR', 'RANDOM'])}")
        return bytes([_FILL[pattern]]) * size

    def _load(self, memory: str, base: str, file: str) -> None:
        at, _ = self._extent(memory, base)
        self._memories.append(TraceMemory(self._line, at, tuple(read_pieces(self._path(file)))))

    # -- registers

    def _add(self, kind: str, name: str, value: str | None, thread: str | None = None) -> None:
        register = trace_register(self._file, self._line, name, self._configuration)
        number = None if value is None else trace_word(self._file, self._line, value)
        one = TraceStatement(self._line, kind, thread or register.block, register, number)
        self._statements.append(one)

    def _write(self, name: str, value: str) -> None:
        self._add("write", name, value)

    def _read_check(self, name: str, value: str) -> None:
        self._add("read", name, value)

    def _read(self, name: str, _variable: str) -> None:
        self._add("read", name, None)

    def _poll(self, name: str, value: str) -> None:
        self._add("poll", name, value)

    # -- events

    def _notify(self, block: str, sync: str) -> None:
        self._statements.append(TraceStatement(self._line, "notify", block.removeprefix("NVDLA_"), sync=sync))

    def _wait(self, block: str, sync: str) -> None:
        self._statements.append(TraceStatement(self._line, "wait", block.removeprefix("NVDLA_"), sync=sync))

    def _interrupt(self, *arguments: str) -> None:
        *source, sync = arguments
        self._statements.append(TraceStatement(self._line, "interrupt", sync=sync, source="".join(source).upper()))

    # -- checks

    def _checked(self, memory: str, base: str, size: str) -> tuple[int, int]:
        at, length = self._extent(memory, base, size)
        if not length:
            raise self._error("a check of 0 bytes", "at least one")
        return at, length

    def _crc(self, sync: str, memory: str, base: str, size: str, crc: str) -> None:
        at, length = self._checked(memory, base, size)
        wanted = trace_word(self._file, self._line, crc)
        one = TraceStatement(self._line, "crc", sync=sync, base=at, size=length, value=wanted)
        self._statements.append(one)

    def _check_file(self, sync: str, memory: str, base: str, size: str, file: str) -> None:
        at, length = self._checked(memory, base, size)
        wanted = np.zeros(length, np.uint8)
        pieces = read_pieces(self._path(file))
        if not any(offset < length and data for offset, data in pieces):
            raise self._error(f"{file} without a byte of the {length} that are checked", "at least one")
        for offset, data in pieces:
            part = data[: max(0, length - offset)]
            wanted[offset : offset + len(part)] = np.frombuffer(part, np.uint8)
        one = TraceStatement(self._line, "file", sync=sync, base=at, size=length, wanted=wanted.tobytes())
        self._statements.append(one)

    def _nothing(self, sync: str, *_: str) -> None:
        self._statements.append(TraceStatement(self._line, "nothing", sync=sync))
