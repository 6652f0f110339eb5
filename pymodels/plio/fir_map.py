# SPDX-License-Identifier: Apache-2.0
# Made from hdl/plio/plio_fir.rdl by `python -m goldbeat.tb.build.regmaps --write`.
# fmt: off
"""Registers of plio_fir: byte addresses, masks of fields, reset values."""

from goldbeat.pymodels.register_map import Field, Register, by_name

ADDRESS_BITS = 12

ID = 0x0000
ID_RESET = 0x47424652
CONFIG = 0x0004
CONFIG_NTAPS = 0xff
CONFIG_P = 0xff00
CONFIG_FIR_LATENCY = 0xff0000
CONFIG_FIFO_DEPTH = 0xff000000
CTRL = 0x0008
CTRL_CLEAR = 0x1
CTRL_FRAME_CLEAR = 0x2
SHIFT = 0x000c
ROUND = 0x0010
SAT = 0x0014
SAT_RESET = 0x1
BEATS = 0x0018
SATCOUNT = 0x001c
COEF = 0x0040
COEF_STRIDE = 0x4

REGISTERS = by_name(
    Register("ID", 0x0000, (Field("VALUE", 0, 32, "r", 0x47424652),)),
    Register("CONFIG", 0x0004, (
        Field("NTAPS", 0, 8, "r"),
        Field("P", 8, 8, "r"),
        Field("FIR_LATENCY", 16, 8, "r"),
        Field("FIFO_DEPTH", 24, 8, "r"),
    )),
    Register("CTRL", 0x0008, (Field("CLEAR", 0, 1, "w"), Field("FRAME_CLEAR", 1, 1),)),
    Register("SHIFT", 0x000c, (Field("VALUE", 0, 6),)),
    Register("ROUND", 0x0010, (Field("VALUE", 0, 3),)),
    Register("SAT", 0x0014, (Field("VALUE", 0, 2, "rw", 0x1),)),
    Register("BEATS", 0x0018, (Field("VALUE", 0, 32, "r"),)),
    Register("SATCOUNT", 0x001c, (Field("VALUE", 0, 32, "rwc"),)),
    Register("COEF", 0x0040, (Field("VALUE", 0, 16),), 0x4, 32),
)
