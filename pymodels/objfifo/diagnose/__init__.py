# SPDX-License-Identifier: Apache-2.0
"""Why a design hangs, what would cure it, and where a wrong word comes from."""
