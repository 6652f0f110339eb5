# SPDX-License-Identifier: Apache-2.0
"""Execution of models of the vendor's compiler; and, bit by bit, against its functional models where they are at hand."""

import json
import os
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tpu_cases import Case, Filled, difference, far_base
from tpu_cmodel import FunctionalModel, functional_model
from tpu_random_moves import COMMAND_KINDS, MoveMaker

from goldbeat.pymodels.tpu.execute.machine import Member, TpuProgram
from goldbeat.pymodels.tpu.execute.memories import NotModelledError, TpuMemories
from goldbeat.pymodels.tpu.execute.model import StaticNet
from goldbeat.pymodels.tpu.execute.static import static_tables
from goldbeat.pymodels.tpu.hazards.builder import OPERANDS
from goldbeat.pymodels.tpu.streams.bmodel import BModel, CommandStream
from goldbeat.pymodels.tpu.streams.checks import bare
from goldbeat.pymodels.tpu.streams.container import commands, read_container
from goldbeat.pymodels.tpu.streams.tables import chip

CHIPS = ("BM1684X", "BM1688", "BM1690")
OTHERWISE = {("BM1684X", "cut")}
"""What the model says it does not model."""


@pytest.fixture(scope="module")
def folder() -> Path:
    if not os.environ.get("GOLDBEAT_DATA"):
        pytest.skip("GOLDBEAT_DATA does not name the directory of reference data")
    return Path(os.environ["GOLDBEAT_DATA"]) / "data" / "tpu"


def run(path: Path) -> np.ndarray:
    model = read_container(path)
    assert isinstance(model, BModel)
    image = np.random.default_rng(0).standard_normal((1, 3, 16, 16)).astype(np.float32)
    (found,) = StaticNet(model).run({"x": image}).outputs.values()
    return found


def test_one_model_on_six_chips(folder: Path):
    """One network, compiled by different back ends, with weights laid out in different ways."""
    names = ["bm1684x_f16", "bm1690", "bm1690e", "sg2380"]
    found = [run(folder / "containers" / f"tiny_{name}.bmodel") for name in names]
    for name, other in zip(names, found, strict=True):
        assert np.array_equal(other, found[0]), name
    # 16 input channels are added at a time instead of 32: the sums are rounded once more.
    assert np.abs(run(folder / "containers" / "tiny_bm1688.bmodel") - found[0]).max() <= 2**-10
    # This chip makes zeros of numbers below the least normal one, also of those that are added later.
    other = run(folder / "containers" / "tiny_bm1684x2.bmodel")
    assert 0 < np.abs(other - found[0]).max() < 2**-14
    # bf16 instead of fp16.
    assert np.abs(run(folder / "containers" / "tiny_cv184x.bmodel") - found[0]).max() < 0.02


def test_the_network_itself(folder: Path):
    """y = relu(conv(x)) + conv(x), in float64 from the coefficients of the container."""
    model = read_container(folder / "containers" / "tiny_bm1690.bmodel")
    assert isinstance(model, BModel)
    raw = model.binary(model.model["net"][0]["parameter"][0]["coeff_mem"]["binary_coeff"])
    bias = raw[:32].view(np.float32)
    weights = raw[4096 : 4096 + 8 * 9 * 32 * 2].view(np.float16).reshape(8, 3, 3, 32)[..., :3].astype(float)
    image = np.random.default_rng(0).standard_normal((1, 3, 16, 16)).astype(np.float32)
    padded = np.pad(image[0].astype(np.float16).astype(float), ((0, 0), (1, 1), (1, 1)))
    sums = np.zeros((8, 16, 16)) + bias[:, None, None]
    for y in range(3):
        for x in range(3):
            sums += np.einsum("oc,chw->ohw", weights[:, y, x], padded[:, y : y + 16, x : x + 16])
    found = run(folder / "containers" / "tiny_bm1690.bmodel")[0]
    assert np.abs(found - (np.maximum(sums, 0) + sums)).max() < 4e-3


# -- the vendor's functional models -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", CHIPS)
@pytest.mark.parametrize("kind", COMMAND_KINDS)
def test_random_commands(name: str, kind: str):
    model = functional_model(name)
    results: Counter[str] = Counter()
    for seed in range(20):
        rng = np.random.default_rng((zlib.crc32(f"{name} {kind}".encode()), seed))
        case = Case(name, getattr(MoveMaker(name, rng), kind)(), rng)
        if (name, kind) in OTHERWISE or (case.one.form == "sAR" and case.one.func == 28 and name != "BM1684X"):
            with pytest.raises(NotModelledError):
                case.modelled()
            results["not modelled"] += 1
            continue
        mine = case.modelled()
        theirs = Filled(case.before.local.copy(), case.before.far.copy())
        if not model.apart(case.one.engine, case.command(), theirs.local, theirs.far, model.place(far_base(name))):
            results["refused"] += 1
            continue
        found = difference(mine, theirs)
        assert not found, f"{case}: {found}"
        results["equal"] += 1
    assert results["equal"] + results["not modelled"] >= 5, results


def group(folder: Path, model: str, name: str) -> list[Member]:
    of = chip(name)
    made: list[Member] = []
    for entry in json.loads((folder / "cmdbuf" / "MANIFEST.json").read_text()):
        if entry["model"] == model:
            raw = np.fromfile(folder / "cmdbuf" / model / entry["file"], np.uint8)
            engine = of.engine(entry["engine"]).name
            stream = bare(CommandStream(entry["file"].removesuffix(".bin"), engine, raw, 0))
            made += [(stream, found) for found in commands(of, stream).values()]
    return made


class Lockstep:
    """A program in the model and in the functional model; before each command the model gets the other's memories."""

    def __init__(self, program: TpuProgram, other: FunctionalModel, *, integers: bool) -> None:
        self.program, self.other = program, other
        self.memories = TpuMemories(program.memory, program.spans(), 1, static_tables(program.chip))
        rng = self.rng = np.random.default_rng(0)
        for at, table in self.memories.tables:
            other.static[at : at + table.nbytes] = table.view(np.uint8)
        other.local[:] = 0
        for part in self.far():
            part[:] = (
                rng.integers(0, 256, len(part), np.uint8)
                if integers
                else rng.normal(0, 0.3, len(part) // 2).astype(np.float16).view(np.uint8)
            )

    def far(self) -> list[np.ndarray]:
        """Global memory of the functional model, part by part."""
        return [self.other.far[self.other.place(a) :][: b - a] for a, b in self.memories.spans]

    def put_scales(self, member: int, row: int) -> None:
        """Scales of channels that fit their sums, where a command reads some: of random bytes all results would be limits."""
        _, listed = self.program.members[member]
        batch = self.program.batches[member].get(listed.engine.kinds[int(listed.kind[row])].name)
        if batch is None or batch.form not in ("sCONV", "sPorD", "sRQ&sDQ"):
            return
        operand = "opd1" if batch.form == "sRQ&sDQ" else "opd5"
        for one in batch.extents.get(row, ()):
            if OPERANDS[one.operand] != operand or one.shape[3] not in (2, 3) or one.size != 4:
                continue
            shape = (1, one.shape[1], 1, 1)
            shift, zero = (self.rng.integers(*ends, shape) for ends in ((-40, -30), (-20, 20)))
            words = [self.rng.integers(1 << 29, 1 << 31, shape)]
            words += [shift, zero] if one.shape[3] == 3 else [shift & 0xFF | (zero & 0xFFFF) << 16]
            self.memories.local[0][:] = self.other.local
            self.memories.write(one, np.concatenate(words, axis=3).astype(np.uint32), np.dtype("<u4"))
            self.other.local[:] = self.memories.local[0]

    def run(self) -> Counter[str]:
        found: Counter[str] = Counter()
        registers: dict[int, dict[int, int]] = {0: {}}
        for member, row in self.program.order:
            stream, listed = self.program.members[member]
            if stream.engine == "sdma":
                continue
            op = listed.op(row)
            self.put_scales(member, row)
            self.memories.local[0][:] = self.other.local
            for mine, theirs in zip(self.memories.far, self.far(), strict=True):
                mine[:] = theirs
            self.other.execute(stream.engine, listed.raw(row))
            try:
                self.program.execute(member, row, self.memories, registers)
            except NotModelledError as error:
                found[f"{op}: {str(error).split('not modelled: ')[1]}"] += 1
                continue
            assert np.array_equal(self.memories.local[0], self.other.local), (stream.name, row, op)
            for mine, theirs in zip(self.memories.far, self.far(), strict=True):
                assert np.array_equal(mine, theirs), (stream.name, row, op)
            found["equal"] += 1
        return found


MODELS = [
    ("tiny_bm1684x_f16", "BM1684X"),
    ("cnn_bm1684x_f16", "BM1684X"),
    ("cnn_bm1684x_int8", "BM1684X"),
    ("pcnn_bm1684x", "BM1684X"),
    ("tiny_bm1688", "BM1688"),
    ("cnn_bm1688_f16", "BM1688"),
    ("cnn_bm1688_int8", "BM1688"),
    ("pcnn_bm1688", "BM1688"),
    ("tiny_bm1690", "BM1690"),
    ("pcnn_bm1690", "BM1690"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("model", "name"), MODELS)
def test_streams_command_by_command(folder: Path, model: str, name: str):
    program = TpuProgram(name, [group(folder, model, name)])
    found = Lockstep(program, functional_model(name), integers="int8" in model).run()
    assert set(found) == {"equal"}, found
    assert found["equal"] >= 11
