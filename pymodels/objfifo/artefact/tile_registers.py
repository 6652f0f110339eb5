# SPDX-License-Identifier: Apache-2.0
"""Registers of the tiles of an AIE2 array as data: where they are, and which bits mean what.

Source: aie-rt's driver/src/global/xaiemlgbl_params.h; South ports of the shim by mlir-aie's manual_switchbox example.
Offsets count inside a tile. A field is written ``word high:low``; steps and iteration fields are stored less 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.plan.tile import TileKind

_BD_STRIDE = 0x20


@dataclass(frozen=True)
class BitField:
    """Bits ``high`` down to ``low`` of a word."""

    word: int
    high: int
    low: int

    def of(self, words: tuple[int, ...] | list[int]) -> int:
        """Its value."""
        return words[self.word] >> self.low & self.most

    def put(self, words: list[int], value: int) -> None:
        """Set it."""
        words[self.word] = words[self.word] & ~(self.most << self.low) | (value & self.most) << self.low

    @property
    def most(self) -> int:
        """The largest value."""
        return (1 << (self.high - self.low + 1)) - 1


def _fields(text: str) -> dict[str, BitField]:
    found = {}
    for line in text.split(","):
        name, word, bits = line.split()
        high, _, low = bits.partition(":")
        found[name] = BitField(int(word), int(high), int(low or high))
    return found


_TAIL = (
    "tlast_off {0} 31, next {0} 30:27, use_next {0} 26, valid {0} 25, release_value {0} 24:18, release_lock {0} 16:13,"
    "acquire {0} 12, acquire_value {0} 11:5, acquire_lock {0} 3:0"
)

BD_FIELDS: dict[TileKind, dict[str, BitField]] = {
    TileKind.CORE: _fields(
        "base 0 27:14, length 0 13:0, compression 1 31, packet 1 30, out_of_order 1 29:24, packet_id 1 23:19,"
        "packet_type 1 18:16, step1 2 25:13, step0 2 12:0, wrap1 3 28:21, wrap0 3 20:13, step2 3 12:0,"
        "iteration_current 4 24:19, iteration_wrap 4 18:13, iteration_step 4 12:0," + _TAIL.format(5)
    ),
    TileKind.MEM: _fields(
        "packet 0 31, packet_type 0 30:28, packet_id 0 27:23, out_of_order 0 22:17, length 0 16:0,"
        "before0 1 31:26, next 1 25:20, use_next 1 19, base 1 18:0, tlast_off 2 31, wrap0 2 26:17, step0 2 16:0,"
        "before1 3 31:27, wrap1 3 26:17, step1 3 16:0, compression 4 31, before2 4 30:27, wrap2 4 26:17, step2 4 16:0,"
        "after2 5 31:28, after1 5 27:23, after0 5 22:17, step3 5 16:0,"
        "iteration_current 6 28:23, iteration_wrap 6 22:17, iteration_step 6 16:0,"
        "valid 7 31, release_value 7 30:24, release_lock 7 23:16, acquire 7 15, acquire_value 7 14:8, acquire_lock 7 7:0"
    ),
    TileKind.SHIM: _fields(
        "length 0 31:0, address_low 1 31:2, packet 2 30, out_of_order 2 29:24, packet_id 2 23:19, packet_type 2 18:16,"
        "address_high 2 15:0, secure 3 30, wrap0 3 29:20, step0 3 19:0, burst 4 31:30, wrap1 4 29:20, step1 4 19:0,"
        "smid 5 31:28, axcache 5 27:24, qos 5 23:20, step2 5 19:0,"
        "iteration_current 6 31:26, iteration_wrap 6 25:20, iteration_step 6 19:0," + _TAIL.format(7)
    ),
}
"""Fields of a buffer descriptor."""

QUEUE_FIELDS = _fields("bd 0 5:0, repeat 0 23:16, token 0 31")
"""A write to a channel's queue; core and shim tiles have 4 bits of ``bd``."""
CONTROL_FIELDS = _fields("tlast_mode 0 17:16, controller 0 15:8, compression 0 4, out_of_order 0 3, reset 0 1")
"""A channel's control register."""
MASTER_FIELDS = _fields("on 0 31, packet 0 30, drop_header 0 7, configuration 0 6:0, arbiter 0 2:0, msel 0 6:3")
"""A master port of the switch: ``configuration`` is the slave port, or the arbiter and a mask of msel."""
SLAVE_FIELDS = _fields("on 0 31, packet 0 30")
SLOT_FIELDS = _fields("id 0 28:24, mask 0 20:16, on 0 8, msel 0 5:4, arbiter 0 2:0")
"""A packet slot of a slave port."""

PROCESSOR_BUS = 0x32038
"""Bit 0: the core reaches the registers of its tile."""
SHIM_MUX, SHIM_DEMUX = 0x1F000, 0x1F004
MUX_PORTS = {2: 8, 3: 10, 6: 12, 7: 14}
"""Lowest bit of a South port's choice in the mux (into the array); 1 is the DMA."""
DEMUX_PORTS = {2: 4, 3: 6, 4: 8, 5: 10}
SHIM_MM2S = {3: 0, 7: 1}
"""The MM2S channel behind a South slave port."""
SHIM_S2MM = {2: 0, 3: 1}
"""The S2MM channel behind a South master port."""


@dataclass(frozen=True)
class RegisterBlock:
    """Registers of one name.

    Attributes:
        name: with ``{0}`` for the number where there are several.
        base: offset of the first.
        stride: bytes between two.
        count: how many.
        words: 32-bit words of each.
    """

    name: str
    base: int
    stride: int = 4
    count: int = 1
    words: int = 1

    def find(self, offset: int) -> tuple[int, int] | None:
        """Number and word at an offset; None where it is not this block's."""
        number, rest = divmod(offset - self.base, self.stride)
        if 0 <= number < self.count and rest % 4 == 0 and rest < 4 * self.words:
            return number, rest // 4
        return None


@dataclass(frozen=True)
class TileMap:
    """The registers of a kind of tile.

    Attributes:
        bds: the buffer descriptors.
        control: first control register of each direction; a channel's queue is 4 above, the next channel 8.
        status: first status register of each direction.
        channels: in each direction.
        locks: lock values.
        masters, slaves: ports of the switch in order, as (direction, number).
        master, slave, slots: first registers of the switch.
        memory: bytes of data memory at offset 0.
        others: named for the listing.
    """

    bds: RegisterBlock
    control: dict[Direction, int]
    status: dict[Direction, int]
    channels: int
    locks: RegisterBlock
    masters: tuple[tuple[str, int], ...]
    slaves: tuple[tuple[str, int], ...]
    master: int
    slave: int
    slots: int
    memory: int
    others: tuple[RegisterBlock, ...]


def _ports(text: str) -> tuple[tuple[str, int], ...]:
    return tuple((name, n) for part in text.split() for name, count in [part.split("*")] for n in range(int(count)))


PROGRAM_MEMORY, PROGRAM_BYTES = 0x20000, 0x4000
"""A core's program memory."""

_CORE_OTHERS = (
    RegisterBlock("Program_Memory", PROGRAM_MEMORY, 4, PROGRAM_BYTES // 4),
    RegisterBlock("Lock_Request", 0x40000, 4, 0x1000),
    RegisterBlock("Core_Control", 0x32000),
    RegisterBlock("Core_Status", 0x32004),
    RegisterBlock("Core_Processor_Bus", PROCESSOR_BUS),
    RegisterBlock("Memory_Control", 0x36070),
    RegisterBlock("Core_Trace_Control{0}", 0x340D0, 4, 2),
    RegisterBlock("Core_Trace_Event{0}", 0x340E0, 4, 2),
    RegisterBlock("Mem_Trace_Control{0}", 0x140D0, 4, 2),
    RegisterBlock("Mem_Trace_Event{0}", 0x140E0, 4, 2),
    RegisterBlock("Event_Port_Select{0}", 0x3FF00, 4, 2),
)

PAD_VALUES = RegisterBlock("Constant_Pad_Value_MM2S_{0}", 0xA06E0, 4, 6)
"""What padding of a memory tile's MM2S channels holds; AIE2P alone has it."""

TILE_MAPS: dict[TileKind, TileMap] = {
    TileKind.CORE: TileMap(
        RegisterBlock("DMA_BD{0}", 0x1D000, _BD_STRIDE, 16, 6),
        {Direction.S2MM: 0x1DE00, Direction.MM2S: 0x1DE10},
        {Direction.S2MM: 0x1DF00, Direction.MM2S: 0x1DF10},
        2,
        RegisterBlock("Lock{0}_value", 0x1F000, 0x10, 16),
        _ports("Core*1 DMA*2 Control*1 FIFO*1 South*4 West*4 North*6 East*4"),
        _ports("Core*1 DMA*2 Control*1 FIFO*1 South*6 West*4 North*4 East*4 Trace*2"),
        0x3F000,
        0x3F100,
        0x3F200,
        0x10000,
        _CORE_OTHERS,
    ),
    TileKind.MEM: TileMap(
        RegisterBlock("DMA_BD{0}", 0xA0000, _BD_STRIDE, 48, 8),
        {Direction.S2MM: 0xA0600, Direction.MM2S: 0xA0630},
        {Direction.S2MM: 0xA0660, Direction.MM2S: 0xA0680},
        6,
        RegisterBlock("Lock{0}_value", 0xC0000, 0x10, 64),
        _ports("DMA*6 Control*1 South*4 North*6"),
        _ports("DMA*6 Control*1 South*6 North*4 Trace*1"),
        0xB0000,
        0xB0100,
        0xB0200,
        0x80000,
        (
            RegisterBlock("Lock_Request", 0xD0000, 4, 0x1000),
            RegisterBlock("DMA_Event_Channel_Selection", 0xA06A0),
            PAD_VALUES,
            RegisterBlock("Trace_Control{0}", 0x940D0, 4, 2),
            RegisterBlock("Trace_Event{0}", 0x940E0, 4, 2),
        ),
    ),
    TileKind.SHIM: TileMap(
        RegisterBlock("DMA_BD{0}", 0x1D000, _BD_STRIDE, 16, 8),
        {Direction.S2MM: 0x1D200, Direction.MM2S: 0x1D210},
        {Direction.S2MM: 0x1D220, Direction.MM2S: 0x1D228},
        2,
        RegisterBlock("Lock{0}_value", 0x14000, 0x10, 16),
        _ports("Control*1 FIFO*1 South*6 West*4 North*6 East*4"),
        _ports("Control*1 FIFO*1 South*8 West*4 North*4 East*4 Trace*1"),
        0x3F000,
        0x3F100,
        0x3F200,
        0,
        (
            RegisterBlock("Mux_Config", SHIM_MUX),
            RegisterBlock("Demux_Config", SHIM_DEMUX),
            RegisterBlock("Trace_Control{0}", 0x340D0, 4, 2),
            RegisterBlock("Trace_Event{0}", 0x340E0, 4, 2),
            RegisterBlock("Event_Port_Select{0}", 0x3FF00, 4, 2),
        ),
    ),
}


def bd_words(kind: TileKind) -> int:
    """Words of a buffer descriptor."""
    return TILE_MAPS[kind].bds.words


def signed_value(raw: int) -> int:
    """A lock value of 7 bits as a number, -64 to 63."""
    return raw - 128 if raw >= 64 else raw


def channel_at(kind: TileKind, offset: int) -> tuple[Direction, int, str] | None:
    """Direction, channel and ``Ctrl`` or ``Task_Queue`` of a channel's register; None for others."""
    layout = TILE_MAPS[kind]
    for direction, base in layout.control.items():
        channel, rest = divmod(offset - base, 8)
        if 0 <= channel < layout.channels and rest in (0, 4):
            return direction, channel, "Ctrl" if rest == 0 else "Task_Queue"
    return None
