# SPDX-License-Identifier: Apache-2.0
"""A register map as a SystemVerilog package: constants, or a table by address where the map is one of blocks."""

from __future__ import annotations

from collections.abc import Iterator

from goldbeat.tb.build.regmaps.read import MapField, MapRegister, RegisterMap

_HEADER = """\
// SPDX-License-Identifier: Apache-2.0
//
// {name}_regs_pkg - {what}
//
// Made from {name}.rdl by `python -m goldbeat.tb.build.regmaps --write`.

package {name}_regs_pkg;
"""

_TABLE = """
  typedef struct packed {
    logic [31:0] reset;
    logic [31:0] read;
    logic [31:0] write;
  } entry_t;

  // 0 without a register.
  function automatic entry_t entry(input logic [15:0] address);
    case (address)
"""

_LINT_OFF = "  // Not every bench needs all of them.\n  /* verilator lint_off UNUSEDPARAM */"
_LINT_ON = "  /* verilator lint_on UNUSEDPARAM */\n\nendpackage\n"


def package(one: RegisterMap) -> str:
    """The text of the package."""
    return _table(one) if one.blocks else _constants(one)


def masks(register: MapRegister) -> tuple[int, int, int]:
    """Reset value, bits that can be read, bits that can be written."""
    fields = [f.field for f in register.fields]
    return (
        sum(f.reset << f.lsb for f in fields),
        sum(f.mask for f in fields if "r" in f.access),
        sum(f.mask for f in fields if "w" in f.access),
    )


def _words(one: RegisterMap) -> Iterator[str]:
    """Base and size of each block, and the words of the registers that the RTL names."""
    for block, base in one.blocks.items():
        mine = [r for r in one.registers if r.block == block and block not in one.absent]
        if mine:
            yield f"localparam logic [15:0] Base{_camel(block)} = 16'h{base:04x};"
            yield f"localparam int unsigned Words{_camel(block)} = {(mine[-1].address - base) // 4 + 1};"
        for register in mine:
            if register.word_constant:
                name = f"Word{_camel(block)}{_camel(register.name)}"
                yield f"localparam int unsigned {name} = {(register.address - base) // 4};"


def _table(one: RegisterMap) -> str:
    what = "what each register resets to, which of its bits can be read, which written."
    text = _HEADER.format(name=one.name, what=what) + _TABLE
    for register in one.registers:
        if register.block not in one.absent:
            values = "_".join(f"{value:08x}" for value in masks(register))
            text += f"      16'h{register.address:04x}: return 96'h{values}; // {register.block}.{register.name}\n"
    text += "      default:  return '0;\n    endcase\n  endfunction\n\n"
    return "\n".join([text + _LINT_OFF, *(f"  {line}" for line in _words(one)), _LINT_ON])


def _constants(one: RegisterMap) -> str:
    lines = [_HEADER.format(name=one.name, what="byte addresses, fields and reset values.")]
    lines.append(_LINT_OFF)
    address = f"logic [{one.address_bits - 1}:0]"
    digits = (one.address_bits + 3) // 4
    for register in one.registers:
        for kind, name, value, note in _of_register(register):
            if kind == "address":
                lines.append(f"  localparam {address} {name} = {one.address_bits}'h{value:0{digits}X};{note}")
            elif kind == "word":
                lines.append(f"  localparam logic [31:0] {name} = 32'h{value:08X};{note}")
            else:
                lines.append(f"  localparam int unsigned {name} = {value};{note}")
    return "\n".join([*lines, _LINT_ON])


def _of_register(register: MapRegister) -> Iterator[tuple[str, str, int, str]]:
    """Kind, name, value and comment of each constant."""
    group, name = _camel(register.group), _camel(register.group) + _camel(register.name)
    if group and not register.offset:
        yield "address", f"Addr{group}", register.address, ""
        yield "number", f"Stride{group}", register.stride, "  // bytes"
    if group:
        yield "address", f"Offset{name}", register.offset, f"  // in {register.group}"
    else:
        yield "address", f"Addr{name}", register.address, ""
        if register.stride:
            yield "number", f"Stride{name}", register.stride, "  // bytes"
    if not any(f.by_parameters for f in register.fields):
        reset, *_ = masks(register)
        held = sum(f.field.mask for f in register.fields if f.field.access == "rw")
        if reset:
            yield "word", f"Reset{name}", reset, ""
        if held:
            yield "word", f"Held{name}", held, "  // bits that hold what is written"
    for field in register.fields:
        yield from _of_field(name, field)


def _of_field(register: str, one: MapField) -> Iterator[tuple[str, str, int, str]]:
    name = register + ("" if one.field.name == "VALUE" else _camel(one.field.name))
    if one.field.name != "VALUE":
        yield "number", f"{name}Lsb", one.field.lsb, ""
    if one.field.width not in (1, 32) and (one.constant or not one.by_parameters):
        yield "number", f"{name}Width", one.field.width, ""


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
