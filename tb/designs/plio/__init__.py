# SPDX-License-Identifier: Apache-2.0
"""The PLIO designs: FIR, packet merge and split, port; the commands for PLIO files."""
