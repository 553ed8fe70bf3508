"""What an asker is told: whom it asked, what happened, what to do; never another's text."""

from __future__ import annotations

import pytest

from actors.base import Busy, CallError, Crashed, Dead, Expired, Refusal, Restarting, TimedOut
from actors.kernel.errors import GaveUp, NeverReady, shown


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (Busy("memory"), "memory is busy: its mailbox is full, try again"),
        (Dead("memory"), "memory is stopped and will not answer"),
        (Restarting("memory"), "memory was restarted before it answered, try again"),
        (Crashed("memory", "KeyError"), "memory crashed on this request (KeyError)"),
        (Expired("memory"), "memory could not take the request before its deadline"),
        (TimedOut("memory"), "memory did not answer in time"),
    ],
)
def test_each_error_names_the_address_and_says_what_happened(error: CallError, sentence: str) -> None:
    assert (error.address, error.sentence, str(error)) == ("memory", sentence, sentence)
    assert error.happened == sentence.removesuffix(", try again")


def test_only_sentences_meant_for_people_are_shown() -> None:
    assert shown(ValueError("secret")) == "ValueError"
    assert shown(Refusal("port 80 is in use")) == "port 80 is in use"
    assert shown(NeverReady("a failed")) == "a failed"
    assert shown(GaveUp("too often")) == "too often"
