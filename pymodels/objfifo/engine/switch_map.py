# SPDX-License-Identifier: Apache-2.0
# Made from hdl/objfifo/objfifo_switch.rdl by `python -m goldbeat.tb.build.regmaps --write`.
# fmt: off
"""Registers of objfifo_switch: byte addresses, masks of fields, reset values."""

from goldbeat.pymodels.register_map import Field, Register, by_name

ADDRESS_BITS = 14

ID = 0x0000
ID_RESET = 0x4f465357
WORKER = 0x0100
WORKER_ADD = 0x00  # offset in WORKER
WORKER_STRIDE = 0x8
WORKER_WORK = 0x04  # offset in WORKER
ROUTE = 0x1000
ROUTE_STRIDE = 0x4
ROUTE_SOURCE = 0xff
ROUTE_ROUTED = 0x100
ROUTE_PACKET = 0x200
ROUTE_DROP_HEADER = 0x400
ROUTE_ARBITER = 0x7000
ROUTE_MSELS = 0xf0000
SOURCE = 0x1400
SOURCE_STRIDE = 0x4
SOURCE_PACKETS = 0x1
SLOT = 0x2000
SLOT_STRIDE = 0x4
SLOT_ID = 0x1f
SLOT_MASK = 0x1f00
SLOT_ENABLE = 0x10000
SLOT_MSEL = 0x300000
SLOT_ARBITER = 0x7000000

REGISTERS = by_name(
    Register("ID", 0x0000, (Field("VALUE", 0, 32, "r", 0x4f465357),)),
    Register("WORKER.ADD", 0x0100, (Field("VALUE", 0, 32),), 0x8, 64),
    Register("WORKER.WORK", 0x0104, (Field("VALUE", 0, 16),), 0x8, 64),
    Register("ROUTE", 0x1000, (
        Field("SOURCE", 0, 8),
        Field("ROUTED", 8, 1),
        Field("PACKET", 9, 1),
        Field("DROP_HEADER", 10, 1),
        Field("ARBITER", 12, 3),
        Field("MSELS", 16, 4),
    ), 0x4, 256),
    Register("SOURCE", 0x1400, (Field("PACKETS", 0, 1),), 0x4, 256),
    Register("SLOT", 0x2000, (
        Field("ID", 0, 5),
        Field("MASK", 8, 5),
        Field("ENABLE", 16, 1),
        Field("MSEL", 20, 2),
        Field("ARBITER", 24, 3),
    ), 0x4, 1024),
)
