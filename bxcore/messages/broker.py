"""Messages of the broker (spec 2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.address import Address
from bxcore.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalView:
    """A pending approval as a person sees it: nothing secret, nothing invisible (spec 2.3, step 4).

    ``shown`` is the exact call, escaped; of a long one its length, head and tail, so that ``hidden``
    characters of it are only in ``whole``. ``left_s`` is until it expires, ``why`` is why the owner is asked.
    """

    code: str
    session: str
    turn: int
    call: str
    tool: str
    shown: str
    whole: str
    hidden: int
    label: Label
    grant: str
    why: str
    left_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAsked:
    """News to who waits for a call: it is pending, and its wait was extended."""

    session: str
    approval: ApprovalView
    kind: Literal["approval_asked"] = "approval_asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalClosed:
    """News: the approval is over. ``sentence`` says how and by whom."""

    session: str
    code: str
    approved: bool
    sentence: str
    kind: Literal["approval_closed"] = "approval_closed"


ApprovalNews: TypeAlias = ApprovalAsked | ApprovalClosed


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """One tool call of a turn, arguments as the model wrote them. Asked; the reply is a ``ToolOutcome``.

    ``said`` is the owner's own message of this turn, None when nobody or somebody else spoke. ``listener``
    hears of an approval at once, in the broker's thread; without one an approval cannot be delivered. The
    reply's deadline is extended while the call is pending. Asked again with the same ``call`` after a restart
    of the broker, it finds its approval again.
    """

    session: str
    turn: int
    call: str
    tool: str
    arguments: str
    said: str | None = None
    listener: Address[ApprovalNews] | None = None
    kind: Literal["tool_request"] = "tool_request"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLabel:
    """Asked; the reply is the session's ``Label`` so far."""

    session: str
    kind: Literal["session_label"] = "session_label"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDone:
    """The broker tells itself: who ran call ``key`` answered, or did not in time."""

    key: str
    outcome: object
    kind: Literal["call_done"] = "call_done"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalExpires:
    """The broker tells itself: close what has expired by now."""

    kind: Literal["approval_expires"] = "approval_expires"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerApproval:
    """The owner's word on ``code``. Asked; the reply is an ``ApprovalAnswered``.

    ``by`` names the surface: ``the chat``, ``bxctl``, a gateway.
    """

    code: str
    approve: bool
    for_session: bool = False
    by: str
    kind: Literal["answer_approval"] = "answer_approval"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListApprovals:
    """Asked; the reply is a tuple of ``ApprovalView``, the oldest first."""

    kind: Literal["list_approvals"] = "list_approvals"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListGrants:
    """Asked; the reply is a ``GrantsView``."""

    kind: Literal["list_grants"] = "list_grants"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadGrants:
    """Read the owner's grants again; a bad set changes nothing. Asked; the reply is a ``GrantsView``."""

    kind: Literal["reload_grants"] = "reload_grants"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainCall:
    """Decide a call in a session with this label; nothing runs. Asked; the reply is an ``Explained``."""

    tool: str
    arguments: str
    label: Label
    said: str | None = None
    kind: Literal["explain_call"] = "explain_call"


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatBecame:
    """Of calls that a log has without a result. Asked; replies a dict of call id to a sentence.

    Only calls whose end is known are in it, such as one that waited for an approval when the box ended.
    """

    session: str
    calls: tuple[str, ...]
    kind: Literal["what_became"] = "what_became"


BrokerMessage: TypeAlias = (
    ToolRequest
    | SessionLabel
    | CallDone
    | ApprovalExpires
    | AnswerApproval
    | ListApprovals
    | ListGrants
    | ReloadGrants
    | ExplainCall
    | WhatBecame
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What the model is shown of a call, with the result's label and the session's label after it.

    ``arguments`` is the canonical JSON, or the raw text when it was refused. ``audited`` is the number of the
    outcome's record, which may still be on its way to the disk, or None when the call was never audited;
    ``whole`` is the uncut result when ``content`` was cut, to be kept beside the session's log.
    """

    call: str
    tool: str
    arguments: str
    ok: bool
    content: str
    label: Label
    session_label: Label
    audited: int | None = None
    whole: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAnswered:
    """Whether the word was taken, and a sentence: what happens now, who gave it before, or no such code."""

    taken: bool
    known: bool
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantRow:
    """One grant in a listing; ``about`` is what it covers on one line, ``expired`` whether it is over."""

    id: str
    tool: str
    mode: str
    max_taint: str
    when_untrusted: str
    about: str
    sha256: str
    expired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantsView:
    """The grants in force, and what is wrong with the set that was read last: ``file:line: sentence``."""

    grants: tuple[GrantRow, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """``decision`` is ``allow``, ``ask`` or ``refuse``; ``steps`` are the rules asked and their findings."""

    decision: str
    grant: str | None
    sentence: str | None
    steps: tuple[str, ...]
