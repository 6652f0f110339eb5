# SPDX-License-Identifier: Apache-2.0
"""What runs inside the simulator: session, heartbeat, transactor back ends."""
