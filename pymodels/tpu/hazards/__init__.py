# SPDX-License-Identifier: Apache-2.0
"""Which bytes TPU commands read and write, and which of them nothing orders."""
