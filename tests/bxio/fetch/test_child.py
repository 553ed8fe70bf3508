from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from bxio.cut import Cut
from bxio.fetch import child

LONG_S = 20.0
SLOW = "tests.doubles.fetch_child"


def ask(question: bytes, *, within_s: float = LONG_S, cut: Cut | None = None, cap: int = 1000) -> bytes:
    deadline_s = time.monotonic() + within_s
    return child.ask(SLOW, question, deadline_s=deadline_s, cut=cut or Cut(), cap=cap)


def test_a_child_answers_what_it_was_asked() -> None:
    assert ask(b"say hello") == b"hello"


def test_a_child_has_no_secret_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOXMAKER_HONCHO__API_KEY", "x")
    assert b"BOXMAKER" not in ask(b"environment", cap=100_000)


def test_a_child_that_hangs_ends_at_the_deadline() -> None:
    began_s = time.monotonic()
    with pytest.raises(TimeoutError):
        ask(b"hang", within_s=0.3)
    assert time.monotonic() - began_s < LONG_S / 2


def test_a_child_that_hangs_ends_at_a_cut() -> None:
    cut = Cut()
    cutter = threading.Timer(0.2, cut.cut)
    cutter.start()
    began_s = time.monotonic()
    with pytest.raises(child.ChildFailed):
        ask(b"hang", cut=cut)
    assert time.monotonic() - began_s < LONG_S / 2
    cutter.join(timeout=LONG_S)


@pytest.mark.parametrize("question", [b"say ", b"die", b"flood", b"shut"])
def test_a_child_without_a_proper_answer_has_failed(question: bytes) -> None:
    with pytest.raises(child.ChildFailed):
        ask(question)


def test_a_child_that_does_not_listen_ends_at_the_deadline() -> None:
    with pytest.raises((TimeoutError, child.ChildFailed)):
        ask(b"hang" + bytes(20_000_000), within_s=0.5)


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def children() -> set[str]:
    """The children of this process, waited for or not."""
    threads = Path("/proc/self/task").iterdir()
    return {pid for thread in threads for pid in (thread / "children").read_text().split()}


def test_nothing_of_a_child_stays() -> None:
    before = open_files(), children()
    for _ in range(3):
        with pytest.raises(child.ChildFailed):
            ask(b"die")
    assert (open_files(), children()) == before
