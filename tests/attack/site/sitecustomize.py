# SPDX-License-Identifier: Apache-2.0
"""Makes processes of an attack fail from inside, as their environment asks for. Python imports this when it starts."""

import os
import sys

_ARENA = os.environ.get("GOLDBEAT_ATTACK")


def _die(spec: str) -> None:
    """``2:11``: the first two simulators die of signal 11 when they start; ``2:0``: they exit."""
    deaths, _, number = spec.partition(":")
    starts = os.open(f"{_ARENA}/starts", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(starts, b"x")
    if os.fstat(starts).st_size <= int(deaths):
        if int(number):
            os.kill(os.getpid(), int(number))
        os._exit(3)


def _jump(seconds: float) -> None:
    """The wall clock jumps, again and again, between now and then."""
    import time

    real = time.time
    calls = 0

    def jumping() -> float:
        nonlocal calls
        calls += 1
        return real() + seconds * (calls // 3 % 2)

    time.time = jumping


class _Begun:
    """Notes that Goldbeat has taken over Ctrl-C: typer is the first that it imports then."""

    @staticmethod
    def find_spec(name: str, path: object, target: object = None) -> None:
        """Find nothing."""
        if name == "typer":
            os.close(os.open(f"{_ARENA}/begun-{os.getpid()}", os.O_CREAT | os.O_WRONLY))


if _ARENA and "ATTACK_BEGUN" in os.environ:
    sys.meta_path.insert(0, _Begun)
if _ARENA and "COCOTB_TOPLEVEL" in os.environ and "ATTACK_DIE" in os.environ:
    _die(os.environ["ATTACK_DIE"])
if _ARENA and "ATTACK_JUMP_S" in os.environ:
    _jump(float(os.environ["ATTACK_JUMP_S"]))
if _ARENA and "ATTACK_NUMPY" in os.environ:
    import numpy

    numpy.__version__ = os.environ["ATTACK_NUMPY"]
