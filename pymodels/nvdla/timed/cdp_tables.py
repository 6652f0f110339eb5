# SPDX-License-Identifier: Apache-2.0
"""The lookup tables of CDP behind their access registers (docs/nvdla-cdp.md)."""

from __future__ import annotations

from goldbeat.pymodels.nvdla.engines.arithmetic import signed
from goldbeat.pymodels.nvdla.engines.lookup import LE_ENTRIES, LO_ENTRIES
from goldbeat.pymodels.nvdla.engines.registers import Tables, csb_register

_CONFIG = csb_register("CDP", "S_LUT_ACCESS_CFG")
_DATA = csb_register("CDP", "S_LUT_ACCESS_DATA")
_READ, _WRITE = 0, 1
_ENTRY_BITS = 16


class LookupTables:
    """Both tables, and where they are read and written.

    Attributes:
        busy: CDP works: entries are not shown.
    """

    def __init__(self) -> None:
        self.busy = False
        self._entries = ([0] * LE_ENTRIES, [0] * LO_ENTRIES)
        self._address = self._table = self._way = 0

    @property
    def signed(self) -> Tables:
        """The LE and the LO table, as numbers."""
        le, lo = ([signed(e, _ENTRY_BITS) for e in table] for table in self._entries)
        return le, lo

    def has(self, address: int) -> bool:
        """Whether a byte address is that of an access register."""
        return address in (_CONFIG.address, _DATA.address)

    def write(self, address: int, value: int) -> None:
        """A write to an access register takes effect."""
        if address == _CONFIG.address:
            names = ("LUT_ADDR", "LUT_TABLE_ID", "LUT_ACCESS_TYPE")
            self._address, self._table, self._way = (_CONFIG.field(name).of(value) for name in names)
        elif self._way == _WRITE:
            table = self._entries[self._table]
            if self._address < len(table):
                table[self._address] = value & ((1 << _ENTRY_BITS) - 1)
            self._step()

    def look(self, address: int) -> int:
        """What an access register shows."""
        if address == _CONFIG.address:
            return _CONFIG.pack(LUT_ADDR=self._address, LUT_TABLE_ID=self._table, LUT_ACCESS_TYPE=self._way)
        table = self._entries[self._table]
        return 0 if self.busy else table[self._address if self._address < len(table) else 0]

    def seen(self, address: int) -> None:
        """A register has been read: what changes at the edge behind."""
        if address == _DATA.address and self._way == _READ:
            self._step()

    def _step(self) -> None:
        if self._address != len(self._entries[self._table]) - 1:
            self._address = (self._address + 1) & (_CONFIG.field("LUT_ADDR").mask >> _CONFIG.field("LUT_ADDR").lsb)
