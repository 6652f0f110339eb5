# SPDX-License-Identifier: Apache-2.0
"""How fast hazards are looked for in TPU command streams, decoding included.

The streams are sound ones of BM1690: tiles are loaded,
cast, convolved, clipped and stored, with two buffers for everything, so that both engines work at the same time. With several
cores, every core stores its own channels of one tensor, so that outlines of operands overlap and their bytes do not.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from time import perf_counter, process_time

import numpy as np
from measured import Row, benchmark

from goldbeat.pymodels.tpu.hazards.report import check_hazards
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.encode import encode_commands, interleave
from goldbeat.pymodels.tpu.streams.tables import EngineTable, chip

FILES = ("pymodels/tpu/hazards/*.py", "pymodels/tpu/streams/*.*")
CORES = 4
_MASK = {"localmem_mask_l32": 0xFFFFFFFF, "localmem_mask_h32": 0xFFFFFFFF, "stride_enable": 1, "nchw_copy": 1}
_LOCAL, _INPUT, _OUTPUT = 31 << 8, 1 << 8, 2 << 8
"""Memory tags of DMA addresses, as the upper 13 bits."""


def _stream(engine: EngineTable, name: str, core: int, parts: list[tuple[np.ndarray, np.ndarray]]) -> CommandStream:
    assert engine.end is not None
    raw = interleave(parts).tobytes() + encode_commands(engine, engine.end[0], func=engine.end[1], n=1).tobytes()
    data = np.frombuffer(raw + bytes(-len(raw) % 128), np.uint8)
    return CommandStream(name, engine.name, data, 0, core=core)


def tiles(count: int, core: int = 0, cores: int = 1) -> list[CommandStream]:
    """TIU and GDMA streams of one core: five commands for each tile of 16 x 16 x 24 fp32."""
    of = chip("BM1690")
    tiu, gdma = of.engine("tiu"), of.engine("gdma")
    k = np.arange(count)
    half = (k % 2) * 0x8000
    shape = {f"res0_{axis}": size for axis, size in zip("nchw", (1, 16, 16, 24), strict=True)}
    cast = shape | {
        "opd0_addr": half,
        "res0_addr": 0x10000 + half,
        "tsk_opd_num": 1,
        "opt_opd0_prec": 2,
        "opt_res0_prec": 1,
    }
    conv = shape | {"opd0_addr": 0x10000 + half, "res0_addr": 0x20000, "opt_opd0_prec": 1, "opt_res0_prec": 1}
    conv |= {"opd0_c": 16, "opd0_h": 16, "opd0_w": 24, "opd1_h": 1, "opd1_w": 1, "opd1_addr": 0x3F000}
    conv |= {"opt_opd2_const": 1, "opt_opd3_const": 1, "res_op_x_str": 1, "res_op_y_str": 1}
    clip = shape | {"opd0_addr": 0x20000, "res0_addr": 0x28000 + half, "tsk_opd_num": 2, "opt_opd1_const": 1}
    clip |= {"opt_opd0_prec": 1, "opt_opd1_prec": 1, "opt_res0_prec": 1}
    load_id = np.where(k == 0, 2, 2 * k + 1)
    parts = [
        (3 * k, encode_commands(tiu, tiu.kind("sAR"), cast, func=14, dep=load_id)),
        (3 * k + 1, encode_commands(tiu, tiu.kind("sCONV"), conv, n=count, func=0, dep=load_id)),
        (3 * k + 2, encode_commands(tiu, tiu.kind("sAR"), clip, n=count, func=6, dep=load_id)),
    ]
    made = [_stream(tiu, f"core{core}.sub0.g0.tiu", core, parts)]
    size = {f"src_{axis}size": many for axis, many in zip("nchw", (1, 16, 16, 24), strict=True)} | _MASK
    near = {"nstride": 384, "cstride": 384, "hstride": 24, "wstride": 1}
    # Channels of all cores lie side by side in each tile.
    far = near | {"nstride": 384 * 16 * cores, "cstride": 384 * cores}
    at = (k % 4096) * 384 * 16 * cores + 384 * core
    load = size | {f"src_{n}": v for n, v in far.items()} | {f"dst_{n}": v for n, v in near.items()}
    load |= {"src_data_format": 2, "src_start_addr_l32": at * 4, "src_start_addr_h13": _INPUT}
    load |= {"dst_start_addr_l32": half, "dst_start_addr_h13": _LOCAL}
    save = size | {f"src_{n}": v for n, v in near.items()} | {f"dst_{n}": v for n, v in far.items()}
    save |= {"src_data_format": 1, "dst_start_addr_l32": at * 2, "dst_start_addr_h13": _OUTPUT}
    save |= {"src_start_addr_l32": 0x28000 + half, "src_start_addr_h13": _LOCAL}
    weights = size | {"src_hsize": 1, "src_wsize": 32, "src_data_format": 1, "src_start_addr_h13": _INPUT}
    weights |= {"src_start_addr_l32": 0xF0000000, "dst_start_addr_l32": 0x3F000, "dst_start_addr_h13": _LOCAL}
    weights |= {
        f"{end}_{axis}stride": v for end in ("src", "dst") for axis, v in zip("nchw", (32, 32, 32, 1), strict=True)
    }
    move = gdma.kind("DMA_tensor")
    before = np.maximum(3 * (k - 1), 0)
    parts = [
        (np.zeros(1, np.int64), encode_commands(gdma, move, weights, n=1, func=0)),
        (load_id - 1, encode_commands(gdma, move, load, func=0, dep=before)),
        (2 * k + 3, encode_commands(gdma, move, save, func=0, dep=3 * (k + 1))),
    ]
    # The last tile has nothing to load beside its store.
    places = np.concatenate([place for place, _ in parts])
    order = np.argsort(np.argsort(places, kind="stable"))
    cut = np.cumsum([len(place) for place, _ in parts])[:-1]
    ranked = [(rank, rows) for rank, (_, rows) in zip(np.split(order, cut), parts, strict=True)]
    made.append(_stream(gdma, f"core{core}.sub0.g0.dma", core, ranked))
    return made


def measure(commands: int, repeats: int, cores: int = 1) -> Iterator[Row]:
    """Median over some runs; the streams must be sound, and not be once a dependency is gone."""
    streams = [one for core in range(cores) for one in tiles(commands // 5 // cores, core, cores)]
    clock, cpu = [], []
    for _ in range(repeats):
        begin, used = perf_counter(), process_time()
        report = check_hazards(chip("BM1690"), streams)
        clock.append(perf_counter() - begin)
        cpu.append(process_time() - used)
    assert not report.findings, str(report.findings[0])
    assert not report.omitted
    name = f"{report.commands:,} commands, {report.operands:,} operands, {cores} core{'s' if cores > 1 else ''}"
    yield Row(name, report.commands / statistics.median(cpu), "commands/s", column="processor time")
    yield Row(name, report.commands / statistics.median(clock), "commands/s", column="by the clock")


def run(sizes: tuple[int, ...], repeats: int) -> Iterator[Row]:
    """One core with each size, then several."""
    for size in sizes:
        yield from measure(size, repeats)
    yield from measure(sizes[1], repeats, CORES)


if __name__ == "__main__":
    sizes = (10_000, 100_000, 1_000_000)
    benchmark(run, FILES, {"sizes": sizes, "repeats": 3}, {"sizes": sizes[:2], "repeats": 1})
