"""What the policy says of a call, with the grants, session and approvals of this moment (spec 2.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from actors.broker_approvals import BrokerApprovals
from actors.broker_grants import BrokerGrants
from actors.broker_sessions import Held
from bxcore import call_records, policy
from bxcore.labels import Label
from bxcore.messages.broker import ExplainCall, Explained
from bxcore.policy import Call, Verdict
from bxcore.repeats import TurnCalls


@dataclass(frozen=True, slots=True)
class Deciding:
    """``wall`` tells the time, with its zone."""

    grants: BrokerGrants
    approvals: BrokerApprovals
    wall: Callable[[], datetime]
    calls_per_turn: int

    def decide(self, held: Held, label: Label) -> Verdict:
        """Decide a call in a session of that label; what the owner denied in this turn stays denied."""
        request = held.taken.request
        call = Call(
            tool=request.tool,
            arguments=request.arguments,
            state=label,
            calls=held.calls,
            said=request.said,
        )
        now = self.wall()
        verdict = policy.decide(call, self.grants.set, now)
        if verdict.canonical is None or not self._denied(held, verdict):
            return verdict
        key = policy.call_key(request.tool, verdict.canonical)
        return policy.decide(replace(call, denied=frozenset({key})), self.grants.set, now)

    def _denied(self, held: Held, verdict: Verdict) -> bool:
        request = held.taken.request
        sha256 = call_records.arguments_sha256(request, verdict)
        return self.approvals.state.was_denied(request.session, request.turn, request.tool, sha256)

    def explain(self, asked: ExplainCall) -> Explained:
        """Decide, and do nothing: the turn has called nothing before."""
        call = Call(
            tool=asked.tool,
            arguments=asked.arguments,
            state=asked.label,
            calls=TurnCalls(turn=0, limit=self.calls_per_turn),
            said=asked.said,
        )
        verdict = policy.decide(call, self.grants.set, self.wall())
        return Explained(
            decision=verdict.outcome.value,
            grant=None if verdict.grant is None else verdict.grant.id,
            sentence=verdict.sentence or verdict.why,
            steps=verdict.steps,
        )
