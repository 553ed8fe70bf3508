"""Approvals as records of their journal: JSON there and back (spec 2.3, step 4)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, assert_never

from bxcore.approvals.approval import Approval, Ended, Event, How, Opened, Over, Used
from bxcore.approvals.queue import Approvals
from bxcore.labels import Label, Level


class RecordError(ValueError):
    """A record of another shape; ``.args[0]`` says what is wrong."""


def dump(event: Event | Over, instance: str) -> str:
    """One record of the process ``instance``, as JSON in ASCII without a newline."""
    match event:
        case Opened(approval=approval):
            record = {"kind": "opened", **_approval(approval)}
        case Ended():
            record = {"kind": "ended", **asdict(event)}
        case Used(code=code):
            record = {"kind": "used", "code": code}
        case Over(approval=approval, ended=ended, used=used):
            record = {"kind": "over", **_approval(approval), "ended": asdict(ended), "used": used}
        case _:
            assert_never(event)
    return json.dumps({"instance": instance, **record}, allow_nan=False)


def read(payloads: Iterable[str], instance: str) -> tuple[Approvals, tuple[Over, ...], bool]:
    """The approvals as process ``instance`` has them, and what the end of an earlier one has closed.

    The last of the three is whether any record is an earlier process's. Raises ``RecordError``.
    """
    approvals, closed, of, earlier = Approvals(), list[Over](), instance, False
    for record in map(_parsed, payloads):
        approvals, ended = _in_process(approvals, of, record["instance"])
        closed += ended
        of = record["instance"]
        earlier = earlier or of != instance
        approvals = _after(approvals, record)
    approvals, ended = _in_process(approvals, of, instance)
    return approvals, (*closed, *ended), earlier


def _in_process(approvals: Approvals, before: str, now: str) -> tuple[Approvals, tuple[Over, ...]]:
    return (approvals, ()) if before == now else approvals.in_a_new_process()


def kept(approvals: Approvals, instance: str) -> Iterator[str]:
    """The records of what a new process still has to know."""
    return (dump(over, instance) for over in approvals.over.values())


def _parsed(payload: str) -> dict[str, Any]:
    record = json.loads(payload)
    if not isinstance(record, dict) or not isinstance(record.get("instance"), str):
        raise RecordError("a record is no approval's")
    return record


def _after(approvals: Approvals, record: dict[str, Any]) -> Approvals:
    try:
        match record["kind"]:
            case "opened":
                return approvals.after(Opened(approval=_read_approval(record)))
            case "ended":
                return approvals.after(_read_ended(record))
            case "used":
                return approvals.after(Used(code=str(record["code"])))
            case "over":
                return approvals.with_over(
                    Over(
                        approval=_read_approval(record),
                        ended=_read_ended(record["ended"]),
                        used=record["used"] is not False,
                        earlier=True,
                    )
                )
            case _:
                raise RecordError("a record's kind is not known")
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"a record cannot be read: {type(error).__name__}") from None


def _approval(approval: Approval) -> dict[str, Any]:
    label = approval.label
    plain = {name: getattr(approval, name) for name in _FIELDS}
    return {**plain, "class": label.level.text, "untrusted": label.untrusted}


def _read_approval(record: dict[str, Any]) -> Approval:
    record = {**_ADDED_LATER, **record}
    for name, kind in _FIELDS.items():
        if type(record[name]) not in kind:
            raise TypeError(name)
    if not abs(record["expires_s"]) < FAR_S:
        raise ValueError("an expiry that no clock reaches")
    label = Label(Level.parse(record["class"]), record["untrusted"] is not False)
    return Approval(label=label, **{name: record[name] for name in _FIELDS})


def _read_ended(record: dict[str, Any]) -> Ended:
    code, by = record["code"], record["by"]
    if not isinstance(code, str) or not isinstance(by, str | None):
        raise TypeError("ended")
    return Ended(code=code, how=How(record["how"]), by=by, box_ended=record["box_ended"] is True)


FAR_S = 1e12
"""Seconds that no monotonic clock shows; JSON can also write what is no number at all."""
_FIELDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(
        (
            "code",
            "session",
            "call",
            "tool",
            "args_sha256",
            "grant",
            "grant_sha256",
            "bound",
            "why",
            "shown",
            "whole",
        ),
        (str,),
    ),
    "turn": (int,),
    "hidden": (int,),
    "expires_s": (int, float),
}
"""The approval's own fields and their types; its label is two of its own."""
_ADDED_LATER: Mapping[str, object] = {"whole": "", "hidden": 0}
"""What a journal of an older version does not have; what waited there is over."""
