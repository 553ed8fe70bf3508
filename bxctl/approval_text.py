"""A pending approval in words: the exact call, why it is asked, and how long there is (spec 2.3, step 4)."""

from __future__ import annotations

from collections.abc import Iterator

from bxcore.control.answers import ApprovalJson, LabelJson
from bxctl.called import typed

_MINUTE_S = 60


def heading(approval: ApprovalJson) -> str:
    """``k7 waits for your approval, 10 min left``."""
    return f"{approval['code']} waits for your approval, {left(approval['left_s'])} left"


def card(approval: ApprovalJson) -> str:
    """All of it, each line of the call marked as the call's own: no line of it can pass for one of ours."""
    return "\n".join(
        [
            heading(approval),
            *(f"  | {line}" for line in lines(approval["shown"])),
            f"  why: {one_line(approval['why'])}",
            f"  session {approval['session']}, {label(approval['label'])}; grant {approval['grant']}",
        ]
    )


def commands(code: str) -> str:
    """Both commands that answer it."""
    return f"{typed('approve')} {code}, or {typed('deny')} {code}"


def lines(shown: str) -> Iterator[str]:
    """The call's lines; the box has made all else visible already."""
    yield from shown.splitlines() or [""]


def one_line(text: str) -> str:
    """Words between single spaces."""
    return " ".join(text.split())


def label(value: LabelJson) -> str:
    """``private, untrusted``."""
    return f"{value['class']}, untrusted" if value["untrusted"] else value["class"]


def left(seconds: float) -> str:
    """How long there is: ``9 min``, ``42 s``; no minute that is not whole."""
    whole = max(0, round(seconds))
    return f"{whole // _MINUTE_S} min" if whole >= 2 * _MINUTE_S else f"{whole} s"
