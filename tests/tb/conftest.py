# SPDX-License-Identifier: Apache-2.0
"""Makes the helpers beside this file importable by the tests below it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "helpers"))
