# SPDX-License-Identifier: Apache-2.0
"""Where things lie."""

from __future__ import annotations

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
HDL = REPOSITORY / "hdl"


def build_root() -> Path:
    """The folder for everything made (``GOLDBEAT_BUILD``, or ``build`` below the current folder)."""
    return Path(os.environ.get("GOLDBEAT_BUILD", "build")).resolve()
