"""The audit's records folded into calls: what was decided, what ran, what became of it (spec 2.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from bxcore.labels import Label, Level

Record: TypeAlias = Mapping[str, Any]
CallKey: TypeAlias = tuple[str, str]
"""A session and a call's id in it."""

UNKNOWN = "unknown"
"""An intent without an outcome, before a later start: whether it took effect is not known."""
RUNNING = "running"
"""An intent without an outcome, and no later start: the broker that wrote it may end it still."""
REFUSED = "refused"
PENDING = "pending"
NOT_RUN = "did not run"
_LABELS = ("label", "label_before", "label_after")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalPart:
    """What the owner was asked about a call; ``how`` and ``by`` are None until it ended.

    ``asked`` is None when it was asked about an earlier call, and ``how`` is ``session`` then.
    """

    code: str
    asked: str | None
    why: str | None
    how: str | None = None
    by: str | None = None
    ended: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """One call. ``number`` is its intent's record, or the first one of a call that has none.

    ``numbers`` are all its records. ``arguments`` is None when the log holds their sha256 alone. ``outcome``
    is the broker's word, or ``unknown``, ``running``, ``refused``, ``pending``, ``did not run``.
    ``label_after`` and ``duration_ms`` are None without an outcome. Times are ISO 8601, as written. All texts
    are as the file has them: escape them before a person sees them.
    """

    number: int
    numbers: tuple[int, ...]
    time: str
    session: str
    turn: int | None
    call: str
    tool: str
    arguments: str | None
    arguments_sha256: str | None
    decision: str | None
    grant: str | None
    grant_sha256: str | None
    approver: str | None
    approval: ApprovalPart | None
    label_before: Label
    label_after: Label | None
    outcome: str
    duration_ms: int | None

    @property
    def key(self) -> CallKey:
        """Who it is in its session."""
        return self.session, self.call


@dataclass(slots=True)
class _Found:
    """The records of one call so far."""

    opened: Record | None = None
    ended: Record | None = None
    intent: Record | None = None
    outcome: Record | None = None
    lost: bool = False

    def records(self) -> list[Record]:
        """Those that are there, in the order in which they were written."""
        parts = (self.opened, self.ended, self.intent, self.outcome)
        return sorted((part for part in parts if part is not None), key=_number)


def calls(records: Iterable[Record]) -> list[CallView]:
    """The calls of these records in the order of their numbers.

    ``records`` are parsed lines in the file's order; of a call whose first records are missing only what is
    there is shown. Records that are not of a call, and fields of a wrong type, are passed over.
    """
    latest: dict[CallKey, _Found] = {}
    found: list[_Found] = []
    for record in records:
        key = key_of(record)
        if is_start(record):
            _lose(latest)
        elif key is not None:
            each = latest.get(key)
            if _begins(record, each):
                each = latest[key] = _Found()
                found.append(each)
            if each is not None:
                _take(each, record)
    return sorted((_view(each) for each in found), key=lambda view: view.number)


def is_start(record: Record) -> bool:
    """Whether a broker began here, so that no call before it runs any more."""
    return record.get("kind") == "grants_loaded" and record.get("why") == "start"


def _lose(latest: Mapping[CallKey, _Found]) -> None:
    for each in latest.values():
        each.lost = each.intent is not None


def key_of(record: Record) -> CallKey | None:
    """The call that a record is of; None for one of no call, such as the grants' own."""
    session, call = _text(record, "session"), _text(record, "call")
    return None if session is None or call is None else (session, call)


def labels_of(record: Record) -> list[Label]:
    """Each label that a record tells of its session; one that cannot be read counts as the top."""
    return [_label(record[name]) for name in _LABELS if name in record]


def _begins(record: Record, before: _Found | None) -> bool:
    """Whether a record is the first of a call; the same id again is another one."""
    kind = record.get("kind")
    if kind == "approval_opened":
        return before is None or before.intent is not None or before.opened is not None
    return kind == "intent" and (before is None or before.intent is not None)


def _take(found: _Found, record: Record) -> None:
    match record.get("kind"):
        case "approval_opened":
            found.opened = record
        case "approval_ended" if found.opened is not None and record.get("code") == found.opened.get("code"):
            found.ended = record
        case "intent":
            found.intent = record
        case "outcome" if found.intent is not None and found.outcome is None:
            found.outcome = record
        case _:
            pass


def _view(found: _Found) -> CallView:
    records = found.records()
    main = found.intent if found.intent is not None else records[0]
    after: Record = found.outcome or {}
    intent: Record = found.intent or {}
    before = _label(after.get("label_before")) if found.outcome else _label(main.get("label"))
    return CallView(
        number=_number(main),
        numbers=tuple(map(_number, records)),
        time=_text(main, "time") or "",
        session=_text(main, "session") or "",
        turn=_whole(main, "turn"),
        call=_text(main, "call") or "",
        tool=_text(main, "tool") or "",
        arguments=_text(main, "arguments"),
        arguments_sha256=_text(main, "arguments_sha256"),
        decision=_text(intent, "decision"),
        grant=_text(main, "grant"),
        grant_sha256=_text(main, "grant_sha256"),
        approver=_text(intent, "approver") or _text(found.ended or {}, "by"),
        approval=_approval(found),
        label_before=before,
        label_after=_label(after.get("label_after")) if found.outcome else None,
        outcome=_outcome(found),
        duration_ms=_whole(after, "duration_ms"),
    )


def _approval(found: _Found) -> ApprovalPart | None:
    code = _text(found.opened or found.intent or {}, "code" if found.opened else "approval")
    if code is None:
        return None
    earlier = (found.intent or {}).get("for_session") is True
    part = ApprovalPart(code=code, asked=None, why=None, how="session" if earlier else None)
    if found.opened is not None:
        part = replace(part, asked=_text(found.opened, "time"), why=_text(found.opened, "why"))
    if found.ended is not None:
        ended = found.ended
        part = replace(part, how=_text(ended, "how"), by=_text(ended, "by"), ended=_text(ended, "time"))
    return part


def _outcome(found: _Found) -> str:
    if found.outcome is not None:
        return _text(found.outcome, "outcome") or UNKNOWN
    if found.intent is not None and (_text(found.intent, "decision") or "").startswith(REFUSED):
        return REFUSED
    if found.intent is not None:
        return UNKNOWN if found.lost else RUNNING
    return PENDING if found.ended is None else NOT_RUN


def _number(record: Record) -> int:
    return _whole(record, "n") or 0


def _text(record: Record, name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) else None


def _whole(record: Record, name: str) -> int | None:
    value = record.get(name)
    return value if type(value) is int else None


def _label(value: object) -> Label:
    """A label that cannot be read counts as the top."""
    if not isinstance(value, dict):
        return Label()
    return Label(Level.parse(value.get("class")), value.get("untrusted") is not False)
