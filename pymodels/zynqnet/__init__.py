# SPDX-License-Identifier: Apache-2.0
"""Golden models of the ZynqNet accelerator: its blocks, its layers, whole networks, and the host's side of it."""
