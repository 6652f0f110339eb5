# SPDX-License-Identifier: Apache-2.0
"""The DMA engine edge by edge, as the contract tells it: every rule at every edge, nothing left out, nothing computed ahead."""

from dataclasses import dataclass, field

from goldbeat.pymodels.objfifo.engine.registers import Descriptor

RESET_TO_READY = 1


@dataclass
class Slot:
    number: int
    bd: Descriptor
    base: int
    final: bool
    token: bool
    header: bool
    done: int = 0
    digits: list = field(default_factory=lambda: [0, 0, 0, 0])


class Channel:
    def __init__(self, number, s2mm, starts):
        self.number, self.s2mm = number, s2mm
        self.queue = [(t.start, t.repeat, t.token) for t in starts]
        self.task = self.seq = None
        self.fetch = self.next = self.cur = None
        self.next_waits = False
        self.stopped = False
        self.counters = {}
        self.by_header = self.head = self.endless = False


class NaiveEngine:
    """`inputs`: per S2MM channel (words, gaps); `ready`: per MM2S channel a list of booleans, repeated."""

    def __init__(self, shape, bds, tasks, locks, memory, inputs, ready, start, settled=True, pads=None, ooo=0, cores=0):
        self.shape, self.bds = shape, bds
        count = shape.ns + shape.nm
        self.channels = [Channel(c, c < shape.ns, [t for t in tasks if t.channel == c]) for c in range(count)]
        for c in self.channels[: shape.ns]:
            c.by_header = bool(ooo >> c.number & 1)
            c.endless = c.by_header and bool(cores >> c.number & 1)
        self.pads = pads or [0] * shape.nm
        self.locks = list(locks)
        self.memory = list(memory)
        self.inputs, self.ready, self.start = inputs, ready, start
        self.first = 0 if settled else RESET_TO_READY
        self.skids = [[] for _ in range(shape.ns)]
        self.sent = [0] * shape.ns
        self.waited = [0] * shape.ns
        self.accepts = [[] for _ in range(shape.ns)]
        self.credits = [8] * shape.nm
        self.pipes = [[] for _ in range(shape.nm)]  # (word, last, first edge)
        self.outs = [[] for _ in range(shape.nm)]  # (edge, word, last)
        self.events = [[] for _ in range(count)]
        self.lock_beats = []
        self.tokens = [0] * count
        self.error = None
        self.last_served = [-1] * shape.nbank
        self.releases = []
        self.running = False
        self.writes = 0

    def address(self, slot, s2mm):
        """Of the word whose turn it is; None for padding."""
        bd, d = slot.bd, slot.digits
        if bd.wraps[0] == 0:
            return slot.base + d[0] * bd.steps[0]
        total = slot.base + d[3] * bd.steps[3]
        for n in range(3):
            before = 0 if s2mm else bd.pad_before[n]
            if d[n] < before or d[n] >= before + max(1, bd.wraps[n]):
                return None
            total += (d[n] - before) * bd.steps[n]
        return total

    def count(self, slot, s2mm):
        slot.done += 1
        bd = slot.bd
        if bd.wraps[0] == 0:
            slot.digits[0] += 1
            return
        for n in range(3):
            pads = 0 if s2mm else bd.pad_before[n] + bd.pad_after[n]
            slot.digits[n] += 1
            if slot.digits[n] < max(1, bd.wraps[n]) + pads:
                return
            slot.digits[n] = 0
        slot.digits[3] += 1

    def edge(self, k):
        shape, count = self.shape, len(self.channels)
        ns = shape.ns
        before_locks = list(self.locks)
        errors = []
        # What stands before the edge.
        willing = [len(s) < 2 and k >= self.first for s in self.skids]
        offering = [
            self.sent[i] < len(self.inputs[i][0]) and self.waited[i] >= self.inputs[i][1][self.sent[i]]
            for i in range(ns)
        ]
        had_credit = [c > 0 for c in self.credits]
        outgoing = [
            bool(p) and p[0][2] <= k and self.ready[i][k % len(self.ready[i])] for i, p in enumerate(self.pipes)
        ]
        put_now, self.releases = self.releases, []
        finish = [False] * count
        granted_lock = [False] * count
        if self.running:
            # Rule 6, requests.
            requests = {}
            work = [False] * count
            for c in self.channels:
                if c.stopped or (c.cur is None and not c.head):
                    continue
                able = bool(self.skids[c.number]) if c.s2mm else had_credit[c.number - ns]
                if not able:
                    continue
                if c.head or c.cur.header:
                    work[c.number] = True
                    continue
                address = self.address(c.cur, c.s2mm)
                if address is None:
                    work[c.number] = True
                elif address >= shape.mem_words:
                    errors.append((c.number, 2, c.cur.number))
                else:
                    requests.setdefault(address % shape.nbank, []).append(c.number)
            for bank, channels in requests.items():
                p = (self.last_served[bank] + 1) % count
                order = [(p + i) % count for i in range(count)]
                winner = min(channels, key=order.index)
                self.last_served[bank] = winner
                work[winner] = True
            # Rule 4, requests.
            for lock in range(shape.nlock):
                for c in self.channels:
                    if c.stopped or c.next is None or not c.next_waits:
                        continue
                    wanted, value = c.next.bd.acquire
                    equal = c.next.bd.acquire_equal
                    if wanted == lock and (value == before_locks[lock] if equal else value <= before_locks[lock]):
                        granted_lock[c.number] = True
                        self.locks[lock] -= 0 if equal else value
                        break
            # Each channel's pipeline.
            for c in self.channels:
                if not c.stopped:
                    self.channel(k, c, work[c.number], granted_lock[c.number], finish, errors)
        for lock, value in put_now:
            if lock < shape.nlock:
                self.locks[lock] += value
        for lock in range(shape.nlock):
            if self.locks[lock] > 63:
                self.locks[lock] = 63
                errors.append((count, 3, lock))
        for n, code, number in sorted(errors):
            if code == 3:
                self.error = self.error or (3, 0, number)
            else:
                self.error = self.error or (code, n, number)
                self.channels[n].stopped = True
        # Streams.
        for i in range(ns):
            if willing[i] and offering[i]:
                self.skids[i].append(self.inputs[i][0][self.sent[i]])
                self.accepts[i].append(k)
                self.sent[i] += 1
                self.waited[i] = 0
            elif not offering[i] and self.sent[i] < len(self.inputs[i][0]):
                self.waited[i] += 1
        for i in range(shape.nm):
            if outgoing[i]:
                word, last, _ = self.pipes[i].pop(0)
                self.outs[i].append((k, word, last))
                self.credits[i] += 1
        if self.running and self.locks != before_locks:
            self.lock_beats.append((k + 1, list(self.locks)))
        if k == self.start:
            self.running = True

    def channel(self, k, c, works, granted, finish, errors):
        ns = self.shape.ns
        pop = bool(c.queue) and c.task is None and c.seq is None
        next_ready = c.next is not None and not c.next_waits
        finishes = False
        named = None
        if works and c.head:
            named = self.skids[c.number].pop(0) >> 5 & 63
        elif works:
            cur = c.cur
            if c.cur.header:
                self.issue(k, c, ("header", (*cur.bd.packet, cur.bd.ooo_id)))
                cur.header = False
            else:
                address = self.address(cur, c.s2mm)
                if c.s2mm:
                    self.memory[address] = self.skids[c.number].pop(0)
                    self.writes += 1
                else:
                    self.issue(k, c, self.pads[c.number - ns] if address is None else self.memory[address])
                self.count(cur, c.s2mm)
                finishes = cur.done == cur.bd.length
            if finishes:
                if not c.s2mm and cur.bd.tlast:
                    word, _, edge = self.pipes[c.number - ns][-1]
                    self.pipes[c.number - ns][-1] = (word, True, edge)
                if cur.bd.release is not None:
                    self.releases.append(cur.bd.release)
                self.events[c.number].append((k + 1, cur.number + 256 * cur.final))
                self.tokens[c.number] += cur.final and cur.token and not c.by_header
        hand = next_ready and (c.cur is None or finishes)
        queue = c.fetch is not None and (c.next is None or hand)
        take = c.seq is not None and (c.fetch is None or queue)
        empty = c.fetch is None and c.next is None and (c.cur is None or finishes)
        awaits = c.by_header and c.task is not None and c.seq is None and not c.head and empty
        if finishes:
            c.cur = None
        if hand:
            c.cur, c.next = c.next, None
        elif granted:
            c.next_waits = False
        if queue:
            c.next, c.fetch = c.fetch, None
            c.next_waits = c.next.bd.acquire is not None
        if take:
            self.take(c, errors)
        if pop:
            start, repeat, token = c.queue.pop(0)
            c.task, c.seq = [start, repeat, token], None if c.by_header else start
        if awaits:
            c.head = True
        if named is not None:
            c.head, c.seq = False, named

    def take(self, c, errors):
        bd = self.bds.get(c.seq)
        pads = bd is not None and not c.s2mm and (any(bd.pad_before) or any(bd.pad_after))
        if bd is None or not bd.valid or bd.length == 0 or (pads and bd.wraps[0] == 0):
            errors.append((c.number, 1, c.seq))
            return
        index = c.counters.get(c.seq, bd.iteration_start)
        c.counters[c.seq] = (index + 1) % bd.iteration_size
        follows = None if c.by_header else bd.next
        final = follows is None and c.task[1] == 0 and not c.endless
        base = bd.base + index * bd.iteration_step
        c.fetch = Slot(c.seq, bd, base, final, c.task[2], bd.packet is not None and not c.s2mm)
        if follows is not None:
            c.seq = follows
        elif not final:
            c.task[1] -= 1
            c.seq = None if c.by_header else c.task[0]
        else:
            c.task = c.seq = None

    def issue(self, k, c, word):
        i = c.number - self.shape.ns
        self.credits[i] -= 1
        self.pipes[i].append((word, False, k + 3))

    def run(self, edges):
        for k in range(edges):
            self.edge(k)
