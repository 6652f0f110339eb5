# SPDX-License-Identifier: Apache-2.0
"""Makes the helpers of the bench's tests importable by the tests beside this file."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tb" / "helpers"))
