# SPDX-License-Identifier: Apache-2.0
"""Makes the helpers beside this file importable by the tests below it, and bounds examples by number, not by time."""

import sys
from pathlib import Path

from hypothesis import settings

# Machines are shared: how long an example takes says nothing about the code.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")
sys.path.insert(0, str(Path(__file__).parent / "helpers"))
