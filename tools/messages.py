"""Write ``docs/messages.md``, the catalogue of every actor's messages, from ``bxcore/messages/``.

Run it as ``./bx docs``; a test fails while the page and the code differ.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, UnionType

import bxcore.messages

PAGE = Path(__file__).resolve().parent.parent / "docs" / "messages.md"
HEAD = """# Messages

What each actor can be told or asked. `./bx docs` writes this page from `bxcore/messages/`; change it there.
Every message is a frozen, slotted, keyword-only dataclass; the messages of one actor are one closed union,
matched exhaustively. *Asked*: the sender waits for the reply, under a deadline. *Told*: it goes on at once.
"""


def modules() -> Iterator[ModuleType]:
    """Yield the modules of ``bxcore.messages`` by name."""
    for info in sorted(pkgutil.iter_modules(bxcore.messages.__path__), key=lambda info: info.name):
        yield importlib.import_module(f"bxcore.messages.{info.name}")


def classes(module: ModuleType) -> list[type]:
    """List the dataclasses that a module defines, in the order in which they are written."""
    return [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and value.__module__ == module.__name__
    ]


def unions(module: ModuleType) -> dict[str, tuple[type, ...]]:
    """Find a module's unions of messages: name and members. A union of one is that class by another name."""
    found: dict[str, tuple[type, ...]] = {}
    for name, value in vars(module).items():
        if isinstance(value, UnionType):
            found[name] = typing.get_args(value)
        elif inspect.isclass(value) and value.__module__ == module.__name__ and name != value.__name__:
            found[name] = (value,)
    return found


def prose(documented: object) -> str:
    """Put a docstring on one line, fit for a table's cell."""
    text = " ".join((inspect.getdoc(documented) or "").split())
    return text.replace("``", "`").replace("|", "\\|")


def fields(message: type) -> str:
    """Write a message's fields with their types, without ``kind``, which repeats its name."""
    shown = [field for field in dataclasses.fields(message) if field.name != "kind"]
    return "<br>".join(f"`{field.name}: {field.type}`".replace("|", "\\|") for field in shown) or "none"


def table(rows: typing.Iterable[type]) -> list[str]:
    """Write the table of some classes."""
    lines = ["| name | fields | what it says |", "|---|---|---|"]
    return lines + [f"| `{row.__name__}` | {fields(row)} | {prose(row)} |" for row in rows]


def section(module: ModuleType) -> list[str]:
    """Write the part of the page for one module."""
    lines = ["", f"## {module.__name__.rpartition('.')[2]}", "", prose(module)]
    named: set[type] = set()
    for name, members in unions(module).items():
        lines += ["", f"### `{name}`", "", *table(members)]
        named.update(members)
    rest = [value for value in classes(module) if value not in named and dataclasses.is_dataclass(value)]
    if rest:
        lines += ["", "### What they carry and answer", "", *table(rest)]
    return lines


def page() -> str:
    """Return the whole page."""
    lines = [line for module in modules() for line in section(module)]
    return HEAD + "\n".join(lines) + "\n"


def main() -> int:
    """Write the page; return the exit code."""
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
