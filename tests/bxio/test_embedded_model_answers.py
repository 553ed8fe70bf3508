"""The real small model behind the real process and client: what it must be able to do, and how well.

The prompts here are not the ones that the example turns were chosen by.
"""

from __future__ import annotations

import select
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bxcore.messages.model import Endpoint
from bxcore.model.baseline import baseline_messages
from bxcore.model.values import (
    AssistantMessage,
    Message,
    ModelReply,
    ModelRequest,
    Profile,
    ToolMessage,
    UserMessage,
    Wire,
)
from bxcore.schemas import CORE_TOOLS, TOOLS
from bxio.deadline_http import Cut
from bxio.model import ModelClient
from bxio.model_child import ModelChild, Order
from bxio.weights import SMALL, find_slices

pytestmark = [
    pytest.mark.real_model,
    pytest.mark.timeout(240),
    pytest.mark.skipif(not all(find_slices(SMALL)), reason="the weights' packages are not installed"),
]

OFFERED = tuple(TOOLS[name] for name in (*CORE_TOOLS, "find_tool", "call_tool"))
SYSTEM = (Path(__file__).parents[2] / "config" / "system.md").read_text(encoding="utf-8")
FACT = "Remember: the spare key is in the blue tin."
QUESTION = "Where is the spare key? Ask your memory."
ADDED = "added to notes.md; it holds 34 of 20000 characters; recall finds it"
ANSWER = '[1] memory · own · private\n    owner said on 2026-11-30: "the spare key is in the blue tin"'
NOTE = "[1] memory · notes · private\n    The spare key is in the blue tin."
SAID_BEFORE = (
    "[1] memory · session main turn 2, 2026-11-30 · private\n"
    "    said: Where is the spare key? Ask your memory. / reply: The spare key is in the blue tin.\n"
    "[2] memory · notes · private\n    The spare key is in the blue tin.\n"
    "[3] memory · session main turn 1, 2026-11-30 · private\n"
    "    said: Remember: the spare key is in the blue tin."
    " / reply: I will remember that the spare key is in the blue tin."
)
"""What auto_recall truly finds in a second session."""

MEMORY = "What you remember (memory.md):\n- The owner likes jasmine tea."

FLOOR = 9
"""Of 12; 10 were right when this was written, and another processor may round one answer away."""

HELD_OUT: tuple[tuple[str, set[str]], ...] = (
    ("What time is it?", {"clock"}),
    ("hi", {""}),
    ("What did I tell you about my sister?", {"recall", "ask_memory"}),
    ("Please note that the rent is due on the first.", {"memory"}),
    ("Remember that my mother's phone number ends in 22.", {"memory"}),
    ("What did I say about the holiday?", {"recall", "ask_memory"}),
    ("What day is today?", {"clock"}),
    ("Good evening!", {""}),
    ("What is the capital of Japan?", {""}),
    ("Who is my doctor?", {"recall", "ask_memory"}),
    ("When is the car inspection due? Ask your memory.", {"ask_memory"}),
    ("Thank you very much!", {""}),
)
"""Each with the tools that are right, the empty one for a plain reply."""


@dataclass(frozen=True)
class Real:
    """The running model, and how long it took to be ready."""

    client: ModelClient
    ready_s: float

    def ask(self, *history: Message, memory: str = "") -> ModelReply:
        request = ModelRequest(
            profile="json",
            baseline=baseline("json", memory),
            history=history,
            tools=OFFERED,
            workspaces=("own", "untrusted"),
            max_tokens=200,
        )
        return self.client.stream(
            request, deadline_s=time.monotonic() + 120, cut=Cut(), on_text=lambda _text: None
        )


def baseline(profile: Profile, memory: str = "") -> tuple[Wire, ...]:
    return baseline_messages(profile, system=SYSTEM, memory_block=memory, tools=OFFERED)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    folder = tmp_path_factory.mktemp("model")
    order = Order(
        cache=folder / "cache", runtime=folder / "run", log=folder / "model.log", prefix=baseline("json")
    )
    began = time.monotonic()
    child = ModelChild.start(order, 1)
    try:
        name = _name_when_ready(child)
        endpoint = Endpoint(
            url="http://model/v1", name=name, profile="json", socket=str(child.socket), llama_cpp=True
        )
        yield Real(client=ModelClient(endpoint), ready_s=time.monotonic() - began)
    finally:
        child.end()
        shutil.rmtree(folder / "cache", ignore_errors=True)  # half a gigabyte


def _name_when_ready(child: ModelChild) -> str:
    deadline, stdout = time.monotonic() + 200, child._process.stdout
    assert stdout is not None
    while time.monotonic() < deadline and child.exit_code() is None:
        for news in child.news():
            assert news["event"] != "failed", news
            if news["event"] == "ready":
                return str(news["name"])
        select.select([stdout], [], [], 1.0)
    raise AssertionError("the model was not ready")


def called(reply: ModelReply) -> str:
    return reply.tool_calls[0].name if reply.tool_calls else ""


def results(reply: ModelReply, content: str) -> tuple[Message, Message]:
    call = reply.tool_calls[0]
    return AssistantMessage(tool_calls=(call,)), ToolMessage(call=call.id, tool=call.name, content=content)


def test_a_fact_is_kept_and_asked_for_in_the_same_session(real: Real) -> None:
    told = UserMessage(text=FACT)
    kept = real.ask(told)
    assert called(kept) in {"memory", ""}
    before: tuple[Message, ...] = (told, AssistantMessage(content=kept.text))
    if kept.tool_calls:
        noted = real.ask(told, *results(kept, ADDED))
        assert called(noted) == ""
        before = (told, *results(kept, ADDED), AssistantMessage(content=noted.text))
    question = UserMessage(text=QUESTION)
    asked = real.ask(*before, question)
    assert called(asked) == "ask_memory"
    assert "blue tin" in real.ask(*before, question, *results(asked, ANSWER)).text


@pytest.mark.parametrize(
    ("recalled", "memory"), [("", ""), (NOTE, ""), (SAID_BEFORE, ""), (SAID_BEFORE, MEMORY)]
)
def test_the_fact_is_asked_for_in_a_new_session(real: Real, recalled: str, memory: str) -> None:
    question = UserMessage(text=QUESTION, recalled=recalled)
    asked = real.ask(question, memory=memory)
    assert called(asked) == "ask_memory"
    assert "blue tin" in real.ask(question, *results(asked, ANSWER), memory=memory).text


def test_what_the_clock_said_is_told(real: Real) -> None:
    question = UserMessage(text="What time is it?")
    asked = real.ask(question)
    assert "19:16" in real.ask(question, *results(asked, "Monday 2026-11-30 19:16:35 UTC")).text


def test_most_prompts_get_the_right_tool_or_none(real: Real) -> None:
    found = [(prompt, called(real.ask(UserMessage(text=prompt))), right) for prompt, right in HELD_OUT]
    wrong = [(prompt, tool) for prompt, tool, right in found if tool not in right]
    assert len(HELD_OUT) - len(wrong) >= FLOOR, wrong


def test_the_same_prompt_gets_the_same_answer(real: Real) -> None:
    assert real.ask(UserMessage(text="hi")).text == real.ask(UserMessage(text="hi")).text


def test_a_session_s_first_request_finds_its_beginning_read_already(real: Real) -> None:
    usage = real.ask(UserMessage(text="Hello you"), memory=MEMORY).usage
    assert usage.cached is not None
    assert usage.cached > 0.9 * usage.prompt


def test_the_first_prompt_keeps_its_budget_in_both_profiles(real: Real) -> None:
    count = real.client.count_tokens
    native = "\n".join([*(each["content"] for each in baseline("native")), *(str(tool) for tool in OFFERED)])
    assert (count(native) or 9999) <= 1500
    assert 0 < real.ask(UserMessage(text="hi")).usage.prompt <= 3000
