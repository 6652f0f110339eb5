# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator, in place of Goldbeat's own session: leaves out what SHARPNESS_OFF names (``flips``, ``probe``)."""

from __future__ import annotations

import os
from typing import Any

from goldbeat.tb.inside import session

run_session = session.run_session
_OFF = os.environ["SHARPNESS_OFF"].split(",")


async def _no_probe(*_: Any) -> list[str]:
    return []


if "flips" in _OFF:
    session.moments = lambda *_: []
if "probe" in _OFF:
    session.waiting_for_ready = _no_probe
