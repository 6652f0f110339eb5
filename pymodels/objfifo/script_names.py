# SPDX-License-Identifier: Apache-2.0
"""The names that scripts import, where the real package is not installed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_ROOT = "aie"


@contextmanager
def script_names() -> Iterator[None]:
    """Scripts find their imports inside the block; with the real package installed, nothing stands in its place."""
    if _ROOT not in sys.modules and importlib.util.find_spec(_ROOT) is not None:
        yield
        return
    # The names bring the executor with them: only where a script is read.
    from goldbeat.pymodels.objfifo.script.import_names import script_imports

    with script_imports():
        yield
