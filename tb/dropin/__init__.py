# SPDX-License-Identifier: Apache-2.0
"""Unmodified tests for cocotb and cocotbext-axi on Goldbeat's simulators, with native parts wherever possible."""
