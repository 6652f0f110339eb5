# SPDX-License-Identifier: Apache-2.0
"""The TPU command front end."""
