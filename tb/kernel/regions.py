# SPDX-License-Identifier: Apache-2.0
"""The address space of a memory as C++ takes it, and the log that C++ keeps of its accesses."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import Structure, c_char_p, c_int, c_uint64, c_void_p
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import Region, check_regions
from goldbeat.pymodels.errors import UsageError

ACCESS = np.dtype(
    [
        ("address", np.uint64),
        ("cycle", np.int64),
        ("first", np.int64),
        ("last", np.int64),
        ("done", np.int64),
        ("id", np.uint32),
        ("region", np.int32),
        ("len", np.uint16),
        ("kind", np.uint8),
        ("size", np.uint8),
        ("burst", np.uint8),
        ("response", np.uint8),
        *((name, np.uint8) for name in ("lock", "cache", "prot", "qos", "space")),
        ("user", np.uint64),
        ("wrong_users", np.uint64),
    ],
    align=True,
)
"""``GbAxiAccess`` in regions.h: one burst of the memory's log. Cycles that have not come and the region outside of all are -1.
``space`` is AxREGION, ``user`` the lowest 64 bits of AxUSER, ``wrong_users`` the beats of write data whose WUSER is another than
:func:`~goldbeat.pymodels.axi.attributes.write_user` has it."""


class RegionRow(Structure):
    """``GbAxiRegion`` in regions.h."""

    _fields_ = (
        ("name", c_char_p),
        ("base", c_uint64),
        ("size", c_uint64),
        ("data", c_void_p),
        ("readable", c_int),
        ("writable", c_int),
        ("answers", c_void_p),
        ("exclusive", c_int),
    )


def region_rows(name: str, regions: Sequence[Region]) -> Any:
    """The regions for C++, which works on their arrays.

    Args:
        name: of the memory.
        regions: the address space.

    Raises:
        UsageError: regions overlap, or one is writable and its array is not.
    """
    check_regions(regions)
    for region in regions:
        if region.writable and not region.data.flags.writeable:
            raise UsageError(f"{name}: region {region.name} is writable, its array is not")
    return (RegionRow * max(1, len(regions)))(
        *(
            RegionRow(
                *(r.name.encode(), r.base, len(r.data), r.data.ctypes.data, r.readable, r.writable),
                None if r.answers is None else r.answers.ctypes.data,
                r.exclusive,
            )
            for r in regions
        )
    )


def access_rows(count: int, rows: c_void_p) -> npt.NDArray[Any]:
    """A copy of ``count`` rows of a log, as rows of :data:`ACCESS`."""
    if count == 0:
        return np.zeros(0, ACCESS)
    memory: Any = (ctypes.c_uint8 * (count * ACCESS.itemsize)).from_address(rows.value or 0)
    found: npt.NDArray[Any] = np.frombuffer(memory, ACCESS).copy()
    return found
