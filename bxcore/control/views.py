"""What the runtime keeps for status, as the control socket's JSON; the values come from the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from bxcore.control.answers import (
    ActorJson,
    DeadLetterCountJson,
    DeadLetterJson,
    DeadLettersJson,
    NodeJson,
    ProblemJson,
    StackJson,
    StatusJson,
)
from bxcore.version import VERSION

_WELL = frozenset({"starting", "running", "ended"})


class Child(Protocol):
    """A child as the kernel's tree view shows it; ``since_s`` is wall time."""

    @property
    def name(self) -> str: ...  # noqa: D102 - the kernel's ChildView says it
    @property
    def kind(self) -> str: ...  # noqa: D102 - as above
    @property
    def state(self) -> str: ...  # noqa: D102 - as above
    @property
    def restarts(self) -> int: ...  # noqa: D102 - as above
    @property
    def last_error(self) -> str | None: ...  # noqa: D102 - as above
    @property
    def since_s(self) -> float: ...  # noqa: D102 - as above


class Node(Protocol):
    """A node of the kernel's tree view; ``depth`` counts waiting messages."""

    @property
    def child(self) -> Child: ...  # noqa: D102 - as above
    @property
    def depth(self) -> int: ...  # noqa: D102 - as above
    @property
    def children(self) -> Sequence[Node]: ...  # noqa: D102 - as above


class Letter(Protocol):
    """A dead letter as the kernel keeps it."""

    @property
    def at_s(self) -> float: ...  # noqa: D102 - as above
    @property
    def address(self) -> str: ...  # noqa: D102 - as above
    @property
    def reason(self) -> str: ...  # noqa: D102 - as above
    @property
    def type_name(self) -> str: ...  # noqa: D102 - as above
    @property
    def size(self) -> int: ...  # noqa: D102 - as above


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A line of ``status`` that no tree shows, such as ``model``: ``embedded, ready``.

    When it is not ``ok``, the box is degraded and ``help`` is the command that helps.
    """

    name: str
    text: str
    ok: bool = True
    help: str = "bxctl tree"


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """The process as a whole, at the moment of asking; ``zombies`` counts stuck threads."""

    pid: int
    uptime_s: float
    zombies: int
    dead_letters: int


def node_json(node: Node, wall_s: float) -> NodeJson:
    """Write a node and all below it."""
    child = node.child
    return {
        "name": child.name,
        "kind": child.kind,
        "state": str(child.state),
        "restarts": child.restarts,
        "waiting": node.depth,
        "age_s": max(0.0, round(wall_s - child.since_s, 1)),
        "error": child.last_error,
        "children": [node_json(below, wall_s) for below in node.children],
    }


def actor_json(node: Node, wall_s: float, details: Mapping[str, str]) -> ActorJson:
    """Write one node without what is below it."""
    whole = node_json(node, wall_s)
    return {
        "name": whole["name"],
        "kind": whole["kind"],
        "state": whole["state"],
        "restarts": whole["restarts"],
        "waiting": whole["waiting"],
        "age_s": whole["age_s"],
        "error": whole["error"],
        "details": dict(details),
    }


def stack_json(name: str, frames: Sequence[str], stuck: Mapping[int, Sequence[str]]) -> StackJson:
    """Write the stacks of a name, each as the kernel gives it, the innermost call first."""
    return {
        "name": name,
        "frames": list(reversed(frames)),
        "stuck": [
            {"incarnation": incarnation, "frames": list(reversed(each))}
            for incarnation, each in stuck.items()
        ],
    }


def walk(nodes: Iterable[Node]) -> Iterator[Node]:
    """Every node, parents before children."""
    for node in nodes:
        yield node
        yield from walk(node.children)


def parent_of(nodes: Iterable[Node], name: str) -> str | None:
    """Name the supervisor that has ``name`` as its child, None when there is none."""
    for node in walk(nodes):
        if any(below.child.name == name for below in node.children):
            return node.child.name
    return None


def status_json(nodes: Sequence[Node], facts: Sequence[Fact], process: Process) -> StatusJson:
    """Put the box on one screen: degraded as soon as one thing is not well."""
    every = [node.child for node in walk(nodes)]
    problems = [*_of_children(every), *_of_facts(facts), *_of_zombies(process.zombies)]
    return {
        "version": VERSION,
        "pid": process.pid,
        "uptime_s": round(process.uptime_s, 1),
        "state": "degraded" if problems else "ok",
        "problems": problems,
        "facts": {fact.name: fact.text for fact in facts},
        "actors": sum(child.kind != "supervisor" for child in every),
        "restarts": sum(child.restarts for child in every),
        "dead_letters": process.dead_letters,
        "zombies": process.zombies,
    }


def _of_children(children: Iterable[Child]) -> Iterator[ProblemJson]:
    for child in children:
        if str(child.state) not in _WELL:
            verb = "start" if str(child.state) == "stopped" else "inspect"
            why = f" ({child.last_error})" if child.last_error else ""
            yield {"sentence": f"{child.name} is {child.state}{why}", "help": f"bxctl {verb} {child.name}"}


def _of_facts(facts: Iterable[Fact]) -> Iterator[ProblemJson]:
    for fact in facts:
        if not fact.ok:
            yield {"sentence": f"{fact.name}: {fact.text}", "help": fact.help}


def _of_zombies(zombies: int) -> Iterator[ProblemJson]:
    if zombies:
        threads = "thread is" if zombies == 1 else "threads are"
        yield {"sentence": f"{zombies} {threads} stuck and fenced off", "help": "restart the process"}


def dead_letters_json(
    counts: Mapping[tuple[str, str], int], letters: Sequence[Letter], limit: int
) -> DeadLettersJson:
    """Write the counts, the largest first, and the newest ``limit`` letters, the newest first."""
    by_count = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rows: list[DeadLetterCountJson] = [
        {"address": address, "reason": str(reason), "count": count} for (address, reason), count in by_count
    ]
    newest = list(reversed(letters))[: max(0, limit)]
    return {"total": sum(counts.values()), "counts": rows, "letters": [_letter(each) for each in newest]}


def _letter(letter: Letter) -> DeadLetterJson:
    return {
        "at": iso(letter.at_s),
        "address": letter.address,
        "reason": str(letter.reason),
        "type": letter.type_name,
        "size": letter.size,
    }


def iso(wall_s: float) -> str:
    """ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(wall_s, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
