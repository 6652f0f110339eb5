# SPDX-License-Identifier: Apache-2.0
"""Who gets into a farm, and what of it can be reached."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from goldbeat.pymodels.errors import InputError, ToolError, UsageError

pytest.importorskip("distributed", reason="dask.distributed is not installed (extra farm)")
pytest.importorskip("cryptography", reason="cryptography is not installed (extra farm)")

from goldbeat.tb.regress.farm import connect
from goldbeat.tb.regress.farm_keys import AUTHORITY, MEMBER, make_keys, security
from goldbeat.tb.regress.farm_node import check_open

TCP_LISTEN = "0A"


@pytest.fixture
def keys(tmp_path):
    make_keys(tmp_path / "keys")
    return tmp_path / "keys"


def goldbeat(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "goldbeat.tb.cli", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


@contextmanager
def farm(*words):
    """A farm with one worker: its address and the process ids of all of its processes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "goldbeat.tb.cli", "farm", "local", "--workers", "1", "--port", "0", *map(str, words)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"COLUMNS": "400"},
    )
    try:
        said = "".join(process.stdout.readline() for _ in range(3))
        address = re.search(r"scheduler at (\S+), process", said)[1]
        yield address, [process.pid, *map(int, re.findall(r"process (\d+)", said))]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def descendants(pid):
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += descendants(int(child))
    return found


def listening(pids):
    """Addresses that processes listen on, as (hexadecimal host, port)."""
    inodes = set()
    for pid in pids:
        # Handles are closed and processes end in between.
        with suppress(OSError):
            for handle in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(OSError):
                    inodes.update(re.findall(r"socket:\[(\d+)\]", str(handle.readlink())))
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == TCP_LISTEN and fields[9] in inodes:
                host, port = fields[1].split(":")
                found.append((host, int(port, 16)))
    return found


@pytest.mark.slow
def test_a_farm_listens_on_loopback_only_and_has_no_http_port(own_root):
    with farm() as (address, pids):
        end = time.monotonic() + 60
        # Scheduler, nanny and worker: one port each.
        while len(found := listening({p for pid in pids for p in descendants(pid)})) < 3 and time.monotonic() < end:
            time.sleep(0.2)
        time.sleep(1.0)
        found = listening({p for pid in pids for p in descendants(pid)})
        assert len(found) == 3
        assert {host for host, _ in found} == {"0100007F"}
        assert int(address.rpartition(":")[2]) in {port for _, port in found}
        for _, port in found:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as link:
                link.settimeout(3)
                link.sendall(b"GET /info/main/workers.html HTTP/1.0\r\n\r\n")
                try:
                    answer = link.recv(100)
                except OSError:
                    answer = b""
            assert not answer.startswith(b"HTTP/")


@pytest.mark.slow
def test_only_holders_of_the_keys_get_in(own_root, keys, tmp_path):
    other = tmp_path / "other"
    make_keys(other)
    with farm("--tls", keys) as (address, _):
        assert address.startswith("tls://")
        with connect(address, keys) as executor:
            assert executor.submit(pow, 2, 5).result(240) == 32
        with pytest.raises(ToolError, match="no dask scheduler answers"), connect(address, other):
            pass
        with pytest.raises(UsageError, match="--tls DIR"), connect(address, None):
            pass
        plain = address.replace("tls://", "tcp://")
        with pytest.raises(ToolError, match="no dask scheduler answers"), connect(plain, None):
            pass
        with pytest.raises(UsageError, match=r"expected tls://"), connect(plain, keys):
            pass


def test_keys_are_private_and_not_overwritten(keys):
    assert (keys / MEMBER).stat().st_mode & 0o777 == 0o600
    assert keys.stat().st_mode & 0o777 == 0o700
    before = (keys / MEMBER).read_bytes()
    done = goldbeat("farm", "keys", keys)
    assert done.returncode == 2
    assert "--force" in done.stderr
    assert (keys / MEMBER).read_bytes() == before
    assert goldbeat("farm", "keys", keys, "--force").returncode == 0
    assert (keys / MEMBER).read_bytes() != before


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda k: (k / AUTHORITY).unlink(), "missing ca.pem"),
        (lambda k: (k / MEMBER).unlink(), "missing farm.pem"),
        (lambda k: (k / MEMBER).chmod(0o644), "others can read it"),
        (lambda k: (k / MEMBER).write_bytes(b"nonsense"), "not usable"),
        (lambda k: (k / AUTHORITY).write_bytes(b"nonsense"), "not usable"),
    ],
)
def test_keys_that_are_not_usable_are_refused(keys, damage, message):
    damage(keys)
    with pytest.raises(InputError, match=message):
        security(keys)


@pytest.mark.slow
def test_other_machines_get_in_only_with_keys_or_when_asked_for(keys):
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        with pytest.raises(UsageError, match="can run code as you"):
            check_open(host, None, insecure=False)
        check_open(host, keys, insecure=False)
        check_open(host, None, insecure=True)
    for host in ("127.0.0.1", "::1", "localhost", "127.8.9.1"):
        check_open(host, None, insecure=False)
    for command in (["scheduler"], ["worker", "tcp://127.0.0.1:1"]):
        done = goldbeat("farm", *command, "--host", "0.0.0.0")
        assert done.returncode == 2
        assert "--insecure" in done.stderr
