# SPDX-License-Identifier: Apache-2.0
"""Golden models of the AXI-Stream designs: data and exact cycles, one module a design."""
