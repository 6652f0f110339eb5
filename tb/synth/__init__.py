# SPDX-License-Identifier: Apache-2.0
"""Synthesis by Yosys: checks of the RTL, what it costs, and netlists that run in place of it."""
