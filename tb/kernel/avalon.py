# SPDX-License-Identifier: Apache-2.0
"""What drives, watches and answers Avalon-MM bundles, in C++."""

from __future__ import annotations

from goldbeat.pymodels.buses import AVALON
from goldbeat.tb.kernel.word_bus import WordChecker, WordMaster, WordMemory


class AvalonMaster(WordMaster):
    """Its options are ``words``: addresses count words, and ``latency``, of reads without READDATAVALID."""

    spec, needed, make = AVALON, (), "gb_avalon_master"


class AvalonChecker(WordChecker):
    """Its option is ``words``."""

    spec, needed, make = AVALON, (), "gb_avalon_checker"


class AvalonMemory(WordMemory):
    """Its ready is WAITREQUEST, turned round. Its options are ``words`` and ``latency``."""

    spec, needed, make = AVALON, (), "gb_avalon_memory"
