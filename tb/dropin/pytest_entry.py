# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that every pytest loads where Goldbeat is installed: the drop-in, where ``GOLDBEAT_DROPIN`` asks for it."""

import os

import pytest


@pytest.hookimpl(specname="pytest_configure")
def pytest_begin_if_asked(config: object) -> None:
    """Everything that this process starts uses Goldbeat's simulators, if asked for."""
    if os.environ.get("GOLDBEAT_DROPIN", "0") not in ("", "0"):
        from goldbeat.tb.dropin.outside import activate

        activate(os.environ)
