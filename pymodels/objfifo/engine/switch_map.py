# SPDX-License-Identifier: Apache-2.0
# Made from hdl/objfifo/objfifo_switch.rdl by `python -m goldbeat.tb.build.regmaps --write`.
# fmt: off
"""Registers of objfifo_switch: byte addresses, masks of fields, reset values."""

from goldbeat.pymodels.register_map import Field, Register, by_name

ADDRESS_BITS = 12

ID = 0x0000
ID_RESET = 0x4f465357
ROUTE = 0x0100
ROUTE_STRIDE = 0x4
ROUTE_SOURCE = 0xff
ROUTE_ROUTED = 0x100
WORKER = 0x0200
WORKER_ADD = 0x00  # offset in WORKER
WORKER_STRIDE = 0x8
WORKER_WORK = 0x04  # offset in WORKER

REGISTERS = by_name(
    Register("ID", 0x0000, (Field("VALUE", 0, 32, "r", 0x4f465357),)),
    Register("ROUTE", 0x0100, (Field("SOURCE", 0, 8), Field("ROUTED", 8, 1),), 0x4, 64),
    Register("WORKER.ADD", 0x0200, (Field("VALUE", 0, 32),), 0x8, 64),
    Register("WORKER.WORK", 0x0204, (Field("VALUE", 0, 16),), 0x8, 64),
)
