from __future__ import annotations

from typing import Any

import pytest

from tests.bxio.conftest import Speak

S = "/v3/workspaces/w/sessions/s/messages"


@pytest.fixture
def filled(speak: Speak) -> Speak:
    messages = [
        {
            "peer_id": "a",
            "content": "one",
            "created_at": "2026-01-01T00:00:00Z",
            "metadata": {"n": 1, "k": {"x": [1, 2]}},
        },
        {"peer_id": "b", "content": "two", "created_at": "2026-02-01T00:00:00Z", "metadata": {"n": 2}},
        {"peer_id": "a", "content": "Three", "created_at": "2026-03-01T00:00:00Z", "metadata": {"n": True}},
    ]
    assert speak("POST", S, {"messages": messages})[0] == 201
    return speak


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (None, ["one", "two", "Three"]),
        ({}, ["one", "two", "Three"]),
        ({"peer_id": "a"}, ["one", "Three"]),
        ({"peer_id": "*"}, ["one", "two", "Three"]),
        ({"peer_id": {"in": ["b", "c"]}}, ["two"]),
        ({"peer_id": {"ne": "a"}}, ["two"]),
        ({"peer_id": "a", "content": {"icontains": "THR"}}, ["Three"]),
        ({"content": {"contains": "thr"}}, []),
        ({"created_at": {"gte": "2026-02-01T00:00:00+00:00"}}, ["two", "Three"]),
        ({"created_at": {"gt": "2026-01-15", "lt": "2026-02-15T00:00:00"}}, ["two"]),
        ({"metadata": {"n": 1}}, ["one"]),
        ({"metadata": {"n": True}}, ["Three"]),
        ({"metadata": {"k": {"x": [2]}}}, ["one"]),
        ({"metadata": {"k": {"x": [3]}}}, []),
        ({"metadata": {"absent": None}}, []),
        ({"workspace_id": "elsewhere"}, ["one", "two", "Three"]),
        ({"OR": [{"peer_id": "b"}, {"metadata": {"n": 1}}]}, ["one", "two"]),
        ({"AND": [{"peer_id": "a"}, {"NOT": [{"metadata": {"n": 1}}]}]}, ["Three"]),
        ({"peer_id": "a' OR '1'='1"}, []),
    ],
)
def test_a_filter_chooses(filled: Speak, filters: Any, found: list[str]) -> None:
    status, page = filled("POST", f"{S}/list", {"filters": filters})
    assert status == 200
    assert [item["content"] for item in page["items"]] == found
    assert page["total"] == len(found)


@pytest.mark.parametrize(
    "filters",
    [
        {"colour": "blue"},
        {"name": "x"},
        {"peer_id": {"like": "x"}},
        {"peer_id": None},
        {"peer_id": {"in": "a"}},
        {"peer_id": {"contains": 1}},
        {"created_at": {"gte": "soon"}},
        {"OR": {"peer_id": "a"}},
        {"AND": ["x"]},
        {"seq) OR (1": 1},
    ],
)
def test_an_unknown_filter_is_422_with_a_text(filled: Speak, filters: Any) -> None:
    status, answer = filled("POST", f"{S}/list", {"filters": filters})
    assert status == 422
    assert isinstance(answer["detail"], str)


def test_filters_without_end_are_422(filled: Speak) -> None:
    filters: dict[str, Any] = {"peer_id": "a"}
    for _ in range(50):
        filters = {"AND": [filters]}
    assert filled("POST", f"{S}/list", {"filters": filters})[0] == 422


def test_named_things_are_filtered_by_metadata(speak: Speak) -> None:
    for name, colour in (("w1", "blue"), ("w2", "red")):
        speak("POST", "/v3/workspaces", {"id": name, "metadata": {"colour": colour}})
    page = speak("POST", "/v3/workspaces/list", {"filters": {"metadata": {"colour": "red"}}})[1]
    assert [item["id"] for item in page["items"]] == ["w2"]
