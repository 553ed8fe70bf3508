"""The command: a line a driver, each sentence once, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tools.faults import __main__ as command
from tools.faults.fault import Fault
from tools.faults.sweeping import Outcome
from tools.faults.tracing import NoTraceError

SENTENCE = "/tmp/faults-1/files/a cannot be written: the disk took 3 of 9 bytes"


def swept(*outcomes: Outcome) -> object:
    def sweep(name: str, every: int) -> Iterator[Outcome]:
        assert (name, every) == ("ledger", 1)
        yield from outcomes

    return sweep


def outcome(*wrong: str, struck: bool = True) -> Outcome:
    fault = Fault(number=2, kind="error=EIO")
    return Outcome(driver="ledger", fault=fault, struck=struck, sentences=(SENTENCE,), wrong=wrong)


def test_all_is_well(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "sweep", swept(outcome(), outcome(), outcome(struck=False)))
    assert command.main(["--only", "ledger", "--full"]) == 0
    line, sentence, last = capsys.readouterr().out.splitlines()
    assert line == "ledger: 2 faults (2 write), 1 struck nothing"
    assert sentence == "  …/a cannot be written: the disk took N of M bytes"
    assert last.startswith("2 faults, 0 wrong, ")


def test_what_is_wrong_is_told_with_its_fault_and_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "sweep", swept(outcome("lost: [2]"), outcome()))
    assert command.main(["--only", "ledger", "--full"]) == 1
    shown = capsys.readouterr().out
    assert "ledger, write:error=EIO:when=2: lost: [2]\n" in shown
    assert "2 faults, 1 wrong" in shown


def test_where_nothing_can_be_traced_it_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def sweep(_name: str, _every: int) -> Iterator[Outcome]:
        raise NoTraceError("no strace here")

    monkeypatch.setattr(command, "sweep", sweep)
    assert command.main(["--only", "ledger"]) == 1
    assert capsys.readouterr().err == "no strace here\n"
