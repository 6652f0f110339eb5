# SPDX-License-Identifier: Apache-2.0
"""What all buses of registers share: slaves that a register program is played to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.tb.design.ports.bundle import Bundle, number
from goldbeat.tb.design.ports.recognition import Width
from goldbeat.tb.design.ports.storage import Storage

Level = Callable[[str], int]
"""role -> the value of its signal."""


@dataclass(frozen=True)
class AccessForm:
    """One way in which a bus makes accesses, such as a kind of burst.

    Attributes:
        role: the signal that tells it.
        text: what it is.
        words: those of an aligned block that it needs; 1: none.
        wraps: it begins in the middle of that, and goes on at its first word.
        ways: reads, writes or both have it.
    """

    role: str
    text: str
    words: int = 1
    wraps: bool = False
    ways: tuple[int, ...] = (READ, WRITE)


class RegisterPort(Bundle):
    """A bundle of registers. Register programs are played to a slave; a memory answers a master, on buses that have one.

    Attributes:
        posts: the bus has writes that nothing answers.
        alone: there is room for one access at a time, so that none can pass another.
        responses: channels of responses whose ready a master may hold back until their valid comes: ``b`` of ``bvalid`` and
            ``bready``.
        data_width: width of a word in bits.
        address_width: width of an address in bits.
        storage: registers that are plain storage; the case ``sweep`` writes and reads them in every way.
    """

    posts: ClassVar[bool] = False
    alone: ClassVar[bool] = False
    responses: ClassVar[tuple[str, ...]] = ()

    data_width: Width = 32
    address_width: Width = 12
    storage: tuple[Storage, ...] = ()

    @property
    def strobes(self) -> bool:
        """Writes of some bytes of a word can be made."""
        return self.has(self.strobes_of)

    @property
    def part_reads(self) -> bool:
        """Reads say which bytes of a word they ask for."""
        return False

    @property
    def once(self) -> bool:
        """Each access is one transfer of one word, and never asked for again."""
        return not any(self.forms())

    @property
    def takes_all(self) -> bool:
        """It takes what goes to other slaves of a shared bus for its requests."""
        return False

    @property
    def readable(self) -> bool:
        """It has what reads need."""
        return True

    @property
    def writable(self) -> bool:
        """It has what writes need."""
        return True

    @property
    def whole(self) -> bool:
        """It can be written and read."""
        return self.readable and self.writable

    def widths(self) -> Mapping[str, int]:
        """Bits by what the bus's signals call their widths."""
        data, address = int(self.data_width), int(self.address_width)
        return {"data_width": data, "address_width": address, "bytes": data // 8}

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        fixed = {name: number(getattr(self, name), params) for name in ("data_width", "address_width")}
        return self.model_copy(update=fixed)

    def native_options(self) -> dict[str, Any]:
        """The memory behind a master waits for the start of an episode."""
        return {"held": True} if self.direction == "out" else {}

    def fitting(self, traffic: RegisterTraffic) -> RegisterTraffic:
        """What the bus can do of a traffic."""
        return traffic

    def wait_states(self, first: int, last: int) -> int | None:
        """Wait states of an access between the cycles of its offer and of its answer; None: the bus does not count them."""
        return None

    def waits(self, *, reads: bool, level: Level) -> str:
        """What an access that gets no answer waits for, for reports of hangs."""
        return "no answer"

    def forms(self) -> Sequence[AccessForm | None]:
        """The forms of accesses that have an obligation each, by the bits of ``GbStepResult.forms``; None: a port lacks it."""
        return ()

    def shape(self, bits: Callable[[Width], str]) -> str:
        """Its widths for people."""
        return f"{bits(self.data_width)} bit, address {bits(self.address_width)}"


def without(pairs: Iterable[tuple[str, str]], level: Level) -> str:
    """The handshakes that are offered and not taken, as text; empty where there are none."""
    return ", ".join(f"{valid} without {ready}" for valid, ready in pairs if level(valid) and not level(ready))
