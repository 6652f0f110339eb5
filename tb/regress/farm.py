# SPDX-License-Identifier: Apache-2.0
"""Regressions on a dask.distributed cluster (extra ``farm``)."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from goldbeat.pymodels.errors import GoldbeatError, ToolError, UsageError
from goldbeat.tb import orphan_guard
from goldbeat.tb.extras import install_hint
from goldbeat.tb.paths import IMPORT_ROOT, build_root
from goldbeat.tb.regress.farm_keys import security
from goldbeat.tb.regress.farm_pool import WAIT_S, FarmExecutor
from goldbeat.tb.regress.farm_versions import versions

LOOPBACK = "127.0.0.1"
_CONNECT_S = 15
_START_S = 60.0


@contextmanager
def connect(
    address: str, keys: Path | None = None, *, native: bool = False, wait_s: float | None = None
) -> Iterator[FarmExecutor]:
    """A cluster's executor.

    Args:
        address: of its scheduler, ``tcp://...``, or ``tls://...`` with keys.
        keys: folder of the farm's keys (:mod:`goldbeat.tb.regress.farm_keys`).
        native: simulators need all instructions of this machine's processor.
        wait_s: wall time to wait for workers, or for an answer of the scheduler; None:
        :data:`goldbeat.tb.regress.farm_pool.WAIT_S`.

    Raises:
        UsageError: the address does not fit the keys.
        ToolError: dask.distributed is not installed, or nobody answers at the address.
    """
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise ToolError(f"--engine {address} needs the Python package {error.name}: {install_hint('farm')}") from None
    if "://" not in address:
        raise UsageError(f"--engine {address}: expected local, or an address such as tls://scheduler:8786")
    if (address.partition("://")[0] == "tls") != (keys is not None):
        want = "tls://... with --tls DIR" if keys is not None else "--tls DIR, the folder of the farm's keys"
        raise UsageError(f"--engine {address}: expected {want}")
    try:
        client = Client(address, timeout=_CONNECT_S, set_as_default=False, security=security(keys))
    except GoldbeatError:
        raise
    except Exception as error:
        raise ToolError(f"no dask scheduler answers at {address}: {error}") from None
    # What goes wrong with the cluster is reported once, as an error; not by its tasks in the background as well.
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "asyncio", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    farm = FarmExecutor(client, versions(), native=native, wait_s=WAIT_S if wait_s is None else wait_s)
    try:
        yield farm
    finally:
        farm.shutdown()
        with suppress(Exception):
            client.close(timeout=5)


def need_distributed() -> None:
    """Check that dask.distributed can be imported.

    Raises:
        ToolError: it is not installed.
    """
    try:
        import distributed  # noqa: F401
    except ModuleNotFoundError as error:
        raise ToolError(f"a farm needs the Python package {error.name}: {install_hint('farm')}") from None


def local_farm(workers: int, port: int, keys: Path | None, tell: Callable[[str], None]) -> None:
    """Run a scheduler and workers as processes of this machine, on loopback, until Ctrl-C or SIGTERM.

    Each worker has a build folder of its own, as if it were another machine. None of them outlives this process.

    Args:
        workers: how many.
        port: of the scheduler; 0: any.
        keys: folder of the farm's keys; None: every process of this machine is let in.
        tell: is told addresses, processes and folders.
    """
    need_distributed()
    # Wrong keys are reported here, not in the log of a scheduler that does not start.
    security(keys)
    # Shells have background jobs ignore Ctrl-C; asked for by name, it is meant.
    for end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end, signal.default_int_handler)
    root = build_root() / "farm"
    root.mkdir(parents=True, exist_ok=True)
    contact = root / f"scheduler-{os.getpid()}.json"
    common = ["--host", LOOPBACK, *([] if keys is None else ["--tls", str(keys)])]
    words = ["scheduler", *common, "--port", str(port), "--contact", str(contact)]
    processes = [_start(words, root / "scheduler.log", {})]
    try:
        address = _address(contact, processes[0], root / "scheduler.log")
        for number in range(workers):
            own = root / f"worker-{number}"
            words = ["worker", address, *common, "--name", f"worker-{number}"]
            processes.append(_start(words, root / f"worker-{number}.log", {"GOLDBEAT_BUILD": str(own)}))
        tell(f"scheduler at {address}, process {processes[0].pid}; logs in {root}")
        for number, process in enumerate(processes[1:]):
            tell(f"worker-{number}: process {process.pid}, build folder {root / f'worker-{number}'}")
        tell(f"goldbeat regress --engine {address}" + ("" if keys is None else f" --tls {keys}"))
        while processes[0].poll() is None:
            time.sleep(0.5)
        raise ToolError(f"the scheduler has ended; its log is {root / 'scheduler.log'}")
    except KeyboardInterrupt:
        tell("ended")
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        contact.unlink(missing_ok=True)


@contextmanager
def scheduler_process(host: str, keys: Path, folder: Path) -> Iterator[str]:
    """The address of a scheduler that runs as a process of its own until the end of the block.

    Args:
        host: address to listen on.
        keys: folder of the farm's keys.
        folder: for its log.
    """
    contact, log = folder / "scheduler.json", folder / "scheduler.log"
    contact.unlink(missing_ok=True)
    words = ["scheduler", "--host", host, "--tls", str(keys), "--port", "0", "--contact", str(contact)]
    process = _start(words, log, {})
    try:
        yield _address(contact, process, log)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _start(words: list[str], log: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start ``goldbeat farm WORDS`` as a process of its own."""
    parent = os.getpid()
    path = os.pathsep.join(p for p in (str(IMPORT_ROOT), os.environ.get("PYTHONPATH", "")) if p)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as stream:
        return subprocess.Popen(
            [sys.executable, "-m", "goldbeat.tb.cli", "farm", *words],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=os.environ | {"PYTHONPATH": path} | environment,
            start_new_session=True,
            # There are no other threads here that this could hurt.
            preexec_fn=lambda: orphan_guard.end_with(parent),
        )


def _address(contact: Path, scheduler: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        if contact.is_file():
            with suppress(ValueError):
                return str(json.loads(contact.read_text())["address"])
        if scheduler.poll() is not None:
            break
        time.sleep(0.1)
    tail = "\n".join(log.read_text(errors="replace").splitlines()[-5:])
    raise ToolError(f"the scheduler does not start; its log {log} ends with:\n{tail}")
