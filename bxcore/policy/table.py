"""The decision: one ordered table of rules, of which the first that objects decides (spec 2.3).

A session that rises must never be allowed more than before. So a grant that no longer applies, because the
session's class is above its ``max_taint``, gives no permission any more, but its caution stays: where it
asked or refused, it still does. Each grant that reaches the call adds its floor, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from bxcore import args
from bxcore.args import HTTP_FETCH, ArgsError
from bxcore.grants.grant import Grant, Mode, WhenUntrusted
from bxcore.grants.grant_set import GrantSet
from bxcore.labels import join
from bxcore.policy import destination
from bxcore.policy.call import Call, call_key, sha256
from bxcore.policy.facts import Facts, Finding, ids
from bxcore.policy.masks import masked
from bxcore.policy.verdict import Ruling, Verdict

STRICTNESS = {Mode.AUTO: 0, Mode.ASK: 1, Mode.DENY: 2}
"""``deny`` beats ``ask`` beats ``auto``."""


def decide(call: Call, grants: GrantSet | Iterable[Grant], now: datetime) -> Verdict:
    """Ask the rules in their order. ``now`` has a time zone; a ``GrantSet`` saves sorting the grants."""
    granted = grants if isinstance(grants, GrantSet) else GrantSet.of(grants)
    facts = Facts(call, granted, now)
    asked: list[str] = []
    steps: list[str] = []
    for rule, ask in TABLE:
        finding = ask(facts)
        asked.append(rule)
        steps.append(f"{rule}: {finding.found}")
        if finding.sentence is not None:
            return _refusal(facts, asked, steps, finding.sentence)
    return Verdict(
        outcome=Ruling.ALLOW if facts.why is None else Ruling.ASK,
        reasons=tuple(asked),
        steps=tuple(steps),
        why=facts.why,
        args=facts.args,
        canonical=facts.canonical,
        grant=facts.decided_by,
        floor=facts.floor,
        bound=_bound(facts),
        stricter=_stricter(facts),
        masked=masked(call.tool, granted, now),
    )


def _refusal(facts: Facts, asked: list[str], steps: list[str], sentence: str) -> Verdict:
    return Verdict(
        outcome=Ruling.REFUSE,
        reasons=tuple(asked),
        steps=tuple(steps),
        sentence=sentence,
        args=facts.args,
        canonical=facts.canonical,
        grant=facts.decided_by,
        floor=facts.floor,
    )


def _bound(facts: Facts) -> str:
    """The sha256 of all grants' texts that reach the call, by id."""
    return sha256("\n".join(grant.sha256 for grant in facts.touching))


def _stricter(facts: Facts) -> tuple[Grant, ...]:
    """Only a fetch may be sent on to a place that was not decided on.

    It must not come where a grant asks or refuses, nor where a result has a higher label.
    """
    if facts.call.tool != HTTP_FETCH:
        return ()
    untrusted = facts.call.state.untrusted
    modes = {Mode.DENY} if facts.why else {Mode.DENY, Mode.ASK}
    barred = {WhenUntrusted.DENY} if facts.why else {*WhenUntrusted} - {WhenUntrusted.ALLOW}
    decided = {grant.id for grant in facts.touching}

    def stricter(grant: Grant) -> bool:
        asks = grant.mode in modes or (untrusted and grant.when_untrusted in barred)
        return asks or join(facts.floor, grant.floor) != facts.floor

    return tuple(grant for grant in facts.in_force if grant.id not in decided and stricter(grant))


def _too_many_calls(facts: Facts) -> Finding:
    calls = facts.call.calls
    return Finding(f"{calls.made} of {calls.limit} were made", calls.refuse_more())


def _no_such_tool(facts: Facts) -> Finding:
    """Exact match only: a name is never mended."""
    if args.is_tool(facts.call.tool):
        return Finding(f"{facts.call.tool} is one")
    return Finding("no tool has this name", "no tool has this name; look one up with find_tool")


def _bad_arguments(facts: Facts) -> Finding:
    try:
        facts.args = args.parse(facts.call.tool, facts.call.arguments)
        facts.destination = destination.of(facts.args)
    except ArgsError as error:
        return Finding(error.sentence, error.line)
    facts.canonical = args.canonical_json(facts.args)
    return Finding(f"well formed, {facts.destination.about}")


def _key(facts: Facts) -> str:
    return call_key(facts.call.tool, facts.canonical or "")


def _in_vain(facts: Facts) -> Finding:
    sentence = facts.call.calls.refuse_again(_key(facts))
    return Finding("not made in vain before" if sentence is None else "made in vain before", sentence)


def _denied_before(facts: Facts) -> Finding:
    if _key(facts) not in facts.call.denied:
        return Finding("not denied in this turn")
    return Finding(
        "denied by the owner in this turn",
        "the owner has denied this same call in this turn; do not try another way, go on without it",
    )


def _no_grant(facts: Facts) -> Finding:
    tool = facts.call.tool
    grants = facts.grants.for_tool(tool)
    facts.in_force = _in_force(facts, grants)
    if facts.in_force:
        return Finding(f"for {tool} there is {ids(facts.in_force)}")
    over = f", and expired {ids(grants)}" if grants else ""
    return Finding(
        f"for {tool} there is none{over}", f"no grant allows {tool}; tell the owner that it needs one"
    )


def _in_force(facts: Facts, grants: tuple[Grant, ...]) -> tuple[Grant, ...]:
    now = facts.now
    return tuple(grant for grant in grants if grant.expires is None or now < grant.expires)


def _not_covered(facts: Facts) -> Finding:
    """An explicit no is asked about next; it permits nothing, so it is none of those that cover."""
    where = facts.destination
    near = _in_force(facts, facts.grants.near(facts.call.tool, where.keys))
    permitting = [grant for grant in near if grant.mode is not Mode.DENY]
    facts.touching = tuple(grant for grant in near if where.touches(grant))
    facts.covering = tuple(grant for grant in permitting if where.covers(grant))
    denied = where.unclear is None and any(grant.mode is Mode.DENY for grant in facts.touching)
    if facts.covering or denied:
        return Finding(f"{where.about} is covered by {ids(facts.covering)}")
    if all(grant.mode is Mode.DENY for grant in facts.in_force):
        return Finding("there are grants that deny alone", _none_allows(facts))
    return Finding(f"{where.about} is covered by none", where.missing(permitting))


def _none_allows(facts: Facts) -> str:
    return f"no grant allows {facts.call.tool}; tell the owner that it needs one"


def _explicit_no(facts: Facts) -> Finding:
    denying = [grant for grant in facts.touching if grant.mode is Mode.DENY]
    if not denying:
        return Finding("no grant says no")
    facts.decided_by = denying[0]
    if facts.destination.unclear is not None and all(grant.commands for grant in denying):
        return Finding(f"{ids(denying)} may say no", facts.destination.unclear)
    return Finding(
        f"{ids(denying)} says no",
        f"the owner's grants deny this {facts.call.tool} call; do not try another way, tell the owner",
    )


def _class_too_high(facts: Facts) -> Finding:
    level = facts.call.state.level
    facts.applying = tuple(grant for grant in facts.covering if level <= grant.max_taint)
    facts.floor = join(*(grant.floor for grant in facts.touching))
    if facts.applying:
        return Finding(f"the session is {level.text}, there apply {ids(facts.applying)}")
    where = f"{facts.call.tool} in a {level.text} session"
    return Finding(
        f"the session is {level.text}, there applies none",
        f"no grant allows {where}; do not try another way, tell the owner",
    )


def _strangers_words(facts: Facts) -> Finding:
    if not facts.call.state.untrusted:
        return Finding("the session holds no stranger's words")
    barring = [grant for grant in facts.touching if grant.when_untrusted is WhenUntrusted.DENY]
    if not barring:
        return Finding("the session holds strangers' words, no grant refuses then")
    facts.decided_by = barring[0]
    return Finding(
        f"the session holds strangers' words, {ids(barring)} refuses then",
        f"this session holds strangers' words, and this {facts.call.tool} call is not allowed then; "
        "do not try another way, tell the owner",
    )


def _mode(facts: Facts) -> Finding:
    """The strictest counts. It runs under the strictest grant that applies, of several the first by id."""
    named = facts.is_named() if facts.call.state.untrusted else False
    asking = [grant for grant in facts.touching if facts.mode(grant, named=named) is Mode.ASK]
    facts.decided_by = max(facts.applying, key=lambda grant: STRICTNESS[facts.mode(grant, named=named)])
    if not asking:
        return Finding(f"runs without a question, under {facts.decided_by.id}")
    facts.why = _why(asking[0], untrusted=facts.call.state.untrusted)
    return Finding(f"the owner is asked, {facts.why}; it runs under {facts.decided_by.id}")


def _why(grant: Grant, *, untrusted: bool) -> str:
    strangers = "this session holds strangers' words"
    if untrusted and grant.when_untrusted is WhenUntrusted.NAMED and grant.mode is Mode.AUTO:
        return f"{strangers}, and your message does not name where this goes ({grant.id})"
    if untrusted and grant.when_untrusted is WhenUntrusted.ASK:
        return f"{strangers}, and the grant {grant.id} asks then"
    return f"the grant {grant.id} asks each time"


TABLE: tuple[tuple[str, Callable[[Facts], Finding]], ...] = (
    ("calls of the turn", _too_many_calls),
    ("tool", _no_such_tool),
    ("arguments", _bad_arguments),
    ("same call again", _in_vain),
    ("denied before", _denied_before),
    ("grant", _no_grant),
    ("destination", _not_covered),
    ("explicit no", _explicit_no),
    ("class", _class_too_high),
    ("strangers' words", _strangers_words),
    ("mode", _mode),
)
"""Each rule's name, and what it finds about a call: an objection, or none."""
