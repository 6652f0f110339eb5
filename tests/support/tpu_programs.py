# SPDX-License-Identifier: Apache-2.0
"""Programs for the golden model of the command front end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.tpu.front_end.engine import Front, FrontEndSettings, GroupSettings, StreamSettings
from goldbeat.pymodels.tpu.streams.encode import encode_commands, padded
from goldbeat.pymodels.tpu.streams.tables import chip

CHIPS = ("BM1684X", "BM1688", "BM1690")


class Builder:
    """Puts streams into one memory, a group after the other."""

    def __init__(self, front: Front) -> None:
        self.front = front
        self.chip = chip(CHIPS[front.chip])
        self.regions: list[Region] = []
        self.groups: list[list[GroupSettings]] = [[] for _ in range(front.cores)]
        self._at = 0x1000

    def stream(self, raw: bytes, count: int, size: int | None = None) -> StreamSettings:
        """A stream of whole blocks."""
        raw += bytes(-len(raw) % 128)
        if raw:
            self.regions.append(Region(f"r{len(self.regions)}", self._at, np.frombuffer(raw, np.uint8).copy()))
        made = StreamSettings(self._at // 128, len(raw) // 128 if size is None else size, count)
        self._at += len(raw) + 0x1000
        return made

    def commands(self, engine: int, which: Sequence[tuple]) -> tuple[bytes, int]:
        """Bytes and count of commands (form, func, dep) or (form, func, dep, fields); END is added."""
        of = self.chip.engine("tiu" if engine == 0 else "gdma")
        body = b""
        explicit = "id" in of.head
        for number, (form, func, dep, *more) in enumerate(which, 1):
            kind = of.kind(form)
            id_ = number if explicit and kind.has_id else None
            body += encode_commands(of, kind, more[0] if more else None, func=func, id=id_, dep=dep or None).tobytes()
        if not explicit:
            return padded(of, body), len(which) + 1
        end, func = of.end  # type: ignore[misc]
        body += encode_commands(of, end, func=func, id=len(which) + 1).tobytes()
        return body + bytes(-len(body) % 128), len(which) + 1

    def group(self, core: int = 0, **engines: Sequence[tuple]) -> None:
        """A group: ``e0=[(form, func, dep), ...]``, ``e1=[...]``."""
        streams = {int(name[1:]): self.stream(*self.commands(int(name[1:]), which)) for name, which in engines.items()}
        self.groups[core].append(GroupSettings(streams))

    def program(self, **settings: object) -> FrontEndSettings:
        """The program."""
        return FrontEndSettings(self.groups, **settings)  # type: ignore[arg-type]


def message(front: Front, engine: int, number: int, count: int, *, wait: bool) -> tuple:
    """A SEND or WAIT for :meth:`Builder.commands`."""
    of = chip(CHIPS[front.chip]).engine("tiu" if engine == 0 else "gdma")
    spec = of.wait if wait else of.send
    assert spec is not None
    form = of.end[0].name  # type: ignore[index]
    return form, spec.func, 0, {spec.field: number << spec.id[0] | count << spec.count[0]}


def random_program(front: Front, rng: np.random.Generator, commands: int = 20, *, messages: bool = True) -> Builder:
    """Every kind of command, dependencies that can be met, barriers, several groups."""
    made = Builder(front)
    groups = int(rng.integers(1, 4))
    for _ in range(groups):
        for core in range(front.cores):
            counts = [int(rng.integers(1, commands)) for _ in range(front.engines)]
            # A short command first: all engines have their first command at the same time.
            small = made.chip.engine("tiu").end[0].name  # type: ignore[index]
            lists: list[list[tuple]] = [[(small if e == 0 else "sDMA_sys", 1, 0)] for e in range(front.engines)]
            for _ in range(sum(counts)):
                engine = int(rng.integers(front.engines))
                of = made.chip.engine("tiu" if engine == 0 else "gdma")
                kind = of.kinds[int(rng.integers(len(of.kinds)))]
                funcs = [f for f in kind.ops if (kind, f) != of.end and not _is_message(of, kind, f)]
                if not funcs:
                    continue
                other = 1 if engine == 0 else 0
                # What is already there in the order of making can always be met.
                dep = int(rng.integers(0, len(lists[other]) + 1)) if kind.has_dep and rng.random() < 0.4 else 0
                lists[engine].append((kind.name, int(rng.choice(funcs)), dep))
            if messages and front.chip and rng.random() < 0.5:
                send = made.chip.engine("tiu").send
                assert send is not None
                number = int(rng.integers(min(front.nmsg, 1 << send.id[1])))
                for engine in range(front.engines):
                    lists[engine].append(message(front, engine, number, front.engines, wait=False))
                    lists[engine].append(message(front, engine, number, front.engines, wait=True))
            made.group(core, **{f"e{i}": which for i, which in enumerate(lists)})
    return made


def _is_message(engine: object, kind: object, func: int) -> bool:
    send, wait, end = engine.send, engine.wait, engine.end  # type: ignore[attr-defined]
    return send is not None and kind is end[0] and func in (send.func, wait.func)
