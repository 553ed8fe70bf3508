"""New inputs out of old ones: bytes flipped, pieces cut, repeated, moved, joined, words put in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

LONGEST = 16_384
"""Bytes of an input, most of the time."""
LONGEST_BLOWN = 262_144
"""Bytes of the few inputs that are one piece many times over, to find what takes too long."""

COMMON = (
    *(
        b"\x00",
        b"\xff",
        b"\r\n",
        b"\n",
        b"\xe2\x80\x8b",
        b"\xed\xa0\x80",
        b"\xf0\x9f\x91\xa7",
        b"\xef\xbc\x9c",
    ),
    *(b"{", b"}", b"[", b"]", b'"', b"\\", b"'", b"0", b"-1", b"1e999", b"NaN", b"null", b"true", b"\\ud800"),
    *(b"99999999999999999999", b"../", b"%00", b"$(", b"<", b">", b"|", b"&", b";", b"#", b"=", b":", b","),
)
"""What troubles most parsers."""

Words: TypeAlias = Sequence[bytes]


def mutated(chance: Random, seeds: Words, words: Words) -> bytes:
    """One new input: a seed changed in one to eight ways."""
    data = bytearray(chance.choice(seeds)) if seeds else bytearray()
    for _ in range(1 << chance.randrange(4)):
        chance.choice(_WAYS)(chance, data, words)
    if chance.randrange(200) == 0:
        return _blown(chance, bytes(data))
    if chance.randrange(12) == 0 and seeds:
        data += chance.choice(seeds)
    return bytes(data[:LONGEST])


def _blown(chance: Random, data: bytes) -> bytes:
    """One short piece many times over, with the whole before or behind it."""
    start, end = _piece(chance, data, longest=12)
    piece = data[start:end] or b"a"
    many = piece * (chance.choice((2_000, 20_000, LONGEST_BLOWN)) // len(piece))
    return chance.choice((many, data + many, many + data))[:LONGEST_BLOWN]


def _piece(chance: Random, data: bytes | bytearray, longest: int = 64) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.randrange(1, longest + 1))


def _flip(chance: Random, data: bytearray, _words: Words) -> None:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _byte(chance: Random, data: bytearray, _words: Words) -> None:
    data.insert(chance.randrange(len(data) + 1), chance.randrange(256))


def _cut(chance: Random, data: bytearray, _words: Words) -> None:
    start, end = _piece(chance, data)
    del data[start:end]


def _end_early(chance: Random, data: bytearray, _words: Words) -> None:
    del data[chance.randrange(len(data) + 1) :]


def _again(chance: Random, data: bytearray, _words: Words) -> None:
    start, end = _piece(chance, data)
    at = chance.randrange(len(data) + 1)
    data[at:at] = data[start:end] * chance.choice((1, 1, 2, 5, 40))
    del data[LONGEST:]


def _swap(chance: Random, data: bytearray, _words: Words) -> None:
    start, end = _piece(chance, data)
    piece = data[start:end]
    del data[start:end]
    at = chance.randrange(len(data) + 1)
    data[at:at] = piece


def _word(chance: Random, data: bytearray, words: Words) -> None:
    at = chance.randrange(len(data) + 1)
    data[at:at] = chance.choice((*words, *COMMON))


def _word_over(chance: Random, data: bytearray, words: Words) -> None:
    start, end = _piece(chance, data, longest=16)
    data[start:end] = chance.choice((*words, *COMMON))


_WAYS: tuple[Callable[[Random, bytearray, Words], None], ...] = (
    _flip,
    _byte,
    _cut,
    _end_early,
    _again,
    _swap,
    _word,
    _word,
    _word_over,
)
