# SPDX-License-Identifier: Apache-2.0
"""A register map for the golden models: a module of constants, or a table in JSON where the map is one of blocks."""

from __future__ import annotations

import json
from collections.abc import Iterator

from goldbeat.tb.build.regmaps.read import MapField, MapRegister, RegisterMap
from goldbeat.tb.build.regmaps.systemverilog import masks

_HEADER = '''\
# SPDX-License-Identifier: Apache-2.0
# Made from hdl/{folder}/{name}.rdl by `python -m goldbeat.tb.build.regmaps --write`.
# fmt: off
"""Registers of {name}: byte addresses, masks of fields, reset values."""

from goldbeat.pymodels.register_map import Field, Register, by_name

ADDRESS_BITS = {bits}

'''
_WIDEST = 120


def python_text(one: RegisterMap) -> str:
    """The text of the module or of the table."""
    return _table(one) if one.python.endswith(".json") else _module(one)


def _table(one: RegisterMap) -> str:
    """One line per register: name, byte address, reset value, read mask, write mask, fields as name: [lowest bit, width]."""
    blocks = []
    for block in one.blocks:
        rows = [
            [r.name, r.address, *masks(r), {f.field.name: [f.field.lsb, f.field.width] for f in r.fields}]
            for r in one.registers
            if r.block == block
        ]
        lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        blocks.append(f"{json.dumps(block)}: [\n{lines}\n]")
    columns = "name, byte address, reset value, read mask, write mask, fields as name: [lowest bit, width]"
    head = f'"source": "hdl/{one.path.parent.name}/{one.path.name}: {columns}",\n"absent": {json.dumps(sorted(one.absent))}'
    return f'{{\n{head},\n"blocks": {{\n' + ",\n".join(blocks) + "\n}\n}\n"


def _module(one: RegisterMap) -> str:
    lines = [line for register in one.registers for line in _constants(register)]
    head = _HEADER.format(folder=one.path.parent.name, name=one.name, bits=one.address_bits)
    rows = "".join(_row(register) for register in one.registers)
    return head + "\n".join(lines) + f"\n\nREGISTERS = by_name(\n{rows})\n"


def _constants(register: MapRegister) -> Iterator[str]:
    name = register.full_name.replace(".", "_")
    array = register.group or register.name
    if register.group and not register.offset:
        yield f"{register.group} = {register.address:#06x}"
    if register.group:
        yield f"{name} = {register.offset:#04x}  # offset in {register.group}"
    else:
        yield f"{name} = {register.address:#06x}"
    if register.stride and not (register.group and register.offset):
        yield f"{array}_STRIDE = {register.stride:#x}"
    if not any(f.by_parameters for f in register.fields) and (reset := masks(register)[0]):
        yield f"{name}_RESET = {reset:#x}"
    for field in register.fields:
        if field.field.name != "VALUE":
            yield f"{name}_{field.field.name} = {field.field.mask:#x}"


def _row(register: MapRegister) -> str:
    fields = [_field(f) for f in register.fields]
    array = f", {register.stride:#x}, {register.entries}" if register.stride else ""
    head = f'    Register("{register.full_name}", {register.address:#06x}, ('
    line = f"{head}{', '.join(fields)},){array}),\n"
    if len(line) <= _WIDEST:
        return line
    return head + "\n" + "".join(f"        {field},\n" for field in fields) + f"    ){array}),\n"


def _field(one: MapField) -> str:
    field = one.field
    reset = 0 if one.by_parameters else field.reset
    words = [f'"{field.name}"', str(field.lsb), str(field.width)]
    if field.access != "rw" or reset:
        words.append(f'"{field.access}"')
    if reset:
        words.append(f"{reset:#x}")
    return f"Field({', '.join(words)})"
