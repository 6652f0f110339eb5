# SPDX-License-Identifier: Apache-2.0
"""The command front end exact to the cycle."""
