# SPDX-License-Identifier: Apache-2.0
"""The kernel's functions, which the running simulator exports, as Python sees them through ctypes."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping, Sequence
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_uint64, c_void_p
from typing import Any

import numpy as np

from goldbeat.pymodels.buses import AXIL
from goldbeat.pymodels.errors import GoldbeatError, UsageError

SIDES = 4
"""TID, TDEST, TUSER, TSTRB."""

WAKE_CALL = ctypes.CFUNCTYPE(None, c_void_p)


class AxisNames(Structure):
    """``GbAxisNames`` in axis.cpp."""

    _fields_ = (
        *((name, c_char_p) for name in ("tdata", "tvalid", "tready", "tkeep", "tlast", "tstrb")),
        ("sides", c_char_p * SIDES),
    )


class AxisLate(Structure):
    """``GbAxisLate`` in axis.cpp."""

    _fields_ = (("latency", c_int), ("beyond", c_int))


class AxisCheck(Structure):
    """``GbAxisCheck`` in axis.cpp."""

    _fields_ = (
        ("reset", c_char_p),
        ("reset_high", c_int),
        ("whole", c_int),
        ("fifo", c_int),
        ("avalon", c_int),
        ("first", c_int),
        ("late", AxisLate),
    )


class AxisBeats(Structure):
    """``GbAxisBeats`` in axis.cpp."""

    _fields_ = (
        ("beats", c_int64),
        ("data", c_void_p),
        ("keep", c_void_p),
        ("last", c_void_p),
        ("sides", c_void_p * SIDES),
        ("gaps", c_void_p),
        ("cycles", c_void_p),
    )


class AxisColumns(Structure):
    """``GbAxisColumns`` in axis.cpp."""

    _fields_ = (
        ("beats", c_int64),
        ("data", c_void_p),
        ("keep", c_void_p),
        ("last", c_void_p),
        ("sides", c_void_p * SIDES),
        ("cycles", c_void_p),
    )


class ReadyPattern(Structure):
    """``GbPattern`` in pattern.h."""

    _fields_ = (
        ("kind", c_int),
        ("seed", c_uint64),
        ("threshold", c_uint64),
        ("burst", c_uint64),
        ("stall", c_uint64),
        ("period", c_uint64),
        ("values", c_void_p),
        ("count", c_int64),
    )


class RegisterBehaviour(Structure):
    """``GbRegisterTraffic`` in registers.h."""

    _fields_ = (
        ("seed", c_uint64),
        *((name, c_int64) for name in ("gap", "distance", "outstanding", "rest")),
        ("order", c_int),
        *((name, ReadyPattern) for name in ("b_ready", "r_ready")),
    )


class AxilNames(Structure):
    """``GbAxilNames`` in axil.cpp."""

    _fields_ = tuple((name, c_char_p) for name in AXIL.roles)


STEP = np.dtype(
    [
        *(("op", np.int32), ("address", np.uint64), ("value", np.uint64), ("mask", np.uint64)),
        *(("strobe", np.uint64), ("cycles", np.int64), ("port", np.uint64), ("prot", np.uint64)),
        ("alone", np.uint64),
    ],
    align=True,
)
"""``GbStep`` in registers.h."""

RESULT = np.dtype(
    [
        *(("status", np.int32), ("response", np.int32), ("value", np.uint64)),
        *(("first", np.int64), ("last", np.int64), ("forms", np.uint64)),
    ],
    align=True,
)
"""``GbStepResult`` in registers.h."""


_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "gb_error": (c_char_p, []),
    "gb_served": (c_uint64, []),
    "gb_clear": (None, []),
    "gb_collect_failures": (None, []),
    "gb_failures": (c_char_p, []),
    "gb_data_files": (c_char_p, []),
    "gb_now": (c_uint64, []),
    "gb_port": (c_int, [c_char_p]),
    "gb_peek": (c_int, [c_char_p, c_void_p]),
    "gb_forced_value": (c_void_p, [c_char_p]),
    "gb_poke": (c_int, [c_char_p, c_char_p]),
    "gb_follows": (c_int, [c_char_p, POINTER(c_char_p), c_int]),
    "gb_renew": (c_int, [c_int]),
    "gb_clock": (c_void_p, [c_char_p]),
    "gb_clock_start": (c_int, [c_void_p, c_uint64, c_uint64, c_uint64, c_int64]),
    "gb_clock_jitter": (c_int, [c_void_p, c_uint64, c_uint64]),
    "gb_crossing": (c_int, [c_char_p, c_void_p, c_char_p]),
    "gb_crossings_arm": (None, [c_uint64, c_uint64]),
    "gb_crossings_late": (c_int64, [c_uint64]),
    "gb_crossings_torn": (c_int64, [c_uint64]),
    "gb_clock_stop": (None, [c_void_p]),
    "gb_clock_number": (None, [c_void_p, c_int64]),
    "gb_clock_cycle": (c_int64, [c_void_p]),
    "gb_clock_rose": (c_uint64, [c_void_p]),
    "gb_clock_spacing": (c_uint64, [c_void_p]),
    "gb_on_wake": (None, [WAKE_CALL]),
    "gb_rule": (None, [c_char_p, c_int]),
    "gb_reset": (c_int, [c_void_p, c_int, c_uint64, c_char_p]),
    "gb_waiting": (c_char_p, [c_void_p]),
    "gb_stalled": (c_int64, [c_void_p]),
    "gb_stalls": (POINTER(c_int64), [c_void_p]),
    "gb_coverage": (None, []),
    "gb_restart_coverage": (None, []),
    "gb_violations": (c_int64, [c_void_p]),
    "gb_violation": (c_char_p, [c_void_p, c_int64]),
    "gb_clear_violations": (None, [c_void_p]),
    "gb_free": (None, [c_void_p]),
    "gb_axis_source": (c_void_p, [c_char_p, c_char_p, POINTER(AxisNames)]),
    "gb_axis_send": (None, [c_void_p, POINTER(AxisBeats)]),
    "gb_axis_source_start": (None, [c_void_p, c_int64, c_int64]),
    "gb_axis_sent": (c_int64, [c_void_p]),
    "gb_axis_late": (c_int, [c_void_p, POINTER(AxisLate)]),
    "gb_axis_idle": (c_int, [c_void_p]),
    "gb_axis_wake_when_idle": (None, [c_void_p, c_int]),
    "gb_axis_wake_when_low": (None, [c_void_p, c_int64]),
    "gb_axis_left": (c_int64, [c_void_p]),
    "gb_axis_sink": (c_void_p, [c_char_p, c_char_p, POINTER(AxisNames), c_int]),
    "gb_axis_sink_start": (c_int, [c_void_p, POINTER(ReadyPattern), c_int64]),
    "gb_axis_check": (c_int, [c_void_p, POINTER(AxisCheck)]),
    "gb_axis_sink_stop": (None, [c_void_p]),
    "gb_axis_expect": (None, [c_void_p, c_int64, c_int]),
    "gb_axis_wake_at": (None, [c_void_p, c_int64, c_int64]),
    "gb_axis_beats": (c_int64, [c_void_p]),
    "gb_axis_frames": (c_int64, [c_void_p]),
    "gb_axis_take": (None, [c_void_p, POINTER(AxisColumns)]),
    "gb_axil_master": (c_void_p, [c_char_p, c_char_p, POINTER(AxilNames)]),
    "gb_registers_run": (c_int, [c_void_p, c_void_p, c_void_p, c_int64]),
    "gb_registers_behave": (c_int, [c_void_p, POINTER(RegisterBehaviour)]),
    "gb_registers_done": (c_int64, [c_void_p]),
    "gb_registers_busy": (c_int, [c_void_p]),
}


def declare(functions: Any, signatures: Mapping[str, tuple[Any, Sequence[Any]]]) -> None:
    """Tell ctypes what functions of the simulator return and take, by name."""
    for name, (result, arguments) in signatures.items():
        function = getattr(functions, name)
        function.restype, function.argtypes = result, arguments


@functools.cache
def library() -> Any:
    """The functions of the simulator that this Python runs in.

    Raises:
        UsageError: this is not a simulator with the kernel.
    """
    found = ctypes.CDLL(None)
    if not hasattr(found, "gb_clear"):
        raise UsageError("this is no simulator with Goldbeat's kernel; build it with goldbeat.tb.build.runner")
    declare(found, _SIGNATURES)
    return found


def checked(value: Any) -> Any:
    """The value of a call that returns a null pointer or a negative number when it fails.

    Raises:
        GoldbeatError: it has failed.
    """
    if value is None or value < 0:
        raise GoldbeatError(library().gb_error().decode())
    return value
