from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.args import ArgsError
from bxcore.decide import NoSuchTurn
from bxcore.errors import SentenceError, system_reason
from bxio.instance_lock import AlreadyRunningError
from bxio.recall import RecallIndexError


@pytest.mark.parametrize(
    "error",
    [
        ArgsError("x"),
        NoSuchTurn(3, 2),
        AlreadyRunningError(Path("/x"), 7),
        RecallIndexError("x", damaged=True),
    ],
)
def test_an_errors_text_is_its_sentence_whatever_else_it_carries(error: SentenceError) -> None:
    assert str(error) == error.sentence != ""


def test_the_system_s_reason_has_neither_number_nor_path() -> None:
    assert (
        system_reason(FileNotFoundError(2, "No such file or directory", "/x")) == "no such file or directory"
    )


def test_an_error_without_words_is_named_by_its_type() -> None:
    assert system_reason(OSError()) == "oserror"
