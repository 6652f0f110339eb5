# SPDX-License-Identifier: Apache-2.0
"""SDP, int8 and int16: bias, batch normalisation, ReLU, PReLU, the element-wise stage and the output converter.

Two stages (X1 is BS in the registers, X2 is BN) of adder, multiplier and ReLU, then the element-wise stage (Y is EW), which
nv_small does not have, and the converter. Source: public C model and RTL of nvdla/hw, branches nv_small and nvdlav1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.address_space import AddressSpace, atom_addresses, check_alignment, cube_addresses
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints, shift_left, shift_right, signed
from goldbeat.pymodels.nvdla.engines.clients import READERS, check_readers, memory_operands, operands_fetched
from goldbeat.pymodels.nvdla.engines.configuration import BYTES, INT8, INT16
from goldbeat.pymodels.nvdla.engines.element_wise import ALGORITHMS, WIDTHS, ElementWise, OperandConverter
from goldbeat.pymodels.nvdla.engines.elements import bits, element_bytes, element_values, precision_of, regrouped
from goldbeat.pymodels.nvdla.engines.lookup import lookup_from_registers
from goldbeat.pymodels.nvdla.engines.registers import Values
from goldbeat.pymodels.rounding import saturate

DATA_BITS, SUM_BITS, PRODUCT_BITS, CONVERTED_BITS = 32, 33, 49, 17
"""Widths inside: data between stages, adder, multiplier, converter before its last saturation."""

_ALU = ("max", "min", "sum", "sum")
_STAGES = ("BS", "BN")


@dataclass(frozen=True)
class Stage:
    """An X stage, its operands as they come out of registers or memory.

    Attributes:
        alu: ``max``, ``min``, ``sum``, or None where the adder is bypassed.
        alu_operand: 16-bit numbers that spread over the data, shifted left by ``alu_shift`` and saturated to 32 bits.
        alu_shift: 0..63.
        multiply: whether the multiplier works.
        mul_operand: 16-bit numbers that spread over the data.
        mul_shift: 0..63; shifts whether or not the multiplier works.
        prelu: numbers that are not negative pass multiplier and shift unchanged.
        relu: negative numbers become 0.
    """

    alu: str | None = None
    alu_operand: Ints | int = 0
    alu_shift: int = 0
    multiply: bool = False
    mul_operand: Ints | int = 1
    mul_shift: int = 0
    prelu: bool = False
    relu: bool = False

    def __call__(self, data: Ints) -> Ints:
        """32-bit numbers in, 32-bit numbers out, any shape."""
        out = np.asarray(data, np.int64)
        if self.alu is not None:
            operand = shift_left(np.asarray(self.alu_operand, np.int64), self.alu_shift, DATA_BITS)
            out = {"max": np.maximum, "min": np.minimum, "sum": np.add}[self.alu](out, operand)
        kept = out
        if self.multiply:
            out = out * np.asarray(self.mul_operand, np.int64)
        out = shift_right(out, self.mul_shift, PRODUCT_BITS, DATA_BITS)
        if self.multiply and self.prelu:
            # What passes loses its 33rd bit.
            out = np.where(kept >= 0, kept.astype(np.uint32).astype(np.int32), out)
        return np.maximum(out, 0) if self.relu else out


@dataclass(frozen=True)
class Converter:
    """``(x - offset) * scale``, shifted right, saturated to an element of the output's precision."""

    offset: int = 0
    scale: int = 1
    shift: int = 0
    precision: int = INT8

    def __call__(self, data: Ints) -> Ints:
        """32-bit numbers in, elements out, any shape."""
        product = (np.asarray(data, np.int64) - self.offset) * self.scale
        narrow = shift_right(product, self.shift, PRODUCT_BITS, CONVERTED_BITS)
        return saturate(narrow, bits(self.precision))


@dataclass(frozen=True)
class Sdp:
    """An operation without its DMA: the enabled stages in order, then the converter.

    Attributes:
        stages: up to two X stages and the element-wise one.
        converter: of the output.
        precision: of the stages: as many lanes has an atom between them.
    """

    stages: tuple[Stage | ElementWise, ...] = ()
    converter: Converter = Converter()
    precision: int = INT8

    def __call__(self, data: Ints) -> Ints:
        """Elements or 32-bit numbers in, elements out, any shape; operands of stages spread over it."""
        for stage in self.stages:
            data = stage(data)
        return self.converter(data)


def sdp_from_registers(values: Values, memory: AddressSpace) -> Sdp:
    """The operation that a group of registers describes.

    The operands have the shape (surfaces, height or 1, width or 1, lanes).

    Raises:
        UsageError: the hardware, or this model, cannot do it.
        InputError: an operand lies outside of the memory.
    """
    check_sdp(values)
    precision = precision_of(values, "SDP", "D_DATA_FORMAT", "PROC_PRECISION")
    stages: list[Stage | ElementWise] = [
        _stage(values, memory, name) for name in _STAGES if not values.get("SDP", f"D_DP_{name}_CFG", f"{name}_BYPASS")
    ]
    if not values.get("SDP", "D_DP_EW_CFG", "EW_BYPASS"):
        stages.append(_element_wise(values, memory))
    converter = Converter(
        signed(values.get("SDP", "D_CVT_OFFSET"), 32),
        signed(values.get("SDP", "D_CVT_SCALE"), 16),
        values.get("SDP", "D_CVT_SHIFT") & 0x3F,
        precision_of(values, "SDP", "D_DATA_FORMAT", "OUT_PRECISION"),
    )
    return Sdp(tuple(stages), converter, precision)


def cube_size(values: Values, precision: int = INT8) -> tuple[int, int, int]:
    """Width, height and surfaces of the operation's cube in a precision."""
    width, height, channel = (values.get("SDP", f"D_DATA_CUBE_{d}", d) + 1 for d in ("WIDTH", "HEIGHT", "CHANNEL"))
    return width, height, -(-channel // values.configuration.lanes(precision))


def run_sdp(values: Values, memory: AddressSpace, incoming: Ints | None = None) -> Ints:
    """Carry out the operation; all lanes of every atom are worked on, whatever the channel count.

    Args:
        values: the group's registers of SDP and SDP_RDMA, with lookup tables where they are used.
        memory: written to unless the output goes to PDP.
        incoming: (surfaces, height, width, lanes) 32-bit numbers from CACC, flying mode only.

    Returns:
        (surfaces, height, width, lanes) the output.

    Raises:
        UsageError: the hardware, or this model, cannot do it, or ``incoming`` does not fit the mode.
        InputError: a cube lies outside of the memory.
    """
    operation = sdp_from_registers(values, memory)
    configuration, precision = values.configuration, operation.precision
    width, height, surfaces = cube_size(values, precision)
    shape = (surfaces, height, width, configuration.lanes(precision))
    if values.get("SDP", "D_FEATURE_MODE_CFG", "FLYING_MODE"):
        if incoming is None or incoming.shape != shape:
            found = "none" if incoming is None else str(incoming.shape)
            raise UsageError(f"SDP in flying mode: data from CACC {found}, expected {shape}")
        data = incoming
    else:
        read = precision_of(values, "SDP_RDMA", "D_FEATURE_MODE_CFG", "IN_PRECISION")
        addresses = cube_addresses(values, "SDP_RDMA", "D_SRC", cube_size(values, read))
        data = regrouped(element_values(memory.read(addresses, configuration.atom), read), shape[3], surfaces)
    out = np.broadcast_to(operation(data), shape)
    write = operation.converter.precision
    # int8 to int16: what the last atom of int8 holds is written as two of int16.
    count = surfaces * BYTES[write] // BYTES[precision]
    out = regrouped(out, configuration.lanes(write), max(count, 1))
    if not values.get("SDP", "D_FEATURE_MODE_CFG", "OUTPUT_DST"):
        addresses = cube_addresses(values, "SDP", "D_DST", (width, height, len(out)))
        memory.write(addresses, element_bytes(out, write))
    return out


def check_sdp(values: Values) -> None:
    """Refuse modes that neither hardware nor model has, and blocks that contradict each other.

    Raises:
        UsageError: the field, its value, and why.
    """
    subject = values.configuration.subject

    def need(block: str, name: str, field: str, wanted: int, why: str) -> None:
        if (found := values.get(block, name, field)) != wanted:
            raise UsageError(f"{block}.{name}.{field} is {found}: {why}")

    if not values.configuration.element_wise:
        need("SDP", "D_DP_EW_CFG", "EW_BYPASS", 1, f"{subject} has no EW stage")
    need("SDP", "D_FEATURE_MODE_CFG", "WINOGRAD", 0, f"{subject} has no Winograd mode")
    need("SDP", "D_FEATURE_MODE_CFG", "BATCH_NUMBER", 0, f"{subject} has no batches")
    flying = values.get("SDP", "D_FEATURE_MODE_CFG", "FLYING_MODE")
    if flying and not operands_fetched(values):
        return
    source = "the convolution" if flying else "memory"
    need("SDP_RDMA", "D_FEATURE_MODE_CFG", "FLYING_MODE", flying, f"SDP expects data from {source}")
    wanted = values.get("SDP", "D_DATA_FORMAT", "PROC_PRECISION")
    need("SDP_RDMA", "D_FEATURE_MODE_CFG", "PROC_PRECISION", wanted, f"SDP has {wanted}")
    for field in ("WINOGRAD", "BATCH_NUMBER"):
        need("SDP_RDMA", "D_FEATURE_MODE_CFG", field, 0, "SDP has 0")
    wanted = values.get("SDP", "D_DATA_FORMAT", "OUT_PRECISION")
    need("SDP_RDMA", "D_FEATURE_MODE_CFG", "OUT_PRECISION", wanted, f"SDP has {wanted}")
    for field in ("WIDTH", "HEIGHT", "CHANNEL"):
        wanted = values.get("SDP", f"D_DATA_CUBE_{field}", field)
        need("SDP_RDMA", f"D_DATA_CUBE_{field}", field, wanted, f"SDP has {wanted}")
    check_readers(values)


def _element_wise(values: Values, memory: AddressSpace) -> ElementWise:
    def of(register: str, field: str) -> int:
        return values.get("SDP", f"D_DP_EW_{register}", f"EW_{field}")

    code = of("CFG", "ALU_ALGO")
    alu = None if of("CFG", "ALU_BYPASS") else ALGORITHMS[code] if code < len(ALGORITHMS) else ""
    if alu == "":
        raise UsageError(
            f"SDP.D_DP_EW_CFG.EW_ALU_ALGO is {code}, which compares and writes nothing: "
            f"{values.configuration.subject} has no comparison"
        )
    multiply = not of("CFG", "MUL_BYPASS")
    sources = dict(zip(("alu", "mul"), memory_operands(values, "EW"), strict=True))
    fetched = _operands(values, memory, "EW", **sources) if any(sources.values()) else {}
    operands: dict[str, Ints | int] = {}
    for name in sources:
        part = name.upper()
        operands[name] = signed(of(f"{part}_SRC_VALUE", f"{part}_OPERAND"), 32)
        if name in fetched:
            convert = OperandConverter(
                signed(of(f"{part}_CVT_OFFSET_VALUE", f"{part}_CVT_OFFSET"), 32),
                signed(of(f"{part}_CVT_SCALE_VALUE", f"{part}_CVT_SCALE"), 16),
                of(f"{part}_CVT_TRUNCATE_VALUE", f"{part}_CVT_TRUNCATE"),
            )
            operands[name] = fetched[name] if of(f"{part}_CFG", f"{part}_CVT_BYPASS") else convert(fetched[name])
    return ElementWise(
        multiply,
        operands["mul"],
        of("TRUNCATE_VALUE", "TRUNCATE"),
        bool(of("CFG", "MUL_PRELU")),
        alu,
        operands["alu"],
        None if of("CFG", "LUT_BYPASS") else lookup_from_registers(values, "SDP", WIDTHS),
    )


def _stage(values: Values, memory: AddressSpace, name: str) -> Stage:
    def of(register: str, field: str) -> int:
        return values.get("SDP", f"D_DP_{name}_{register}", f"{name}_{field}")

    alu = None if of("CFG", "ALU_BYPASS") else _ALU[of("CFG", "ALU_ALGO")]
    multiply = not of("CFG", "MUL_BYPASS")
    alu_operand: Ints | int = signed(of("ALU_SRC_VALUE", "ALU_OPERAND"), 16)
    mul_operand: Ints | int = signed(of("MUL_SRC_VALUE", "MUL_OPERAND"), 16)
    alu_memory, mul_memory = memory_operands(values, name)
    if alu_memory or mul_memory:
        fetched = _operands(values, memory, name, alu_memory, mul_memory)
        alu_operand = fetched.get("alu", alu_operand)
        mul_operand = fetched.get("mul", mul_operand)
    return Stage(
        alu,
        alu_operand,
        of("ALU_CFG", "ALU_SHIFT_VALUE"),
        multiply,
        mul_operand,
        of("MUL_CFG", "MUL_SHIFT_VALUE") & 0x3F,
        bool(of("CFG", "MUL_PRELU")),
        not of("CFG", "RELU_BYPASS"),
    )


def _operands(values: Values, memory: AddressSpace, name: str, alu: bool, mul: bool) -> dict[str, Ints]:
    dma = READERS[name]

    def of(field: str) -> int:
        return values.get("SDP_RDMA", f"D_{dma}_CFG", f"{dma}_{field}")

    wanted = 2 if alu and mul else 1 if alu else 0
    if of("DATA_USE") != wanted:
        raise UsageError(f"{dma}_DATA_USE is {of('DATA_USE')}, SDP.{name} needs {wanted}")
    count = 2 if wanted == 2 else 1
    size = 2 if of("DATA_SIZE") else 1
    precision = precision_of(values, "SDP", "D_DATA_FORMAT", "PROC_PRECISION")
    width, height, surfaces = cube_size(values, precision)
    lanes = values.configuration.lanes(precision)
    point = lanes * count * size
    if of("DATA_MODE"):
        addresses = cube_addresses(values, "SDP_RDMA", f"D_{name}", (width, height, surfaces), point)
    else:
        check_alignment(values, "SDP_RDMA", f"D_{name}_BASE_ADDR_LOW", unit=min(point, values.configuration.atom))
        addresses = atom_addresses(values.address("SDP_RDMA", f"D_{name}"), 1, 1, surfaces, 0, point, point)
    raw = memory.read(addresses, point)
    numbers = element_values(raw, INT16 if size == 2 else INT8)
    # Alternating: the adder's operand of a channel, then the multiplier's.
    pairs = numbers.reshape(*numbers.shape[:-1], lanes, count)
    order = ("alu", "mul") if wanted == 2 else ("alu",) if wanted == 1 else ("mul",)
    return {what: pairs[..., i] for i, what in enumerate(order)}
