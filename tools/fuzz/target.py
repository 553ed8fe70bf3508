"""What is fuzzed: one parser with its promise, the inputs to begin with, and its language's words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """``check`` raises when the promise is broken for an input; a refusal that is promised it catches itself.

    ``seeds`` are good inputs and near misses; ``words`` are pieces that mean something to the parser.
    """

    name: str
    check: Callable[[bytes], None]
    seeds: tuple[bytes, ...]
    words: tuple[bytes, ...] = ()


class BrokenPromiseError(AssertionError):
    """A parser gave what it never should give; ``.args[0]`` says what."""


def promise(kept: object, said: str) -> None:
    """Raise ``BrokenPromiseError`` with ``said`` unless ``kept``."""
    if not kept:
        raise BrokenPromiseError(said)


def text_of(data: bytes) -> str:
    """The input as text; bytes that are no UTF-8 become halves of characters, which text may hold too."""
    return data.decode("utf-8", "surrogateescape")


def split(data: bytes) -> tuple[int, bytes]:
    """A number from the input's first byte, and the rest: for a target with several doors."""
    return (data[0] if data else 0), data[1:]
