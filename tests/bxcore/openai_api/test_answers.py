from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from openai.types import Model
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from bxcore.messages.loop import Usage
from bxcore.openai_api.answers import Reply, comment, error_event, event, models_json
from bxcore.openai_api.errors import failed_turn

REPLY = Reply(session="main", turn=3, created=1_790_000_000)
USAGE = Usage(prompt=90, cached=60, completion=7)


def read(data: bytes) -> Any:
    assert data.startswith(b"data: ")
    assert data.endswith(b"\n\n")
    assert data.count(b"\n") == 2
    return json.loads(data[6:])


def test_a_completion_is_what_the_official_types_read() -> None:
    found = ChatCompletion.model_validate(REPLY.completion("blüe tin", USAGE), strict=True)
    assert found.id == "chatcmpl-main-3"
    assert found.choices[0].message.content == "blüe tin"
    assert found.choices[0].finish_reason == "stop"
    assert found.usage is not None
    assert found.usage.prompt_tokens_details is not None
    assert (found.usage.prompt_tokens, found.usage.completion_tokens, found.usage.total_tokens) == (90, 7, 97)
    assert found.usage.prompt_tokens_details.cached_tokens == 60


def test_chunks_are_what_the_official_types_read() -> None:
    parts = (REPLY.role(), REPLY.text("blüe\ntin"), REPLY.end(), REPLY.tokens(USAGE))
    chunks = [ChatCompletionChunk.model_validate(read(part), strict=True) for part in parts]
    assert {chunk.id for chunk in chunks} == {"chatcmpl-main-3"}
    role, text, end, tokens = chunks
    assert role.choices[0].delta.role == "assistant"
    assert text.choices[0].delta.content == "blüe\ntin"
    assert [each.choices[0].finish_reason for each in (role, text, end)] == [None, None, "stop"]
    assert tokens.choices == []
    assert tokens.usage is not None
    assert tokens.usage.total_tokens == 97


@given(st.text())
def test_no_text_breaks_out_of_its_event(text: str) -> None:
    assert read(event({"x": text})) == {"x": text}


def test_a_comment_and_an_error_are_events_of_their_kind() -> None:
    assert comment("k7 waits") == b": k7 waits\n\n"
    assert read(error_event(failed_turn("it is down")))["error"]["message"] == "it is down"


def test_the_list_of_models_is_the_box() -> None:
    (model,) = models_json(1_790_000_000)["data"]
    assert Model.model_validate(model, strict=True).id == "boxmaker"
