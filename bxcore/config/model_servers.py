"""Rules over all of ``[model]`` and ``[[model.also]]``: no model twice, and one embedded one at most."""

from __future__ import annotations

from collections.abc import Iterator

from bxcore.config.settings import ModelTable

Where = tuple[str | int, ...]


def problems(table: ModelTable) -> list[tuple[Where, str]]:
    """Each broken rule as the key's path below ``[model]`` and one sentence."""
    return list(_twice(table))


def _twice(table: ModelTable) -> Iterator[tuple[Where, str]]:
    seen: set[tuple[str, str | None]] = set()
    for place, each in enumerate(table.servers):
        embedded = each.url == "embedded"
        key = (each.url, None if embedded else each.name)
        if key in seen:
            what = "the embedded model is" if embedded else f"{each.url} with the same name is"
            yield ("also", place - 1, "url"), f"{what} there twice; name each model once"
        seen.add(key)
