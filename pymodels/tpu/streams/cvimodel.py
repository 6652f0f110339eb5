# SPDX-License-Identifier: Apache-2.0
"""CviModel files (CV18xx): a 48-byte header with an MD5, a FlatBuffer, and sections behind it.

Format facts: the schema of TPU-MLIR (include/tpu_mlir/Builder/CV18xx/proto/cvimodel.fbs, BSD-2-Clause), names and order
of fields only; the header as measured on a file of release 1.30.2.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass, field
from math import prod
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.flatbuffer import Reader, Schema, Table
from goldbeat.pymodels.tpu.streams.bmodel import Coefficients, CommandStream, bounded
from goldbeat.pymodels.tpu.streams.decode import as_bytes

MAGIC = b"CviModel"
HEADER = struct.Struct("<8sIBB16s16s2x")
"""Magic, FlatBuffer size, major, minor, MD5 of all behind the header, chip, padding."""
SECTIONS = ("weight", "cmdbuf", "func_x86", "func_aarch64", "dmabuf")
"""Kinds of sections by their number."""
TYPES = (("fp32", 4), ("int32", 4), ("uint32", 4), ("bf16", 2), ("int16", 2), ("uint16", 2), ("int8", 1), ("uint8", 1))
"""Element types by their number, and their bytes."""
_ADDRESS = (1 << 40) - 1
"""An offset's address; what is above it chooses the memory."""

SCHEMA: Schema = {
    "Model": [
        ("version", "Version"),
        ("name", "string"),
        ("build_time", "string"),
        ("preprocess_hints", "Opaque"),
        ("postprocess_hints", "Opaque"),
        ("weight_map", "[Weight]"),
        ("programs", "[Program]"),
        ("sections", "[Section]"),
        ("target", "string"),
        ("mlir_version", "string"),
    ],
    "Opaque": [],
    "Shape": [("dim", "[i64]")],
    "Weight": [("name", "string"), ("offset", "i64"), ("size", "u32"), ("shape", "Shape"), ("type", "u8")],
    "Program": [
        ("batch_num", "u32"),
        ("neuron_size", "u32"),
        ("input_tensors", "[string]"),
        ("output_tensors", "[string]"),
        ("tensor_map", "[Tensor]"),
        ("routines", "[Routine]"),
        ("shared_gmem", "u32"),
        ("private_gmem", "u32"),
    ],
    "Tensor": [
        ("tensor_id", "u32"),
        ("name", "string"),
        ("offset", "i64"),
        ("dtype", "u8"),
        ("shape", "Shape"),
        ("stride", "Shape"),
        ("quant", "Opaque"),
        ("overwrote", "bool"),
        ("scale", "[f32]"),
        ("mean", "[f32]"),
        ("pixel_format", "string"),
        ("aligned", "bool"),
        ("size", "u32"),
    ],
    "Routine": [
        ("type", "u8"),
        ("in_tensors", "[string]"),
        ("out_tensors", "[string]"),
        ("tpu_routine", "TpuRoutine"),
        ("cpu_routine", "Opaque"),
    ],
    "TpuRoutine": [("cmdbuf_section", "string"), ("dmabuf_section", "string")],
    "Section": [
        ("type", "u8"),
        ("name", "string"),
        ("size", "u32"),
        ("offset", "u32"),
        ("encrypt", "bool"),
        ("compress", "bool"),
        ("decompressed_size", "u32"),
    ],
}


@dataclass(frozen=True)
class CviTensor:
    """An input, an output, or a weight.

    Attributes:
        name, type, shape: ``type`` such as ``int8``; a dimension of -1 is set at run time.
        bytes: size, 0 where it is set at run time.
        offset: of a weight, its first byte in the file; None for other tensors and where the file does not hold it.
    """

    name: str
    type: str
    shape: tuple[int, ...]
    bytes: int
    offset: int | None = None


@dataclass(frozen=True)
class CviProgram:
    """What runs for one batch size: names and shapes of what goes in and comes out."""

    name: str
    inputs: tuple[CviTensor, ...]
    outputs: tuple[CviTensor, ...]


def kind_of(section: Table) -> str:
    """The kind of a section: one of :data:`SECTIONS`, or its number."""
    number = section.get("type", 0)
    return SECTIONS[number] if number < len(SECTIONS) else f"type{number}"


def _is_stream(section: Table) -> bool:
    """Whether a section's commands can be read."""
    return kind_of(section) == "cmdbuf" and not section.get("encrypt") and not section.get("compress")


def _tensor(table: Table, kind: str, offset: int | None = None) -> CviTensor:
    shape = tuple(table.get("shape", {}).get("dim", ()))
    number = table.get(kind, 0)
    name, width = TYPES[number] if number < len(TYPES) else (f"type{number}", 0)
    counted = prod(shape) * width if shape and min(shape) >= 0 else 0
    return CviTensor(table.get("name", ""), name, shape, table.get("size", 0) or counted, offset)


@dataclass(frozen=True, eq=False)
class CviModel:
    """A CviModel.

    Attributes:
        data: (bytes,) uint8, the whole file.
        chip: as the header has it.
        model: the FlatBuffer's root table.
        area: where the sections begin.
        file: for messages.
    """

    data: npt.NDArray[np.uint8]
    chip: str
    model: Table
    area: int
    file: Path | None = None
    magic: str = field(default="CviModel", init=False)

    @classmethod
    def parse(cls, data: bytes | npt.NDArray[np.uint8], file: str | PathLike[str] | None = None) -> CviModel:
        """Read a CviModel out of bytes.

        Raises:
            InputError: with the byte offset; nothing is read outside of the file.
        """
        array = as_bytes(data)
        name = None if file is None else Path(file)
        if len(array) < HEADER.size:
            raise InputError(f"{len(array)} bytes", f"a header of {HEADER.size} bytes", file=name, offset=0)
        magic, flat, _, _, _, chip = HEADER.unpack_from(array.data, 0)
        if magic != MAGIC:
            raise InputError(f"magic {magic!r}", f"{MAGIC!r}", file=name, offset=0)
        if HEADER.size + flat > len(array):
            raise InputError(
                f"a FlatBuffer of {flat} bytes", f"at most {len(array) - HEADER.size}", file=name, offset=8
            )
        area = HEADER.size + flat
        buffer = array[HEADER.size : area].data
        model = Reader(buffer, SCHEMA, file=name, base=HEADER.size).root("Model")
        text = chip.split(b"\0")[0].decode("ascii", "replace")
        made = cls(array, text, model, area, name)
        places = []
        for section in made.sections():
            made.section(section)
            places.append((area + section.get("offset", 0), section.get("size", 0)))
        bounded(places, len(array), "sections", name)
        return made

    def sections(self) -> list[Table]:
        """The FlatBuffer's section tables."""
        return list(self.model.get("sections", ()))

    def section(self, table: Table) -> npt.NDArray[np.uint8]:
        """The bytes of a section."""
        begin = self.area + table.get("offset", 0)
        size = table.get("size", 0)
        if begin + size > len(self.data):
            what = f"section {table.get('name', '?')!r} of {size} bytes at {begin}"
            raise InputError(
                what, f"it inside the {len(self.data)} bytes of the file", file=self.file, offset=self.area
            )
        return self.data[begin : begin + size]

    def programs(self) -> list[CviProgram]:
        """Each program's inputs and outputs; the model's name, with a number where there are several programs."""
        made = []
        tables = self.model.get("programs", ())
        for number, program in enumerate(tables):
            known = {one.get("name", ""): one for one in program.get("tensor_map", ())}
            ins, outs = (
                tuple(_tensor(known.get(name, {"name": name}), "dtype") for name in program.get(f"{way}_tensors", ()))
                for way in ("input", "output")
            )
            name = str(self.model.get("name", ""))
            made.append(CviProgram(f"{name}.{number}" if len(tables) > 1 else name, ins, outs))
        return made

    def weights(self) -> list[CviTensor]:
        """The weight map; places are those in the file, if the weight section is neither encrypted nor compressed."""
        section = next((one for one in self.sections() if kind_of(one) == "weight"), None)
        made = []
        for table in self.model.get("weight_map", ()):
            at = table.get("offset", 0) & _ADDRESS
            inside = section is not None and at + table.get("size", 0) <= section.get("size", 0)
            plain = section is not None and not section.get("encrypt") and not section.get("compress")
            begin = 0 if section is None else self.area + section.get("offset", 0)
            made.append(_tensor(table, "type", begin + at if inside and plain else None))
        return made

    def parts(self) -> list[tuple[str, npt.NDArray[np.uint8]]]:
        """Every section that is no stream, as a file name and its bytes: ``weight.bin``, numbered where there are several."""
        there = [one for one in self.sections() if not _is_stream(one)]
        kinds = [kind_of(one) + (".packed" if one.get("encrypt") or one.get("compress") else "") for one in there]
        numbers = [kinds[:i].count(kind) for i, kind in enumerate(kinds)]
        names = [f"{k}{n}.bin" if kinds.count(k) > 1 else f"{k}.bin" for k, n in zip(kinds, numbers, strict=True)]
        return [(name, self.section(one)) for name, one in zip(names, there, strict=True)]

    def streams(self) -> list[CommandStream]:
        """The command sections: records of both engines."""
        made = []
        for index, table in enumerate(t for t in self.sections() if kind_of(t) == "cmdbuf"):
            if not _is_stream(table):
                continue
            name = f"core0.sub{index}.g0.cmdbuf"
            made.append(
                CommandStream(name, "tiu", self.section(table), self.area + table.get("offset", 0), subnet=index)
            )
        return made

    def coefficients(self) -> list[Coefficients]:
        """All that is behind the header, against the MD5 in it."""
        expected = HEADER.unpack_from(self.data.data, 0)[4].hex()
        found = hashlib.md5(self.data[HEADER.size :].data, usedforsecurity=False).hexdigest()
        return [Coefficients("file", HEADER.size, len(self.data) - HEADER.size, expected, found)]
