"""Layers of the configuration, read and laid over each other (spec 6.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli

from bxcore.config.problems import ConfigProblem
from bxcore.paths import anchored
from bxcore.toml_lines import syntax_problem

Key = tuple[str, ...]

PATH_KEYS: frozenset[Key] = frozenset(
    {
        ("model", "file"),
        ("model", "api_key_file"),
        ("broker", "grants"),
        ("containers", "socket"),
        ("memory", "folder"),
        ("honcho", "token_file"),
        ("control", "socket"),
        ("api", "token_file"),
        ("log", "folder"),
    }
)
"""Keys whose text is a path; a relative one starts at the folder of the file that it stands in."""
PATHS_OF_ARRAYS: Mapping[Key, tuple[str, ...]] = {("model", "also"): ("file", "api_key_file")}
"""The same for the tables of an array."""
PATHS_OF_SERVERS = "folder"
"""The same for each ``[[mcp]]``, beside every value of its ``env_files``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A configuration file as it was read; ``error`` says why it could not be."""

    path: Path
    content: bytes = b""
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """The values of one origin. ``places`` names the origin of a key where it is not the whole layer's."""

    name: str
    values: dict[str, Any]
    text: str | None = None
    places: Mapping[Key, str] = field(default_factory=dict)

    def place(self, key: Key) -> str:
        """Where ``key`` was set: the file's path, or the variable's name."""
        around = (self.places.get(key[:size]) for size in range(len(key), 0, -1))
        below = (place for longer, place in self.places.items() if longer[: len(key)] == key)
        return next((place for place in (*around, *below) if place), self.name)


def read_file(source: SourceText, home: str | None) -> Layer | ConfigProblem:
    """Parse one file; what is no TOML is one problem with its line."""
    name = str(source.path)
    if source.error is not None:
        return ConfigProblem(place=name, line=None, key="", sentence=source.error)
    try:
        text = source.content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.content.count(b"\n", 0, error.start) + 1
        return ConfigProblem(place=name, line=line, key="", sentence="is not UTF-8 text")
    try:
        values = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        line, sentence = syntax_problem(error, text)
        return ConfigProblem(place=name, line=line, key="", sentence=sentence)
    except (ValueError, RecursionError):
        sentence = "holds a number or a nesting that is too big to read"
        return ConfigProblem(place=name, line=None, key="", sentence=sentence)
    return Layer(name=name, values=_anchor(values, source.path.parent, home), text=text)


def _anchor(values: dict[str, Any], folder: Path, home: str | None) -> dict[str, Any]:
    """Make the paths of a parsed file absolute."""
    for table, key in PATH_KEYS:
        _anchor_one(values.get(table), key, folder, home)
    for (table, array), keys in PATHS_OF_ARRAYS.items():
        outer = values.get(table)
        items = outer.get(array) if isinstance(outer, dict) else None
        for item in items if isinstance(items, list) else ():
            for key in keys:
                _anchor_one(item, key, folder, home)
    servers = values.get("mcp")
    for server in servers if isinstance(servers, list) else ():
        _anchor_one(server, PATHS_OF_SERVERS, folder, home)
        files = server.get("env_files") if isinstance(server, dict) else None
        for name in files if isinstance(files, dict) else ():
            _anchor_one(files, name, folder, home)
    return values


def _anchor_one(inner: Any, key: str, folder: Path, home: str | None) -> None:
    text = inner.get(key) if isinstance(inner, dict) else None
    if isinstance(text, str) and text:
        inner[key] = str(anchored(text, folder, home))


def merge(layers: Iterable[Layer]) -> dict[str, Any]:
    """Lay the layers over each other, the strongest first; tables merge key by key, arrays do not."""
    result: dict[str, Any] = {}
    for layer in layers:
        _fill(result, layer.values)
    return result


def _fill(strong: dict[str, Any], weak: Mapping[str, Any]) -> None:
    for key, value in weak.items():
        there = strong.get(key)
        if key not in strong:
            strong[key] = _copied(value)
        elif isinstance(there, dict) and isinstance(value, dict):
            _fill(there, value)


def _copied(value: Any) -> Any:
    return {key: _copied(inner) for key, inner in value.items()} if isinstance(value, dict) else value


def layer_of(layers: Iterable[Layer], key: Key) -> Layer | None:
    """Find the strongest layer that sets ``key`` or, for a key that is missing, the table it belongs to."""
    known = tuple(layers)
    for length in range(len(key), 0, -1):
        for layer in known:
            if _has(layer.values, key[:length]):
                return layer
    return None


def _has(values: Any, key: Key) -> bool:
    for part in key:
        if not isinstance(values, dict) or part not in values:
            return False
        values = values[part]
    return True
