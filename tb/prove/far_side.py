# SPDX-License-Identifier: Apache-2.0
"""What is behind a design's masters in a counterexample: where addresses lead, what is there, and what refuses accesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import DECERR, OKAY, SLVERR
from goldbeat.pymodels.axi.memory import MemoryImage, Region
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.bus_models import Route
from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.prove.register_facts import RegisterFacts

_PAGE = 4096


@dataclass(frozen=True)
class FarSide:
    """The memories behind the masters.

    Attributes:
        routes: where addresses lead; none: nothing is known.
        codes: by master, kind of access and address, the response of each byte that refuses it.
        writers: by master and address, the slaves through which a byte is written.
        facts: what the cases say of slaves whose words are inside.
    """

    routes: Sequence[Route]
    facts: Mapping[str, RegisterFacts] = field(default_factory=dict)
    codes: dict[tuple[str, int, int], int] = field(default_factory=dict)
    writers: dict[tuple[str, int], set[str]] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether responses can be predicted."""
        return bool(self.routes)

    def refuse(self, master: str, kind: int, first: int, size: int, word: int, code: int) -> None:
        """Let the words of some bytes refuse accesses with a response, unless that is OKAY."""
        if code >= SLVERR:
            begin, end = first // word * word, (first + size + word - 1) // word * word
            self.codes.update({(master, kind, at): code for at in range(begin, end)})

    def route(self, slave: str, address: int) -> Route | None:
        """The stretch that an address is in."""
        mine = (one for one in self.routes if one.slave == slave)
        return next((one for one in mine if one.base <= address < one.base + one.size), None)

    def code(self, slave: str, kind: int, first: int, size: int) -> int:
        """The response to an access of some bytes."""
        if not self.known:
            return SLVERR if slave in self.facts and self.facts[slave].refuses(kind, first) else OKAY
        route = self.route(slave, first)
        if route is None:
            return DECERR
        there = _behind(route, first)
        return max(self.codes.get((route.master or "", kind, at), OKAY) for at in range(there, there + size))

    def write(self, slave: str, first: int, size: int) -> None:
        """Note that some bytes are written through a slave."""
        for address in range(first, first + size):
            if (place := self._place(slave, address)) is not None:
                self.writers.setdefault(place, set()).add(slave)

    def disputed(self, slave: str, address: int) -> bool:
        """Whether a byte is written through another slave too: nothing orders the two."""
        place = self._place(slave, address)
        return place is not None and bool(self.writers.get(place, set()) - {slave})

    def byte(self, slave: str, address: int, written: int | None) -> tuple[int, int]:
        """What a read must give, and in which bits it is known.

        Args:
            slave: through which it is read.
            address: of the byte.
            written: what was written there last through this slave; None: nothing.
        """
        place, facts = self._place(slave, address), self.facts.get(slave)
        if self.disputed(slave, address):
            return 0, 0
        if place is None and facts is not None and facts.words:
            return facts.byte(address, written)
        if written is not None:
            return written, 0xFF
        return (0, 0) if place is None else (int(_random_page(place[1] // _PAGE)[place[1] % _PAGE]), 0xFF)

    def _place(self, slave: str, address: int) -> tuple[str, int] | None:
        """The master that a byte is behind, and its address there."""
        route = self.route(slave, address)
        return None if route is None or route.master is None else (route.master, _behind(route, address))

    def images(
        self,
        images: Mapping[str, MemoryImage],
        program: Mapping[str, Sequence[Access]],
        bursts: Mapping[str, BurstProgram],
    ) -> dict[str, MemoryImage]:
        """The memories with all pages that accesses lead to; what they held before is random."""
        pages: dict[str, set[int]] = {}
        for slave in {route.slave for route in self.routes}:
            spans = [(one.address, 1) for one in program.get(slave, ())]
            if slave in bursts:
                lowest, length = bursts[slave].bursts.span
                spans += list(zip(lowest.tolist(), length.tolist(), strict=True))
            for first, size in spans:
                if (place := self._place(slave, first)) is not None:
                    master, there = place
                    pages.setdefault(master, set()).update((there // _PAGE, (there + size - 1) // _PAGE))
        return {
            name: replace(image, regions=tuple(self._page(name, page) for page in sorted(pages[name])))
            if name in pages
            else image
            for name, image in images.items()
        }

    def _page(self, master: str, page: int) -> Region:
        data = _random_page(page).copy()
        answers = np.zeros((2, _PAGE), np.uint8)
        for (name, kind, at), code in self.codes.items():
            if name == master and at // _PAGE == page:
                answers[kind, at % _PAGE] = code
        return Region(f"page_{page:x}", page * _PAGE, data, answers=answers if answers.any() else None)


def _behind(route: Route, address: int) -> int:
    """A slave's address, at the master."""
    return address - route.base + route.target


@cache
def _random_page(page: int) -> npt.NDArray[np.uint8]:
    return np.random.default_rng(page).integers(0, 256, _PAGE, np.uint8)
