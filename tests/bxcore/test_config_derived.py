from __future__ import annotations

from bxcore.config import Settings, derived
from bxcore.labels import Level


def test_the_waits_of_2_3_hold_by_default() -> None:
    waits = derived.waits(Settings())
    assert (waits.chat_s, waits.broker_ask_memory_s, waits.broker_memory_s) == (150.0, 170.0, 30.0)
    assert (waits.loop_for_ask_memory_s, waits.loop_call_s) == (180.0, 120.0)


def test_the_owner_s_two_numbers_are_in_the_table() -> None:
    settings = Settings.model_validate({"honcho": {"chat_wait_s": 200.0}, "broker": {"timeout_ms": 300_000}})
    waits = derived.waits(settings)
    assert (waits.chat_s, waits.loop_call_s, waits.loop_for_ask_memory_s) == (200.0, 300.0, 300.0)
    assert waits.broker_ask_memory_s > waits.chat_s


def test_the_workspaces_come_in_the_order_of_the_configuration() -> None:
    read = [
        {"agent": "b2", "workspace": "w2", "trusted": True, "class": "secret"},
        {"agent": "b1", "workspace": "w1"},
    ]
    settings = Settings.model_validate({"honcho": {"agent": "me", "fleet": "all", "read": read}})
    found = derived.readable(settings)
    assert [each.name for each in found] == ["own", "untrusted", "fleet", "b2", "b1"]
    assert [each.workspace for each in found] == ["me", "me-untrusted", "all", "w2", "w1"]
    assert [each.untrusted for each in found] == [False, True, True, False, True]
    assert found[3].level is Level.SECRET


def test_with_no_honcho_table_there_are_the_two_own_workspaces() -> None:
    found = derived.readable(Settings())
    assert [(each.name, each.workspace) for each in found] == [
        ("own", "boxmaker"),
        ("untrusted", "boxmaker-untrusted"),
    ]


def test_each_file_of_a_secret_is_known() -> None:
    text = {
        "model": {"api_key_file": "/s/1", "also": [{"url": "http://127.0.0.1:1/v1", "api_key_file": "/s/2"}]},
        "honcho": {"token_file": "/s/3"},
        "api": {"token_file": "/s/4"},
        "mcp": [{"name": "t", "command": ["t"], "env_files": {"A": "/s/5"}}],
    }
    found = derived.secret_files(Settings.model_validate(text))
    assert sorted(map(str, found)) == [f"/s/{number}" for number in range(1, 6)]
    assert derived.secret_files(Settings()) == ()
