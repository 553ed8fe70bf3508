"""What Honcho found beside the own hits: nothing twice, nothing of the session that asks."""

from __future__ import annotations

from bxcore.honcho_hits import beside, items
from bxcore.labels import Level
from bxcore.messages.honcho_search import FoundMessage
from bxcore.recalled import Item
from bxcore.workspaces import OWN, UNTRUSTED, Readable

OWN_ONE = Readable(name=OWN, workspace="boxmaker", untrusted=False)
TAINTED = Readable(name=UNTRUSTED, workspace="boxmaker-untrusted", untrusted=True)


def message(text: str, at: str = "2026-10-01T10:00:00Z", **metadata: object) -> FoundMessage:
    return FoundMessage(peer="owner", content=text, at=at, metadata=metadata)


def texts(found: list[Item]) -> list[str]:
    return [item.text for item in found]


def test_an_item_says_workspace_peer_and_date_and_has_the_workspaces_label() -> None:
    [own, tainted] = items(
        [(OWN_ONE, [message("a")]), (TAINTED, [message("b", at="")])], shown=(), without=""
    )
    assert (own.source, own.untrusted, own.level) == ("own, owner, 2026-10-01", False, Level.PRIVATE)
    assert (tainted.source, tainted.untrusted) == ("untrusted, owner", True)


def test_the_best_of_each_workspace_come_first() -> None:
    found = items(
        [(OWN_ONE, [message("a1"), message("a2"), message("a3")]), (TAINTED, [message("b1")])],
        shown=(),
        without="",
    )
    assert texts(found) == ["a1", "b1", "a2", "a3"]


def test_what_is_shown_already_and_the_running_session_are_left_out() -> None:
    found = [
        message("a", session="k3f", turn=1),
        message("b", session="k3f", turn=2),
        message("c", session="x", turn=1),
    ]
    assert texts(items([(OWN_ONE, found)], shown={("k3f", 1)}, without="")) == ["b", "c"]
    assert texts(items([(OWN_ONE, found)], shown=(), without="k3f")) == ["c"]


def test_odd_metadata_is_no_turn() -> None:
    found = [message("a", session=7, turn=1), message("b", session="k3f", turn="1"), message("c")]
    assert texts(items([(OWN_ONE, found)], shown={("k3f", 1)}, without="")) == ["a", "b", "c"]


def test_a_text_is_shown_once_and_an_empty_one_not_at_all() -> None:
    assert texts(
        items([(OWN_ONE, [message("a"), message(" ")]), (TAINTED, [message("a")])], shown=(), without="")
    ) == ["a"]


def test_a_secret_in_what_honcho_holds_is_masked() -> None:
    token = "ghp_" + "a1B2" * 9
    [item] = items([(OWN_ONE, [message(f"my token {token}")])], shown=(), without="")
    assert token not in item.text


def made(*names: str) -> list[Item]:
    return [Item(source="notes", level=Level.PRIVATE, untrusted=False, text=name) for name in names]


def test_honcho_has_a_third_at_the_most_or_what_is_left() -> None:
    own, others = made("a", "b", "c", "d", "e", "f"), made("x", "y", "z")
    assert texts(beside(own, others, 6)) == ["a", "b", "c", "d", "x", "y"]
    assert texts(beside(own[:1], others, 6)) == ["a", "x", "y", "z"]
    assert texts(beside(own, [], 5)) == ["a", "b", "c", "d", "e"]
    assert texts(beside(own, others, 1)) == ["a"]
    assert texts(beside([], others, 2)) == ["x", "y"]
