"""Turns, sessions and memory's answers as the control socket's JSON."""

from __future__ import annotations

from typing import assert_never

from bxcore.control.answers import (
    AskJson,
    ErrorJson,
    LineJson,
    PromptSizeJson,
    SessionInfoJson,
    SessionJson,
    ToolJson,
    TurnJson,
)
from bxcore.control.approvals import approval_json, closed_json
from bxcore.control.exit_codes import ErrorCode
from bxcore.control.label import label_json
from bxcore.messages.broker import ApprovalAsked, ApprovalClosed
from bxcore.messages.loop import (
    Notice,
    PromptSizes,
    Queued,
    SessionInfo,
    SessionView,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnEvent,
    TurnOver,
    TurnResult,
    TurnStarted,
)
from bxcore.tool_answer import ToolAnswer


def event_line(event: TurnEvent) -> LineJson:
    """Write one piece of news of a running turn."""
    match event:
        case Queued():
            return {"kind": event.kind, "place": event.place}
        case TurnStarted():
            return {"kind": event.kind, "turn": event.turn, "text": event.text, "speaker": event.speaker}
        case Notice() | TextDelta():
            return {"kind": event.kind, "text": event.text}
        case ToolStarted() | ToolEnded():
            return _tool_line(event)
        case ApprovalAsked() | ApprovalClosed():
            return _approval_line(event)
        case TurnOver():
            return result_line(event.result)
        case _:
            assert_never(event)


def _tool_line(event: ToolStarted | ToolEnded) -> LineJson:
    if isinstance(event, ToolStarted):
        return {"kind": event.kind, "tool": event.tool, "arguments": event.arguments}
    return {"kind": event.kind, "call": tool_json(event)}


def _approval_line(event: ApprovalAsked | ApprovalClosed) -> LineJson:
    if isinstance(event, ApprovalAsked):
        return {"kind": event.kind, "approval": approval_json(event.approval)}
    return {"kind": event.kind, "closed": closed_json(event)}


def result_line(result: TurnResult) -> LineJson:
    """Write the last line of a turn; ``failed`` is its sentence, or None."""
    return {"kind": "result", "result": turn_json(result), "failed": result.failed}


def error_line(code: ErrorCode, sentence: str) -> LineJson:
    """Write the last line of a stream whose turn never ran or was lost."""
    return {"kind": "error", "error": error_json(code, sentence)}


def waiting_line() -> LineJson:
    """Write a sign of life while nothing happens."""
    return {"kind": "waiting"}


def error_json(code: ErrorCode, sentence: str) -> ErrorJson:
    """Write a "no"."""
    return {"error": code.value, "sentence": sentence}


def turn_json(result: TurnResult) -> TurnJson:
    """Write a turn as spec 6.2 has it."""
    usage = result.usage
    return {
        "session": result.session,
        "turn": result.turn,
        "reply": result.reply,
        "tools": [tool_json(tool) for tool in result.tools],
        "label": label_json(result.label),
        "usage": {"prompt": usage.prompt, "cached": usage.cached, "completion": usage.completion},
    }


def tool_json(tool: ToolEnded) -> ToolJson:
    """Write one tool call with its result's label."""
    return {
        "tool": tool.tool,
        "arguments": tool.arguments,
        "ok": tool.ok,
        "content": tool.content,
        "class": tool.label.level.text,
        "untrusted": tool.label.untrusted,
    }


def info_json(info: SessionInfo) -> SessionInfoJson:
    """Write a line of the sessions' list."""
    return {
        "session": info.session,
        "live": info.live,
        "turns": info.turns,
        "label": label_json(info.label),
        "updated": info.updated,
        "title": info.title,
        "waiting": info.waiting,
    }


def session_json(view: SessionView) -> SessionJson:
    """Write a session with what was said in its last turns."""
    said = [{"user": turn.user, "reply": turn.reply, "failed": turn.failed} for turn in view.turns]
    return {**info_json(view.info), "first": view.first, "said": said}  # type: ignore[typeddict-item]  # mypy sees no TypedDict in said


def ask_json(answer: ToolAnswer) -> AskJson:
    """Write memory's answer to an operator."""
    return {"ok": answer.ok, "content": answer.content, "label": label_json(answer.label)}


def prompt_size_json(sizes: PromptSizes) -> PromptSizeJson:
    """Write the baseline's parts."""
    return {
        "parts": [{"part": part, "tokens": tokens} for part, tokens in sizes.parts],
        "total": sizes.total,
        "limit": sizes.limit,
        "estimated": sizes.estimated,
    }
