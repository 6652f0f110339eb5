# SPDX-License-Identifier: Apache-2.0
"""What drives, watches and answers bundles on buses of single words, in C++: a bus says how its transactors are made."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping, Sequence
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_uint64, c_void_p
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import MemoryTiming, Region
from goldbeat.pymodels.buses import Bus
from goldbeat.tb.kernel.axis import Transactor, ready_pattern
from goldbeat.tb.kernel.library import ReadyPattern, checked, declare, library
from goldbeat.tb.kernel.regions import RegionRow, access_rows, region_rows
from goldbeat.tb.kernel.registers import RegisterMaster
from goldbeat.tb.kernel.simulation import Kernel

_COLUMNS = ("read_latency", "read_jitter", "write_latency", "write_jitter")


class _WordTiming(Structure):
    """``GbWordTiming`` in word_memory.h."""

    _fields_ = (*((name, c_int64) for name in _COLUMNS), ("seed", c_uint64), ("ready", ReadyPattern))


_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "gb_word_memory_map": (c_int, [c_void_p, POINTER(RegionRow), c_int64]),
    "gb_word_memory_start": (c_int, [c_void_p, POINTER(_WordTiming), c_int64]),
    "gb_word_memory_log": (c_int64, [c_void_p, POINTER(c_void_p)]),
}


@functools.cache
def _library() -> Any:
    found = library()
    declare(found, _SIGNATURES)
    return found


class WordTransactor(Transactor):
    """What C++ makes of a bundle's ports: ``gb_BUS_MAKE(name, clock, names, more...)``, names in the order of the bus.

    Attributes:
        spec: the bus.
        needed: signals that it cannot do without.
        make: ``gb_apb_master``.
        defaults: its options, in the order of its function in C++, for callers that leave some out.
    """

    spec: ClassVar[Bus]
    needed: ClassVar[tuple[str, ...]]
    make: ClassVar[str]
    defaults: ClassVar[Mapping[str, int]] = {}

    def connect(self, names: Mapping[str, str] | None, *more: Any) -> None:
        """Find the ports and make it.

        Args:
            names: the ports by role, where they are not called after the prefix.
            more: numbers and texts that its function takes beside.
        """
        self.signals = self.kernel.signals(self.name, self.spec.roles, names, self.needed)
        ports = (self.signals.get(role) for role in self.spec.roles)
        row = (c_char_p * len(self.spec.roles))(*(None if port is None else port.encode() for port in ports))
        kinds = [c_char_p if isinstance(one, bytes) or one is None else c_int for one in more]
        declare(self._library, {self.make: (c_void_p, [c_char_p, c_char_p, type(row), *kinds])})
        made = getattr(self._library, self.make)
        self._handle = checked(made(self.name.encode(), self.clock.name.encode(), row, *more))


class WordMaster(WordTransactor, RegisterMaster):
    """Makes accesses to a slave port of the top module.

    Args:
        kernel: of this simulation.
        prefix: of the ports (``s_apb`` for ``s_apb_psel``).
        clock: name of its clock input.
        signals: the ports by role, where they are not called after the prefix.
        options: numbers that its function in C++ takes, in their order.
    """

    def __init__(
        self, kernel: Kernel, prefix: str, *, clock: str, signals: Mapping[str, str] | None = None, **options: int
    ) -> None:
        super().__init__(kernel, prefix, clock)
        self.outstanding = f"{self.spec.name}_outstanding"
        self.connect(signals, *{**self.defaults, **options}.values())


class WordChecker(WordTransactor):
    """Checks the protocol rules of a bundle of the top module, and drives nothing.

    What breaks a rule is in :attr:`violations`; :meth:`Kernel.rule` switches rules off. docs/protocol-rules.md lists them.

    Args:
        kernel: of this simulation.
        prefix: of the ports.
        clock: name of its clock input.
        reset: the reset input that belongs to it, None: there is none.
        reset_high: the reset's polarity.
        signals: the ports by role, where they are not called after the prefix.
        options: numbers that its function in C++ takes behind those, in their order.
    """

    def __init__(
        self,
        kernel: Kernel,
        prefix: str,
        *,
        clock: str,
        reset: str | None = None,
        reset_high: bool = False,
        signals: Mapping[str, str] | None = None,
        **options: int,
    ) -> None:
        super().__init__(kernel, prefix, clock)
        self.connect(
            signals, None if reset is None else reset.encode(), reset_high, *{**self.defaults, **options}.values()
        )


class WordMemory(WordTransactor):
    """A memory behind a master port of the top module.

    Args:
        kernel: of this simulation.
        prefix: of the ports (``m_apb`` for ``m_apb_psel``).
        regions: the address space; their arrays are worked on in place. What is outside is answered with an error.
        timing: of its latencies and jitters, the cycles from a request to its answer; ``ar_ready`` is its ready.
        clock: name of its clock input.
        signals: the ports by role, where they are not called after the prefix.
        held: answer nothing until :meth:`start`.
        options: numbers that its function in C++ takes, in their order.
    """

    def __init__(
        self,
        kernel: Kernel,
        prefix: str,
        regions: Sequence[Region] = (),
        timing: MemoryTiming | None = None,
        *,
        clock: str,
        signals: Mapping[str, str] | None = None,
        held: bool = False,
        **options: int,
    ) -> None:
        super().__init__(kernel, prefix, clock)
        self._library = _library()
        self.connect(signals, *{**self.defaults, **options}.values())
        self.map(regions)
        if not held:
            self.start(timing)

    def map(self, regions: Sequence[Region]) -> None:
        """Use another address space. Regions that are writable need arrays that are."""
        rows = region_rows(self.name, regions)
        checked(self._library.gb_word_memory_map(self._handle, rows, len(regions)))
        # C++ works on their arrays.
        self.regions = tuple(regions)

    def start(self, timing: MemoryTiming | None = None, base: int | None = None) -> None:
        """Answer from cycle ``base`` on; None: from the next one."""
        timing = MemoryTiming(1, 0, 1) if timing is None else timing
        values = np.asarray(timing.ar_ready.values, np.int64).astype(np.bool_).view(np.uint8)
        row = _WordTiming(
            *(getattr(timing, name) for name in _COLUMNS),
            timing.seed & 0xFFFFFFFFFFFFFFFF,
            ready_pattern(timing.ar_ready, values),
        )
        first = self.clock.cycle + 1 if base is None else base
        checked(self._library.gb_word_memory_start(self._handle, ctypes.byref(row), first))

    @property
    def log(self) -> npt.NDArray[Any]:
        """Every access since the last reset, in order: rows of :data:`goldbeat.tb.kernel.regions.ACCESS`."""
        rows = c_void_p()
        return access_rows(self._library.gb_word_memory_log(self._handle, ctypes.byref(rows)), rows)
