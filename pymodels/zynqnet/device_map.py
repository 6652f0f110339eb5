# SPDX-License-Identifier: Apache-2.0
# Made from hdl/zynqnet/zynqnet.rdl by `python -m goldbeat.tb.build.regmaps --write`.
# fmt: off
"""Registers of zynqnet: byte addresses, masks of fields, reset values."""

from goldbeat.pymodels.register_map import Field, Register, by_name

ADDRESS_BITS = 12

AP_CTRL = 0x0000
AP_CTRL_RESET = 0x4
AP_CTRL_START = 0x1
AP_CTRL_DONE = 0x2
AP_CTRL_IDLE = 0x4
AP_CTRL_READY = 0x8
AP_CTRL_AUTO_RESTART = 0x80
GIE = 0x0004
IER = 0x0008
IER_DONE = 0x1
IER_READY = 0x2
ISR = 0x000c
ISR_DONE = 0x1
ISR_READY = 0x2
NAME = 0x0010
NAME_STRIDE = 0x4
WIDTH = 0x0018
HEIGHT = 0x0020
CH_IN = 0x0028
CH_OUT = 0x0030
KERNEL = 0x0038
STRIDE = 0x0040
PAD = 0x0048
RELU = 0x0050
FIRST_SPLIT = 0x0058
SECOND_SPLIT = 0x0060
GLOBAL_POOL = 0x0068
MEM_IN = 0x0070
MEM_OUT = 0x0078
MEM_WEIGHTS = 0x0080
DRAM_BASE = 0x0088
WEIGHTS_OFFSET = 0x0090
NUM_WEIGHTS = 0x0098
INPUT_OFFSET = 0x00a0
SHIFTS = 0x00b0
SHIFTS_BIAS = 0xff
SHIFTS_OUT = 0xff00
SHIFTS_CONCAT = 0xff0000
MEM_WORDS = 0x00b8
ID = 0x0100
ID_RESET = 0x5a4e4554
CONFIG = 0x0104
CONFIG_NPE = 0xff
CONFIG_N = 0xff00
CONFIG_INT8 = 0x10000
CONFIG_LINES = 0xf00000
ERROR = 0x0108
CYCLES = 0x010c
ISSUES = 0x0110
WAIT_WEIGHTS = 0x0114
WAIT_PIXELS = 0x0118
WAIT_WRITE = 0x011c
BUBBLES = 0x0120
READ_BEATS = 0x0124
WRITE_BEATS = 0x0128
LAYERS = 0x012c
FIRST_ISSUE = 0x0130

REGISTERS = by_name(
    Register("AP_CTRL", 0x0000, (
        Field("START", 0, 1),
        Field("DONE", 1, 1, "rc"),
        Field("IDLE", 2, 1, "r", 0x1),
        Field("READY", 3, 1, "rc"),
        Field("AUTO_RESTART", 7, 1),
    )),
    Register("GIE", 0x0004, (Field("VALUE", 0, 1),)),
    Register("IER", 0x0008, (Field("DONE", 0, 1), Field("READY", 1, 1),)),
    Register("ISR", 0x000c, (Field("DONE", 0, 1, "rw1t"), Field("READY", 1, 1, "rw1t"),)),
    Register("NAME", 0x0010, (Field("VALUE", 0, 32),), 0x4, 2),
    Register("WIDTH", 0x0018, (Field("VALUE", 0, 9),)),
    Register("HEIGHT", 0x0020, (Field("VALUE", 0, 9),)),
    Register("CH_IN", 0x0028, (Field("VALUE", 0, 10),)),
    Register("CH_OUT", 0x0030, (Field("VALUE", 0, 10),)),
    Register("KERNEL", 0x0038, (Field("VALUE", 0, 2),)),
    Register("STRIDE", 0x0040, (Field("VALUE", 0, 2),)),
    Register("PAD", 0x0048, (Field("VALUE", 0, 1),)),
    Register("RELU", 0x0050, (Field("VALUE", 0, 1),)),
    Register("FIRST_SPLIT", 0x0058, (Field("VALUE", 0, 1),)),
    Register("SECOND_SPLIT", 0x0060, (Field("VALUE", 0, 1),)),
    Register("GLOBAL_POOL", 0x0068, (Field("VALUE", 0, 1),)),
    Register("MEM_IN", 0x0070, (Field("VALUE", 0, 23),)),
    Register("MEM_OUT", 0x0078, (Field("VALUE", 0, 23),)),
    Register("MEM_WEIGHTS", 0x0080, (Field("VALUE", 0, 23),)),
    Register("DRAM_BASE", 0x0088, (Field("VALUE", 0, 32),)),
    Register("WEIGHTS_OFFSET", 0x0090, (Field("VALUE", 0, 23),)),
    Register("NUM_WEIGHTS", 0x0098, (Field("VALUE", 0, 19),)),
    Register("INPUT_OFFSET", 0x00a0, (Field("VALUE", 0, 23),)),
    Register("SHIFTS", 0x00b0, (Field("BIAS", 0, 8), Field("OUT", 8, 8), Field("CONCAT", 16, 8),)),
    Register("MEM_WORDS", 0x00b8, (Field("VALUE", 0, 23),)),
    Register("ID", 0x0100, (Field("VALUE", 0, 32, "r", 0x5a4e4554),)),
    Register("CONFIG", 0x0104, (
        Field("NPE", 0, 8, "r"),
        Field("N", 8, 8, "r"),
        Field("INT8", 16, 1, "r"),
        Field("LINES", 20, 4, "r"),
    )),
    Register("ERROR", 0x0108, (Field("VALUE", 0, 8, "r"),)),
    Register("CYCLES", 0x010c, (Field("VALUE", 0, 32, "r"),)),
    Register("ISSUES", 0x0110, (Field("VALUE", 0, 32, "r"),)),
    Register("WAIT_WEIGHTS", 0x0114, (Field("VALUE", 0, 32, "r"),)),
    Register("WAIT_PIXELS", 0x0118, (Field("VALUE", 0, 32, "r"),)),
    Register("WAIT_WRITE", 0x011c, (Field("VALUE", 0, 32, "r"),)),
    Register("BUBBLES", 0x0120, (Field("VALUE", 0, 32, "r"),)),
    Register("READ_BEATS", 0x0124, (Field("VALUE", 0, 32, "r"),)),
    Register("WRITE_BEATS", 0x0128, (Field("VALUE", 0, 32, "r"),)),
    Register("LAYERS", 0x012c, (Field("VALUE", 0, 32, "r"),)),
    Register("FIRST_ISSUE", 0x0130, (Field("VALUE", 0, 32, "r"),)),
)
