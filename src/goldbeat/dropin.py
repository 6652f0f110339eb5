# SPDX-License-Identifier: Apache-2.0
"""Tests of cocotb as they are, on Goldbeat's simulators.

``pytest -p goldbeat.dropin`` runs tests that build with cocotb-test or with cocotb's runner. For makefiles,
``eval "$(python -m goldbeat.dropin)"`` sets up a shell.
"""

import os
import shlex

from goldbeat.tb.dropin.outside import activate


def pytest_configure(config: object) -> None:
    """A pytest plugin: everything that this process starts uses Goldbeat's simulators."""
    activate(os.environ)


def shell() -> str:
    """What sets up a shell."""
    before = dict(os.environ)
    after = dict(before)
    activate(after)
    return "\n".join(f"export {k}={shlex.quote(v)}" for k, v in after.items() if before.get(k) != v)


if __name__ == "__main__":
    print(shell())
