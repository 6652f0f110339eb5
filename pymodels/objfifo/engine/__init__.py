# SPDX-License-Identifier: Apache-2.0
"""The DMA engine exact to the cycle: engine, registers, arrays of engines."""
