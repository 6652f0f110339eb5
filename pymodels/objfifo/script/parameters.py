# SPDX-License-Identifier: Apache-2.0
"""Parameters that a script's host leaves in the scratchpad, and configurations that its sequence loads."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.scratchpad import KINDS, Scratchpad
from goldbeat.pymodels.objfifo.live.thread_program import await_wish, in_program
from goldbeat.pymodels.objfifo.plan.access import written_at
from goldbeat.pymodels.objfifo.script.explicit import Explicit, explicit

_NAMES = {"int8": "i8", "int16": "i16", "int32": "i32", "bfloat16": "bf16"}


class ScratchpadParameter:
    """A number that the host sets before a run; ``--input NAME=NUMBER`` gives it.

    Args:
        name: of the parameter.
        dtype: 8, 16 or 32 bits, or bfloat16.

    Raises:
        UsageError: another type.
    """

    def __init__(self, name: str, dtype: Any) -> None:
        self.name, self.dtype = name, np.dtype(dtype)
        if self.dtype.name not in _NAMES:
            raise UsageError(f"a scratchpad parameter of {self.dtype}, expected one of {', '.join(KINDS)}")
        self.kind = _NAMES[self.dtype.name]
        self.live: Scratchpad | None = None
        explicit().parameters.append(self)

    def read(self) -> Any:
        """Its value, in a core's function; waits until the sequence has fetched it.

        It is 1 while only the function's use of fifos is noted, so that a loop of so many passes is seen.
        """
        if not in_program() or self.live is None:
            return self.dtype.type(1)
        await_wish(self.live.wait())
        return np.asarray(self.live.value(self.name)).astype(self.dtype)[()]

    def elements(self) -> int:
        """Its value as a number of elements or units, by which a transfer's start or length differs.

        Raises:
            UsageError: nothing is being executed.
        """
        if self.live is None:
            raise UsageError("a transfer with a parameter is executed (goldbeat objfifo exec), not planned")
        return self.live.offset(self.name)


def sync_parameters() -> None:
    """Fetch the parameters, in a sequence."""
    for one in explicit().parameters:
        if in_program() and one.live is not None:
            one.live.fetch()


def load_configuration(device_ref: Any = None, **_: Any) -> None:
    """``npu_load_pdi`` at the start of a sequence; the last one is that of the device at hand, as the array is."""
    explicit().loads.append((str(device_ref), str(written_at() or "")))


def check_configurations(found: Explicit) -> None:
    """Refuse a sequence whose last configuration is another device's.

    Raises:
        UsageError: with the line of the script.
    """
    name = found.device_name
    if found.loads and found.loads[-1][0] != name:
        last, where = found.loads[-1]
        raise UsageError(f"{where}: found the configuration of {last}, expected that of the device at hand, {name}")
