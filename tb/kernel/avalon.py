# SPDX-License-Identifier: Apache-2.0
"""What drives, watches and answers Avalon-MM bundles, in C++."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from goldbeat.pymodels.buses import AVALON
from goldbeat.tb.kernel.word_bus import WordChecker, WordMaster, WordMemory


class AvalonMaster(WordMaster):
    """A host with bursts.

    Its options are ``words``: addresses count words, ``latency``, of reads without READDATAVALID, ``allowance``: transfers that may
    come while WAITREQUEST is high, and ``constant``: the address and BURSTCOUNT stay during a burst.
    """

    spec, needed, make = AVALON, (), "gb_avalon_master"
    defaults: ClassVar[Mapping[str, int]] = {"words": False, "latency": 0, "allowance": 0, "constant": False}


class AvalonChecker(WordChecker):
    """Its options are ``words`` and ``allowance``."""

    spec, needed, make = AVALON, (), "gb_avalon_checker"
    defaults: ClassVar[Mapping[str, int]] = {"words": False, "allowance": 0}


class AvalonMemory(WordMemory):
    """Its ready is WAITREQUEST, turned round. Its options are ``words``, ``latency`` and ``allowance``."""

    spec, needed, make = AVALON, (), "gb_avalon_memory"
    defaults: ClassVar[Mapping[str, int]] = {"words": False, "latency": 0, "allowance": 0}
