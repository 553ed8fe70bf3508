"""Examples in a grant: calls that it must allow, ask about or refuse, tried when it is loaded.

Each is decided with its grant alone, in a session of the class and trust that it names, while the grant is in
force. So an owner sees at once when a grant means something else than what was meant.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bxcore.did_you_mean import hint
from bxcore.grants.grant import Grant
from bxcore.grants.keys import MAX_LIST, WrongValueError, read_boolean, read_level
from bxcore.labels import Label, Level
from bxcore.toml_lines import KeyPath

EXAMPLES = "examples"
EXPECTED = ("allow", "ask", "refuse")
EXAMPLE_KEYS = ("call", "expect", "class", "untrusted", "said")

Found = tuple[KeyPath, str]
"""Where a problem is, and its sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """``place`` counts from 0; ``call`` is the arguments as JSON; ``said`` the owner's message, if any."""

    place: int
    call: str
    expect: str
    state: Label
    said: str | None = None


def read_examples(value: object) -> tuple[list[Example], list[Found]]:
    """The examples of a TOML value that are well formed, and what is wrong with the others."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return [], [((EXAMPLES,), "examples is no list of tables; write [[examples]] above each of them")]
    if len(value) > MAX_LIST:
        return [], [((EXAMPLES,), f"examples has {len(value)} entries; write at most {MAX_LIST}")]
    examples: list[Example] = []
    problems: list[Found] = []
    for place, table in enumerate(value):
        found = list(_problems(table))
        problems += [((EXAMPLES, place, key), sentence) for key, sentence in found]
        examples += [] if found else [_example(place, table)]
    return examples, problems


def failing(examples: Iterable[Example], grant: Grant) -> list[Found]:
    """The examples that come out otherwise than they say."""
    return [
        ((EXAMPLES, each.place, "expect"), sentence) for each in examples if (sentence := _fault(each, grant))
    ]


def _problems(table: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for key in ("call", "expect"):
        if key not in table:
            yield key, f"{key} is missing in this example; write it"
    for key, value in table.items():
        if key not in EXAMPLE_KEYS:
            yield key, f"this is no key of an example{hint(key, EXAMPLE_KEYS) or '; remove it'}"
            continue
        try:
            _READERS[key](value)
        except WrongValueError as error:
            yield key, f"{key} {error}"


def _example(place: int, table: Mapping[str, Any]) -> Example:
    level = read_level(table.get("class", Level.PRIVATE.text))
    return Example(
        place=place,
        call=_call(table["call"]),
        expect=table["expect"],
        state=Label(level, table.get("untrusted", False)),
        said=table.get("said"),
    )


def _call(value: object) -> str:
    if not isinstance(value, dict):
        raise WrongValueError('is no table; write the call\'s arguments, such as { path = "a.md" }')
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        raise WrongValueError("holds a date or a time; write it as a string") from None


def _expected(value: object) -> str:
    if not isinstance(value, str) or value not in EXPECTED:
        raise WrongValueError("is not known; write allow, ask or refuse")
    return value


def _said(value: object) -> str:
    if not isinstance(value, str):
        raise WrongValueError("is no string; write what you would have said")
    return value


_READERS = {
    "call": _call,
    "expect": _expected,
    "class": read_level,
    "untrusted": read_boolean,
    "said": _said,
}


def _fault(example: Example, grant: Grant) -> str | None:
    """A refusal of the arguments tells nothing of the grant, so it fulfils no expectation."""
    from bxcore.policy import Call, decide  # policy is built on grants; it is met here at run time alone
    from bxcore.repeats import TurnCalls

    call = Call(
        tool=grant.tool,
        arguments=example.call,
        state=example.state,
        calls=TurnCalls(turn=1),
        said=example.said,
    )
    verdict = decide(call, (grant,), BEFORE_ANY_EXPIRY)
    if verdict.reasons[-1] == "arguments":
        return f"this example's call is no call of {grant.tool}: {verdict.sentence}"
    if verdict.outcome.value == example.expect:
        return None
    found = verdict.steps[-1]
    return (
        f"this example comes out as {verdict.outcome.value}, not {example.expect}, by the rule {found}; "
        "change the grant or the example"
    )


BEFORE_ANY_EXPIRY = datetime.min.replace(tzinfo=UTC)
