"""The tree as its supervisors last published it."""

from __future__ import annotations

from actors.base import State
from actors.kernel.tree_view import ChildView, SupervisorView, nested
from bxcore.supervision import SupervisorSpec
from tests.kit.children import Log, child, group, tree_of
from tests.kit.kit import Kit


def test_the_tree_shows_every_child_with_the_depth_of_its_mailbox_as_of_now(kit: Kit) -> None:
    inner = group("inner", tree_of(Log(), "b"))
    kit.tree(SupervisorSpec(children=(child(Log(), "a"), inner)))
    kit.runtime.mailbox("b").tell(5.0)
    kit.settle()
    kit.runtime.mailbox("b").tell("waits")
    kit.runtime.mailbox("b").tell("waits")
    (root,) = kit.runtime.tree()
    assert (root.child.name, root.child.kind, root.child.state) == ("root", "supervisor", State.RUNNING)
    a, inner_node = root.children
    assert (a.child.name, a.depth, a.child.incarnation) == ("a", 0, 1)
    (b,) = inner_node.children
    assert (b.child.name, b.depth, b.child.state) == ("b", 2, State.RUNNING)


def test_the_tree_is_shown_while_a_supervisor_is_busy(kit: Kit) -> None:
    log = Log(slow={("start", "b"): 4.0})

    def start() -> None:
        kit.tree(tree_of(log, "ab"))

    kit.world.spawn("starts", start)
    kit.settle()
    (root,) = kit.runtime.tree()
    assert root.child.state is State.STARTING
    assert [node.child.state for node in root.children] == [State.RUNNING, State.STARTING]
    kit.advance(5.0)


def view(name: str, parent: str | None, *children: tuple[str, str]) -> SupervisorView:
    return SupervisorView(
        name=name,
        strategy="one_for_one",
        state=State.RUNNING,
        incarnation=1,
        since_s=0.0,
        parent=parent,
        children=tuple(
            ChildView(
                name=child_name,
                kind=kind,
                state=State.RUNNING,
                incarnation=1,
                restarts=0,
                last_error=None,
                since_s=0.0,
            )
            for child_name, kind in children
        ),
    )


def test_supervisors_are_put_under_their_parents_and_a_worker_has_nothing_below_it() -> None:
    views = {
        "g": view("g", "root", ("b", "worker")),
        "root": view("root", None, ("a", "worker"), ("g", "supervisor"), ("unseen", "supervisor")),
    }
    (root,) = nested(views, {"b": 7})
    assert [(node.child.name, node.strategy, len(node.children)) for node in root.children] == [
        ("a", None, 0),
        ("g", "one_for_one", 1),
        ("unseen", None, 0),
    ]
    assert root.children[1].children[0].depth == 7
