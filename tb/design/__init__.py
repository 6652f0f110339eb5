# SPDX-License-Identifier: Apache-2.0
"""What a design is: description, ports, cases, options, catalog."""
