# SPDX-License-Identifier: Apache-2.0
"""What the commands of TPUs compute: data movement and arithmetic on numpy memories."""
