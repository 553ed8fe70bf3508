from __future__ import annotations

from dataclasses import dataclass

from bxcore.control.views import (
    Fact,
    Process,
    actor_json,
    dead_letters_json,
    iso,
    node_json,
    parent_of,
    stack_json,
    status_json,
    walk,
)


@dataclass(frozen=True, kw_only=True)
class Child:
    name: str
    kind: str = "worker"
    state: str = "running"
    restarts: int = 0
    last_error: str | None = None
    since_s: float = 100.0


@dataclass(frozen=True, kw_only=True)
class Node:
    child: Child
    depth: int = 0
    children: tuple[Node, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Letter:
    at_s: float
    address: str = "memory"
    reason: str = "late"
    type_name: str = "ToolAnswer"
    size: int = 12


def tree(*workers: Child) -> tuple[Node, ...]:
    below = tuple(Node(child=worker, depth=2) for worker in workers)
    group = Node(child=Child(name="memory.group", kind="supervisor"), children=below)
    return (Node(child=Child(name="root", kind="supervisor"), children=(group,)),)


PROCESS = Process(pid=7, uptime_s=12.34, zombies=0, dead_letters=3)


def test_the_tree_keeps_its_shape() -> None:
    shown = node_json(tree(Child(name="memory", restarts=1, last_error="KeyError"))[0], wall_s=142.04)
    memory = shown["children"][0]["children"][0]
    assert memory == {
        "name": "memory",
        "kind": "worker",
        "state": "running",
        "restarts": 1,
        "waiting": 2,
        "age_s": 42.0,
        "error": "KeyError",
        "children": [],
    }


def test_a_clock_that_went_back_gives_no_negative_age() -> None:
    assert node_json(tree(Child(name="a"))[0], wall_s=1.0)["age_s"] == 0.0


def test_an_actor_is_shown_without_what_hangs_below_it() -> None:
    shown = actor_json(tree(Child(name="a"))[0], 100.0, {"handled": "3"})
    assert (shown["name"], shown["details"]) == ("root", {"handled": "3"})
    assert "children" not in shown


def test_a_childs_supervisor_is_found_and_the_roots_is_not() -> None:
    nodes = tree(Child(name="memory"))
    assert parent_of(nodes, "memory") == "memory.group"
    assert parent_of(nodes, "memory.group") == "root"
    assert parent_of(nodes, "root") is None
    assert parent_of(nodes, "nobody") is None
    assert [node.child.name for node in walk(nodes)] == ["root", "memory.group", "memory"]


def test_all_well_is_ok() -> None:
    status = status_json(tree(Child(name="a", restarts=2), Child(name="b", state="ended")), [], PROCESS)
    assert (status["state"], status["problems"]) == ("ok", [])
    assert (status["actors"], status["restarts"], status["dead_letters"]) == (2, 2, 3)
    assert (status["pid"], status["uptime_s"]) == (7, 12.3)


def test_each_thing_that_is_not_well_degrades_and_names_the_command_that_helps() -> None:
    nodes = tree(Child(name="a", state="restarting", last_error="OSError"), Child(name="b", state="stopped"))
    facts = [
        Fact(name="model", text="no model", ok=False, help="boxmaker check"),
        Fact(name="honcho", text="embedded"),
    ]
    status = status_json(nodes, facts, Process(pid=7, uptime_s=1, zombies=2, dead_letters=0))
    assert status["state"] == "degraded"
    assert status["problems"] == [
        {"sentence": "a is restarting (OSError)", "help": "bxctl inspect a"},
        {"sentence": "b is stopped", "help": "bxctl start b"},
        {"sentence": "model: no model", "help": "boxmaker check"},
        {"sentence": "2 threads are stuck and fenced off", "help": "restart the process"},
    ]
    assert status["facts"] == {"model": "no model", "honcho": "embedded"}


def test_dead_letters_are_counted_and_the_newest_come_first() -> None:
    counts = {("b", "late"): 1, ("a", "busy"): 5, ("a", "dead"): 1}
    shown = dead_letters_json(counts, [Letter(at_s=0.0), Letter(at_s=60.0), Letter(at_s=90.0)], limit=2)
    assert shown["total"] == 7
    assert [(row["address"], row["reason"], row["count"]) for row in shown["counts"]] == [
        ("a", "busy", 5),
        ("a", "dead", 1),
        ("b", "late", 1),
    ]
    assert [letter["at"] for letter in shown["letters"]] == ["1970-01-01T00:01:30Z", "1970-01-01T00:01:00Z"]
    assert dead_letters_json(counts, [Letter(at_s=0.0)], limit=-1)["letters"] == []


def test_times_are_utc() -> None:
    assert iso(0.4) == "1970-01-01T00:00:00Z"


def test_stacks_are_written_the_innermost_call_last() -> None:
    assert stack_json("loop", ["b", "a"], {3: ["d", "c"]}) == {
        "name": "loop",
        "frames": ["a", "b"],
        "stuck": [{"incarnation": 3, "frames": ["c", "d"]}],
    }
