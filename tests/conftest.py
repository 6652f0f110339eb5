# SPDX-License-Identifier: Apache-2.0
"""What every run of the tests has: a table of what each test cost, `--resume`, and simulators in the checkout.

Tests neither fill nor read the cache of whoever runs them.
"""

from __future__ import annotations

import os

from goldbeat.tb.paths import REPOSITORY

pytest_plugins = ["spent_times", "resume"]

if "GOLDBEAT_BUILD" not in os.environ:
    os.environ.setdefault("GOLDBEAT_CACHE", str(REPOSITORY / "build"))
