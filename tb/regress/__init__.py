# SPDX-License-Identifier: Apache-2.0
"""Regressions: many cases and seeds in one command, on one machine or on a farm."""
