# SPDX-License-Identifier: Apache-2.0
"""``Force`` and ``Freeze`` of cocotb fail where the simulator would ignore them.

Verilator forces signals that are marked ``/* verilator forceable */``. It ignores a force of any other signal, and
cocotb reports nothing: a test would pass or fail for the wrong reason.
"""

from __future__ import annotations

import ctypes
import os
import re
from typing import Any

from cocotb.handle import Force, Freeze

from goldbeat.pymodels.errors import UsageError

ENVIRONMENT = "GOLDBEAT_FORCE"
_INDEX = re.compile(r"(\[-?\d+\])+$")
_warned: set[str] = set()


def _reason(library: Any, path: str) -> str | None:
    """Why a force of the signal would not be seen, None if it is."""
    signal = _INDEX.sub("", path)
    forced = library.gb_forceable(signal.encode())
    if not forced:
        module, _, name = signal.rpartition(".")
        return (
            f"{path}: Verilator ignores a force of this signal. Declare it as `{name} /* verilator forceable */`, or add to a"
            f' .vlt file: forceable -module "MODULE OF {module}" -var "{name}"'
        )
    if forced < 0:
        return f"{path}: native transactors do not see a force of an output. Force the signal that drives it"
    return None


def _check(handle: Any, action: str, library: Any) -> None:
    reason = _reason(library, handle._path)
    if reason is None:
        return
    text = f"{action} of {reason}"
    if os.environ.get(ENVIRONMENT) != "ignore":
        raise UsageError(f"{text}. {ENVIRONMENT}=ignore makes this a warning")
    if handle._path not in _warned:
        _warned.add(handle._path)
        handle._log.warning(text)


def refuse_ignored_forces() -> None:
    """From here on, a force that has no effect raises an error. ``Release`` of a signal that is not forced is no error."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "gb_forceable"):
        return
    for action in (Force, Freeze):
        if not hasattr(action, "_unchecked"):
            action._unchecked = action._dispatch

            def dispatch(self: Any, obj: Any) -> Any:
                _check(obj, type(self).__name__, library)
                return self._unchecked(obj)

            action._dispatch = dispatch
