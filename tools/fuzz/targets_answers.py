"""Targets of what comes back and what is kept: frames, pages, the audit's records, the approvals' journal."""

from __future__ import annotations

import json

from bxcore import audit_chain
from bxcore.approvals import records as approval_records
from bxcore.approvals.approval import Approval, Ended, How, Opened, Used
from bxcore.approvals.shown import visible
from bxcore.audit_record import fields
from bxcore.audit_text import full, line
from bxcore.audit_view import calls
from bxcore.labels import Label, Level
from bxcore.messages.audit import ApprovalEnded, ApprovalOpened, Intent, Outcome
from bxcore.page_text import NotReadable, page_text
from bxcore.sandbox.frames import FrameError, Frames
from tools.fuzz.target import Target, promise, split, text_of


def _frames(data: bytes) -> None:
    cut, rest = split(data)
    step = cut % 23 + 1
    short = rest[:4_000]
    whole = _streams([short])
    promise(whole == _streams([short[at : at + step] for at in range(0, len(short), step)]), "cuts matter")
    _streams([rest])


def _streams(pieces: list[bytes]) -> tuple[dict[int, bytes], bool]:
    frames, found = Frames(), {0: b"", 1: b"", 2: b""}
    try:
        for piece in pieces:
            for stream, part in frames.feed(piece):
                found[stream] += bytes(part)
    except FrameError:
        return found, False
    return found, frames.between


def _frame(stream: int, text: bytes) -> bytes:
    return bytes([stream, 0, 0, 0]) + len(text).to_bytes(4, "big") + text


TYPES = ("text/html; charset=utf-8", "text/html", "text/plain; charset=latin-1", "application/json", "")


def _page(data: bytes) -> None:
    which, rest = split(data)
    try:
        text = page_text(TYPES[which % len(TYPES)], rest[:20_000], "https://example.org/a/b")
    except NotReadable as error:
        promise("\n" not in error.sentence, "the sentence is no line")
        return
    text.encode("utf-8")


def _audit(data: bytes) -> None:
    parsed = [record for each in data.split(b"\n")[:100] if (record := audit_chain.parsed(each)) is not None]
    for view in calls(parsed):
        shown = line(view)
        promise(visible(shown) == shown, "a call's line is no line")
        promise(full(view).encode("utf-8", "surrogatepass"), "nothing is told of a call")


def _audit_seed() -> bytes:
    label = Label(Level.PRIVATE, untrusted=True)
    intent = Intent(
        session="home", call="t4c1", turn=4, tool="shell", arguments_sha256="0" * 64, arguments='{"a":1}',
        decision="allowed", grant="ls", grant_sha256="1" * 64, label=label,
    )  # fmt: skip
    outcome = Outcome(
        session="home", call="t4c1", outcome="ok", label_before=label, label_after=label, duration_ms=31
    )
    opened = ApprovalOpened(
        session="home", call="t4c1", turn=4, tool="shell", arguments_sha256="0" * 64, arguments=None,
        grant="ls", grant_sha256="1" * 64, label=label, code="k7", why="the grant asks",
    )  # fmt: skip
    ended = ApprovalEnded(session="home", call="t4c1", code="k7", how="once", by="chat")
    head, data = audit_chain.Head(), b""
    for message in (opened, ended, intent, outcome, intent):
        more, head = audit_chain.link(head, {"time": "2026-11-02T10:00:00+00:00", **fields(message)})
        data += more
    return data


def _approvals(data: bytes) -> None:
    payloads = [each for each in text_of(data).split("\n") if _is_json(each)][:100]
    try:
        found, over, _ = approval_records.read(payloads, "second")
    except approval_records.RecordError as error:
        promise("\n" not in str(error), "the error is no line")
        return
    promise(all(each.earlier for each in over), "what an earlier process left is open")
    kept = list(approval_records.kept(found, "second"))
    again, _, _ = approval_records.read(kept, "second")
    promise(list(approval_records.kept(again, "second")) == kept, "what is kept is another when read again")


def _is_json(payload: str) -> bool:
    """What the journal's frames let through (``bxcore.journal``)."""
    try:
        json.loads(payload)
    except (ValueError, RecursionError):
        return False
    return payload.isascii()


def _approvals_seed() -> bytes:
    approval = Approval(
        code="k7", session="home", turn=4, call="t4c1", tool="shell", args_sha256="0" * 64, grant="ls",
        grant_sha256="1" * 64, bound="2" * 64, label=Label(Level.PRIVATE, untrusted=True), why="it asks",
        shown="shell ls", whole="shell ls", hidden=0, expires_s=100.5,
    )  # fmt: skip
    ended = Ended(code="k7", how=How.SESSION, by="chat")
    events = (Opened(approval=approval), ended, Used(code="k7"))
    return "\n".join(approval_records.dump(event, "first") for event in events).encode()


TARGETS = (
    Target(
        name="sandbox-frames",
        check=_frames,
        seeds=(b"\x03" + _frame(1, b"out\n") + _frame(2, b"err"), b"\x07" + _frame(1, b"x" * 300)),
        words=(
            b"\x01\0\0\0",
            b"\x02\0\0\0\0\0\0\x05",
            b"\0\0\0\0",
            b"\x03\0\0\0",
            b"\x01\0\0\0\xff\xff\xff\xff",
        ),
    ),
    Target(
        name="pages",
        check=_page,
        seeds=(
            b"\0<html><head><title>t</title></head><body><p>b <a href='/c'>d</a><table><td>1</table>",
            b"\1<!doctype html><meta charset=utf-16><script>x</script><p hidden>no</p><pre>a\n</pre>",
            b"\2plain \xe9",
            b'\3{"a":[1,2]}',
        ),
        words=(
            b"<",
            b"</",
            b"<p>",
            b"<div style='display:none'>",
            b"<a href='",
            b"&amp;",
            b"<!--",
            b"<![CDATA[",
            b"<svg>",
        ),
    ),
    Target(
        name="audit-records",
        check=_audit,
        seeds=(_audit_seed(),),
        words=(
            b'"kind":"intent"',
            b'"kind":"outcome"',
            b'"label":',
            b'"call":',
            b'"n":',
            b'"approval":',
            b"null",
        ),
    ),
    Target(
        name="approval-journal",
        check=_approvals,
        seeds=(_approvals_seed(),),
        words=(
            b'"kind": "opened"',
            b'"kind": "over"',
            b'"code": ',
            b'"how": ',
            b'"instance": "',
            b'"ended": {',
            b"[]",
        ),
    ),
)
