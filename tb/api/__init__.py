# SPDX-License-Identifier: Apache-2.0
"""A design as a Python object: arrays in, arrays out, one simulator process for many calls (docs/python-api.md)."""
