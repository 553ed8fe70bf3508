from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from loguru import logger

from actors.base import Runtime
from actors.box_facts import BoxFacts
from actors.box_parts import Parts
from bxcore.config import Secrets, Settings
from bxcore.honcho_tokens import BadToken
from bxcore.paths import Paths, find
from bxio.claim import Claim, claim


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return find({}, cwd=tmp_path, home=str(tmp_path))


@pytest.fixture
def taken(paths: Paths) -> Iterator[Claim]:
    found = claim(paths, log_level="info", honcho=None)
    yield found
    found.release()
    logger.remove()


def parts(runtime: Runtime, taken: Claim, paths: Paths, token: str) -> Parts:
    return Parts(
        runtime=runtime,
        settings=Settings.model_validate({"honcho": {"url": "http://127.0.0.1:9"}}),
        secrets=Secrets(honcho_token=token),
        paths=paths,
        claim=taken,
        started_s=0.0,
        facts=BoxFacts(runtime),
    )


def test_a_name_has_one_mailbox(runtime: Runtime, taken: Claim, paths: Paths) -> None:
    made = parts(runtime, taken, paths, "")
    assert made.box("memory") is made.box("memory")
    assert made.box("memory").name == "memory"


def test_the_honcho_is_asked_with_the_token_which_is_never_shown(
    runtime: Runtime, taken: Claim, paths: Paths
) -> None:
    made = parts(runtime, taken, paths, "hunter2")
    assert "hunter2" not in repr(made)
    assert "hunter2" not in repr(made.honcho())
    with pytest.raises(BadToken):
        parts(runtime, taken, paths, "a=one,a=two").honcho()
