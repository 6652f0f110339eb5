# SPDX-License-Identifier: Apache-2.0
"""Timelines: what a run did, as a trace that Perfetto opens, golden model and RTL side by side."""
