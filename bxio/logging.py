"""Where log lines go: stderr and rotated files, every finished text redacted (ux notes 9).

Lines are written with loguru (``from loguru import logger``); ids travel in messages and are bound where a
line is written: ``logger.bind(session=…, turn=…)``. Redaction works on the finished text, traceback included,
because that is the only place where all of a line is there.
"""

from __future__ import annotations

import contextlib
import json
import logging
import logging.handlers
import os
import sys
from collections.abc import Callable, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from loguru import logger

from bxcore.sanitize import redact

if TYPE_CHECKING:
    from loguru import Message, Record

FILE_BYTES = 10_000_000
FILES = 5
_CONTROL = {code: f"\\x{code:02x}" for code in [*range(32), *range(127, 160)] if chr(code) not in "\n\t"}
_COLOURS = {
    "WARNING": "\033[33m",
    "ERROR": "\033[31m",
    "CRITICAL": "\033[31m",
    "DEBUG": "\033[2m",
    "TRACE": "\033[2m",
}


def set_up(level: str, folder: Path | None, *, stream: TextIO | None = None) -> None:
    """Send lines of ``level`` and above to ``stream`` (stderr by default) and to ``folder/boxmaker.jsonl``.

    For people when the stream is a terminal, else JSON. Called again, it replaces what was set up before.
    Raises ``OSError`` when the folder cannot be written.
    """
    out = sys.stderr if stream is None else stream
    tty = out.isatty()
    logger.remove()
    _add(
        level,
        _for_people(out, colour=tty and not os.environ.get("NO_COLOR")) if tty else _as_json(_writer(out)),
    )
    if folder is not None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _add(level, _JsonFile(folder / "boxmaker.jsonl"))
    _take_over_stdlib()


def _add(level: str, sink: Callable[[Message], None] | _JsonFile) -> None:
    # Without diagnose=False a traceback shows the values of variables. A sink that failed would have loguru
    # print the whole record, unredacted: these sinks do not fail, and catch=False keeps loguru out of it.
    logger.add(
        sink,
        level=level.upper(),
        format="{message}\n{exception}",
        diagnose=False,
        backtrace=False,
        catch=False,
    )


def _writer(out: TextIO) -> Callable[[str], None]:
    def write(line: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a closed or full stream must not stop an actor
            out.write(line + "\n")
            out.flush()

    return write


def _for_people(out: TextIO, *, colour: bool) -> Callable[[Message], None]:
    write = _writer(out)

    def sink(message: Message) -> None:
        record = message.record
        name = record["level"].name
        ids = "".join(f" {key}={value}" for key, value in record["extra"].items())
        head = f"{record['time']:%H:%M:%S} {name.lower():7}"
        paint, reset = (_COLOURS.get(name, ""), "\033[0m") if colour else ("", "")
        text = redact(f"{_text(message)}{ids}").translate(_CONTROL)
        write(f"{paint}{head}{reset} {text}")

    return sink


def _as_json(write: Callable[[str], None]) -> Callable[[Message], None]:
    def sink(message: Message) -> None:
        write(json.dumps(_fields(message.record, _text(message)), default=str))

    return sink


class _JsonFile:
    """A rotated file of JSON lines; loguru calls ``stop`` when the sink is taken out."""

    def __init__(self, path: Path) -> None:
        self._handler = _Rotating(path, maxBytes=FILE_BYTES, backupCount=FILES)
        self._sink = _as_json(self._write_line)

    def write(self, message: Message) -> None:
        """Write one line; loguru holds its lock meanwhile."""
        self._sink(message)

    def stop(self) -> None:
        """Close the file."""
        self._handler.close()

    def _write_line(self, line: str) -> None:
        self._handler.handle(logging.makeLogRecord({"msg": line}))


def _text(message: Message) -> str:
    """The finished text: the line, and the traceback below it when there is one."""
    return str(message).rstrip("\n")


def _fields(record: Record, text: str) -> Mapping[str, Any]:
    """A line's fields. Redacted before they become JSON, whose escapes would hide a key of several lines."""
    line, _, trace = text.partition("\nTraceback ")
    fields = {
        "at": record["time"].isoformat(timespec="milliseconds"),
        "level": record["level"].name.lower(),
        "from": record["name"],
        "message": redact(line),
        **{key: redact(str(value)) for key, value in record["extra"].items()},
    }
    return {**fields, "trace": redact(f"Traceback {trace}")} if trace else fields


class _Rotating(logging.handlers.RotatingFileHandler):
    """The standard library's rotation, with files of mode 0600 and no word on stderr when a disk is full."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, self.mode, encoding="utf-8", opener=_private)  # type: ignore[return-value]

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the standard library's name
        """Drop the line: the standard one would print it to stderr, and logging must not stop an actor."""


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


class _IntoLoguru(logging.Handler):
    """What libraries log through the standard library: their warnings are ours too."""

    def emit(self, record: logging.LogRecord) -> None:
        """Hand one record on; a level that loguru does not know is passed as its number."""
        level: str | int = record.levelname if record.levelname in _LEVELS else record.levelno
        with contextlib.suppress(Exception):  # a broken %-format of a library is not ours to crash on
            logger.bind(library=record.name).opt(exception=record.exc_info).log(level, record.getMessage())


_LEVELS = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})


def _take_over_stdlib() -> None:
    logging.basicConfig(handlers=[_IntoLoguru()], level=logging.WARNING, force=True)
