# SPDX-License-Identifier: Apache-2.0
"""Order of memory accesses under every legal timing: accesses to the same byte that nothing orders are reported.

The package knows no system. Actors (cores, channels, engines, the host) have events, edges say which event happens before
which, and accesses are byte walks between two events::

    order = PartialOrder()
    acquired = order.event("core 0")
    released = order.event("core 0")            # after the core's earlier events
    filled = order.event("channel 1", released) # after the channel's earlier events and after ``released``
    walk = ByteWalk("tile 0", first=0x400, run=4, steps=((8, 64), (2, 4)))
    reads = OrderedAccess("core 0: script.py:12", walk, write=False, begin=acquired, end=released)
    writes = OrderedAccess("channel 1, descriptor 3", walk, write=True, begin=filled)
    find_conflicts(order, [reads, writes])      # [] because of released -> filled

* An access happens between ``begin`` and ``end``. Two accesses are ordered if the end of one is the begin of the other
  or happens before it. An object that is handed back belongs to its next owner from the release on, so the end of its
  accesses is the release.
* Accesses with an equal ``who`` belong to one operation and never conflict with each other. Let all of them begin at or
  after the one that begins first.
* Each conflict names both accesses, the common bytes, and the edge that would cure it: from the end of one access to the
  begin of the other.
* A synchronisation with several candidates (a counting lock) is no edge of ``order``. Give a second order with the
  candidates' edges as ``possible``: conflicts that it orders are marked ``undecided``, which is never a pass.
* :meth:`PartialOrder.cycle` names events that wait for each other. Ask for it first: an order with a cycle has no clocks.

Time and memory grow with events and edges, not with pairs of accesses. Of accesses to the same walk that are ordered
among themselves only the last ones are compared with later accesses, so one fault is reported once, not once per turn.
"""
