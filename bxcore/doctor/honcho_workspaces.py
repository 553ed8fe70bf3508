"""What doctor says of each workspace after it was tried by real requests, and what to do (spec 4.5, 6.3)."""

from __future__ import annotations

from typing import Literal, assert_never

from bxcore.doctor.check import Check, Verdict
from bxcore.honcho_health import Health
from bxcore.workspaces import FLEET, OWN, UNTRUSTED, Readable

_BY_WORD = (
    ("certificate", "put the authority that signed it into SSL_CERT_FILE, for the box's own process"),
    ("redirect", "write the address that it leads to as [honcho] url"),
    ("host's name", "mend the name in [honcho] url"),
)
_FAILING = (
    ("429", "ask it less often, or raise the limit of the server or of the proxy before it"),
    ("422", "it refuses what a Honcho of version 3 takes: see which server [honcho] url leads to"),
    ("so large", "raise the limit on a request's size, at the proxy or the server"),
)
_NO_HONCHO = "is [honcho] url one? It is the address without /v3, with the path prefix of a proxy"
_TOKEN = (("403", "see whether a proxy lets this box in, and whether the token is for this workspace"),)
_GIVE_ONE = "give [honcho] token_file a token for this workspace, one without an expiry"
_SEE_URL = "see whether the server runs, and [honcho] url"


def workspace_check(readable: Readable, health: Health, detail: str, took_ms: int) -> Check:
    """Judge one workspace; ``detail`` is the probe's clause, ``took_ms`` how long it took."""
    name = readable.workspace
    match health:
        case Health.FINE | Health.EMPTY:
            return _check(readable, Verdict.OK, f"{name}: {detail} ({took_ms} ms)")
        case Health.NO_SUCH_WORKSPACE:
            return _missing(readable)
        case _:
            return _check(readable, Verdict.BAD, *_wrong(name, health, detail))


def _wrong(
    name: str,
    health: Literal[
        Health.UNREACHABLE, Health.NO_HONCHO, Health.TOKEN_REFUSED, Health.TOO_OLD, Health.FAILING
    ],
    detail: str,
) -> tuple[str, str]:
    """What is wrong with it, and what to do."""
    match health:
        case Health.UNREACHABLE:
            return f"{name} is unreachable: {detail}", _help(_BY_WORD, detail, _SEE_URL)
        case Health.NO_HONCHO:
            return f"{name}: it answers, but not as a Honcho does ({detail})", _NO_HONCHO
        case Health.TOKEN_REFUSED:
            return f"{name}: {detail}", _help(_TOKEN, detail, _GIVE_ONE)
        case Health.TOO_OLD:
            sentence = f"{name}: the server is too old to be asked ({detail}); saving and search work"
            return sentence, "run a Honcho later than 3.0.12 there"
        case Health.FAILING:
            return f"{name} fails: {detail}", _help(_FAILING, detail, "see the server's own log")
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


def _help(by_word: tuple[tuple[str, str], ...], detail: str, otherwise: str) -> str:
    return next((help_ for word, help_ in by_word if word in detail), otherwise)


def _check(readable: Readable, verdict: Verdict, sentence: str, help_: str | None = None) -> Check:
    return Check(name=f"workspace {readable.name}", verdict=verdict, sentence=sentence, help=help_)
