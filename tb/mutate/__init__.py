# SPDX-License-Identifier: Apache-2.0
"""How good a bench is: RTL with small changes, all in one simulator, and which of them its cases notice."""
