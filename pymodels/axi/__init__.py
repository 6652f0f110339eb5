# SPDX-License-Identifier: Apache-2.0
"""AXI4: bursts as numpy columns, and the golden model of the memory's timing."""
