# SPDX-License-Identifier: Apache-2.0
"""One folder per design: bench, traffic, pictures and commands. Discovered by the catalog, never listed."""
