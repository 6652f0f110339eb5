# SPDX-License-Identifier: Apache-2.0
"""What a register is called, and what the words that are written to it say."""

from __future__ import annotations

from goldbeat.pymodels.objfifo.artefact import tile_registers as reg
from goldbeat.pymodels.objfifo.artefact.cdo import command_note
from goldbeat.pymodels.objfifo.artefact.operation import OpKind, RegisterOp, split_address
from goldbeat.pymodels.objfifo.plan.tile import TileKind


def kind_of_row(row: int, mem_rows: int = 1) -> TileKind:
    """What is in a row of the array."""
    return TileKind.SHIM if row == 0 else TileKind.MEM if row <= mem_rows else TileKind.CORE


def register_name(kind: TileKind, offset: int) -> str:
    """The register at an offset in a tile; ``register 0x...`` where the tables have none."""
    layout = reg.TILE_MAPS[kind]
    if offset < layout.memory:
        return f"Data_Memory {offset:#x}"
    found = layout.bds.find(offset)
    if found is not None:
        return f"DMA_BD{found[0]}_{found[1]}"
    channel = reg.channel_at(kind, offset)
    if channel is not None:
        return f"DMA_{channel[0]}_{channel[1]}_{channel[2]}"
    for direction, base in layout.status.items():
        number = (offset - base) // 4
        if 0 <= number < layout.channels and offset % 4 == 0:
            return f"DMA_{direction}_{number}_Status"
    port = switch_port(kind, offset)
    if port is not None:
        part, name, number, slot = port
        return f"Stream_Switch_{part}_{name}{number}" + ("" if slot is None else f"_Slot{slot}")
    for block in (layout.locks, *layout.others):
        found = block.find(offset)
        if found is not None:
            return block.name.format(found[0])
    return f"register {offset:#x}"


def switch_port(kind: TileKind, offset: int) -> tuple[str, str, int, int | None] | None:
    """``Master``, ``Slave`` or ``BdSlot`` with the port's name and number, and the slot; None for other registers."""
    layout = reg.TILE_MAPS[kind]
    for part, base, ports in (("Master", layout.master, layout.masters), ("Slave", layout.slave, layout.slaves)):
        number, rest = divmod(offset - base, 4)
        if 0 <= number < len(ports) and rest == 0:
            return part, *ports[number], None
    number, rest = divmod(offset - layout.slots, 16)
    if 0 <= number < len(layout.slaves) and rest % 4 == 0:
        return "Slave", *layout.slaves[number], rest // 4
    return None


def describe_op(op: RegisterOp, mem_rows: int = 1) -> str:
    """An operation in words, for people."""
    if op.kind is OpKind.WAIT:
        direction, _, _, columns, rows, channel = op.numbers
        range_ = "" if (columns, rows) == (1, 1) else f" of {columns} columns, {rows} rows"
        return f"wait for a token of {'MM2S' if direction else 'S2MM'} {channel}{range_}"
    if op.kind is OpKind.COMMAND:
        return command_note(op.numbers[0])
    if op.kind in (OpKind.NOOP, OpKind.PREEMPT, OpKind.PDI, OpKind.CUSTOM):
        return {OpKind.PDI: "load a PDI", OpKind.CUSTOM: "not known; skipped by its size"}.get(op.kind, "")
    _, _, row, offset = split_address(op.address)
    kind = kind_of_row(row, mem_rows)
    name = register_name(kind, offset)
    if op.kind is OpKind.PATCH:
        return f"{name}: address of argument {op.numbers[0]} + {op.numbers[1]}"
    extra = _values(kind, offset, op.values) if op.kind in (OpKind.WRITE, OpKind.BLOCK) else ""
    return name + (f": {extra}" if extra else "")


def _values(kind: TileKind, offset: int, values: tuple[int, ...]) -> str:
    layout = reg.TILE_MAPS[kind]
    bd = layout.bds.find(offset)
    if bd is not None:
        return _bd(kind, values) if bd[1] == 0 and len(values) == layout.bds.words else ""
    channel = reg.channel_at(kind, offset)
    if channel is not None and channel[2] == "Task_Queue":
        return _set(reg.QUEUE_FIELDS, values[:1], always=("bd", "repeat", "token"))
    if channel is not None:
        return _set(reg.CONTROL_FIELDS, values[:1])
    port = switch_port(kind, offset)
    if port is None or len(values) != 1:
        return ""
    if port[3] is not None:
        return _set(reg.SLOT_FIELDS, values, always=("id", "mask", "msel", "arbiter"))
    if port[0] == "Slave":
        return _set(reg.SLAVE_FIELDS, values)
    word = (values[0],)
    if reg.MASTER_FIELDS["packet"].of(word):
        return _set({k: v for k, v in reg.MASTER_FIELDS.items() if k != "configuration"}, word, always=("arbiter",))
    number = reg.MASTER_FIELDS["configuration"].of(word)
    source = "{}{}".format(*layout.slaves[number]) if number < len(layout.slaves) else f"port {number}"
    return f"from {source}" if reg.MASTER_FIELDS["on"].of(word) else "off"


def _bd(kind: TileKind, values: tuple[int, ...]) -> str:
    fields = dict(reg.BD_FIELDS[kind])
    for name in ("acquire_value", "release_value"):
        fields.pop(name)
    text = _set(fields, values, always=("length",))
    for name in ("acquire", "release"):
        value = reg.signed_value(reg.BD_FIELDS[kind][f"{name}_value"].of(values))
        if value:
            text += f" {name}_value={value}"
    return text


def _set(fields: dict[str, reg.BitField], values: tuple[int, ...], always: tuple[str, ...] = ()) -> str:
    found = {name: field.of(values) for name, field in fields.items()}
    return " ".join(f"{name}={value}" for name, value in found.items() if value or name in always)
