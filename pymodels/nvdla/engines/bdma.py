# SPDX-License-Identifier: Apache-2.0
"""BDMA: copies of cubes of bytes, lines of whole atoms of 32 bytes. Source: public C model of nvdla/hw, branch nvdlav1."""

from __future__ import annotations

import numpy as np

from goldbeat.pymodels.nvdla.engines.address_space import AddressSpace, atom_addresses
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints
from goldbeat.pymodels.nvdla.engines.registers import Values

UNIT = 32
"""Bytes of a line are a multiple of this."""


def run_bdma(values: Values, memory: AddressSpace, incoming: Ints | None = None) -> Ints:
    """Carry out one transfer.

    Args:
        values: the registers ``CFG_*`` as they stood when the transfer was queued.
        memory: written to.
        incoming: None.

    Returns:
        an empty array: nothing goes on to another engine.

    Raises:
        InputError: bytes outside of the memory.
    """
    count = values.get("BDMA", "CFG_LINE", "SIZE") + 1
    lines, surfaces = (values.get("BDMA", f"CFG_{part}_REPEAT", "NUMBER") + 1 for part in ("LINE", "SURF"))

    def places(end: str) -> Ints:
        low, high = (values.get("BDMA", f"CFG_{end}_ADDR_{word}") for word in ("LOW", "HIGH"))
        line, surface = (values.get("BDMA", f"CFG_{end}_{part}") for part in ("LINE", "SURF"))
        return atom_addresses(high << 32 | low, count, lines, surfaces, line, surface, UNIT)

    memory.write(places("DST"), memory.read(places("SRC"), UNIT))
    return np.zeros((0, 0, 0, 0), np.int64)
