# SPDX-License-Identifier: Apache-2.0
"""A plan at work without time: data, locks, and whether it deadlocks."""
