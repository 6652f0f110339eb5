# SPDX-License-Identifier: Apache-2.0
"""The AXI-Stream building blocks: skid buffer, FIFOs, width converters."""
