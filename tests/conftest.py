# SPDX-License-Identifier: Apache-2.0
"""What every run of the tests has: a table of what each test cost, and `--resume`."""

pytest_plugins = ["spent_times", "resume"]
