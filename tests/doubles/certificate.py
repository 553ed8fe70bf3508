"""A certificate for 127.0.0.1, made anew for a test run by the ``openssl`` command."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

_REQUEST = (
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
    "-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
)


@dataclass(frozen=True)
class Certificate:
    """Both sides of a TLS connection: what a server serves with, and what a client trusts."""

    server: ssl.SSLContext
    client: ssl.SSLContext


def make(folder: Path) -> Certificate:
    """Make a key and a certificate in ``folder``; the test is skipped where there is no ``openssl``."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed; it makes the certificate of this test")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [openssl, *_REQUEST.split(), "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
        timeout=20,
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate, key)
    return Certificate(server=server, client=ssl.create_default_context(cafile=str(certificate)))
