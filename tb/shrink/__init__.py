# SPDX-License-Identifier: Apache-2.0
"""The smallest stimulus that still fails in the same way."""
