"""The embedded model's own process: ``python -m bxio.embedded_model`` (spec 6.4).

Its order comes as one JSON line on standard input, its news go as JSON lines to standard output, llama.cpp's
log to standard error. It serves on a unix socket in a private folder, so no port is open and no key is
needed, and it ends when its standard input does: when its parent dies, however that dies.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import select
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from bxio.weights import WeightsError, choose, free_memory_bytes, owners_file, ready

SPINS = "20000"
"""How long OpenMP's threads spin for work; its own default starves a small box."""

PROMPT_CACHE_MIB = 64
ERRORS_ONLY = 1
KEPT_PREFIXES = 2
PREFIX_WAIT_S = 600.0


class News:
    """Tells the parent; per cent lines only when they are ten apart, so that a log stays readable."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def send(self, event: str, **fields: object) -> None:
        """One line; raises ``BrokenPipeError`` when the parent is gone."""
        self._out.write(json.dumps({"event": event, **fields}) + "\n")
        self._out.flush()

    def progress(self, doing: str, per_cent: int) -> None:
        """How far the weights are."""
        if per_cent % 10 == 0:
            self.send("progress", text=f"{doing} the model's weights, {per_cent} %")


def main() -> int:
    """Read the order, get the weights, load, say so, and serve until the parent is gone."""
    news = News(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)  # whatever a library prints is log
    order = json.loads(sys.stdin.readline())
    try:
        path, name = _weights(order, news)
        server = _load(path, name, order, news)
    except WeightsError as problem:
        news.send("failed", sentence=problem.sentence)
        return 1
    if order.get("prefix"):
        Prefix(order, path).have_read(news)
    news.send("ready", name=name, context_tokens=order["context_tokens"])
    sys.stdin.read()
    del server
    os._exit(0)  # its own threads are not waited for


def _weights(order: Mapping[str, Any], news: News) -> tuple[Path, str]:
    if order.get("file"):
        path = owners_file(Path(order["file"]))
        return path, path.stem
    release = choose(free_memory_bytes())
    return ready(release, Path(order["cache"]), news.progress), release.name


def _load(path: Path, name: str, order: Mapping[str, Any], news: News) -> object:
    news.send("progress", text=f"loading {name}")
    os.environ.setdefault("GOMP_SPINCOUNT", SPINS)
    try:
        import xllamacpp  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        raise WeightsError(
            "the embedded model's server is not installed; install boxmaker with the extra embedded, or set"
            " [model] url to a model server"
        ) from None
    params = xllamacpp.CommonParams()
    _set(params, path, order)
    Path(order["socket"]).unlink(missing_ok=True)
    try:
        return xllamacpp.Server(params)
    except RuntimeError:  # it gives no reason
        raise WeightsError(
            f"llama.cpp cannot load {path}: it is damaged or no chat model, or memory is short; see its log,"
            " or set [model] url"
        ) from None


def _set(params: Any, path: Path, order: Mapping[str, Any]) -> None:
    threads = max(1, _cores() - 1)
    params.model.path = str(path)
    params.model_alias = [path.stem] if isinstance(params.model_alias, (list, set)) else path.stem
    params.hostnames = [order["socket"]]
    params.n_ctx = order["context_tokens"]
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.cache_prompt = True
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.no_extra_bufts = True
    params.ui = False
    params.endpoint_slots = True
    prefix = Prefix(order, path)
    if prefix.can_be_kept:
        params.slot_save_path = str(prefix.folder) + os.sep
    params.verbosity = ERRORS_ONLY


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Prefix:
    """What every session's prompt starts with, read once and kept: it costs seconds, its memory 10 MB.

    Only the fixed part of the baseline is in it, nothing of the owner.
    """

    def __init__(self, order: Mapping[str, Any], path: Path) -> None:
        self.folder = Path(order["cache"]) / "prefixes"
        with contextlib.suppress(OSError):  # a cache that cannot be written: it is read anew each time
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._messages = order["prefix"]
        self._socket = order["socket"]
        made_of = [self._messages, path.name, path.stat().st_size, order["context_tokens"], _version()]
        self._name = hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:32] + ".slot"

    @property
    def can_be_kept(self) -> bool:
        """Whether there is a folder for it."""
        return self.folder.is_dir()

    def have_read(self, news: News) -> None:
        """Take the kept one, or have the model read it now. A failure costs time later, and nothing else."""
        if self._taken():
            return
        news.send("progress", text="the model reads its instructions for the first time, about 15 seconds")
        body = {"messages": self._messages, "max_tokens": 1, "cache_prompt": True, "temperature": 0}
        if self._ask("/v1/chat/completions", body) and self.can_be_kept:
            with contextlib.suppress(OSError):
                self._keep()

    def _taken(self) -> bool:
        """Whether the kept one was restored; it is out of the way meanwhile, lest it crash every start."""
        kept, tried = self.folder / self._name, self.folder / f"{self._name}.tried"
        try:
            kept.rename(tried)
        except OSError:
            return False
        if not self._ask("/slots/0?action=restore", {"filename": tried.name}):
            tried.unlink(missing_ok=True)
            return False
        tried.rename(kept)
        return True

    def _keep(self) -> None:
        beside = self.folder / f"{self._name}.new"
        if self._ask("/slots/0?action=save", {"filename": beside.name}) and beside.exists():
            beside.rename(self.folder / self._name)
        found = sorted(self.folder.iterdir(), key=lambda kept: kept.stat().st_mtime, reverse=True)
        for old in found[KEPT_PREFIXES:]:
            old.unlink(missing_ok=True)

    def _ask(self, path: str, body: Mapping[str, Any]) -> bool:
        """Post to our own server, and end with the parent meanwhile."""
        connection = _Local(self._socket)
        try:
            connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
            readable, _, _ = select.select([connection.sock, sys.stdin], [], [], PREFIX_WAIT_S)
            if sys.stdin in readable:
                os._exit(0)
            return bool(readable) and connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


class _Local(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("model", timeout=PREFIX_WAIT_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(PREFIX_WAIT_S)
        self.sock.connect(self._path)


def _version() -> str:
    from importlib.metadata import version

    return version("xllamacpp")


if __name__ == "__main__":
    sys.exit(main())
