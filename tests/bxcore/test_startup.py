from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.paths import PROGRAM, find
from bxcore.startup import examine, needs_sandbox, owners_grants


def test_a_box_without_any_file_is_well(tmp_path: Path) -> None:
    examined = examine(find({}, cwd=tmp_path, home=str(tmp_path)), {}, cwd=tmp_path)
    assert examined.problems == ()
    assert examined.settings is not None


def test_problems_of_configuration_secrets_and_grants_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_text(
        '[model]\nurl = "embedded"\napi_key_file = "missing"\n[loop]\nmax_rounds = 8\n'
    )
    (tmp_path / "grants").mkdir()
    (tmp_path / "grants" / "mine.toml").write_text('tool = "recall"\nmode = "auto"\n')
    examined = examine(find({}, cwd=tmp_path, home=str(tmp_path)), {}, cwd=tmp_path)
    told = [str(problem) for problem in examined.problems]
    assert [line.split(": ")[0] for line in told] == [
        f"{tmp_path}/boxmaker.toml:3",
        f"{tmp_path}/grants/mine.toml:1",
    ]
    assert "the policy of recall, memory and ask_memory is built in; remove this grant" in told[1]


def test_a_configuration_that_cannot_be_read_has_no_settings_and_its_grants_are_checked_all_the_same(
    tmp_path: Path,
) -> None:
    (tmp_path / "boxmaker.toml").write_text("[loop]\nmax_round = 8\n")
    (tmp_path / "grants").mkdir()
    (tmp_path / "grants" / "Bad.toml").write_text('tool = "shell"\nmode = "auto"\n')
    examined = examine(find({}, cwd=tmp_path, home=str(tmp_path)), {}, cwd=tmp_path)
    assert examined.settings is None
    assert {Path(problem.file).name for problem in examined.problems} == {"boxmaker.toml", "Bad.toml"}


def test_a_folder_of_grants_that_was_named_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_text('[broker]\ngrants = "nowhere"\n')
    examined = examine(find({}, cwd=tmp_path, home=str(tmp_path)), {}, cwd=tmp_path)
    assert [problem.file for problem in examined.problems] == [str(tmp_path / "nowhere")]


def test_a_usual_socket_whose_path_is_too_long_is_a_problem_and_a_shorter_one_takes_its_place(
    tmp_path: Path,
) -> None:
    home = tmp_path / ("x" * 110)
    home.mkdir()
    paths = find({}, cwd=tmp_path, home=str(home))
    (told,) = examine(paths, {}, cwd=tmp_path).problems
    assert told.file == str(paths.run)
    assert "Linux takes 107" in told.problem
    (home / "boxmaker.toml").write_text('[control]\nsocket = "/run/boxmaker/control.sock"\n')
    assert examine(paths, {}, cwd=tmp_path).problems == ()


@pytest.mark.parametrize(
    ("grant", "needed"),
    [
        ('tool = "read_file"\nmode = "auto"\n', True),
        ('tool = "write_file"\nmode = "ask"\n', True),
        ('tool = "shell"\nmode = "auto"\n', True),
        ('tool = "shell"\nmode = "deny"\n', False),
        ('tool = "http_fetch"\nmode = "auto"\nhosts = ["example.org"]\n', False),
        (None, False),
    ],
)
def test_a_sandbox_is_needed_when_a_grant_permits_what_runs_in_one(
    tmp_path: Path, grant: str | None, *, needed: bool
) -> None:
    paths = find({}, cwd=tmp_path, home=str(tmp_path))
    if grant is not None:
        (tmp_path / "grants").mkdir()
        (tmp_path / "grants" / "mine.toml").write_text(grant)
    assert needs_sandbox(None, paths) is needed


@pytest.mark.parametrize("mode", ["read_file", "write_file"])
def test_no_grant_holds_the_boxs_own_program(tmp_path: Path, mode: str) -> None:
    paths = find({}, cwd=tmp_path, home=str(tmp_path))
    paths.grants.mkdir()
    for place in PROGRAM:
        (paths.grants / "mine.toml").write_text(f'tool = "{mode}"\nmode = "auto"\npaths = ["{place}"]\n')
        (problem,) = owners_grants(None, paths).problems
        assert "which is the box's own; name a folder apart from it" in problem.problem


def test_no_grant_holds_a_file_of_a_secret(tmp_path: Path) -> None:
    paths = find({}, cwd=tmp_path, home=str(tmp_path / "home"))
    paths.grants.mkdir(parents=True)
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "token").write_text("tell-nobody-0123456789")
    paths.config_file.write_text(
        f'[honcho]\nurl = "http://127.0.0.1:1"\ntoken_file = "{secrets / "token"}"\n'
    )
    grant = paths.grants / "mine.toml"
    grant.write_text(f'tool = "read_file"\nmode = "auto"\npaths = ["{secrets}"]\n')
    (problem,) = examine(paths, {}, cwd=tmp_path).problems
    assert (problem.file, problem.line) == (str(grant), 3)
    assert f"meets {secrets / 'token'}, which is the box's own" in problem.problem


def test_no_grant_holds_the_folder_of_credentials(tmp_path: Path) -> None:
    (tmp_path / "credentials").mkdir()
    environ = {"CREDENTIALS_DIRECTORY": str(tmp_path / "credentials")}
    paths = find(environ, cwd=tmp_path, home=str(tmp_path / "home"))
    paths.grants.mkdir(parents=True)
    (paths.grants / "mine.toml").write_text(
        f'tool = "read_file"\nmode = "auto"\npaths = ["{tmp_path / "credentials"}"]\n'
    )
    (problem,) = owners_grants(None, paths).problems
    assert "which is the box's own" in problem.problem
