# SPDX-License-Identifier: Apache-2.0
"""Driving and recording the ports of a design, whole traces at a time."""
