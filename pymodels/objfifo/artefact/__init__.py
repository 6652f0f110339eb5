# SPDX-License-Identifier: Apache-2.0
"""Compiled designs: instruction streams, configuration objects and their containers, as register writes and as plans."""
