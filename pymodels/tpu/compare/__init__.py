# SPDX-License-Identifier: Apache-2.0
"""A compiled model against a reference: the layers of the compiler, their tensors, and the first that differs."""
