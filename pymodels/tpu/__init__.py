# SPDX-License-Identifier: Apache-2.0
"""TPU command streams: containers, decoder, encoder, checks, code generation and the timed golden models."""
