# SPDX-License-Identifier: Apache-2.0
"""What a worker must have in common with the master for its results to be the master's own."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from goldbeat.tb.build.simulator import NATIVE, processor_flags
from goldbeat.tb.regress.fingerprint import code_hash
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.plan import item_design


@dataclass(frozen=True)
class Versions:
    """What a process runs with.

    Attributes:
        named: versions by the name of what has them.
        flags: instructions of the processor, as the system calls them.
    """

    named: dict[str, str]
    flags: frozenset[str]


def versions() -> Versions:
    """Those of this process; run in workers."""
    try:
        cocotb = version("cocotb")
    except PackageNotFoundError:
        cocotb = "missing"
    named = {
        "Goldbeat": code_hash(),
        "Python": ".".join(map(str, sys.version_info[:2])),
        "numpy": np.__version__,
        "cocotb": cocotb,
        "processor": platform.machine(),
    }
    return Versions(named, frozenset(processor_flags().split()))


def differences(here: Versions, there: Versions, *, native: bool) -> list[str]:
    """Why a worker cannot take part, for people; empty when it can.

    Args:
        here: of the master.
        there: of the worker.
        native: simulators are built for all instructions of the master's processor.
    """
    found = [
        f"{name} {there.named.get(name, 'missing')} instead of {value}"
        for name, value in here.named.items()
        if there.named.get(name) != value
    ]
    if native and not found and (lacking := sorted(here.flags - there.flags)):
        found.append(f"a processor without {', '.join(lacking[:3])}" + (", ..." if len(lacking) > 3 else ""))
    return found


def need_native(items: Iterable[Item]) -> bool:
    """Some of these items' simulators are built for all instructions of the processor that builds them."""
    return any(NATIVE in design.cxx_flags for design in {id(d): d for d in map(item_design, items)}.values())
