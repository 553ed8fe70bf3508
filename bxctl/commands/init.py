"""``boxmaker init``: a commented configuration and example grants, where there are none yet (spec 6.2)."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from bxcore.control import Exit
from bxcore.errors import system_reason
from bxctl.called import typed
from bxctl.errors import CommandError
from bxctl.place import paths_of
from bxctl.printing import as_json, data, talk
from bxctl.templates import templates

EPILOG = "nothing that is there is overwritten; the examples are no grants until they are renamed"


def arguments(parser: ArgumentParser) -> None:
    """Take no arguments of its own."""
    del parser


def run(args: Namespace) -> int:
    """Write what is missing, and say of each file what became of it."""
    paths, source = paths_of(args), templates()
    wanted = [(source / "boxmaker.toml", paths.config_file)]
    wanted += [(example, paths.grants / example.name) for example in _examples(source)]
    written = {str(target): _write(example, target) for example, target in wanted}
    if args.json:
        as_json({"written": [path for path, new in written.items() if new], "kept": _kept(written)})
    else:
        for path, new in written.items():
            data(f"wrote {path}" if new else f"kept {path}, it was there")
        talk(f"edit them, then: {typed('check')}")
    return Exit.OK


def _examples(source: Path) -> Iterator[Path]:
    yield from sorted((source / "grants").glob("*.toml.example"))


def _kept(written: dict[str, bool]) -> list[str]:
    return [path for path, new in written.items() if not new]


def _write(example: Path, target: Path) -> bool:
    """Copy one file; False when there was one. Nobody else may read what an owner permits."""
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot(target, error) from None
    try:
        with open(target, "xb", opener=_private) as file:
            file.write(example.read_bytes())
    except FileExistsError:
        return False
    except OSError as error:
        raise _cannot(target, error) from None
    return True


def _cannot(target: Path, error: OSError) -> CommandError:
    reason = system_reason(error)
    return CommandError(Exit.FAILED, f"{target} cannot be written: {reason}")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
