"""``BOXMAKER_MODEL__URL`` sets ``[model] url``: the environment as a layer (spec 6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli
from pydantic import BaseModel, TypeAdapter, ValidationError

from bxcore.config.layers import PATH_KEYS, Key, Layer
from bxcore.config.settings import Settings
from bxcore.paths import anchored

PREFIX = "BOXMAKER_"
SECRETS: Mapping[str, str] = {
    "model_api_key": "BOXMAKER_MODEL__API_KEY",
    "honcho_token": "BOXMAKER_HONCHO__TOKEN",
    "api_token": "BOXMAKER_API__TOKEN",
}
"""Secrets that may come from the environment; they are no keys of the file and are never shown."""


def read_environment(environ: Mapping[str, str], cwd: Path) -> Layer:
    """Turn each ``BOXMAKER_TABLE__KEY`` into a value of its key's type; one without ``__`` is no key."""
    values: dict[str, Any] = {}
    places: dict[Key, str] = {}
    for name in sorted(environ):
        if not name.startswith(PREFIX) or "__" not in name or name in SECRETS.values():
            continue
        key = tuple(part.lower() for part in name.removeprefix(PREFIX).split("__"))
        _put(values, key, _value(key, environ[name], cwd, environ.get("HOME")))
        places[key] = f"${name}"
    return Layer(name="the environment", values=values, places=places)


def _put(values: dict[str, Any], key: Key, value: Any) -> None:
    for part in key[:-1]:
        inner = values.setdefault(part, {})
        if not isinstance(inner, dict):
            return
        values = inner
    values[key[-1]] = value


def _value(key: Key, text: str, cwd: Path, home: str | None) -> Any:
    """Text where the key takes text, else what TOML makes of it; a wrong one is left for the check."""
    if key in PATH_KEYS:
        return str(anchored(text, cwd, home)) if text else text
    adapter = _adapter(key)
    if adapter is None or _fits(adapter, text):
        return text
    return _as_toml(text)


def _adapter(key: Key) -> TypeAdapter[Any] | None:
    """Find the type of a key, None when there is no such key."""
    model: Any = Settings
    for part in key:
        fields = model.model_fields if isinstance(model, type) and issubclass(model, BaseModel) else {}
        if part not in fields:
            return None
        info = fields[part]
        model = info.annotation
    return TypeAdapter(model) if model is not None else None


def _fits(adapter: TypeAdapter[Any], text: str) -> bool:
    try:
        adapter.validate_python(text, strict=True)
    except ValidationError:
        return False
    return True


def _as_toml(text: str) -> Any:
    try:
        return tomli.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError, KeyError):
        return text
