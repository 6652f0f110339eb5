# SPDX-License-Identifier: Apache-2.0
"""What a bench must have tried before a PASS is worth its name: obligations, and traffic that meets them."""
