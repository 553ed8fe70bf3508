"""What doctor says of the way to Honcho: the turns that wait for it, and its failures (spec 4.6)."""

from __future__ import annotations

from collections.abc import Mapping

from bxcore.doctor.check import Check, Verdict


def honcho_check(counters: Mapping[str, object] | None) -> Check:
    """Judge the outbox's counters ``waiting`` and ``failures``; None when it could not be looked at."""
    if counters is None:
        return _check(Verdict.WARN, "nobody could say how many turns wait for it", "bxctl inspect outbox")
    waiting, failures = counters.get("waiting", 0), counters.get("failures", 0)
    turns = "1 turn waits" if waiting == 1 else f"{waiting} turns wait"
    if failures:
        sentence = f"{turns} for it, the last {failures} attempts failed; they are tried again"
        return _check(Verdict.WARN, sentence, "bxctl memory outbox")
    return _check(Verdict.OK, f"{turns} for it" if waiting else "every turn is delivered", None)


def _check(verdict: Verdict, sentence: str, help_: str | None) -> Check:
    return Check(name="honcho", verdict=verdict, sentence=sentence, help=help_)
