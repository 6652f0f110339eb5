# SPDX-License-Identifier: Apache-2.0
"""Transactions (``input.txn``): one access behind the other, with the data files that they name.

An address with bits 31 to 16 set is that of a word, any other one is that of a byte. ``until`` polls a register, as transactions
from a log of the virtual platform do. Source of the form: nvdla/hw, branch nvdlav1, ``verif/traces/traceplayer``.
"""

from __future__ import annotations

from pathlib import Path

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL, Configuration
from goldbeat.pymodels.nvdla.engines.registers import CsbRegister, register_at
from goldbeat.pymodels.nvdla.traces.statements import NvdlaTrace, TraceMemory, TraceStatement, trace_word
from goldbeat.pymodels.nvdla.traces.surfaces import read_byte_list

_THREAD = "all"
_WORDS_ABOVE = 0xFFFF
_STATUS = "GLB.S_INTR_STATUS"
_WORDS = {"write_reg": (2, 3), "read_reg": (3, 4), "load_mem": (3,), "dump_mem": (3,), "wait": (0,), "until": (2, 3)}


def read_transactions(file: Path, text: str, configuration: Configuration = NV_SMALL) -> NvdlaTrace:
    """The transactions of a file.

    Args:
        file: where they stand; data files lie beside it.
        text: its contents.
        configuration: of the hardware.

    Raises:
        InputError: a transaction of another form, a register that the hardware does not have, or data that are not there.
    """
    memories: list[TraceMemory] = []
    statements: list[TraceStatement] = []
    for line, row in enumerate(text.splitlines(), 1):
        words = row.partition("#")[0].split()
        if not words:
            continue
        name, arguments = words[0], words[1:]
        if name not in _WORDS or len(arguments) not in _WORDS[name]:
            raise InputError(
                repr(row.strip()[:60]), f"one of {', '.join(_WORDS)}, with its values", file=file, line=line
            )
        if name.endswith("mem"):
            numbers = [_number(file, line, word) for word in arguments[:2]]
        else:
            numbers = [trace_word(file, line, word) for word in arguments]
        match name:
            case "load_mem":
                memories.append(TraceMemory(line, numbers[0], ((0, _loaded(file, line, numbers, arguments[2])),)))
            case "dump_mem":
                wanted = read_byte_list(file.parent / arguments[2])[: numbers[1]]
                if not 0 < numbers[1] == len(wanted):
                    raise InputError(
                        f"{len(wanted)} bytes in {arguments[2]} for a dump of {numbers[1]}",
                        "every byte of it, and at least one",
                        file=file,
                        line=line,
                    )
                sync = f"line {line}"
                statements.append(TraceStatement(line, "notify", _THREAD, sync=sync))
                statements.append(
                    TraceStatement(line, "file", sync=sync, base=numbers[0], size=len(wanted), wanted=wanted)
                )
            case "wait":
                statements.append(TraceStatement(line, "interrupt", sync=f"line {line}"))
                statements.append(TraceStatement(line, "wait", _THREAD, sync=f"line {line}"))
            case "write_reg":
                register = _register(file, line, numbers[0], configuration)
                statements.append(TraceStatement(line, "write", _THREAD, register, numbers[1]))
            case "until":
                register = _register(file, line, numbers[0], configuration)
                mask = numbers[1] if len(numbers) == 3 else 0xFFFF_FFFF
                statements.append(TraceStatement(line, "poll", _THREAD, register, numbers[-1], mask))
            case _:
                register = _register(file, line, numbers[0], configuration)
                # The status of the interrupts is read until it is what it should be.
                kind = "poll" if register.full_name == _STATUS and numbers[2] else "read"
                statements.append(TraceStatement(line, kind, _THREAD, register, numbers[2], numbers[1]))
    return NvdlaTrace(file, tuple(memories), tuple(statements), configuration)


def _loaded(file: Path, line: int, numbers: list[int], name: str) -> bytes:
    """The bytes of a load; of a shorter file, those that it has."""
    base, size = numbers
    data = read_byte_list(file.parent / name)[:size]
    if size and not data:
        raise InputError(f"0 bytes in {name} to load at 0x{base:x}", str(size), file=file, line=line)
    return data


def _number(file: Path, line: int, word: str) -> int:
    try:
        return int(word, 0)
    except ValueError:
        raise InputError(repr(word), "a number", file=file, line=line) from None


def _register(file: Path, line: int, address: int, configuration: Configuration) -> CsbRegister:
    words = address >> 16 == _WORDS_ABOVE
    byte = (address & 0xFFFF) << 2 if words else address
    inside = None if byte % 4 else configuration.page_address(byte)
    found = None if inside is None else register_at(inside)
    if found is None:
        expected = f"the word address (0xffff....) or byte address of a register of {configuration.name}"
        raise InputError(f"0x{address:x}", expected, file=file, line=line)
    return found
