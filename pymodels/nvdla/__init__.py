# SPDX-License-Identifier: Apache-2.0
"""NVDLA: compiled models (loadables), the driver's register program, and golden models of the nv_small hardware."""
