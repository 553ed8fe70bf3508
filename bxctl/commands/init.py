"""``boxmaker init``: a commented configuration and example grants, where there are none yet (spec 6.2)."""

from __future__ import annotations

import os
import shutil
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from bxcore.control import Exit
from bxcore.errors import system_reason
from bxcore.paths import Paths
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
        for line in _next_steps(paths):
            talk(line)
    return Exit.OK


def _next_steps(paths: Paths) -> Iterator[str]:
    """What an owner does next, for tools that work on files, run commands and fetch pages."""
    yield f"a grant lets a tool work: edit an example in {paths.grants} and take .example off its name"
    yield f"then: {typed('check')} finds mistakes, {typed('grants')} explain says what becomes of a call"
    if shutil.which("podman") is None:
        yield "files and shell run in containers; podman is missing: apt-get install podman"
        if shutil.which("bwrap") is not None:
            yield f"or in bubblewrap, which is here, after {_without()} in {paths.config_file}"
    else:
        yield f"files and shell run in podman; the image for it, once: {typed('image')} build"
    yield f"{typed('doctor')} says what works and what is missing"


def _without() -> str:
    from bxcore.sandbox.guarantees import BUBBLEWRAP_LACKS, accept_line

    return accept_line(BUBBLEWRAP_LACKS)


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
