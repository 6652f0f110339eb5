# SPDX-License-Identifier: Apache-2.0
"""Containers, decoder, encoder, checks and timelines of command streams."""
