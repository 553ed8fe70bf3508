from __future__ import annotations

import pytest

from bxio.login_name import login_name


def test_it_is_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "anna")
    assert login_name() == "anna"


def test_a_user_that_the_system_does_not_know_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 4_000_000_000)
    assert login_name() is None
