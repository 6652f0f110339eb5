# SPDX-License-Identifier: Apache-2.0
"""A whole array at work without time: DMA programs, streams, cores, and the host's sequence with its waits."""
