# SPDX-License-Identifier: Apache-2.0
"""Running NVDLA: traffic, inputs and outputs, compiled models on our RTL or the user's."""
