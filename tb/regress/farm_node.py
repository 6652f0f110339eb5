# SPDX-License-Identifier: Apache-2.0
"""A scheduler or a worker of a farm as this process: dask.distributed's own, with nothing listening but the node itself.

dask's commands open an HTTP port beside every node, on all interfaces unless told otherwise. Here there is none unless
a dashboard is asked for, and that one is on loopback.
"""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import socket
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import dask
from distributed import Nanny, Scheduler, Worker
from distributed.http.routing import RoutingApplication
from tornado.httpserver import HTTPServer

from goldbeat.pymodels.errors import ToolError, UsageError
from goldbeat.tb.regress.farm import LOOPBACK
from goldbeat.tb.regress.farm_guard import guard_node
from goldbeat.tb.regress.farm_keys import security

WORKER_TTL = "60s"
"""A worker that has been silent for so long (stopped, out of reach) is taken to have gone; others run what it had."""


# The worker process of a nanny imports its class from here, and listens as well.
guard_node()


class _Silent:
    """A node without an HTTP port."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Make the server that dask expects, and let it listen nowhere."""
        self.http_application = RoutingApplication([])
        self.http_server = HTTPServer(self.http_application)


class _SilentScheduler(_Silent, Scheduler):  # type: ignore[misc]
    pass


class SilentWorker(_Silent, Worker):  # type: ignore[misc]
    """The worker process that a nanny starts; it imports this class by its name."""


def check_open(host: str, keys: Path | None, insecure: bool) -> None:
    """Refuse to listen where others can reach it, unless the keys decide who gets in or the user wants it so.

    Raises:
        UsageError: the host is not on loopback, and there is neither ``--tls`` nor ``--insecure``.
    """
    if keys is None and not insecure and not _is_loopback(host):
        raise UsageError(
            f"--host {host}: whoever reaches this port can run code as you; use --tls DIR "
            "(`goldbeat farm keys DIR` makes the keys), or --insecure on a network that you trust"
        )


def _is_loopback(host: str) -> bool:
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None)}
    except OSError as error:
        raise UsageError(f"--host {host}: {error.strerror}") from None
    return all(ipaddress.ip_address(str(address).partition("%")[0]).is_loopback for address in found)


def run_scheduler(
    host: str,
    port: int,
    keys: Path | None,
    *,
    dashboard: int | None,
    contact: Path | None,
    scratch: Path,
    tell: Callable[[str], None],
) -> None:
    """Run a scheduler until Ctrl-C or SIGTERM.

    Args:
        host: address to listen on.
        port: to listen on; 0: any.
        keys: folder of the farm's keys; None: everybody is let in.
        dashboard: port of dask's dashboard on loopback; None: there is none.
        contact: file that gets the scheduler's address.
        scratch: folder for dask's own files. Its own choice is one in the common folder for temporary files, which dask takes
            modules from.
        tell: is told the address.
    """
    guard = security(keys)
    dask.config.set({"temporary-directory": str(scratch)})

    async def node() -> None:
        words: dict[str, Any] = {"host": host, "port": port, "security": guard, "dashboard": dashboard is not None}
        words["protocol"] = "tcp" if guard is None else "tls"
        words["worker_ttl"] = WORKER_TTL
        words["scheduler_file"] = None if contact is None else str(contact)
        kind = _SilentScheduler
        if dashboard is not None:
            kind, words["dashboard_address"] = Scheduler, f"{LOOPBACK}:{dashboard}"
        async with kind(**words) as scheduler:
            tell(str(scheduler.address))
            await scheduler.finished()

    _until_signal(node, f"port {port} of {host}")


def run_worker(
    scheduler: str,
    host: str | None,
    keys: Path | None,
    *,
    name: str | None,
    scratch: Path,
    tell: Callable[[str], None],
    resources: Iterable[str] = (),
) -> None:
    """Run a worker of one thread, watched by a nanny that starts it again when it dies, until Ctrl-C or SIGTERM.

    Args:
        scheduler: its address.
        host: address to listen on; None: the one by which the scheduler is reached.
        keys: folder of the farm's keys.
        name: of the worker in reports; None: its address.
        scratch: folder for dask's own files.
        tell: is told the address.
        resources: classes of cases that it may run beside those without one.
    """
    guard = security(keys)

    async def node() -> None:
        nanny = Nanny(
            scheduler,
            nthreads=1,
            host=host,
            name=name,
            security=guard,
            local_directory=str(scratch),
            worker_class=SilentWorker,
            dashboard=False,
            resources=dict.fromkeys(resources, 1),
        )
        async with nanny:
            tell(str(nanny.worker_address))
            await nanny.finished()

    _until_signal(node, f"the scheduler {scheduler}")


def _until_signal(node: Callable[[], Awaitable[None]], what: str) -> None:
    async def main() -> None:
        task = asyncio.ensure_future(node())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        with suppress(asyncio.CancelledError):
            await task

    try:
        asyncio.run(main())
    except (OSError, RuntimeError, TimeoutError) as error:
        raise ToolError(f"{what}: {error}") from None
