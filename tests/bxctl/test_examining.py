"""What doctor sees by itself."""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import Namespace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bxcore.config import Settings
from bxcore.config.settings import ContainersTable, MemoryTable
from bxcore.control import Exit
from bxcore.doctor import GET_IMAGE, Verdict
from bxcore.grants import Grant, Mode
from bxcore.paths import find
from bxctl import image_process
from bxctl.examining import configuration, folders, machine
from bxctl.examining.memory_files import memory_checks

NOT_ACCEPTED = "it cannot promise memory-limit, so no tool runs in it until you accept that"


def containers(**fields: object) -> Settings:
    return Settings(containers=ContainersTable.model_validate(fields))


def unasked() -> tuple[Exit, str]:
    raise AssertionError("nobody needs to know of the image")


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The programs that this machine has, and what each says of itself."""
    programs: dict[str, str] = {}

    def version(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0, programs[command[0]], "")

    monkeypatch.setattr("shutil.which", lambda name: name if name in programs else None)
    monkeypatch.setattr("subprocess.run", version)
    return programs


def test_neither_backend_is_here(there: dict[str, str]) -> None:
    assert there == {}
    first = next(machine.sandbox_checks(None, unasked))
    assert first.verdict is Verdict.WARN
    assert first.help is not None
    assert first.help.startswith("apt-get install podman")


@pytest.mark.parametrize(
    ("wanted", "has", "verdict", "sentence"),
    [
        ("auto", ("bwrap",), Verdict.WARN, f"bwrap 1; {NOT_ACCEPTED}"),
        ("bubblewrap", ("bwrap", "podman"), Verdict.WARN, f"bwrap 1; {NOT_ACCEPTED}"),
        ("auto", ("bwrap", "podman"), Verdict.OK, "podman 1, bwrap 1; a start proves what it promises"),
        ("podman", ("bwrap",), Verdict.BAD, "[containers] backend is podman, and it is not here"),
        ("bubblewrap", ("podman",), Verdict.BAD, "[containers] backend is bubblewrap, and it is not here"),
        ("none", ("podman",), Verdict.WARN, "[containers] backend is none, so files and shell are refused"),
    ],
)
def test_what_is_here_is_held_to_what_is_wanted(
    there: dict[str, str], wanted: str, has: tuple[str, ...], verdict: Verdict, sentence: str
) -> None:
    there.update({name: f"{name} 1\n" for name in has})
    first = next(machine.sandbox_checks(containers(backend=wanted), unasked))
    assert (first.verdict, first.sentence) == (verdict, sentence)


def test_bubblewrap_alone_is_told_the_line_that_accepts_what_it_lacks(there: dict[str, str]) -> None:
    there["bwrap"] = "bwrap 1\n"
    first = next(machine.sandbox_checks(containers(accept=["pids-limit"]), unasked))
    assert first.help is not None
    assert first.help.startswith('[containers] accept = ["memory-limit", "pids-limit"] in boxmaker.toml')
    accepted = next(machine.sandbox_checks(containers(accept=["memory-limit"]), unasked))
    assert (accepted.verdict, accepted.sentence) == (
        Verdict.OK,
        "bwrap 1; a start proves what it promises",
    )


@pytest.mark.parametrize(
    ("image", "ended", "expected"),
    [
        (None, Exit.OK, (Verdict.OK, "said", None)),
        (None, Exit.NO_SUCH_THING, (Verdict.WARN, "said", GET_IMAGE)),
        ("localhost/x", Exit.NO_SUCH_THING, (Verdict.BAD, "said", None)),
        (None, Exit.TIMED_OUT, (Verdict.WARN, "it could not be looked for: said", None)),
    ],
)
def test_the_image_is_looked_for(
    there: dict[str, str], image: str | None, ended: Exit, expected: tuple[Verdict, str, str | None]
) -> None:
    there["podman"] = "podman 1\n"
    found = machine.sandbox_checks(containers(image=image), lambda: (ended, "said"))
    check = next(each for each in found if each.name == "image")
    assert (check.verdict, check.sentence, check.help) == expected


def test_no_image_is_looked_for_where_podman_is_not_wanted(there: dict[str, str]) -> None:
    there["podman"] = "podman 1\n"
    names = {check.name for check in machine.sandbox_checks(containers(backend="bubblewrap"), unasked)}
    assert "image" not in names


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("print('localhost/t ab12')", (Exit.OK, "localhost/t ab12")),
        ("import sys; sys.stderr.write('none\\n'); sys.exit(4)", (Exit.NO_SUCH_THING, "none")),
        ("raise ValueError('odd')", (Exit.FAILED, "ValueError: odd")),
        ("import os; os.kill(os.getpid(), 9)", (Exit.FAILED, "podman was asked for the image in vain")),
        ("import select; select.select([], [], [], 20)", (Exit.TIMED_OUT, "podman did not say within 0 s")),
    ],
)
def test_how_looking_for_the_image_ended(
    monkeypatch: pytest.MonkeyPatch, code: str, found: tuple[Exit, str]
) -> None:
    monkeypatch.setattr(image_process, "module_command", lambda *_: [sys.executable, "-c", code])
    monkeypatch.setattr(machine, "LOOK_S", 0.4 if found[0] is Exit.TIMED_OUT else 20)
    ended, said = machine.look_for_image(Namespace(home=None, config=None))
    assert (ended, said[: len(found[1])]) == found


def test_a_program_that_does_not_say_its_version_is_here_all_the_same(
    there: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    there["podman"] = ""
    assert next(machine.sandbox_checks(None, unasked)).sentence.startswith(
        "podman, which does not say its version"
    )

    def hang(command: list[str], **_: object) -> None:
        raise subprocess.TimeoutExpired(command, 5)

    monkeypatch.setattr("subprocess.run", hang)
    assert next(machine.sandbox_checks(None, unasked)).sentence.startswith(
        "podman, which does not say its version"
    )


def test_the_state_folder(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    assert configuration.state_check(folder).sentence.endswith("is not there yet, the first start makes it")
    folder.mkdir(mode=0o700)
    assert configuration.state_check(folder).verdict is Verdict.OK
    folder.chmod(0o750)
    check = configuration.state_check(folder)
    assert (check.verdict, check.help) == (Verdict.WARN, f"chmod 700 {folder}")


def test_a_state_folder_without_room_or_without_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setattr(configuration, "LEAST_FREE_MB", 1 << 40)
    check = configuration.state_check(tmp_path)
    assert (check.verdict, check.help) == (Verdict.WARN, "free some space")
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert configuration.state_check(tmp_path).verdict is Verdict.BAD
    (tmp_path / "file").write_text("")
    assert configuration.state_check(tmp_path / "file" / "state").verdict is Verdict.BAD


def test_the_owner_s_grants_are_counted(tmp_path: Path) -> None:
    paths = find({}, cwd=tmp_path, home=str(tmp_path))
    settings, problems = configuration.settings_of(paths)
    first, second = configuration.configuration_checks(paths, settings, problems)
    assert (first.sentence, first.help) == (
        "no file, the defaults hold",
        "boxmaker init writes one with comments",
    )
    assert second.sentence.startswith("none of yours in ")
    (tmp_path / "grants").mkdir()
    (tmp_path / "notes").mkdir()
    for name in ("a", "b"):
        text = f'tool = "read_file"\nmode = "auto"\npaths = ["{tmp_path}/notes"]\n'
        (tmp_path / "grants" / f"{name}.toml").write_text(text)
    _, counted = configuration.configuration_checks(paths, settings, problems)
    assert counted.sentence == "2 grants of yours: 2 for read_file"


STRANGER = 43_210


@pytest.mark.parametrize(
    ("fields", "mode", "cannot"),
    [
        ({"tool": "read_file"}, 0o755, None),
        ({"tool": "read_file"}, 0o750, "read"),
        ({"tool": "write_file", "read_only": False}, 0o755, "write"),
        ({"tool": "write_file", "read_only": False}, 0o777, None),
        ({"tool": "shell"}, 0o755, None),
        ({"tool": "shell", "read_only": False}, 0o755, "write"),
        ({"tool": "shell", "read_only": False, "mode": Mode.DENY}, 0o750, None),
        ({"tool": "read_file", "expires": datetime(2001, 1, 1, tzinfo=UTC)}, 0o750, None),
    ],
)
def test_a_folder_that_the_tools_user_cannot_use_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any], mode: int, cannot: str | None
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
    monkeypatch.setattr(os, "getegid", lambda: STRANGER)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes").chmod(mode)
    grant = Grant(**{"id": "n", "mode": Mode.AUTO, "text": "", "paths": (f"{tmp_path}/notes",), **fields})
    found = [(check.verdict, check.sentence) for check in folders.folder_checks([grant], None)]
    sentence = f"n: {grant.tool} runs as user {STRANGER} and may not {cannot} {tmp_path}/notes"
    assert found == ([] if cannot is None else [(Verdict.WARN, sentence)])


@pytest.mark.parametrize(("backend", "by_owner"), [("podman", True), ("bubblewrap", False)])
def test_a_box_of_root_s_is_the_folder_s_owner_in_podman_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: dict[str, str], backend: str, *, by_owner: bool
) -> None:
    there["podman"] = "podman 1\n"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "getegid", lambda: 0)
    found_there = SimpleNamespace(st_uid=STRANGER, st_gid=STRANGER, st_mode=0o700)
    monkeypatch.setattr(folders, "Path", lambda _: SimpleNamespace(stat=lambda: found_there))
    grant = Grant(id="n", tool="read_file", mode=Mode.AUTO, text="", paths=("/srv/notes",))
    found = [check.help for check in folders.folder_checks([grant], containers(backend=backend))]
    advice = "chown -R 1000 /srv/notes, or run the box as the folder's owner (no root)"
    assert found == ([] if by_owner else [advice])


def test_memory_files_that_no_edit_can_change_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    assert list(memory_checks(None, tmp_path)) == []
    (folder / "user.md").write_bytes(b"\xff\xfe x")
    (folder / "memory.md").write_text("x" * 2200)
    (folder / "notes.md").symlink_to(tmp_path / "own.md")
    (tmp_path / "own.md").write_text("fine")
    memory, user, notes = memory_checks(None, tmp_path)
    assert (user.verdict, user.help) == (Verdict.WARN, "save it as UTF-8")
    assert memory.sentence.endswith("memory.md holds 2201 of 2200 characters, so nothing is added to it")
    assert (notes.verdict, notes.sentence) == (
        Verdict.OK,
        f"{folder / 'notes.md'} is a link to {tmp_path / 'own.md'}",
    )
    (tmp_path / "own.md").unlink()
    (tmp_path / "own.md").mkdir()
    assert [check.verdict for check in memory_checks(None, tmp_path)][-1] is Verdict.WARN


def test_the_memory_folder_of_the_configuration_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "user.md").write_bytes(b"\xff")
    settings = Settings(memory=MemoryTable(folder=tmp_path / "own"))
    assert [check.verdict for check in memory_checks(settings, tmp_path)] == [Verdict.WARN]
