# SPDX-License-Identifier: Apache-2.0
"""The accelerator's layer one cycle at a time, each sentence of docs/zynqnet-hardware.md as a condition on the cycle number."""

import numpy as np

from goldbeat.pymodels.axi.memory import GAP_PERIOD
from goldbeat.pymodels.pattern import splitmix64


class Memory:
    """docs/memory.md, one cycle at a time, one ID."""

    def __init__(self, timing, cycles=1 << 14):
        self.t = timing
        self.ready = {n: getattr(timing, f"{n}_ready").ready(cycles) for n in ("ar", "aw", "w")}
        self.r_gap = self._gaps(timing.r_gaps)
        self.b_gap = self._gaps(timing.b_gaps)
        self.ar, self.r, self.r_last, self.r_offered = [], [], [], None
        self.aw, self.w, self.b = [], [], []
        self.queue = []  # of reads: [due, beats left]
        self.writes = []  # lengths

    @staticmethod
    def _gaps(pattern):
        return [0] * GAP_PERIOD if pattern.kind == "none" else pattern.gaps(GAP_PERIOD).tolist()

    def jitter(self, most, stream, n):
        return int(splitmix64(4 * self.t.seed + stream, np.array([n]))[0] % np.uint64(most + 1))

    def open(self, bandwidth, k):
        b, c = bandwidth
        return (k + 1) * b // c > k * b // c

    def arready(self, k):
        done = sum(x < k for x in self.r_last)
        return self.ready["ar"][k] and len([x for x in self.ar if x < k]) - done < self.t.max_reads

    def awready(self, k):
        return (
            self.ready["aw"][k] and len([x for x in self.aw if x < k]) - sum(x < k for x in self.b) < self.t.max_writes
        )

    def read(self, k, beats):
        self.queue.append([k + self.t.read_latency + self.jitter(self.t.read_jitter, 0, len(self.ar)), beats])
        self.ar.append(k)

    def r_valid(self, k):
        """Whether a beat is offered in cycle k."""
        if self.r_offered is None and self.queue:
            n = len(self.r)
            after = self.r_gap[n % GAP_PERIOD] + (self.r[-1] + 1 if n else 0)
            if k >= after and self.open(self.t.read_bandwidth, k) and k >= self.queue[0][0]:
                self.r_offered = k
        return self.r_offered is not None

    def r_move(self, k):
        self.r.append(k)
        self.r_offered = None
        self.queue[0][1] -= 1
        if self.queue[0][1] == 0:
            self.queue.pop(0)
            self.r_last.append(k)

    def write_address(self, k, beats):
        self.aw.append(k)
        self.writes.append(beats)

    def wready(self, k):
        room = sum(n for a, n in zip(self.aw, self.writes, strict=True) if a < k)
        return self.ready["w"][k] and self.open(self.t.write_bandwidth, k) and len(self.w) < room

    def respond(self, k):
        n = len(self.b)
        ends = np.cumsum(self.writes)
        if n == len(self.aw) or len(self.w) < ends[n]:
            return
        jitter = self.jitter(self.t.write_jitter, 1, n)
        due = max(self.aw[n], self.w[ends[n] - 1]) + self.t.write_latency + jitter
        if k >= max(due, self.b_gap[n % GAP_PERIOD] + (self.b[-1] + 1 if n else 0)):
            self.b.append(k)


def bursts(first, end, row=None):
    """A segment's bursts: [first beat, beats, row that it begins, first of its segment]."""
    out = []
    for beat in range(first, end):
        if not out or beat % 16 == 0:
            out.append([beat, 0, row if not out else None, not out])
        out[-1][1] += 1
    return out


def run(npe, lanes, lines, layer, map_, timing, go):
    """done and the counters by name."""
    n_, k3 = lanes, layer.kernel == 3
    start = go + 16
    memory = Memory(timing)
    groups = layer.ch_out // npe
    passes = layer.ch_in if k3 else -(-layer.ch_in // 8)
    hazard = 5 if k3 else 32
    row_words = layer.width * layer.ch_in
    narrow = layer.ch_in % n_ != 0
    pre = min(layer.height, 2 if k3 else 1)
    at_image = (map_.base // 4 + map_.data_offset + layer.mem_in) // n_
    at_weights = (map_.base // 4 + map_.weights_offset + layer.mem_weights) // n_
    beats_to = [-(-r * row_words // n_) for r in range(layer.height + 1)]

    def row_segment(r):
        return bursts(at_image + beats_to[r], at_image + beats_to[r + 1], r)

    reads = [b for r in range(pre) for b in row_segment(r)]
    reads += bursts(at_weights, at_weights + layer.weights // n_)
    reads += [b for r in range(pre, layer.height) for b in row_segment(r)]
    # What every beat brings, in the order in which they come.
    kinds = ["p"] * beats_to[pre] + ["w"] * (layer.weights // n_) + ["p"] * (beats_to[-1] - beats_to[pre])
    all_beats = len(kinds)
    pixel_beats, weight_beats = [], []

    def row_there(r, k):
        word = (r + 1) * row_words - 1
        beat = word // n_
        return len(pixel_beats) > beat and k >= pixel_beats[beat] + 2 + (word % n_ if narrow else 0)

    def weights_there(words, k):
        beat = (words - 1) // n_
        return len(weight_beats) > beat and k >= weight_beats[beat] + 2

    tiles = []
    size = min(256 // groups, layer.width_out)
    for y in range(layer.height_out):
        for x in range(0, layer.width_out, size):
            tiles.append((layer.stride * y, min(size, layer.width_out - x)))

    decided, offering, ready_from = 0, None, 0
    state, tile, position, idle = "BEFORE", 0, 0, 0
    e, z = [], []
    steps, drain_from, drain_at, todo = [], None, 0, []
    queue_aw, sums_from = [], None
    aw_of_beat = []
    at_out = (map_.base // 4 + map_.data_offset + layer.mem_out) // n_
    at_sums = (map_.base // 4 + map_.data_offset + layer.pool_offset) // n_
    per_pixel = layer.ch_out // n_
    pixel_number = 0
    counts = dict.fromkeys(("ISSUES", "WAIT_WEIGHTS", "WAIT_PIXELS", "WAIT_WRITE", "BUBBLES"), 0)
    first_issue = None
    finished_reading = None
    k = go
    base = 0

    while True:
        if k > go + (1 << 13):
            raise AssertionError("does not end")
        # -- done?
        if (
            z_all(z, tiles, layer, sums_from, todo)
            and steps[-1] < k
            and len(memory.b) == len(queue_aw)
            and all(b < k for b in memory.b)
            and finished_reading is not None
            and finished_reading <= k
        ):
            counts |= {"READ_BEATS": len(memory.r), "WRITE_BEATS": len(memory.w), "CYCLES": k - go}
            counts |= {"FIRST_ISSUE": first_issue - go}
            return k, counts
        # -- walker, its state in this cycle
        if k == start:
            state = "WAIT"
        if state == "WAIT":
            centre, count = tiles[tile]
            base = max(centre - 1, 0) if k3 else centre
            need = min(centre + 1, layer.height - 1) if k3 else centre
            rows = all(row_there(r, k) for r in range(need + 1))
            drained = tile < 2 or (len(z) > tile - 2 and z[tile - 2] <= k - 1)
            counts["WAIT_PIXELS"] += not rows
            counts["WAIT_WRITE"] += rows and not drained
            next_state = "RUN" if rows and drained else "WAIT"
            position = 0
        elif state == "RUN":
            next_state = "RUN"
            if idle:
                idle -= 1
                counts["BUBBLES"] += 1
                if idle == 0 and position == passes * groups * count:
                    next_state = "NEXT"
            else:
                c, rest = divmod(position, groups * count)
                g, t = divmod(rest, count)
                number = c * groups + g if k3 else min(8 * c + 7, layer.ch_in - 1) * groups + g
                if t or weights_there((number + 1) * npe * (9 if k3 else 1), k):
                    counts["ISSUES"] += 1
                    first_issue = k if first_issue is None else first_issue
                    position += 1
                    if rest == groups * count - 1:
                        idle = max(0, hazard - groups * count)
                    if position == passes * groups * count:
                        e.append(k)
                        next_state = "RUN" if idle else "NEXT"
                else:
                    counts["WAIT_WEIGHTS"] += 1
        elif state == "NEXT":
            tile += 1
            next_state = "WAIT" if tile < len(tiles) else "END"
        else:
            next_state = state
        # -- reader
        if decided < len(reads) and offering is None:
            _, _, row, opens = reads[decided]
            free = k >= start if decided == 0 else k >= memory.ar[-1] + (2 if opens else 1)
            few = sum(x < k for x in memory.ar) - sum(x < k for x in memory.r_last) < 8
            if free and few and (row is None or row < pre or row + 1 < base + lines):
                offering = k + 1
        elif offering is not None and k >= offering and memory.arready(k):
            memory.read(k, reads[decided][1])
            decided += 1
            offering = None
        if memory.r_valid(k) and k >= ready_from:
            memory.r_move(k)
            kind = kinds[len(memory.r) - 1]
            (pixel_beats if kind == "p" else weight_beats).append(k)
            if narrow and kind == "p":
                ready_from = k + n_
            if len(memory.r) == all_beats:
                finished_reading = k + (n_ + 1 if narrow and kind == "p" else 2)
        # -- drain
        if todo and (steps[-1] if steps else -1) < k and k >= drain_from:
            credit = 32 - len(steps) + sum(x < k for x in memory.w)
            starts_pixel = todo[0][1]
            # From the pixel's last step: missing credits can have delayed it.
            spaced = not (layer.gpool and starts_pixel and steps and sums_from is None) or k > steps[-1] + 8 - per_pixel
            if credit > 0 and spaced:
                beat, starts_pixel = todo.pop(0)
                steps.append(k)
                if starts_pixel or beat % 16 == 0:
                    queue_aw.append([beat, 0, k])
                queue_aw[-1][1] += 1
                aw_of_beat.append(len(queue_aw) - 1)
                if not todo:
                    if sums_from is None:
                        z.append(k)
                        drain_at += 1
                        if layer.gpool and drain_at == len(tiles):
                            sums_from = drain_from = k + 8
                            todo = [(at_sums + b, b == 0) for b in range(per_pixel)]
                    else:
                        sums_from = -1
        elif not todo and drain_at < len(tiles) and len(e) > drain_at and k >= e[drain_at] + 35:
            after = z[-1] + 1 if z else start
            if k >= after and weights_there(layer.weights, k):
                drain_from = k + 1
                for _ in range(tiles[drain_at][1]):
                    first = at_out + pixel_number * layer.pixel_step // n_
                    todo += [(first + b, b == 0) for b in range(per_pixel)]
                    pixel_number += 1
        # -- writer
        n = len(memory.aw)
        if n < len(queue_aw):
            # A burst's length is known at its first step: up to the pixel's end or the next multiple of 16.
            beat, _, step = queue_aw[n]
            origin = at_sums if sums_from is not None and n_sums(beat, at_sums, per_pixel) else None
            base_beat = origin if origin is not None else beat - (beat - at_out) % (layer.pixel_step // n_)
            length = min(16 - beat % 16, base_beat + per_pixel - beat)
            few = sum(x < k for x in memory.aw) - sum(x < k for x in memory.b) < 16
            if k >= step + 3 and few and memory.awready(k):
                memory.write_address(k, length)
        i = len(memory.w)
        if i < len(steps) and k >= steps[i] + 8:
            burst = aw_of_beat[i]
            if burst < len(memory.aw) and memory.aw[burst] < k and memory.wready(k):
                memory.w.append(k)
        memory.respond(k)
        state = next_state
        k += 1


def n_sums(beat, at_sums, per_pixel):
    return at_sums <= beat < at_sums + per_pixel


def z_all(z, tiles, layer, sums_from, todo):
    return len(z) == len(tiles) and not todo and (not layer.gpool or sums_from == -1)
