# SPDX-License-Identifier: Apache-2.0
"""Golden models of the PLIO designs: FIR, packet merge and split, port."""
