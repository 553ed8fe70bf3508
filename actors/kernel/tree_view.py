"""The tree as its supervisors last published it; read by status, never asked of an actor (spec 6.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where a child is."""

    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    RESTARTING = "restarting"
    """Down, and its supervisor tries again by itself."""
    STOPPED = "stopped"
    """Stopped by hand or with its supervisor."""
    ENDED = "ended"
    """Ended normally, and its restart rule lets it rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildView:
    """A child as its supervisor sees it. ``since_s`` is wall time; ``last_error`` a type's name."""

    name: str
    kind: str
    state: State
    incarnation: int
    restarts: int
    last_error: str | None
    since_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorView:
    """A supervisor's own publication."""

    name: str
    strategy: str
    state: State
    incarnation: int
    since_s: float
    children: tuple[ChildView, ...]
    parent: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeView:
    """One line of ``bxctl tree``, with what is below it. ``depth`` counts waiting messages."""

    child: ChildView
    strategy: str | None
    depth: int
    children: tuple[NodeView, ...]


def nested(views: Mapping[str, SupervisorView], depths: Mapping[str, int]) -> tuple[NodeView, ...]:
    """Put each supervisor's children under it; the roots are those without a parent."""

    def node(child: ChildView) -> NodeView:
        view = views.get(child.name) if child.kind == "supervisor" else None
        return NodeView(
            child=child,
            strategy=view.strategy if view else None,
            depth=depths.get(child.name, 0),
            children=tuple(node(below) for below in view.children) if view else (),
        )

    return tuple(node(_as_child(view)) for view in views.values() if view.parent is None)


def _as_child(view: SupervisorView) -> ChildView:
    return ChildView(
        name=view.name,
        kind="supervisor",
        state=view.state,
        incarnation=view.incarnation,
        restarts=0,
        last_error=None,
        since_s=view.since_s,
    )
