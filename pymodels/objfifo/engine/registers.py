# SPDX-License-Identifier: Apache-2.0
"""The registers of the object FIFO DMA engine: what they hold, what a read gives, what answers SLVERR.

Contract: objfifo-engine.md. Descriptors, locks, memory and tasks become register programs here as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axis.elastic import choice, integer
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine import engine_map as reg
from goldbeat.pymodels.stimulus import Access

QUEUE_DEPTH = 4
"""Tasks that wait in a channel's queue (objfifo-engine.md, A channel)."""

LOCK_MAX = 63
"""Largest value of a lock (objfifo-engine.md, Locks)."""

WORD_WIDTHS = (32, 128)
"""Legal values of ``WORD_W`` (objfifo-engine.md, Shape)."""

MOST_CHANNELS = 6
"""Most channels of one direction (objfifo-engine.md, Shape)."""

MOST_BDS = 64
"""Most buffer descriptors and most locks: what six bits address (objfifo-engine.md, Registers)."""

_BD = {r.address - reg.BD: r for name, r in reg.REGISTERS.items() if name.startswith("BD.")}
BD_WORDS = len(_BD)
"""Words of a descriptor that are there."""

LINE_BYTES = 16
"""Bytes of a memory access under ``npu1`` (npu1.md, Memory)."""

_UNSEEN = "what follows is not predicted; disarm it first"
_FULL_STROBE = 0xF
_WORD = 0xFFFFFFFF
_LANE_BYTES = 4

# Fields of a descriptor: name -> word, lowest bit, bits.
_FIELDS = {f.name.lower(): (at // 4, f.lsb, f.width) for at, r in _BD.items() for f in r.fields}
_BD_MASKS = tuple(r.held for r in _BD.values())
_CTRL = reg.REGISTERS["CTRL"]
_TASK = reg.REGISTERS["TASK"]
_MEM_ADDRESS = reg.REGISTERS["MEM_ADDRESS"]

Reply = tuple[int | None, bool]
"""Value (of a read that succeeded and whose value the contract gives) and whether the answer is SLVERR."""


class TimingProfile(IntEnum):
    """Values of ``PROFILE``."""

    IDEAL = 0
    NPU1 = 1


class Code(IntEnum):
    """Codes of ERROR."""

    BAD_BD = 1
    BAD_ADDRESS = 2
    LOCK_OVERFLOW = 3
    QUEUE_OVERFLOW = 4


@dataclass(frozen=True)
class EngineShape:
    """The parameters of an engine.

    Attributes:
        ns, nm: channels to memory and from memory.
        nbd, nlock: descriptors and locks.
        nbank: banks of the memory.
        mem_words: its words.
        word_w: bits of a word.
        profile: of its timing.
        finish: which end of an MM2S descriptor counts under ``npu1`` (npu1.md, Output).
    """

    ns: int
    nm: int
    nbd: int
    nlock: int
    nbank: int
    mem_words: int
    word_w: int
    profile: TimingProfile = TimingProfile.IDEAL
    finish: int = 0

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> EngineShape:
        """From ``NS NM NBD NLOCK NBANK MEM_WORDS WORD_W`` and ``PROFILE FINISH`` (0 where missing).

        Raises:
            UsageError: a value is out of its range.
        """
        channels = range(1, MOST_CHANNELS + 1)
        tables = range(1, MOST_BDS + 1)
        shape = cls(
            ns=choice(params, "NS", channels),
            nm=choice(params, "NM", channels),
            nbd=choice(params, "NBD", tables),
            nlock=choice(params, "NLOCK", tables),
            nbank=integer(params, "NBANK"),
            mem_words=integer(params, "MEM_WORDS"),
            word_w=choice(params, "WORD_W", WORD_WIDTHS),
            profile=TimingProfile(choice({"PROFILE": 0, **params}, "PROFILE", list(TimingProfile))),
            finish=choice({"FINISH": 0, **params}, "FINISH", (0, 1)),
        )
        if shape.nbank < 1 or shape.nbank & (shape.nbank - 1):
            raise UsageError(f"parameter NBANK = {shape.nbank} is not a power of two")
        if not 1 <= shape.mem_words <= 1 << _FIELDS["base"][2]:
            raise UsageError(f"parameter MEM_WORDS = {shape.mem_words} is not in 1..{1 << _FIELDS['base'][2]}")
        if shape.profile is TimingProfile.NPU1 and shape.mem_words % shape.line_words:
            raise UsageError(f"parameter MEM_WORDS = {shape.mem_words} is not a multiple of {shape.line_words} (npu1)")
        return shape

    @property
    def line_words(self) -> int:
        """Words of a memory access under ``npu1`` (npu1.md, Memory)."""
        return LINE_BYTES // self.word_bytes

    @property
    def channels(self) -> int:
        """C: how many channels in all."""
        return self.ns + self.nm

    @property
    def lanes(self) -> int:
        """32-bit parts of a word."""
        return self.word_w // 32

    @property
    def word_bytes(self) -> int:
        """Bytes of a word."""
        return self.word_w // 8


@dataclass(frozen=True)
class Descriptor:
    """One buffer descriptor, in words of the engine.

    Attributes:
        base: address of the first word.
        length: words, padding included, the header not.
        wraps: of dimensions 0, 1, 2; wrap 0 of dimension 0: it never wraps.
        steps: of dimensions 0 to 3.
        iteration_size, iteration_step: uses before the base is the first one's again, and by how much it moves.
        iteration_start: the use it begins with.
        pad_before, pad_after: zeros in dimensions 0, 1, 2.
        acquire: lock and value; None: no acquire.
        acquire_equal: wait for this very value, and leave it.
        release: lock and value; None (or value 0): no release.
        next: the descriptor that follows; None ends the chain.
        tlast: the last word carries TLAST.
        packet: id and type of the header; None: no header.
        ooo_id: out-of-order id in the header.
        valid: the descriptor may be used.
    """

    base: int = 0
    length: int = 0
    wraps: tuple[int, int, int] = (0, 0, 0)
    steps: tuple[int, int, int, int] = (1, 0, 0, 0)
    iteration_size: int = 1
    iteration_step: int = 0
    iteration_start: int = 0
    pad_before: tuple[int, int, int] = (0, 0, 0)
    pad_after: tuple[int, int, int] = (0, 0, 0)
    acquire: tuple[int, int] | None = None
    acquire_equal: bool = False
    release: tuple[int, int] | None = None
    next: int | None = None
    tlast: bool = True
    packet: tuple[int, int] | None = None
    ooo_id: int = 0
    valid: bool = True

    @property
    def padded(self) -> bool:
        """Any zeros around any dimension."""
        return any(self.pad_before) or any(self.pad_after)


@dataclass(frozen=True)
class EngineTask:
    """One entry of a channel's queue.

    Attributes:
        channel: its number, S2MM first.
        start: the first descriptor.
        repeat: how many times more than once the chain runs.
        token: its end is counted.
    """

    channel: int
    start: int
    repeat: int = 0
    token: bool = False


# -- descriptors as words -------------------------------------------------------------------------------------------


def encode_descriptor(descriptor: Descriptor) -> tuple[int, ...]:
    """The words of a descriptor; a :class:`UsageError` where a value does not fit its field."""
    d = descriptor
    acquire, release, packet = d.acquire or (0, 0), d.release or (0, 0), d.packet or (0, 0)
    values: dict[str, int] = {
        "base": d.base,
        "length": d.length,
        **{f"wrap{n}": wrap for n, wrap in enumerate(d.wraps)},
        **{f"step{n}": step for n, step in enumerate(d.steps)},
        "iteration_size": d.iteration_size - 1,
        "iteration_step": d.iteration_step,
        "iteration_start": d.iteration_start,
        **{f"pad_before{n}": pad for n, pad in enumerate(d.pad_before)},
        **{f"pad_after{n}": pad for n, pad in enumerate(d.pad_after)},
        "acquire_lock": acquire[0],
        "acquire_value": acquire[1],
        "acquire_equal": d.acquire_equal,
        "acquire_enable": d.acquire is not None,
        "release_lock": release[0],
        "release_value": release[1],
        "next": d.next or 0,
        "next_enable": d.next is not None,
        "valid": d.valid,
        "suppress_tlast": not d.tlast,
        "packet": d.packet is not None,
        "packet_id": packet[0],
        "packet_type": packet[1],
        "ooo_id": d.ooo_id,
    }
    words = [0] * BD_WORDS
    for name, value in values.items():
        word, low, bits = _FIELDS[name]
        words[word] |= _field(value, bits, f"descriptor: {name}") << low
    return tuple(words)


def decode_descriptor(words: Sequence[int]) -> Descriptor:
    """The descriptor that these words hold."""
    f = {name: words[word] >> low & ((1 << bits) - 1) for name, (word, low, bits) in _FIELDS.items()}
    return Descriptor(
        base=f["base"],
        length=f["length"],
        wraps=(f["wrap0"], f["wrap1"], f["wrap2"]),
        steps=(f["step0"], f["step1"], f["step2"], f["step3"]),
        iteration_size=f["iteration_size"] + 1,
        iteration_step=f["iteration_step"],
        iteration_start=f["iteration_start"],
        pad_before=(f["pad_before0"], f["pad_before1"], f["pad_before2"]),
        pad_after=(f["pad_after0"], f["pad_after1"], f["pad_after2"]),
        acquire=(f["acquire_lock"], f["acquire_value"]) if f["acquire_enable"] else None,
        acquire_equal=bool(f["acquire_equal"]),
        release=(f["release_lock"], f["release_value"]) if f["release_value"] else None,
        next=f["next"] if f["next_enable"] else None,
        tlast=not f["suppress_tlast"],
        packet=(f["packet_id"], f["packet_type"]) if f["packet"] else None,
        ooo_id=f["ooo_id"],
        valid=bool(f["valid"]),
    )


def _field(value: int, bits: int, what: str) -> int:
    if not 0 <= value < 1 << bits:
        raise UsageError(f"{what} = {value} is not in 0..{(1 << bits) - 1}")
    return int(value)


# -- register programs ----------------------------------------------------------------------------------------------


def descriptor_writes(number: int, descriptor: Descriptor) -> tuple[Access, ...]:
    """Write one descriptor into the table."""
    base = reg.BD + reg.BD_STRIDE * _field(number, 6, "descriptor number")
    return tuple(Access("write", base + 4 * n, word) for n, word in enumerate(encode_descriptor(descriptor)))


def lock_writes(values: Mapping[int, int]) -> tuple[Access, ...]:
    """Write locks, by number."""
    return tuple(
        Access("write", reg.LOCK + 4 * _field(lock, 6, "lock number"), _field(value, 6, f"lock {lock}"))
        for lock, value in values.items()
    )


def memory_writes(address: int, words: npt.ArrayLike) -> tuple[Access, ...]:
    """Write memory from a word address on; ``words`` are 32-bit parts in order, the lowest of a word first."""
    data = (Access("write", reg.MEM_DATA, int(w)) for w in np.asarray(words, dtype=np.uint32).reshape(-1).tolist())
    return (Access("write", reg.MEM_ADDRESS, address), *data)


def memory_reads(address: int, parts: int) -> tuple[Access, ...]:
    """Read so many 32-bit parts from a word address on."""
    return (Access("write", reg.MEM_ADDRESS, address), *[Access("read", reg.MEM_DATA)] * parts)


def task_writes(tasks: Iterable[EngineTask]) -> tuple[Access, ...]:
    """Push tasks in order."""
    return tuple(
        Access(
            "write",
            reg.TASK + 4 * t.channel,
            _TASK.pack(
                START=_field(t.start, _TASK.field("START").width, "start BD"),
                REPEAT=_field(t.repeat, _TASK.field("REPEAT").width, "repeat"),
                TOKEN=t.token,
            ),
        )
        for t in tasks
    )


def pad_writes(values: Mapping[int, int]) -> tuple[Access, ...]:
    """Set what padding holds, by number of the MM2S channel among its like."""
    return tuple(
        Access("write", reg.PAD_VALUE + reg.PAD_VALUE_STRIDE * _field(m, 4, "MM2S channel"), _field(v, 32, "padding"))
        for m, v in values.items()
    )


def order_writes(channels: Iterable[int]) -> tuple[Access, ...]:
    """Make S2MM channels out of order, and all others in order."""
    mask = sum(1 << _field(c, 3, "S2MM channel") for c in set(channels))
    return (Access("write", reg.OUT_OF_ORDER, mask),)


def arm(core: bool = False, cores: Iterable[int] = ()) -> tuple[Access, ...]:
    """Let the next start trigger start the engine.

    Args:
        core: it stands for a core tile.
        cores: channels that stand for the tile's core.
    """
    mask = sum(1 << c for c in set(cores))
    return (Access("write", reg.CTRL, _CTRL.pack(ARMED=1, CORE=core, CORES=mask)),)


def disarm() -> tuple[Access, ...]:
    """Stop the engine."""
    return (Access("write", reg.CTRL, 0),)


def engine_program(
    descriptors: Mapping[int, Descriptor],
    tasks: Iterable[EngineTask] = (),
    *,
    locks: Mapping[int, int] | None = None,
    memory: Mapping[int, npt.ArrayLike] | None = None,
    pads: Mapping[int, int] | None = None,
    out_of_order: Iterable[int] = (),
    core: bool = False,
    cores: Iterable[int] = (),
) -> tuple[Access, ...]:
    """Everything an engine needs before its start trigger, in an order that works: tables, memory, arm, tasks."""
    return (
        *(access for number, d in descriptors.items() for access in descriptor_writes(number, d)),
        *lock_writes(locks or {}),
        *(access for address, words in (memory or {}).items() for access in memory_writes(address, words)),
        *pad_writes(pads or {}),
        *(order_writes(out_of_order) if out_of_order else ()),
        *arm(core, cores),
        *task_writes(tasks),
    )


def final_reads(shape: EngineShape) -> tuple[Access, ...]:
    """Read what a run leaves behind: interrupts, error, channels, tokens, locks."""
    addresses = [reg.CTRL, reg.IRQ_STATUS, reg.ERROR]
    addresses += [reg.CHANNEL + 4 * c for c in range(shape.channels)]
    addresses += [reg.TOKENS + 4 * c for c in range(shape.channels)]
    addresses += [reg.LOCK + 4 * n for n in range(shape.nlock)]
    return tuple(Access("read", a) for a in addresses)


# -- the register file ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ChannelStatus:
    """What CHANNEL shows beside the queue.

    Attributes:
        busy: task, seq or a slot is not empty.
        stopped: by an error.
    """

    busy: bool = False
    stopped: bool = False


class EngineRegisters:
    """The register file, from reset on.

    The engine reads and changes ``locks``, ``queues``, ``memory``, ``tokens``, ``status``, ``iterations`` and ``running``
    directly.

    Attributes:
        locks: values.
        queues: waiting tasks by channel: start BD, repeat, token.
        memory: (words, bytes of a word).
        known: (words,) whether the contents are: a reset leaves the memory as it was.
        tokens: by channel.
        status: by channel.
        iterations: by channel, the iteration counters of all descriptors.
        pad_values: what padding holds, by MM2S channel.
        out_of_order: the S2MM channels that are, a bit each.
        armed, running: the engine's state.
        core: it stands for a core tile.
        cores: the channels that stand for the core, a bit each.
        irq_status, irq_mask: as they stand.
        error: ERROR as it stands.
    """

    def __init__(self, shape: EngineShape) -> None:
        self.shape = shape
        channels = shape.channels
        self.locks = [0] * shape.nlock
        self.queues: list[deque[tuple[int, int, bool]]] = [deque() for _ in range(channels)]
        self.memory = np.zeros((shape.mem_words, shape.word_bytes), np.uint8)
        self.known = np.zeros(shape.mem_words, np.bool_)
        self.tokens = [0] * channels
        self.status = [ChannelStatus()] * channels
        self.iterations = [[0] * shape.nbd for _ in range(channels)]
        self.pad_values = [0] * shape.nm
        self.out_of_order = 0
        self.armed = self.running = self.core = False
        self.cores = 0
        self.irq_status = self.irq_mask = self.error = 0
        self._bds = [[0] * BD_WORDS for _ in range(shape.nbd)]
        self._mem_address = self._mem_lane = 0

    @property
    def irq(self) -> int:
        """The interrupt output."""
        return int(bool(self.irq_status & self.irq_mask))

    def descriptors(self) -> list[Descriptor]:
        """The table as it stands."""
        return [decode_descriptor(words) for words in self._bds]

    def fail(self, code: Code, channel: int = 0, number: int = 0) -> None:
        """Note an error; the first one stays."""
        self.irq_status |= reg.IRQ_STATUS_ERROR
        if not self.error:
            self.error = reg.REGISTERS["ERROR"].pack(CODE=code, CHANNEL=channel, ID=number)

    def count_token(self, channel: int) -> None:
        """Note the end of a task with a token."""
        self.tokens[channel] = self.tokens[channel] + 1 & _WORD
        self.irq_status |= 1 << channel

    def apply(self, accesses: Iterable[Access]) -> list[Reply]:
        """Do the accesses in order; the answer to each."""
        return [self._access(a) for a in accesses]

    def _access(self, access: Access) -> Reply:
        if not 0 <= access.address < 1 << reg.ADDRESS_BITS:
            raise UsageError(f"address {access.address:#x} does not fit {reg.ADDRESS_BITS} bits")
        address = access.address & ~3
        if access.op == "read":
            return self._read(address)
        if access.op == "write":
            done = access.strobe == _FULL_STROBE and self._write(address, (access.value or 0) & _WORD)
            return None, not done
        raise UsageError(f"unknown access {access.op!r}; known: read, write")

    def _channel(self, address: int, base: int) -> int | None:
        index = (address - base) // 4
        return index if 0 <= index < self.shape.channels else None

    def _bd(self, address: int) -> tuple[int, int] | None:
        """Descriptor and word at an address, if it is there and may be touched."""
        number, word = (address - reg.BD) // reg.BD_STRIDE, (address - reg.BD) % reg.BD_STRIDE // 4
        there = 0 <= number < self.shape.nbd and word < BD_WORDS
        return (number, word) if there and not self.running else None

    def _pad(self, address: int) -> int | None:
        index = (address - reg.PAD_VALUE) // reg.PAD_VALUE_STRIDE
        return index if 0 <= index < self.shape.nm else None

    def _lock(self, address: int) -> int | None:
        index = (address - reg.LOCK) // 4
        return index if 0 <= index < self.shape.nlock else None

    # -- reads

    def _read(self, address: int) -> Reply:
        value = self._plain(address)
        if value is not None:
            return value, False
        if (channel := self._channel(address, reg.CHANNEL)) is not None:
            status, waiting = self.status[channel], len(self.queues[channel])
            busy = status.busy or waiting > 0
            return reg.REGISTERS["CHANNEL"].pack(BUSY=busy, STOPPED=status.stopped, QUEUE=waiting), False
        if (channel := self._channel(address, reg.TOKENS)) is not None:
            return self.tokens[channel], False
        if (pad := self._pad(address)) is not None:
            return self.pad_values[pad], False
        if address == reg.MEM_DATA and self._open:
            return self._read_memory()
        if (bd := self._bd(address)) is not None:
            return self._bds[bd[0]][bd[1]], False
        if (lock := self._lock(address)) is not None:
            return self.locks[lock], False
        return None, True

    def _plain(self, address: int) -> int | None:
        s = self.shape
        values = {
            reg.ID: reg.ID_RESET,
            reg.CONFIG: reg.REGISTERS["CONFIG"].pack(NS=s.ns, NM=s.nm, NBD=s.nbd, NLOCK=s.nlock, WORD_W=s.word_w),
            reg.CTRL: _CTRL.pack(ARMED=self.armed, CORE=self.core, CORES=self.cores),
            reg.IRQ_STATUS: self.irq_status,
            reg.IRQ_MASK: self.irq_mask,
            reg.ERROR: self.error,
            reg.OUT_OF_ORDER: self.out_of_order,
            reg.MEM_ADDRESS: self._mem_address,
        }
        return values.get(address)

    def _read_memory(self) -> Reply:
        at, lane = self._mem_address, self._mem_lane
        part = self.memory[at, _LANE_BYTES * lane : _LANE_BYTES * (lane + 1)].view("<u4")
        known = bool(self.known[at])
        self._step()
        return int(part[0]) if known else None, False

    @property
    def _open(self) -> bool:
        """Whether there is a word behind MEM_DATA."""
        return not self.running and self._mem_address < self.shape.mem_words

    def _step(self) -> None:
        self._mem_lane += 1
        if self._mem_lane == self.shape.lanes:
            self._mem_lane = 0
            self._mem_address += 1

    # -- writes

    def _write(self, address: int, value: int) -> bool:
        if address == reg.CTRL:
            fields = _CTRL.unpack(value)
            self.armed, self.core = bool(fields["ARMED"]), bool(fields["CORE"])
            self.cores = fields["CORES"] & (1 << self.shape.channels) - 1
            if not self.armed:
                self._stop()
        elif address == reg.IRQ_STATUS:
            self.irq_status &= ~value
        elif address == reg.IRQ_MASK:
            self.irq_mask = value & (reg.IRQ_MASK_ERROR | (1 << self.shape.channels) - 1)
        elif address == reg.ERROR:
            self.error = 0
        elif address == reg.OUT_OF_ORDER and not self.running:
            self.out_of_order = value & (1 << self.shape.ns) - 1
        elif address == reg.MEM_ADDRESS:
            self._mem_address, self._mem_lane = value & _MEM_ADDRESS.held, 0
        elif (channel := self._channel(address, reg.TOKENS)) is not None:
            self.tokens[channel] = 0
        elif (channel := self._channel(address, reg.TASK)) is not None:
            return self._push(channel, value)
        elif (pad := self._pad(address)) is not None and not self.running:
            self.pad_values[pad] = value
        elif address == reg.MEM_DATA and self._open:
            self._write_memory(value)
        elif (bd := self._bd(address)) is not None:
            self._write_bd(*bd, value)
        elif (lock := self._lock(address)) is not None:
            if self.running:
                raise UsageError(f"a write to lock {lock} while the engine runs: {_UNSEEN}")
            self.locks[lock] = value & LOCK_MAX
        else:
            return False
        return True

    def _stop(self) -> None:
        """Nothing runs and nothing waits; a channel that an error has stopped stays so until reset."""
        self.running = False
        for queue in self.queues:
            queue.clear()
        self.status = [ChannelStatus(stopped=s.stopped) for s in self.status]

    def _push(self, channel: int, value: int) -> bool:
        queue = self.queues[channel]
        if len(queue) == QUEUE_DEPTH:
            self.fail(Code.QUEUE_OVERFLOW, channel)
            return False
        if self.running and not (self.status[channel].busy or self.status[channel].stopped):
            raise UsageError(f"a task for channel {channel} while the engine runs: {_UNSEEN}")
        task = _TASK.unpack(value)
        queue.append((task["START"], task["REPEAT"], bool(task["TOKEN"])))
        return True

    def _write_memory(self, value: int) -> None:
        at, lane = self._mem_address, self._mem_lane
        self.memory[at, _LANE_BYTES * lane : _LANE_BYTES * (lane + 1)] = np.array([value], "<u4").view(np.uint8)
        # Only a word written from its lowest part on is known as a whole.
        if lane == self.shape.lanes - 1:
            self.known[at] = True
        self._step()

    def _write_bd(self, number: int, word: int, value: int) -> None:
        self._bds[number][word] = value & _BD_MASKS[word]
        iteration = _BD[reg.BD_ITERATION]
        if 4 * word == reg.BD_ITERATION:
            for counters in self.iterations:
                counters[number] = iteration.unpack(value)["ITERATION_START"]
