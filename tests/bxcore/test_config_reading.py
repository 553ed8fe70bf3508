from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.config import Secrets, read, read_secrets
from bxcore.config.reading import MAX_FILE_BYTES
from bxcore.paths import Paths, find

CWD = Path("/")


def paths(home: Path, *, config: str | None = None, credentials: Path | None = None) -> Paths:
    environ = {"CREDENTIALS_DIRECTORY": str(credentials)} if credentials else {}
    return find(environ, cwd=CWD, home=str(home), config=config)


def secrets(
    home: Path, environ: dict[str, str] | None = None, credentials: Path | None = None
) -> tuple[Secrets, list[str]]:
    where = paths(home, credentials=credentials)
    found = read(where, {}, cwd=CWD)
    assert found.settings is not None, found.problems
    values, problems = read_secrets(found.settings, where, environ or {}, found.origins)
    return values, [str(problem) for problem in problems]


def test_a_file_that_nobody_named_may_be_missing(tmp_path: Path) -> None:
    assert read(paths(tmp_path), {}, cwd=CWD).problems == ()


def test_a_file_that_somebody_named_may_not(tmp_path: Path) -> None:
    found = read(paths(tmp_path, config="/no/such.toml"), {}, cwd=CWD)
    assert [str(problem) for problem in found.problems] == [
        "/no/such.toml: there is no such file; write one with boxmaker init, or leave --config away"
    ]


def test_a_folder_in_place_of_a_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").mkdir()
    found = read(paths(tmp_path), {}, cwd=CWD)
    assert [problem.sentence for problem in found.problems] == ["cannot be read: is a directory"]


def test_a_huge_file_is_no_configuration(tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    found = read(paths(tmp_path), {}, cwd=CWD)
    assert [problem.sentence for problem in found.problems] == [
        "is larger than 1 MiB; this is no configuration"
    ]


def test_a_secret_comes_from_credentials_before_its_file_before_the_environment(tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_text("[model]\napi_key_file = 'key'\n")
    (tmp_path / "key").write_text("from-file\n")
    given = tmp_path / "given"
    given.mkdir()
    environ = {"BOXMAKER_MODEL__API_KEY": "from-environment", "BOXMAKER_HONCHO__TOKEN": "token"}
    assert secrets(tmp_path, environ)[0].model_api_key == "from-file"
    assert secrets(tmp_path, environ)[0].honcho_token == "token"
    (given / "model_api_key").write_text("from-systemd")
    assert secrets(tmp_path, environ, given)[0].model_api_key == "from-systemd"


def test_without_any_there_are_none(tmp_path: Path) -> None:
    values, problems = secrets(tmp_path)
    assert (values.model_api_key, values.honcho_token, problems) == (None, None, [])


@pytest.mark.parametrize("content", [b"", b"\n", b"one\ntwo", b"\xff\xfe", b"a\0b"])
def test_a_secret_is_one_line_of_text(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "boxmaker.toml").write_text("# first line\n[honcho]\ntoken_file = 'token'\n")
    (tmp_path / "token").write_bytes(content)
    values, problems = secrets(tmp_path)
    assert values.honcho_token is None
    assert len(problems) == 1
    assert problems[0].startswith(f"{tmp_path}/boxmaker.toml:3: honcho.token_file: names a file that ")


@pytest.mark.parametrize("between", [",", "\n"])
def test_honchos_token_may_be_one_a_workspace(tmp_path: Path, between: str) -> None:
    (tmp_path / "boxmaker.toml").write_text("[honcho]\ntoken_file = 'token'\n")
    (tmp_path / "token").write_text(f"agent=one{between}fleet=two\n")
    assert secrets(tmp_path) == (Secrets(honcho_token=f"agent=one{between}fleet=two"), [])


@pytest.mark.parametrize(
    "content", ["agent=one,agent=two", "one,two,agent=three", "agent=o\x01ne", "agent=one two"]
)
def test_a_honcho_token_that_no_request_can_carry_is_a_problem_and_not_shown(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / "boxmaker.toml").write_text("[honcho]\ntoken_file = 'token'\n")
    (tmp_path / "token").write_text(content)
    values, problems = secrets(tmp_path)
    assert values.honcho_token is None
    assert len(problems) == 1
    assert problems[0].startswith(f"{tmp_path}/boxmaker.toml:2: honcho.token_file: names a file that cannot")
    assert "=" not in problems[0].replace("WORKSPACE=TOKEN", "")


def test_a_secret_of_the_environment_is_looked_at_too(tmp_path: Path) -> None:
    environ = {"BOXMAKER_HONCHO__TOKEN": "a=one,a=two", "BOXMAKER_MODEL__API_KEY": "two words"}
    values, problems = secrets(tmp_path, environ)
    assert (values.model_api_key, values.honcho_token) == (None, None)
    assert [problem.partition(": ")[0] for problem in problems] == [
        "$BOXMAKER_MODEL__API_KEY",
        "$BOXMAKER_HONCHO__TOKEN",
    ]


def test_a_secrets_file_that_is_missing_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_text("[model]\n\napi_key_file = 'gone'\n")
    told = "names a file that is not there; make it, mode 0600, with the secret as its only line"
    assert secrets(tmp_path)[1] == [f"{tmp_path}/boxmaker.toml:3: model.api_key_file: {told}"]


def test_a_secret_is_in_no_repr(tmp_path: Path) -> None:
    values, _ = secrets(tmp_path, {"BOXMAKER_MODEL__API_KEY": "hunter2"})
    assert values.model_api_key == "hunter2"
    assert "hunter2" not in repr(values)


def test_the_interface_for_front_ends_is_not_opened_without_a_token(tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_text("# first line\n[api]\nlisten = '127.0.0.1:0'\n")
    values, problems = secrets(tmp_path)
    assert values.api_token is None
    assert [problem.partition(";")[0] for problem in problems] == [
        f"{tmp_path}/boxmaker.toml:3: api.listen: has no token beside it"
    ]
    values, problems = secrets(tmp_path, {"BOXMAKER_API__TOKEN": "x" * 16})
    assert (values.api_token, problems) == ("x" * 16, [])
    assert "x" * 16 not in repr(values)


def test_a_token_that_can_be_guessed_is_one_problem(tmp_path: Path) -> None:
    (tmp_path / "boxmaker.toml").write_text("[api]\nlisten = '127.0.0.1:0'\ntoken_file = 'token'\n")
    (tmp_path / "token").write_text("x" * 15)
    (problem,) = secrets(tmp_path)[1]
    assert problem.startswith(
        f"{tmp_path}/boxmaker.toml:3: api.token_file: names a file that is shorter than 16"
    )
    (tmp_path / "token").write_text("x" * 16)
    assert secrets(tmp_path)[0].api_token == "x" * 16
