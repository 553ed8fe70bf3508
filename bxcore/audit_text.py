"""A call of the audit as people read it: one line of many, or the whole of one (spec 2.4)."""

from __future__ import annotations

from bxcore.approvals.shown import visible
from bxcore.audit_view import ApprovalPart, CallView

LONGEST = 160
"""Characters of any one name or sentence on a line."""
LONGEST_ARGUMENTS = 20_000
"""Characters of the arguments when one call is shown; how many more there are is said."""


def line(view: CallView) -> str:
    """One call on one line, what is invisible in it made visible.

    ``2026-11-02T10:00:00+00:00  12  home/t4c1  shell  allowed by run-tests, k7 by bxctl  private → private,
    untrusted  ok  31 ms``
    """
    parts = [
        view.time,
        f"{view.number}",
        f"{view.session}/{view.call}",
        view.tool,
        _decided(view),
        _labels(view),
        view.outcome,
        "" if view.duration_ms is None else f"{view.duration_ms} ms",
    ]
    return "  ".join(_short(part) for part in parts if part)


def full(view: CallView) -> str:
    """All that the log holds of one call, a line each, ``name: value``; the arguments come last."""
    rows = [
        ("call", f"{view.session}/{view.call}"),
        ("tool", view.tool),
        ("time", view.time),
        ("turn", None if view.turn is None else f"{view.turn}"),
        ("records", ", ".join(map(str, view.numbers))),
        ("decision", view.decision),
        ("grant", _with_sha256(view.grant, view.grant_sha256)),
        *_approval_rows(view),
        ("label", _labels(view)),
        ("outcome", _explained(view.outcome)),
        ("duration", None if view.duration_ms is None else f"{view.duration_ms} ms"),
        ("arguments' sha256", view.arguments_sha256),
    ]
    said = [f"{name}: {_short(value)}" for name, value in rows if value]
    return "\n".join([*said, f"arguments: {_arguments(view.arguments)}"])


def _short(text: str) -> str:
    return visible(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")


def _decided(view: CallView) -> str:
    """The decision, the grant and the approval, as far as there are any."""
    grant = f" by {view.grant}" if view.grant else ""
    said = [f"{view.decision or 'asked'}{grant}"]
    if view.approval is not None:
        by = f" by {view.approver}" if view.approver else ""
        said.append(f"{view.approval.code} {_how(view.approval) or ''}".rstrip() + by)
    return ", ".join(said)


def _labels(view: CallView) -> str:
    after = view.label_after
    return f"{view.label_before}" if after is None else f"{view.label_before} → {after}"


def _approval_rows(view: CallView) -> list[tuple[str, str | None]]:
    part = view.approval
    if part is None:
        return [("approver", view.approver)]
    ended = " ".join(word for word in (_how(part), part.by and f"by {part.by}", part.ended) if word)
    return [
        ("approval", " ".join(word for word in (part.code, part.asked and f"asked {part.asked}") if word)),
        ("asked because", part.why),
        ("answer", ended or None),
        ("approver", view.approver),
    ]


def _how(part: ApprovalPart) -> str | None:
    if part.how != "session":
        return part.how
    return "for the session" if part.asked is None else "approved for the session"


def _explained(outcome: str) -> str:
    return _MEANS.get(outcome, outcome)


_MEANS = {
    "unknown": "unknown: nobody saw how it ended; look whether the call took effect",
    "pending": "pending: the owner has not answered",
}


def _with_sha256(name: str | None, sha256: str | None) -> str | None:
    return name if name is None or sha256 is None else f"{name}, sha256 {sha256}"


def _arguments(arguments: str | None) -> str:
    if arguments is None:
        return "not kept; the session was secret, or the call was refused"
    shown = visible(arguments[:LONGEST_ARGUMENTS])
    more = len(arguments) - LONGEST_ARGUMENTS
    return f"{shown} [{more} more characters]" if more > 0 else shown
