"""Drivers of the files that are written whole: memory's, forgotten logs, whole results, the state's."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bxcore import memory_entries
from bxcore.errors import SentenceError, system_reason
from bxcore.labels import Label, Level
from bxcore.memory_entries import Edited
from bxcore.paths import find as paths_of
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User
from bxio import log_rewriting, state_folder, whole_results
from bxio.claim import claim
from bxio.instance_lock import InstanceLock
from bxio.memory_files import OPERATOR, Editor, MemoryFiles
from bxio.session_store import SessionStore
from tools.faults.driver import missing, tried

TIMES = range(1, 5)
"""Things that a driver does, by number."""
HIDDEN = "marmalade"
"""What is to be forgotten."""
STRANGER = Editor(who="session", session="k3f", turn=1, label=Label(Level.PRIVATE, untrusted=True))


def _memory_files(folder: Path) -> MemoryFiles:
    return MemoryFiles.open(folder / "memory", lambda: "2026-11-02T10:00:00Z")


def _add(files: MemoryFiles, text: str, editor: Editor) -> None:
    edited = files.edit("notes", lambda entries: memory_entries.add("notes", entries, text), editor)
    if not isinstance(edited, Edited):
        raise SentenceError(edited.sentence)


def memory(folder: Path) -> Iterator[int]:
    """Notes, some of them a stranger's."""
    files = _memory_files(folder)
    for number in TIMES:
        editor = STRANGER if number % 2 else OPERATOR
        yield from tried(number, partial(_add, files, f"entry {number}", editor))


def memory_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """Every entry with its label, none that came from nowhere, and room for more."""
    files = _memory_files(folder)
    entries = files.entries("notes")
    yield from missing(acknowledged, [int(entry.text.split()[1]) for entry in entries])
    for entry in entries:
        if entry.label.untrusted != bool(int(entry.text.split()[1]) % 2):
            yield f"{entry.text} has the label {entry.label}"
        origin = files.known.origin("notes", entry.text)
        if origin is None or origin.who == "hand":
            yield f"{entry.text} came from {origin}"
    _add(files, "entry 99", OPERATOR)
    files.close()


def notes_to_forget(folder: Path) -> None:
    """Three notes, the middle one to be forgotten."""
    files = _memory_files(folder)
    for text in ("tea", HIDDEN, "cake"):
        _add(files, text, STRANGER)
    files.close()


def forget_note(folder: Path) -> Iterator[int]:
    """Forget a note in the files and in every revision."""
    yield from tried(1, lambda: _memory_files(folder).forget(lambda text: HIDDEN in text))


def forget_note_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """As before or as it is to be; forgetting again leaves it nowhere, and the labels stay."""
    files = _memory_files(folder)
    texts = files.texts("notes")
    if texts not in (("tea", HIDDEN, "cake"), ("tea", "cake")):
        yield f"the notes are neither as before nor as they are to be: {texts}"
    if acknowledged:
        yield from _left(folder)
    files.forget(lambda text: HIDDEN in text)
    yield from _left(folder)
    if any(not entry.label.untrusted for entry in files.entries("notes")):
        yield "a label is lost"
    files.close()


def _left(folder: Path) -> Iterator[str]:
    """No file holds what is forgotten."""
    held = [path for path in folder.rglob("*") if path.is_file() and HIDDEN.encode() in path.read_bytes()]
    if held:
        yield f"it is forgotten and there: {[path.name for path in held]}"


def talk(folder: Path) -> None:
    """A session whose second turn is to be forgotten, with a whole result of that turn."""
    opened = SessionStore(folder / "sessions").open("k3f")
    opened.append([SessionStart(baseline="", log="l")])
    for number, text in enumerate(("tea", HIDDEN, "cake"), 1):
        call = ToolCall(id=f"t{number}c1", name="recall", arguments="{}")
        result = ToolResult(
            call=call.id, tool="recall", content=text, ok=True, level=Level.PRIVATE, untrusted=False
        )
        asked = Assistant(content="", tool_calls=(call,))
        turn: list[Record] = [User(text=text), asked, result, Assistant(content=f"so {text}"), Usage()]
        opened.append(turn)
        whole_results.keep(folder / "sessions" / "k3f", call.id, f"the whole of {text}")
    opened.close()


def forget_turn(folder: Path) -> Iterator[int]:
    """Forget one turn of a log."""
    yield from tried(1, lambda: log_rewriting.forget_turns(folder / "sessions" / "k3f", (2,)))


def forget_turn_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """As before or as it is to be; forgetting again leaves it nowhere."""
    store = SessionStore(folder / "sessions")
    texts = [record.text for record in store.read("k3f") if isinstance(record, User)]
    if texts not in (["tea", HIDDEN, "cake"], ["tea", "(forgotten)", "cake"]):
        yield f"the log is neither as before nor as it is to be: {texts}"
    if acknowledged:
        yield from _left(folder)
    log_rewriting.forget_turns(folder / "sessions" / "k3f", (2,))
    yield from _left(folder)
    if not whole_results.place(folder / "sessions" / "k3f", "t3c1").is_file():
        yield "another turn's whole result is gone"


def forget_session(folder: Path) -> Iterator[int]:
    """Take a session away whole."""
    yield from tried(1, lambda: log_rewriting.forget_session(folder / "sessions" / "k3f"))


def forget_session_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """It is there whole, or gone; the start's sweep and forgetting again leave nothing."""
    sessions = folder / "sessions"
    store = SessionStore(sessions)
    texts = [record.text for record in store.read("k3f") if isinstance(record, User)]
    if texts not in ([], ["tea", HIDDEN, "cake"]):
        yield f"half of it is there: {texts}"
    if acknowledged:
        yield from _left(folder)
    log_rewriting.sweep(sessions)
    if not texts:
        yield from _left(folder)
    log_rewriting.forget_session(sessions / "k3f")
    yield from _left(folder)


def results(folder: Path) -> Iterator[int]:
    """Whole results, of which the oldest have to make room."""
    for number in TIMES:
        text = _whole(number)
        yield from tried(number, partial(_keep, folder, f"t{number}c1", text))


def _keep(folder: Path, call: str, text: str) -> None:
    try:
        whole_results.keep(folder, call, text, most_bytes=2 * len(text))
    except OSError as error:  # as the session says it
        raise SentenceError(f"the whole result was not kept: {system_reason(error)}") from None


def _whole(number: int) -> str:
    return f"result {number} " + "x" * 20_000


def results_are(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """The newest that was kept is whole, no half one is there under its name, and the bound is held."""
    for number in TIMES:
        path = whole_results.place(folder, f"t{number}c1")
        newest = number == max(acknowledged, default=0)
        if newest and not path.is_file():
            yield f"result {number} was kept and is gone"
        if path.is_file() and path.read_text() != _whole(number):
            yield f"result {number} is not whole"
    whole_results.keep(folder, "t9c1", _whole(9), most_bytes=2 * len(_whole(9)))
    left = sorted(path.name for path in (folder / whole_results.FOLDER).iterdir())
    if len(left) > 2 or any(name.startswith(".") for name in left):  # noqa: PLR2004 - of the bound
        yield f"the bound is not held: {left}"


def state(folder: Path) -> Iterator[int]:
    """The state folder with its version, and the lock of the one process on it."""
    paths = paths_of({}, cwd=folder, home=str(folder))
    yield from tried(1, lambda: claim(paths, log_level="INFO", honcho=None))


def state_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """The next start finds a folder that it knows."""
    if 1 in acknowledged and (folder / "state" / "schema").read_text() != f"{state_folder.SCHEMA}\n":
        yield "the version is not what was written"
    state_folder.open_state(folder / "state")
    lock = InstanceLock(folder / "state")
    lock.take()
    lock.release()
    shutil.rmtree(folder / "state")
