"""The first words of a command line, read more strictly than a shell reads it (spec 2.2).

What decides here is not the shell that runs. So everything is refused that the two could read differently,
or that runs what does not stand there: substitutions, here-documents, subshells, the shell's own constructs.
What is left is simple commands between ``;``, ``&``, ``&&``, ``|``, ``||`` and new lines (POSIX, XCU 2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from bxcore.errors import SentenceError

RESERVED = frozenset(
    (
        *("!", "[[", "]]", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for"),
        *("function", "if", "in", "select", "then", "time", "until", "while"),
    )
)
"""The shell's own where a command's first word is expected (POSIX, XCU 2.4, and bash)."""

_NAME = "[A-Za-z_][A-Za-z0-9_]*"
_VARIABLE = rf"\$(?:{_NAME}|\{{{_NAME}\}}|[0-9@*#?$!-])"
_TOKEN = re.compile(
    rf"""
    (?P<blank>[ \t]+)
  | (?P<end>&&|\|\||[;&|\n])
  | (?P<heredoc><<)
  | (?P<process>[<>]\()
  | (?P<redirect>>>|>\||>&|<&|<>|[<>])
  | (?P<group>[()])
  | (?P<single>'[^']*')
  | (?P<double>"(?:[^"\\]|\\.)*")
  | (?P<escaped>\\.)
  | (?P<tick>`)
  | (?P<variable>{_VARIABLE})
  | (?P<dollar>\$(?=[(\[{{'"`\\]))
  | (?P<glob>[*?\[~])
  | (?P<plain>[^\s'"\\`<>|&;()$*?\[~]+|[^'"\\])
    """,
    re.VERBOSE | re.DOTALL,
)
_REFUSED = {
    "heredoc": "command holds a here-document; write the text to a file first",
    "process": "command runs a command inside a redirection; write simple commands",
    "group": "command holds a bracket of the shell's own; write simple commands, or quote it",
    "tick": "command runs a command inside backquotes; write simple commands",
    "dollar": "command holds a substitution after a $; write simple commands, or quote it with '",
}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_COMMENT = re.compile(r"#[^\n]*")
_STREAM = re.compile(r"[0-9](?=[<>])")
_ASSIGNS = re.compile(rf"{_NAME}(?:\[.*)?\+?=", re.DOTALL)
_IN_DOUBLE = re.compile(
    rf"(?P<escaped>\\.)|(?P<variable>{_VARIABLE})|(?P<dollar>\$(?=[(\[{{]))|(?P<tick>`)", re.DOTALL
)


class CommandError(SentenceError):
    """A command line whose commands cannot be told for certain."""


class _Token(NamedTuple):
    kind: str
    text: str


@dataclass(slots=True)
class _Word:
    """``value`` is without quotes; ``bare`` is what stood outside of them, an expansion among it or not."""

    value: str = ""
    bare: str = ""
    expands: bool = False

    def add(self, token: _Token) -> None:
        """Take one more piece."""
        match token.kind:
            case "single":
                self.value += token.text[1:-1]
            case "double":
                self.value += _IN_DOUBLE.sub(lambda found: _unescaped(found[0]), token.text[1:-1])
                self.expands |= any(
                    found["variable"] is not None for found in _IN_DOUBLE.finditer(token.text[1:-1])
                )
            case "escaped":
                self.value += token.text[1]
            case _:
                self.value += token.text
                self.bare += token.text
                self.expands |= token.kind != "plain"


def first_words(command: str) -> tuple[str, ...]:
    """The first word of each simple command, in order; raises ``CommandError`` with what to write instead."""
    if _CONTROL.search(command):
        raise CommandError("command holds a control character; leave it out")
    if "\\\n" in command or command.endswith("\\"):
        raise CommandError("command has a backslash at the end of a line; write each command on one line")
    return tuple(_first(words[0]) for words in _simple_commands(command) if words)


def _first(word: _Word) -> str:
    if _ASSIGNS.match(word.bare):
        raise CommandError("command sets a variable before a word; write the command without it")
    if word.value in RESERVED:
        raise CommandError("command holds a construct of the shell, such as if or for; write simple commands")
    if word.expands and word.value != "[":
        raise CommandError("command has an expansion in a first word; write the command's own name")
    return word.value


def _simple_commands(command: str) -> Iterator[list[_Word]]:
    """The words of each command; a redirection and its target are none of them."""
    words: list[_Word] = []
    redirected = False
    for piece in (*_pieces(command), _Token("end", "")):
        if isinstance(piece, _Word):
            if not redirected:
                words.append(piece)
            redirected = False
        elif redirected:
            raise CommandError("command has a redirection to nowhere; name its file")
        elif piece.kind == "redirect":
            redirected = True
        else:
            yield words
            words = []


def _pieces(command: str) -> Iterator[_Word | _Token]:
    """Words, and the ends and redirections between them."""
    word: _Word | None = None
    for token in _tokens(command):
        if token.kind in ("blank", "end", "redirect"):
            if word is not None:
                yield word
            word = None
            if token.kind != "blank":
                yield token
        else:
            word = word or _Word()
            word.add(token)
    if word is not None:
        yield word


def _tokens(command: str) -> Iterator[_Token]:
    """All of the text in pieces, comments and the numbers of redirected streams left out."""
    at, inside_word = 0, False
    while at < len(command):
        skipped = None if inside_word else _COMMENT.match(command, at) or _STREAM.match(command, at)
        if skipped:
            at = skipped.end()
            continue
        found = _TOKEN.match(command, at)
        if found is None:
            raise CommandError("command has a quote that is not closed; close it")
        token = _Token(found.lastgroup or "", found[0])
        _check(token)
        yield token
        at, inside_word = found.end(), token.kind not in ("blank", "end", "redirect")


def _check(token: _Token) -> None:
    if token.kind in _REFUSED:
        raise CommandError(_REFUSED[token.kind])
    if token.kind == "double":
        for found in _IN_DOUBLE.finditer(token.text[1:-1]):
            if found.lastgroup in _REFUSED:
                raise CommandError(_REFUSED[found.lastgroup])


def _unescaped(text: str) -> str:
    """Inside double quotes a backslash stands for itself, but for these four after it."""
    return text[1:] if text[0] == "\\" and text[1] in '"$`\\' else text
