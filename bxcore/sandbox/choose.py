"""Which backend is taken, which of its missing guarantees the owner does without, and what is said of it.

What cannot be proven is refused, unless the owner accepts it by name in ``[containers] accept`` (spec 2.5).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bxcore.sandbox.guarantees import Guarantee, Probe
from bxcore.sandbox.view import SandboxView

ORDER = ("podman", "bubblewrap")
"""What ``auto`` tries, the stronger first."""
OFF = "tools do not run here: [containers] backend is none in boxmaker.toml"
SEARCHING = "the sandbox is being proven; ask again in a moment"
NOT_NEEDED = SandboxView(
    backend=None,
    ready=False,
    sentence="no grant is for read_file, write_file or shell, so no sandbox was looked for",
    sought=False,
)

_SHOWN = ("version", "image")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One backend that was looked at: its facts and its probe, or a sentence why there is none."""

    name: str
    facts: Mapping[str, str]
    probe: Probe | None
    sentence: str | None = None


def wanted(backend: str) -> tuple[str, ...]:
    """The names to try in their order, for ``[containers] backend``.

    >>> wanted("auto"), wanted("bubblewrap"), wanted("none")
    (('podman', 'bubblewrap'), ('bubblewrap',), ())
    """
    if backend == "auto":
        return ORDER
    return tuple(name for name in ORDER if name == backend)


def lacking(probe: Probe, accept: Collection[str]) -> tuple[Guarantee, ...]:
    """The guarantees that were not proven and that the owner does not do without; in declared order."""
    return tuple(each for each in Guarantee if each not in probe.proven and each.value not in accept)


def refusal(tried: Tried, accept: Collection[str]) -> str | None:
    """Why this backend is not taken, with the line of configuration that would; None when it is."""
    if tried.probe is None:
        return tried.sentence or f"{tried.name} could not be looked at"
    lacks = lacking(tried.probe, accept)
    if not lacks:
        return None
    why = dict(tried.probe.missing)
    named = "; ".join(f"{each.value} ({why.get(each, 'the probe did not show it')})" for each in lacks)
    line = ", ".join(f'"{each.value}"' for each in Guarantee if each.value in accept or each in lacks)
    return f"{tried.name} cannot promise {named}; to do without, set [containers] accept = [{line}]"


def view(tried: Sequence[Tried], accept: Collection[str]) -> SandboxView:
    """What is published of a search: of the last one tried when it is taken, else why none was."""
    if not tried:
        return SandboxView(backend=None, ready=False, sentence=OFF)
    refused = [refusal(each, accept) for each in tried]
    told = tried[-1]
    if refused[-1] is None:
        return _view_of(told, accept, ready=True, sentence=_ready(told, accept))
    sentences = list(dict.fromkeys(sentence for sentence in refused if sentence is not None))
    looked_at = next((each for each in tried if each.probe is not None), None)
    sentence = "no tool runs: " + "; or: ".join(sentences)
    if looked_at is None:
        return SandboxView(backend=None, ready=False, sentence=sentence)
    return _view_of(looked_at, accept, ready=False, sentence=sentence)


def _ready(tried: Tried, accept: Collection[str]) -> str:
    assert tried.probe is not None
    without = [each.value for each in Guarantee if each not in tried.probe.proven and each.value in accept]
    tail = f", without {', '.join(without)} (accepted)" if without else ""
    return f"tools run in {tried.name}{tail}"


def _view_of(tried: Tried, accept: Collection[str], *, ready: bool, sentence: str) -> SandboxView:
    assert tried.probe is not None
    why = dict(tried.probe.missing)
    unproven = [each for each in Guarantee if each not in tried.probe.proven]
    return SandboxView(
        backend=tried.name,
        version=tried.facts.get("version"),
        image=tried.facts.get("image"),
        proven=tuple(each for each in Guarantee if each in tried.probe.proven),
        missing=tuple((each, why.get(each, "the probe did not show it")) for each in unproven),
        accepted=tuple(each for each in Guarantee if each.value in accept),
        ready=ready,
        sentence=sentence,
        details=tuple((name, text) for name, text in sorted(tried.facts.items()) if name not in _SHOWN),
    )
