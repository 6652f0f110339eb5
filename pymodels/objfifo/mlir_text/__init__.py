# SPDX-License-Identifier: Apache-2.0
"""Designs from MLIR text: the aie and aiex dialects at the level of object FIFOs and lowered."""
