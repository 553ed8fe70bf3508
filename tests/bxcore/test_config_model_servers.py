"""``[model]`` and ``[[model.also]]``: several models in order of preference, each with the same keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.config import Secrets, Settings, SourceText, load, read_secrets
from bxcore.config.settings import ModelServerTable, ModelTable
from bxcore.paths import find


def loaded(text: str) -> tuple[Settings | None, list[str]]:
    found = load([SourceText(path=Path("/etc/b.toml"), content=text.encode())], {}, cwd=Path("/"))
    return found.settings, [str(problem) for problem in found.problems]


def test_each_has_the_keys_of_the_first_and_they_keep_their_order() -> None:
    assert set(ModelTable.model_fields) - set(ModelServerTable.model_fields) == {"also"}
    settings, problems = loaded(
        "[model]\nurl = 'http://127.0.0.1:1/v1'\n"
        "[[model.also]]\nurl = 'http://127.0.0.1:2/v1'\nprofile = 'json'\nstall_s = 5.0\napi_key_file = 'k'\n"
        "[[model.also]]\n"
    )
    assert problems == []
    assert settings is not None
    first, second, third = settings.model.servers
    assert [first.url, second.url, third.url] == [
        "http://127.0.0.1:1/v1",
        "http://127.0.0.1:2/v1",
        "embedded",
    ]
    assert (second.profile, second.stall_s, second.api_key_file) == ("json", 5.0, Path("/etc/k"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[model.also]]\n", "model.also[1].url: the embedded model is there twice; name each model once"),
        (
            "name = 'a'\n[[model.also]]\nname = 'b'\n",
            "the embedded model is there twice; name each model once",
        ),
        (
            "url = 'http://a/v1'\n[[model.also]]\nurl = 'http://b/v1'\n[[model.also]]\nurl = 'http://a/v1'\n",
            "model.also[2].url: http://a/v1 with the same name is there twice; name each model once",
        ),
        ("[[model.also]]\nurl = 'http://a'\n", "model.also[1].url: does not end in /v1"),
        (
            "[[model.also]]\nurll = 'x'\nurl='http://a/v1'",
            "model.also[1].urll: there is no such key; did you mean url?",
        ),
        (
            "[[model.also]]\nurl='http://a/v1'\n[[model.also.also]]\n",
            "model.also[1].also: there is no such key",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, problem: str) -> None:
    _, problems = loaded(f"[model]\n{text}")
    assert len(problems) == 1
    assert problem in problems[0]


def test_two_models_of_one_server_are_two() -> None:
    settings, problems = loaded(
        "[model]\nurl = 'http://a/v1'\nname='x'\n[[model.also]]\nurl = 'http://a/v1'\nname='y'\n"
    )
    assert problems == []
    assert settings is not None


def test_each_key_comes_from_its_own_file_and_is_never_shown(tmp_path: Path) -> None:
    (tmp_path / "k").write_text("sk-also\n")
    settings, _ = loaded(
        "[model]\nurl = 'http://a/v1'\n"
        f"[[model.also]]\nurl = 'http://b/v1'\napi_key_file = '{tmp_path}/k'\n"
        "[[model.also]]\nurl = 'http://c/v1'\n"
        f"[[model.also]]\nurl = 'http://d/v1'\napi_key_file = '{tmp_path}/none'\n"
    )
    assert settings is not None
    paths = find({}, cwd=Path("/"), home=str(tmp_path), config=None)
    secrets, problems = read_secrets(settings, paths, {}, {"model.also": "/etc/b.toml:3"})
    assert secrets.model_also_api_keys == ("sk-also", None, None)
    assert "sk-also" not in repr(secrets)
    assert repr(Secrets()) == "Secrets()"
    (problem,) = problems
    assert str(problem) == (
        "/etc/b.toml: model.also[3].api_key_file: names a file that is not there;"
        " make it, mode 0600, with the secret as its only line"
    )
