# SPDX-License-Identifier: Apache-2.0
"""The TPU command front end as its registers show it: register programs in, traces and register answers out.

Contract: tpu-engine.md. What happens between the trigger and the end is the timed model's
(:mod:`goldbeat.pymodels.tpu.front_end.engine`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Access, MemoryContents, Outcome, Stimulus, answered
from goldbeat.pymodels.tpu.front_end import front_map as reg
from goldbeat.pymodels.tpu.front_end.engine import (
    Front,
    FrontEndResult,
    FrontEndSettings,
    GroupSettings,
    StreamSettings,
    run_front_end,
)
from goldbeat.pymodels.trace import Trace

TABLE = 1024
"""Entries of a duration table (tpu-engine.md, Duration)."""

GROUPS = 4
"""Groups that wait in a core's queue (tpu-engine.md, Groups)."""

_PLAIN = tuple(one for one in reg.REGISTERS.values() if one.held and not one.stride)
"""Registers that hold what is written to them."""

_ENGINE = {one.address - reg.ENGINE: one.held for one in reg.REGISTERS.values() if one.held and one.stride}
"""The same of an engine: offset and bits."""

_FULL_STROBE = 0xF

Answer = tuple[int | None, bool]
"""Value read (None: of a write, or not predicted), and whether the answer is an error."""


@dataclass
class _Live:
    """What CLEAR puts back to its reset value."""

    enabled: bool = False
    halted: bool = False
    error: int = 0
    error_id: int = 0
    queues: list[int] = field(default_factory=list)
    running: list[bool] = field(default_factory=list)
    current: list[int] = field(default_factory=list)
    status: list[int] = field(default_factory=list)
    asking: bool = False
    messages: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class Registers:
    """The register file: plain registers, the groups that were pushed, and what the rest of the design shows.

    Attributes:
        front: the hardware's parameters.
        plain: values of the registers that hold what was written.
        engines: BLOCK, SIZE and COUNT of each engine.
        tables: durations of each engine by index.
        groups: pushed groups of each core.
        irq_status: of IRQ_STATUS.
        silent: no memory ever takes an address: what START sets off stands still at once.
    """

    front: Front
    plain: dict[int, int] = field(default_factory=dict)
    engines: list[list[int]] = field(default_factory=list)
    tables: list[dict[int, int]] = field(default_factory=list)
    groups: list[list[GroupSettings]] = field(default_factory=list)
    irq_status: int = 0
    silent: bool = False
    ran: bool = False
    live: _Live = field(default_factory=_Live)

    @classmethod
    def of(cls, params: Mapping[str, Any], *, silent: bool = False) -> Self:
        """As reset leaves them, for the RTL's parameters."""
        front = Front(*(int(params[name]) for name in ("CHIP", "CORES", "ENGINES", "DEPTH", "NMSG")))
        made = cls(front, {one.address: one.reset for one in _PLAIN}, silent=silent)
        made.engines = [[0, 0, 0] for _ in range(made.number)]
        made.tables = [{} for _ in range(made.number)]
        made._clear()
        return made

    @property
    def number(self) -> int:
        """Engines of all cores."""
        return self.front.cores * self.front.engines

    def _clear(self) -> None:
        number, cores = self.number, self.front.cores
        self.groups = [[] for _ in range(cores)]
        self.live = _Live(
            queues=[0] * cores,
            running=[False] * cores,
            current=[0] * number,
            status=[0] * number,
            messages=[(0, 0)] * self.front.nmsg,
        )

    def _masks(self) -> dict[int, int]:
        """The bits that are there, of registers that can be written."""
        return {one.address: one.held for one in _PLAIN} | {
            reg.IRQ_MASK: (1 << self.front.cores) - 1 | reg.IRQ_MASK_ERROR,
            reg.DUR_ENGINES: (1 << self.number) - 1,
        }

    def _engine(self, address: int) -> tuple[int, int] | None:
        n, offset = divmod(address - reg.ENGINE, reg.ENGINE_STRIDE)
        return (n, offset) if 0 <= n < self.number and offset <= reg.ENGINE_STATUS else None

    def _core(self, address: int) -> int | None:
        core = (address - reg.PUSH) // 4
        return core if 0 <= core < self.front.cores else None

    def access(self, access: Access) -> Answer:
        """Carry one access out."""
        address = access.address & ((1 << reg.ADDRESS_BITS) - 4)
        if access.op == "write":
            return None, not self._write(address, access.value or 0, access.strobe)
        if access.op == "read":
            value = self._read(address)
            return value, value is None
        return None, False

    def _write(self, address: int, value: int, strobe: int) -> bool:
        if strobe != _FULL_STROBE:
            return False
        masks = self._masks()
        engine, core = self._engine(address), self._core(address)
        if address == reg.CTRL:
            return self._control(value)
        if address == reg.IRQ_STATUS:
            self.irq_status &= ~value
        elif address == reg.DUR_DATA:
            self._table_entry(value & reg.REGISTERS["DUR_DATA"].field("VALUE").mask)
        elif address in masks:
            self.plain[address] = value & masks[address]
        elif core is not None:
            return self._push(core)
        elif engine is not None and engine[1] in _ENGINE:
            self.engines[engine[0]][engine[1] // 4] = value & _ENGINE[engine[1]]
        else:
            return False
        return True

    def _control(self, value: int) -> bool:
        if value & reg.CTRL_CLEAR:
            if self.live.asking:
                return False
            self._clear()
        elif value & reg.CTRL_START:
            if any(self.live.queues):
                if not self.silent:
                    raise UsageError("CTRL START with groups waiting: when they run is not predicted; use the trigger")
                self._begin()
            self.live.enabled = True
        return True

    def _begin(self) -> None:
        """The first group of each core begins, and its engines wait for their first block for ever."""
        live, done = self.live, reg.REGISTERS["ENGINE.STATUS"].pack(DONE=True)
        for core, groups in enumerate(self.groups):
            if groups:
                live.queues[core] -= 1
                live.running[core] = live.asking = True
                for engine in range(self.front.engines):
                    live.status[core * self.front.engines + engine] = 0 if engine in groups[0].streams else done

    def _table_entry(self, value: int) -> None:
        index = self.plain[reg.DUR_INDEX]
        for n, table in enumerate(self.tables):
            if self.plain[reg.DUR_ENGINES] >> n & 1:
                table[index] = value
        self.plain[reg.DUR_INDEX] = (index + 1) % TABLE

    def _push(self, core: int) -> bool:
        first = core * self.front.engines
        streams = {e: StreamSettings(*self.engines[first + e]) for e in range(self.front.engines)}
        used = {e: s for e, s in streams.items() if s.count}
        if self.live.queues[core] == GROUPS or not used or any(s.size == 0 for s in used.values()):
            return False
        if not self.live.halted and (self.live.enabled or self.ran):
            raise UsageError("PUSH into a running core: when the group runs is not predicted; push before the trigger")
        self.groups[core].append(GroupSettings(used))
        self.live.queues[core] += 1
        return True

    def _read(self, address: int) -> int | None:
        live, front = self.live, self.front
        messages = front.nmsg.bit_length() - 1  # a power of two
        fixed = {
            reg.ID: reg.ID_RESET,
            reg.CONFIG: reg.REGISTERS["CONFIG"].pack(
                CORES=front.cores, ENGINES=front.engines, CHIP=front.chip, DEPTH=front.depth, LOG_NMSG=messages
            ),
            reg.CTRL: reg.REGISTERS["CTRL"].pack(ENABLED=live.enabled, HALTED=live.halted),
            reg.IRQ_STATUS: self.irq_status,
            reg.ERROR: live.error,
            reg.ERROR_ID: live.error_id,
            **self.plain,
        }
        engine, core = self._engine(address), self._core(address)
        message = (address - reg.MESSAGE) // 4
        if address in fixed:
            return int(fixed[address])
        if core is not None:
            return reg.REGISTERS["PUSH"].pack(WAITING=live.queues[core], RUN=live.running[core])
        if 0 <= message < front.nmsg:
            sent, left = live.messages[message]
            return reg.REGISTERS["MESSAGE"].pack(SENT=sent, LEFT=left)
        if engine is not None:
            n, offset = engine
            return [*self.engines[n], live.current[n], live.status[n]][offset // 4]
        return None

    def program(self) -> FrontEndSettings:
        """What runs when the trigger comes."""
        mode = self.plain[reg.DUR_MODE]
        tables = {n: tuple(t.get(i, 0) for i in range(TABLE)) for n, t in enumerate(self.tables) if t}
        return FrontEndSettings(
            groups=self.groups,
            duration_mode=mode,
            duration=self.plain[reg.DURATION],
            tables=tables,
            timeout=self.plain[reg.TIMEOUT],
        )

    def finish(self, result: FrontEndResult) -> None:
        """Show how a run ended."""
        live = self.live
        self.ran = True
        self.irq_status |= result.irq_status
        live.enabled = True
        live.halted = bool(result.halted)
        if result.error is not None:
            error = result.error
            live.error = reg.REGISTERS["ERROR"].pack(CODE=error.code, CORE=error.core, ENGINE=error.engine)
            live.error_id = error.id
        live.queues = [int(n) for n in result.pending]
        live.running = [bool(r) for r in result.running]
        live.current = [int(c) for c in result.current]
        live.status = [int(s) for s in result.status]
        live.messages = [(int(sent), int(left)) for sent, left in result.messages]

    @property
    def irq(self) -> bool:
        """The interrupt output."""
        return bool(self.irq_status & self.plain[reg.IRQ_MASK])


def _played(params: Mapping[str, Any], accesses: Iterable[Access], *, silent: bool) -> tuple[Registers, list[Answer]]:
    registers = Registers.of(params, silent=silent)
    return registers, [registers.access(a) for a in accesses]


def _run(registers: Registers, stimulus: Stimulus) -> FrontEndResult | None:
    """The run, None where no trigger comes."""
    trigger = stimulus.inputs.get("start")
    if trigger is None or not len(trigger):
        return None
    number = registers.number
    images = [stimulus.memories.get(f"m_axi_{n}") for n in range(number)]
    if any(image is None for image in images):
        raise UsageError("memories: every engine needs one")
    result = run_front_end(
        registers.front,
        registers.program(),
        [image.regions for image in images if image is not None],
        timing=[image.timing for image in images if image is not None],
        ready=[stimulus.pattern(f"m_axis_{n}") for n in range(number)],
        trigger=int(trigger.cycle[0]),
    )
    registers.finish(result)
    return result


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Every dispatch, every event, and the interrupt as it stands at the end."""
    clock = stimulus.clocks["aclk"]
    stamps = {"clock_ps": clock.period_ps, "offset_ps": clock.offset_ps}
    registers, before = _played(params, stimulus.program.get("s_axil", ()), silent=not stimulus.memories)
    result = _run(registers, stimulus)
    ports = {"start": stimulus.inputs.get("start", Trace.empty(8, **stamps))}
    for n in range(registers.number):
        if result is None:
            empty = Trace.empty(1024, **stamps)
            ports[f"m_axis_{n}"] = Trace.from_bytes(empty.data, tuser=np.zeros(0, np.uint64), **stamps)
            ports[f"evt_{n}"] = Trace.empty(32, **stamps)
        else:
            ports[f"m_axis_{n}"] = result.engines[n].dispatch(**stamps)
            ports[f"evt_{n}"] = result.engines[n].events(**stamps)
    memories = {name: MemoryContents({}) for name in stimulus.memories}
    irq = int(registers.irq)
    after = [registers.access(a) for a in stimulus.after.get("s_axil", ())]
    return Outcome(ports, {"irq": irq}, memories, accesses={"s_axil": answered(stimulus, before, after)})
