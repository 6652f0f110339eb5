# SPDX-License-Identifier: Apache-2.0
"""Trace tests as the public hardware repository has them: registers, memory, interrupts and what must be left."""
