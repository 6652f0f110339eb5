# SPDX-License-Identifier: Apache-2.0
"""Sound object FIFO designs in text, and faults that take away, double, move or change what orders their accesses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from objfifo_explicit import explicit_text
from objfifo_forms import forms_text

_CONSTANTS = """%c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %k = arith.constant 3 : i32"""
_OBJECT = "memref<8xi32>"
_FIFO = "!aie.objectfifo<memref<8xi32>>"
_VIEW = "!aie.objectfifosubview<memref<8xi32>>"


def _device(body: str) -> str:
    lines = [line.strip() for line in body.strip().splitlines()]
    return "\n".join(["module {", "aie.device(npu1_1col) {", *lines, "}", "}", ""])


def _shim(names: str) -> str:
    """Objects of 8 words in ``%A`` come in by ``in``, those of the others leave."""
    return f"aie.runtime_sequence({', '.join(f'%{n}: memref<64xi32>' for n in names)}) {{"


def _copy(name: str, array: str, number: int, *, token: bool = False, first: int = 0, words: int = 64) -> str:
    more = ", issue_token = true" if token else ""
    return (
        f"aiex.npu.dma_memcpy_nd(%{array}[0, 0, 0, {first}][1, 1, 1, {words}][0, 0, 0, 1]) "
        f"{{id = {number} : i64, metadata = @{name}{more}}} : memref<64xi32>"
    )


def _loop(number: int, source: str, target: str, op: str = "arith.addi") -> str:
    return f"""scf.for %q{number} = %c0 to %c8 step %c1 {{
    %v{number} = memref.load {source}[%q{number}] : {_OBJECT}
    %w{number} = {op} %v{number}, %k : i32
    memref.store %w{number}, {target}[%q{number}] : {_OBJECT}
    }}"""


def fifos() -> str:
    """A worker between two fifos, with a window of two objects that slides by one."""
    return _device(f"""
    %s = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    aie.objectfifo @x(%s, {{%t}}, 3 : i32) : {_FIFO}
    aie.objectfifo @y(%t, {{%s}}, 2 : i32) : {_FIFO}
    %core = aie.core(%t) {{
      {_CONSTANTS}
      %first = aie.objectfifo.acquire @x(Consume, 1) : {_VIEW}
      scf.for %n = %c0 to %c4 step %c1 {{
        %e = aie.objectfifo.acquire @x(Consume, 2) : {_VIEW}
        %a = aie.objectfifo.subview.access %e[0] : {_VIEW} -> {_OBJECT}
        %b = aie.objectfifo.subview.access %e[1] : {_VIEW} -> {_OBJECT}
        %f = aie.objectfifo.acquire @y(Produce, 1) : {_VIEW}
        %o = aie.objectfifo.subview.access %f[0] : {_VIEW} -> {_OBJECT}
        scf.for %x = %c0 to %c8 step %c1 {{
          %v = memref.load %a[%x] : {_OBJECT}
          %w = memref.load %b[%x] : {_OBJECT}
          %z = arith.addi %v, %w : i32
          memref.store %z, %o[%x] : {_OBJECT}
        }}
        aie.objectfifo.release @x(Consume, 1)
        aie.objectfifo.release @y(Produce, 1)
      }}
      aie.end
    }}
    {_shim("AB")}
    {_copy("x", "A", 0, words=40)}
    {_copy("y", "B", 1, token=True, words=32)}
    aiex.npu.dma_wait {{symbol = @y}}
    }}
    """)


def _shared_memory() -> tuple[str, str]:
    """Buffers and locks of :func:`neighbours`: ``x`` on the first core's tile, the others on the second's."""
    buffers = "\n".join(
        f'%{n} = aie.buffer({"%t" if n[0] == "x" else "%u"}) {{sym_name = "{n}"}} : {_OBJECT}'
        for n in ("x0", "x1", "m0", "m1", "y0", "y1")
    )
    locks = "\n".join(
        f'%{n} = aie.lock({"%t" if n[0] == "x" else "%u"}, {k}) {{init = {2 * (n[1] == "e")} : i32, sym_name = "{n}"}}'
        for k, n in enumerate(("xe", "xf", "me", "mf", "ye", "yf"))
    )
    return buffers, locks


def _rings() -> tuple[list[str], list[str]]:
    """Descriptors of :func:`neighbours`: into the first core's tile, out of the second's."""
    ring = """{at}:
      aie.use_lock(%{take}, AcquireGreaterEqual, 1)
      aie.dma_bd(%{buffer} : memref<8xi32>, 0, 8)
      aie.use_lock(%{give}, Release, 1)
      aie.next_bd {after}"""
    ins = [ring.format(at=f"^a{n}", take="xe", buffer=f"x{n}", give="xf", after=f"^a{1 - n}") for n in range(2)]
    outs = [ring.format(at=f"^b{n}", take="yf", buffer=f"y{n}", give="ye", after=f"^b{1 - n}") for n in range(2)]
    return ins, outs


def _turns() -> tuple[str, str]:
    """Two objects in the programs of the two cores of :func:`neighbours`."""
    core = """aie.use_lock(%{full}, AcquireGreaterEqual, 1)
        aie.use_lock(%{free}, AcquireGreaterEqual, 1)
        {loop}
        aie.use_lock(%{back}, Release, 1)
        aie.use_lock(%{done}, Release, 1)"""
    first = "\n".join(
        core.format(full="xf", free="me", back="xe", done="mf", loop=_loop(n, f"%x{n}", f"%m{n}")) for n in range(2)
    )
    second = "\n".join(
        core.format(full="mf", free="ye", back="me", done="yf", loop=_loop(n, f"%m{n}", f"%y{n}", "arith.muli"))
        for n in range(2)
    )
    return first, second


def neighbours() -> str:
    """Two cores in a row share a memory; a second turn of the host sends back what has come."""
    first, second = _turns()
    ins, outs = _rings()
    buffers, locks = _shared_memory()
    return _device(f"""
    %s = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    %u = aie.tile(0, 3)
    {buffers}
    {locks}
    aie.flow(%s, DMA : 0, %t, DMA : 0)
    aie.flow(%u, DMA : 0, %s, DMA : 0)
    %mem = aie.mem(%t) {{
      %0 = aie.dma_start(S2MM, 0, ^a0, ^e)
    {ins[0]}
    {ins[1]}
    ^e:
      aie.end
    }}
    %mem2 = aie.mem(%u) {{
      %0 = aie.dma_start(MM2S, 0, ^b0, ^e)
    {outs[0]}
    {outs[1]}
    ^e:
      aie.end
    }}
    %one = aie.core(%t) {{
      {_CONSTANTS}
      scf.for %n = %c0 to %c8 step %c1 {{
      {first}
      }}
      aie.end
    }}
    %two = aie.core(%u) {{
      {_CONSTANTS}
      scf.for %n = %c0 to %c8 step %c1 {{
      {second}
      }}
      aie.end
    }}
    aie.shim_dma_allocation @in (%s, MM2S, 0)
    aie.shim_dma_allocation @out (%s, S2MM, 0)
    {_shim("AB")}
    {_copy("in", "A", 0)}
    {_copy("out", "B", 1, token=True)}
    aiex.npu.dma_wait {{symbol = @out}}
    {_copy("in", "B", 2)}
    {_copy("out", "A", 3, token=True)}
    aiex.npu.dma_wait {{symbol = @out}}
    }}
    """)


def two_workers() -> str:
    """A memory tile deals objects of 16 words to two workers and joins what they make."""
    big = "!aie.objectfifo<memref<16xi32>>"
    workers = "\n".join(
        f"""%core{n} = aie.core(%t{n}) {{
      {_CONSTANTS}
      scf.for %n = %c0 to %c4 step %c1 {{
        %e = aie.objectfifo.acquire @x{n}(Consume, 1) : {_VIEW}
        %a = aie.objectfifo.subview.access %e[0] : {_VIEW} -> {_OBJECT}
        %f = aie.objectfifo.acquire @y{n}(Produce, 1) : {_VIEW}
        %o = aie.objectfifo.subview.access %f[0] : {_VIEW} -> {_OBJECT}
        {_loop(0, "%a", "%o")}
        aie.objectfifo.release @x{n}(Consume, 1)
        aie.objectfifo.release @y{n}(Produce, 1)
      }}
      aie.end
    }}"""
        for n in range(2)
    )
    ends = "\n".join(
        f"""aie.objectfifo @x{n}(%m, {{%t{n}}}, 2 : i32) : {_FIFO}
    aie.objectfifo @y{n}(%t{n}, {{%m}}, 2 : i32) : {_FIFO}"""
        for n in range(2)
    )
    return _device(f"""
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %t0 = aie.tile(0, 2)
    %t1 = aie.tile(0, 4)
    aie.objectfifo @x(%s, {{%m}}, 2 : i32) : {big}
    {ends}
    aie.objectfifo @y(%m, {{%s}}, 2 : i32) : {big}
    aie.objectfifo.link [@x] -> [@x0, @x1] ([] [0, 8])
    aie.objectfifo.link [@y0, @y1] -> [@y] ([0, 8] [])
    {workers}
    {_shim("ABC")}
    {_copy("x", "A", 0)}
    {_copy("y", "B", 1, token=True, words=32)}
    aiex.npu.dma_wait {{symbol = @y}}
    {_copy("y", "B", 2, token=True, first=32, words=32)}
    aiex.npu.dma_wait {{symbol = @y}}
    }}
    """)


def sound_designs() -> dict[str, str]:
    """All of them by name."""
    ring = forms_text().replace("\n        : memref<16xi32>", " : memref<16xi32>")
    return {
        "fifos": fifos(),
        "neighbours": neighbours(),
        "two workers": two_workers(),
        "explicit": explicit_text(),
        "memory tile": ring,
    }


@dataclass(frozen=True)
class OrderFault:
    """A fault.

    Attributes:
        design: of which design.
        kind: what was done.
        line: where, counted from 1.
        text: the design with it.
    """

    design: str
    kind: str
    line: int
    text: str


_SYNC = re.compile(r"aie\.use_lock|objectfifo\.(acquire|release)|dma_wait|dma_await_task|dma_start_task|dma_memcpy_nd")


def order_faults(name: str, text: str) -> Iterator[OrderFault]:
    """Every synchronisation taken away, doubled, moved by up to two places, or with another value.

    Args:
        name: of the design.
        text: one operation per line.
    """
    lines = text.splitlines()

    def made(kind: str, at: int, changed: list[str]) -> OrderFault:
        return OrderFault(name, kind, at + 1, "\n".join(changed) + "\n")

    for at, line in enumerate(lines):
        if (init := re.search(r"init = (\d+)", line)) is not None:
            for value in (int(init[1]) + 1, int(init[1]) - 1):
                if value >= 0:
                    other = line.replace(init[0], f"init = {value}")
                    yield made("initial value changed", at, [*lines[:at], other, *lines[at + 1 :]])
        if (bd := re.search(r"dma_bd\(%(\w*)(\d) :", line)) is not None:
            other = line.replace(f"%{bd[1]}{bd[2]} ", f"%{bd[1]}{1 - int(bd[2])} ") if bd[2] in "01" else line
            if f"%{bd[1]}{1 - int(bd[2])} = aie.buffer" in text:
                yield made("buffer shared", at, [*lines[:at], other, *lines[at + 1 :]])
        if "dma_memcpy_nd(%A" in line or "dma_memcpy_nd(%B" in line:
            other = line.replace("%A[", "%_[").replace("%B[", "%A[").replace("%_[", "%B[")
            yield made("host array shared", at, [*lines[:at], other, *lines[at + 1 :]])
        if _SYNC.search(line) is None:
            continue
        kind = _kind(line)
        if not re.search(r"= .*acquire", line):
            yield made(f"{kind} removed", at, [*lines[:at], *lines[at + 1 :]])
            yield made(f"{kind} doubled", at, [*lines[: at + 1], line, *lines[at + 1 :]])
        if (amount := re.search(r"(Release|GreaterEqual|Consume|Produce), (\d+)", line)) is not None:
            for value in (int(amount[2]) + 1, int(amount[2]) - 1):
                if value > 0:
                    other = line.replace(amount[0], f"{amount[1]}, {value}")
                    yield made(f"{kind} with another amount", at, [*lines[:at], other, *lines[at + 1 :]])
        for to in _places(lines, at):
            rest = [*lines[:at], *lines[at + 1 :]]
            yield made(f"{kind} moved", at, [*rest[:to], line, *rest[to:]])


def _kind(line: str) -> str:
    if "use_lock" in line or "objectfifo." in line:
        return "release" if re.search("release|Release", line) else "acquire"
    return "wait" if "wait" in line else "task"


def _places(lines: list[str], at: int) -> Iterator[int]:
    """Where a line can be moved to in its block, without it: one and two operations up and down, a loop being one."""
    rest = [*lines[:at], *lines[at + 1 :]]
    up, down = at, at
    for _ in range(2):
        if up is not None and (up := _before(rest, up)) is not None:
            yield up
        if down is not None and (down := _after(rest, down)) is not None:
            yield down


def _before(lines: list[str], at: int) -> int | None:
    text = lines[at - 1].strip()
    if text.endswith(("{", ":")) or "constant" in text:
        return None
    depth = 0
    for place in range(at - 1, -1, -1):
        depth += lines[place].count("}") - lines[place].count("{")
        if depth <= 0:
            return place
    return None


def _after(lines: list[str], at: int) -> int | None:
    text = lines[at].strip()
    if text == "}" or text.startswith(("aie.end", "aie.next_bd", "^")):
        return None
    depth = 0
    for place in range(at, len(lines)):
        depth += lines[place].count("{") - lines[place].count("}")
        if depth <= 0:
            return place + 1
    return None
