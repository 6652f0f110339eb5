# SPDX-License-Identifier: Apache-2.0
"""Where the reference data are."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def folder(request: pytest.FixtureRequest) -> Path:
    """The folder of reference data that a module's DATA names."""
    if not os.environ.get("GOLDBEAT_DATA"):
        pytest.skip("GOLDBEAT_DATA does not name the directory of reference data")
    return Path(os.environ["GOLDBEAT_DATA"]) / "data" / request.module.DATA
