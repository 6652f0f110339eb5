# SPDX-License-Identifier: Apache-2.0
"""What every run of the tests has: a table of what each test cost, `--resume`, and simulators in the checkout.

Tests neither fill nor read the cache of whoever runs them. All but the slow ones simulate little, so their simulators are compiled
as quickly as can be. Where the tests run in the background of a script, which ignores Ctrl-C, the commands that they start do not.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator

import pytest

from goldbeat.tb.build.simulator import ASKED, QUICKEST
from goldbeat.tb.paths import REPOSITORY

pytest_plugins = ["spent_times", "resume"]

if "GOLDBEAT_BUILD" not in os.environ:
    os.environ.setdefault("GOLDBEAT_CACHE", str(REPOSITORY / "build"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Before any fixture builds something."""
    if item.get_closest_marker("slow"):
        os.environ.pop(ASKED, None)
    else:
        os.environ[ASKED] = QUICKEST
    return (yield)
