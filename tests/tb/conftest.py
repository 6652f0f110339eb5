# SPDX-License-Identifier: Apache-2.0
"""Makes the helpers beside this file, and those of the models' tests, importable by the tests below it."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / part / "helpers") for part in ("tb", "pymodels")]
