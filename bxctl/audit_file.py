"""The audit's file, read without a running box (spec 2.4)."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from bxcore.audit_chain import Head, walk
from bxcore.control.answers import ChainJson
from bxcore.control.chain import chain_json
from bxctl.place import paths_of


def audit_file(args: Namespace) -> Path:
    """Find it; raises ``PathError``."""
    return paths_of(args).state / "audit.jsonl"


def walk_file(path: Path) -> ChainJson:
    """Walk its chain. A missing file is an empty log; another ``OSError`` is raised."""
    try:
        return chain_json(walk(_lines(path)))
    except FileNotFoundError:
        return chain_json(Head())


def _lines(path: Path) -> Iterator[bytes]:
    """Each whole line; the last one may be torn, and the next start repairs it."""
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line[:-1]
