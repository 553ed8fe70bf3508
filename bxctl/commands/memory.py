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
from bxcore.control.memory import ForgetJson, MemoryJson, MemoryLogJson, OutboxJson, ProposalJson
from bxcore.control.requests import EndSessionRequest, Request
from bxctl import importing, memory_text
from bxctl.called import typed
from bxctl.errors import CommandError
from bxctl.place import socket_of
from bxctl.printing import as_json, data, talk
from bxctl.wire import Wire

MODEL_S = 330.0
FILES = ("memory", "user", "notes")
EPILOG = """what it takes:
  memory                            what it remembers about you, with the id of each entry
  memory list [FILE]                the entries of memory, user or notes, or of all three
  memory log [FILE]                 every change, who made it and when, the newest first
  memory add FILE TEXT              write an entry; - as TEXT reads it from standard input
  memory replace ID TEXT            correct an entry
  memory remove ID                  take an entry away; undo brings it back
  memory undo [N]                   take the last change back, or change N of the log
  memory trust ID                   say that an entry of strangers is right as it stands
  memory search QUESTION            what recall finds
  memory forget SESSION             remove a session for good, here and in Honcho
  memory forget --text TEXT         remove every turn, entry and old edit that holds a text
  memory outbox [--retry [ID]]      what has not reached Honcho yet, and try again
  memory outbox --drop ID           never send a turn
  memory consolidate FILE           have a shorter set of entries proposed for a full file
  memory consolidate FILE --accept ID [N …]   take a proposal, or its entries N
  memory import PATH                take in MEMORY.md, USER.md or a chat export of another agent
what removes or imports shows first what it would do, and asks; --yes says yes beforehand"""
STRAY = "; a text of several words goes in quotes"


def arguments(parser: ArgumentParser) -> None:
    """Take what to do, with what, and the flags of some."""
    parser.add_argument(
        "action", nargs="?", choices=[name for name in _ACTIONS if name], metavar="ACTION", help="see below"
    )
    parser.add_argument("words", nargs="*", metavar="…", help="a file, an id, a text or a session")
    parser.add_argument(
        "-n", "--limit", type=int, default=20, metavar="N", help="for log and outbox: N rows (20)"
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
    _check_flags(args)
    return _ACTIONS[args.action](args)


_FLAGS: Mapping[str, tuple[str, ...]] = {
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


def _words(args: Namespace, least: int, most: int, form: str) -> Sequence[str]:
    """The words behind the action, when they are as many as it takes."""
    words: Sequence[str] = args.words
    if not least <= len(words) <= most:
        raise CommandError(Exit.USAGE, f"write {typed('memory')} {args.action} {form}".rstrip())
    return words


def _file(words: Sequence[str]) -> Any:
    """The file that is named, None for none; what is no file's name is the socket's to refuse."""
    if words and words[0] not in FILES:
        raise CommandError(
            Exit.NO_SUCH_THING, f"there is no file {words[0][:20]!r}; write memory, user or notes"
        )
    return words[0] if words else None


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
        talk(f"\nthe files: {', '.join(each['path'] for each in answer['files'])}; edit them as you like")
        talk(memory_text.commands())
    return Exit.OK


def _list(args: Namespace) -> int:
    answer: MemoryJson = _ask(args, r.MemoryRequest(file=_file(_words(args, 0, 1, "[FILE]"))))
    return _show(args, answer, memory_text.files(answer["files"]))


def _log(args: Namespace) -> int:
    file = _file(_words(args, 0, 1, "[FILE]"))
    answer: MemoryLogJson = _ask(args, r.MemoryLogRequest(file=file, limit=args.limit))
    if not answer["revisions"] and not args.json:
        talk("nothing was changed yet")
        return Exit.OK
    return _show(args, answer, memory_text.log(answer["revisions"]))


def _done(args: Namespace, request: Request) -> int:
    answer: DoneJson = _ask(args, request)
    return _show(args, answer, answer["sentence"])


def _add(args: Namespace) -> int:
    file, text = _words(args, 2, 2, "FILE TEXT, with the text in quotes")
    return _done(args, r.MemoryEditRequest(action="add", file=_file([file]), text=_text(text)))


def _replace(args: Namespace) -> int:
    wanted, text = _words(args, 2, 2, "ID TEXT, with the text in quotes")
    return _done(args, r.MemoryEditRequest(action="replace", id=wanted, text=_text(text)))


def _text(word: str) -> str:
    return sys.stdin.read().strip() if word == "-" else word


def _remove(args: Namespace) -> int:
    return _done(args, r.MemoryEditRequest(action="remove", id=_words(args, 1, 1, "ID")[0]))


def _undo(args: Namespace) -> int:
    words = _words(args, 0, 1, "[N]")
    if words and not words[0].isdecimal():
        raise CommandError(
            Exit.USAGE, f"{words[0]!r} is no number; {typed('memory')} log numbers the changes"
        )
    return _done(args, r.MemoryUndoRequest(number=int(words[0]) if words else None))


def _trust(args: Namespace) -> int:
    return _done(args, r.MemoryTrustRequest(id=_words(args, 1, 1, "ID")[0]))


def _search(args: Namespace) -> int:
    answer: AskJson = _ask(args, r.MemorySearchRequest(query=" ".join(_words(args, 1, 500, "QUESTION"))))
    _show(args, answer, answer["content"])
    return Exit.OK if answer["ok"] else Exit.FAILED


def _forget(args: Namespace) -> int:
    words = _words(args, 0, 1, "SESSION, or --text TEXT")
    if bool(words) == bool(args.text):
        raise CommandError(Exit.USAGE, f"name a session, or a text: {typed('memory')} forget --text TEXT")
    session, text = words[0] if words else "", args.text or ""
    found: ForgetJson = _ask(args, r.MemoryForgetRequest(session=session, text=text))
    nothing = not (found["sessions"] or found["entries"] or found["revisions"])
    if nothing or not _wanted(args, memory_text.forgotten(found), "forget it for good?"):
        return _nothing_done(args, found, "nothing holds that text" if nothing else "nothing was forgotten")
    for busy in found["busy"]:
        talk(f"session {busy} is open; it is ended first")
        _ask(args, EndSessionRequest(session=busy))
    answer: ForgetJson = _ask(args, r.MemoryForgetRequest(session=session, text=text, dry_run=False))
    if not answer["done"]:
        busy = ", ".join(answer["busy"])
        raise CommandError(
            Exit.FAILED, f"nothing was forgotten, these sessions are open again: {busy}; try again"
        )
    return _show(args, answer, memory_text.forgotten(answer))


def _nothing_done(args: Namespace, found: object, sentence: str) -> int:
    if args.json:
        as_json(found)
    talk(sentence)
    return Exit.OK


def _wanted(args: Namespace, would: str, question: str) -> bool:
    """Show what would be done, and ask a person at a terminal; elsewhere ``--yes`` is the yes."""
    if args.yes:
        return True
    if not args.json:
        data(would)
    if not sys.stdin.isatty():
        raise CommandError(Exit.USAGE, "nothing was changed; add --yes to do it")
    sys.stdout.flush()
    talk(f"{question} y or n")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _outbox(args: Namespace) -> int:
    _words(args, 0, 0, "[--retry [ID]] [--drop ID]")
    if args.retry is not None:
        return _done(args, r.OutboxRetryRequest(id=args.retry or None))
    if args.drop is not None:
        if not _wanted(args, f"{args.drop} is never sent to Honcho then", "drop it?"):
            return _nothing_done(args, {"ok": False}, "nothing was dropped")
        return _done(args, r.OutboxDropRequest(id=args.drop))
    answer: OutboxJson = _ask(args, r.OutboxRequest(limit=args.limit))
    if args.json:
        as_json(answer)
    elif not answer["rows"]:
        talk("every turn is delivered")
    else:
        data(memory_text.outbox(answer))
        talk(memory_text.outbox_sentence(answer))
    return Exit.OK


def _consolidate(args: Namespace) -> int:
    words = _words(args, 1, 100, "FILE [--accept ID [N …]]")
    if args.accept is not None:
        numbers = words[1:]
        if not all(word.isdecimal() for word in numbers):
            raise CommandError(Exit.USAGE, "name the entries of the proposal by their numbers")
        chosen = tuple(map(int, numbers)) or None
        return _done(args, r.MemoryAcceptRequest(id=args.accept, numbers=chosen))
    if not args.json:
        talk("asking the model; this may take some minutes")
    answer: ProposalJson = _ask(args, r.MemoryConsolidateRequest(file=_file(words)), MODEL_S)
    _show(args, answer, memory_text.proposal(answer))
    if not args.json:
        accept = f"{typed('memory')} consolidate {answer['file']} --accept {answer['id']}"
        talk(f"{accept} takes it; with numbers behind, only those entries")
    return Exit.OK


def _import(args: Namespace) -> int:
    [path] = _words(args, 1, 1, "PATH")
    found = importing.read(Path(path))
    for problem in found.problems:
        talk(problem)
    wire = Wire(socket_of(args))
    pieces = list(importing.pieces(found, args.speaker))
    if not pieces:
        return Exit.FAILED
    dry = [importing.hand_over(wire, piece, dry_run=True) for piece in pieces if _is_first(piece)]
    would = "\n".join(
        memory_text.imported(each, piece.what)
        for each, piece in zip(dry, filter(_is_first, pieces), strict=True)
    )
    if not _wanted(args, would, "import it?"):
        return _nothing_done(args, dry, "nothing was imported")
    done = [importing.hand_over(wire, piece, dry_run=False) for piece in pieces]
    for refused in (sentence for each in done for sentence in each["refused"]):
        talk(refused)
    lines = (memory_text.imported(each, piece.what) for each, piece in zip(done, pieces, strict=True))
    return _show(args, done, "\n".join(lines))


def _is_first(piece: importing.Piece) -> bool:
    """Only a conversation's first piece can be tried: the others go on behind what is not there yet."""
    return getattr(piece.request, "first", 1) == 1


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
