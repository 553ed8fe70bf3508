"""How a session starts and goes on: one baseline for good, and what a crash or a stop left."""

from __future__ import annotations

import resource
from collections.abc import Callable

import pytest

from actors.base import Refusal
from bxcore.messages.loop import Notice, PromptSize, ToolEnded
from bxcore.messages.model import Endpoint, NoModel
from bxcore.records import Assistant, CacheLoss, ToolCall, ToolResult, User
from tests.doubles.loop_bench import LoopBench
from tests.doubles.model_server import Step
from tests.kit.leaks import Letters

Make = Callable[..., LoopBench]


def test_a_new_session_without_a_model_says_so_and_leaves_nothing(bench: Make) -> None:
    box = bench(endpoint=NoModel(sentence="no model is configured; set [model] url"))
    result = box.say("hi")
    assert (result.turn, result.failed) == (0, "no model is configured; set [model] url")
    assert not box.store.exists("k3f")
    box.endpoint = Endpoint(url=box.server.url, name="scripted", profile="native")
    box.server._choose = lambda _body: {"say": "hello"}
    assert (box.say("hi").turn, box.store.exists("k3f")) == (1, True)


def test_the_baseline_is_the_same_in_every_request_and_outlives_a_restart(bench: Make) -> None:
    box = bench(*[{"say": "ok"}] * 3)
    box.say("one")
    box.block = "- the owner is Bert"
    box.say("two")
    box.restart_everything()
    box.say("three")
    first, second, third = box.server.chats
    assert first["messages"][0] == second["messages"][0] == third["messages"][0]
    assert "Anna" in first["messages"][0]["content"]
    assert first["tools"] == third["tools"]
    assert [tool["function"]["name"] for tool in first["tools"]] == [
        "clock", "recall", "memory", "ask_memory", "find_tool", "call_tool",
    ]  # fmt: skip
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert third["messages"][: len(second["messages"])] == second["messages"]


def test_a_changed_baseline_file_is_refused(bench: Make) -> None:
    box = bench(*[{"say": "ok"}] * 2)
    box.say("one")
    box.restart_everything()
    saved = box.folder / "sessions" / "k3f" / "baseline.json"
    saved.write_bytes(saved.read_bytes().replace(b"Anna", b"Eve "))
    with pytest.raises(Refusal, match="session k3f cannot go on: its baseline"):
        box.say("two")


def test_a_baseline_over_the_limit_starts_no_session(bench: Make) -> None:
    box = bench({"say": "ok"}, block="word " * 3000)
    result = box.say("hi")
    assert result.failed is not None
    assert "over the limit of 3000; the largest parts are memory 5000 and tools" in result.failed
    assert result.failed.endswith(
        "memory is user.md and memory.md together: shorten these, or have `bxctl memory consolidate` do it"
    )
    assert not box.store.exists("k3f")


def test_the_prompts_size_is_told_by_parts(bench: Make) -> None:
    box = bench()
    sizes = box.ask(PromptSize())
    assert [name for name, _ in sizes.parts] == ["system.md", "memory", "tools"]
    assert (sizes.total, sizes.limit, sizes.estimated) == (sum(n for _, n in sizes.parts), 3000, True)
    assert box.ask(PromptSize()) == sizes
    assert not box.store.list()


def test_a_restart_of_the_loop_ends_a_running_turn_at_once(bench: Make, letters: Letters) -> None:
    box = bench({"silence_s": 15}, {"say": "fresh"})
    box.ask_later(box.saying("hi"))
    assert box.asked.wait(5.0)
    box.restart_everything()
    assert box.say("again").reply == "fresh"
    letters.read_all()


def test_an_interrupted_turn_is_told_once_and_not_run_again(bench: Make) -> None:
    box = bench({"say": "one"}, {"say": "two"}, {"say": "three"})
    box.say("first")
    box.restart_everything()
    log = box.store.open("k3f")
    log.append(
        [
            User(text="add a note"),
            Assistant(content="", tool_calls=(ToolCall(id="t2c1", name="memory", arguments="{}"),)),
        ]
    )
    log.close()
    result = box.say("hello?")
    assert (result.turn, result.reply) == (3, "two")
    events = box.events()
    assert (result.tools, [event for event in events if isinstance(event, ToolEnded)]) == ((), [])
    (notice,) = [event.text for event in events if isinstance(event, Notice)]
    assert notice == (
        'turn 2 ("add a note") was interrupted before its end, and is not run again; '
        "whether memory took effect is unknown"
    )
    assert box.requests == []
    unknown = [record for record in box.store.read("k3f") if isinstance(record, ToolResult)]
    assert [(record.call, record.ok) for record in unknown] == [("t2c1", False)]
    assert "unknown" in unknown[0].content
    box.restart_everything()
    box.say("again")
    assert not [event for event in box.events() if isinstance(event, Notice)]


def test_a_torn_line_is_said(bench: Make) -> None:
    box = bench({"say": "one"}, {"say": "two"})
    box.say("first")
    box.restart_everything()
    with (box.folder / "sessions" / "k3f" / "0.jsonl").open("ab") as raw:
        raw.write(b'{"crc":"12')
    box.events()
    box.say("second")
    notices = [event.text for event in box.events() if isinstance(event, Notice)]
    assert notices == ["10 bytes of a torn last line were cut and kept in 0.jsonl.torn-1"]


def test_a_lost_prefix_is_written_down_with_both_numbers(bench: Make) -> None:
    used = {"prompt_tokens": 900, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 0}}
    kept = {"prompt_tokens": 950, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 895}}
    lost = {"prompt_tokens": 990, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 12}}
    box = bench(*({"say": "ok", "usage": usage} for usage in (used, kept, lost)))
    usages = [box.say(text).usage for text in ("a", "b", "c")]
    assert [usage.cached for usage in usages] == [0, 895, 12]
    losses = [record for record in box.store.read("k3f") if isinstance(record, CacheLoss)]
    assert losses == [CacheLoss(had=950, cached=12)]


def test_a_log_that_cannot_be_written_refuses_the_turn_and_keeps_the_rest(bench: Make) -> None:
    box = bench({"say": "one"}, {"say": "two"})
    box.say("first")
    box.restart_everything()
    log = box.folder / "sessions" / "k3f" / "0.jsonl"
    log.chmod(0o644)
    with pytest.raises(Refusal, match="mode 0600"):
        box.say("second")
    log.chmod(0o600)
    assert box.say("second").turn == 2


def test_a_disk_that_is_full_in_the_middle_of_a_turn_refuses_it_and_the_next_one_goes_on(bench: Make) -> None:
    box = bench()
    log = box.folder / "sessions" / "k3f" / "0.jsonl"
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(_body: object) -> Step:
        resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + 10, unlimited[1]))
        return {"say": "a reply that finds no room"}

    box.server._choose = fill
    try:
        with pytest.raises(Refusal, match=r"0\.jsonl cannot be written: "):
            box.say("hi")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    box.server._choose = lambda _body: {"say": "back"}
    result = box.say("again")
    assert (result.turn, result.reply) == (2, "back")
    (notice,) = [event.text for event in box.events() if isinstance(event, Notice)]
    assert notice.startswith('turn 1 ("hi") was interrupted before its end, and is not run again; ')


def test_a_session_under_the_name_of_a_forgotten_one_says_so_at_its_first_turn(bench: Make) -> None:
    box = bench(*[{"say": "ok"}] * 3, changes={"forgotten": "k3f".__eq__})
    notice = Notice(session="k3f", text="session k3f was forgotten; this is a new one of that name")
    box.say("one")
    assert notice in box.events()
    box.say("two")
    box.restart_everything()
    box.say("three")
    assert notice not in box.events()
