"""Targets of what decides: command lines, hosts of grants, whole decisions, what is shown for approval."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime

from bxcore.approvals.shown import HEAD, TAIL, shown, visible
from bxcore.args.shell import MAX_COMMAND
from bxcore.grants import Grant, Mode, WhenUntrusted
from bxcore.grants.host_rule import HostError, host_rule
from bxcore.labels import Label, Level
from bxcore.policy import Call, GrantSet, Ruling, Verdict, decide
from bxcore.policy.shell_words import CommandError, first_words
from bxcore.repeats import TurnCalls
from tools.fuzz.target import Target, promise, split, text_of
from tools.fuzz.targets_calls import GOOD, KEYS

PLAIN = re.compile(r"[\w./-]{1,40}", re.ASCII)


def _command(data: bytes) -> None:
    command = text_of(data)[:MAX_COMMAND]
    try:
        words = first_words(command)
    except CommandError as error:
        promise("\n" not in error.sentence, "the sentence is no line")
        return
    promise(first_words(f"{command}\nls") == (*words, "ls"), "a command on a line of its own is not seen")
    promise(first_words(f"ls;{command}") == ("ls", *words), "a command before another is not seen")
    for word in words:
        if PLAIN.fullmatch(word):
            promise(first_words(shlex.quote(word)) == (word,), "a quoted word is another")


def _host(data: bytes) -> None:
    try:
        rule = host_rule(text_of(data))
    except HostError as error:
        promise("\n" not in str(error), "the sentence is no line")
        return
    promise(host_rule(str(rule)) == rule, "a host as it is written is another")


GRANTS = GrantSet.of(
    (
        *(
            Grant(id=f"{tool}-any".replace("_", "-"), tool=tool, mode=Mode.ASK, text="", hosts=hosts)
            for tool, hosts in (("write_file", ()), ("http_fetch", ("*.example.org", "example.org")))
        ),
        Grant(id="read", tool="read_file", mode=Mode.AUTO, text="", paths=("/srv/notes",)),
        Grant(id="read-not", tool="read_file", mode=Mode.DENY, text="", paths=("/srv/notes/private",)),
        Grant(
            id="ls",
            tool="shell",
            mode=Mode.AUTO,
            text="",
            commands=("ls", "head"),
            when_untrusted=WhenUntrusted.NAMED,
        ),
    )
)
NOW = datetime(2027, 1, 31, tzinfo=UTC)
DECIDED = ("read_file", "write_file", "shell", "http_fetch", "recall", "memory", "no_such_tool")
STRICT = {Ruling.ALLOW: 0, Ruling.ASK: 1, Ruling.REFUSE: 2}


def _verdict(tool: str, arguments: str, label: Label) -> Verdict:
    call = Call(tool=tool, arguments=arguments, state=label, calls=TurnCalls(turn=1), said=arguments)
    return decide(call, GRANTS, NOW)


def _decision(data: bytes) -> None:
    which, rest = split(data)
    tool, arguments = DECIDED[which % len(DECIDED)], text_of(rest)
    before = 0
    for level in Level:
        trusted = _verdict(tool, arguments, Label(level, untrusted=False))
        tainted = _verdict(tool, arguments, Label(level, untrusted=True))
        promise(STRICT[trusted.outcome] <= STRICT[tainted.outcome], "taint allows more")
        promise(before <= STRICT[trusted.outcome], "a higher class allows more")
        before = STRICT[trusted.outcome]
        for verdict in (trusted, tainted):
            refused = verdict.outcome is Ruling.REFUSE
            promise(refused == (verdict.sentence is not None), "a refusal without a sentence")
            promise(refused or (verdict.grant and verdict.canonical), "a call runs under no grant")
            promise("\n" not in (verdict.sentence or ""), "the sentence is no line")


def _shown(data: bytes) -> None:
    call = shown("shell", text_of(data))
    text = call.text
    lines = text.split("\n")
    promise(len(lines) == (3 if call.hidden else 1), "an argument wrote a line of its own")
    promise(visible(call.whole) == call.whole, "something invisible is in the whole call")
    promise(call.hidden > 0 or call.whole == text, "the whole is another call than what is shown")
    promise(all(visible(line) == line for line in lines), "something invisible is shown")
    promise(len(text) <= (HEAD + TAIL) * 12, "more is shown than a person reads")


TARGETS = (
    Target(
        name="shell-words",
        check=_command,
        seeds=(
            b"ls -l 'a b' | head -n 5 > out.txt && echo \"$HOME\"",
            b"a=1 git log --oneline; cat <x 2>&1 | sort -u\nmake test || true &",
            b"echo $(date) `id` <(ls) ${x:-y} # comment",
            b"cat <<EOF\nx\nEOF\n[ -f a ] && rm \\\n a",
        ),
        words=(
            b"$(",
            b"`",
            b"<<",
            b"<(",
            b"&&",
            b"||",
            b"|&",
            b">&",
            b"2>",
            b"$'",
            b"\\\n",
            b"#",
            b"!",
            b"{ ",
            b"'",
        ),
    ),
    Target(
        name="grant-hosts",
        check=_host,
        seeds=(b"*.example.org:8080", b"[2001:db8::1]:80", b"192.0.2.1", "bücher.example".encode()),
        words=(b"*.", b":", b"[", b"]", b"xn--", b"@", b"/", b"0x7f", "．".encode()),  # noqa: RUF001
    ),
    Target(
        name="decisions",
        check=_decision,
        seeds=tuple(bytes([place]) + seed for place, tool in enumerate(DECIDED[:-1]) for seed in GOOD[tool]),
        words=(
            *KEYS,
            b"/srv/notes/private",
            b"/srv/notes/",
            b"..",
            b"example.org",
            b"ls",
            b";",
            b"|",
            b"rm ",
        ),
    ),
    Target(
        name="approval-shown",
        check=_shown,
        seeds=(b'{"command":"ls"}', b"x" * 2_000, "a\u202eb\u200b\n…".encode()),
        words=(
            "\u202e".encode(),
            b"\n",
            b"\r",
            "\u2028".encode(),
            "\U000e0041".encode(),
            b"\\u{200b}",
            b"ghp_",
        ),
    ),
)
