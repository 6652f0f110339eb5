# SPDX-License-Identifier: Apache-2.0
"""Certificates of a farm: whoever holds them is let in, nobody else.

A farm has one certificate authority and one certificate, which scheduler, workers and masters share. Each side proves that it
has the certificate's key before anything else is exchanged (mutual TLS, done by dask.distributed).
"""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goldbeat.pymodels.errors import InputError, ToolError, UsageError
from goldbeat.tb.extras import install_hint

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.x509 import Certificate

AUTHORITY = "ca.pem"
"""The authority's certificate. Its key is used once and kept nowhere, so nobody can issue further certificates."""
MEMBER = "farm.pem"
"""The certificate of every member with its key: whoever can read this file can run code on the farm."""
_PRIVATE = 0o600
_DAYS = 365
_SLACK = datetime.timedelta(hours=1)
"""Clocks of machines differ: the certificates are valid from this long before they were made."""


def make_keys(folder: Path, *, days: int = _DAYS, force: bool = False) -> None:
    """Write a new authority and a certificate that it has issued.

    Args:
        folder: for both files; made if needed, readable for its owner only.
        days: how long they are valid.
        force: replace those that are there; members with the old ones are locked out.

    Raises:
        UsageError: the folder holds keys already.
        ToolError: the package that makes certificates is not installed.
    """
    for name in (AUTHORITY, MEMBER):
        if (folder / name).exists() and not force:
            raise UsageError(
                f"{folder / name} exists; --force replaces the keys and locks out members with the old ones"
            )
    try:
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    except ModuleNotFoundError as error:
        raise ToolError(f"farm keys need the Python package {error.name}: {install_hint('farm')}") from None
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = _certificate("Goldbeat farm authority", authority_key, None, authority_key, days)
    member_key = ec.generate_private_key(ec.SECP256R1())
    member = _certificate("Goldbeat farm", member_key, authority, authority_key, days)
    private = member_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _write(folder / AUTHORITY, authority.public_bytes(Encoding.PEM))
    _write(folder / MEMBER, member.public_bytes(Encoding.PEM) + private)


def _certificate(
    name: str,
    key: EllipticCurvePrivateKey,
    issuer: Certificate | None,
    issuer_key: EllipticCurvePrivateKey,
    days: int,
) -> Certificate:
    """A certificate of ``key``; without an issuer, that of an authority."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.x509.oid import NameOID

    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if issuer is None else issuer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SLACK)
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .sign(issuer_key, hashes.SHA256())
    )


def _write(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read, from its first byte on."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as file:
        file.write(data)


def security(folder: Path | None) -> Any:
    """What dask.distributed needs to let only holders of a folder's keys in (``distributed.Security``); None without a folder.

    Raises:
        InputError: the keys are missing, damaged, or readable for others.
    """
    if folder is None:
        return None
    import ssl

    from distributed import Security

    for name in (AUTHORITY, MEMBER):
        if not (folder / name).is_file():
            raise InputError(f"no {name}", "a folder that `goldbeat farm keys` has written", file=folder)
    member = folder / MEMBER
    if member.stat().st_mode & 0o077:
        raise InputError(
            f"mode {member.stat().st_mode & 0o777:o}, others can read it", f"mode 600 (chmod 600 {member})", file=member
        )
    try:
        context = ssl.create_default_context(cafile=str(folder / AUTHORITY))
        context.load_cert_chain(member)
    except (ssl.SSLError, ValueError) as error:
        raise InputError(
            f"not usable: {error}", "the keys that `goldbeat farm keys` has written", file=folder
        ) from None
    roles = {f"tls_{role}_cert": str(member) for role in ("client", "scheduler", "worker")}
    return Security(tls_ca_file=str(folder / AUTHORITY), require_encryption=True, **roles)
