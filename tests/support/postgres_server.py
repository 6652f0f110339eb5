# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of a test's own: a folder, a socket in it, and a password."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

PASSWORD = "s3cret-of-the-test"
_WAIT_S = 30


def programs():
    """The folder of ``initdb`` and ``postgres``; None: there is none."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


def lacking():
    """Why no server can be started; empty if one can."""
    if programs() is None:
        return "no PostgreSQL server (initdb, postgres) on this machine"
    if os.geteuid() == 0 and (shutil.which("runuser") is None or not _account()):
        return "PostgreSQL refuses to run as root, and there is no account postgres"
    return ""


def _account():
    return subprocess.run(["id", "postgres"], capture_output=True, check=False).returncode == 0


@contextmanager
def server():
    """Start one, and give its address."""
    folder = Path(tempfile.mkdtemp(prefix="gb-pg-"))
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    try:
        (folder / "password").write_text(PASSWORD)
        if as_user:
            shutil.chown(folder, "postgres")
            shutil.chown(folder / "password", "postgres")
        made = [programs() / "initdb", "-D", folder / "data", "-U", "tester", "-A", "scram-sha-256", "--no-sync"]
        subprocess.run([*as_user, *made, f"--pwfile={folder / 'password'}"], capture_output=True, check=True, cwd="/")
        words = ["-D", folder / "data", "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"]
        with (folder / "log").open("w") as log:
            process = subprocess.Popen([*as_user, programs() / "postgres", *words], stdout=log, stderr=log, cwd="/")
        try:
            _wait(folder, process)
            yield f"postgresql://tester:{PASSWORD}@/postgres?host={folder}"
        finally:
            # The server itself, not what has started it. SIGINT: do not wait for clients.
            os.kill(int((folder / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGINT)
            try:
                process.wait(_WAIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(folder, process):
    for _ in range(_WAIT_S * 20):
        if "ready to accept connections" in (folder / "log").read_text():
            return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise RuntimeError((folder / "log").read_text())
