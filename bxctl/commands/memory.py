"""``bxctl memory``: see what is remembered, change it, take a change back, forget for good (spec 4.2)."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bxcore.control import Exit
from bxcore.control import memory_requests as r
from bxcore.control.answers import AskJson, DoneJson
from bxcore.control.memory import MemoryJson, MemoryLogJson, ProposalJson
from bxcore.control.memory_requests import MemoryFile
from bxcore.control.requests import Request
from bxcore.did_you_mean import hint
from bxctl import memory_text
from bxctl.called import typed
from bxctl.commands._memory_forget import forget
from bxctl.commands._memory_import import take_in
from bxctl.commands._memory_outbox import outbox
from bxctl.errors import CommandError
from bxctl.place import socket_of
from bxctl.printing import as_json, data, talk
from bxctl.wire import Wire

MODEL_S = 330.0
FILES: Mapping[str, MemoryFile] = {"memory": "memory", "user": "user", "notes": "notes"}
ROWS = 20
MOST_DIGITS = 9
MOST_CHARACTERS = 100_000
"""Of standard input; an entry has far less."""
EPILOG = """what it takes; a FILE is memory, user or notes, an ID stands before each entry:
  memory                          what it remembers about you
  memory list [FILE]              the entries of a file, or of all three
  memory log [FILE]               every change, who made it and when, the newest first
  memory add FILE TEXT            write an entry; - as TEXT reads it from standard input
  memory replace ID TEXT          correct an entry
  memory remove ID                take an entry away; undo brings it back
  memory undo [N]                 take back the last change, or change N of the log, an undo too
  memory trust ID                 say that an entry with strangers' words is right as it stands
  memory search QUESTION          what recall finds in all sessions and notes
  memory forget SESSION           remove a session for good, here and in Honcho
  memory forget --text TEXT       remove every turn, entry and old edit that holds a text
  memory outbox                   what has not reached Honcho yet, and why
  memory outbox --retry [ID]      try a parked turn again, or all
  memory outbox --drop ID         never send a turn
  memory consolidate FILE         have the model propose shorter entries for a full file
  memory consolidate FILE --accept ID [N …]   take a proposal, or its entries N
  memory import PATH              take in MEMORY.md, USER.md, a chat export, or a folder of them
forget, import and --drop show first what they would do, and ask; --yes says yes beforehand"""
STRAY = "; a text of several words goes in quotes"


def arguments(parser: ArgumentParser) -> None:
    """Take what to do, with what, and the flags of some."""
    parser.add_argument("action", nargs="?", metavar="ACTION", help="see below")
    parser.add_argument("words", nargs="*", metavar="WORD", help="a file, an id, a text or a session")
    parser.add_argument(
        "-n", "--limit", type=int, metavar="N", help=f"for log and outbox: at most N rows ({ROWS})"
    )
    parser.add_argument("--text", metavar="TEXT", help="for forget: what holds this text")
    parser.add_argument("--yes", action="store_true", help="for forget, outbox and import: do not ask")
    parser.add_argument(
        "--retry", nargs="?", const="", metavar="ID", help="for outbox: try a parked turn again, or all"
    )
    parser.add_argument("--drop", metavar="ID", help="for outbox: give a turn up")
    parser.add_argument("--accept", metavar="ID", help="for consolidate: take this proposal")
    parser.add_argument(
        "--speaker", metavar="NAME", help="for import: who said it; then Honcho learns of it too"
    )


def run(args: Namespace) -> int:
    """Do one of them."""
    if args.action not in _ACTIONS:
        names = [name for name in _ACTIONS if name]
        near = hint(args.action, names) or f"; write one of {', '.join(names)}"
        raise CommandError(Exit.USAGE, f"{typed('memory')} has no {args.action[:20]!r}{near}")
    _check_flags(args)
    return _ACTIONS[args.action](args)


_FLAGS: Mapping[str, tuple[str, ...]] = {
    "limit": ("log", "outbox"),
    "text": ("forget",),
    "yes": ("forget", "outbox", "import"),
    "retry": ("outbox",),
    "drop": ("outbox",),
    "accept": ("consolidate",),
    "speaker": ("import",),
}


def _check_flags(args: Namespace) -> None:
    for flag, of in _FLAGS.items():
        given = getattr(args, flag)
        if given is not None and given is not False and args.action not in of:
            raise CommandError(Exit.USAGE, f"--{flag} is for {typed('memory')} {' and '.join(of)}")
    if args.limit is not None and args.limit < 1:
        raise CommandError(Exit.USAGE, "-n takes a number from 1")


def _words(args: Namespace, least: int, most: int, form: str) -> Sequence[str]:
    """The words behind the action, when they are as many as it takes."""
    words: Sequence[str] = args.words
    if not least <= len(words) <= most:
        raise CommandError(Exit.USAGE, f"write {typed('memory')} {args.action} {form}".rstrip())
    return words


def _file(words: Sequence[str]) -> MemoryFile | None:
    """The file that is named, None for none; raises ``CommandError``."""
    if not words:
        return None
    name = words[0].strip().lower().removesuffix(".md")
    if name not in FILES:
        raise CommandError(
            Exit.NO_SUCH_THING, f"there is no file {words[0][:20]!r}; write memory, user or notes"
        )
    return FILES[name]


def _named(words: Sequence[str]) -> MemoryFile:
    file = _file(words)
    assert file is not None  # there is a word
    return file


def _id(word: str) -> str:
    """An id as a phone may write it."""
    return word.strip().lower()


def _number(word: str) -> int:
    if not (word.isascii() and word.isdecimal() and len(word) <= MOST_DIGITS):
        raise CommandError(Exit.USAGE, f"{word[:20]!r} is no number")
    return int(word)


def _ask(args: Namespace, request: Request, timeout_s: float = 200.0) -> Any:
    return Wire(socket_of(args)).call(request, timeout_s)


def _show(args: Namespace, answer: object, text: str) -> int:
    if args.json:
        as_json(answer)
    else:
        data(text)
    return Exit.OK


def _overview(args: Namespace) -> int:
    answer: MemoryJson = _ask(args, r.MemoryRequest())
    _show(args, answer, memory_text.overview(answer["files"]))
    if not args.json:
        sys.stdout.flush()
        talk(f"\n{memory_text.commands(answer['files'])}")
    return Exit.OK


def _list(args: Namespace) -> int:
    answer: MemoryJson = _ask(args, r.MemoryRequest(file=_file(_words(args, 0, 1, "[FILE]"))))
    return _show(args, answer, memory_text.files(answer["files"]))


def _log(args: Namespace) -> int:
    file = _file(_words(args, 0, 1, "[FILE]"))
    limit = args.limit or ROWS
    answer: MemoryLogJson = _ask(args, r.MemoryLogRequest(file=file, limit=limit))
    shown = answer["revisions"]
    if not shown and not args.json:
        talk("nothing was changed yet")
        return Exit.OK
    _show(args, answer, memory_text.log(shown))
    if len(shown) == limit and shown[-1]["number"] > 1 and not args.json:
        sys.stdout.flush()
        talk(f"the newest {limit}; -n {10 * limit} shows more")
    return Exit.OK


def _done(args: Namespace, request: Request) -> int:
    answer: DoneJson = _ask(args, request)
    return _show(args, answer, answer["sentence"])


def _add(args: Namespace) -> int:
    file, text = _words(args, 2, 2, "FILE TEXT, with the text in quotes")
    return _done(args, r.MemoryEditRequest(action="add", file=_file([file]), text=_text(text)))


def _replace(args: Namespace) -> int:
    wanted, text = _words(args, 2, 2, "ID TEXT, with the text in quotes")
    return _done(args, r.MemoryEditRequest(action="replace", id=_id(wanted), text=_text(text)))


def _text(word: str) -> str:
    """The text of an entry, from standard input for ``-``; raises ``CommandError``."""
    text = sys.stdin.read(MOST_CHARACTERS + 1).strip() if word == "-" else word
    if len(text) > MOST_CHARACTERS:
        raise CommandError(
            Exit.USAGE, f"the text has over {MOST_CHARACTERS:,} characters; an entry holds far fewer"
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise CommandError(Exit.USAGE, "the text is not UTF-8; write it in UTF-8")
    return text


def _remove(args: Namespace) -> int:
    return _done(args, r.MemoryEditRequest(action="remove", id=_id(_words(args, 1, 1, "ID")[0])))


def _undo(args: Namespace) -> int:
    words = _words(args, 0, 1, f"[N]; {typed('memory')} log numbers the changes")
    return _done(args, r.MemoryUndoRequest(number=_number(words[0]) if words else None))


def _trust(args: Namespace) -> int:
    """The entry is shown whole, since the label of these very bytes is lifted."""
    wanted = _id(_words(args, 1, 1, "ID")[0])
    if not args.json:
        shown = memory_text.entry_of(_ask(args, r.MemoryRequest())["files"], wanted)
        if shown:
            data(shown)
            sys.stdout.flush()
    return _done(args, r.MemoryTrustRequest(id=wanted))


def _search(args: Namespace) -> int:
    answer: AskJson = _ask(args, r.MemorySearchRequest(query=" ".join(_words(args, 1, 500, "QUESTION"))))
    _show(args, answer, answer["content"])
    return Exit.OK if answer["ok"] else Exit.FAILED


def _forget(args: Namespace) -> int:
    words = _words(args, 0, 1, "SESSION, or --text TEXT")
    if bool(words) == (args.text is not None):
        raise CommandError(Exit.USAGE, f"name a session, or a text: {typed('memory')} forget --text TEXT")
    return forget(args, _id(words[0]) if words else "", _text(args.text or ""))


def _outbox(args: Namespace) -> int:
    _words(args, 0, 0, "[--retry [ID]] [--drop ID]")
    return outbox(args, args.limit or ROWS)


def _consolidate(args: Namespace) -> int:
    words = _words(args, 1, 100, "FILE [--accept ID [N …]]")
    if args.accept is not None:
        _file(words)
        chosen = tuple(map(_number, words[1:])) or None
        return _done(args, r.MemoryAcceptRequest(id=_id(args.accept), numbers=chosen))
    _words(args, 1, 1, "FILE; entries are chosen with --accept ID [N …]")
    file = _named(words)
    if not args.json:
        talk("asking the model; this may take some minutes")
    answer: ProposalJson = _ask(args, r.MemoryConsolidateRequest(file=file), MODEL_S)
    if args.json:
        return _show(args, answer, "")
    now: MemoryJson = _ask(args, r.MemoryRequest(file=_named(words)))
    data(memory_text.proposal(answer, now["files"]))
    sys.stdout.flush()
    accept = f"{typed('memory')} consolidate {answer['file']} --accept {answer['id']}"
    talk(f"{accept} takes it; with numbers behind, only those entries")
    return Exit.OK


def _import(args: Namespace) -> int:
    return take_in(args, Path(_words(args, 1, 1, "PATH")[0]))


_ACTIONS: Mapping[str | None, Callable[[Namespace], int]] = {
    None: _overview,
    "list": _list,
    "log": _log,
    "add": _add,
    "replace": _replace,
    "remove": _remove,
    "undo": _undo,
    "trust": _trust,
    "search": _search,
    "forget": _forget,
    "outbox": _outbox,
    "consolidate": _consolidate,
    "import": _import,
}
