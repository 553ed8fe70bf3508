"""What doctor says of each workspace after it was tried by real requests, and what to do (spec 4.5, 6.3)."""

from __future__ import annotations

from typing import assert_never

from bxcore.doctor.check import Check, Verdict
from bxcore.honcho_health import Health
from bxcore.workspaces import FLEET, OWN, UNTRUSTED, Readable

_BY_WORD = (
    ("certificate", "put the authority that signed it into SSL_CERT_FILE, for the box's own process"),
    ("redirect", "write the address that it leads to as [honcho] url"),
    ("host's name", "mend the name in [honcho] url"),
    ("no honcho", "mend [honcho] url; it is the address without /v3, with the path prefix of a proxy"),
    ("not JSON", "mend [honcho] url; a page answers there"),
)
_SEE_URL = "see whether the server runs, and [honcho] url"


def workspace_check(readable: Readable, health: Health, detail: str, took_ms: int) -> Check:
    """Judge one workspace; ``detail`` is the probe's clause, ``took_ms`` how long it took."""
    name = readable.workspace
    match health:
        case Health.FINE | Health.EMPTY:
            return _check(readable, Verdict.OK, f"{name}: {detail} ({took_ms} ms)")
        case Health.UNREACHABLE:
            return _check(readable, Verdict.BAD, f"{name} is unreachable: {detail}", _reach(detail))
        case Health.TOKEN_REFUSED:
            help_ = "give [honcho] token_file a token for this workspace, one without an expiry"
            return _check(readable, Verdict.BAD, f"{name}: {detail}", help_)
        case Health.NO_SUCH_WORKSPACE:
            return _missing(readable)
        case Health.TOO_OLD:
            sentence = f"{name}: the server is too old to be asked ({detail}); saving and search work"
            return _check(readable, Verdict.BAD, sentence, "run a Honcho later than 3.0.12 there")
        case Health.FAILING:
            return _check(readable, Verdict.BAD, f"{name} fails: {detail}", "see the server's own log")
        case _:
            assert_never(health)


def untried_check(readable: Readable, why: str) -> Check:
    """Say of a workspace that nobody could try it, and why."""
    return _check(readable, Verdict.WARN, f"{readable.workspace} could not be tried: {why}", "bxctl tree")


def _missing(readable: Readable) -> Check:
    """The box's own workspaces are made by what is saved to them; nobody makes another's by asking."""
    name = readable.workspace
    if readable.name in {OWN, UNTRUSTED}:
        sentence = f"{name} is not there yet; the first turn that is saved to it makes it"
        return _check(readable, Verdict.OK, sentence)
    key = "[honcho] fleet" if readable.name == FLEET else f"[[honcho.read]] workspace of {readable.name}"
    help_ = f"mend {key}, or make the workspace on the server"
    return _check(readable, Verdict.BAD, f"no such workspace: {name}", help_)


def _reach(detail: str) -> str:
    return next((help_ for word, help_ in _BY_WORD if word in detail), _SEE_URL)


def _check(readable: Readable, verdict: Verdict, sentence: str, help_: str | None = None) -> Check:
    return Check(name=f"workspace {readable.name}", verdict=verdict, sentence=sentence, help=help_)
