# SPDX-License-Identifier: Apache-2.0
"""A user's register map in SystemRDL, as the words of a bus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.mapped_registers import MappedBits, MappedWord
from goldbeat.tb.design.file_stamp import file_stamp
from goldbeat.tb.extras import install_hint

_INCLUDE = re.compile(rb'^[ \t]*`include[ \t]+"([^"\n]+)"', re.MULTILINE)
_TEXT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
"""Strings and comments."""
_MOST_OF_A_MEMORY = 16
"""Words of a memory that are checked: its ends, and those at powers of two."""


def mapped_words(path: Path, parameters: Mapping[str, int], size: int, base: int = 0) -> list[MappedWord]:
    """The words of a map, by address.

    A register wider than the bus gives several words, ``NAME[63:32]``; narrower ones share one, ``A+B``.

    Args:
        path: the ``.rdl``.
        parameters: of its root.
        size: bytes of a word of the bus.
        base: added to every address.

    Raises:
        InputError: no file, or what the compiler says of it, with file and line.
        UsageError: systemrdl-compiler is not installed.
    """
    found: dict[int, tuple[list[str], list[MappedBits], bool]] = {}
    for name, address, width, fields, plain in _registers(_elaborated(path, parameters).top):
        if (base + address) % min(size, width // 8):
            expected = f"a multiple of {min(size, width // 8)} bytes, with the base of the map"
            raise InputError(f"{name} at 0x{base + address:x}", expected, file=path)
        for at in range((base + address) // size * size, base + address + width // 8, size):
            shift = 8 * (base + address - at)
            bits = [bit for one in fields for bit in _cut(one, shift, 8 * size)]
            names, held, quiet = found.get(at, ([], [], True))
            low = max(0, -shift)
            part = f"{name}[{min(width, low + 8 * size) - 1}:{low}]" if width > 8 * size else name
            mine = f"{name.rpartition('.')[2]}." if names else ""
            held = held + [_renamed(one, mine) for one in bits]
            found[at] = ([*names, part], held, quiet and plain)
    if not found:
        raise InputError("no registers", "a map with some", file=path)
    return [MappedWord("+".join(n), a, tuple(b), plain) for a, (n, b, plain) in sorted(found.items())]


def unmapped_spans(path: Path, parameters: Mapping[str, int], base: int = 0) -> list[range]:
    """Addresses of the memories of a map, of which :func:`mapped_words` names some words alone."""
    from systemrdl.node import MemNode

    top = _elaborated(path, parameters).top
    memories = [n for n in top.descendants(unroll=True) if isinstance(n, MemNode)]
    return [range(base + n.absolute_address, base + n.absolute_address + n.size) for n in memories]


def _renamed(one: MappedBits, prefix: str) -> MappedBits:
    return replace(one, name=prefix + one.name) if prefix else one


def _cut(one: MappedBits, shift: int, bits: int) -> Iterator[MappedBits]:
    """The part of a field in a word that begins ``-shift`` bits above its register."""
    low, high = max(0, one.lsb + shift), min(bits, one.lsb + one.width + shift)
    if low < high:
        dropped = low - (one.lsb + shift)
        reset = None if one.reset is None else one.reset >> dropped & (1 << high - low) - 1
        yield replace(one, lsb=low, width=high - low, reset=reset)


_Flat = tuple[str, int, int, list[MappedBits], bool]


def _registers(top: Any) -> Iterator[_Flat]:
    """Name, address, bits, fields, and whether tests may touch it, of every register and of some words of memories."""
    from systemrdl.node import MemNode, RegNode

    for node in top.descendants(unroll=True):
        name = node.get_path().partition(".")[2]
        if isinstance(node, RegNode) and not isinstance(node.parent, MemNode):
            plain = not (node.get_property("donttest") or node.get_property("dontcompare"))
            bits = sorted(map(_bits, node.fields()), key=lambda one: one.lsb)
            yield name, node.absolute_address, node.size * 8, bits, plain
        elif isinstance(node, MemNode):
            yield from _memory(node, name)


def _memory(node: Any, name: str) -> Iterator[_Flat]:
    width, entries = node.get_property("memwidth"), node.get_property("mementries")
    access = node.get_property("sw").name
    held = 8 * max(1, 1 << ((width - 1) // 8).bit_length())
    bits = MappedBits("", 0, width, "r" in access, "w" in access, reset=None)
    places = sorted({0, entries - 1, *(1 << n for n in range(entries.bit_length()) if 1 << n < entries)})
    for n in places[:_MOST_OF_A_MEMORY]:
        yield f"{name}[{n}]", node.absolute_address + n * held // 8, held, [bits], True


def _bits(node: Any) -> MappedBits:
    """A field as tests see it."""
    from systemrdl.rdltypes.builtin_enums import AccessType

    def has(name: str) -> bool:
        return bool(node.get_property(name))

    on_write, on_read = node.get_property("onwrite"), node.get_property("onread")
    writes = node.get_property("hw") in (AccessType.w, AccessType.rw, AccessType.w1, AccessType.rw1)
    constant = not node.is_sw_writable and node.get_property("hw") is AccessType.na
    reset = node.get_property("reset")
    # What no reset gives is 0 only where nothing else can give it.
    known = reset if isinstance(reset, int) else (0 if constant or has("singlepulse") else None)
    extended = False
    # A property of Goldbeat's own maps, which others do not declare.
    with suppress(LookupError):
        extended = has("sign_extended")
    changes = any(map(has, ("hwset", "hwclr", "counter", "intr", "hwenable", "hwmask", "we", "wel")))
    user = (on_write is not None and on_write.name == "wuser") or (on_read is not None and on_read.name == "ruser")
    # Whether software may write such a field depends on another one.
    locked = has("swwe") or has("swwel")
    tested = not (has("donttest") or has("dontcompare") or user or locked)
    return MappedBits(
        name=node.inst_name,
        lsb=node.lsb,
        width=node.width,
        readable=node.is_sw_readable,
        writable=node.is_sw_writable,
        on_write=on_write.name if on_write is not None else "",
        on_read=on_read.name if on_read is not None else "",
        reset=known,
        pulse=has("singlepulse"),
        hardware=writes or changes or node.get_property("next") is not None,
        tested=tested,
        sign_extended=extended,
    )


def _elaborated(path: Path, parameters: Mapping[str, int]) -> Any:
    if not path.is_file():
        raise InputError(
            "a folder" if path.is_dir() else "no such file", "a register map in SystemRDL (.rdl)", file=path
        )
    if path.suffix == ".xml":
        raise InputError("IP-XACT", "SystemRDL: `peakrdl systemrdl map.xml -o map.rdl` converts it", file=path)
    files = tuple((file, file_stamp(file)) for file in _with_included(path, []))
    return _compiled(path, tuple(parameters.items()), files)


@lru_cache(maxsize=4)
def _compiled(
    path: Path, parameters: tuple[tuple[str, int], ...], files: tuple[tuple[Path, tuple[int, int]], ...]
) -> Any:
    """A run asks for the same map several times per seed; ``files`` are those that it is made of, with their stamps."""
    try:
        from systemrdl.compiler import RDLCompiler
        from systemrdl.messages import MessagePrinter, RDLCompileError
    except ImportError:
        raise UsageError(f"register maps need systemrdl-compiler: {install_hint('registers')}") from None
    for file, _ in files:
        _check_text(file)
    said: list[tuple[Path, int | None, str]] = []

    class Printer(MessagePrinter):
        def print_message(self, severity: Any, text: str, src_ref: Any) -> None:
            if severity.name in ("ERROR", "FATAL"):
                where = getattr(src_ref, "path", None)
                said.append((Path(where) if where else path, getattr(src_ref, "line", None), text))

    compiler = RDLCompiler(message_printer=Printer())
    try:
        compiler.compile_file(str(path))
        made = compiler.elaborate(parameters=dict(parameters))
    except RDLCompileError as error:
        where, line, text = said[0] if said else (path, None, str(error))
        raise InputError(" ".join(text.split()), "a register map in SystemRDL", file=where, line=line) from None
    except ValueError as error:
        raise InputError(str(error), "parameters that the map has", file=path) from None
    _check_single(path, made)
    return made


def _check_single(path: Path, root: Any) -> None:
    """Refuse a file with a second address map that is not part of the last one, which is taken.

    Raises:
        InputError: it names both.
    """
    from systemrdl.component import Addrmap

    # Those with parameters have other names where they are used.
    taken, *inside = (node.orig_type_name or node.type_name for node in (root.top, *root.top.descendants()))
    parts = {taken, *inside}
    for name, one in root.inst.comp_defs.items():
        where = one.def_src_ref
        if isinstance(one, Addrmap) and name not in parts and where is not None and Path(where.path) == path:
            raise InputError(
                f"address maps {name} and {taken}, neither part of the other",
                "one; move the others to separate files",
                file=path,
                line=where.line,
            )


def _with_included(path: Path, before: list[Path]) -> list[Path]:
    """A file and those that it includes from beside it, each once."""
    if path in before or not path.is_file():
        return before
    before.append(path)
    for name in _INCLUDE.findall(path.read_bytes()):
        _with_included(path.parent / name.decode(errors="replace"), before)
    return before


def _check_text(path: Path) -> None:
    """Refuse bytes that are no text, and characters that end the compiler's own parser.

    Raises:
        InputError: with the line.
    """
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"byte 0x{data[error.start]:02x}", "text in UTF-8", file=path, line=line) from None
    code = _TEXT.sub(lambda match: "\n" * match[0].count("\n"), text)
    if (odd := re.search(r"[^\t\n\f\r -~]", code)) is not None:
        line = code.count("\n", 0, odd.start()) + 1
        found = f"{odd[0]!a} (U+{ord(odd[0]):04X})"
        expected = "ASCII outside comments and strings" if ord(odd[0]) > 0x7F else "text"
        raise InputError(found, expected, file=path, line=line)
