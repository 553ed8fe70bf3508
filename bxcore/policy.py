"""What becomes of a call: one ordered table of rules, of which the first that objects decides (spec 2.3).

First form: the tools of the built-in grants. A verdict carries what the audit keeps of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bxcore import args
from bxcore.args import Args, ArgsError
from bxcore.grants import Grant
from bxcore.labels import Label
from bxcore.repeats import TurnCalls

MAX_NAME = 64
"""Characters of a tool's name as the audit keeps it; the model may write any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call as the model wrote it, with what its session is: the label so far and the turn's calls."""

    tool: str
    arguments: str
    state: Label
    calls: TurnCalls


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a call runs. ``reasons`` are the rules that were asked, the last one is the one that decided.

    ``sentence`` is what the model sees of a refusal, None when the call runs. ``canonical`` is the arguments'
    one written form, None when they could not be read.
    """

    sentence: str | None
    reasons: tuple[str, ...]
    args: Args | None = None
    canonical: str | None = None
    grant: Grant | None = None

    @property
    def decision(self) -> str:
        """As the audit keeps it: ``allowed``, or ``refused: `` and the rule."""
        return "allowed" if self.sentence is None else f"refused: {self.reasons[-1]}"


@dataclass(slots=True)
class _Facts:
    """What the rules have found out so far, each for those after it."""

    call: Call
    grants: tuple[Grant, ...]
    args: Args | None = None
    canonical: str | None = None
    matching: tuple[Grant, ...] = field(default=())


def decide(call: Call, grants: Iterable[Grant]) -> Verdict:
    """Ask the rules in their order."""
    facts = _Facts(call, tuple(grants))
    asked: list[str] = []
    for rule, objection in TABLE:
        asked.append(rule)
        sentence = objection(facts)
        if sentence is not None:
            break
    else:
        sentence = None
    grant = facts.matching[0] if facts.matching else None
    return Verdict(
        sentence=sentence, reasons=tuple(asked), args=facts.args, canonical=facts.canonical, grant=grant
    )


def call_key(tool: str, canonical: str) -> str:
    """What makes two calls the same one."""
    return f"{tool} {canonical}"


def sha256(text: str) -> str:
    """Of a text that a model wrote: halves of characters count too."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _too_many_calls(facts: _Facts) -> str | None:
    return facts.call.calls.refuse_more()


def _no_such_tool(facts: _Facts) -> str | None:
    """Exact match only: a name is never mended."""
    if facts.call.tool in args.ARGUMENT_TYPES:
        return None
    return "no tool has this name; look one up with find_tool"


def _bad_arguments(facts: _Facts) -> str | None:
    try:
        facts.args = args.parse(facts.call.tool, facts.call.arguments)
    except ArgsError as error:
        return error.line
    facts.canonical = args.canonical_json(facts.args)
    return None


def _in_vain(facts: _Facts) -> str | None:
    return facts.call.calls.refuse_again(call_key(facts.call.tool, facts.canonical or ""))


def _no_grant(facts: _Facts) -> str | None:
    facts.matching = tuple(grant for grant in facts.grants if grant.tool == facts.call.tool)
    if facts.matching:
        return None
    return f"no grant allows {facts.call.tool}; tell the owner that it needs one"


def _class_too_high(facts: _Facts) -> str | None:
    level = facts.call.state.level
    allowing = tuple(grant for grant in facts.matching if level <= grant.max_taint)
    if not allowing:
        where = f"{facts.call.tool} in a {level.text} session"
        return f"no grant allows {where}; do not try another way, tell the owner"
    facts.matching = allowing
    return None


TABLE: tuple[tuple[str, Callable[[_Facts], str | None]], ...] = (
    ("calls of the turn", _too_many_calls),
    ("tool", _no_such_tool),
    ("arguments", _bad_arguments),
    ("same call again", _in_vain),
    ("grant", _no_grant),
    ("class", _class_too_high),
)
"""Each rule's name, and what it has to say against a call: a sentence for the model, or None."""
