"""A podman client for one piece of work: every step ends at one deadline, and a ``Cut`` ends it sooner.

The package's own time-outs are per read, and nothing wakes a thread that waits in one. Here the client has an
adapter whose connections are sockets of ours; what is replaced is public in requests and urllib3.
"""

from __future__ import annotations

import contextlib
import functools
import json
import socket
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import requests.adapters
import urllib3.connection
from podman import PodmanClient
from podman.errors import APIError

from bxcore.sandbox import SandboxError
from bxcore.sandbox.podman_words import plain
from bxio.cut import Cut

JSON = {"content-type": "application/json"}


class DeadlineSocket(socket.socket):
    """A unix socket whose every read and write is granted what is left until ``deadline_s``, monotonic."""

    deadline_s: float

    def recv_into(self, *arguments: Any) -> int:
        """As ever, within the deadline; raises ``TimeoutError``."""
        self._grant_what_is_left()
        return super().recv_into(*arguments)

    def sendall(self, *arguments: Any) -> None:
        """As ever, within the deadline; raises ``TimeoutError``."""
        self._grant_what_is_left()
        super().sendall(*arguments)

    def _grant_what_is_left(self) -> None:
        left_s = self.deadline_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("the deadline has passed")
        self.settimeout(left_s)


def connect(path: Path, deadline_s: float) -> DeadlineSocket:
    """Connect to the unix socket at ``path``; raises ``OSError``."""
    made = DeadlineSocket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.deadline_s = deadline_s
    try:
        made.settimeout(max(0.001, deadline_s - time.monotonic()))
        made.connect(str(path))
    except BaseException:
        made.close()
        raise
    return made


class _Connection(urllib3.connection.HTTPConnection):
    def __init__(self, *arguments: Any, path: Path, deadline_s: float, cut: Cut, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._path = path
        self._deadline_s = deadline_s
        self._cut = cut
        self._ticket: int | None = None

    def connect(self) -> None:
        made = connect(self._path, self._deadline_s)
        self._ticket = self._cut.hold(made)
        self.sock = made

    def close(self) -> None:
        super().close()
        if self._ticket is not None:
            self._cut.release(self._ticket)
            self._ticket = None


class _Adapter(requests.adapters.HTTPAdapter):
    def __init__(self, path: Path, deadline_s: float, cut: Cut) -> None:
        self._connection = functools.partial(_Connection, path=path, deadline_s=deadline_s, cut=cut)
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options)
        made = type("_Pool", (urllib3.HTTPConnectionPool,), {"ConnectionCls": self._connection})
        self.poolmanager.pool_classes_by_scheme = {"http": made}


@contextlib.contextmanager
def client(path: Path, deadline_s: float, cut: Cut) -> Iterator[PodmanClient]:
    """A client of the service at ``path``, for one thread; ``saying`` turns its errors into sentences."""
    with PodmanClient(base_url=f"unix://{path}") as made:
        made.api.mount("http://", _Adapter(path, deadline_s, cut))
        yield made


@contextlib.contextmanager
def saying(doing: str) -> Iterator[None]:
    """Raise the package's errors as ``SandboxError``: ``podman could not <doing>: <its words>``."""
    try:
        yield
    except (APIError, OSError) as error:
        raise SandboxError(f"podman could not {doing}: {words(error)}") from None


def words(error: APIError | OSError) -> str:
    """Podman's own words, or those of what kept us from hearing them."""
    if isinstance(error, APIError) and error.response is not None:
        return plain(error.explanation or str(error))
    cause: BaseException = error
    while cause.__cause__ is not None or cause.__context__ is not None:
        cause = cause.__cause__ or cause.__context__ or cause
    if isinstance(cause, TimeoutError):
        return "it did not answer in time"
    return "its service does not answer"


def post(podman: PodmanClient, path: str, body: Mapping[str, Any]) -> Any:
    """Post JSON and give back the answer's; raises ``APIError``."""
    answer = podman.api.post(path, data=json.dumps(body), headers=JSON)
    answer.raise_for_status()
    return answer.json()
