# SPDX-License-Identifier: Apache-2.0
# Made from hdl/objfifo/objfifo.rdl by `python -m goldbeat.tb.build.regmaps --write`.
# fmt: off
"""Registers of objfifo: byte addresses, masks of fields, reset values."""

from goldbeat.pymodels.register_map import Field, Register, by_name

ADDRESS_BITS = 16

ID = 0x0000
ID_RESET = 0x4f464d44
CONFIG = 0x0004
CONFIG_NS = 0xf
CONFIG_NM = 0xf0
CONFIG_NBD = 0xff00
CONFIG_NLOCK = 0xff0000
CONFIG_WORD_W = 0xff000000
CTRL = 0x0008
CTRL_ARMED = 0x1
CTRL_CORE = 0x2
CTRL_CORES = 0xfff0000
IRQ_STATUS = 0x000c
IRQ_STATUS_TOKEN = 0xfff
IRQ_STATUS_ERROR = 0x80000000
IRQ_MASK = 0x0010
IRQ_MASK_TOKEN = 0xfff
IRQ_MASK_ERROR = 0x80000000
ERROR = 0x0014
ERROR_CODE = 0xf
ERROR_CHANNEL = 0xf00
ERROR_ID = 0x3f0000
OUT_OF_ORDER = 0x0018
OUT_OF_ORDER_CHANNELS = 0x3f
CHANNEL = 0x0100
CHANNEL_STRIDE = 0x4
CHANNEL_BUSY = 0x1
CHANNEL_STOPPED = 0x2
CHANNEL_QUEUE = 0x70
TOKENS = 0x0180
TOKENS_STRIDE = 0x4
TASK = 0x0200
TASK_STRIDE = 0x4
TASK_START = 0x3f
TASK_REPEAT = 0xff00
TASK_TOKEN = 0x10000
PAD_VALUE = 0x0280
PAD_VALUE_STRIDE = 0x4
MEM_ADDRESS = 0x0400
MEM_DATA = 0x0404
BD = 0x1000
BD_ADDRESS = 0x00  # offset in BD
BD_STRIDE = 0x40
BD_ADDRESS_BASE = 0xfffff
BD_LENGTH = 0x04  # offset in BD
BD_LENGTH_LENGTH = 0x3ffff
BD_DIM0 = 0x08  # offset in BD
BD_DIM0_WRAP0 = 0x3ff
BD_DIM0_STEP0 = 0x7fffc00
BD_DIM1 = 0x0c  # offset in BD
BD_DIM1_WRAP1 = 0x3ff
BD_DIM1_STEP1 = 0x7fffc00
BD_DIM2 = 0x10  # offset in BD
BD_DIM2_WRAP2 = 0x3ff
BD_DIM2_STEP2 = 0x7fffc00
BD_DIM3 = 0x14  # offset in BD
BD_DIM3_STEP3 = 0x1ffff
BD_ITERATION = 0x18  # offset in BD
BD_ITERATION_ITERATION_SIZE = 0x3f
BD_ITERATION_ITERATION_STEP = 0x7fffc0
BD_ITERATION_ITERATION_START = 0x1f800000
BD_PAD_BEFORE = 0x1c  # offset in BD
BD_PAD_BEFORE_PAD_BEFORE0 = 0x3f
BD_PAD_BEFORE_PAD_BEFORE1 = 0x1f00
BD_PAD_BEFORE_PAD_BEFORE2 = 0xf0000
BD_PAD_AFTER = 0x20  # offset in BD
BD_PAD_AFTER_PAD_AFTER0 = 0x3f
BD_PAD_AFTER_PAD_AFTER1 = 0x1f00
BD_PAD_AFTER_PAD_AFTER2 = 0xf0000
BD_LOCKS = 0x24  # offset in BD
BD_LOCKS_ACQUIRE_LOCK = 0x3f
BD_LOCKS_ACQUIRE_VALUE = 0x3f00
BD_LOCKS_ACQUIRE_EQUAL = 0x4000
BD_LOCKS_ACQUIRE_ENABLE = 0x8000
BD_LOCKS_RELEASE_LOCK = 0x3f0000
BD_LOCKS_RELEASE_VALUE = 0x3f000000
BD_CONTROL = 0x28  # offset in BD
BD_CONTROL_NEXT = 0x3f
BD_CONTROL_NEXT_ENABLE = 0x100
BD_CONTROL_VALID = 0x200
BD_CONTROL_SUPPRESS_TLAST = 0x400
BD_CONTROL_PACKET = 0x800
BD_CONTROL_PACKET_ID = 0x1f000
BD_CONTROL_PACKET_TYPE = 0x700000
BD_CONTROL_OOO_ID = 0x3f000000
LOCK = 0x2000
LOCK_STRIDE = 0x4

REGISTERS = by_name(
    Register("ID", 0x0000, (Field("VALUE", 0, 32, "r", 0x4f464d44),)),
    Register("CONFIG", 0x0004, (
        Field("NS", 0, 4, "r"),
        Field("NM", 4, 4, "r"),
        Field("NBD", 8, 8, "r"),
        Field("NLOCK", 16, 8, "r"),
        Field("WORD_W", 24, 8, "r"),
    )),
    Register("CTRL", 0x0008, (Field("ARMED", 0, 1), Field("CORE", 1, 1), Field("CORES", 16, 12),)),
    Register("IRQ_STATUS", 0x000c, (Field("TOKEN", 0, 12, "rw1c"), Field("ERROR", 31, 1, "rw1c"),)),
    Register("IRQ_MASK", 0x0010, (Field("TOKEN", 0, 12), Field("ERROR", 31, 1),)),
    Register("ERROR", 0x0014, (Field("CODE", 0, 4, "rwc"), Field("CHANNEL", 8, 4, "rwc"), Field("ID", 16, 6, "rwc"),)),
    Register("OUT_OF_ORDER", 0x0018, (Field("CHANNELS", 0, 6),)),
    Register("CHANNEL", 0x0100, (
        Field("BUSY", 0, 1, "r"),
        Field("STOPPED", 1, 1, "r"),
        Field("QUEUE", 4, 3, "r"),
    ), 0x4, 12),
    Register("TOKENS", 0x0180, (Field("VALUE", 0, 32, "rwc"),), 0x4, 12),
    Register("TASK", 0x0200, (
        Field("START", 0, 6, "w"),
        Field("REPEAT", 8, 8, "w"),
        Field("TOKEN", 16, 1, "w"),
    ), 0x4, 12),
    Register("PAD_VALUE", 0x0280, (Field("VALUE", 0, 32),), 0x4, 6),
    Register("MEM_ADDRESS", 0x0400, (Field("VALUE", 0, 20),)),
    Register("MEM_DATA", 0x0404, (Field("VALUE", 0, 32),)),
    Register("BD.ADDRESS", 0x1000, (Field("BASE", 0, 20),), 0x40, 64),
    Register("BD.LENGTH", 0x1004, (Field("LENGTH", 0, 18),), 0x40, 64),
    Register("BD.DIM0", 0x1008, (Field("WRAP0", 0, 10), Field("STEP0", 10, 17),), 0x40, 64),
    Register("BD.DIM1", 0x100c, (Field("WRAP1", 0, 10), Field("STEP1", 10, 17),), 0x40, 64),
    Register("BD.DIM2", 0x1010, (Field("WRAP2", 0, 10), Field("STEP2", 10, 17),), 0x40, 64),
    Register("BD.DIM3", 0x1014, (Field("STEP3", 0, 17),), 0x40, 64),
    Register("BD.ITERATION", 0x1018, (
        Field("ITERATION_SIZE", 0, 6),
        Field("ITERATION_STEP", 6, 17),
        Field("ITERATION_START", 23, 6),
    ), 0x40, 64),
    Register("BD.PAD_BEFORE", 0x101c, (
        Field("PAD_BEFORE0", 0, 6),
        Field("PAD_BEFORE1", 8, 5),
        Field("PAD_BEFORE2", 16, 4),
    ), 0x40, 64),
    Register("BD.PAD_AFTER", 0x1020, (
        Field("PAD_AFTER0", 0, 6),
        Field("PAD_AFTER1", 8, 5),
        Field("PAD_AFTER2", 16, 4),
    ), 0x40, 64),
    Register("BD.LOCKS", 0x1024, (
        Field("ACQUIRE_LOCK", 0, 6),
        Field("ACQUIRE_VALUE", 8, 6),
        Field("ACQUIRE_EQUAL", 14, 1),
        Field("ACQUIRE_ENABLE", 15, 1),
        Field("RELEASE_LOCK", 16, 6),
        Field("RELEASE_VALUE", 24, 6),
    ), 0x40, 64),
    Register("BD.CONTROL", 0x1028, (
        Field("NEXT", 0, 6),
        Field("NEXT_ENABLE", 8, 1),
        Field("VALID", 9, 1),
        Field("SUPPRESS_TLAST", 10, 1),
        Field("PACKET", 11, 1),
        Field("PACKET_ID", 12, 5),
        Field("PACKET_TYPE", 20, 3),
        Field("OOO_ID", 24, 6),
    ), 0x40, 64),
    Register("LOCK", 0x2000, (Field("VALUE", 0, 6),), 0x4, 64),
)
