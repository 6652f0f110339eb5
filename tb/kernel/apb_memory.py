# SPDX-License-Identifier: Apache-2.0
"""APB slave memory in C++ on numpy arrays."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping, Sequence
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_uint64, c_void_p
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import MemoryTiming, Region
from goldbeat.pymodels.buses import APB
from goldbeat.tb.kernel.axis import Transactor, ready_pattern
from goldbeat.tb.kernel.library import ApbNames, ReadyPattern, checked, declare, library
from goldbeat.tb.kernel.regions import RegionRow, access_rows, region_rows
from goldbeat.tb.kernel.simulation import Kernel

_NEEDED = ("psel", "penable", "paddr", "pwrite", "pwdata", "prdata")
_COLUMNS = ("read_latency", "read_jitter", "write_latency", "write_jitter")


class _ApbTiming(Structure):
    """``GbApbTiming`` in apb_memory.cpp."""

    _fields_ = (*((name, c_int64) for name in _COLUMNS), ("seed", c_uint64), ("ready", ReadyPattern))


_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "gb_apb_memory": (c_void_p, [c_char_p, c_char_p, POINTER(ApbNames)]),
    "gb_apb_memory_map": (c_int, [c_void_p, POINTER(RegionRow), c_int64]),
    "gb_apb_memory_start": (c_int, [c_void_p, POINTER(_ApbTiming), c_int64]),
    "gb_apb_memory_log": (c_int64, [c_void_p, POINTER(c_void_p)]),
}


@functools.cache
def _library() -> Any:
    found = library()
    declare(found, _SIGNATURES)
    return found


class ApbMemory(Transactor):
    """A memory behind an APB master port of the top module. Where there is PREADY, an access has wait states.

    Args:
        kernel: of this simulation.
        prefix: of the ports (``m_apb`` for ``m_apb_psel``); PSTRB, PPROT, PREADY and PSLVERR may be absent.
        regions: the address space; their arrays are worked on in place. What is outside is answered with PSLVERR.
        timing: of its latencies and jitters, the cycles with PENABLE of an access; ``ar_ready`` is PREADY while none waits.
        clock: name of its clock input.
        signals: the ports by role, where they are not called after the prefix.
        held: answer nothing until :meth:`start`.
    """

    def __init__(
        self,
        kernel: Kernel,
        prefix: str,
        regions: Sequence[Region] = (),
        timing: MemoryTiming | None = None,
        *,
        clock: str = "pclk",
        signals: Mapping[str, str] | None = None,
        held: bool = False,
    ) -> None:
        super().__init__(kernel, prefix, clock)
        self._library = _library()
        self.signals = kernel.signals(prefix, APB.roles, signals, _NEEDED)
        names = ApbNames(*(self.signals[s].encode() if s in self.signals else None for s in APB.roles))
        self._handle = checked(self._library.gb_apb_memory(prefix.encode(), clock.encode(), ctypes.byref(names)))
        self.map(regions)
        if not held:
            self.start(timing)

    def map(self, regions: Sequence[Region]) -> None:
        """Use another address space. Regions that are writable need arrays that are."""
        rows = region_rows(self.name, regions)
        checked(self._library.gb_apb_memory_map(self._handle, rows, len(regions)))
        # C++ works on their arrays.
        self.regions = tuple(regions)

    def start(self, timing: MemoryTiming | None = None, base: int | None = None) -> None:
        """Answer from cycle ``base`` on; None: from the next one."""
        timing = MemoryTiming(1, 0, 1) if timing is None else timing
        values = np.asarray(timing.ar_ready.values, np.int64).astype(np.bool_).view(np.uint8)
        row = _ApbTiming(
            *(getattr(timing, name) for name in _COLUMNS),
            timing.seed & 0xFFFFFFFFFFFFFFFF,
            ready_pattern(timing.ar_ready, values),
        )
        first = self.clock.cycle + 1 if base is None else base
        checked(self._library.gb_apb_memory_start(self._handle, ctypes.byref(row), first))

    @property
    def log(self) -> npt.NDArray[Any]:
        """Every access since the last reset, in order: rows of :data:`goldbeat.tb.kernel.regions.ACCESS`."""
        rows = c_void_p()
        return access_rows(self._library.gb_apb_memory_log(self._handle, ctypes.byref(rows)), rows)
