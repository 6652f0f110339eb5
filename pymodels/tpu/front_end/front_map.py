# SPDX-License-Identifier: Apache-2.0
# Made from hdl/tpu/tpu.rdl by `python -m goldbeat.tb.build.regmaps --write`.
# fmt: off
"""Registers of tpu: byte addresses, masks of fields, reset values."""

from goldbeat.pymodels.register_map import Field, Register, by_name

ADDRESS_BITS = 16

ID = 0x0000
ID_RESET = 0x54505543
CONFIG = 0x0004
CONFIG_CORES = 0xf
CONFIG_ENGINES = 0x30
CONFIG_CHIP = 0x700
CONFIG_DEPTH = 0x7f0000
CONFIG_LOG_NMSG = 0xf000000
CTRL = 0x0008
CTRL_START = 0x1
CTRL_ENABLED = 0x1
CTRL_CLEAR = 0x2
CTRL_HALTED = 0x2
IRQ_STATUS = 0x000c
IRQ_STATUS_CORE = 0xff
IRQ_STATUS_ERROR = 0x80000000
IRQ_MASK = 0x0010
IRQ_MASK_CORE = 0xff
IRQ_MASK_ERROR = 0x80000000
ERROR = 0x0014
ERROR_CODE = 0xf
ERROR_CORE = 0x70
ERROR_ENGINE = 0x300
ERROR_ID = 0x0018
TIMEOUT = 0x001c
TIMEOUT_RESET = 0x1000
DUR_MODE = 0x0020
DURATION = 0x0024
DURATION_RESET = 0x1
DUR_ENGINES = 0x0028
DUR_INDEX = 0x002c
DUR_DATA = 0x0030
PUSH = 0x0100
PUSH_STRIDE = 0x4
PUSH_ANY = 0xffffffff
PUSH_WAITING = 0x7
PUSH_RUN = 0x100
MESSAGE = 0x0200
MESSAGE_STRIDE = 0x4
MESSAGE_SENT = 0xffff
MESSAGE_LEFT = 0x7f0000
ENGINE = 0x1000
ENGINE_BLOCK = 0x00  # offset in ENGINE
ENGINE_STRIDE = 0x40
ENGINE_SIZE = 0x04  # offset in ENGINE
ENGINE_COUNT = 0x08  # offset in ENGINE
ENGINE_CURRENT = 0x0c  # offset in ENGINE
ENGINE_STATUS = 0x10  # offset in ENGINE
ENGINE_STATUS_DONE = 0x1
ENGINE_STATUS_WAITS = 0x2
ENGINE_STATUS_EXECUTING = 0x4
ENGINE_STATUS_FAULT = 0x8
ENGINE_STATUS_LEVEL = 0xffff0000

REGISTERS = by_name(
    Register("ID", 0x0000, (Field("VALUE", 0, 32, "r", 0x54505543),)),
    Register("CONFIG", 0x0004, (
        Field("CORES", 0, 4, "r"),
        Field("ENGINES", 4, 2, "r"),
        Field("CHIP", 8, 3, "r"),
        Field("DEPTH", 16, 7, "r"),
        Field("LOG_NMSG", 24, 4, "r"),
    )),
    Register("CTRL", 0x0008, (
        Field("START", 0, 1, "w"),
        Field("ENABLED", 0, 1, "r"),
        Field("CLEAR", 1, 1, "w"),
        Field("HALTED", 1, 1, "r"),
    )),
    Register("IRQ_STATUS", 0x000c, (Field("CORE", 0, 8, "rw1c"), Field("ERROR", 31, 1, "rw1c"),)),
    Register("IRQ_MASK", 0x0010, (Field("CORE", 0, 8), Field("ERROR", 31, 1),)),
    Register("ERROR", 0x0014, (Field("CODE", 0, 4, "r"), Field("CORE", 4, 3, "r"), Field("ENGINE", 8, 2, "r"),)),
    Register("ERROR_ID", 0x0018, (Field("VALUE", 0, 24, "r"),)),
    Register("TIMEOUT", 0x001c, (Field("VALUE", 0, 24, "rw", 0x1000),)),
    Register("DUR_MODE", 0x0020, (Field("VALUE", 0, 2),)),
    Register("DURATION", 0x0024, (Field("VALUE", 0, 24, "rw", 0x1),)),
    Register("DUR_ENGINES", 0x0028, (Field("VALUE", 0, 24),)),
    Register("DUR_INDEX", 0x002c, (Field("VALUE", 0, 10),)),
    Register("DUR_DATA", 0x0030, (Field("VALUE", 0, 24, "w"),)),
    Register("PUSH", 0x0100, (
        Field("ANY", 0, 32, "w"),
        Field("WAITING", 0, 3, "r"),
        Field("RUN", 8, 1, "r"),
    ), 0x4, 8),
    Register("MESSAGE", 0x0200, (Field("SENT", 0, 16, "r"), Field("LEFT", 16, 7, "r"),), 0x4, 512),
    Register("ENGINE.BLOCK", 0x1000, (Field("VALUE", 0, 32),), 0x40, 24),
    Register("ENGINE.SIZE", 0x1004, (Field("VALUE", 0, 24),), 0x40, 24),
    Register("ENGINE.COUNT", 0x1008, (Field("VALUE", 0, 24),), 0x40, 24),
    Register("ENGINE.CURRENT", 0x100c, (Field("VALUE", 0, 24, "r"),), 0x40, 24),
    Register("ENGINE.STATUS", 0x1010, (
        Field("DONE", 0, 1, "r"),
        Field("WAITS", 1, 1, "r"),
        Field("EXECUTING", 2, 1, "r"),
        Field("FAULT", 3, 1, "r"),
        Field("LEVEL", 16, 16, "r"),
    ), 0x40, 24),
)
