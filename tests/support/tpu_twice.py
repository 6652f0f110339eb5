# SPDX-License-Identifier: Apache-2.0
"""A BModel of BM1688 that gives twice its input."""

from pathlib import Path

from goldbeat.pymodels.tpu.streams.bmodel import write_bmodel
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.container import read_container
from goldbeat.pymodels.tpu.streams.tables import chip

SIZE = {"src_nsize": 1, "src_csize": 1, "src_hsize": 1, "src_wsize": 64, "nchw_copy": 1, "stride_enable": 1}
SIZE |= {"localmem_mask_l32": 0xFFFFFFFF, "src_wstride": 1, "dst_wstride": 1}
SHAPE = {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 64, "opt_res0_prec": 1}
TENSOR = {"data_type": 0, "size": 256, "shape": [{"dim": [1, 64]}]}


def write_model(
    path: Path,
    func: int = 2,
    loaded: int = 64,
    added: int = 64,
    stored: int = 0xC000,
    sum_fields: dict[str, int] | None = None,
    **parameter: object,
) -> Path:
    """Load 64 numbers of fp32, cast them to fp16, add them to themselves (or do something else), and store fp16.

    ``loaded`` and ``added`` are how many numbers are loaded and added; ``stored`` is where they are stored from,
    ``sum_fields`` more of the sum.
    """
    gen = CodeGen(chip("BM1688"))
    load = {"src_data_format": 2, "src_start_addr_h8": 0x90, "dst_start_addr_l32": 0x4000}
    store = {"src_data_format": 1, "src_start_addr_l32": stored, "dst_start_addr_h8": 0xA0}
    cast = {"tsk_opd_num": 1, "opt_opd0_prec": 2, "opd0_addr": 0x4000, "res0_addr": 0x8000, "opt_opd2_sign": 1}
    add = {"tsk_opd_num": 2, "opt_opd0_prec": 1, "opt_opd1_prec": 1, "opd0_addr": 0x8000, "opd1_addr": 0x8000}
    gen.emit("gdma", "DMA_tensor", SIZE | load | {"src_wsize": loaded})
    gen.emit("tiu", "sAR", SHAPE | cast, func=14)
    gen.emit("tiu", "sAR", SHAPE | add | {"res0_addr": 0xC000, "res0_w": added} | (sum_fields or {}), func=func)
    gen.emit("gdma", "DMA_tensor", SIZE | store)
    path.write_bytes(gen.bmodel("twice"))
    raw = with_tensors(path, parameter)
    path.write_bytes(raw)
    return path


def with_tensors(path: Path, more: dict[str, object]) -> bytes:
    model = read_container(path)
    (net,) = model.model["net"]
    (parameter,) = net["parameter"]
    parameter["input_tensor"] = [TENSOR | {"name": "x", "device_addr": 0x90 << 32}]
    parameter["output_tensor"] = [TENSOR | {"name": "y", "device_addr": 0xA0 << 32, "data_type": 1, "size": 128}]
    parameter |= more
    area = bytes(model.data[model.area : model.area + model.area_size])
    return write_bmodel(model.model, area)
