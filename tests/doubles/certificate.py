"""A certificate, made anew for a test run by the ``openssl`` command."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

_REQUEST = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=boxmaker"


@dataclass(frozen=True)
class Certificate:
    """Both sides of a TLS connection: what a server serves with, and what a client trusts, also as a file."""

    server: ssl.SSLContext
    client: ssl.SSLContext
    file: Path


def make(folder: Path, *, holder: str = "IP:127.0.0.1", over: bool = False) -> Certificate:
    """Make a key and a certificate in ``folder``, valid from now on, or no more when it is to be ``over``.

    The test is skipped where there is no ``openssl``.
    """
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed; it makes the certificate of this test")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subject = ["-addext", f"subjectAltName={holder}", "-days", "2"]
    _run([openssl, *_REQUEST.split(), *subject, "-keyout", str(key), "-out", str(certificate)])
    if over:
        again = ["x509", "-in", str(certificate), "-signkey", str(key), "-days", "-1"]
        _run([openssl, *again, "-out", str(certificate)])
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate, key)
    client = ssl.create_default_context(cafile=str(certificate))
    return Certificate(server=server, client=client, file=certificate)


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=20)
