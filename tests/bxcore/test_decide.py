from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.decide import NoSuchTurn, Send, Skip, Workspace, decide, peer_name, turn_records, turns
from bxcore.labels import Label, Level
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User

TOKEN = "ghp_" + "A1b2" * 9
TRUSTED = Label(Level.PRIVATE, untrusted=False)
CALL = ToolCall(id="1", name="recall", arguments="{}")


def turn(text: str = "hello", reply: str | None = "hi", speaker: str | None = "ada") -> list[Record]:
    said: list[Record] = [User(text=text, speaker=speaker)]
    return (
        [*said, Assistant(content=reply), Usage()] if reply is not None else [*said, Usage(failed="no model")]
    )


def result(content: str = "r", *, untrusted: bool = False, level: Level = Level.PRIVATE) -> ToolResult:
    return ToolResult(call="1", tool="recall", content=content, ok=True, level=level, untrusted=untrusted)


START = SessionStart(baseline="0" * 64)

REASONS = [
    "the session is secret",
    "the turn has no single speaker",
    "the speaker is not a Honcho peer name",
    "the speaker has the agent's peer name",
    "the turn has no reply",
    "the turn's text holds a secret",
]


def decided(holding: set[int]) -> Skip | Send:
    """The decision on a turn in which the rows ``holding`` (1 to 7) hold, and what follows from them."""
    state = Label(Level.SECRET if 1 in holding else Level.PRIVATE, untrusted=7 in holding)
    speaker = None if 2 in holding else "a b" if 3 in holding else "ada"
    agent = (speaker or "") if 4 in holding else "box"
    text, reply = (TOKEN if 6 in holding else "hello"), ("\n " if 5 in holding else "hi")
    return decide(state, [START, *turn(text, reply, speaker)], 1, agent)


@pytest.mark.parametrize("row", range(1, 7))
def test_each_row_alone_skips_the_turn_with_its_reason(row: int) -> None:
    assert decided({row}) == Skip(REASONS[row - 1])


@pytest.mark.parametrize("rows", list(combinations(range(1, 8), 2)))
def test_of_two_rows_that_hold_the_first_decides(rows: tuple[int, int]) -> None:
    assert decided(set(rows)) == Skip(REASONS[rows[0] - 1])


def test_a_plain_turn_goes_to_the_trusted_workspace_as_its_speaker() -> None:
    assert decided(set()) == Send(Workspace.TRUSTED, "ada")


def test_an_untrusted_session_goes_to_the_untrusted_workspace() -> None:
    assert decided({7}) == Send(Workspace.UNTRUSTED, "ada")


def test_a_public_session_is_remembered_too() -> None:
    assert decide(Label(Level.PUBLIC, untrusted=False), turn(), 1, "box") == Send(Workspace.TRUSTED, "ada")


@pytest.mark.parametrize(("number", "count"), [(3, 2), (0, 2), (-1, 2), (1, 0)])
def test_a_turn_that_the_log_does_not_have_is_no_turn(number: int, count: int) -> None:
    sentence = f"turn {number} is not in the session's log, which has {count} turns"
    records = [START, *(record for _ in range(count) for record in turn())]
    with pytest.raises(NoSuchTurn) as caught:
        decide(Label(), records, number, "box")
    assert str(caught.value) == caught.value.sentence == sentence
    with pytest.raises(NoSuchTurn):
        turn_records(records, number)


def test_a_missing_turn_comes_before_every_row() -> None:
    with pytest.raises(NoSuchTurn):
        decide(Label(), [START], 1, "box")


def test_an_untrusted_result_of_this_or_an_earlier_turn_counts_and_of_a_later_one_does_not() -> None:
    tainted = result(untrusted=True)
    first: list[Record] = [User(text="a", speaker="ada"), tainted, Assistant(content="b")]
    here = [START, *turn(), *first, *turn(text="later")]
    where = [decide(TRUSTED, here, number, "box") for number in (1, 2, 3)]
    assert where == [
        Send(Workspace.TRUSTED, "ada"),
        Send(Workspace.UNTRUSTED, "ada"),
        Send(Workspace.UNTRUSTED, "ada"),
    ]


def test_an_untrusted_result_before_the_first_turn_counts() -> None:
    assert decide(TRUSTED, [START, result(untrusted=True), *turn()], 1, "box") == Send(
        Workspace.UNTRUSTED, "ada"
    )


def test_trusted_results_taint_nothing_however_high_their_class() -> None:
    records: list[Record] = [
        User(text="a", speaker="ada"),
        result(level=Level.SECRET),
        Assistant(content="b"),
    ]
    assert decide(TRUSTED, records, 1, "box") == Send(Workspace.TRUSTED, "ada")


def test_only_the_users_text_and_the_reply_are_looked_at_for_secrets() -> None:
    records: list[Record] = [
        User(text="a", speaker="ada"),
        Assistant(content=TOKEN, reasoning=TOKEN, tool_calls=(CALL,)),
        result(TOKEN),
        Assistant(content="b", reasoning=TOKEN),
    ]
    assert decide(TRUSTED, records, 1, "box") == Send(Workspace.TRUSTED, "ada")
    assert decide(TRUSTED, turn(reply=f"it is {TOKEN}"), 1, "box") == Skip(REASONS[5])
    assert decide(TRUSTED, turn(text=f"{TOKEN}, keep it"), 1, "box") == Skip(REASONS[5])
    assert decide(TRUSTED, [*turn(text=TOKEN), *turn()], 2, "box") == Send(Workspace.TRUSTED, "ada")


def test_a_turn_whose_last_word_is_a_call_has_no_reply() -> None:
    called = Assistant(content="let me look", tool_calls=(CALL,))
    for records in (
        [called],
        [called, result()],
        [Assistant(content="x"), result()],
        [],
        [Usage(failed="f")],
    ):
        log: list[Record] = [User(text="a", speaker="ada"), *records]
        assert decide(TRUSTED, log, 1, "box") == Skip(REASONS[4])


def test_the_reply_is_of_the_turn_asked_about() -> None:
    log = [*turn(reply=None), *turn()]
    assert decide(TRUSTED, log, 1, "box") == Skip(REASONS[4])
    assert decide(TRUSTED, log, 2, "box") == Send(Workspace.TRUSTED, "ada")


def test_a_dot_in_a_speaker_is_an_underscore_in_the_peers_name() -> None:
    assert peer_name("ada.lovelace.x") == "ada_lovelace_x"
    assert decide(TRUSTED, turn(speaker="a.b"), 1, "box") == Send(Workspace.TRUSTED, "a_b")
    assert decide(TRUSTED, turn(speaker="b.ox"), 1, "b_ox") == Skip(REASONS[3])


@pytest.mark.parametrize("speaker", ["Ada Lovelace", "ada@x", "é", "a\n", " ", "a" * 513, "٣"])
def test_what_honcho_would_not_take_is_no_peer_name(speaker: str) -> None:
    assert decide(TRUSTED, turn(speaker=speaker), 1, "box") == Skip(REASONS[2])


@pytest.mark.parametrize("speaker", ["a", "a" * 512, "A-b_9", "Box"])
def test_names_are_compared_as_written(speaker: str) -> None:
    assert decide(TRUSTED, turn(speaker=speaker), 1, "box") == Send(Workspace.TRUSTED, speaker)


def test_an_empty_speaker_is_none() -> None:
    assert decide(TRUSTED, turn(speaker=""), 1, "") == Skip(REASONS[1])


def test_turns_count_the_user_records_and_a_turn_reaches_to_the_next() -> None:
    first, second = turn("one"), turn("two")
    log = [START, *first, *second]
    assert turns(log) == 2
    assert turns([START]) == 0
    assert turn_records(log, 1) == tuple(first)
    assert turn_records(log, 2) == tuple(second)


RECORDS = st.one_of(
    st.builds(User, text=st.sampled_from(["a", TOKEN]), speaker=st.sampled_from([None, "ada", "a b", "box"])),
    st.builds(Assistant, content=st.sampled_from(["", "b"]), tool_calls=st.sampled_from([(), (CALL,)])),
    st.builds(result, untrusted=st.booleans()),
    st.just(Usage()),
)
LABELS = st.builds(Label, st.sampled_from(Level), st.booleans())


@given(LABELS, st.lists(RECORDS, max_size=12), st.data())
def test_no_log_sends_a_secret_session_or_an_untrusted_turn_to_the_trusted_workspace(
    state: Label, log: list[Record], data: st.DataObject
) -> None:
    if not turns(log):
        return
    number = data.draw(st.integers(1, turns(log)))
    action = decide(state, log, number, "box")
    assert decide(state, [*log, *turn(), result(untrusted=True)], number, "box") == action
    if isinstance(action, Send):
        assert state.level < Level.SECRET
        assert action.workspace is Workspace.UNTRUSTED or not state.untrusted
        assert action.speaker == "ada"
    else:
        assert action.reason in REASONS
