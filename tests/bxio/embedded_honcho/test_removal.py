from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bxio.embedded_honcho import EmbeddedHoncho, database
from bxio.honcho import HonchoClient, HonchoServer, NewMessage

WORDS = ("zanzibar", "marmalade", "quicksilver")
SECRET = "The " + " ".join(WORDS) + " is under the floor."
FAR_S = 1e9


@pytest.fixture(params=["delete", "wal"])
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a database with either of the journals that a file may get, and named for it."""
    monkeypatch.setattr(database, "journal_mode", lambda: request.param)
    folder = tmp_path / str(request.param)
    folder.mkdir()
    return folder


@pytest.fixture
def honcho(home: Path) -> Iterator[EmbeddedHoncho]:
    server = EmbeddedHoncho(home / "honcho.sqlite", agent="boxmaker")
    yield server
    server.close()


def client(honcho: EmbeddedHoncho) -> HonchoClient:
    return HonchoClient(HonchoServer(transport=honcho.transport))


def say(honcho: EmbeddedHoncho, session: str, /, *contents: str, **metadata: object) -> None:
    messages = [NewMessage(peer="ann", content=content, metadata=metadata) for content in contents]
    client(honcho).append("w", session, messages, FAR_S)


def traces(home: Path) -> list[str]:
    """The words of the secret that any file of the database holds, also in part."""
    data = b"".join(file.read_bytes() for file in sorted(home.glob("honcho.sqlite*"))).lower()
    return [word for word in WORDS if word[:7].encode() in data]


def test_a_deleted_session_is_gone_from_lists_search_and_chat(honcho: EmbeddedHoncho) -> None:
    say(honcho, "s", SECRET)
    say(honcho, "t", "The kettle is on the stove.")
    asked = client(honcho)
    assert asked.chat("w", "where is the marmalade", FAR_S) is not None
    asked.delete_session("w", "s", FAR_S)
    assert asked.find("w", "s", {}, FAR_S) == []
    assert asked.search("w", "marmalade", 10, FAR_S) == []
    assert asked.chat("w", "where is the marmalade", FAR_S) is None
    assert [message.session_id for message in asked.search("w", "kettle", 10, FAR_S)] == ["t"]
    assert asked.queue_status("w", FAR_S).pending_work_units == 0


def test_a_session_of_that_name_in_another_workspace_stays(honcho: EmbeddedHoncho) -> None:
    asked = client(honcho)
    for workspace in ("w", "other"):
        asked.append(workspace, "s", [NewMessage(peer="ann", content=SECRET)], FAR_S)
    asked.delete_session("w", "s", FAR_S)
    assert asked.search("w", "zanzibar", 5, FAR_S) == []
    assert len(asked.search("other", "zanzibar", 5, FAR_S)) == 1


def test_a_session_may_be_deleted_twice_and_begun_again(honcho: EmbeddedHoncho) -> None:
    asked = client(honcho)
    say(honcho, "s", SECRET)
    asked.delete_session("w", "s", FAR_S)
    asked.delete_session("w", "s", FAR_S)
    asked.delete_session("nowhere", "s", FAR_S)
    say(honcho, "s", "The kettle is on the stove.")
    assert [message.content for message in asked.find("w", "s", {}, FAR_S)] == ["The kettle is on the stove."]


def test_what_was_forgotten_is_in_no_file_while_the_server_runs(honcho: EmbeddedHoncho, home: Path) -> None:
    filler = [f"The shelf number {number} holds {number * 7} jars of plums." for number in range(100)]
    for session in ("a", "b", "c"):
        say(honcho, session, *filler)
        say(honcho, "s", SECRET, SECRET, note=SECRET)
        client(honcho).search("w", "plums", 3, FAR_S)
    assert traces(home) == list(WORDS)
    client(honcho).delete_session("w", "s", FAR_S)
    assert traces(home) == []
    assert len(client(honcho).find("w", "a", {}, FAR_S)) == 100


def test_a_long_message_is_forgotten_to_its_last_page(honcho: EmbeddedHoncho, home: Path) -> None:
    say(honcho, "s", f"{'jars of plums, ' * 1_600}{SECRET}")
    assert traces(home) == list(WORDS)
    client(honcho).delete_session("w", "s", FAR_S)
    assert traces(home) == []


def test_the_room_of_what_was_forgotten_is_used_again(honcho: EmbeddedHoncho, home: Path) -> None:
    def size() -> int:
        return (home / "honcho.sqlite").stat().st_size

    filler = [f"The shelf number {number} holds plums. " * 20 for number in range(100)]
    sizes = []
    for _ in range(6):
        say(honcho, "s", *filler)
        client(honcho).delete_session("w", "s", FAR_S)
        sizes.append(size())
    assert sizes[-1] <= sizes[1], sizes


def test_metadata_finds_the_turns_of_one_log_alone(honcho: EmbeddedHoncho) -> None:
    for log in ("", "aa", "bb"):
        say(honcho, "s", f"said in {log}", session="s", log=log, turn=1, part=1)
    found = client(honcho).find("w", "s", {"session": "s", "log": "aa", "turn": 1}, FAR_S)
    assert [message.content for message in found] == ["said in aa"]
    assert len(client(honcho).find("w", "s", {"session": "s", "turn": 1}, FAR_S)) == 3


DELETES = """
import os, sys
from pathlib import Path
from bxio.embedded_honcho import EmbeddedHoncho, database
from bxio.honcho import HonchoClient, HonchoServer
database.journal_mode = lambda: sys.argv[2]
honcho = EmbeddedHoncho(Path(sys.argv[1]), agent="boxmaker")
HonchoClient(HonchoServer(transport=honcho.transport)).delete_session("w", "s", 1e9)
print("gone", flush=True)
os.kill(os.getpid(), 9)
"""


def test_a_deletion_that_was_answered_outlives_a_kill(home: Path) -> None:
    first = EmbeddedHoncho(home / "honcho.sqlite", agent="boxmaker")
    say(first, "s", SECRET)
    first.close()
    command = [sys.executable, "-c", DELETES, str(home / "honcho.sqlite"), home.name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.stdout, done.returncode) == ("gone\n", -9), done.stderr
    assert traces(home) == []
    again = EmbeddedHoncho(home / "honcho.sqlite", agent="boxmaker")
    assert client(again).search("w", "zanzibar", 5, time.monotonic() + 20) == []
    again.close()


@pytest.mark.parametrize("home", ["wal"], indirect=True)
def test_pages_that_a_kill_left_in_the_log_are_gone_after_the_next_start(home: Path) -> None:
    first = EmbeddedHoncho(home / "honcho.sqlite", agent="boxmaker")
    say(first, "s", SECRET)
    log = home / "honcho.sqlite-wal"
    left, data = log.read_bytes(), (home / "honcho.sqlite").read_bytes()
    assert WORDS[0].encode() in left
    first.close()
    (home / "honcho.sqlite").write_bytes(data)
    log.write_bytes(left)
    again = EmbeddedHoncho(home / "honcho.sqlite", agent="boxmaker")
    assert len(client(again).search("w", "zanzibar", 5, FAR_S)) == 1
    assert log.stat().st_size == 0
    again.close()
