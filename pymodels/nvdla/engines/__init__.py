# SPDX-License-Identifier: Apache-2.0
"""What the engines of nv_small do to memory, and their registers."""
