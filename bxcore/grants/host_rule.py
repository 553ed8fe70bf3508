"""A host in a grant: an exact name or address, or every name below one, at a port (spec 2.2).

It is read by the same parser that reads a call's URL, so that one host has one written form on both sides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from bxcore.errors import SentenceError
from bxcore.fetch_target import Target, TargetError, parse
from bxcore.public_address import why_not_public

_WRITTEN = re.compile(r"(\*\.)?(\[[^\[\]/?#@%\\]*\]|[^\[\]:/?#@%*\\]+)(?::([0-9]{1,5}))?")


class HostError(SentenceError):
    """A text that is no host of a grant; the sentence goes on after it."""


@dataclass(frozen=True, slots=True)
class HostRule:
    """``below`` means every name below ``host``, not itself. Without a port, the scheme's default one."""

    host: str
    below: bool = False
    port: int | None = None

    def covers(self, target: Target) -> bool:
        """Whether a fetch may go there."""
        if self.port is None and not target.has_default_port:
            return False
        if self.port is not None and self.port != target.port:
            return False
        if self.below:
            return target.address is None and target.host.endswith(f".{self.host}")
        return target.host == self.host

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port is None else f":{self.port}"
        return f"{'*.' if self.below else ''}{host}{port}"


@lru_cache(maxsize=65_536)
def host_rule(written: str) -> HostRule:
    """Read a host as a grant has it; ``str`` of the value reads as the same one. Raises ``HostError``."""
    found = _WRITTEN.fullmatch(written.strip())
    if found is None:
        raise HostError("which is no host; write a name, *.suffix or name:port")
    below, host, port = bool(found[1]), found[2], found[3]
    try:
        target = parse(f"http://{host}:{port or ''}/")
    except TargetError as error:
        raise HostError(f"which is no host: {_of_a_host(error.sentence)}") from None
    if below and target.address is not None:
        raise HostError("which has a * before an address; write the address alone")
    return HostRule(target.host, below, int(port) if port else None)


def never_dialled(rule: HostRule) -> str | None:
    """Why no fetch ever goes to such a host, whatever a grant says; the words go on after it. Else None."""
    if f".{rule.host}".endswith(".localhost"):
        return "which is this machine; only public addresses are fetched, take it out"
    address = parse(f"http://{rule}/").address if not rule.below else None
    if address is not None and why_not_public(address) is not None:
        return "which is no public address; no other is fetched, take it out"
    return None


def _of_a_host(sentence: str) -> str:
    for of_a_url, of_a_host in (("the url's host", "it"), ("the url's", "its"), ("the url", "it")):
        sentence = sentence.replace(of_a_url, of_a_host)
    return sentence
