"""What doctor says of the way to Honcho: what waits for it, what was parked, and its failures (spec 4.6)."""

from __future__ import annotations

from collections.abc import Mapping

from bxcore.doctor.check import Check, Verdict

_SEE = "bxctl memory outbox"


def honcho_check(counters: Mapping[str, object] | None) -> Check:
    """Judge the outbox's counters; None, or none of them, when it could not be looked at.

    They are ``waiting``, ``parked``, ``failures``, ``failing`` (why) and ``refuses all`` (0 or 1).
    """
    if not counters:  # it does not run, or it could not open its files
        sentence = "nobody could say how many turns wait for it"
        return _check(Verdict.WARN, sentence, "bxctl inspect outbox")
    waiting, parked = counters.get("waiting", 0), counters.get("parked", 0)
    turns = f"{_turns(waiting, 'waits', 'wait')} for it"
    said = [turns] if waiting else []
    if counters.get("failures", 0):
        said = [f"{turns}, {_failed(counters)}; {'it is' if waiting == 1 else 'they are'} tried again"]
    if parked:
        said.append(f"{_turns(parked, 'is', 'are')} parked and not tried again without your word")
    if counters.get("refuses all", 0):
        said.append("it refuses every turn, and has taken none since")
    if said == [turns] or not said:
        return _check(Verdict.OK, turns if said else "every turn is delivered", None)
    return _check(Verdict.WARN, "; ".join(said), _SEE)


def _failed(counters: Mapping[str, object]) -> str:
    failures, why = counters.get("failures", 0), counters.get("failing", "")
    last = "the last attempt" if failures == 1 else f"the last {failures} attempts"
    return f"{last} failed ({why})" if why else f"{last} failed"


def _turns(count: object, one: str, many: str) -> str:
    return f"1 turn {one}" if count == 1 else f"{count} turns {many}"


def _check(verdict: Verdict, sentence: str, help_: str | None) -> Check:
    return Check(name="honcho", verdict=verdict, sentence=sentence, help=help_)
