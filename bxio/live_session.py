"""A session while it lives: its open log, its baseline, and what no log needs to hold (spec 3.1, 3.2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bxcore import baseline as baselines
from bxcore.baseline import Baseline, BaselineError
from bxcore.decide import turns
from bxcore.history import messages
from bxcore.model.baseline import estimate_tokens
from bxcore.model.values import ModelRequest
from bxcore.records import Assistant, Record, SessionStart, ToolResult, User
from bxcore.turn import Held
from bxcore.window import fit
from bxio.session_store import OpenSession, SessionError, SessionStore, new_log

ANSWER_TOKENS = 1024
"""What one answer of the model may take."""


@dataclass(slots=True, kw_only=True)
class LiveSession:
    """``recalled`` is what auto_recall found, by turn; ``held`` the last prompt, if known."""

    log: OpenSession
    baseline: Baseline
    recalled: dict[int, str] = field(default_factory=dict)
    held: Held | None = None
    first: int = 1
    """The first turn that is still sent to the model."""
    _sent: int = 0
    """Records that the last request held."""

    @property
    def turns(self) -> int:
        """Turns so far."""
        return turns(self.log.records)

    def before_the_first_turn(self) -> tuple[Record, ...]:
        """The ``SessionStart`` that goes before a new session's first ``User``; nothing later on."""
        if self.log.records:
            return ()
        return (SessionStart(baseline=baselines.sha256(self.baseline.dump()), log=new_log()),)

    def request(self, context_tokens: int) -> ModelRequest:
        """The request of the log as it stands; the baseline is what was saved, byte for byte.

        What does not fit in ``context_tokens`` beside the baseline and the answer is left out; ``first`` says
        from which turn on the model sees the session.
        """
        records = self.log.records
        new, self._sent = records[self._sent :], len(records)
        budget = context_tokens - ANSWER_TOKENS - self._baseline_tokens()
        fitted = fit(messages(records, self.recalled), budget, self.first)
        self.first = fitted.first
        return ModelRequest(
            profile=self.baseline.profile,
            baseline=self.baseline.messages,
            history=fitted.messages,
            tools=self.baseline.tools,
            workspaces=self.baseline.workspaces,
            max_tokens=ANSWER_TOKENS,
            uncached_tokens=None if self.held is None else estimate_tokens(_texts(new)),
        )

    def _baseline_tokens(self) -> int:
        saved = self.baseline
        texts = [str(message.get("content") or "") for message in saved.messages]
        return estimate_tokens([*texts, json.dumps(saved.tools) if saved.profile == "native" else ""])


def _texts(records: Sequence[Record]) -> list[str]:
    found = []
    for record in records:
        match record:
            case User(text=text):
                found.append(text)
            case Assistant(content=content, tool_calls=calls):
                found += [content, *(call.arguments for call in calls)]
            case ToolResult(content=content):
                found.append(content)
            case _:
                pass
    return found


def open_live(store: SessionStore, session: str, make_baseline: Callable[[], Baseline]) -> LiveSession:
    """Open a session, or start it with the baseline that ``make_baseline`` gives before anything is on disk.

    Raises ``SessionError``, also for a saved baseline that is not the one the log names.
    """
    fresh = None if store.exists(session) else make_baseline()
    log = store.open(session)
    try:
        if log.records:
            return LiveSession(log=log, baseline=_saved_baseline(log))
        fresh = fresh or make_baseline()
        log.save_baseline(fresh.dump())
    except BaseException:
        log.close()
        raise
    return LiveSession(log=log, baseline=fresh)


def _saved_baseline(log: OpenSession) -> Baseline:
    first = log.records[0]
    if not isinstance(first, SessionStart):
        raise SessionError(
            f"the log of session {log.session} does not begin with its start; start another session"
        )
    try:
        return baselines.load(log.baseline(), first.baseline)
    except BaselineError as error:
        raise SessionError(f"session {log.session} cannot go on: {error}") from None
