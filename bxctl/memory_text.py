"""Memory and the outbox in words for people (spec 4.2, 4.7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from bxcore.control.answers import LabelJson
from bxcore.control.memory import (
    EntryJson,
    FileJson,
    ForgetJson,
    ImportJson,
    OutboxJson,
    ProposalJson,
    ProposedJson,
    RevisionJson,
)
from bxctl.called import typed
from bxctl.columns import wrapped
from bxctl.printing import age, table

_INDENT = 8
_NAMED = 10
"""Sessions, sentences or conversations that are shown one by one; programs get all."""
_TITLES = {
    "memory": "what it remembers, shown to every new session",
    "user": "whom it talks with, shown to every new session",
    "notes": "found by recall",
}


def files(shown: Iterable[FileJson]) -> str:
    """Each file with its entries, an id before each."""
    return "\n\n".join("\n".join(_file(each)) for each in shown)


def _file(shown: FileJson) -> Iterator[str]:
    full = f"{shown['size']} of {shown['limit']} characters"
    yield f"{shown['file']}.md: {_TITLES.get(shown['file'], '')} ({full})"
    if not shown["entries"]:
        yield "  nothing"
    for entry in shown["entries"]:
        yield _entry(entry)


def _entry(entry: EntryJson) -> str:
    about = [entry["origin"], label(entry["label"]), "label lifted" if entry["lifted"] else ""]
    text = wrapped(entry["text"], first=f"{entry['id']:{_INDENT}}")
    return f"{text}\n{' ' * _INDENT}{', '.join(part for part in about if part)}"


def label(shown: LabelJson) -> str:
    """A label that says more than the usual one, else nothing."""
    parts = [shown["class"] if shown["class"] != "private" else "", "untrusted" if shown["untrusted"] else ""]
    return ", ".join(part for part in parts if part)


def overview(shown: Iterable[FileJson]) -> str:
    """What it remembers about a person, and how many notes there are."""
    by_name = {each["file"]: each for each in shown}
    notes = by_name["notes"]["entries"]
    strange = sum(entry["label"]["untrusted"] for entry in notes)
    kept = _count(len(notes), "note", "notes") + (f", {strange} of them untrusted" if strange else "")
    return "\n".join(
        [
            files(by_name[name] for name in ("user", "memory")),
            "",
            f"notes.md: {kept}; {typed('memory')} list notes shows them",
        ]
    )


def commands(shown: Sequence[FileJson]) -> str:
    """Where the files are, and what may be done next."""
    memory = typed("memory")
    folders = sorted({str(PurePath(each["path"]).parent) for each in shown})
    rows = [
        ("replace ID TEXT", "corrects an entry; remove ID takes it away, add user TEXT writes one"),
        ("undo", "takes the last change back; log shows them all"),
        ("search QUESTION", "finds what was said in any session, and notes"),
        ('forget --text "…"', "removes everything that holds a text, for good"),
        ("--help", "has the rest"),
    ]
    lines = [f"the files are in {', '.join(folders)}; edit them as you like"]
    lines += [f"  {memory} {words:17}  {what}" for words, what in rows]
    return "\n".join(lines)


def entry_of(shown: Iterable[FileJson], wanted: str) -> str:
    """One entry by its id, empty when there is none."""
    return "\n".join(_entry(each) for file in shown for each in file["entries"] if each["id"] == wanted)


def log(revisions: Iterable[RevisionJson]) -> str:
    """Edits, the newest first, what went with a minus and what came with a plus."""
    return "\n".join("\n".join(_revision(each)) for each in revisions)


def _revision(each: RevisionJson) -> Iterator[str]:
    about = [each["origin"], label(each["label"]), f"undone by {each['undone']}" if each["undone"] else ""]
    said = ", ".join(part for part in about if part)
    yield f"{each['number']}  {each['at'][:16].replace('T', ' ')}  {each['file']}.md  {said}"
    for mark, texts in (("-", each["removed"]), ("+", each["added"])):
        for text in texts:
            yield wrapped(text, first=f"   {mark} ")


def proposal(shown: ProposalJson, now: Iterable[FileJson]) -> str:
    """A shorter set, each entry with those that it stands for as they are ``now``."""
    kept = _count(len(shown["kept"]), "entry stays", "entries stay")
    head = (
        f"{shown['file']}.md would hold {shown['size_after']} instead of {shown['size_before']} "
        f"of {shown['limit']} characters; {kept} as before"
    )
    texts = {entry["id"]: entry["text"] for file in now for entry in file["entries"]}
    return "\n".join([head, *(line for entry in shown["entries"] for line in _proposed(entry, texts))])


def _proposed(entry: ProposedJson, texts: Mapping[str, str]) -> Iterator[str]:
    yield wrapped(entry["text"], first=f"{entry['number']:3}  ")
    if label(entry["label"]):
        yield f"     {label(entry['label'])}"
    for each in entry["stands_for"]:
        yield wrapped(texts.get(each, "(gone)"), first=f"     - {each:{_INDENT}}")


def forgotten(shown: ForgetJson) -> str:
    """What was forgotten, or would be, and what stays."""
    found = [
        _count(shown["turns"], "turn", "turns")
        + (f" in {_some(shown['sessions'])}" if shown["sessions"] else ""),
        _count(shown["entries"], "entry of memory", "entries of memory"),
        _count(shown["revisions"], "old edit", "old edits"),
    ]
    counts = (len(shown["sessions"]), shown["entries"], shown["revisions"])
    said = ", ".join(text for text, count in zip(found, counts, strict=True) if count)
    lines = [f"{'forgotten' if shown['done'] else 'to be forgotten'}: {said or 'nothing'}"]
    lines += [wrapped(sentence, first="  stays: ") for sentence in shown["left"]]
    return "\n".join(lines)


def imported(answers: Sequence[ImportJson]) -> str:
    """What an import brought, or would bring: each thing, or their sum when there are many."""
    talks = [each for each in answers if each["session"]]
    notes = [each for each in answers if not each["session"]]
    lines = [_imported(each, ("note", "notes"), "") for each in notes]
    if len(talks) > _NAMED:
        total: ImportJson = {
            "done": talks[0]["done"],
            "new": sum(each["new"] for each in talks),
            "already": sum(each["already"] for each in talks),
            "session": "",
            "refused": [],
        }
        lines.append(_imported(total, ("turn", "turns"), f" of {len(talks)} conversations"))
    else:
        lines += [_imported(each, ("turn", "turns"), f" into session {each['session']}") for each in talks]
    refused = [sentence for each in answers for sentence in each["refused"]]
    return "\n".join([*lines, left_out(refused)] if refused else lines)


def _imported(shown: ImportJson, words: tuple[str, str], where: str) -> str:
    verb = "imported" if shown["done"] else "to be imported" if shown["new"] else "nothing new"
    already = f"; {shown['already']} there already" if shown["already"] else ""
    return f"{verb}: {_count(shown['new'], *words)}{where}{already}"


def left_out(sentences: Sequence[str]) -> str:
    """What of an import is not taken, the first of it."""
    more = len(sentences) - _NAMED
    lines = [wrapped(sentence, first="  not taken: ") for sentence in sentences[:_NAMED]]
    return "\n".join([*lines, f"  not taken: {more} more"] if more > 0 else lines)


def _count(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def outbox(shown: OutboxJson) -> str:
    """What is not in Honcho, a row a turn."""
    rows = [
        (row["id"], row["state"], row["workspace"], age(row["age_s"]), row["why"] or "its turn comes")
        for row in shown["rows"]
    ]
    return table(rows, ("TURN", "STATE", "WORKSPACE", "AGE", "WHY"))


def outbox_sentence(shown: OutboxJson) -> str:
    """How much waits, and what helps."""
    said = [f"{shown['waiting']} waiting, {shown['parked']} parked"]
    if shown["failing"]:
        said.append(f"the last try failed: {shown['failing']}; the next is in {age(shown['next_try_s'])}")
    if shown["parked"] or shown["failing"]:
        when = "tries again" if shown["parked"] else "tries at once"
        said.append(f"{typed('memory')} outbox --retry {when}, --drop ID gives one up")
    said += [f"{workspace}: {text}" for workspace, text in shown["queue"].items()]
    return "; ".join(said)
