"""Approvals as a value: codes, the first answer, what a no and a session-wide yes reach, a new process."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.approvals import (
    MAX_PENDING,
    Approval,
    Approvals,
    Ended,
    Event,
    How,
    NotTaken,
    Opened,
    Over,
    Used,
    as_typed,
    codes,
    queue,
    sentences,
)
from bxcore.labels import NEW_SESSION, Label, Level

K7 = Approval(
    code="k7",
    session="k3f",
    turn=2,
    call="t2c1",
    tool="shell",
    args_sha256="a" * 64,
    grant="house",
    grant_sha256="b" * 64,
    bound="b" * 64,
    label=NEW_SESSION,
    why="the grant house asks each time",
    shown="shell {}",
    whole="shell {}",
    hidden=0,
    expires_s=600.0,
)
UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
SECRET = Label(Level.SECRET, untrusted=False)


def approvals(*events: Event) -> Approvals:
    state = Approvals()
    for event in events:
        state = state.after(event)
    return state


def waiting(*more: Approval) -> Approvals:
    return approvals(*(Opened(approval=each) for each in (K7, *more)))


def answer(state: Approvals, code: str = "k7", **changed: object) -> Ended | NotTaken:
    fields = {"approve": True, "for_session": False, "by": "bxctl", "now_s": 0.0, **changed}
    return state.answer(code, **fields)  # type: ignore[arg-type]


def test_an_answer_is_an_event_and_changes_nothing_by_itself() -> None:
    state = waiting()
    assert answer(state) == Ended(code="k7", how=How.APPROVED, by="bxctl")
    assert answer(state, for_session=True) == Ended(code="k7", how=How.SESSION, by="bxctl")
    assert answer(state, approve=False, for_session=True) == Ended(code="k7", how=How.DENIED, by="bxctl")
    assert state == waiting()


@pytest.mark.parametrize("how", How)
def test_an_ended_one_is_known_by_its_code_and_answered_no_more(how: How) -> None:
    state = waiting().after(Ended(code="k7", how=how, by="the chat"))
    assert state.pending == {}
    found = answer(state)
    assert isinstance(found, NotTaken)
    assert found.known
    assert found.sentence.startswith("k7 ")
    assert found.sentence.endswith(" by the chat already")


def test_an_answer_at_the_expiry_is_late_and_one_before_it_is_not() -> None:
    assert isinstance(answer(waiting(), now_s=599.9), Ended)
    late = answer(waiting(), now_s=600.0)
    assert late == NotTaken(known=True, sentence="k7 has expired already")


def test_an_unknown_code_is_unknown_and_not_repeated_when_it_is_no_code() -> None:
    assert answer(waiting(), "m3") == NotTaken(
        known=False, sentence="no call waits for an approval under m3; look with bxctl approvals"
    )
    odd = answer(waiting(), "m3\u202e")
    assert isinstance(odd, NotTaken)
    assert odd.sentence == "no call waits for an approval under that code; look with bxctl approvals"


def test_what_has_expired_is_due_from_its_very_moment() -> None:
    later = replace(K7, code="m3", call="t2c2", expires_s=900.0)
    assert waiting(later).due(599.9) == ()
    assert waiting(later).due(600.0) == (K7,)
    assert waiting(later).due(900.0) == (K7, later)


def test_only_so_many_wait() -> None:
    many = [replace(K7, code=f"a{number}", call=f"c{number}") for number in range(MAX_PENDING - 1)]
    assert not waiting(*many[1:]).full
    assert waiting(*many).full


def test_an_approval_is_that_of_one_call() -> None:
    call = ("k3f", "t2c1", "shell", "a" * 64)
    state = waiting()
    assert state.of_call(*call) == K7
    for place in range(len(call)):
        other = [*call]
        other[place] = "other"
        assert state.of_call(*other) is None
    ended = Ended(code="k7", how=How.DENIED)
    assert state.after(ended).of_call(*call) == Over(approval=replace(K7, whole=""), ended=ended)


def test_of_two_approvals_of_a_call_the_newest_counts() -> None:
    anew = replace(K7, code="m3", label=UNTRUSTED)
    state = waiting().after(Ended(code="k7", how=How.WITHDRAWN)).after(Opened(approval=anew))
    assert state.of_call("k3f", "t2c1", "shell", "a" * 64) == anew
    over = state.after(Ended(code="m3", how=How.APPROVED)).of_call("k3f", "t2c1", "shell", "a" * 64)
    assert isinstance(over, Over)
    assert over.approval == replace(anew, whole="")


def session_wide(label: Label = NEW_SESSION) -> Approvals:
    asked = replace(K7, label=label)
    return approvals(Opened(approval=asked), Ended(code="k7", how=How.SESSION, by="bxctl"))


def test_a_yes_for_the_session_reaches_its_session_tool_and_grant_alone() -> None:
    state = session_wide()
    found = state.for_session("k3f", "shell", "b" * 64, NEW_SESSION)
    assert found is not None
    assert found.ended.by == "bxctl"
    assert state.for_session("other", "shell", "b" * 64, NEW_SESSION) is None
    assert state.for_session("k3f", "write_file", "b" * 64, NEW_SESSION) is None
    assert state.for_session("k3f", "shell", "c" * 64, NEW_SESSION) is None


@pytest.mark.parametrize(
    ("approved", "now", "reaches"),
    [
        (NEW_SESSION, NEW_SESSION, True),
        (NEW_SESSION, UNTRUSTED, False),
        (NEW_SESSION, SECRET, False),
        (UNTRUSTED, NEW_SESSION, True),
        (UNTRUSTED, SECRET, False),
        (SECRET, UNTRUSTED, False),
        (SECRET, NEW_SESSION, True),
    ],
)
def test_a_yes_for_the_session_reaches_no_higher_label(approved: Label, now: Label, reaches: bool) -> None:  # noqa: FBT001
    found = session_wide(approved).for_session("k3f", "shell", "b" * 64, now)
    assert (found is not None) is reaches


def test_a_yes_for_the_session_reaches_on_after_a_result_under_its_own_grant() -> None:
    state = session_wide(NEW_SESSION)
    assert state.for_session("k3f", "shell", "b" * 64, UNTRUSTED, floor=UNTRUSTED) is not None
    assert state.for_session("k3f", "shell", "b" * 64, SECRET, floor=UNTRUSTED) is None


@pytest.mark.parametrize("how", [how for how in How if how is not How.SESSION])
def test_no_other_end_reaches_another_call(how: How) -> None:
    state = waiting().after(Ended(code="k7", how=how))
    assert state.for_session("k3f", "shell", "b" * 64, NEW_SESSION) is None


def test_a_denial_reaches_the_same_call_in_its_turn_alone() -> None:
    state = waiting().after(Ended(code="k7", how=How.DENIED, by="bxctl"))
    assert state.was_denied("k3f", 2, "shell", "a" * 64)
    assert not state.was_denied("k3f", 3, "shell", "a" * 64)
    assert not state.was_denied("k3f", 2, "shell", "c" * 64)
    assert not state.was_denied("k3f", 2, "write_file", "a" * 64)
    assert not state.was_denied("other", 2, "shell", "a" * 64)


@pytest.mark.parametrize("how", [how for how in How if how is not How.DENIED])
def test_no_other_end_is_a_denial(how: How) -> None:
    assert not waiting().after(Ended(code="k7", how=how)).was_denied("k3f", 2, "shell", "a" * 64)


def test_of_a_sessions_denials_those_of_its_last_turn_are_kept() -> None:
    state = Approvals()
    for code, session, turn, sha in (
        ("a2", "k3f", 1, "x"),
        ("a3", "other", 1, "x"),
        ("a4", "k3f", 2, "y"),
        ("a5", "k3f", 2, "z"),
    ):
        asked = replace(K7, code=code, session=session, turn=turn, args_sha256=sha)
        state = state.after(Opened(approval=asked)).after(Ended(code=code, how=How.DENIED))
    assert not state.was_denied("k3f", 1, "shell", "x")
    assert state.was_denied("other", 1, "shell", "x")
    assert state.was_denied("k3f", 2, "shell", "y")
    assert state.was_denied("k3f", 2, "shell", "z")


def test_events_that_fit_nothing_change_nothing() -> None:
    state = waiting()
    assert state.after(Ended(code="m3", how=How.APPROVED)) == state
    assert state.after(Used(code="k7")) == state, "it waits still"
    ended = state.after(Ended(code="k7", how=How.DENIED))
    assert ended.after(Ended(code="k7", how=How.APPROVED)) == ended, "the first one counts"


def test_a_new_process_closes_what_waits_and_approves_nothing() -> None:
    asked = replace(K7, code="m3", call="t2c2")
    state = session_wide().after(Opened(approval=asked))
    state = state.after(Opened(approval=replace(K7, code="d4", call="t2c3")))
    state = state.after(Ended(code="d4", how=How.DENIED))
    anew, closed = state.in_a_new_process()
    assert [over.ended for over in closed] == [Ended(code="m3", how=How.EXPIRED, box_ended=True)]
    assert (anew.pending, anew.session_wide, anew.denied) == ({}, (), frozenset())
    assert list(anew.over) == ["k7", "d4", "m3"]
    for call in ("t2c1", "t2c2", "t2c3"):
        assert anew.of_call("k3f", call, "shell", "a" * 64) is None
    assert anew.in_a_new_process() == (anew, ())


def test_what_became_is_told_of_what_surely_did_not_run() -> None:
    ends = {
        "approved": (
            How.APPROVED,
            "the owner approved it, but it was cut short before it ran; it did not run",
        ),
        "used": (How.APPROVED, None),
        "denied": (How.DENIED, "the owner denied this call, and it did not run"),
        "undeliverable": (How.UNDELIVERABLE, "nobody could put this call to the owner, and it did not run"),
    }
    state = Approvals()
    for number, (call, (how, _)) in enumerate(ends.items()):
        state = state.after(Opened(approval=replace(K7, code=f"a{number}", call=call)))
        state = state.after(Ended(code=f"a{number}", how=how))
    state = state.after(Used(code="a1"))
    told = {call: sentence for call, (_, sentence) in ends.items() if sentence is not None}
    assert state.became("k3f", (*ends, "never heard of")) == told
    assert state.became("k3f", ("denied",)) == {"denied": told["denied"]}
    assert state.became("other", tuple(ends)) == {}
    anew, _ = state.in_a_new_process()
    assert anew.became("k3f", tuple(ends)) == told


def test_codes_are_a_letter_and_a_digit_that_nobody_confuses() -> None:
    assert not {*"ol01"} & {*codes.LETTERS, *codes.DIGITS}
    for seed in range(200):
        code = codes.fresh(f"{seed}", ())
        assert len(code) == 2
        assert code[0] in codes.LETTERS
        assert code[1] in codes.DIGITS


def test_a_code_that_is_taken_grows() -> None:
    code = codes.fresh("seed", ())
    longer = codes.fresh("seed", {code})
    assert longer.startswith(code)
    assert len(longer) == 4
    assert len(codes.fresh("seed", {code, longer})) == 6


def test_so_many_codes_as_can_be_known_are_all_different_and_short() -> None:
    taken: set[str] = set()
    for number in range(queue.KEPT + MAX_PENDING):
        taken.add(codes.fresh(f"{number}", taken))
    assert len(taken) == queue.KEPT + MAX_PENDING
    assert max(map(len, taken)) <= 6


def test_a_code_of_one_that_is_over_is_not_given_again() -> None:
    state = Approvals()
    code = state.code("seed")
    state = state.after(Opened(approval=replace(K7, code=code)))
    assert state.code("seed") != code
    assert state.after(Ended(code=code, how=How.DENIED)).code("seed") != code


def test_old_ones_are_forgotten_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "KEPT", 2)
    state = Approvals()
    for code in ("a2", "a3", "a4"):
        state = state.after(Opened(approval=replace(K7, code=code)))
        state = state.after(Ended(code=code, how=How.DENIED))
    assert list(state.over) == ["a3", "a4"]


def test_a_code_is_read_without_spaces_and_capitals() -> None:
    assert as_typed(" K7\n") == "k7"


def test_every_sentence_for_the_model_is_its_own_and_forbids_another_way() -> None:
    said = {sentences.for_model(how) for how in How if not how.approves}
    assert len(said) == 4
    said.add(sentences.changed("its grant changed"))
    assert all(sentence.endswith("; do not try another way, tell the owner") for sentence in said)
    assert all("did not run" in sentence for sentence in said)


@given(seed=st.integers(0, 10_000))
def test_whatever_happens_an_approval_lets_run_only_what_was_answered_yes_once(seed: int) -> None:
    """Random events: a code that is over stays as it is, and the number of all is kept."""
    chance, state, first = random.Random(seed), Approvals(), dict[str, Ended]()
    opened = 0
    for number in range(40):
        code = f"a{chance.randrange(8)}"
        match chance.choice(["open", "end", "use", "answer"]):
            case "open" if code not in state.pending and code not in state.over:
                opened += 1
                state = state.after(Opened(approval=replace(K7, code=code, call=f"c{number}")))
            case "answer":
                found = answer(state, code, approve=chance.random() < 0.5, now_s=chance.choice([0.0, 700.0]))
                if isinstance(found, Ended):
                    assert code in state.pending
                    first[code] = found
                    state = state.after(found)
            case "use":
                state = state.after(Used(code=code))
            case "end":
                how = chance.choice([*How])
                if code in state.pending:
                    first[code] = Ended(code=code, how=how)
                state = state.after(Ended(code=code, how=how))
            case _:
                pass
        assert {over.ended for over in state.over.values()} == {*first.values()}
        assert len(state.pending) + len(state.over) == opened
        assert not {*state.pending} & {*state.over}
