# SPDX-License-Identifier: Apache-2.0
"""What every pytest loads where Goldbeat is installed: the drop-in, where ``GOLDBEAT_DROPIN`` asks for it, and benches."""

import os

import pytest

pytest_plugins = ["goldbeat.tb.regress.pytest_benches"]


@pytest.hookimpl(specname="pytest_configure")
def pytest_begin_if_asked(config: object) -> None:
    """Everything that this process starts uses Goldbeat's simulators, if asked for."""
    if os.environ.get("GOLDBEAT_DROPIN", "0") not in ("", "0"):
        from goldbeat.tb.dropin.outside import activate

        activate(os.environ)
