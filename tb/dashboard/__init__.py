# SPDX-License-Identifier: Apache-2.0
"""How far a project has come: test plans, what was measured, stages, and one page of all of it."""
