from __future__ import annotations

import json

from bxcore.control.turns import ask_json, event_line, prompt_size_json, result_line, session_json, turn_json
from bxcore.labels import Label, Level
from bxcore.messages.loop import (
    Notice,
    PromptSizes,
    SessionInfo,
    SessionView,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnResult,
    TurnStarted,
    TurnText,
    Usage,
)
from bxcore.tool_answer import ToolAnswer

LABEL = Label(Level.PRIVATE, untrusted=True)
TOOL = ToolEnded(
    session="main",
    call="c1",
    tool="recall",
    arguments='{"query":"tin"}',
    ok=True,
    content="[1] …",
    label=LABEL,
)
RESULT = TurnResult(
    session="main",
    turn=2,
    reply="blue",
    failed=None,
    tools=(TOOL,),
    label=LABEL,
    usage=Usage(prompt=10, cached=4, completion=3),
)


def test_a_turn_has_exactly_the_fields_of_the_specification() -> None:
    assert turn_json(RESULT) == {
        "session": "main",
        "turn": 2,
        "reply": "blue",
        "tools": [
            {
                "tool": "recall",
                "arguments": '{"query":"tin"}',
                "ok": True,
                "content": "[1] …",
                "class": "private",
                "untrusted": True,
            }
        ],
        "label": {"class": "private", "untrusted": True},
        "usage": {"prompt": 10, "cached": 4, "completion": 3},
    }


def test_the_result_is_the_last_line_with_its_sentence() -> None:
    assert result_line(RESULT)["failed"] is None
    failed = TurnResult(
        session="main", turn=3, reply=None, failed="no model", tools=(), label=LABEL, usage=Usage()
    )
    line = result_line(failed)
    assert (line["kind"], line["failed"], line["result"]["reply"]) == ("result", "no model", None)


def test_each_event_is_one_line_of_json() -> None:
    started = ToolStarted(session="main", call="c1", tool="recall", arguments="{}")
    lines = [
        event_line(event)
        for event in (
            TurnStarted(session="main", turn=2),
            Notice(session="main", text="loading"),
            TextDelta(session="main", text="bl"),
            started,
            TOOL,
        )
    ]
    assert [line["kind"] for line in lines] == [
        "turn_started",
        "notice",
        "text_delta",
        "tool_started",
        "tool_ended",
    ]
    assert lines[0]["turn"] == 2
    assert (lines[3]["tool"], lines[3]["arguments"]) == ("recall", "{}")
    assert lines[4]["call"]["class"] == "private"
    assert all("\n" not in json.dumps(line) for line in lines)


def test_a_session_is_shown_with_what_was_said() -> None:
    info = SessionInfo(session="k3f", live=True, turns=1, label=LABEL, updated="2026-11-02T10:00:00Z")
    shown = session_json(SessionView(info=info, turns=(TurnText(user="hi", failed="stopped"),)))
    assert shown["said"] == [{"user": "hi", "reply": None, "failed": "stopped"}]
    assert (shown["session"], shown["live"], shown["label"]["untrusted"]) == ("k3f", True, True)


def test_memorys_answer_and_the_prompts_parts_are_shown() -> None:
    assert ask_json(ToolAnswer(ok=False, content="no", label=LABEL)) == {
        "ok": False,
        "content": "no",
        "label": {"class": "private", "untrusted": True},
    }
    sizes = PromptSizes(parts=(("system.md", 300), ("tools", 500)), total=800, limit=3000, estimated=True)
    assert prompt_size_json(sizes)["parts"][1] == {"part": "tools", "tokens": 500}
