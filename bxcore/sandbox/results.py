"""What a model is told of a run (spec 2.5). The same run always gives the same text.

``shell``: first how it ended (``exit code 0``; ``killed at its limit of 60 s``), then each stream that is not
empty under a line of its own, ``stdout:`` and ``stderr:``. The line says when only the first bytes are shown,
with the true total, and when the bytes are no text: then none of them are shown. A run without output says
``no output``.

``read_file``: the file's text alone when all of it was read; else one line before it, ``bytes 0 to 65536 of
200000; read on with offset 65536``. An empty file, an offset behind the end, bytes that are no text and what
is no readable file are a sentence each.

``write_file``: how many bytes were written or appended, and where.

Every answer carries the grant's floor as its label, since a failure tells about the folder, too.
"""

from __future__ import annotations

import codecs
import math
import re
import unicodedata
from typing import assert_never

from bxcore.args import ReadFileArgs, ShellArgs, WriteFileArgs
from bxcore.sandbox.job import BrokenOffError, Limits, Ran, SandboxError, Stream
from bxcore.sandbox.jobs import Task, job
from bxcore.sandbox.scripts import Ended
from bxcore.tool_answer import EFFECT_UNKNOWN, Effect, ToolAnswer

KILLED = 137
"""128 and the number of SIGKILL, as a shell reports it."""
NO_TEXT_SHARE = 0.1
"""Over this share of characters that no text has, bytes are not shown."""
MAX_REASON = 300
"""Characters that are shown of a tool's own complaint."""

_IN_TEXT = frozenset("\n\t\r\b\f\x1b")


def answer(task: Task, ran: Ran) -> ToolAnswer:
    """What the model is told of the run of ``task``."""
    match task.args:
        case ReadFileArgs():
            ok, content = _read(task, task.args, ran)
        case WriteFileArgs():
            ok, content = _written(task, task.args, ran)
        case ShellArgs():
            ok, content = ran.exit_code == 0, _shell(task, ran)
        case _:
            assert_never(task.args)
    return ToolAnswer(ok=ok, content=content, label=task.grant.floor)


def failed(task: Task, error: SandboxError) -> ToolAnswer:
    """The call did not run, or nobody knows how it ended; the sentence may tell about a folder."""
    effect = Effect.UNKNOWN if isinstance(error, BrokenOffError) else Effect.DONE
    unknown = f"; {EFFECT_UNKNOWN}" if effect is Effect.UNKNOWN else ""
    content = f"{task.args.TOOL}: {error.sentence}{unknown}"
    return ToolAnswer(ok=False, content=content, label=task.grant.floor, effect=effect)


def text_of(data: bytes, *, cut: bool = False) -> str | None:
    """Bytes as text, None when they are none; of a cut stream half a character at its end is dropped.

    >>> text_of(b"caf" + bytes([0xc3]), cut=True), text_of(bytes(3))
    ('caf', None)
    """
    if b"\0" in data:
        return None
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(data, final=not cut)
    strange = sum(character == "\ufffd" or _is_control(character) for character in text)
    return None if strange > NO_TEXT_SHARE * len(text) else text


def _is_control(character: str) -> bool:
    return unicodedata.category(character) == "Cc" and character not in _IN_TEXT


# shell


def _shell(task: Task, ran: Ran) -> str:
    parts = [_stream(name, stream) for name, stream in (("stdout", ran.stdout), ("stderr", ran.stderr))]
    return (
        "\n".join([_end(task, ran), *(filter(None, parts))])
        if any(parts)
        else f"{_end(task, ran)}\nno output"
    )


def _end(task: Task, ran: Ran) -> str:
    limits = _limits(task)
    if ran.out_of_memory:
        return f"killed at its memory limit of {limits.memory_mb} MB"
    if ran.timed_out:
        return f"killed at its limit of {_seconds(limits.time_s)} s; what had run until then stays done"
    if ran.exit_code is None:
        return "stopped before its end; what had run until then stays done"
    if ran.exit_code == KILLED:
        return (
            f"exit code {KILLED}: something in it was killed, such as at the limit of {limits.memory_mb} MB"
        )
    return f"exit code {ran.exit_code}"


def _limits(task: Task) -> Limits:
    return job(task, ()).limits


def _seconds(time_s: float) -> str:
    return f"{math.ceil(time_s * 10) / 10:g}"


def _stream(name: str, stream: Stream) -> str | None:
    if stream.total == 0:
        return None
    shown = text_of(stream.data, cut=stream.cut)
    if shown is None:
        return f"{name}: {stream.total} bytes that are no text, not shown"
    part = f" (the first {len(stream.data)} of {stream.total} bytes)" if stream.cut else ""
    return f"{name}{part}:\n{shown.removesuffix(chr(10))}"


# read_file and write_file


def _read(task: Task, args: ReadFileArgs, ran: Ran) -> tuple[bool, str]:
    size = _size(ran.stderr)
    if ran.exit_code != Ended.DONE or size is None:
        return False, _not_done(task, args, ran)
    got, end = len(ran.stdout.data), args.offset + len(ran.stdout.data)
    if size == 0 and got == 0:
        return True, f"{args.path} is empty"
    if got == 0:
        return False, f"{args.path} has {size} bytes, and offset {args.offset} is at or behind its end"
    whole = args.offset == 0 and end >= size
    text = text_of(ran.stdout.data, cut=not whole)
    if text is None:
        return True, f"{args.path} has {size} bytes; those from {args.offset} to {end} are no text, not shown"
    if whole:
        return True, text
    more = f"; read on with offset {end}" if end < size else "; this is its end"
    return True, f"bytes {args.offset} to {end} of {max(size, end)}{more}\n{text}"


def _size(stderr: Stream) -> int | None:
    """The size that the script tells in its first line of stderr."""
    word, _, figure = stderr.data.partition(b"\n")[0].partition(b" ")
    return int(figure) if word == b"size" and figure.isdigit() and len(figure) < 20 else None  # noqa: PLR2004


def _written(task: Task, args: WriteFileArgs, ran: Ran) -> tuple[bool, str]:
    if ran.exit_code != Ended.DONE:
        return False, _not_done(task, args, ran)
    size = len(args.content.encode())
    return True, f"{'appended' if args.append else 'wrote'} {_bytes(size)} to {args.path}"


def _bytes(size: int) -> str:
    return "1 byte" if size == 1 else f"{size} bytes"


def _not_done(task: Task, args: ReadFileArgs | WriteFileArgs, ran: Ran) -> str:
    if ran.exit_code is None or ran.out_of_memory:
        unsure = "" if isinstance(args, ReadFileArgs) else "; look whether it was written"
        return f"{args.TOOL}: {args.path}: {_end(task, ran).partition(';')[0]}{unsure}"
    if ran.exit_code == Ended.DENIED:
        return f"{args.TOOL}: {args.path} {DENIED}{_as_whom(ran)}"
    known = _SENTENCES.get(ran.exit_code)
    if known is not None:
        return f"{args.TOOL}: {args.path} {known}"
    verb = "read" if isinstance(args, ReadFileArgs) else "written"
    return f"{args.TOOL}: {args.path} could not be {verb}: {_reason(ran)}"


DENIED = "may not be opened: its mode, its owner or a read-only folder forbids it"
_SENTENCES: dict[int, str] = {
    Ended.NOT_FOUND: "is not there",
    Ended.FOLDER: "is a folder; name a file in it",
    Ended.NO_FILE: "is no regular file; only files are read and written",
    Ended.NO_FOLDER: "has no folder, and none can be made there",
    Ended.DANGLING: "is a link that leads to nothing which this call may touch",
    Ended.CUT_SHORT: "was not written: only a part of the content arrived; nothing was changed",
}


def _as_whom(ran: Ran) -> str:
    """The user that was refused, which the scripts tell."""
    word, _, user = ran.stderr.data.rstrip().rpartition(b"\n")[2].partition(b" ")
    return (
        f"; tools run as user {int(user)} here"
        if word == b"user" and re.fullmatch(rb"[0-9]{1,10}", user)
        else ""
    )


def _reason(ran: Ran) -> str:
    """The last line that the tools said, else the exit code."""
    lines = ran.stderr.data.decode("utf-8", "replace").split("\n")
    said = [line.strip() for line in lines if line.strip() and not line.startswith("size ")]
    return said[-1][:MAX_REASON] if said else f"exit code {ran.exit_code}"
