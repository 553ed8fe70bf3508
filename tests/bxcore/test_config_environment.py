from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.config import SECRETS, Settings, SourceText, load

CWD = Path("/here")


def settings(**environ: str) -> Settings:
    found = load([], {f"BOXMAKER_{name}": text for name, text in environ.items()}, cwd=CWD)
    assert found.problems == ()
    assert found.settings is not None
    return found.settings


def test_each_variable_gets_the_type_of_its_key() -> None:
    found = settings(
        MODEL__URL="http://127.0.0.1:1/v1",
        MODEL__NAME="7",
        LOOP__MAX_ROUNDS="3",
        LOOP__IDLE_S="2",
        HONCHO__SAVE="false",
        CONTAINERS__ACCEPT='["memory-limit"]',
        LOOP__AUTO_RECALL="true",
    )
    assert (found.model.url, found.model.name) == ("http://127.0.0.1:1/v1", "7")
    assert (found.loop.max_rounds, found.loop.idle_s) == (3, 2.0)
    assert found.honcho.save is False
    assert found.containers.accept == ("memory-limit",)
    assert found.loop.auto_recall is True


def test_a_choice_beside_a_boolean_stays_a_word() -> None:
    assert settings(LOOP__AUTO_RECALL="auto").loop.auto_recall == "auto"


def test_tables_of_an_array_can_be_written_inline() -> None:
    found = settings(HONCHO__READ='[{agent = "x", workspace = "w", class = "public"}]')
    assert [(each.agent, each.workspace) for each in found.honcho.read] == [("x", "w")]


def test_a_relative_path_starts_at_the_current_folder() -> None:
    assert settings(BROKER__GRANTS="g").broker.grants == Path("/here/g")


def test_the_environment_beats_a_file_and_is_named_as_the_origin() -> None:
    file = SourceText(path=Path("/b.toml"), content=b"[model]\nname = 'file'")
    found = load([file], {"BOXMAKER_MODEL__NAME": "env"}, cwd=CWD)
    assert found.settings is not None
    assert found.settings.model.name == "env"
    assert found.origins["model.name"] == "$BOXMAKER_MODEL__NAME"


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("MODEL__URLL", "x", "model.urll: there is no such key; did you mean url?"),
        ("LOOP__MAX_ROUNDS", "three", "loop.max_rounds: must be a whole number"),
        ("LOOP__MAX_ROUNDS", "9" * 5000, "loop.max_rounds: must be a whole number"),
        ("MODEL__PROFILE", "nativ", "model.profile: must be one of auto, native or json"),
        ("MODEL__URL__X", "x", "model.url: must be text in quotes"),
    ],
)
def test_a_wrong_variable_is_named(name: str, text: str, problem: str) -> None:
    found = load([], {f"BOXMAKER_{name}": text}, cwd=CWD)
    assert [str(each) for each in found.problems] == [f"$BOXMAKER_{name}: {problem}"]


def test_secrets_and_other_variables_are_no_keys() -> None:
    environ = dict.fromkeys(SECRETS.values(), "hunter2") | {
        "BOXMAKER_CONFIG": "/x",
        "BOXMAKERMODEL__URL": "y",
    }
    found = load([], environ, cwd=CWD)
    assert found.settings == Settings()
    assert "hunter2" not in repr(found)
