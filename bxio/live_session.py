"""A session while it lives: its open log, its baseline, and what no log needs to hold (spec 3.1, 3.2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bxcore import baseline as baselines
from bxcore import epoch_summary
from bxcore.baseline import Baseline, BaselineError, BaselineLostError
from bxcore.history import History
from bxcore.labels import NEW_SESSION, Label, join
from bxcore.model.baseline import estimate_tokens
from bxcore.model.values import ModelRequest, UserMessage
from bxcore.records import Record, SessionStart, User
from bxcore.session_loss import Loss, in_their_place
from bxcore.tool_registry import ToolRegistry
from bxcore.turn import Held
from bxcore.window import View, before_turn, fit, tokens_of
from bxio.session_evidence import SessionEvidence
from bxio.session_store import OpenSession, SessionError, SessionStore, new_log

ANSWER_TOKENS = 1024
"""What one answer of the model may take."""
NO_EVIDENCE = SessionEvidence()


@dataclass(slots=True, kw_only=True)
class LiveSession:
    """``held`` is the last prompt that a server read, if known; ``tools`` names those of the next epoch.

    What a request costs is in step with what it sends, and not with how long the session is.
    """

    log: OpenSession
    baseline: Baseline
    tools: tuple[str, ...] = ()
    held: Held | None = None
    view: View = field(default_factory=View)
    history: History = field(default_factory=History)
    recalled: int = 0
    """The last turn for which auto_recall looked."""
    loss: Loss | None = None
    """What it goes on without, until an epoch begins that says so."""
    gone: Loss | None = None
    """What a session of its name was that it is begun in place of."""
    _taken: int = 0
    """Records of the log that the history has."""
    _sent: int = 0
    """Tokens that the last request held."""
    _sent_view: View = field(default_factory=View)
    _baseline_tokens: int = -1

    @property
    def turns(self) -> int:
        """Turns so far."""
        return self.log.turns

    @property
    def first(self) -> int:
        """The first turn whose words are still sent to the model."""
        return self.turns - len(self._grown().turns) + self.view.first + 1

    def registry(self, present: ToolRegistry) -> ToolRegistry:
        """The tools of this epoch, of those that are ``present`` now."""
        start = self.log.records[0] if self.log.records else None
        names = start.tools if isinstance(start, SessionStart) else self.tools
        return present.kept(names, [str(tool["name"]) for tool in self.baseline.tools])

    def before_the_first_turn(self) -> tuple[Record, ...]:
        """The ``SessionStart`` that goes before a new session's first ``User``; nothing later on."""
        if self.log.records:
            return ()
        sha256 = baselines.sha256(self.baseline.dump())
        label = NEW_SESSION if self.gone is None else join(NEW_SESSION, self.gone.label)
        start = SessionStart(baseline=sha256, log=new_log(), tools=self.tools)
        return (replace(start, level=label.level, untrusted=label.untrusted),)

    def last_turn(self) -> Sequence[Record]:
        """The records of the last turn, none before the epoch's first one."""
        records = self.log.records
        start = next((n for n in range(len(records) - 1, -1, -1) if isinstance(records[n], User)), None)
        return () if start is None else records[start:]

    def recall(self, text: str) -> None:
        """What auto_recall found for the running turn; it stays with it while the session lives."""
        self.recalled = self.turns
        self._grown().turns[-1].recall(text)

    def request(self, context_tokens: int) -> ModelRequest:
        """The request of the log as it stands; the baseline is what was saved, byte for byte.

        What does not fit in ``context_tokens`` beside the baseline and the answer is left out; ``first`` says
        from which turn on the model sees the session.
        """
        history = self._grown()
        fitted = fit(history.turns, self._budget(context_tokens), self.view)
        self.view = fitted.view
        anew = fitted.squeezed or self.view != self._sent_view
        tokens = self.history_tokens()
        new, self._sent, self._sent_view = tokens - self._sent, tokens, self.view
        return ModelRequest(
            profile=self.baseline.profile,
            baseline=self.baseline.messages,
            history=history.told(fitted.messages),
            tools=self.baseline.tools,
            workspaces=self.baseline.workspaces,
            max_tokens=ANSWER_TOKENS,
            uncached_tokens=None if self.held is None or anew else new,
            anew=anew,
        )

    # The next epoch.

    def history_tokens(self) -> int:
        """What the epoch's turns take by estimate, nothing shortened."""
        return sum(turn.tokens for turn in self._grown().turns)

    def nears(self, text: str, context_tokens: int) -> bool:
        """Whether an epoch is due before a turn of this text; else old results are shortened if need be."""
        history = self._grown()
        coming = tokens_of(UserMessage(text=text))
        self.view, due = before_turn(history.turns, coming, self._budget(context_tokens), self.view)
        return due

    def summary_request(self, context_tokens: int) -> ModelRequest:
        """Ask for a summary behind what was sent before, so that the server has most of it in its cache."""
        ask = UserMessage(text=epoch_summary.ASK)
        request = self.request(context_tokens - tokens_of(ask))
        return replace(request, history=(*request.history, ask), max_tokens=epoch_summary.ANSWER_TOKENS)

    def begin_epoch(self, said: str, context_tokens: int) -> None:
        """Go on in a new epoch, on disk when this returns; ``said`` is the model's summary, or empty.

        The baseline stays byte for byte, and the label as it is, unless there was a ``loss``: then the new
        baseline is saved, the label is the highest known, and lost turns keep their places. Raises
        ``SessionError``.
        """
        log, lost = self.log, 0 if self.loss is None else self.loss.turns
        budget = self._budget(context_tokens) + self._grown().summary_tokens
        summary = epoch_summary.summary(said, log.records, label=self.label, budget=budget)
        start = self._next_start(summary)
        log.begin_epoch(start)
        if (
            lost
        ):  # their label is on disk before they are; the model sees neither them nor a window full of them
            log.append(in_their_place(lost))
            log.begin_epoch(replace(start, epoch=start.epoch + 1, turns=log.turns))
        self.loss = None
        self.history, self.view, self.held = History(), View(), None
        self._taken, self._sent, self._sent_view = 0, 0, View()

    @property
    def label(self) -> Label:
        """The label that the next epoch begins with."""
        return self.log.label if self.loss is None else join(self.log.label, self.loss.label)

    def _next_start(self, summary: str) -> SessionStart:
        log, first = self.log, self.log.records[0]
        assert isinstance(first, SessionStart)
        sha256 = first.baseline
        if self.loss is not None and self.loss.baseline:
            saved = self.baseline.dump()
            log.save_baseline(saved)
            sha256 = baselines.sha256(saved)
        return SessionStart(
            baseline=sha256,
            log=first.log,
            level=self.label.level,
            untrusted=self.label.untrusted,
            epoch=log.epoch + 1,
            turns=log.turns,
            summary=summary,
            tools=self.tools,
        )

    def _grown(self) -> History:
        records = self.log.records
        self.history.take(records[self._taken :])
        self._taken = len(records)
        return self.history

    def _budget(self, context_tokens: int) -> int:
        """What the turns may take."""
        if self._baseline_tokens < 0:
            self._baseline_tokens = _tokens_of(self.baseline)
        return context_tokens - ANSWER_TOKENS - self._baseline_tokens - self._grown().summary_tokens


def _tokens_of(saved: Baseline) -> int:
    texts = [str(message.get("content") or "") for message in saved.messages]
    return estimate_tokens([*texts, json.dumps(saved.tools) if saved.profile == "native" else ""])


def open_live(
    store: SessionStore,
    session: str,
    make_baseline: Callable[[], Baseline],
    tools: tuple[str, ...] = (),
    evidence: SessionEvidence = NO_EVIDENCE,
) -> LiveSession:
    """Open a session, or start it with the baseline that ``make_baseline`` gives before anything is on disk.

    ``tools`` names those of an epoch that begins from now on. Where the saved baseline is not the one that
    the log names, it is kept aside, and ``make_baseline`` gives another; where ``evidence`` knows turns that
    the log has not, these are lost. Both are the session's ``loss``. Raises ``SessionError``.
    """
    fresh = None if store.exists(session) else make_baseline()
    log = store.open(session)
    try:
        if log.records:
            return _resumed(log, make_baseline, tools, evidence)
        fresh = fresh or make_baseline()
        log.save_baseline(fresh.dump())
    except BaseException:
        log.close()
        raise
    return LiveSession(log=log, baseline=fresh, tools=tools, gone=evidence.gone(session))


def _resumed(
    log: OpenSession, make_baseline: Callable[[], Baseline], tools: tuple[str, ...], evidence: SessionEvidence
) -> LiveSession:
    first = log.records[0]
    if not isinstance(first, SessionStart):
        raise SessionError(
            f"the log of session {log.session} does not begin with its start; start another session"
        )
    loss = evidence.loss(log.session, first.log, log.turns)
    try:
        saved = baselines.load(log.baseline(), first.baseline)
    except BaselineLostError as error:
        saved = make_baseline()
        loss = replace(loss or Loss(), baseline=_kept_aside(str(error), log.set_aside_baseline()))
    except BaselineError as error:
        raise SessionError(f"session {log.session} cannot go on: {error}") from None
    return LiveSession(log=log, baseline=saved, tools=tools, loss=loss)


def _kept_aside(why: str, kept: Path | None) -> str:
    return why if kept is None else f"{why}, and is kept as {kept.name}"
