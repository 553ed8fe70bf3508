"""2,000 seeded scenarios: the supervisors do what a small pure model of OTP does, in the same order."""

from __future__ import annotations

import pytest

from tests.kit.otp_script import Run

SEEDS = 2000
CHUNK = 100


def play(run: Run) -> None:
    root = run.begin()
    assert run.log == run.model.log
    for wait_s, doing, number in run.script.events if root is not None else ():
        run.kit.advance(wait_s)
        run.play(doing, run.script.names[number])
        run.kit.settle()
        assert run.log == run.model.log
        assert root is not None
        assert root.ended == run.model.dead
        if root.ended:
            break
    if root is not None and not root.ended:
        lives = {life.name for life in run.kit.runtime.lives()} - {"root", "group"}
        assert lives == run.model.up
        run.model.shut_down()
        assert root.stop(60.0)
        assert run.log == run.model.log
    run.kit.letters.read_all()
    assert run.kit.close() == []


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_supervisors_do_what_the_model_of_otp_does(first: int) -> None:
    for seed in range(first, first + CHUNK):
        run = Run(seed)
        try:
            play(run)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            run.kit.close()
            raise
