from __future__ import annotations

from dataclasses import replace

from bxcore.audit_text import LONGEST_ARGUMENTS, full, line
from tests.bxcore.test_audit_view import ended, intent, loaded, only, opened, outcome

APPROVED = (opened(1), ended(2, "approved", "bxctl"), intent(3, approval="k7", approver="bxctl"), outcome(4))


def test_a_call_is_one_line() -> None:
    assert line(only(intent(3), outcome(4))) == (
        "2026-11-02T10:00:03+00:00  3  home/t1c1  shell  allowed by run-tests"
        "  private → private, untrusted  ok  31 ms"
    )


def test_an_approved_call_names_code_and_approver() -> None:
    assert "  allowed by run-tests, k7 approved by bxctl  " in line(only(*APPROVED))
    assert line(only(opened(1))).endswith("  asked by run-tests, k7  private  pending")
    session = line(only(opened(1), ended(2, "session", "bxctl")))
    assert ", k7 approved for the session by bxctl  " in session
    later = only(intent(3, approval="k7", approver="bxctl", for_session=True), outcome(4))
    assert "  allowed by run-tests, k7 for the session by bxctl  " in line(later)
    assert "answer: for the session" in full(later).splitlines()
    denied = line(only(opened(1), ended(2, "denied", "the chat")))
    assert denied.endswith("  asked by run-tests, k7 denied by the chat  private  did not run")


def test_a_refused_and_an_unknown_call_say_so() -> None:
    refused = line(only(intent(1, decision="refused: tool", grant=None)))
    assert refused.endswith("  shell  refused: tool  private  refused")
    assert line(only(intent(1), loaded(2))).endswith("  private  unknown")


def test_the_whole_of_a_call_is_a_row_each() -> None:
    assert full(only(*APPROVED)).splitlines() == [
        "call: home/t1c1",
        "tool: shell",
        "time: 2026-11-02T10:00:03+00:00",
        "turn: 1",
        "records: 1, 2, 3, 4",
        "decision: allowed",
        "grant: run-tests, sha256 cd",
        "approval: k7 asked 2026-11-02T10:00:01+00:00",
        "asked because: the grant asks",
        "answer: approved by bxctl 2026-11-02T10:00:02+00:00",
        "approver: bxctl",
        "label: private → private, untrusted",
        "outcome: ok",
        "duration: 31 ms",
        "arguments' sha256: ab",
        'arguments: {"command":"ls"}',
    ]


def test_an_unknown_call_tells_the_person_what_to_do() -> None:
    assert "outcome: unknown: nobody saw how it ended; look whether" in full(only(intent(1), loaded(2)))


def test_arguments_that_were_not_kept_say_why() -> None:
    assert full(only(intent(1, arguments=None))).endswith(
        "arguments: not kept; the session was secret, or the call was refused"
    )


def test_long_arguments_say_how_much_more_there_is() -> None:
    view = only(intent(1, arguments="x" * (LONGEST_ARGUMENTS + 5)))
    assert full(view).endswith("xx [5 more characters]")
    assert "more characters" not in full(only(intent(1, arguments="x" * LONGEST_ARGUMENTS)))


def test_no_name_in_the_log_can_move_the_cursor_or_make_a_line_of_its_own() -> None:
    hostile = "a\x1b[2J\nb\u202ec\x00"
    view = replace(only(*APPROVED), tool=hostile, call=hostile, decision=hostile, arguments=hostile)
    for text in (line(view), *full(view).splitlines()):
        assert not set(text) & set("\x1b\n\u202e\x00"), text
    assert len(full(view).splitlines()) == len(full(only(*APPROVED)).splitlines())
    assert r"a\u{1b}[2J\u{a}b\u{202e}c\u{0}" in full(view)
