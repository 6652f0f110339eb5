# SPDX-License-Identifier: Apache-2.0
"""The kernel driver as a golden model: register programs of a loadable."""
