# SPDX-License-Identifier: Apache-2.0
"""Single commands of TPUs on memories of random bytes: by the model, and by the vendor's functional model."""

from __future__ import annotations

from collections.abc import Mapping

from goldbeat.pymodels.tpu.execute.machine import TpuProgram
from goldbeat.pymodels.tpu.execute.memories import TpuMemories
from goldbeat.pymodels.tpu.execute.static import static_tables
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.decode import Commands, decode_stream
from goldbeat.pymodels.tpu.streams.encode import encode_commands, end_command, padded
from goldbeat.pymodels.tpu.streams.tables import chip

PREFIXES = ("", "opt_", "short_", "short_short_")


def one_command(name: str, engine: str, form: str, func: int, fields: Mapping[str, int]) -> Commands:
    """A command and END; fields that the chip's form does not have are left out."""
    table = chip(name).engines[engine]
    kind = table.kind(form)
    given = {}
    for key, value in fields.items():
        for prefix in PREFIXES:
            if prefix + key in kind.by_name:
                given[prefix + key] = value
                break
    if "cmd_id_en" in kind.by_name:
        given["cmd_id_en"] = 1
    raw = encode_commands(table, kind, given, func=func, n=1, **({"id": 1} if "id" in table.head else {}))[0].tobytes()
    return decode_stream(table, padded(table, raw + end_command(table)))


class Single:
    """One command to execute.

    Args:
        name: of the chip.
        engine, form, func, fields: of the command.
    """

    def __init__(self, name: str, engine: str, form: str, func: int, fields: Mapping[str, int]) -> None:
        self.commands = one_command(name, engine, form, func, fields)
        stream = CommandStream(f"core0.sub0.g0.{engine}", engine, self.commands.data, 0)
        self.program = TpuProgram(name, [[(stream, self.commands)]])
        self.memories = TpuMemories(self.program.memory, self.program.spans(), 1, static_tables(name))
        self.engine = engine

    def run(self, registers: Mapping[int, int] | None = None) -> None:
        """By the model."""
        self.program.execute(0, 0, self.memories, {0: dict(registers or {})})

    def raw(self) -> bytes:
        """The command."""
        return self.commands.raw(0)
