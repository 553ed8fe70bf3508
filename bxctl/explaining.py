"""The grants and what they make of a call, without a running box, from their folder (spec 2.2, 2.3)."""

from __future__ import annotations

import os
from argparse import Namespace
from datetime import UTC, datetime
from pathlib import Path

from bxcore.config import read
from bxcore.control import Exit
from bxcore.control.answers import ExplainedJson, GrantsJson
from bxcore.control.grants import grants_json
from bxcore.control.requests import ExplainRequest
from bxcore.grant_rows import rows
from bxcore.grants import BUILT_IN, Grant, GrantSet
from bxcore.labels import Label, Level
from bxcore.messages.broker import GrantsView
from bxcore.policy import Call, Verdict, decide
from bxcore.repeats import TurnCalls
from bxcore.startup import owners_grants
from bxctl.called import typed
from bxctl.errors import CommandError
from bxctl.place import paths_of
from bxctl.printing import data, talk


def explain(args: Namespace, request: ExplainRequest) -> ExplainedJson:
    """Decide the call by the grants that a start would load; raises ``CommandError`` for a bad set."""
    call = Call(
        tool=request.tool,
        arguments=request.arguments,
        state=Label(Level.parse(request.session_class), untrusted=request.untrusted),
        calls=TurnCalls(turn=1),
        said=request.said,
    )
    return _json(decide(call, _granted(args), datetime.now(UTC)))


def listed(args: Namespace) -> GrantsJson:
    """List the grants that a start would load; raises ``CommandError`` for a bad set."""
    return grants_json(GrantsView(grants=rows(GrantSet.of(_granted(args)), datetime.now(UTC))))


def _granted(args: Namespace) -> tuple[Grant, ...]:
    """The built-in grants and the owner's, of whom a folder that nobody named may be missing."""
    paths = paths_of(args)
    settings = read(paths, os.environ, cwd=Path.cwd()).settings
    if settings is None:
        raise CommandError(Exit.USAGE, f"the configuration has problems; see {typed('check')}")
    talk(f"boxmaker does not run; by the grants in {settings.broker.grants or paths.grants}")
    loaded = owners_grants(settings.broker.grants, paths)
    if loaded.problems:
        for each in loaded.problems:
            data(f"{each.file}:{each.line}: {each.problem}")
        raise CommandError(Exit.USAGE, "these grants have problems, so no box would start with them")
    return (*BUILT_IN, *loaded.grants)


def _json(verdict: Verdict) -> ExplainedJson:
    return {
        "decision": verdict.outcome.value,
        "grant": None if verdict.grant is None else verdict.grant.id,
        "sentence": verdict.sentence or verdict.why,
        "steps": list(verdict.steps),
    }
