# SPDX-License-Identifier: Apache-2.0
"""Traces as the array's trace units write them: words, frames, events, JSON, and two traces side by side."""
