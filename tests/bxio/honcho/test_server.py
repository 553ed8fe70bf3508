from __future__ import annotations

import pytest

from bxio.honcho.server import BadName, BadToken, HonchoServer, session_path, workspace_path


@pytest.mark.parametrize("name", ["", "a b", "a/b", "..", "a?b", "é", "x" * 513, "a\n"])
def test_no_url_is_built_of_a_name_that_honcho_does_not_take(name: str) -> None:
    with pytest.raises(BadName):
        workspace_path(name)
    with pytest.raises(BadName):
        session_path("w", name)


def test_a_name_of_512_is_taken() -> None:
    assert workspace_path("x" * 512, "chat") == f"/v3/workspaces/{'x' * 512}/chat"


@pytest.mark.parametrize("token", ["a b", "tökén", "a\nb"])
def test_a_token_that_no_header_can_carry_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(BadToken) as caught:
        HonchoServer(token=token)
    assert token not in str(caught.value)


def test_a_token_is_never_shown() -> None:
    assert "hush" not in repr(HonchoServer(token="hush"))
