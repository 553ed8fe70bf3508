"""What the control socket answers: the shapes of its JSON (spec 6.3). Times are seconds, ages too."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

LabelJson = TypedDict("LabelJson", {"class": str, "untrusted": bool})
"""A label: ``public``, ``private`` or ``secret``, and whether strangers wrote it."""


class ErrorJson(TypedDict):
    """A "no": ``error`` is a word of ``ErrorCode``, ``sentence`` says what to do."""

    error: str
    sentence: str


class DoneJson(TypedDict):
    """What became of an operator's wish."""

    ok: bool
    sentence: str


class ProblemJson(TypedDict):
    """Something that is not well, and the command that helps."""

    sentence: str
    help: str


class StatusJson(TypedDict):
    """The box on one screen. ``facts`` are lines such as ``model``: ``embedded, ready``."""

    version: str
    pid: int
    uptime_s: float
    state: Literal["ok", "degraded"]
    problems: list[ProblemJson]
    facts: dict[str, str]
    actors: int
    restarts: int
    dead_letters: int
    zombies: int


class NodeJson(TypedDict):
    """One actor or supervisor of the tree. ``error`` is the last crash's exception type."""

    name: str
    kind: str
    state: str
    restarts: int
    waiting: int
    age_s: float | None
    error: str | None
    children: list[NodeJson]


class ActorJson(TypedDict):
    """One actor, without its children; ``details`` are the kernel's further facts."""

    name: str
    kind: str
    state: str
    restarts: int
    waiting: int
    age_s: float | None
    error: str | None
    details: dict[str, str]


class StuckJson(TypedDict):
    """The stack of a stuck thread, which a newer incarnation has taken the place of."""

    incarnation: int
    frames: list[str]


class StackJson(TypedDict):
    """An actor's stack and those of its stuck threads, the oldest first; the innermost call is last."""

    name: str
    frames: list[str]
    stuck: list[StuckJson]


class DeadLetterJson(TypedDict):
    """One dead letter; never its text."""

    at: str
    address: str
    reason: str
    type: str
    size: int


class DeadLetterCountJson(TypedDict):
    """How many an address got for one reason since the process began."""

    address: str
    reason: str
    count: int


class DeadLettersJson(TypedDict):
    """Counts over all, and the newest ones."""

    total: int
    counts: list[DeadLetterCountJson]
    letters: list[DeadLetterJson]


class SessionInfoJson(TypedDict):
    """A line of the sessions' list; ``waiting`` are the messages behind its running turn."""

    session: str
    live: bool
    turns: int
    label: LabelJson
    updated: str
    title: str
    waiting: int


class SessionsJson(TypedDict):
    """The sessions, the newest first."""

    sessions: list[SessionInfoJson]


class TurnTextJson(TypedDict):
    """One turn of a shown session; without a reply ``failed`` says why, None when it is not over."""

    user: str
    reply: str | None
    failed: str | None


class SessionJson(SessionInfoJson):
    """One session with its last turns in ``said``, of which the first is turn ``first``."""

    first: int
    said: list[TurnTextJson]


class AskJson(TypedDict):
    """Memory's answer to an operator."""

    ok: bool
    content: str
    label: LabelJson


class PromptPartJson(TypedDict):
    """A part of the baseline and its tokens."""

    part: str
    tokens: int


class PromptSizeJson(TypedDict):
    """The baseline's parts; ``estimated`` when no tokenizer was at hand."""

    parts: list[PromptPartJson]
    total: int
    limit: int
    estimated: bool


class VersionJson(TypedDict):
    """Version of the process, and of this protocol."""

    version: str
    protocol: int


class UsageJson(TypedDict):
    """Tokens of a turn."""

    prompt: int
    cached: int
    completion: int


ToolJson = TypedDict(
    "ToolJson",
    {"tool": str, "arguments": str, "ok": bool, "content": str, "class": str, "untrusted": bool},
)
"""One tool call of a turn; ``arguments`` is canonical JSON, or the raw text when it was refused."""


class TurnJson(TypedDict):
    """One turn as ``boxmaker chat --json`` prints it (spec 6.2)."""

    session: str
    turn: int
    reply: str | None
    tools: list[ToolJson]
    label: LabelJson
    usage: UsageJson


class ApprovalJson(TypedDict):
    """A pending approval. ``shown`` is the exact call, escaped; ``left_s`` is until it expires.

    ``hidden`` characters of a long call are not in ``shown``, but in ``whole``.
    """

    code: str
    session: str
    turn: int
    call: str
    tool: str
    shown: str
    whole: str
    hidden: int
    label: LabelJson
    grant: str
    why: str
    left_s: float


class ClosedApprovalJson(TypedDict):
    """An approval that is over; ``sentence`` says how and by whom."""

    code: str
    approved: bool
    sentence: str


class ApprovalsJson(TypedDict):
    """What waits for the owner's word, the oldest first."""

    approvals: list[ApprovalJson]


class ApprovalAnswerJson(TypedDict):
    """Whether the word was taken; ``sentence`` says what happens now, or who gave it before."""

    taken: bool
    sentence: str


class GrantJson(TypedDict):
    """A grant; ``about`` is what it covers on one line."""

    id: str
    tool: str
    mode: str
    max_taint: str
    when_untrusted: str
    about: str
    sha256: str
    expired: bool


class GrantsJson(TypedDict):
    """The grants in force; ``problems`` of the set that was read last, as ``file:line: sentence``."""

    grants: list[GrantJson]
    problems: list[str]


class ExplainedJson(TypedDict):
    """A decision, ``allow``, ``ask`` or ``refuse``; ``steps`` are the rules asked with their findings."""

    decision: str
    grant: str | None
    sentence: str | None
    steps: list[str]


class AuditApprovalJson(TypedDict):
    """What the owner was asked about a call; ``how``, ``by`` and ``ended`` are None until it ended."""

    code: str
    asked: str | None
    why: str | None
    how: str | None
    by: str | None
    ended: str | None


class AuditCallJson(TypedDict):
    """A call as the audit has it: its numbers, what was decided, what became of it; times are ISO 8601.

    ``line`` is all that on one line, harmless for a terminal; the other texts are as the log has them.
    """

    number: int
    numbers: list[int]
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
    approval: AuditApprovalJson | None
    label_before: LabelJson
    label_after: LabelJson | None
    outcome: str
    duration_ms: int | None
    line: str


class AuditRecordJson(AuditCallJson):
    """One call; ``text`` says all of it in lines of ``name: value``."""

    text: str


class AuditCallsJson(TypedDict):
    """Some calls of the audit."""

    calls: list[AuditCallJson]


class ChainJson(TypedDict):
    """The audit's chain: how many records hold, and the first line that does not, None when all do."""

    ok: bool
    records: int
    line: int | None
    sentence: str


class CheckJson(TypedDict):
    """One thing that doctor looked at: ``ok``, ``warn`` or ``bad``, and what helps, None for nothing."""

    name: str
    verdict: str
    sentence: str
    help: str | None


class DoctorJson(TypedDict):
    """All that the process knows of its own health."""

    checks: list[CheckJson]


class LineJson(TypedDict):
    """One line of a turn's stream. ``kind`` says which of the other keys are there.

    ``queued``: place, 1 for the next; ``turn_started``: turn, text, speaker; ``notice``: text;
    ``text_delta``: text; ``tool_started``: tool, arguments; ``tool_ended``: call;
    ``approval_asked``: approval; ``approval_closed``: closed; ``waiting``: nothing, a sign of life;
    ``result``: result, failed; ``error``: error. A chat ends with ``result`` or ``error``; a watcher is told
    a ``result`` for each turn that it saw begin.
    """

    kind: str
    place: NotRequired[int]
    turn: NotRequired[int]
    text: NotRequired[str]
    speaker: NotRequired[str | None]
    tool: NotRequired[str]
    arguments: NotRequired[str]
    call: NotRequired[ToolJson]
    approval: NotRequired[ApprovalJson]
    closed: NotRequired[ClosedApprovalJson]
    result: NotRequired[TurnJson]
    failed: NotRequired[str | None]
    error: NotRequired[ErrorJson]
