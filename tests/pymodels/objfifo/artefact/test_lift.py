# SPDX-License-Identifier: Apache-2.0
"""What the planner makes is written as compiled files and read back: the same rings, locks, streams and data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.artefact.descriptors import read_bd
from goldbeat.pymodels.objfifo.artefact.listing import decode_compiled, from_listing, to_listing
from goldbeat.pymodels.objfifo.artefact.raw_design import fixed_design
from goldbeat.pymodels.objfifo.compiled_design import compiled_design, load_compiled, stand_ins
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.device import ANY
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.notes import notes
from goldbeat.pymodels.objfifo.plan.plan import Dim, Direction, LockUse, PacketHeader, Pad
from goldbeat.pymodels.objfifo.plan.strides import bd_addresses
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse
from goldbeat.pymodels.objfifo.untimed.functional import run_untimed
from tests.support.objfifo_compiled import LONG_TXN, hex_bytes, pdi_bytes, words_of, write_compiled, xclbin_bytes
from tests.support.objfifo_shape import plan_shape
from tests.support.objfifo_texts import ADD, HOST, WALKS, plus_one


def _written(tmp_path: Path, text: str) -> FifoDesign:
    file = tmp_path / "design.py"
    file.write_text(text)
    return open_fifo_design(file)


@pytest.mark.parametrize("version", [(0, 1), (1, 0)])
def test_what_is_planned_is_read_back(tmp_path: Path, version: tuple[int, int]) -> None:
    design = _written(tmp_path, ADD)
    insts, config = write_compiled(tmp_path, design, lower(design), version)
    tiles = [ANY.tile(0, 2 + i) for i in range(3)]
    again = fixed_design(load_compiled(insts, [config]), dict.fromkeys(tiles, plus_one))
    assert again.fixed is not None
    assert again.fixed.unsupported == again.fixed.waiting == ()
    assert plan_shape(again.fixed.plan) == plan_shape(lower(design))
    data = np.arange(96, dtype=np.int32) * 7
    wanted = run_untimed(design, {"arg0": data}).hosts["arg1"]
    result = run_untimed(again, {"arg0": data})
    assert result.finished
    assert result.hosts["arg1"].tolist() == wanted.tolist() == (data + 1).tolist()
    assert analyse(again).verdict is DesignVerdict.COMPLETES


def test_walks_and_repeats(tmp_path: Path) -> None:
    design = _written(tmp_path, WALKS + HOST)
    insts, config = write_compiled(tmp_path, design, lower(design))
    again = compiled_design(insts, ["--config", str(config)])
    assert plan_shape(lower(again)) == plan_shape(lower(design))
    data = np.arange(144, dtype=np.int32)
    assert (run_untimed(again, {"arg0": data}).hosts["arg1"] == run_untimed(design, {"arg0": data}).hosts["arg1"]).all()


def test_packet_streams(tmp_path: Path) -> None:
    design = _written(tmp_path, ADD)
    plan = lower(design, packets=True)
    insts, config = write_compiled(tmp_path, design, plan)
    again = compiled_design(insts, ["--config", str(config)])
    assert plan_shape(lower(again)) == plan_shape(plan)


def test_a_pdi_and_an_xclbin_hold_the_same(tmp_path: Path) -> None:
    design = _written(tmp_path, ADD)
    insts, config = write_compiled(tmp_path, design, lower(design))
    bare = load_compiled(insts, [config])
    for name, data in (
        ("a.pdi", pdi_bytes(config.read_bytes())),
        ("a.xclbin", xclbin_bytes(pdi_bytes(config.read_bytes()))),
    ):
        (tmp_path / name).write_bytes(data)
        found = load_compiled(insts, [tmp_path / name])
        assert (found.tiles, found.flows, found.hosts) == (bare.tiles, bare.flows, bare.hosts)
    folder = tmp_path / "prj"
    folder.mkdir()
    with pytest.raises(InputError, match=r"missing \*cdo\*_init.bin"):
        load_compiled(insts, [folder])
    (folder / "main_aie_cdo_init.bin").write_bytes(config.read_bytes())
    assert load_compiled(insts, [folder]).flows == bare.flows


def test_a_core_without_a_stand_in_is_named(tmp_path: Path) -> None:
    design = _written(tmp_path, ADD)
    insts, config = write_compiled(tmp_path, design, lower(design))
    design = fixed_design(load_compiled(insts, [config]), {ANY.tile(0, 3): plus_one})
    assert design.fixed is not None
    assert design.fixed.waiting == (
        "the core of core tile (0, 2) has a program of 128 bytes and no stand-in",
        "the core of core tile (0, 4) has a program of 128 bytes and no stand-in",
    )
    assert {n.name for n in notes(design)} == {"core"}
    with pytest.raises(UsageError, match=r"a stand-in for core tile \(0, 5\)"):
        fixed_design(load_compiled(insts, [config]), {ANY.tile(0, 5): plus_one})


def test_an_instruction_stream_alone_is_not_run(tmp_path: Path) -> None:
    file = tmp_path / "insts.bin"
    file.write_bytes(hex_bytes(LONG_TXN))
    design = compiled_design(file)
    assert design.fixed is not None
    assert design.fixed.unsupported[0].startswith("no configuration")
    assert analyse(design).verdict is DesignVerdict.UNDECIDED
    shim = design.fixed.plan.tiles[0]
    assert {c.name: [(b.id, b.buffer, b.length, b.dims) for b in c.bds] for c in shim.channels} == {
        "S2MM 0": [(1, "arg2", 64, ())],
        "MM2S 0": [(0, "arg0", 64, ())],
    }
    assert [(c.name, t.bd, t.repeat, t.token) for c in shim.channels for t in c.queue] == [
        ("S2MM 0", 1, 0, True),
        ("MM2S 0", 0, 0, False),
    ]


def test_single_descriptors() -> None:
    core = read_bd(ANY.tile(0, 2), 0, words_of("08000008 0 0 0 0 1E041FE1"))[0]
    assert (core.base_bytes, core.length, core.next) == (0x8000, 8, 3)
    assert (core.acquire, core.release) == (LockUse(1, 1), LockUse(0, 1))
    mem = read_bd(ANY.tile(0, 1), 0, words_of("00001000 000A0000 0 0 0 0 0 8141FF40"))[0]
    assert (mem.base_bytes, mem.length, mem.next, mem.dims) == (0, 4096, 0, ())
    assert (mem.acquire, mem.release) == (LockUse(0, 1), LockUse(1, 1))
    padded = read_bd(ANY.tile(0, 1), 0, words_of("00000010 08020000 001A0000 0 0 00020000 0 8140FF41"))[0]
    assert (padded.length, padded.dims, padded.padding) == (16, (Dim(13, 1),), (Pad(2, 1),))
    assert (padded.acquire, padded.release, padded.next) == (LockUse(1, 1), LockUse(0, 1), None)
    assert bd_addresses(padded).tolist() == [-1, -1, *range(13), -1]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("08000008 0 0 0 0 1C041FE1", "is not valid"),
        ("08000008 80000000 0 0 0 1E041FE1", "compresses"),
        ("08000000 0 0 0 0 1E041FE1", "has no words"),
        ("08000008 0 0 0 0 1E041021", "acquires a lock that equals 1"),
        ("08000008 0 0 0 0 1FFC1FE1", "releases a lock by -1"),
    ],
)
def test_what_a_plan_cannot_say_is_named(words: str, text: str) -> None:
    assert text in read_bd(ANY.tile(0, 2), 0, words_of(words))[1]


def test_neighbours_of_a_memory_tile_are_named() -> None:
    words = words_of("00001000 00080000 0 0 0 0 0 8101FF00")
    assert read_bd(ANY.tile(1, 1), 0, words)[1] == (
        "uses memory of the memory tile to the west",
        "uses locks of the memory tile to the west",
        "uses locks of the memory tile to the west",
    )
    assert read_bd(ANY.tile(0, 1), 0, words)[1] == ()


def test_stand_ins_are_named_by_file(tmp_path: Path) -> None:
    file = tmp_path / "fn.py"
    file.write_text("def one(x, y):\n    pass\n")
    assert list(stand_ins([f"0,2={file}:one", "1,3=copy"])) == [ANY.tile(0, 2), ANY.tile(1, 3)]
    for item, text in (
        (f"0,2={file}:two", "missing function two"),
        ("0,2=x", "expected COLUMN,ROW="),
        (f"0,2={file}x.py:a", "missing file"),
    ):
        with pytest.raises((UsageError, InputError), match=text):
            stand_ins([item])
    file.write_text("x = 1\ny = 1 / 0\n")
    with pytest.raises(InputError, match=r"fn.py:2: found ZeroDivisionError"):
        stand_ins([f"0,2={file}:one"])


def test_reuse_of_a_descriptor_is_two_descriptors(tmp_path: Path) -> None:
    """A sequence writes descriptor 0 again after a wait: both contents are kept."""
    design = _written(tmp_path, WALKS + HOST)
    insts, config = write_compiled(tmp_path, design, lower(design))
    text = list(to_listing(decode_compiled(insts.read_bytes())))
    fill = [
        n for n, line in enumerate(text) if line.startswith(("block 0,0+1D000", "patch 0,0+1D004", "write 0,0+1D214"))
    ]
    assert len(fill) == 3
    block, patch, write = (text[n].partition(" ;")[0] for n in fill)
    words = block.split()
    again = [" ".join([*words[:2], "24", *words[3:]]), patch.replace("#0,0", "#0,96"), write]
    insts.write_bytes(from_listing("\n".join([*text, *again])).encode())
    raw = load_compiled(insts, [config])
    channel = raw.tiles[ANY.tile(0, 0)].channels[Direction.MM2S, 0]
    assert [(bd.id, bd.base_bytes, bd.length) for bd in channel.bds] == [(0, 0, 72), (16, 96, 36)]
    assert [t.bd for t in channel.queue] == [0, 16]


def test_what_changes_while_the_array_runs_is_named(tmp_path: Path) -> None:
    design = _written(tmp_path, WALKS + HOST)
    insts, config = write_compiled(tmp_path, design, lower(design))
    text = list(to_listing(decode_compiled(insts.read_bytes())))
    late = ["write 0,1+C0000 1", "write 0,1+00000 5", "write 0,0+1D000 1"]
    insts.write_bytes(from_listing("\n".join([*text, *late])).encode())
    raw = load_compiled(insts, [config])
    at = [line.split(": ", 2)[2] for line in raw.unsupported]
    assert at == [
        "Lock0_value of mem tile (0, 1) is written while the array runs",
        "Data_Memory 0x0 of mem tile (0, 1) is written while the array runs",
    ]


def test_streams_that_end_elsewhere_are_named(tmp_path: Path) -> None:
    design = _written(tmp_path, ADD)
    insts, config = write_compiled(tmp_path, design, lower(design))
    text = list(to_listing(decode_compiled(config.read_bytes())))
    target = next(n for n, line in enumerate(text) if "0,2+3F004" in line)
    text[target] = text[target].replace("3F004", "3F000")
    config.write_bytes(from_listing("\n".join(text)).encode())
    raw = load_compiled(insts, [config])
    assert any("goes to port Core 0 of core tile (0, 2), which is no DMA channel" in line for line in raw.unsupported)


def test_any_damage_is_told_or_harmless(tmp_path: Path) -> None:
    """Flipped bits in the words of operations: read, refused or named, never a crash."""
    rng = np.random.default_rng(20)
    design = _written(tmp_path, WALKS + HOST)
    insts, config = write_compiled(tmp_path, design, lower(design))
    files: list[Path | None] = []
    for path in (insts, config):
        data = path.read_bytes()
        for _ in range(150):
            damaged = bytearray(data)
            damaged[rng.integers(20, len(data))] ^= 1 << int(rng.integers(8))
            path.write_bytes(damaged)
            try:
                design = fixed_design(load_compiled(insts, [config]))
            except InputError as error:
                files.append(error.file)
                continue
            assert design.fixed is not None
        path.write_bytes(data)
    assert set(files) == {insts, config}


def test_headers_reach_the_plan() -> None:
    words = words_of("08000008 40280000 0 0 0 02000000")
    assert read_bd(ANY.tile(0, 2), 0, words)[0].packet == PacketHeader(5, 0)
