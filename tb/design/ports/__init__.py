# SPDX-License-Identifier: Apache-2.0
"""Ports: one class per bus."""
