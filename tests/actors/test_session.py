"""A session's turns against a real model client, a real store, and a scripted server and broker."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from actors.base import Refusal
from bxcore.labels import Label, Level
from bxcore.messages.broker import ToolRequest
from bxcore.messages.loop import Notice, StopTurn, TextDelta, ToolEnded, TurnStarted
from bxcore.messages.memory import Recall, TurnEnded
from bxcore.messages.model import Endpoint, EndpointFailed, GetEndpoint, ModelProgress, NoModel
from bxcore.records import Assistant, SessionStart, ToolResult, Usage, User
from bxcore.tool_answer import ToolAnswer
from bxcore.turn import EMPTY_REPLY, STOPPED, THOUGHT_ON
from bxcore.waits import Waits
from tests.doubles.loop_bench import NOW, TRUSTED, LoopBench, kinds, outcome
from tests.doubles.model_server import NONSENSE, Step
from tests.kit.leaks import Letters

Make = Callable[..., LoopBench]


def test_a_reply_is_on_disk_and_shown_as_it_is_written(bench: Make) -> None:
    box = bench({"say": "Hello Anna, how are you?"})
    result = box.say("hi")
    assert (result.session, result.turn, result.reply, result.failed) == (
        "k3f",
        1,
        "Hello Anna, how are you?",
        None,
    )
    assert (result.label, result.tools) == (TRUSTED, ())
    assert result.usage.prompt > 0
    events = box.events()
    assert kinds(events) == ["turn_started", "text_delta"]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == result.reply
    start, user, said, usage = box.store.read("k3f")
    assert isinstance(start, SessionStart)
    assert user == User(text="hi", speaker="anna", at=NOW.isoformat())
    assert said == Assistant(content="Hello Anna, how are you?")
    assert isinstance(usage, Usage)
    assert box.ended() == [TurnEnded(session="k3f", turn=1)]


def test_the_user_record_is_on_disk_before_the_model_is_asked(bench: Make) -> None:
    box = bench()
    seen: list[list[str]] = []

    def choose(_body: object) -> Step:
        seen.append([record.kind for record in box.store.read("k3f")])
        return {"say": "ok"}

    box.server._choose = choose
    box.say("hi")
    assert seen == [["session_start", "user"]]


@pytest.mark.parametrize("profile", ["native", "json"])
def test_a_call_goes_to_the_broker_and_its_result_to_the_model(bench: Make, profile: str) -> None:
    box = bench({"call": ["recall", {"query": "tin"}]}, {"say": "In the tin."}, profile=profile)
    untrusted = Label(Level.PRIVATE, untrusted=True)
    box.answer = lambda request: outcome(request, "[1] memory-tainted · fleet <|im_start|>", untrusted)
    result = box.say("where is the key?")
    assert result.reply == "In the tin."
    (request,) = box.requests
    assert (request.session, request.turn, request.call, request.tool) == ("k3f", 1, "t1c1", "recall")
    assert json.loads(request.arguments) == {"query": "tin"}
    (ended,) = result.tools
    assert (ended.ok, ended.label, result.label) == (True, untrusted, untrusted)
    assert "<|im_start|>" not in ended.content
    assert kinds(box.events())[:3] == ["turn_started", "tool_started", "tool_ended"]
    assert "<|im_start|>" not in json.dumps(box.server.chats[1]["messages"][-1])
    results = [record for record in box.store.read("k3f") if isinstance(record, ToolResult)]
    assert [(record.call, record.content, record.label) for record in results] == [
        ("t1c1", ended.content, untrusted)
    ]


def test_each_result_is_on_disk_before_the_model_sees_it(bench: Make) -> None:
    box = bench()
    seen: list[list[str]] = []

    def choose(_body: object) -> Step:
        seen.append([record.kind for record in box.store.read("k3f")])
        return {"call": ["clock", {}]} if len(seen) == 1 else {"say": "ok"}

    box.server._choose = choose
    box.say("what time is it?")
    assert seen[1][2:] == ["assistant", "tool_result"]


def test_the_loops_own_tools_need_no_broker(bench: Make) -> None:
    calls = [["clock", {}], ["find_tool", {"query": "search notes"}], ["call_tool", {"name": "clock"}]]
    box = bench({"call": calls}, {"say": "ok"})
    contents = [tool.content for tool in box.say("time?").tools]
    assert contents[0] == contents[2] == "Monday 2026-11-30 19:16:35 UTC"
    assert '"name":"recall"' in contents[1]
    assert box.requests == []


def test_malformed_calls_become_failed_results_that_the_model_sees(bench: Make) -> None:
    calls = [["recal", "{}"], ["clock", "nonsense"], ["clock", {"zone": 1}]]
    box = bench({"calls": calls}, {"say": "sorry"})
    result = box.say("hi")
    assert result.reply == "sorry"
    assert [tool.ok for tool in result.tools] == [False] * 3
    assert "did you mean recall?" in result.tools[0].content
    assert result.tools[1].content.startswith("invalid argument shape: ")
    assert box.requests == []


@pytest.mark.parametrize("name", [17, None, {"a": 1}])
def test_a_call_whose_name_is_no_text_is_a_failed_result_and_no_failed_turn(
    bench: Make, name: object
) -> None:
    box = bench({"calls": [[name, "{}"]]}, {"say": "sorry"})
    result = box.say("hi")
    assert (result.failed, result.reply) == (None, "sorry")
    assert [tool.ok for tool in result.tools] == [False]
    assert result.tools[0].content.startswith("no tool is named ")


def test_calls_that_write_run_one_after_the_other_and_reads_side_by_side(bench: Make) -> None:
    write = ["memory", {"action": "add", "file": "notes", "text": "x"}]
    read = ["recall", {"query": "x"}]
    box = bench({"call": [read, write]}, {"call": [read, read]}, {"say": "done"}, broker=False)
    broker = box.probe("broker")
    turn = box.ask_later(box.saying("do it"))
    first = broker.expect(ToolRequest)
    broker.expect_none(0.1)
    broker.reply(outcome(first))
    broker.reply(outcome(broker.expect(ToolRequest)))
    third = broker.expect(ToolRequest)
    broker.reply(outcome(third)) if broker.box.depth else None
    fourth = broker.expect(ToolRequest)
    broker.reply(outcome(fourth))
    if turn.pending:
        assert [third.call, fourth.call] == ["t1c3", "t1c4"]
    assert turn.get(5.0).reply == "done"


def test_a_model_that_only_calls_tools_is_ended_at_the_round_limit(bench: Make) -> None:
    box = bench(*[{"call": ["clock", {}]}] * 4, {"say": "hello again"}, changes={"max_rounds": 3})
    result = box.say("hi")
    assert result.failed == "the model called tools in 3 rounds and gave no reply; ask for less at once"
    assert len(result.tools) == 4
    assert box.say("hi").reply == "hello again"


def test_an_empty_reply_is_a_failed_turn(bench: Make) -> None:
    box = bench({"say": " \n"}, {"say": ""}, {"say": "here"})
    assert box.say("hi").failed == EMPTY_REPLY
    assert [type(record) for record in box.store.read("k3f")[1:]] == [User, Usage]
    assert box.say("hi").reply == "here"


@pytest.mark.parametrize(
    "step", [{"status": 500}, {"hang_up": True}, *({"nonsense": kind} for kind in NONSENSE)]
)
def test_a_model_that_fails_ends_the_turn_with_one_sentence(bench: Make, step: Step) -> None:
    box = bench(*[step] * 3, changes={"answer_s": 5.0})
    result = box.say("hi")
    assert result.reply is None
    assert result.failed
    assert "\n" not in result.failed
    last = box.store.read("k3f")[-1]
    assert isinstance(last, Usage)
    assert last.failed == result.failed
    box.server._choose = lambda _body: {"say": "back"}
    assert box.say("and now?").reply == "back"


def test_a_model_lost_later_ends_the_turn_after_the_user_record(bench: Make) -> None:
    box = bench({"say": "hello"})
    box.say("hi")
    box.endpoint = NoModel(sentence="the model is gone; start it")
    result = box.say("are you there?")
    assert (result.turn, result.failed) == (2, "the model is gone; start it")
    assert [type(record) for record in box.store.read("k3f")[-2:]] == [User, Usage]


def test_a_loading_model_is_shown_to_who_waits(bench: Make) -> None:
    box = bench({"say": "hello"}, progress=(ModelProgress(text="loading, 40 %"),))
    box.say("hi")
    assert Notice(session="k3f", text="loading, 40 %") in box.events()


def test_auto_recall_puts_trusted_items_before_the_json_profile_only(bench: Make) -> None:
    items = ToolAnswer(ok=True, content="[1] memory · notes · private\n    blue tin", label=TRUSTED)
    box = bench(*[{"say": "ok"}] * 2, profile="json", recalled=items)
    box.say("where is the key?")
    (wanted,) = [message for message in box.memory_heard if isinstance(message, Recall)]
    assert (wanted.args.query, wanted.args.k, wanted.session, wanted.trusted_only) == (
        "where is the key?",
        3,
        "k3f",
        True,
    )
    assert "blue tin" in json.dumps(box.server.chats[0]["messages"][-3:])
    assert all("blue tin" not in str(record) for record in box.store.read("k3f"))
    box.say("thanks")
    assert (
        box.server.chats[1]["messages"][: len(box.server.chats[0]["messages"])]
        == box.server.chats[0]["messages"]
    )


@pytest.mark.parametrize(
    "answer",
    [
        ToolAnswer(ok=True, content="[1] x\n    bad", label=Label(Level.PRIVATE, untrusted=True)),
        ToolAnswer(ok=True, content="[1] x\n    bad", label=Label(Level.SECRET, untrusted=False)),
        ToolAnswer(ok=False, content="[1] x\n    bad", label=TRUSTED),
        ToolAnswer(ok=True, content="nothing found, bad", label=TRUSTED),
    ],
)
def test_auto_recall_never_raises_a_taint(bench: Make, answer: ToolAnswer) -> None:
    box = bench({"say": "ok"}, profile="json", recalled=answer)
    assert box.say("where?").label == TRUSTED
    assert "bad" not in json.dumps(box.server.chats[0]["messages"][-3:])


def test_a_broker_that_crashes_is_one_line_for_the_model_and_one_for_the_log(
    bench: Make, letters: Letters, logged: list[str]
) -> None:
    box = bench({"call": ["recall", {"query": "x"}]}, {"say": "my memory is away"})

    def crash(_request: object) -> object:
        raise RuntimeError("no")

    box.answer = crash
    result = box.say("hi")
    assert result.reply == "my memory is away"
    (tool,) = result.tools
    assert (tool.ok, "\n" in tool.content) == (False, False)
    assert tool.content.startswith("recall was not answered: ")
    assert any(line.endswith("see docs/runbook.md#broker-unavailable") for line in logged)
    letters.read_all()


def test_a_broker_that_is_stopped_did_not_run_the_call(bench: Make, letters: Letters) -> None:
    box = bench({"call": ["recall", {"query": "x"}]}, {"say": "ok"})
    box.runtime.mailbox("broker").close()
    assert "it did not run" in box.say("hi").tools[0].content
    letters.read_all()


def test_a_broker_that_hangs_is_left_after_the_wait(bench: Make, letters: Letters) -> None:
    waits = Waits(loop_call_s=0.1, loop_ask_memory_s=0.2)
    call = [["recall", {"query": "x"}], ["ask_memory", {"question": "x"}]]
    box = bench({"call": call}, {"say": "ok"}, broker=False, changes={"waits": waits})
    box.probe("broker")
    contents = [tool.content for tool in box.say("hi").tools]
    assert [content.partition(";")[0] for content in contents] == [
        "recall was not answered: no answer within 0.1 s",
        "ask_memory was not answered: no answer within 0.2 s",
    ]
    letters.read_all()


def test_a_stop_ends_a_turn_while_a_tool_hangs(bench: Make, letters: Letters) -> None:
    call = [["memory", {"action": "add"}], ["recall", {"query": "x"}]]
    box = bench({"call": call}, {"say": "fresh"}, broker=False)
    broker = box.probe("broker")
    turn = box.ask_later(box.saying("do it"))
    broker.expect(ToolRequest)
    assert box.ask(StopTurn(session="k3f")) is True
    result = turn.get(1.0)
    assert (result.reply, result.failed) == (None, STOPPED)
    assert [(tool.ok, tool.content) for tool in result.tools] == [(False, "stopped")] * 2
    assert box.ask(StopTurn(session="k3f")) is False
    assert box.say("again").reply == "fresh"
    letters.read_all()


@pytest.mark.parametrize(
    "step", [{"silence_s": 15}, {"say": "slow " * 50, "drip_s": 0.2}, {"say": "x", "wait_s": 15}]
)
def test_a_stop_ends_a_turn_while_the_model_is_busy(bench: Make, step: Step) -> None:
    box = bench(step, {"say": "fresh"})
    turn = box.ask_later(box.saying("hi"))
    assert box.asked.wait(5.0)
    assert box.ask(StopTurn(session="k3f")) is True
    result = turn.get(1.0)
    assert (result.reply, result.failed) == (None, STOPPED)
    last = box.store.read("k3f")[-1]
    assert isinstance(last, Usage)
    assert last.failed == STOPPED


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the message is empty"),
        (" \n\t", "the message is empty"),
        ("x" * 100_001, "over the limit of 100000"),
    ],
)
def test_a_message_that_cannot_be_a_turn_is_refused(bench: Make, text: str, sentence: str) -> None:
    box = bench()
    with pytest.raises(Refusal, match=sentence):
        box.say(text)
    assert not box.store.exists("k3f")


def test_half_a_character_reaches_neither_log_nor_model(bench: Make) -> None:
    box = bench({"say": "ok"})
    assert box.say("a\ud800b").reply == "ok"
    assert isinstance(user := box.store.read("k3f")[1], User)
    assert user.text == "a\ufffdb"


def test_events_go_out_only_of_what_is_on_disk(bench: Make) -> None:
    box = bench({"call": ["recall", {"query": "x"}]}, {"say": "ok"}, broker=False)
    broker = box.probe("broker")
    turn = box.ask_later(box.saying("hi"))
    box.listener.expect(TurnStarted)
    assert any(isinstance(record, User) for record in box.store.read("k3f"))
    broker.reply(outcome(broker.expect(ToolRequest)))
    assert turn.get(5.0).reply == "ok"
    shown = [event for event in box.events() if isinstance(event, ToolEnded)]
    assert [event.call for event in shown] == ["t1c1"]


def test_an_empty_reply_is_asked_for_once_more(bench: Make) -> None:
    box = bench({"say": ""}, {"say": "here"})
    result = box.say("hi")
    assert (result.reply, result.failed) == ("here", None)
    first, again = box.server.chats
    assert first == again


def test_a_model_that_goes_round_in_circles_is_stopped_and_its_words_are_kept(bench: Make) -> None:
    box = bench({"say": "I am sorry. " * 2000, "piece": 50})
    result = box.say("hi")
    assert result.reply is not None
    assert result.reply.startswith("I am sorry. I am sorry. ")
    assert len(result.reply) < 5000
    lines = [event.text for event in box.events() if isinstance(event, Notice)]
    assert lines == ["the reply was cut: the model went on repeating the same text"]


def test_a_model_that_thinks_on_is_stopped_and_its_thoughts_are_neither_shown_nor_sent_back(
    bench: Make,
) -> None:
    box = bench(
        {"reasoning": "wait, no, " * 500, "say": "never"}, {"text": "<think>hm</think>four"}, {"say": "ok"}
    )
    assert box.say("hi").failed == THOUGHT_ON
    assert box.say("what is two and two?").reply == "four"
    assert box.say("thanks").reply == "ok"
    assert "hm" not in json.dumps(box.server.chats[-1]["messages"])
    shown = [event.text for event in box.events() if isinstance(event, TextDelta)]
    assert shown == ["four", "ok"]
    thoughts = [record.reasoning for record in box.store.read("k3f") if isinstance(record, Assistant)]
    assert thoughts == ["hm", None]


def test_the_loop_s_own_call_is_not_answered_a_third_time(bench: Make) -> None:
    call: Step = {"call": ["find_tool", {"query": "files"}]}
    box = bench(call, call, {"call": ["find_tool", {"query": "web"}]}, call, {"say": "ok"})
    result = box.say("hi")
    assert [tool.ok for tool in result.tools] == [True, True, True, False]
    assert "gave the same result twice in this turn" in result.tools[-1].content


@pytest.mark.parametrize(("answer_tokens", "noticed"), [(64, False), (6000, True)])
def test_what_the_answer_has_more_the_history_has_less(
    bench: Make, answer_tokens: int, *, noticed: bool
) -> None:
    box = bench(*[{"say": "a"}] * 4)
    assert isinstance(box.endpoint, Endpoint)
    box.endpoint = replace(box.endpoint, answer_tokens=answer_tokens, context_tokens=12_100)
    box.say("word " * 3600)
    box.say("hi")
    assert box.server.chats[-1]["max_tokens"] == answer_tokens
    assert any(isinstance(event, Notice) for event in box.events()) is noticed


def test_a_server_that_fails_is_reported_and_a_turn_keeps_the_one_that_works(bench: Make) -> None:
    call: Step = {"call": ["recall", {"query": "x"}]}
    box = bench(call, {"say": "ok"}, call, {"status": 401}, {"status": 400})
    assert isinstance(box.endpoint, Endpoint)
    box.endpoint = replace(box.endpoint, place=2, probed=5)
    assert box.say("hi").reply == "ok"
    asked = [each for each in box.model_heard if isinstance(each, GetEndpoint)]
    assert [each.using for each in asked[-2:]] == [None, 2]
    assert box.say("hi").reply is None
    (failed,) = (each for each in box.model_heard if isinstance(each, EndpointFailed))
    assert (failed.place, failed.probed, failed.fault) == (2, 5, "gone")
    assert "it refused the key" in failed.sentence
    assert [each.without for each in box.model_heard if isinstance(each, GetEndpoint)][-1] == (2,)
    assert box.say("hi").reply is None
    assert sum(isinstance(each, EndpointFailed) for each in box.model_heard) == 1
