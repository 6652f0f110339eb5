# SPDX-License-Identifier: Apache-2.0
"""The tables of registers in the docs, between ``<!-- registers NAME -->`` and ``<!-- end registers -->``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.build.regmaps.read import MapField, MapRegister, RegisterMap

_BEGIN = re.compile(r"<!-- registers (\w+) -->")
_END = "<!-- end registers -->"


def map_page(path: Path, maps: Mapping[str, RegisterMap]) -> tuple[str, list[str]]:
    """A page with its tables made anew, and the names of their maps.

    Raises:
        InputError: a table of no map, or one without an end.
    """
    lines, made, names = path.read_text(encoding="utf-8").split("\n"), [], []
    at = 0
    while at < len(lines):
        made.append(lines[at])
        if found := _BEGIN.fullmatch(lines[at]):
            if found[1] not in maps:
                raise InputError(f"a table of {found[1]}", f"one of {', '.join(sorted(maps))}", file=path, line=at + 1)
            if _END not in lines[at:]:
                raise InputError("no end of the table", _END, file=path, line=at + 1)
            names.append(found[1])
            at = lines.index(_END, at)
            made += [*map_table(maps[found[1]]), _END]
        at += 1
    return "\n".join(made), names


def map_table(one: RegisterMap) -> list[str]:
    """The table's lines: of blocks for a map of blocks, else of registers."""
    if one.blocks:
        rows = [_block(one, name, base) for name, base in one.blocks.items()]
        return ["| address | block | registers | |", "|---|---|---|---|", *rows]
    digits = (one.address_bits + 3) // 4
    head = ["| address | name | access | meaning |", "|---|---|---|---|"]
    return [*head, *(_register(register, digits) for register in one.registers)]


def _block(one: RegisterMap, name: str, base: int) -> str:
    number = sum(r.block == name for r in one.registers)
    return f"| {base:#07x} | {name} | {number} | {'not built' if name in one.absent else ''} |"


def _register(register: MapRegister, digits: int) -> str:
    address, name = f"0x{register.address:0{digits}X}", register.full_name
    if register.stride:
        address += f"+{register.stride}{register.index}"
        name = f"[{register.index}].".join(name.split(".")) if register.group else f"{name}[{register.index}]"
    kinds = {f.field.access.upper() for f in register.fields}
    access = kinds.pop() if len(kinds) == 1 else "".join(way for way in "RW" if any(way in kind for kind in kinds))
    fields = [_field(f, access) for f in register.fields]
    between = "; " if any(f.text for f in register.fields) else ", "
    meaning = "; ".join(filter(None, (register.text, between.join(filter(None, fields)))))
    return f"| {address} | {name} | {access} | {meaning} |"


def _field(one: MapField, access: str) -> str:
    """``[5:0] NAME (R): text, reset 1``, without what the rest of the row says."""
    field = one.field
    whole = field.name == "VALUE"
    bits = f"[{field.lsb + field.width - 1}:{field.lsb}]" if field.width > 1 else f"[{field.lsb}]"
    words = ["" if whole and field.width == 32 else bits, "" if whole else field.name]
    words.append(f"({field.access.upper()})" if field.access.upper() != access else "")
    said = " ".join(filter(None, words))
    if one.constant and not one.by_parameters:
        return f"{said} {field.reset:#010X}".strip().replace("0X", "0x")
    extended = "signed, reads sign-extended" if one.sign_extended else ""
    reset = f"reset {field.reset}" if field.reset and not one.by_parameters else ""
    return ", ".join(filter(None, ((" " if whole else ": ").join(filter(None, (said, one.text))), extended, reset)))
