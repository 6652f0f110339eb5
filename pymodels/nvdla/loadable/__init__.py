# SPDX-License-Identifier: Apache-2.0
"""Loadables: the file, its descriptors, the network inside, the memories."""
