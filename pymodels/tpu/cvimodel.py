# SPDX-License-Identifier: Apache-2.0
"""CviModel files (CV18xx): a 48-byte header with an MD5, a FlatBuffer, and sections behind it.

Format facts: the schema of TPU-MLIR (include/tpu_mlir/Builder/CV18xx/proto/cvimodel.fbs, BSD-2-Clause), names and order
of fields only; the header as measured on a file of release 1.30.2.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pymodels.errors import InputError
from pymodels.flatbuffer import Reader, Schema, Table
from pymodels.tpu.bmodel import Coefficients, Stream
from pymodels.tpu.decode import as_bytes

MAGIC = b"CviModel"
HEADER = struct.Struct("<8sIBB16s16s2x")
"""Magic, FlatBuffer size, major, minor, MD5 of all behind the header, chip, padding."""
SECTIONS = ("weight", "cmdbuf", "func_x86", "func_aarch64", "dmabuf")

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
    "Tensor": [("tensor_id", "u32"), ("name", "string"), ("offset", "i64"), ("dtype", "u8"), ("shape", "Shape")],
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
            raise InputError(f"{len(array)} bytes", f"a header of {HEADER.size}", file=name, offset=0)
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
        for section in made.sections():
            made.section(section)
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

    def streams(self) -> list[Stream]:
        """The command sections: records of both engines."""
        made = []
        for index, table in enumerate(t for t in self.sections() if t.get("type", 0) == SECTIONS.index("cmdbuf")):
            if table.get("encrypt") or table.get("compress"):
                continue
            name = f"core0.sub{index}.g0.cmdbuf"
            made.append(Stream(name, "tiu", self.section(table), self.area + table.get("offset", 0), subnet=index))
        return made

    def coefficients(self) -> list[Coefficients]:
        """All that is behind the header, against the MD5 in it."""
        expected = HEADER.unpack_from(self.data.data, 0)[4].hex()
        found = hashlib.md5(self.data[HEADER.size :].data, usedforsecurity=False).hexdigest()
        return [Coefficients("file", HEADER.size, len(self.data) - HEADER.size, expected, found)]
