# SPDX-License-Identifier: Apache-2.0
"""``goldbeat farm``: workers for ``goldbeat regress --engine``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from goldbeat.tb.cli.common import Force, examples
from goldbeat.tb.cli.screen import Screen
from goldbeat.tb.paths import build_root
from goldbeat.tb.regress.farm import LOOPBACK

Keys = Annotated[
    Path | None,
    typer.Option("--tls", metavar="DIR", help="Folder with the keys of the farm."),
]
Insecure = Annotated[
    bool, typer.Option("--insecure", help="Listen without --tls. Anyone who reaches the port can run code as you.")
]
_SCHEDULER_PORT = 8786


def register(app: typer.Typer) -> None:
    """Add the commands of the group ``farm``."""
    app.command(
        "local",
        epilog=examples("goldbeat farm local --workers 2", "goldbeat regress nightly --engine tcp://127.0.0.1:8786"),
    )(local_command)
    app.command("keys", epilog=examples("goldbeat farm keys keys", "scp -p -r keys worker1:"))(keys_command)
    app.command("scheduler", epilog=examples("goldbeat farm scheduler --host 0.0.0.0 --tls keys"))(scheduler_command)
    app.command("worker", epilog=examples("goldbeat farm worker tls://10.0.0.5:8786 --host 10.0.0.7 --tls keys"))(
        worker_command
    )


def _tell(text: str) -> None:
    out = Screen(highlight=False)
    out.print(text, markup=False, soft_wrap=True)
    # Who reads a pipe waits for the address.
    out.file.flush()


def local_command(
    workers: Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Number of workers.")] = 2,
    port: Annotated[
        int, typer.Option("--port", metavar="P", min=0, max=65535, help="Port of the scheduler; 0: any.")
    ] = _SCHEDULER_PORT,
    keys: Keys = None,
) -> None:
    """Run a scheduler and workers on loopback until Ctrl-C.

    Each worker has its own build folder. Without --tls, every process on this machine can use the farm.
    """
    from goldbeat.tb.regress.farm import local_farm

    local_farm(workers, port, keys, _tell)


def keys_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the keys.")],
    days: Annotated[
        int, typer.Option("--days", metavar="N", min=1, max=36500, help="Number of days the keys are valid.")
    ] = 365,
    force: Force = False,
) -> None:
    """Make the keys of a farm.

    Copy the folder to every machine of the farm and keep it private.

    Pass it to scheduler, workers and `goldbeat regress` with --tls DIR. Whoever can read it can run code
    on the farm.
    """
    from goldbeat.tb.regress.farm_keys import make_keys

    make_keys(folder, days=days, force=force)
    _tell(f"keys in {folder}, valid for {days} days")


def scheduler_command(
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")] = LOOPBACK,
    port: Annotated[
        int, typer.Option("--port", metavar="P", min=0, max=65535, help="Port to listen on; 0: any.")
    ] = _SCHEDULER_PORT,
    keys: Keys = None,
    insecure: Insecure = False,
    dashboard: Annotated[
        int | None,
        typer.Option("--dashboard", metavar="P", min=0, max=65535, help="Port of dask's dashboard, on loopback."),
    ] = None,
    contact: Annotated[
        Path | None, typer.Option("--contact", metavar="FILE", help="Write the scheduler's address to this file.")
    ] = None,
) -> None:
    """Run the scheduler of a farm until Ctrl-C.

    Addresses other than loopback need --tls or --insecure.
    """
    from goldbeat.tb.regress.farm import need_distributed

    need_distributed()
    from goldbeat.tb.regress.farm_node import check_open, run_scheduler

    check_open(host, keys, insecure)
    run_scheduler(
        host,
        port,
        keys,
        dashboard=dashboard,
        contact=contact,
        scratch=build_root() / "dask",
        tell=lambda address: _tell(f"scheduler at {address}"),
    )


def worker_command(
    scheduler: Annotated[str, typer.Argument(metavar="ADDRESS", help="The scheduler's address.")],
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")] = LOOPBACK,
    keys: Keys = None,
    insecure: Insecure = False,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Name of the worker in reports [its address].")
    ] = None,
    resources: Annotated[
        list[str] | None, typer.Option("--resource", metavar="CLASS", help="Run cases of this class of resources too.")
    ] = None,
) -> None:
    """Run a worker of a farm until Ctrl-C, one case at a time.

    A worker that dies is started again.

    Addresses other than loopback need --tls or --insecure.
    """
    from goldbeat.tb.regress.farm import need_distributed

    need_distributed()
    from goldbeat.tb.regress.farm_node import check_open, run_worker

    check_open(host, keys, insecure)
    scratch = build_root() / "dask"
    run_worker(
        scheduler,
        host,
        keys,
        name=name,
        scratch=scratch,
        tell=lambda address: _tell(f"worker at {address}"),
        resources=resources or (),
    )
