# SPDX-License-Identifier: Apache-2.0
"""The hardware repository's trace tests on the functional models: registers and memory in, a checksum of what is left.

``GOLDBEAT_NVDLA_TRACES`` names a folder of trace tests, such as ``verif/tests/trace_tests/nv_small`` of nvdla/hw's branch nv_small.
"""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.driver.instant_hardware import IdealHardware
from goldbeat.pymodels.nvdla.engines.hardware import run_operation
from goldbeat.pymodels.nvdla.engines.registers import csb_register

ROOT = os.environ.get("GOLDBEAT_NVDLA_TRACES")
pytestmark = pytest.mark.skipif(not ROOT, reason="GOLDBEAT_NVDLA_TRACES does not name a folder of trace tests")
TRACES = sorted(file.parent for file in Path(ROOT).glob("*/*.cfg")) if ROOT else []
LINE = re.compile(r"(\w+)\(([^)]*)\)")
PIECE = re.compile(r"offset:\s*(\w+),\s*size:\s*\d+,\s*payload:([0-9a-fA-Fx ]+)")
BITS = {"SDP": 0, "CDP": 2, "PDP": 4, "CDMA_DAT": 16, "CDMA_WT": 18, "CACC": 20}


class Player:
    """Plays a trace's lines one after the other."""

    def __init__(self, folder):
        self.folder = folder
        self.memory = {}
        self.hardware = IdealHardware(work=self._work)
        self.seen = 0
        self.checked = 0

    def _work(self, chain):
        flowing = None
        for engine, registers in chain:
            regions = [Region(f"at{base}", base, data) for base, data in self.memory.items()]
            result = run_operation(engine, registers, regions, flowing, self.hardware.luts.get(engine))
            flowing = result.output
            self.memory = {base: result.memory[f"at{base}"] for base in self.memory}

    def mem_init(self, _, base, size, pattern):
        assert pattern == "ALL_ZERO"
        self.memory[int(base, 0)] = np.zeros(int(size, 0), np.uint8)

    def mem_load(self, _, base, file):
        pieces = PIECE.findall((self.folder / file.strip('"')).read_text())
        pieces = [(int(offset, 0), bytes(int(byte, 16) for byte in payload.split())) for offset, payload in pieces]
        end = max(offset + len(data) for offset, data in pieces)
        held = self.memory.get(int(base, 0), np.zeros(0, np.uint8))
        # Some files are longer than what was said before.
        held = self.memory[int(base, 0)] = np.pad(held, (0, max(0, end - len(held))))
        for offset, data in pieces:
            held[offset : offset + len(data)] = np.frombuffer(data, np.uint8)

    def reg_write(self, name, value):
        block, one = name.removeprefix("NVDLA_").removesuffix("_0").split(".")
        self.hardware.write(csb_register(block, one).address, int(value, 0))

    def intr_notify(self, name, _):
        engine, _, group = name.rpartition("_")
        bit = 1 << (BITS[engine] + int(group))
        while not self.seen & bit:
            self.hardware.interrupt()
            self.seen |= self.hardware.status
            self.hardware.status = 0
        self.seen &= ~bit

    def check_crc(self, _sync, _memory, base, size, wanted):
        found = zlib.crc32(self.memory[int(base, 0)][: int(size, 0)].tobytes())
        assert f"{found:08x}" == f"{int(wanted, 0):08x}"
        self.checked += 1

    def check_nothing(self, *_):
        self.checked += 1

    def poll_reg_equal(self, *_):
        """Hardware without time has nothing to wait for."""


def play(folder):
    player = Player(folder)
    text = re.sub(r"//.*", "", (folder / f"{folder.name}.cfg").read_text())
    for call, arguments in LINE.findall(text):
        getattr(player, call)(*(part.strip() for part in arguments.split(",")))
    return player


@pytest.mark.parametrize("folder", TRACES, ids=lambda folder: folder.name)
def test_a_trace_leaves_what_it_says(folder):
    if "_ew_" in folder.name:
        with pytest.raises(UsageError, match="EW"):
            play(folder)
    else:
        assert play(folder).checked


def test_pixel_input_is_among_them():
    assert any(folder.name.startswith("img_") for folder in TRACES)
