# SPDX-License-Identifier: Apache-2.0
"""What drives, watches and answers APB3 and APB4 bundles, in C++. PSTRB, PPROT, PREADY and PSLVERR may be absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldbeat.pymodels.buses import APB
from goldbeat.tb.kernel.simulation import Kernel
from goldbeat.tb.kernel.word_bus import WordChecker, WordMaster, WordMemory

_NEEDED = ("psel", "penable", "paddr", "pwrite", "pwdata", "prdata")


class ApbMaster(WordMaster):
    """Makes accesses one at a time."""

    spec, needed, make = APB, _NEEDED, "gb_apb_master"

    def __init__(
        self, kernel: Kernel, prefix: str, *, clock: str = "pclk", signals: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(kernel, prefix, clock=clock, signals=signals)


class ApbChecker(WordChecker):
    """Checks the rules of APB."""

    spec, needed, make = APB, _NEEDED, "gb_apb_checker"

    def __init__(self, kernel: Kernel, prefix: str, *, clock: str = "pclk", **facts: Any) -> None:
        super().__init__(kernel, prefix, clock=clock, **facts)


class ApbMemory(WordMemory):
    """Its latencies are cycles with PENABLE of an access; its ready is PREADY while no access waits for it."""

    spec, needed, make = APB, _NEEDED, "gb_apb_memory"

    def __init__(self, kernel: Kernel, prefix: str, *facts: Any, clock: str = "pclk", **more: Any) -> None:
        super().__init__(kernel, prefix, *facts, clock=clock, **more)
