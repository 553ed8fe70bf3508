from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.config import Loaded, Settings, SourceText, load
from bxcore.labels import Level

FILE = Path("/etc/box/boxmaker.toml")
CWD = Path("/here")


def loaded(text: str | bytes, *, environ: dict[str, str] | None = None) -> Loaded:
    content = text.encode() if isinstance(text, str) else text
    return load([SourceText(path=FILE, content=content)], environ or {"HOME": "/home/ada"}, cwd=CWD)


def problems(text: str | bytes, *, environ: dict[str, str] | None = None) -> list[str]:
    found = loaded(text, environ=environ)
    assert (found.settings is None) == bool(found.problems)
    return [str(problem).removeprefix(f"{FILE}:") for problem in found.problems]


def settings(text: str, *, environ: dict[str, str] | None = None) -> Settings:
    found = loaded(text, environ=environ)
    assert found.problems == ()
    assert found.settings is not None
    return found.settings


def test_without_any_file_the_defaults_hold() -> None:
    found = load([], {}, cwd=CWD)
    assert found.settings == Settings()
    assert set(found.origins.values()) == {"default"}


def test_every_problem_is_told_at_once_with_its_line() -> None:
    text = """
[model]
urll = "x"
context_tokens = "3"
profile = "nativ"
max_rounds = 3
[loop]
max_rounds = 0
[[honcho.read]]
agent = "x"
workspace = "a b"
[[honcho.read]]
agent = "y"
class = "top"
[log]
levl = "info"
[hancho]
x = 1
"""
    assert sorted(problems(text)) == sorted(
        [
            "3: model.urll: there is no such key; did you mean url?",
            "4: model.context_tokens: must be a whole number",
            "5: model.profile: must be one of auto, native or json",
            "6: model.max_rounds: there is no such key; max_rounds belongs to [loop]",
            "8: loop.max_rounds: must be at least 1",
            "11: honcho.read[1].workspace: is no Honcho name; use 1 to 512 of ASCII letters, digits, _ and -",
            "12: honcho.read[2].workspace: is missing",
            "14: honcho.read[2].class: must be one of public, private or secret",
            "16: log.levl: there is no such key; did you mean level?",
            "17: hancho: there is no such table or key; did you mean honcho?",
        ]
    )


NO_V1 = "does not end in /v1; an OpenAI-compatible base does, such as http://127.0.0.1:8080/v1"
A_BASE = 'use "embedded" or a base such as http://127.0.0.1:8080/v1'
GUARANTEES = "no-new-privileges, no-capabilities, no-network, read-only-root, memory-limit, pids-limit"
WRONG = {
    "model = 3": "1: model: must be a table",
    "[loop]\nmax_rounds = true": "2: loop.max_rounds: must be a whole number",
    "[loop]\nmax_rounds = 2.0": "2: loop.max_rounds: must be a whole number",
    "[loop]\nidle_s = nan": "2: loop.idle_s: must be a finite number",
    "[loop]\nidle_s = '3'": "2: loop.idle_s: must be a number",
    "[loop]\nidle_s = 0": "2: loop.idle_s: must be more than 0",
    "[honcho]\nsave = 1": "2: honcho.save: must be true or false",
    "[model]\nname = 3": "2: model.name: must be text in quotes",
    "[containers]\naccept = 'x'": "2: containers.accept: must be an array",
    "[containers]\naccept = ['x-y']": f"2: containers.accept[1]: is no guarantee; write some of {GUARANTEES}",
    "[broker]\napproval_s = 3601": "2: broker.approval_s: must be at most 3600",
    "[broker]\ngrants = ''": "2: broker.grants: is no path; leave the key out when there is none",
    "[broker]\ngrants = 3": "2: broker.grants: must be a path in quotes",
    "[model]\nurl = 'http://a/v2'": f"2: model.url: {NO_V1}",
    "[model]\nurl = 'ftp://a/v1'": f"2: model.url: is no http or https URL; {A_BASE}",
    "[model]\nurl = 'http://[::1/v1'": f"2: model.url: is no URL; {A_BASE}",
    **{
        f"[model]\nurl = {url}": f"2: model.url: holds a character that no URL or host name has; {A_BASE}"
        for url in (
            "'http://exa mple/v1'",
            "'http://b\u00fccher.example/v1'",
            "'http://a..b/v1'",
            "'http://-a/v1'",
            "'http://*/v1'",
            "'http://127.0.0.256:80/v1'",
            f"'http://{'a' * 64}/v1'",
            '"http://\\u0000/v1"',
            '"http://a\\u001b/v1"',
            "'http://a/b c/v1'",
        )
    },
    "[loop]\nauto_recall = 'maybe'": '2: loop.auto_recall: must be true, false or "auto"',
    "[loop]\nauto_recall = 1": '2: loop.auto_recall: must be true, false or "auto"',
    "[memory]\nsemantic = 'maybe'": '2: memory.semantic: must be true, false or "auto"',
    "[honcho]\nurl = 'http://a/v3/'": (
        "2: honcho.url: ends in /v3; leave that away, it is added to each request"
    ),
    "[api]\nlisten = '0.0.0.0:80'": "2: api.listen: listens on the loopback only; use 127.0.0.1:PORT",
    "[api]\nlisten = '10.0.0.1:80'": "2: api.listen: listens on the loopback only; use 127.0.0.1:PORT",
    "[api]\nlisten = 'box.example:80'": "2: api.listen: listens on the loopback only; use 127.0.0.1:PORT",
    "[api]\nlisten = ':80'": "2: api.listen: listens on the loopback only; use 127.0.0.1:PORT",
    "[web]\nlisten = '0.0.0.0:80'": "2: web.listen: listens on the loopback only; use 127.0.0.1:PORT",
    "[web]\nlisten = '127.0.0.1:70000'": (
        "2: web.listen: has no port between 0 and 65535; use 127.0.0.1:PORT"
    ),
    "[control]\nsocket = 3": "2: control.socket: must be a path in quotes",
    "[model\nurl = 3": "1: this is no valid TOML: expected ']' at the end of a table declaration",
}


@pytest.mark.parametrize(("text", "sentence"), WRONG.items())
def test_a_wrong_value_is_one_sentence_with_its_line(text: str, sentence: str) -> None:
    assert problems(text) == [sentence]


def test_a_url_with_a_password_is_refused_and_not_repeated() -> None:
    found = problems("[model]\nurl = 'http://ada:hunter2@127.0.0.1/v1'")
    assert found == [
        "2: model.url: holds a user or password; put secrets in a file and name it with the *_file key"
    ]


@pytest.mark.parametrize(
    "text",
    ["[honcho]\ntoken = 'sk-hunter2'", "[model]\napi_key = 'sk-hunter2'", "[model]\nprofile = 'sk-hunter2'"],
)
def test_a_value_is_never_shown(text: str) -> None:
    found = problems(text)
    assert len(found) == 1
    assert "hunter2" not in found[0]


def test_a_token_in_the_file_leads_to_the_key_for_its_file() -> None:
    found = problems("[honcho]\ntoken = 'x'")
    assert found == ["2: honcho.token: there is no such key; did you mean token_file?"]


def test_a_file_that_is_not_utf8_is_named_with_its_line() -> None:
    assert problems(b"[model]\n# ok\nname = '\xff'") == ["3: is not UTF-8 text"]


@pytest.mark.parametrize("text", ["x = " + "9" * 5000, "x = " + "[" * 5000])
def test_a_number_or_nesting_that_python_cannot_read_is_a_problem(text: str) -> None:
    assert len(problems(text)) >= 1


@given(st.binary(max_size=200))
def test_no_bytes_make_it_fail(content: bytes) -> None:
    found = loaded(content)
    assert (found.settings is None) == bool(found.problems)


def test_a_too_long_socket_is_a_problem_of_its_line() -> None:
    found = problems(f"[control]\nsocket = '/{'x' * 107}'")
    assert len(found) == 1
    assert found[0].startswith("2: control.socket: the control socket's path is 108 bytes long")


def test_a_relative_path_starts_at_its_files_folder_and_a_tilde_at_home() -> None:
    found = settings("[broker]\ngrants = 'g'\n[memory]\nfolder = '~/m'\n[log]\nfolder = '/var/log'")
    assert found.broker.grants == Path("/etc/box/g")
    assert found.memory.folder == Path("/home/ada/m")
    assert found.log.folder == Path("/var/log")


def test_the_stronger_file_wins_key_by_key() -> None:
    strong = SourceText(
        path=Path("/a.toml"), content=b"[model]\nname = 'a'\n[[honcho.read]]\nagent='x'\nworkspace='x'"
    )
    weak = SourceText(
        path=Path("/b.toml"),
        content=b"[model]\nname = 'b'\nprofile = 'json'\n[[honcho.read]]\nagent='y'\nworkspace='y'",
    )
    found = load([strong, weak], {}, cwd=CWD)
    assert found.settings is not None
    assert (found.settings.model.name, found.settings.model.profile) == ("a", "json")
    assert [each.agent for each in found.settings.honcho.read] == ["x"]
    assert found.origins["model.name"] == "/a.toml:2"
    assert found.origins["model.profile"] == "/b.toml:3"
    assert found.origins["model.url"] == "default"


def test_one_broken_file_does_not_hide_what_is_wrong_in_another() -> None:
    broken = SourceText(path=Path("/a.toml"), content=b"[")
    wrong = SourceText(path=Path("/b.toml"), content=b"[model]\nnam = 'b'")
    found = load([broken, wrong], {}, cwd=CWD)
    assert [problem.place for problem in found.problems] == ["/a.toml", "/b.toml"]


def test_a_file_that_could_not_be_read_is_a_problem() -> None:
    found = load([SourceText(path=FILE, error="cannot be read: permission denied")], {}, cwd=CWD)
    assert [str(problem) for problem in found.problems] == [f"{FILE}: cannot be read: permission denied"]


def test_a_read_table_has_a_class_as_a_level() -> None:
    found = settings("[[honcho.read]]\nagent = 'x'\nworkspace = 'x'\nclass = 'secret'")
    assert found.honcho.read[0].level is Level.SECRET
