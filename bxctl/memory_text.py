"""Memory and the outbox in words for people (spec 4.2, 4.7)."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator

from bxcore.control.answers import LabelJson
from bxcore.control.memory import (
    EntryJson,
    FileJson,
    ForgetJson,
    ImportJson,
    OutboxJson,
    ProposalJson,
    RevisionJson,
)
from bxctl.called import typed
from bxctl.printing import age, table

_WIDEST = 100
_NARROWEST = 40
_INDENT = 8
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
    text = _wrapped(entry["text"], first=f"{entry['id']}  ")
    return f"{text}\n{' ' * _INDENT}{', '.join(part for part in about if part)}"


def label(shown: LabelJson) -> str:
    """A label that says more than the usual one, else nothing."""
    parts = [shown["class"] if shown["class"] != "private" else "", "untrusted" if shown["untrusted"] else ""]
    return ", ".join(part for part in parts if part)


def overview(shown: Iterable[FileJson]) -> str:
    """What it remembers about a person, how many notes there are, and where it all lies."""
    by_name = {each["file"]: each for each in shown}
    notes = by_name["notes"]
    kept = len(notes["entries"])
    lines = [
        files(by_name[name] for name in ("user", "memory")),
        "",
        f"notes.md: {kept} {'note' if kept == 1 else 'notes'}; {typed('memory')} list notes shows them",
    ]
    return "\n".join(lines)


def commands() -> str:
    """What may be done next."""
    memory = typed("memory")
    return "\n".join(
        [
            f"{memory} replace ID TEXT   corrects an entry, {memory} remove ID takes it away",
            f"{memory} undo              takes the last change back; {memory} log shows all",
            f'{memory} forget --text "…" removes what holds a text everywhere, for good',
        ]
    )


def log(revisions: Iterable[RevisionJson]) -> str:
    """Edits, the newest first, what went with a minus and what came with a plus."""
    return "\n".join("\n".join(_revision(each)) for each in revisions)


def _revision(each: RevisionJson) -> Iterator[str]:
    about = [each["origin"], label(each["label"]), f"undone by {each['undone']}" if each["undone"] else ""]
    said = ", ".join(part for part in about if part)
    yield f"{each['number']}  {each['at'][:16].replace('T', ' ')}  {each['file']}.md  {said}"
    for mark, texts in (("-", each["removed"]), ("+", each["added"])):
        for text in texts:
            yield _wrapped(text, first=f"   {mark} ")


def proposal(shown: ProposalJson) -> str:
    """A shorter set, each entry with the ids that it stands for."""
    head = (
        f"{shown['file']}.md would hold {shown['size_after']} instead of {shown['size_before']} "
        f"of {shown['limit']} characters; {len(shown['kept'])} entries stay as they are"
    )
    lines = [head]
    for entry in shown["entries"]:
        lines.append(_wrapped(entry["text"], first=f"  {entry['number']}  "))
        said = ", ".join(part for part in (", ".join(entry["stands_for"]), label(entry["label"])) if part)
        lines.append(f"{' ' * _INDENT}for {said}")
    return "\n".join(lines)


def forgotten(shown: ForgetJson) -> str:
    """What was forgotten, or would be, and what stays."""
    counts = [
        (shown["turns"], "turn", "turns"),
        (shown["entries"], "entry of memory", "entries of memory"),
        (shown["revisions"], "old edit", "old edits"),
    ]
    found = ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts if count)
    where = f" in {', '.join(shown['sessions'])}" if shown["sessions"] else ""
    verb = "forgotten" if shown["done"] else "to be forgotten"
    lines = [f"{verb}: {found or 'nothing'}{where}"]
    lines += [f"  stays: {sentence}" for sentence in shown["left"]]
    return "\n".join(lines)


def imported(shown: ImportJson, what: str) -> str:
    """What an import brought, or would bring."""
    verb = "imported" if shown["done"] else "to be imported"
    what = what if shown["new"] != 1 else what.removesuffix("s")
    already = f", {shown['already']} there already" if shown["already"] else ""
    session = f" into session {shown['session']}" if shown["session"] else ""
    return f"{verb}: {shown['new']} {what}{already}{session}"


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
    if shown["parked"]:
        said.append(f"{typed('memory')} outbox --retry tries again, --drop ID gives one up")
    said += [f"{workspace}: {text}" for workspace, text in shown["queue"].items()]
    return "; ".join(said)


def _wrapped(text: str, *, first: str) -> str:
    """A text of one or more lines, each broken to the terminal's width and indented below the first."""
    width = max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns))
    lines: list[str] = []
    for line in text.split("\n"):
        lines += textwrap.wrap(
            line,
            width=width,
            initial_indent=first if not lines else " " * _INDENT,
            subsequent_indent=" " * _INDENT,
        ) or [first if not lines else ""]
    return "\n".join(lines)
