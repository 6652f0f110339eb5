# SPDX-License-Identifier: Apache-2.0
"""What the benches of the object FIFO engine share: scenes, random designs, whole plans on engines."""
