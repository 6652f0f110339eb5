# SPDX-License-Identifier: Apache-2.0
"""What drives, watches and answers Wishbone bundles, in C++: classic cycles, or pipelined ones where there is STALL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from goldbeat.pymodels.buses import WISHBONE
from goldbeat.tb.kernel.word_bus import WordChecker, WordMaster, WordMemory

_NEEDED = ("cyc", "stb", "ack")


class WishboneMaster(WordMaster):
    """Its options.

    ``words``: addresses count words, not bytes. ``lone_strobe``: STB may be high while CYC is low. ``aborts``: it ends a cycle
    at an error while more is open.
    """

    spec, needed, make = WISHBONE, _NEEDED, "gb_wishbone_master"
    defaults: ClassVar[Mapping[str, int]] = {"words": False, "lone_strobe": True, "aborts": True}


class WishboneChecker(WordChecker):
    """Its option is ``words``."""

    spec, needed, make = WISHBONE, _NEEDED, "gb_wishbone_checker"


class WishboneMemory(WordMemory):
    """Its ready is STALL, turned round. Its options are ``words``, and ``retries``: some accesses get RTY at first."""

    spec, needed, make = WISHBONE, _NEEDED, "gb_wishbone_memory"
