# SPDX-License-Identifier: Apache-2.0
"""Files by their content: how simulators, inputs and description files reach a worker without a shared file system."""

from __future__ import annotations

import errno
import io
import os
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from goldbeat.tb.design.description import BLESSED
from goldbeat.tb.paths import build_root
from goldbeat.tb.regress.fingerprint import content_hash


def blob_path(name: str) -> Path:
    """Where the content with this hash lies, if it is here."""
    return build_root() / "blobs" / name


def keep_blob(name: str, packed: bytes) -> None:
    """Put away what another process has sent; raises ValueError when it is not what its name says."""
    data = zlib.decompress(packed)
    if content_hash(data) != name:
        raise ValueError(f"the content is not that of {name}")
    path = blob_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Executable from the start: a file that another process has open for writing cannot be run.
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=f"{name}.part")
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    Path(part).chmod(0o755)
    Path(part).replace(path)


def pack(data: bytes) -> bytes:
    """As it travels."""
    return zlib.compress(data, 3)


def archive(file: Path) -> bytes:
    """A description file with the Python files, descriptions and recordings beside it; the same bytes for the same files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as out:
        wanted = [p for p in file.parent.iterdir() if p.suffix in (".py", ".toml") or p.name.endswith(BLESSED)]
        for path in sorted({file, *wanted}):
            if path.is_file():
                out.writestr(zipfile.ZipInfo(path.name), path.read_bytes())
    return content.getvalue()


def unpack_archive(name: str, file: str) -> Path:
    """The description file of an archive that is here."""
    folder = blob_path(name).with_suffix(".files")
    if not folder.is_dir():
        part = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f"{folder.name}.part"))
        with zipfile.ZipFile(blob_path(name)) as content:
            content.extractall(part)
        try:
            part.rename(folder)
        except OSError:
            # Another worker was faster.
            for leftover in part.iterdir():
                leftover.unlink()
            part.rmdir()
    _mend(name, folder)
    return folder / Path(file).name


def _mend(name: str, folder: Path) -> None:
    """Write again what is not as the archive has it."""
    with zipfile.ZipFile(blob_path(name)) as content:
        for entry in content.namelist():
            path, data = folder / entry, content.read(entry)
            if not path.is_file() or path.read_bytes() != data:
                part = folder / f"{entry}.part{os.getpid()}"
                part.write_bytes(data)
                part.replace(path)


def take_content(wanted: Mapping[str, str], sent: Mapping[str, bytes] | None) -> tuple[str, ...]:
    """Put away what was sent, and say what is still missing.

    Args:
        wanted: content hashes by role.
        sent: what this worker has said to be missing, packed, by hash; None: it was not asked yet.

    Raises:
        ValueError: a content is not what its name says.
        OSError: what was sent is not here afterwards; to ask for it once more would go on without end.
    """
    for name, packed in (sent or {}).items():
        keep_blob(name, packed)
    lacking = missing_blobs(wanted)
    if sent and not set(lacking).isdisjoint(sent):
        raise OSError(errno.EIO, "the worker does not keep what it is sent", str(build_root() / "blobs"))
    return lacking


def missing_blobs(names: Mapping[str, str]) -> tuple[str, ...]:
    """Which of these contents are not here, or are not what their names say."""
    return tuple(sorted({name for name in names.values() if not _is_whole(name)}))


def _is_whole(name: str) -> bool:
    try:
        return content_hash(blob_path(name).read_bytes()) == name
    except OSError:
        return False
