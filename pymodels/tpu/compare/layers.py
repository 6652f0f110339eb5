# SPDX-License-Identifier: Apache-2.0
"""The layers of a compiled model, as the compiler's ``final.mlir`` has them: names, results, and where those lie.

The compiler's profiles name a command's layer by operation and line of this file (``Conv2D_19``). Sources of the text: the
dialects of TPU-MLIR 1.30.2 (BSD-2-Clause) and files that it writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.tpu.execute.numbers import BF16, FP16, FP32, INT8, INT16, INT32, Element

_OPERATION = re.compile(r'^\s*(?:%[\w:#, %]+ = )?"(tpu\.\w+)"\(.*? loc\((.*)\)\s*$', flags=re.ASCII)
_LOCATION = re.compile(r"^(#loc\d*) = loc\((.*)\)\s*$", flags=re.ASCII)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NAMED = re.compile(r"#loc\d*", flags=re.ASCII)
_GROUP = re.compile(r"#tpu\.lg<(.*?)>", flags=re.ASCII)
_GROUP_FIELD = re.compile(r"(\w+) = (\[[^\]]*\]|\w+)", flags=re.ASCII)
_SHAPE = re.compile(r"((?:\d+x)*)(.+)", flags=re.ASCII)
_QUANTISED = re.compile(r"!quant\.uniform<([iu]\d+)(?:<[^>]*>)?:f32, ([-+.\deE]+)(?::(-?\d+))?>", flags=re.ASCII)
_STORED = re.compile(r"!quant\.\w+<([a-z]\w*)", flags=re.ASCII)
_TYPES = {
    "f32": Element(FP32),
    "f16": Element(FP16),
    "bf16": Element(BF16),
    **{
        f"{sign}{8 * size}": Element(code, signed=sign in ("i", "si"))
        for sign in ("i", "si", "u", "ui")
        for code, size in ((INT8, 1), (INT16, 2), (INT32, 4))
    },
}
_ADDRESS = re.compile(r", (\d+) : i64$", flags=re.ASCII)


@dataclass(frozen=True)
class LayerSlices:
    """Where a layer of a group puts its result in local memory: one slice after the other at the same address.

    Attributes:
        address: of the first byte in each lane.
        aligned: whether channels begin at the unit of the chip.
        kind: how a group maps shapes to lanes; 0 is the plain one.
        begin, size: first index and size of the slices of each axis, n, c, d, h, w.
    """

    address: int
    aligned: bool
    kind: int
    begin: tuple[tuple[int, ...], ...]
    size: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class LayerTensor:
    """One result of a layer.

    Attributes:
        name, shape: of the tensor.
        element: its type; None if it is not modelled.
        scale, zero: number of an integer x that stands for ``(x - zero) * scale``; scale 0: x stands for itself.
        address: in global memory; None if it is not there.
        slices: in local memory; None if it is not there.
    """

    name: str
    shape: tuple[int, ...]
    element: Element | None
    scale: float
    zero: int
    address: int | None
    slices: LayerSlices | None


@dataclass(frozen=True)
class TpuLayer:
    """One operation of the compiler.

    Attributes:
        line: in the file.
        op: operation, such as ``Conv2D``.
        tensors: its results.
    """

    line: int
    op: str
    tensors: tuple[LayerTensor, ...]

    @property
    def name(self) -> str:
        """Of its first result."""
        return self.tensors[0].name if self.tensors else self.op


def read_layers(path: Path) -> dict[int, TpuLayer]:
    """The operations of a file by their line.

    Raises:
        InputError: it is no text, or has no operation of the compiler.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start}", "the text of a final.mlir", file=path, offset=error.start) from None
    names = _location_names(lines)
    found = {}
    for number, line in enumerate(lines, 1):
        said = _OPERATION.match(line)
        if said is not None and (layer := _layer(number, said, line, names)) is not None:
            found[number] = layer
    if not found:
        raise InputError("no operation", 'lines such as %3 = "tpu.Conv2D"(...) ... loc(#loc4)', file=path)
    return found


def _location_names(lines: list[str]) -> dict[str, list[str]]:
    """Tensor names of each location; a fused one has those of its parts."""
    raw = {said[1]: said[2] for line in lines if (said := _LOCATION.match(line))}
    return {key: _names(text, raw) for key, text in raw.items()}


def _names(text: str, raw: Mapping[str, str]) -> list[str]:
    if text.startswith("fused"):
        return [name for part in _NAMED.findall(text) for name in _names(raw.get(part, ""), raw)] or _quoted(text)
    return _quoted(text)


def _quoted(text: str) -> list[str]:
    return [re.sub(r"\\(.)", r"\1", name) for name in _QUOTED.findall(text)]


def _layer(line: int, said: re.Match[str], text: str, names: Mapping[str, list[str]]) -> TpuLayer | None:
    """None for what computes nothing."""
    op, where = said[1].removeprefix("tpu."), said[2]
    if op == "Yield":
        return None
    called = names.get(where) or _quoted(where)
    types = [*_types(text[: text.rindex(" loc(")].rpartition(" -> ")[2])]
    slices = _slices(text)
    kept = [one for one in types if one != "none"]
    tensors = [_tensor(name, one, slices) for name, one in zip(called, kept, strict=False)]
    return TpuLayer(line, op, tuple(tensors))


def _types(text: str) -> Iterator[str]:
    """The types of a list, in which commas stand within others too."""
    depth, begin = 0, 0
    text = text.strip().removeprefix("(").removesuffix(")")
    for at, sign in enumerate(text):
        depth += (sign in "<{") - (sign in ">}")
        if sign == "," and depth == 0:
            yield text[begin:at].strip()
            begin = at + 1
    yield text[begin:].strip()


def _tensor(name: str, text: str, slices: LayerSlices | None) -> LayerTensor:
    inside = text.removeprefix("tensor<").removesuffix(">")
    place = _ADDRESS.search(inside)
    said = _SHAPE.fullmatch(inside[: place.start()] if place else inside)
    shape, kind = (said[1], said[2]) if said else ("", "")
    scaled, stored = _QUANTISED.fullmatch(kind), _STORED.match(kind)
    element = _TYPES.get(scaled[1] if scaled else stored[1] if stored else kind)
    return LayerTensor(
        name,
        tuple(int(size) for size in shape.split("x") if size),
        element,
        float(scaled[2]) if scaled else 0.0,
        int(scaled[3] or 0) if scaled else 0,
        int(place[1]) if place else None,
        None if place else slices,
    )


def _slices(text: str) -> LayerSlices | None:
    said = _GROUP.search(text)
    if said is None:
        return None
    fields = dict(_GROUP_FIELD.findall(said[1]))
    numbers = {key: tuple(map(int, re.findall(r"-?\d+", value))) for key, value in fields.items() if value[0] == "["}
    axes = [(numbers.get(f"{axis}_idx", ()), numbers.get(f"{axis}_slice", ())) for axis in "ncdhw"]
    return LayerSlices(
        int(fields.get("out_addr", 0)),
        fields.get("eu_align") == "true",
        int(fields.get("group_type", 0)),
        tuple(begin for begin, _ in axes),
        tuple(size for _, size in axes),
    )
