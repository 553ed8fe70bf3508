"""Targets of what is read from disk: a session's log, its frames, the audit chain, the grants."""

from __future__ import annotations

import json
import tempfile
import zlib
from functools import cache
from pathlib import Path

from bxcore import audit_chain, grants, journal, records
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User
from tools.fuzz.target import Target, promise, split

RECORDS: tuple[Record, ...] = (
    SessionStart(baseline="0" * 64),
    User(text="hi, ﷽ 👧", speaker="ada", at="2027-01-31T12:00:00Z"),
    Assistant(content="", tool_calls=(ToolCall(id="c1", name="recall", arguments='{"query":"x"}'),)),
    ToolResult(call="c1", tool="recall", content="nothing", ok=True),
    Assistant(content="done", reasoning="well"),
    Usage(prompt=10, cached=3, completion=4),
)


def _log() -> bytes:
    data, seq, before = b"", 0, journal.START
    for batch in (RECORDS[:2], RECORDS[2:5], RECORDS[5:]):
        more, before = journal.frame([records.dump(each) for each in batch], seq, before, first=seq)
        data += more
        seq += len(batch)
    return data


def _records(data: bytes) -> None:
    mended, data = split(data)
    if mended & 1:
        data = _with_checksums(data)
    try:
        found = records.read(data)
    except (journal.DamageError, records.RecordError) as error:
        promise("line " in str(error), "the error names no line")
        return
    for number, record in enumerate(found, start=1):
        promise(
            records.parse(records.dump(record), number) == record, "a record is another when written again"
        )


def _with_checksums(data: bytes) -> bytes:
    """The lines with right checksums, so that chance gets behind the frame as well."""
    lines = []
    for line in data.split(b"\n"):
        rest = line[len('{"crc":"00000000",') :]
        framed = line.startswith(b'{"crc":"')
        crc = f'{{"crc":"{zlib.crc32(rest[:-1]):08x}",'.encode()
        lines.append(crc + rest if framed else line)
    return b"\n".join(lines)


def _journal(data: bytes) -> None:
    try:
        found = journal.recover(data)
    except journal.DamageError:
        return
    promise(data[found.good_bytes :] == found.tail, "the tail is another")
    again = journal.recover(data[: found.good_bytes])
    promise(again.payloads == found.payloads and not again.tail, "the good part is another when read again")


def _chain(data: bytes) -> None:
    lines = data.split(b"\n")
    found = audit_chain.walk(lines)
    if isinstance(found, audit_chain.Broken):
        promise(1 <= found.line <= len(lines), "the broken line is none of the log")
    for line in lines[:200]:
        promise((audit_chain.head_of(line) is None) == (audit_chain.parsed(line) is None), "half a record")


def _audit_log() -> bytes:
    head, lines = audit_chain.Head(), b""
    for number in range(3):
        line, head = audit_chain.link(head, {"at": "2027-01-31", "event": "intent", "call": f"c{number}"})
        lines += line
    return lines.removesuffix(b"\n")


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="fuzz-grants-")


def _grants(data: bytes) -> None:
    folder = Path(_folder().name)
    (folder / "one.toml").write_bytes(data)
    loaded = grants.load(folder)
    promise(loaded.grants or loaded.problems, "neither a grant nor a problem")
    for problem in loaded.problems:
        promise(1 <= problem.line <= data.count(b"\n") + 1, f"line {problem.line} is none of the file")
        promise("\n" not in problem.problem and problem.problem, "the problem is no line")
    for grant in loaded.grants:
        json.dumps({"id": grant.id, "sha256": grant.sha256}).encode("ascii")


GRANT_WORDS = tuple(
    f"{word} = ".encode()
    for word in (
        *("tool", "mode", "max_taint", "result_class", "untrusted", "when_untrusted", "expires", "paths"),
        *("read_only", "hosts", "methods", "max_bytes", "commands", "time_limit_ms", "memory_mb", "examples"),
    )
)
LOG = _log()

TARGETS = (
    Target(
        name="records",
        check=_records,
        seeds=(
            b"\0" + LOG,
            b"\1" + LOG,
            b"\1" + LOG[:-20],
            b"\0" + b"\n".join(records.dump(each).encode() for each in RECORDS) + b"\n",
        ),
        words=(b'{"crc":"', b'"seq":', b'"b":', b'"prev":"', b'"record":', b'"kind":"user"', b'"class":"'),
    ),
    Target(
        name="journal",
        check=_journal,
        seeds=(LOG, LOG[:-1], b"", LOG[LOG.index(b"\n") + 1 :]),
        words=(b'{"crc":"', b'"seq":', b'"b":', b'"prev":"', b'"record":', LOG[: LOG.index(b"\n") + 1]),
    ),
    Target(
        name="audit-chain",
        check=_chain,
        seeds=(_audit_log(), b"", b"{}"),
        words=(b'"n":', b'"before":"', audit_chain.GENESIS.encode(), b"\n"),
    ),
    Target(
        name="grants",
        check=_grants,
        seeds=(
            b'tool = "read_file"\nmode = "auto"\npaths = ["/tmp"]\nexpires = 2027-01-31T12:00:00Z\n',
            b'tool = "http_fetch"\nmode = "ask"\nhosts = ["*.example.org", "a.b:80"]\nmethods = ["GET"]\n',
            b'tool = "shell"\nmode = "deny"\ncommands = ["ls"]\ntime_limit_ms = 1000\nmemory_mb = 64\n',
            b'tool = "shell"\nmode = "ask"\nwhen_untrusted = "named"\nuntrusted = false\n',
            b'tool = "write_file"\nmode = "auto"\n[[examples]]\ncall = { path = "a" }\nexpect = "allow"\n',
        ),
        words=(*GRANT_WORDS, b'"""', b"'''", b"[[examples]]\n", b"[a.b]", b"expect", b"0x1f", b"1979-05-27"),
    ),
)
