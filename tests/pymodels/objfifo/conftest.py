# SPDX-License-Identifier: Apache-2.0
"""Makes the tables beside this file importable by the tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
