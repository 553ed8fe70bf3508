"""A pending approval in words: the exact call, why it is asked, and how long there is (spec 2.3, step 4)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TextIO

from bxcore.control.answers import ApprovalJson, LabelJson
from bxctl.called import typed
from bxctl.columns import broken
from bxctl.printing import visible

_MINUTE_S = 60
_MARK = "  | "
_COLUMNS = 80
"""Of a terminal that does not say."""
_NARROWEST = 8


def heading(approval: ApprovalJson) -> str:
    """``k7 waits for your approval, 10 min left``."""
    return f"{approval['code']} waits for your approval, {left(approval['left_s'])} left"


def card(approval: ApprovalJson, columns: int | None = None, *, whole: bool = False) -> str:
    """All of it, each line of the call marked as the call's own: no line of it can pass for one of ours.

    With the ``columns`` of a terminal the call is broken into lines that fit: one that the terminal itself
    breaks goes on at its left edge, without a mark. ``whole`` leaves nothing out of a long call.
    """
    call = approval["whole" if whole else "shown"]
    return "\n".join(
        [
            heading(approval),
            *(f"{_MARK}{line}" for line in _fitting(call, columns)),
            f"  why: {one_line(approval['why'])}",
            f"  session {approval['session']}, {label(approval['label'])}; grant {approval['grant']}",
        ]
    )


def columns_of(stream: TextIO) -> int | None:
    """How many characters fit on one line of a terminal; None for what is none."""
    if not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or _COLUMNS
    except OSError:  # the terminal has gone
        return _COLUMNS


def how_to_see(approval: ApprovalJson) -> str:
    """What is hidden of a call and the command that shows it; empty when nothing is."""
    if not approval["hidden"]:
        return ""
    return f"{hidden(approval)} not shown; {typed('approvals')} show {approval['code']} shows all of it"


def hidden(approval: ApprovalJson) -> str:
    """``1 character is``, ``1,779 characters are``."""
    count = approval["hidden"]
    return f"{count:,} characters are" if count != 1 else "1 character is"


def commands(code: str) -> str:
    """Both commands that answer it."""
    return f"{typed('approve')} {code}, or {typed('deny')} {code}"


def lines(shown: str) -> Iterator[str]:
    """The call's lines; the box has made all else visible already."""
    yield from shown.splitlines() or [""]


def _fitting(call: str, columns: int | None) -> Iterator[str]:
    """The call's lines, each short enough to stand behind its mark."""
    for line in lines(call):
        yield from (
            [line] if columns is None else broken(visible(line), max(_NARROWEST, columns - len(_MARK)))
        )


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
