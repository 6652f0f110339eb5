# SPDX-License-Identifier: Apache-2.0
"""Bounds examples by number, not by time."""

from hypothesis import settings

# Machines are shared: how long an example takes says nothing about the code.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")
