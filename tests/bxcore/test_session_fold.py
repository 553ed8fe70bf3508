from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.labels import NEW_SESSION, TOP, Label, Level, join
from bxcore.records import Assistant, Record, SessionStart, ToolResult, User
from bxcore.session_fold import label_of, log_of

START = SessionStart(baseline="0" * 64)
labels = st.builds(Label, st.sampled_from(Level), st.booleans())


def result(label: Label) -> ToolResult:
    return ToolResult(
        call="c1", tool="recall", content="", ok=True, level=label.level, untrusted=label.untrusted
    )


def test_a_session_without_a_record_is_private_and_trusted() -> None:
    assert label_of(()) == NEW_SESSION


def test_a_log_that_lost_its_start_is_at_the_top() -> None:
    assert label_of((User(text="hi"),)) == TOP


def test_a_session_starts_as_its_first_record_says() -> None:
    start = SessionStart(baseline="", level=Level.PUBLIC)
    assert label_of((start, User(text="hi"))) == Label(Level.PUBLIC, untrusted=False)


def test_one_untrusted_result_taints_the_session_for_good() -> None:
    log: list[Record] = [START, User(text="a"), result(Label(Level.PUBLIC, untrusted=True))]
    log += [Assistant(content="b"), User(text="c"), result(Label(Level.PUBLIC, untrusted=False))]
    assert label_of(log) == Label(Level.PRIVATE, untrusted=True)


@given(st.lists(labels), st.lists(labels))
def test_the_label_is_the_join_and_never_falls(first: list[Label], more: list[Label]) -> None:
    before = label_of([START, *map(result, first)])
    after = label_of([START, *map(result, first), *map(result, more)])
    assert before == join(NEW_SESSION, *first)
    assert after == join(before, *more)
    assert after.level >= before.level
    assert after.untrusted >= before.untrusted


def test_an_imported_session_is_untrusted_from_its_start() -> None:
    start = SessionStart(baseline="", untrusted=True)
    assert label_of((start, User(text="hi"))) == Label(Level.PRIVATE, untrusted=True)


def test_a_log_is_told_from_others_by_its_start() -> None:
    assert log_of((SessionStart(baseline="", log="a1"), User(text="hi"))) == "a1"
    assert log_of(()) == ""
    assert log_of((User(text="hi"),)) == ""
