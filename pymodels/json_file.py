# SPDX-License-Identifier: Apache-2.0
"""JSON files from anywhere: damage, endless nesting and packed bombs are one kind of error, with the place."""

from __future__ import annotations

import json
import zlib
from os import PathLike
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import InputError

_GZIP = b"\x1f\x8b"
LARGEST = 1 << 30
"""Bytes of a packed file at most, unpacked."""


def read_json(path: str | PathLike[str], expected: str) -> Any:
    """What a JSON file holds; it may be packed by gzip.

    Args:
        path: the file.
        expected: what it should be, for messages.

    Raises:
        InputError: no such file, not JSON, nested too deeply, or larger than :data:`LARGEST` when unpacked.
    """
    try:
        raw = Path(path).read_bytes()
        if raw.startswith(_GZIP):
            raw = _unpacked(raw)
        return json.loads(raw.decode("utf-8-sig"))
    except FileNotFoundError:
        raise InputError("no such file", expected, file=path) from None
    except json.JSONDecodeError as error:
        raise InputError(error.msg, f"{expected} as JSON", file=path, line=error.lineno) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte 0x{error.object[error.start]:02x}", "UTF-8 text", file=path, offset=error.start
        ) from None
    except RecursionError:
        raise InputError("brackets nested too deeply", f"{expected} as JSON", file=path) from None
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(str(error), f"{expected} as JSON", file=path) from None


def _unpacked(raw: bytes) -> bytes:
    """The content of a gzip file, without asking for more than :data:`LARGEST` bytes."""
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    text = unpacker.decompress(raw, LARGEST)
    if unpacker.unconsumed_tail:
        raise ValueError(f"more than {LARGEST} bytes when unpacked")
    if not unpacker.eof:
        raise EOFError("the file is cut off")
    return text
