"""How a session starts and goes on: one baseline for good, and what a crash or a stop left."""

from __future__ import annotations

import resource
from collections.abc import Callable

import pytest

from actors.base import Refusal
from bxcore.labels import Label, Level
from bxcore.messages.loop import Notice, PromptSize, ToolEnded
from bxcore.messages.model import Endpoint, NoModel
from bxcore.records import Assistant, CacheLoss, SessionStart, ToolCall, ToolResult, User
from bxcore.session_loss import Loss
from bxio.session_evidence import SessionEvidence
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


def test_a_changed_baseline_file_is_replaced_and_the_conversation_goes_on(bench: Make) -> None:
    box = bench(*[{"say": "ok"}] * 2, {"say": "a summary of tea"}, *[{"say": "ok"}] * 3)
    box.say("one")
    box.say("two")
    box.restart_everything()
    saved = box.folder / "sessions" / "k3f" / "baseline.json"
    saved.write_bytes(saved.read_bytes().replace(b"Anna", b"Eve "))
    box.block = "- the owner is Bert"
    box.events()
    assert box.say("three").reply == "ok"
    notices = [event.text for event in box.events() if isinstance(event, Notice)]
    assert len(notices) == 2
    assert notices[0] == (
        "session k3f: its baseline.json was changed since it started, and is kept as "
        "baseline.json.damaged-1; it goes on with a new one, made of what memory holds now: "
        "its turns up to turn 2 are being summed up"
    )
    assert notices[1].startswith("the model goes on from a summary of the turns up to turn 2; recall finds")
    asked = str(box.server.chats[-1]["messages"])
    assert "Bert" in asked
    assert "Eve" not in asked
    assert "a summary of tea" in asked
    assert box.say("four").turn == 4
    box.restart_everything()
    assert box.say("five").turn == 5
    assert not [event for event in box.events() if isinstance(event, Notice)]
    assert box.server.chats[-1]["messages"][0] == box.server.chats[-2]["messages"][0]


class OneMore(SessionEvidence):
    """It knows a turn more than any log has, of fewer than three; and of no log of a name but k3f."""

    def gone(self, session: str) -> Loss | None:
        return Loss(turns=4, label=Label(Level.SECRET, untrusted=True)) if session == "gone" else None

    def loss(self, session: str, log: str, turns: int) -> Loss | None:
        return Loss(turns=1, label=Label(Level.SECRET, untrusted=True)) if turns < 3 else None


def test_turns_that_a_log_has_lost_are_told_and_leave_their_label(bench: Make) -> None:
    box = bench(*[{"say": "ok"}] * 2, {"say": "a summary"}, {"say": "ok"}, changes={"evidence": OneMore()})
    box.say("one")
    box.events()
    box.restart_everything()
    result = box.say("three")
    assert (result.turn, result.label) == (3, Label(Level.SECRET, untrusted=True))
    notices = [event.text for event in box.events() if isinstance(event, Notice)]
    assert notices[0].startswith(
        "session k3f: its log has 1 turn, and the ledger knows 1 more: these are lost"
    )
    texts = [record.text for record in box.store.read("k3f") if isinstance(record, User)]
    assert texts == ["one", "(lost)", "three"]


def test_a_session_in_the_place_of_one_that_is_gone_says_so_once(bench: Make) -> None:
    box = bench(*[{"say": "ok"}] * 2, changes={"evidence": OneMore()})
    assert box.say("one", session="gone").label == Label(Level.SECRET, untrusted=True)
    notices = [event.text for event in box.events() if isinstance(event, Notice)]
    assert len(notices) == 1
    assert notices[0].startswith(
        "session gone had 4 turns, and its log is gone: this is a new one of that name"
    )


def test_lost_turns_leave_their_label_though_no_model_is_there(bench: Make) -> None:
    box = bench({"say": "ok"}, changes={"evidence": OneMore()})
    box.say("one")
    box.restart_everything()
    box.endpoint = NoModel(sentence="no model is configured; set [model] url")
    result = box.say("three")
    assert (result.turn, result.failed) == (3, "no model is configured; set [model] url")
    assert result.label == Label(Level.SECRET, untrusted=True)
    last = box.store.read("k3f", since=99)[0]
    assert isinstance(last, SessionStart)
    assert "one" in last.summary


def test_a_session_without_its_baseline_waits_for_a_model(bench: Make) -> None:
    box = bench(*[{"say": "ok"}] * 3)
    box.say("one")
    box.restart_everything()
    (box.folder / "sessions" / "k3f" / "baseline.json").write_bytes(b"x")
    endpoint, box.endpoint = box.endpoint, NoModel(sentence="no model is configured; set [model] url")
    assert box.say("two").failed == "no model is configured; set [model] url"
    assert (box.folder / "sessions" / "k3f" / "baseline.json").read_bytes() == b"x"
    box.endpoint = endpoint
    assert box.say("two").turn == 2


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
    with pytest.raises(Refusal, match="is open to others; type chmod 600 "):
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
