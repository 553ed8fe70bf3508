from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from loguru import logger

from bxcore.paths import Paths, find
from bxio.claim import Claim, ClaimError, claim
from bxio.embedded_honcho import EmbeddedHoncho


@pytest.fixture(autouse=True)
def no_sinks_left() -> Iterator[None]:
    yield
    logger.remove()


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return find({}, cwd=tmp_path, home=str(tmp_path / "home"))


def take(paths: Paths) -> Claim:
    return claim(paths, log_level="info", honcho=EmbeddedHoncho)


def test_a_claim_makes_the_folders_and_opens_what_is_in_them(paths: Paths) -> None:
    taken = take(paths)
    try:
        assert (paths.state / "honcho.sqlite").exists()
        assert paths.run.is_dir()
        assert taken.lock.held
    finally:
        taken.release()
    assert not taken.lock.held


def test_a_claimed_box_is_refused_to_a_second_one_and_free_after_the_release(paths: Paths) -> None:
    first = take(paths)
    with pytest.raises(ClaimError, match="another boxmaker"):
        take(paths)
    first.release()
    take(paths).release()


def test_a_real_server_needs_no_embedded_one(paths: Paths) -> None:
    taken = claim(paths, log_level="info", honcho=None)
    taken.release()
    assert taken.embedded_honcho is None
    assert not (paths.state / "honcho.sqlite").exists()


def test_a_damaged_database_is_one_sentence_and_gives_the_box_back(paths: Paths) -> None:
    paths.state.mkdir(parents=True, mode=0o700)
    (paths.state / "honcho.sqlite").write_bytes(b"this is no database" * 1000)
    with pytest.raises(ClaimError, match=r"honcho\.sqlite is damaged"):
        take(paths)
    (paths.state / "honcho.sqlite").unlink()
    take(paths).release()


def test_a_state_of_a_newer_version_is_refused(paths: Paths) -> None:
    paths.state.mkdir(parents=True, mode=0o700)
    (paths.state / "schema").write_text("99\n")
    with pytest.raises(ClaimError, match="schema version 99"):
        take(paths)


def test_a_log_folder_that_is_a_file_is_one_sentence(paths: Paths) -> None:
    paths.log.parent.mkdir(parents=True, mode=0o700)
    paths.log.write_text("")
    with pytest.raises(ClaimError, match=r"log cannot be used: file exists"):
        take(paths)
