# SPDX-License-Identifier: Apache-2.0
"""What buses share whose addresses count bytes or words, as a design likes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from pydantic import model_validator

from goldbeat.tb.design.ports.recognition import NotABundleError, Pin, PinArray, Wires
from goldbeat.tb.design.ports.register import RegisterPort

Unit = Literal["bytes", "words"]

_GUESSED = ": taken to count "
_OTHER: dict[Unit, Unit] = {"bytes": "words", "words": "bytes"}
_WIDTHS = (8, 16, 32, 64)
_SPACE = 32
"""Bits of an address that reach all of the usual space."""


class UnitPort(RegisterPort):
    """A bundle whose addresses may count words.

    Attributes:
        address_unit: what they count; program and memory have bytes.
    """

    address_unit: Unit = "bytes"

    @model_validator(mode="after")
    def _of_width(self) -> UnitPort:
        if isinstance(self.data_width, int) and self.data_width not in _WIDTHS:
            raise ValueError(f"data_width: found {self.data_width}, expected 8, 16, 32 or 64")
        return self

    @property
    def in_words(self) -> bool:
        """Addresses count words."""
        return self.address_unit == "words"

    @property
    def address_bits(self) -> int:
        """Those of the signal, and those within a word that it lacks."""
        within = (int(self.data_width) // 8).bit_length() - 1
        return int(self.address_width) + within * self.in_words

    def native_options(self) -> dict[str, Any]:
        """And what addresses count."""
        return {**super().native_options(), "words": self.in_words}


def address_unit_of(wires: Wires, address: Pin, array: PinArray, data: int, usual: Unit) -> Unit:
    """What an address counts, by its range (``[31:2]``), its width, or the words that it selects; else what is usual, with a note.

    Args:
        wires: of the bundle.
        address: the port.
        array: layout of the bundles.
        data: bits of the data.
        usual: where nothing tells.
    """
    within = (data // 8).bit_length() - 1
    bits, range_ = array.bits(address), address.packed[-1:]
    if not within or bits >= _SPACE:
        return "bytes"
    if (range_ and range_[0].right == within) or bits == _SPACE - within:
        return "words"
    lowest = wires.indexed.get(address.name, {}).get(data)
    if lowest in (0, within):
        found: Unit = "bytes" if lowest else "words"
        if found != usual:
            wires.notes.append(f"{address.name} counts {found}: from bit {lowest} on it selects words of {data} bits")
        return found
    # Some bits within a word: neither unit is sure, but one that never changes them would not show what they do.
    usual = usual if lowest is None or lowest > within else "words"
    other = _OTHER[usual]
    wires.notes.append(f'{address.name}{_GUESSED}{usual}; if not, set address_unit = "{other}"')
    return usual


def other_units(ports: Sequence[RegisterPort], notes: Iterable[str]) -> Iterator[dict[str, UnitPort]]:
    """Ports whose unit is a guess, with other units: those of slaves, those of masters, or both.

    None where all ports of a module have one unit in either case: from slaves to masters nothing is different then.

    Args:
        ports: of the module.
        notes: what :func:`address_unit_of` has said of them.
    """
    pins = {note.partition(_GUESSED)[0] for note in notes if _GUESSED in note}
    guessed = [p for p in ports if isinstance(p, UnitPort) and {p.pin(r) for r in p.addresses_of if p.has(r)} & pins]
    ways = sorted({port.direction for port in guessed})
    for chosen in (*([way] for way in ways), *([ways] if len(ways) > 1 else ())):
        changed = {
            p.name: p.model_copy(update={"address_unit": _OTHER[p.address_unit]})
            for p in guessed
            if p.direction in chosen
        }
        units = [{one.get(p.name, p).address_unit for p in ports if isinstance(p, UnitPort)} for one in ({}, changed)]
        passed_on = len({p.direction for p in ports}) > 1 and all(isinstance(p, UnitPort) for p in ports)
        if not (passed_on and all(len(one) == 1 for one in units)):
            yield changed


def data_bits(wires: Wires, array: PinArray, roles: tuple[str, ...], strobes: str) -> int:
    """Bits of the data.

    Args:
        wires: of the bundle.
        array: layout of the bundles.
        roles: the signals of data.
        strobes: the signal that has a bit for each byte.

    Raises:
        NotABundleError: the bus has no such width.
    """
    (first, *_) = [wires.roles[role] for role in roles if role in wires.roles]
    data = array.bits(first)
    if data not in _WIDTHS:
        raise NotABundleError(f"{first.name} has {data} bits, expected 8, 16, 32 or 64")
    if strobes in wires.roles and array.bits(wires.roles[strobes]) * 8 != data:
        raise NotABundleError(
            f"{wires.roles[strobes].name} has {array.bits(wires.roles[strobes])} bits for {data} bits of data"
        )
    return data
