# SPDX-License-Identifier: Apache-2.0
"""Commands of all engines, executed in an order that their dependencies allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.execute.elementwise import arithmetic, linear
from goldbeat.pymodels.tpu.execute.lanes import lane_move
from goldbeat.pymodels.tpu.execute.memories import Extent, NotModelledError, TpuMemories
from goldbeat.pymodels.tpu.execute.moves import MOVES
from goldbeat.pymodels.tpu.execute.pooling import pooling
from goldbeat.pymodels.tpu.execute.products import convolution, matrix_product, matrix_product_2
from goldbeat.pymodels.tpu.execute.requantise import quantising
from goldbeat.pymodels.tpu.execute.selecting import comparison, gather_elements
from goldbeat.pymodels.tpu.execute.special import special_function
from goldbeat.pymodels.tpu.execute.step import FormBatch, TpuStep
from goldbeat.pymodels.tpu.execute.system import system_command
from goldbeat.pymodels.tpu.hazards.operands import ENGINES, chip_memory, engine_builders
from goldbeat.pymodels.tpu.streams.groups import JoinedGroups, Member
from goldbeat.pymodels.tpu.streams.schedule import schedule

OPERATIONS: dict[str, Callable[[TpuStep], None]] = {
    "sAR": arithmetic,
    "sLIN": linear,
    "sCONV": convolution,
    "sMM": matrix_product,
    "sMM2": matrix_product_2,
    "sPorD": pooling,
    "sRQ&sDQ": quantising,
    "sRQDQ": quantising,
    "sCMP": comparison,
    "sSG": gather_elements,
    "sSFU": special_function,
    "sTRANS&sBC": lane_move,
    "sCW&sBC": lane_move,
    "sBC&CWT": lane_move,
    "SYS": system_command,
    "SYSID": system_command,
    "SYS_TR_ACC": system_command,
    "SYS_TR_WR": system_command,
}
"""What the TIU does, by the form's name."""


class TpuProgram:
    """The commands of groups that run together, with their operands.

    Args:
        chip: its name.
        groups: the streams of each, decoded.

    Raises:
        UsageError: the memories of the chip are not public, or the commands wait for each other.
    """

    def __init__(self, chip: str, groups: Sequence[Sequence[Member]]) -> None:
        memory = chip_memory(chip)
        if memory is None:
            raise UsageError(f"{chip}: its memories are not described in public, so nothing can be executed")
        joined = JoinedGroups(groups)
        self.chip, self.memory, self.members = chip, memory, list(joined.members.values())
        self.batches: list[dict[str, FormBatch]] = []
        for stream, found in self.members:
            made: dict[str, FormBatch] = {}
            if found.engine.name in ENGINES:
                for b in engine_builders(memory, found, 0, stream.core):
                    made[b.kind.name] = FormBatch(b, stream.core, stream.name)
            self.batches.append(made)
        self.order = _order(joined)

    def far(self) -> list[Extent]:
        """The operands in global memory."""
        found = (x for made in self.batches for batch in made.values() for one in batch.extents.values() for x in one)
        return [x for x in found if x.memory == 0 and not x.part]

    def spans(self) -> list[tuple[int, int]]:
        """(start, end) of the operands in global memory."""
        return [(x.offset, x.end) for x in self.far()]

    @property
    def cores(self) -> int:
        """One more than the highest core."""
        return max((stream.core for stream, _ in self.members), default=0) + 1

    def run(self, memories: TpuMemories, each: Callable[[int, int], None] = lambda member, row: None) -> None:
        """Execute all commands.

        Args:
            memories: that they work on.
            each: called behind every command, with the member and its row.

        Raises:
            NotModelledError: naming the first command that is not modelled; nothing of it is done.
        """
        registers: dict[int, dict[int, int]] = {stream.core: {} for stream, _ in self.members}
        for member, row in self.order:
            self.execute(member, row, memories, registers)
            each(member, row)

    def execute(self, member: int, row: int, memories: TpuMemories, registers: dict[int, dict[int, int]]) -> None:
        """Execute one command."""
        stream, found = self.members[member]
        form = found.engine.kinds[int(found.kind[row])].name
        batch = self.batches[member].get(form)
        engine = found.engine.name
        known = (OPERATIONS if engine == "tiu" else MOVES).get(form) if batch else None
        if batch is None:
            raise UsageError(f"{stream.name}: {engine} command {int(found.id[row])} is not modelled: engine")
        step = TpuStep(batch, row, int(found.id[row]), found.op(row), memories, registers[stream.core])
        if known is None:
            raise step.stop("form")
        try:
            known(step)
        except NotModelledError:
            raise
        except UsageError as error:
            raise UsageError(f"{step.name}: {error}") from error


def _order(joined: JoinedGroups) -> list[tuple[int, int]]:
    """(member, row) of all commands, by the cycle in which they start if each takes one."""
    times = schedule(joined.lanes, [1] * len(joined.lanes), joined.bounds)
    if times.blocked:
        raise UsageError(f"deadlock: {times.blocked[0]}; see `goldbeat tpu check`")
    starts = []
    for member, (index, group) in enumerate(joined.members):
        begin, end = joined.bounds[index][group : group + 2]
        starts += [(at, member, row) for row, at in enumerate(times.start[index][begin:end].tolist())]
    return [(member, row) for _, member, row in sorted(starts)]
