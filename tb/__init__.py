# SPDX-License-Identifier: Apache-2.0
"""Everything that touches a simulator: building, driving, comparing, reporting, and the command line."""
