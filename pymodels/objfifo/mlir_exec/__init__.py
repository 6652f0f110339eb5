# SPDX-License-Identifier: Apache-2.0
"""MLIR text executed: every operation of a device, cores and the host's sequence included."""
