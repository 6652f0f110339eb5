# SPDX-License-Identifier: Apache-2.0
"""BModel files: a 64-byte header, a FlatBuffer, and the binary area that it points into.

Format facts: the schema of TPU-MLIR (include/tpu_mlir/Builder/BM168x/bmodel.fbs, BSD-2-Clause), names and ids of fields
only; the header as measured on files of release 1.30.2.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.flatbuffer import Reader, Schema, Table, Writer
from goldbeat.pymodels.tpu.streams.decode import as_bytes

MAGIC = 0xFF55AAEE
HEADER = struct.Struct("<IIIQ44x")
"""Magic, header size, FlatBuffer size, binary size, eleven reserved words."""
AREA_ALIGN = 4096
"""The binary area begins at a multiple of this in the file."""
BINARY_ALIGN = 128
"""What the writer aligns binaries to, so that streams can be fetched where they lie."""
REUSE = 4
"""Streams, or different binaries of coefficients, may together be so many times as large as the file."""
_LEAST = 256
"""What the smallest stream counts as in that sum: it takes time, too."""

SCHEMA: Schema = {
    "Model": [
        ("type", "string"),
        ("version", "string"),
        ("time", "string"),
        ("chip", "string"),
        ("net", "[Net]"),
        ("neuron_size", "u64"),
        ("kernel_module", "Module"),
        ("device_num", "u32"),
        ("cpuop_module", "Module"),
    ],
    "Module": [("file_name", "string"), ("binary", "Binary")],
    "Net": [
        ("name", "string"),
        ("net_static", "[Empty]"),
        ("net_dynamic", "[Empty]"),
        ("parameter", "[NetParameter]"),
        ("cascade", "Cascade"),
        ("addr_mode", "i32"),
    ],
    "Empty": [],
    "Cascade": [("device_id", "u32"), ("step", "u32"), ("main_name", "string")],
    "NetParameter": [
        ("input_tensor", "[Tensor]"),
        ("output_tensor", "[Tensor]"),
        ("ctx_addr", "u64"),
        ("ctx_size", "u64"),
        ("coeff_mem", "CoeffMem"),
        ("is_dynamic", "i32"),
        ("n_dynamic", "i32"),
        ("h_w_dynamic", "i32"),
        ("cmd_group", "[CmdGroup]"),
        ("net_profile", "Binary"),
        ("stage_ir", "[StageIR]"),
        ("binary_ir", "Binary"),
        ("sub_net", "[SubNet]"),
        ("cpu_mem_size", "u32"),
        ("ctx_sizes", "[u64]"),
        ("net_stat", "Binary"),
        ("core_num", "u32"),
        ("io_addr", "u64"),
        ("io_size", "u64"),
        ("tensor_loc", "Binary"),
    ],
    "StageIR": [
        ("ir_info_len", "u32"),
        ("height_high", "i32"),
        ("height_low", "i32"),
        ("width_high", "i32"),
        ("width_low", "i32"),
    ],
    "CoeffMem": [
        ("address", "u64"),
        ("check_code", "[u8]"),
        ("binary_coeff", "Binary"),
        ("location", "[Location]"),
        ("encrypt_mode", "i32"),
        ("decrypt_size", "u64"),
    ],
    "Location": [("name", "string"), ("offset", "u64"), ("size", "u64")],
    "Tensor": [
        ("name", "string"),
        ("data_type", "u32"),
        ("gmem_stmode", "i32"),
        ("device_addr", "u64"),
        ("size", "u64"),
        ("shape", "[Shape]"),
        ("mem_type", "u32"),
        ("scale", "f32"),
        ("cpu_addr", "u32"),
        ("pad_h", "u32"),
        ("zero_point", "i32"),
        ("hidden", "i32"),
        ("index", "i32"),
    ],
    "Shape": [("dim", "[u64]")],
    "SubNet": [
        ("subnet_mode", "i32"),
        ("cmd_group", "[CmdGroup]"),
        ("cpu_param", "[CpuParam]"),
        ("input_tensor", "[Tensor]"),
        ("output_tensor", "[Tensor]"),
        ("is_dynamic", "i32"),
        ("ir_offset", "u32"),
        ("ir_len", "u32"),
        ("n_dynamic", "i32"),
        ("h_w_dynamic", "i32"),
        ("id", "i32"),
        ("next_subnet_ids", "[i32]"),
        ("merge_param", "MergeParam"),
        ("switch_param", "SwitchParam"),
        ("core_commands", "[CoreCommands]"),
    ],
    "CpuParam": [
        ("op_type", "i32"),
        ("binary_param", "Binary"),
        ("cpu_const", "[CpuConst]"),
        ("is_custom", "i32"),
    ],
    "CpuConst": [("name", "string"), ("const_data", "Binary"), ("check_code", "[u8]")],
    "MergeParam": [("output_from", "[OutputFrom]")],
    "OutputFrom": [("indice", "[i32]")],
    "SwitchParam": [("output_from", "[i32]"), ("output_branch", "[i32]")],
    "CmdGroup": [
        ("bdc_num", "u32"),
        ("gdma_num", "u32"),
        ("binary_bdc", "Binary"),
        ("binary_gdma", "Binary"),
        ("bdc_cmd_byte", "u32"),
        ("gdma_cmd_byte", "u32"),
    ],
    "CoreCommands": [
        ("gdma_tiu_commands", "[CmdGroup]"),
        ("sdma_commands", "[Binary]"),
        ("hau_commands", "[Binary]"),
        ("cdma_commands", "[Binary]"),
    ],
}


@dataclass(frozen=True, eq=False)
class CommandStream:
    """One engine's commands of one group.

    Attributes:
        name: such as ``core0.sub0.g0.tiu``, with ``net1.stage0.`` before it where there are several.
        engine: ``tiu``, ``gdma``, ``sdma``, ``hau`` or ``cdma``.
        data: (bytes,) uint8.
        offset: of the first byte in the file.
        count: commands as the container says, None where it does not.
        bytes: length of the commands as the container says (without padding), None where it does not.
        core, subnet, group, net, stage: where it belongs.
        file: of a bare stream; None in a container.
    """

    name: str
    engine: str
    data: npt.NDArray[np.uint8]
    offset: int
    count: int | None = None
    bytes: int | None = None
    core: int = 0
    subnet: int = 0
    group: int = 0
    net: int = 0
    stage: int = 0
    file: Path | None = None

    @property
    def file_name(self) -> str:
        """What ``extract`` calls it: GDMA streams are ``dma`` there, as the vendor has it."""
        return self.name + ".bin"


def bounded(parts: Iterable[tuple[int, int]], limit: int, what: str, file: Path | None) -> None:
    """Refuse parts that use the same bytes over and over: the work on them is bounded by the size of the file.

    Args:
        parts: (offset, size) of each in the file.
        limit: size of the file.
        what: what they are, for messages.
        file: for messages.

    Raises:
        InputError: they are together larger than :data:`REUSE` times the file.
    """
    total = 0
    for offset, size in parts:
        total += max(size, _LEAST)
        if total > REUSE * limit:
            found = f"{what} that are larger together than {REUSE} times the file, bytes being used over and over"
            raise InputError(found, "each byte in one of them", file=file, offset=offset)


@dataclass(frozen=True)
class Coefficients:
    """One stage's coefficients.

    Attributes:
        name: ``net0.stage0.coeff``.
        offset, size: where in the file.
        expected: the SHA-256 in the container, empty where there is none.
        found: the SHA-256 of the bytes.
    """

    name: str
    offset: int
    size: int
    expected: str
    found: str

    @property
    def ok(self) -> bool:
        """Whether the bytes are those that the container was made with (or it does not say)."""
        return not self.expected or self.expected == self.found


@dataclass(frozen=True, eq=False)
class BModel:
    """A BModel.

    Attributes:
        data: (bytes,) uint8, the whole file.
        model: the FlatBuffer's root table.
        area: where the binary area begins.
        area_size: its length.
        file: for messages.
    """

    data: npt.NDArray[np.uint8]
    model: Table
    area: int
    area_size: int
    file: Path | None = None
    magic: str = field(default="BModel", init=False)

    @classmethod
    def parse(cls, data: bytes | npt.NDArray[np.uint8], file: str | PathLike[str] | None = None) -> BModel:
        """Read a BModel out of bytes.

        Raises:
            InputError: with the byte offset; nothing is read outside of the file or the area.
        """
        array = as_bytes(data)
        name = None if file is None else Path(file)
        if len(array) < HEADER.size:
            raise InputError(f"{len(array)} bytes", f"a header of {HEADER.size} bytes", file=name, offset=0)
        magic, header, flat, area_size = HEADER.unpack_from(array.data, 0)
        if magic != MAGIC:
            raise InputError(f"magic {magic:#010x}", f"{MAGIC:#010x}", file=name, offset=0)
        if header != HEADER.size:
            raise InputError(f"a header of {header} bytes", f"{HEADER.size}", file=name, offset=4)
        if header + flat > len(array):
            raise InputError(f"a FlatBuffer of {flat} bytes", f"at most {len(array) - header}", file=name, offset=8)
        area = header + flat
        if area + area_size > len(array):
            raise InputError(
                f"a binary area of {area_size} bytes", f"at most {len(array) - area}", file=name, offset=12
            )
        model = Reader(array[header:area].data, SCHEMA, file=name, base=header).root("Model")
        made = cls(array, model, area, area_size, name)
        for _ in made.binaries():
            pass
        return made

    @property
    def chip(self) -> str:
        """The chip's name as the file has it."""
        return str(self.model.get("chip", ""))

    def binary(self, where: tuple[int, int]) -> npt.NDArray[np.uint8]:
        """The bytes that a (start, size) of the FlatBuffer means."""
        start, size = where
        if start + size > self.area_size:
            raise InputError(
                f"a binary of {size} bytes at {start}",
                f"it inside the area of {self.area_size}",
                file=self.file,
                offset=self.area + min(start, self.area_size),
            )
        return self.data[self.area + start : self.area + start + size]

    def binaries(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """Path and place of every binary, each checked to lie in the area."""

        def search(path: str, value: Any) -> Iterator[tuple[str, tuple[int, int]]]:
            if isinstance(value, dict):
                for name, part in value.items():
                    yield from search(f"{path}.{name}" if path else name, part)
            elif isinstance(value, list):
                for index, part in enumerate(value):
                    if not isinstance(part, (int, float)):
                        yield from search(f"{path}[{index}]", part)
            elif isinstance(value, tuple):
                self.binary((value[0], value[1]))
                yield path, (value[0], value[1])

        return search("", self.model)

    def stages(self) -> Iterator[tuple[int, int, Table]]:
        """Net number, stage number and parameters of every stage."""
        for net, one in enumerate(self.model.get("net", ())):
            for stage, parameter in enumerate(one.get("parameter", ())):
                yield net, stage, parameter

    def streams(self) -> list[CommandStream]:
        """Every engine's stream, in the order of the file's tables.

        Raises:
            InputError: they are larger together than :data:`REUSE` times the file.
        """
        made: list[CommandStream] = []
        stages = list(self.stages())
        for net, stage, parameter in stages:
            prefix = f"net{net}.stage{stage}." if len(stages) > 1 else ""
            subnets = parameter.get("sub_net", ())
            for number, subnet in enumerate(subnets):
                made += self._subnet(prefix, net, stage, number, subnet)
            if not subnets:
                # Files from before there were sub-nets.
                made += self._groups(f"{prefix}core0.sub0.", parameter.get("cmd_group", ()), net, stage, 0, 0)
        bounded(((one.offset, len(one.data)) for one in made), len(self.data), "streams", self.file)
        return made

    def _subnet(self, prefix: str, net: int, stage: int, number: int, subnet: Table) -> Iterator[CommandStream]:
        yield from self._groups(f"{prefix}core0.sub{number}.", subnet.get("cmd_group", ()), net, stage, number, 0)
        for core, commands in enumerate(subnet.get("core_commands", ())):
            where = f"{prefix}core{core}.sub{number}."
            yield from self._groups(where, commands.get("gdma_tiu_commands", ()), net, stage, number, core)
            for engine in ("sdma", "hau", "cdma"):
                for index, place in enumerate(commands.get(f"{engine}_commands", ())):
                    if place[1]:
                        data, at = self.binary(place), self.area + place[0]
                        name = f"{where}{engine}{index}"
                        yield CommandStream(name, engine, data, at, None, None, core, number, index, net, stage)

    def _groups(
        self, where: str, groups: Sequence[Table], net: int, stage: int, subnet: int, core: int
    ) -> Iterator[CommandStream]:
        for number, group in enumerate(groups):
            for short, engine, suffix in (("bdc", "tiu", "tiu"), ("gdma", "gdma", "dma")):
                place = group.get(f"binary_{short}", (0, 0))
                if place[1] == 0:
                    continue
                yield CommandStream(
                    f"{where}g{number}.{suffix}",
                    engine,
                    self.binary(place),
                    self.area + place[0],
                    group.get(f"{short}_num"),
                    group.get(f"{short}_cmd_byte"),
                    core,
                    subnet,
                    number,
                    net,
                    stage,
                )

    def coefficients(self) -> list[Coefficients]:
        """Every stage's coefficients, hashed. Stages may share them: the same bytes are hashed once.

        Raises:
            InputError: different ones are larger together than :data:`REUSE` times the file.
        """
        there = [(*at, one["coeff_mem"]) for *at, one in self.stages() if one.get("coeff_mem") is not None]
        places = {memory.get("binary_coeff", (0, 0)) for _, _, memory in there}
        bounded(((self.area + at, size) for at, size in sorted(places)), len(self.data), "coefficients", self.file)
        hashes = {place: hashlib.sha256(self.binary(place).data).hexdigest() for place in places}
        made = []
        for net, stage, memory in there:
            place = memory.get("binary_coeff", (0, 0))
            found = hashes[place]
            expected = bytes(memory.get("check_code", b"")).hex()
            made.append(Coefficients(f"net{net}.stage{stage}.coeff", self.area + place[0], place[1], expected, found))
        return made


class AreaWriter:
    """Collects the binaries of a BModel to be."""

    def __init__(self) -> None:
        self._out = bytearray()

    def add(self, raw: bytes | npt.NDArray[np.uint8]) -> tuple[int, int]:
        """Append a binary; its (start, size)."""
        self._out += bytes(-len(self._out) % BINARY_ALIGN)
        start = len(self._out)
        self._out += bytes(raw)
        return start, len(self._out) - start

    @property
    def data(self) -> bytes:
        """The area so far."""
        return bytes(self._out)


def write_bmodel(model: Table, area: bytes) -> bytes:
    """A BModel file.

    Args:
        model: the root table, with (start, size) into ``area`` for every binary.
        area: the binary area.

    Raises:
        UsageError: a field that the schema has not, or a value that does not fit.
        InputError: a binary outside of the area.
    """
    flat = Writer(SCHEMA).write("Model", model)
    flat += bytes(-(HEADER.size + len(flat)) % AREA_ALIGN)
    raw = HEADER.pack(MAGIC, HEADER.size, len(flat), len(area)) + flat + area
    BModel.parse(raw)
    return raw
