"""Sessions on disk: private, listed without being read, and refused in a sentence when something is wrong."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from bxcore.records import Assistant, SessionStart, User
from bxio.session_store import SessionError, SessionStore

START = SessionStart(baseline="0" * 64)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions")


def test_a_new_session_is_private_and_empty(store: SessionStore) -> None:
    session = store.open("k3f")
    assert (session.records, session.baseline(), session.torn_note) == ([], None, None)
    modes = [path.stat().st_mode & 0o777 for path in (store.folder, store.folder / "k3f")]
    assert modes == [0o700, 0o700]
    assert (store.folder / "k3f" / "0.jsonl").stat().st_mode & 0o777 == 0o600
    session.close()


def test_records_and_baseline_come_back_as_they_were(store: SessionStore) -> None:
    session = store.open("k3f")
    session.save_baseline(b'{"a": "\xc3\xbc"}\n')
    session.append([START])
    session.append([User(text="hi\u2028there", speaker="anna")])
    session.append([Assistant(content="hello")], sync=False)
    assert store.read("k3f") == tuple(session.records)
    session.close()
    again = store.open("k3f")
    assert again.records == [START, User(text="hi\u2028there", speaker="anna"), Assistant(content="hello")]
    assert again.baseline() == b'{"a": "\xc3\xbc"}\n'
    assert (store.folder / "k3f" / "baseline.json").stat().st_mode & 0o777 == 0o600
    again.close()


def test_a_session_is_open_once(store: SessionStore) -> None:
    session = store.open("k3f")
    with pytest.raises(SessionError, match="is open elsewhere"):
        store.open("k3f")
    session.close()
    store.open("k3f").close()


def test_a_torn_line_is_said_and_the_rest_is_kept(store: SessionStore) -> None:
    session = store.open("k3f")
    session.append([START])
    session.close()
    with (store.folder / "k3f" / "0.jsonl").open("ab") as raw:
        raw.write(b'{"crc":"12')
    assert store.read("k3f") == (START,)
    session = store.open("k3f")
    assert session.records == [START]
    assert session.torn_note == "10 bytes of a torn last line were cut and kept in 0.jsonl.torn-1"
    session.close()


def test_a_damaged_log_is_refused_by_open_and_read(store: SessionStore) -> None:
    session = store.open("k3f")
    session.append([START])
    session.append([User(text="hi")])
    session.close()
    log = store.folder / "k3f" / "0.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"schema":1', b'"schema":2'))
    for act in (store.open, store.read):
        with pytest.raises(SessionError, match="line 1 of the log is damaged"):
            act("k3f")


@pytest.mark.parametrize("name", ["", "-a", "_a", "A", "a/b", "..", "a.b", "a" * 65, "ä", "a\n"])
def test_a_bad_name_is_refused_with_a_sentence(store: SessionStore, name: str) -> None:
    for act in (store.open, store.read, store.exists):
        with pytest.raises(SessionError, match="a session's name has 1 to 64"):
            act(name)
    assert not store.folder.exists()


def test_a_session_that_is_not_there_reads_as_empty(store: SessionStore) -> None:
    assert (store.read("k3f"), store.exists("k3f"), store.list()) == ((), False, ())
    assert not store.folder.exists()


def test_a_folder_open_to_others_is_refused(store: SessionStore) -> None:
    store.open("k3f").close()
    (store.folder / "k3f").chmod(0o755)
    with pytest.raises(SessionError, match=r"the folder of session k3f cannot be used.*0700"):
        store.open("k3f")


def test_a_file_in_the_way_is_one_sentence(store: SessionStore) -> None:
    store.folder.mkdir()
    (store.folder / "k3f").touch()
    with pytest.raises(SessionError, match="the folder of session k3f cannot be used"):
        store.open("k3f")


def test_the_newest_sessions_are_listed_first_without_reading_them(store: SessionStore) -> None:
    for number, name in enumerate(("old", "newer", "newest")):
        store.open(name).close()
        log = store.folder / name / "0.jsonl"
        os.utime(log, (1000 + number, 1000 + number))
        log.chmod(0)
    (store.folder / "empty-folder").mkdir()
    (store.folder / "Not A Session").mkdir()
    assert [stored.session for stored in store.list()] == ["newest", "newer", "old"]
    assert [stored.session for stored in store.list(limit=2)] == ["newest", "newer"]
    assert store.list(limit=1)[0].updated_s == 1002


@pytest.mark.timeout(60)
def test_a_thousand_sessions_are_listed_without_a_log_being_read(store: SessionStore) -> None:
    """The bytes read are what must not grow with the logs, so no log can be read at all here."""
    store.folder.mkdir()
    for number in range(1_000):
        folder = store.folder / f"s{number}"
        folder.mkdir()
        (folder / "0.jsonl").symlink_to("/nowhere")
    assert len(store.list(limit=50)) == 50


def test_running_out_of_descriptors_anywhere_is_a_sentence_and_leaks_none(store: SessionStore) -> None:
    """One descriptor more in each round, until the session opens."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    refused = 0
    for spare in range(10):
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + spare, limits[1]))
        try:
            store.open("k3f").close()
            break
        except SessionError as error:
            refused += 1
            assert "Too many open files" in error.sentence  # noqa: PT017 - the loop ends when none is raised
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert refused >= 2
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    store.open("k3f").close()
