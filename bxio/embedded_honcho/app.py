"""The embedded Honcho server: the real one's HTTP contract over SQLite, without a socket of its own."""

from __future__ import annotations

import hmac
import json
import sqlite3
import time
from collections.abc import Iterable
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path

import httpx

from bxcore.http import HttpRequest, HttpResponse
from bxcore.workspaces import is_honcho_name
from bxio.embedded_honcho import rows
from bxio.embedded_honcho.call import PATIENCE_S, Call, Responder
from bxio.embedded_honcho.database import Database
from bxio.embedded_honcho.faults import NONE, Faults, FaultState
from bxio.embedded_honcho.in_process import InProcessTransport
from bxio.embedded_honcho.problems import HttpProblem, failed, refused
from bxio.embedded_honcho.routes import route


class EmbeddedHoncho:
    """A Honcho server in the process. Any thread may call it; one request holds the database at a time.

    ``responder`` answers questions from passages (None: they are quoted). ``agent`` is the agent's own peer,
    whose words count less than what it was told. ``workspaces`` are there from the start, so that asking
    them before anything was said is answered with nothing. ``token``, when not empty, is asked for always.
    Raises ``DamagedDatabase`` when the file cannot be used.
    """

    def __init__(  # noqa: PLR0913 - all by name
        self,
        path: Path,
        responder: Responder | None = None,
        *,
        agent: str | None = None,
        workspaces: Iterable[str] = (),
        token: str = "",
        faults: Faults = NONE,
    ) -> None:
        self._database = Database(path)
        self._responder = responder
        self._agent = agent
        self._token = token
        self._faults = FaultState(faults)
        with self._database.transaction(PATIENCE_S) as tx:
            for workspace in workspaces:
                rows.ensure(tx, rows.WORKSPACE, workspace, workspace)

    def transport(self) -> httpx.BaseTransport:
        """A transport for an httpx client that ends here, in the caller's thread."""
        return InProcessTransport(self.handle)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer one request; raises ``TimeoutError`` when its deadline passes on the way."""
        try:
            response = self._answer(request)
        except HttpProblem as problem:
            response = problem.response
        except sqlite3.Error:
            response = failed().response
        if response.status == HTTPStatus.INTERNAL_SERVER_ERROR and self._faults.faults.close_after_500:
            return replace(response, close=True)
        return response

    def _answer(self, request: HttpRequest) -> HttpResponse:
        if request.path != "/" and request.path.endswith("/"):
            return HttpResponse(
                status=HTTPStatus.TEMPORARY_REDIRECT, headers={"location": request.path.rstrip("/")}
            )
        handler, names = route(request.method, request.path)
        self._faults.withhold(request)
        if request.path != "/health":
            self._admit(request)
        deadline_s = time.monotonic() + PATIENCE_S if request.deadline_s is None else request.deadline_s
        self._faults.strike(request, deadline_s)
        self._check(request, [names[key] for key in names if key != "message"])
        call = Call(
            request=request,
            names=names,
            database=self._database,
            deadline_s=deadline_s,
            agent=self._agent,
            responder=self._responder,
        )
        return handler(call)

    def _admit(self, request: HttpRequest) -> None:
        if not self._token:
            return
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise HttpProblem(HTTPStatus.UNAUTHORIZED, "No access token provided")
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            raise HttpProblem(HTTPStatus.UNAUTHORIZED, "Invalid JWT")

    def _check(self, request: HttpRequest, names: list[str]) -> None:
        """Refuse names and text that nothing can store; the real server answers some of them 500."""
        wrong = [f"Invalid name: {name[:100]}" for name in names if not is_honcho_name(name)]
        if b"\\ud" in request.body.lower() and _has_lone_surrogate(request.body):
            wrong.append("The text holds a lone surrogate")
        if wrong:
            raise failed() if self._faults.faults.poison else refused(wrong[0])


def _has_lone_surrogate(body: bytes) -> bool:
    try:
        json.dumps(json.loads(body), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except (ValueError, RecursionError):
        return False
    return False
