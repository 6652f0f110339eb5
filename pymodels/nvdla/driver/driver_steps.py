# SPDX-License-Identifier: Apache-2.0
"""What a driver does, step by step, and how it writes to registers."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.engines.clients import RAM_DRAM, RAM_SRAM
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL, Configuration
from goldbeat.pymodels.nvdla.engines.registers import CsbRegister, csb_register
from goldbeat.pymodels.nvdla.loadable.layouts import MEM_SRAM
from goldbeat.pymodels.nvdla.loadable.network import Cube, LoadableNetwork
from goldbeat.pymodels.nvdla.loadable.placement import Placement
from goldbeat.pymodels.register_map import Field

Kind = Literal["write", "read", "interrupt", "note"]


class StuckError(InputError):
    """Nothing is enabled that could give an event."""


@dataclass(frozen=True)
class DriverStep:
    """One step of a driver.

    Attributes:
        kind: ``write`` or ``read`` a register, wait for an ``interrupt``, or a ``note``: something that happens in the
            driver and asks nothing of the hardware.
        address: byte address of the register.
        value: to write.
        text: of a note.
    """

    kind: Kind
    address: int = 0
    value: int = 0
    text: str = ""


_DATA = ("src_data", "dst_data")
_WORD = 0xFFFFFFFF
Steps = Generator[DriverStep, int, Any]
"""Yields steps and is sent what was read (anything for the others)."""


_SIGNED = re.compile("_OPERAND$|(CVT|DATIN|DATOUT)_OFFSET$|SCALE$|FLOW_SHIFT$|LUT_DATA$|^PAD_VALUE|_(START|END)_HIGH$")
"""Names of fields that hold two's complement. Those of 32 bits hold any word."""


def write_step(block: str, name: str, value: int, *, raw: bool = False) -> DriverStep:
    """A write of a whole register, negative numbers in two's complement.

    Args:
        block: of the register.
        name: of the register.
        value: to write.
        raw: a bit pattern, such as half precision, whatever the sign of the field.

    Raises:
        InputError: the value does not fit the only field, if it begins at bit 0.
    """
    one = csb_register(block, name)
    if len(one.fields) == 1 and not one.fields[0].lsb:
        _fitting(one, one.fields[0], value, raw)
    return DriverStep("write", one.address, value & _WORD)


def write_fields(block: str, name: str, **fields: int) -> DriverStep:
    """A write of fields; the bits between them are 0.

    Raises:
        InputError: a value does not fit its field.
    """
    one = csb_register(block, name)
    parts = ((one.field(field), int(number)) for field, number in fields.items())
    return DriverStep("write", one.address, sum(_fitting(one, field, n, False) << field.lsb for field, n in parts))


def _fitting(register: CsbRegister, field: Field, value: int, raw: bool) -> int:
    """A value as its field holds it."""
    whole = 1 << field.width
    word = field.width == 32
    signed = word or bool(_SIGNED.search(field.name))
    low, high = -whole // 2 if signed else 0, whole // 2 if signed and not (raw or word) else whole
    if not low <= value < high:
        name = register.full_name if field.name in register.name else f"{register.full_name} {field.name}"
        raise InputError(f"{name} {value}", f"{low} to {high - 1}")
    return value & whole - 1


def write_address(block: str, prefix: str, address: int, *, high_first: bool = False) -> Steps:
    """The writes of the low and the high word of an address."""
    low, high = write_step(block, f"{prefix}_LOW", address & _WORD), write_step(block, f"{prefix}_HIGH", address >> 32)
    yield high if high_first else low
    yield low if high_first else high


def read_step(block: str, name: str) -> DriverStep:
    """A read of a register."""
    return DriverStep("read", csb_register(block, name).address)


def unmask(engine: str) -> Steps:
    """Let through the interrupts of both groups of an engine."""
    mask = yield read_step("GLB", "S_INTR_MASK")
    register = csb_register("GLB", "S_INTR_MASK")
    bits = sum(1 << register.field(f"{engine}_DONE_MASK{group}").lsb for group in (0, 1))
    yield write_step("GLB", "S_INTR_MASK", mask & ~bits)


def note(text: str) -> DriverStep:
    """Something to say."""
    return DriverStep("note", text=text)


@dataclass(frozen=True)
class Context:
    """What programming an operation needs: the network, where its memories lie, and for which hardware."""

    network: LoadableNetwork
    placement: Placement
    configuration: Configuration = NV_SMALL

    def address(self, cube: Cube, what: str) -> int:
        """The hardware address of a cube.

        Raises:
            InputError: it has none, or it or a stride of data is not a multiple of the atom's bytes.
        """
        file = self.network.loadable.file
        if cube.entry is None:
            raise InputError(f"{what}: {cube.name} without an address", "one of the address list", file=file)
        address = self.placement.address_of(cube.entry.id) + cube.offset
        if address % (atom := self.configuration.atom):
            raise InputError(f"{what}: {cube.name} at 0x{address:x}", f"a multiple of {atom}", file=file)
        if cube.name in _DATA:
            (_, height, channels), (line, surface) = sizes(cube), strides(cube)
            for name, stride, used in (("line_stride", line, height > 1), ("surf_stride", surface, channels > atom)):
                if used and stride % atom:
                    raise InputError(f"{what}: {cube.name}.{name} {stride}", f"a multiple of {atom}", file=file)
        return address

    def fail(self, found: str, expected: str) -> InputError:
        """An error about this file."""
        return InputError(found, expected, file=self.network.loadable.file)


def memory_code(kind: int) -> int:
    """The code of a type of memory; the driver writes that of DRAM for anything but SRAM."""
    return RAM_SRAM if kind == MEM_SRAM else RAM_DRAM


def ram_type(cube: Cube) -> int:
    """The code of a cube's memory."""
    return memory_code(int(cube.record["type"]))


def sizes(cube: Cube) -> tuple[int, int, int]:
    """Width, height and channels."""
    one = cube.record
    return int(one["width"]), int(one["height"]), int(one["channel"])


def strides(cube: Cube) -> tuple[int, int]:
    """Line and surface stride."""
    return int(cube.record["line_stride"]), int(cube.record["surf_stride"])
