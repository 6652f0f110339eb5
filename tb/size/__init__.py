# SPDX-License-Identifier: Apache-2.0
"""The smallest parameter values with which a design keeps its limits."""
