# SPDX-License-Identifier: Apache-2.0
"""The one road to a verdict: case, predict, simulate, judge, report."""
