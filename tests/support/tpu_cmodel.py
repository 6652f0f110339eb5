# SPDX-License-Identifier: Apache-2.0
"""The vendor's functional model of a chip, loaded from a folder of the user's: a C library that executes single commands.

``GOLDBEAT_TPU_CMODEL`` names the folder of ``libcmodel_bm1688.so`` and its like, as in the ``lib`` of a tpu_mlir wheel.
A process keeps one library of each chip. Interface: python/debugger/target_*/cmodel.py of TPU-MLIR 1.30.2 (BSD-2-Clause).
"""

import ctypes
import mmap
import os
import signal
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.tpu.hazards.memory import MEMORY

LIBRARY = {
    "BM1684X": ("libcmodel_bm1684x.so", 0),
    "BM1688": ("libcmodel_bm1688.so", 1 << 32),
    "BM1690": ("libtpuv7_emulator.so", 0),
    "CV184X": ("libcmodel_cv184x.so", 1 << 31),
}
"""File, and where its global memory begins for the registers of bases."""
FIRST_TAG, LAST_TAG = 1, 7
SECONDS = 20
"""Longest that a command may take in a process of its own."""
SPAN = 1 << 25
"""Bytes of global memory for each tag of an address."""


class _LocalMemory(ctypes.Structure):
    _fields_ = (("raw", ctypes.c_void_p),)


class FunctionalModel:
    """One chip's: ``local`` and ``far`` are its memories as bytes, ``execute`` runs a command on them."""

    def __init__(self, path: Path, chip: str) -> None:
        self.memory = MEMORY[chip]
        self.base = LIBRARY[chip][1]
        lib = ctypes.CDLL(str(path))
        lib.cmodel_init.argtypes = [ctypes.c_int32, ctypes.c_int64]
        lib.get_local_mem.restype = ctypes.POINTER(_LocalMemory)
        lib.get_static_memaddr_by_node.restype = ctypes.c_void_p
        lib.get_global_memaddr.restype = ctypes.c_void_p
        lib.execute_command.argtypes = [ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint]
        self.far_bytes = SPAN * (LAST_TAG + 1)
        if lib.cmodel_init(0, self.far_bytes):
            raise OSError(f"{path}: cmodel_init failed")
        tagged = self.memory.tag is not None
        if tagged:
            tags = range(FIRST_TAG, LAST_TAG + 1)
            lib.set_cur_nodechip_idx(0)
            index = (ctypes.c_int32 * len(tags))(*tags)
            # Addresses of the first two tags of CV184X hold the beginning of global memory already.
            own = {1, 2} if chip == "CV184X" else set()
            base = (ctypes.c_uint64 * len(tags))(*((0 if tag in own else self.base) + tag * SPAN for tag in tags))
            lib.atomic_set_base_ddr(index, base, len(tags), 1)
        self.lib = lib
        self.local = self._bytes(lib.get_local_mem(0).contents.raw, self.memory.bytes)
        self.far = self._bytes(lib.get_global_memaddr(0), self.far_bytes)
        self.static = self._bytes(lib.get_static_memaddr_by_node(0), 1 << 12)

    @staticmethod
    def _bytes(address: int, size: int) -> np.ndarray:
        return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_uint8)), (size,))

    def place(self, address: int) -> int:
        """Where an address of a command lies in ``far``."""
        if self.memory.tag is None:
            return address - (1 << 32)
        bit = 36 if self.memory.tag[0] == 39 else 40
        tag = address >> bit & 7
        return (tag or 1) * SPAN + (address & SPAN - 1)

    def execute(self, engine: str, raw: bytes) -> None:
        """Execute one command of the TIU or the GDMA."""
        block = np.frombuffer(raw + bytes(128), np.uint8).copy()
        self.lib.execute_command(0, block.ctypes.data, int(engine != "tiu"))

    def apart(self, engine: str, raw: bytes, local: np.ndarray, far: np.ndarray, at: int) -> bool:
        """Execute one command in a child process, on copies of memories; what it leaves in them comes back in place.

        Args:
            engine, raw: the command.
            local, far: memories, ``far`` from ``at`` on.

        Returns:
            Whether the library took it: it ends the process on what it does not support.
        """
        shared = mmap.mmap(-1, len(local) + len(far))
        child = os.fork()
        if not child:
            signal.alarm(SECONDS)
            self.local[:] = local
            self.far[at : at + len(far)] = far
            self.execute(engine, raw)
            shared[:] = self.local.tobytes() + self.far[at : at + len(far)].tobytes()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:
            local[:] = np.frombuffer(shared, np.uint8, len(local))
            far[:] = np.frombuffer(shared, np.uint8, len(far), len(local))
        return status == 0


@cache
def functional_model(chip: str) -> FunctionalModel:
    """That of a chip; skips the test, with the reason, where it is not at hand."""
    folder = os.environ.get("GOLDBEAT_TPU_CMODEL")
    if not folder:
        pytest.skip("GOLDBEAT_TPU_CMODEL does not name the folder of the vendor's functional models")
    path = Path(folder) / LIBRARY[chip][0]
    try:
        return FunctionalModel(path, chip)
    except OSError as error:
        pytest.skip(f"the functional model of {chip} does not load: {error}")
