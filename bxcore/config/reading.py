"""The files behind the configuration, read through the paths that are handed in; nothing else is touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bxcore.config.environment import SECRETS
from bxcore.config.layers import SourceText
from bxcore.config.loading import Loaded, load
from bxcore.config.problems import ConfigProblem
from bxcore.config.settings import Settings
from bxcore.errors import system_reason
from bxcore.honcho_tokens import BadToken
from bxcore.honcho_tokens import read as read_tokens
from bxcore.paths import ConfigFile, Paths

MAX_FILE_BYTES = 1_048_576
MAX_SECRET_BYTES = 65_536
MIN_TOKEN = 16
"""Characters of ``[api]``'s token: a shorter one can be guessed at the speed of a loopback."""
_LACKS = (
    "has no token beside it; write one with openssl rand -hex 32 into a file of mode 0600, and name "
    "that file with token_file"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """What may never be shown: no ``repr`` has it, no error text names it."""

    model_api_key: str | None = field(default=None, repr=False)
    model_also_api_keys: tuple[str | None, ...] = field(default=(), repr=False)
    """One a ``[[model.also]]``, in their order."""
    honcho_token: str | None = field(default=None, repr=False)
    api_token: str | None = field(default=None, repr=False)
    mcp_env: tuple[Mapping[str, str], ...] = field(default=(), repr=False)
    """What the ``env_files`` of each ``[[mcp]]`` hold, in their order."""


def read(paths: Paths, environ: Mapping[str, str], *, cwd: Path) -> Loaded:
    """Read the configuration files of ``paths`` and check them with the environment."""
    found = (_source(file) for file in paths.config_files)
    return load([source for source in found if source is not None], environ, cwd=cwd)


def _source(file: ConfigFile) -> SourceText | None:
    """Read one file; a file that nobody named and that is not there is no problem."""
    try:
        with file.path.open("rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        missing = "there is no such file; write one with boxmaker init, or leave --config away"
        return SourceText(path=file.path, error=missing) if file.required else None
    except OSError as error:
        return SourceText(path=file.path, error=_cannot_read(error))
    if len(content) > MAX_FILE_BYTES:
        return SourceText(path=file.path, error="is larger than 1 MiB; this is no configuration")
    return SourceText(path=file.path, content=content)


def read_secrets(
    settings: Settings, paths: Paths, environ: Mapping[str, str], origins: Mapping[str, str]
) -> tuple[Secrets, tuple[ConfigProblem, ...]]:
    """Find each secret: ``$CREDENTIALS_DIRECTORY/<name>``, else its ``*_file``, else its variable."""
    files = {
        "model_api_key": ("model.api_key_file", settings.model.api_key_file),
        "honcho_token": ("honcho.token_file", settings.honcho.token_file),
        "api_token": ("api.token_file", settings.api.token_file),
    }
    values: dict[str, Any] = {}
    problems: list[ConfigProblem] = []
    for name, (key, file) in files.items():
        credential = paths.credentials / name if paths.credentials else None
        chosen = credential if credential is not None and credential.is_file() else file
        found = _text(chosen) if chosen is not None else environ.get(SECRETS[name]) or None
        if isinstance(found, str):
            found = _CHECKS[name](found, "names a file that" if chosen is not None else "is set and")
        values[name] = None if isinstance(found, _Unreadable) else found
        if isinstance(found, _Unreadable):
            where = origins.get(key, str(chosen)) if chosen is not None else f"${SECRETS[name]}"
            place, line = _place(where)
            problems.append(ConfigProblem(place=place, line=line, key=key, sentence=found.sentence))
    told = any(problem.key == "api.token_file" for problem in problems)
    if settings.api.listen is not None and values["api_token"] is None and not told:
        place, line = _place(origins.get("api.listen", "[api] listen"))
        problems.append(ConfigProblem(place=place, line=line, key="api.listen", sentence=_LACKS))
    others = [_also_key(table.api_key_file) for table in settings.model.also]
    for number, other in enumerate(others, start=1):
        if isinstance(other, _Unreadable):
            place, _ = _place(origins.get("model.also", "[[model.also]]"))
            key = f"model.also[{number}].api_key_file"
            problems.append(ConfigProblem(place=place, line=None, key=key, sentence=other.sentence))
    servers, wrong = _of_servers(settings, origins)
    problems += wrong
    also = tuple(None if isinstance(other, _Unreadable) else other for other in others)
    return Secrets(**values, model_also_api_keys=also, mcp_env=servers), tuple(problems)


def _of_servers(
    settings: Settings, origins: Mapping[str, str]
) -> tuple[tuple[Mapping[str, str], ...], list[ConfigProblem]]:
    """The variables of each MCP server that come from files."""
    found: list[dict[str, str]] = []
    problems: list[ConfigProblem] = []
    place, _ = _place(origins.get("mcp.name", "[[mcp]]"))
    for number, table in enumerate(settings.mcp, start=1):
        found.append({})
        for name, file in table.env_files.items():
            text = _text(file)
            if isinstance(text, str):
                found[-1][name] = text
                continue
            key = f"mcp[{number}].env_files.{name}"
            problems.append(ConfigProblem(place=place, line=None, key=key, sentence=text.sentence))
    return tuple(found), problems


def _also_key(file: Path | None) -> str | _Unreadable | None:
    """The key of a ``[[model.also]]``; it comes from its file alone."""
    text = None if file is None else _text(file)
    return _one_word(text, "names a file that") if isinstance(text, str) else text


@dataclass(frozen=True, slots=True)
class _Unreadable:
    sentence: str


def _text(path: Path) -> str | _Unreadable:
    """The file's text without the white space around it."""
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_SECRET_BYTES).decode("ascii").strip()
    except FileNotFoundError:
        return _Unreadable(
            "names a file that is not there; make it, mode 0600, with the secret as its only line"
        )
    except UnicodeDecodeError:
        return _Unreadable("names a file that holds other than ASCII text; a secret is one line of it")
    except OSError as error:
        return _Unreadable(f"names a file that {_cannot_read(error)}")


def _one_word(text: str, what: str) -> str | _Unreadable:
    if not text or not text.isprintable() or " " in text:
        return _Unreadable(f"{what} is empty or has several words; a secret is one word")
    return text


def _honcho(text: str, what: str) -> str | _Unreadable:
    """One token, or one a workspace (``bxcore.honcho_tokens``), in entries of one word each."""
    try:
        tokens = read_tokens(text)
    except BadToken as error:
        return _Unreadable(f"{what} cannot be used: {error}")
    return text if tokens.own else _one_word(text, what)


def _api(text: str, what: str) -> str | _Unreadable:
    """One word that nobody guesses: whoever has it speaks for the owner."""
    found = _one_word(text, what)
    if isinstance(found, str) and len(found) < MIN_TOKEN:
        return _Unreadable(
            f"{what} is shorter than {MIN_TOKEN} characters; make a token with openssl rand -hex 32"
        )
    return found


_CHECKS: Mapping[str, Callable[[str, str], str | _Unreadable]] = {
    "model_api_key": _one_word,
    "honcho_token": _honcho,
    "api_token": _api,
}


def _cannot_read(error: OSError) -> str:
    return f"cannot be read: {system_reason(error)}"


def _place(origin: str) -> tuple[str, int | None]:
    """Split ``/etc/boxmaker.toml:3`` into the path and the line."""
    path, _, line = origin.rpartition(":")
    return (path, int(line)) if line.isdigit() and path else (origin, None)
