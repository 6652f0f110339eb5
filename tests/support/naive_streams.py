# SPDX-License-Identifier: Apache-2.0
"""Cycle-by-cycle simulators written from the prose of docs/designs.md: registers, no recurrences.

A beat is a tuple (data bytes, keep bits, last, anything else). A stage has `ready`, `valid` and `head`, which depend on
its registers only, and `edge(push, pop)`, the clock edge. They know nothing of the models they are compared with.
"""

import itertools

NO_RESET = -1


class Source:
    def __init__(self, beats, gaps):
        self.beats, self.gaps = list(beats), [int(g) for g in gaps]
        self.at, self.cycles = 0, []
        self.wait = self.gaps[0] if self.beats else 0

    @property
    def done(self):
        return self.at == len(self.beats)

    @property
    def valid(self):
        return not self.done and self.wait == 0

    @property
    def head(self):
        return self.beats[self.at]

    def edge(self, cycle, pop):
        if pop:
            self.cycles.append(cycle)
            self.at += 1
            self.wait = 0 if self.done else self.gaps[self.at]
        elif self.wait:
            self.wait -= 1


class Sink:
    """Ready by a table of cycles, or only after valid has stood for a beat's distance."""

    def __init__(self, pattern, horizon=20000):
        self.waits = pattern.waits
        self.pattern = (pattern.distances if self.waits else pattern.ready)(horizon).tolist()
        self.beats, self.cycles, self.cycle = [], [], 0
        self.valid, self.stood = False, 0

    @property
    def ready(self):
        if self.waits:
            return self.stood == self.pattern[len(self.beats)]
        return self.pattern[self.cycle]

    def takes(self, valid):
        """Whether a beat moves at the next edge."""
        self.valid = valid
        return valid and self.ready

    def edge(self, push):
        self.stood = self.stood + 1 if self.valid and push is None else 0
        if push is not None:
            self.beats.append(push)
            self.cycles.append(self.cycle)
        self.cycle += 1


class Skid:
    """Two entries; ready from the edge after the first one out of reset."""

    def __init__(self, reset_edges=0):
        self.queue, self.left, self.most = [], reset_edges, 0

    @property
    def ready(self):
        return self.left < 0 and len(self.queue) < 2

    @property
    def valid(self):
        return bool(self.queue)

    @property
    def head(self):
        return self.queue[0]

    def edge(self, push, pop):
        if pop:
            self.queue.pop(0)
        if push is not None:
            self.queue.append(push)
        self.left -= 1
        self.most = max(self.most, len(self.queue))


class Fifo:
    def __init__(self, depth, reset_edges=0):
        self.depth, self.left, self.memory, self.register, self.most = depth, reset_edges, [], None, 0

    @property
    def ready(self):
        return self.left < 0 and len(self.memory) < self.depth

    @property
    def valid(self):
        return self.register is not None

    @property
    def head(self):
        return self.register

    def edge(self, push, pop):
        if pop:
            self.register = None
        if self.memory and self.register is None:
            self.register = self.memory.pop(0)
        if push is not None:
            self.memory.append(push)
        self.left -= 1
        self.most = max(self.most, len(self.memory) + (self.register is not None))


class Upsizer:
    def __init__(self, ratio, reset_edges=0):
        self.ratio, self.skid, self.lanes = ratio, Skid(reset_edges), []

    ready = property(lambda self: self.skid.ready)
    valid = property(lambda self: self.skid.valid)
    head = property(lambda self: self.skid.head)

    def edge(self, push, pop):
        wide = None
        if push is not None:
            self.lanes.append(push)
            if push[2] or len(self.lanes) == self.ratio:
                size = len(push[0])
                empty = self.ratio - len(self.lanes)
                data = sum((b[0] for b in self.lanes), ()) + (0,) * (size * empty)
                keep = sum((b[1] for b in self.lanes), ()) + (False,) * (size * empty)
                wide, self.lanes = (data, keep, push[2]), []
        self.skid.edge(wide, pop)


class Downsizer:
    def __init__(self, ratio, reset_edges=0):
        self.ratio, self.skid, self.word = ratio, Skid(reset_edges), 0

    ready = property(lambda self: self.skid.ready)
    valid = property(lambda self: self.skid.valid)

    def _lane(self, row, lane):
        size = len(row) // self.ratio
        return row[lane * size : (lane + 1) * size]

    @property
    def _final(self):
        _, keep, last = self.skid.head[:3]
        if not last:
            return self.ratio - 1
        return max([0, *(w for w in range(self.ratio) if any(self._lane(keep, w)))])

    @property
    def head(self):
        data, keep, last = self.skid.head[:3]
        return self._lane(data, self.word), self._lane(keep, self.word), last and self.word == self._final

    def edge(self, push, pop):
        ends = pop and self.word == self._final
        if pop:
            self.word = 0 if ends else self.word + 1
        self.skid.edge(push, ends)


class AsyncFifo:
    """Its two sides are stages of their own: `AsyncFifo.s_side` takes, `AsyncFifo.m_side` gives."""

    def __init__(self, depth, settled=False):
        self.depth, self.memory = depth, {}
        self.register, self.most = None, 0
        self.write = self.read = 0
        self.old_write = self.old_read = 0  # as they stand before an edge: what the other domain samples
        self.s_flops, self.m_flops = [0, 0], [0, 0]
        self.s_reset, self.m_reset = [settled] * 2, [settled] * 2
        self.up = settled

    def snapshot(self):
        self.old_write, self.old_read = self.write, self.read

    @property
    def ready(self):
        return self.up and self.write - self.s_flops[1] < self.depth

    @property
    def valid(self):
        return self.register is not None

    @property
    def head(self):
        return self.register

    def s_edge(self, push):
        if push is not None:
            self.memory[self.write] = push
            self.write += 1
        if self.s_reset[1]:
            self.s_flops = [self.old_read, self.s_flops[0]]
            self.up = True
        self.s_reset = [True, self.s_reset[0]]
        self.most = max(self.most, self.write - self.read + (self.register is not None))

    def m_edge(self, pop):
        if pop:
            self.register = None
        if self.read < self.m_flops[1] and self.register is None:
            self.register = self.memory.pop(self.read)
            self.read += 1
        if self.m_reset[1]:
            self.m_flops = [self.old_write, self.m_flops[0]]
        self.m_reset = [True, self.m_reset[0]]


def run_stage(stage, source, sink, limit=20000):
    """One stage between a source and a sink, until all is through."""
    for cycle in range(limit):
        took = source.valid and stage.ready
        gave = sink.takes(stage.valid)
        push, pushed = (source.head if took else None), (stage.head if gave else None)
        stage.edge(push, gave)
        source.edge(cycle, took)
        sink.edge(pushed)
        if source.done and not stage.valid and cycle > (source.cycles or [0])[-1] + 8:
            return
    raise AssertionError("the simulation does not end")


def run_crossing(before, fifo, after, source, sink, s_clock, m_clock, limit=1_000_000):
    """source, `before` or nothing, asynchronous FIFO, `after` or nothing, sink; edges by time in picoseconds.

    A fast source clock beside a slow, seldom ready sink takes tens of thousands of edges for a few beats.
    """
    s_cycle = m_cycle = quiet = 0
    for _ in range(limit):
        s_time, m_time = s_clock.time(s_cycle), m_clock.time(m_cycle)
        now = min(s_time, m_time)
        fifo.snapshot()
        # Everything below reads `ready`, `valid` and `head` as they stand before the edges of this moment.
        first = before or fifo
        final = after or fifo
        took = source.valid and first.ready
        inner_in = before is not None and before.valid and fifo.ready
        inner_out = after is not None and fifo.valid and after.ready
        gave = sink.takes(final.valid)
        took_beat = source.head if took else None
        in_beat = before.head if inner_in else None
        out_beat = fifo.head if inner_out else None
        gave_beat = final.head if gave else None
        if s_time == now:
            source.edge(s_cycle, took)
            if before is not None:
                before.edge(took_beat, inner_in)
            fifo.s_edge(in_beat if before is not None else took_beat)
            s_cycle += 1
        if m_time == now:
            fifo.m_edge(inner_out if after is not None else gave)
            if after is not None:
                after.edge(out_beat, gave)
            sink.edge(gave_beat)
            m_cycle += 1
        idle = source.done and not fifo.memory and not fifo.valid
        idle = idle and not (before is not None and before.valid) and not (after is not None and after.valid)
        quiet = quiet + 1 if idle else 0
        if quiet > 4:
            return
    raise AssertionError("the simulation does not end")


def beats_of(trace):
    """A trace's beats as tuples."""
    columns = [trace.data, trace.keep, trace.last, *(s for s in (trace.tid, trace.tdest, trace.tuser) if s is not None)]
    return [(tuple(d), tuple(k), la, *rest) for d, k, la, *rest in zip(*(c.tolist() for c in columns), strict=True)]


def words(row, count):
    """A row of bytes or keep bits as `count` words."""
    return [row[4 * w : 4 * w + 4] for w in range(count)]


def count_valid(beat, ratio):
    """Valid words of a beat."""
    if not beat[2]:
        return ratio
    return len(list(itertools.takewhile(all, words(beat[1], ratio))))


def word_beat(content, ratio, last):
    """A beat of these words, the rest zero."""
    rest = ratio - len(content)
    data = tuple(itertools.chain(*content)) + (0,) * (4 * rest)
    return data, (True,) * (4 * len(content)) + (False,) * (4 * rest), last


class Split:
    def __init__(self, ratio, ids, keep_header, reset_edges=0):
        self.ratio, self.ids, self.keep_header = ratio, ids, keep_header
        self.input = Skid(reset_edges)
        self.outputs = [Skid(reset_edges) for _ in ids]
        self.in_packet, self.port, self.held, self.flush = False, None, None, None
        self.packets = self.drops = self.parity = 0

    ready = property(lambda self: self.input.ready)

    def _header(self, beat, valid):
        """Port or None, and whether the parity is wrong."""
        value = int.from_bytes(bytes(beat[0][:4]), "little")
        if beat[2] and valid == 0:
            return None, False
        if bin(value).count("1") % 2 == 0:
            return None, True
        matching = [p for p, i in enumerate(self.ids) if i == value & 31]
        if not matching or (not self.keep_header and beat[2] and valid < 2):
            return None, False
        return matching[0], False

    def edge(self, push, pops):
        emit = [None] * len(self.ids)
        consumed = False
        if self.flush is not None:
            if self.outputs[self.port].ready:
                emit[self.port] = word_beat(self.flush, self.ratio, True)
                self.flush = None
        elif self.input.valid:
            consumed = self._core(self.input.head, emit)
        self.input.edge(push, consumed)
        for skid, beat, pop in zip(self.outputs, emit, pops, strict=True):
            skid.edge(beat, pop)

    def _core(self, beat, emit):
        ratio, valid = self.ratio, count_valid(beat, self.ratio)
        head = not self.in_packet
        port, wrong = self._header(beat, valid) if head else (self.port, False)
        content, out, flush = words(beat[0], ratio)[:valid], None, None
        if port is not None:
            if self.keep_header or (ratio == 1 and not head):
                out = (beat[0], word_beat(content, ratio, False)[1], beat[2])
            elif head:
                if beat[2]:
                    out = word_beat(content[1:], ratio, True)
            else:
                moved = self.held + content
                last = beat[2] and valid <= 1
                out = word_beat(moved[:ratio], ratio, last)
                flush = moved[ratio:] if beat[2] and not last else None
        if out is not None:
            if not self.outputs[port].ready:
                return False
            emit[port] = out
        if head:
            self.packets += 1
            self.drops += port is None
            self.parity += wrong
        self.port, self.held, self.flush = port, content[1:], flush
        self.in_packet = not beat[2]
        return True


def run_split(split, source, sinks, limit=20000):
    for cycle in range(limit):
        took = source.valid and split.ready
        gave = [s.takes(o.valid) for o, s in zip(split.outputs, sinks, strict=True)]
        heads = [o.head if g else None for o, g in zip(split.outputs, gave, strict=True)]
        split.edge(source.head if took else None, gave)
        source.edge(cycle, took)
        for sink, head in zip(sinks, heads, strict=True):
            sink.edge(head)
        busy = split.input.valid or split.flush is not None or any(o.valid for o in split.outputs)
        if source.done and not busy:
            return
    raise AssertionError("the simulation does not end")


class Merge:
    def __init__(self, ratio, headers, reset_edges=0):
        self.ratio, self.headers = ratio, headers
        self.output = Skid(reset_edges)
        self.state, self.winner, self.next, self.held, self.packets = "IDLE", None, 0, None, 0

    def ready(self, port):
        return self.state == "DATA" and self.winner == port and self.output.ready

    def edge(self, valids, taken, pop):
        """`valids`: which inputs offer; `taken`: the beat that transfers at this edge, if one does."""
        out, ports, ratio = None, len(valids), self.ratio
        if self.state == "IDLE":
            if any(valids) and self.output.left < 0 and (ratio > 1 or self.output.ready):
                self.winner = next(p % ports for p in range(self.next, self.next + ports) if valids[p % ports])
                header = tuple(self.headers[self.winner].to_bytes(4, "little"))
                self.state = "DATA"
                if ratio == 1:
                    out = word_beat([header], 1, False)
                else:
                    self.held = header
        elif self.state == "DATA":
            if taken is not None:
                valid = count_valid(taken, ratio)
                content = words(taken[0], ratio)[:valid]
                if ratio == 1:
                    out, ends = word_beat(content, 1, taken[2]), taken[2]
                else:
                    moved = [self.held, *content]
                    ends = taken[2] and valid < ratio
                    out = word_beat(moved[:ratio], ratio, ends)
                    self.held = moved[ratio] if len(moved) > ratio else None
                    if taken[2] and not ends:
                        self.state = "FLUSH"
                if ends:
                    self._end()
        elif self.output.ready:
            out = word_beat([self.held], ratio, True)
            self._end()
        self.output.edge(out, pop)

    def _end(self):
        self.state, self.next = "IDLE", (self.winner + 1) % len(self.headers)
        self.packets += 1


def run_merge(merge, sources, sink, limit=20000):
    quiet = 0
    for cycle in range(limit):
        valids = [s.valid for s in sources]
        takes = [s.valid and merge.ready(p) for p, s in enumerate(sources)]
        taken = next((s.head for s, t in zip(sources, takes, strict=True) if t), None)
        gave = sink.takes(merge.output.valid)
        head = merge.output.head if gave else None
        merge.edge(valids, taken, gave)
        for source, t in zip(sources, takes, strict=True):
            source.edge(cycle, t)
        sink.edge(head)
        stuck = merge.state == "DATA" and sources[merge.winner].done
        over = merge.state == "IDLE" and all(s.done for s in sources)
        quiet = quiet + 1 if (stuck or over) and not merge.output.valid else 0
        if quiet > 3:
            return
    raise AssertionError("the simulation does not end")
