# SPDX-License-Identifier: Apache-2.0
"""How a PLIO file looks, apart from what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from goldbeat.pymodels.errors import UsageError

Words = Literal["natural", "signed", "unsigned", "packets"]
Floats = Literal["scientific", "shortest"]
Radix = Literal["decimal", "hex"]


@dataclass(frozen=True)
class TextStyle:
    """The layout of a PLIO file. The default is what the vendor's simulator writes.

    A reader infers the style, so that a file of one uniform layout comes out of the writer byte for byte.

    Attributes:
        time_lines: write a ``T`` line before every beat. Without them the gaps between beats are not in the file.
        lead: blanks before the first sample of a line.
        separator: blanks between two samples.
        trail: blanks after the last sample of a line.
        final_newline: the last line ends with a newline.
        newline: LF or CR LF.
        tlast: spelling of the TLAST keyword, in any case.
        tlast_first: the TLAST line stands before the T line, not after it.
        floats: ``scientific`` prints as ``%.9e`` does, ``shortest`` with as few digits as name the value. Both
            give every finite number of every float type back.
        words: how 32-bit integers are printed: ``natural`` as their type says, ``signed`` or ``unsigned`` whatever
            the type, ``packets`` signed but for the first word of each frame (a packet header), which is unsigned.
        radix: ``hex`` prints the bit pattern of every number, such as 0x00FF, whatever its type; it goes before ``floats``
            and ``words``.
        tkeep_first: CSV only: the TKEEP column stands before TLAST.
    """

    time_lines: bool = True
    lead: str = ""
    separator: str = " "
    trail: str = " "
    final_newline: bool = True
    newline: str = "\n"
    tlast: str = "TLAST"
    tlast_first: bool = False
    floats: Floats = "scientific"
    words: Words = "natural"
    radix: Radix = "decimal"
    tkeep_first: bool = True

    def __post_init__(self) -> None:
        for name in ("lead", "separator", "trail"):
            if getattr(self, name).strip(" \t"):
                raise UsageError(f"style field {name} is {getattr(self, name)!r}, not blanks")
        if not self.separator:
            raise UsageError("style field separator is empty")
        if self.newline not in ("\n", "\r\n"):
            raise UsageError(f"style field newline is {self.newline!r}, not a line end")
        if self.tlast.upper() != "TLAST":
            raise UsageError(f"style field tlast is {self.tlast!r}, not TLAST in some case")
        if self.floats not in ("scientific", "shortest"):
            raise UsageError(f"style field floats is {self.floats!r}, not scientific or shortest")
        if self.radix not in ("decimal", "hex"):
            raise UsageError(f"style field radix is {self.radix!r}, not decimal or hex")
        if self.words not in ("natural", "signed", "unsigned", "packets"):
            raise UsageError(f"style field words is {self.words!r}, not natural, signed, unsigned or packets")
