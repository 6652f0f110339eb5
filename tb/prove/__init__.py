# SPDX-License-Identifier: Apache-2.0
"""Proofs and refutations of protocol rules, order and assertions on the RTL, from a design's description."""
