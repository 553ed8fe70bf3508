"""From files' bytes and the environment to ``Settings``, or to every problem at once (spec 5.4, 6.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from bxcore.config import honcho_names, mcp_servers, model_servers
from bxcore.config.environment import read_environment
from bxcore.config.layers import Layer, SourceText, layer_of, merge, read_file
from bxcore.config.problems import ConfigProblem, dotted, sentence_of
from bxcore.config.settings import HonchoTable, McpTable, ModelServerTable, ModelTable, Settings
from bxcore.did_you_mean import hint
from bxcore.toml_lines import line_of

Where = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What became of the configuration: ``settings`` is None exactly when there are problems."""

    settings: Settings | None
    problems: tuple[ConfigProblem, ...]
    origins: Mapping[str, str]
    """``model.url`` → ``default``, ``/etc/…/boxmaker.toml:3`` or ``$BOXMAKER_MODEL__URL``."""


def load(sources: Sequence[SourceText], environ: Mapping[str, str], *, cwd: Path) -> Loaded:
    """Read the layers (``sources`` the strongest first) under the environment and check them as a whole."""
    layers: list[Layer] = [read_environment(environ, cwd)]
    problems: list[ConfigProblem] = []
    for source in sources:
        read = read_file(source, environ.get("HOME"))
        if isinstance(read, Layer):
            layers.append(read)
        else:
            problems.append(read)
    merged = merge(layers)
    problems += [_placed(where, sentence, layers) for where, sentence in _check(merged)]
    settings = None if problems else Settings.model_validate(merged)
    return Loaded(settings=settings, problems=tuple(problems), origins=_origins(settings, layers))


def _check(merged: dict[str, Any]) -> Iterator[tuple[Where, str]]:
    try:
        Settings.model_validate(merged)
    except ValidationError as errors:
        for error in errors.errors(include_url=False, include_input=False):
            if error["type"] == "default_factory_not_called":
                continue  # it follows from another problem of the same table
            where = _where(error["loc"])
            yield where, _unknown(where) if error["type"] == "extra_forbidden" else sentence_of(error)
    for place, sentence in _honcho(merged.get("honcho", {})):
        yield ("honcho", *place), sentence
    for place, sentence in _model(merged.get("model", {})):
        yield ("model", *place), sentence
    for place, sentence in _mcp(merged.get("mcp", [])):
        yield ("mcp", *place), sentence


def _honcho(table: object) -> list[tuple[Where, str]]:
    """Rules over the whole table are said even when another table is wrong; not when this one is."""
    try:
        return honcho_names.problems(HonchoTable.model_validate(table))
    except ValidationError:
        return []


def _model(table: object) -> list[tuple[Where, str]]:
    try:
        return model_servers.problems(ModelTable.model_validate(table))
    except ValidationError:
        return []


def _mcp(tables: object) -> list[tuple[Where, str]]:
    try:
        return mcp_servers.problems(TypeAdapter(tuple[McpTable, ...]).validate_python(tables))
    except ValidationError:
        return []


def _where(location: tuple[str | int, ...]) -> Where:
    """Drop pydantic's own marks (of a union's branches) behind the key's path."""
    model: Any = Settings
    kept: list[str | int] = []
    for part in location:
        if isinstance(part, int):
            kept.append(part)
        elif isinstance(model, type) and issubclass(model, BaseModel):
            kept.append(part)
            model = _inner(model, part)
    return tuple(kept)


def _inner(model: type[BaseModel], key: str) -> Any:
    """The model below ``key``: a table's, or that of an array's items."""
    fields = model.model_fields.items()
    annotation = next((info.annotation for name, info in fields if key in {name, info.alias}), None)
    items = getattr(annotation, "__args__", ())
    return items[0] if items and isinstance(items[0], type) else annotation


def _unknown(where: Where) -> str:
    """Name what the person may have meant: a key of the same table, else the same key in another table."""
    key = str(where[-1])
    tables = _tables()
    siblings = tables.get(tuple(part for part in where[:-1] if isinstance(part, str)), ())
    noun = "table or key" if len(where) == 1 else "key"
    near = hint(key, siblings)
    if near:
        return f"there is no such {noun}{near}"
    others = [f"[{'.'.join(table)}]" for table, keys in tables.items() if table and key in keys]
    return f"there is no such {noun}; {key} belongs to {others[0]}" if others else f"there is no such {noun}"


def _tables() -> dict[tuple[str, ...], tuple[str, ...]]:
    tables: dict[tuple[str, ...], tuple[str, ...]] = {(): tuple(Settings.model_fields)}
    for name in Settings.model_fields:
        tables[(name,)] = tuple(_table(name).model_fields)
    tables[("honcho", "read")] = ("agent", "workspace", "trusted", "class")
    tables[("model", "also")] = tuple(ModelServerTable.model_fields)
    return tables


def _table(name: str) -> type[BaseModel]:
    """The model of a table, or of each table of an array."""
    annotation = Settings.model_fields[name].annotation
    items: tuple[object, ...] = getattr(annotation, "__args__", ())
    model = items[0] if items else annotation
    assert isinstance(model, type)
    assert issubclass(model, BaseModel)
    return model


def _placed(where: Where, sentence: str, layers: Sequence[Layer]) -> ConfigProblem:
    names = tuple(str(part) for part in where[: _first_index(where)])
    layer = layer_of(layers, names)
    if layer is None:
        return ConfigProblem(place="the defaults", line=None, key=dotted(where), sentence=sentence)
    line = None if layer.text is None else line_of(layer.text, where)
    return ConfigProblem(place=layer.place(names), line=line, key=dotted(where), sentence=sentence)


def _first_index(where: Where) -> int:
    return next((index for index, part in enumerate(where) if isinstance(part, int)), len(where))


def _origins(settings: Settings | None, layers: Sequence[Layer]) -> dict[str, str]:
    origins: dict[str, str] = {}
    for table in Settings.model_fields if settings else ():
        for key in _table(table).model_fields:
            origins[f"{table}.{key}"] = _origin((table, key), layers)
    return origins


def _origin(key: tuple[str, str], layers: Sequence[Layer]) -> str:
    for layer in layers:
        table = layer.values.get(key[0])
        if isinstance(table, list):
            return layer.name
        if isinstance(table, dict) and key[1] in table:
            return layer.place(key) if layer.text is None else f"{layer.name}:{line_of(layer.text, key)}"
    return "default"
