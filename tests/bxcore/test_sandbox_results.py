from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.args import ReadFileArgs, ShellArgs, WriteFileArgs
from bxcore.grants import Grant
from bxcore.grants.grant import Mode
from bxcore.labels import Label, Level
from bxcore.sandbox import BrokenOffError, Ran, SandboxError, Stream
from bxcore.sandbox.jobs import Task
from bxcore.sandbox.results import DENIED, answer, failed, text_of
from bxcore.sandbox.scripts import Ended
from bxcore.tool_answer import Effect

FLOOR = Label(Level.SECRET, untrusted=False)


def task(args: ReadFileArgs | WriteFileArgs | ShellArgs) -> Task:
    grant = Grant(
        id="g",
        tool=args.TOOL,
        mode=Mode.AUTO,
        text="",
        result_class=Level.SECRET,
        untrusted=False,
        memory_mb=64,
    )
    return Task(args=args, grant=grant, name="r", limit_s=2.5)


def stream(data: bytes = b"", total: int | None = None) -> Stream:
    return Stream(data=data, total=len(data) if total is None else total)


def ran(  # noqa: PLR0913 (one run)
    exit_code: int | None = 0,
    out: bytes = b"",
    err: bytes = b"",
    *,
    out_total: int | None = None,
    timed_out: bool = False,
    out_of_memory: bool = False,
) -> Ran:
    return Ran(
        exit_code=exit_code,
        stdout=stream(out, out_total),
        stderr=stream(err),
        timed_out=timed_out,
        out_of_memory=out_of_memory,
    )


SHELL = task(ShellArgs("make"))


@pytest.mark.parametrize(
    ("of", "content"),
    [
        (ran(0, b"hi\n"), "exit code 0\nstdout:\nhi"),
        (ran(3, b"a\n\n", b"bad\n"), "exit code 3\nstdout:\na\n\nstderr:\nbad"),
        (ran(), "exit code 0\nno output"),
        (ran(0, b"ab", out_total=900), "exit code 0\nstdout (the first 2 of 900 bytes):\nab"),
        (ran(0, b"\x7fELF\0"), "exit code 0\nstdout: 5 bytes that are no text, not shown"),
        (
            ran(None, b"x", timed_out=True),
            "killed at its limit of 2.5 s; what had run until then stays done\nstdout:\nx",
        ),
        (ran(None), "stopped before its end; what had run until then stays done\nno output"),
        (ran(137, out_of_memory=True), "killed at its memory limit of 64 MB\nno output"),
        (
            ran(137),
            "exit code 137: something in it was killed, such as at the limit of 64 MB\nno output",
        ),
    ],
)
def test_a_shells_answer_says_how_it_ended_and_each_stream_apart(of: Ran, content: str) -> None:
    told = answer(SHELL, of)
    assert (told.content, told.ok, told.label) == (content, of.exit_code == 0, FLOOR)


@pytest.mark.parametrize(
    ("args", "of", "ok", "content"),
    [
        (ReadFileArgs("a"), ran(0, b"text\n", b"size 5\n"), True, "text\n"),
        (ReadFileArgs("a"), ran(0, b"", b"size 0\n"), True, "a is empty"),
        (
            ReadFileArgs("a", 0, 4),
            ran(0, b"text", b"size 9\n"),
            True,
            "bytes 0 to 4 of 9; read on with offset 4\ntext",
        ),
        (
            ReadFileArgs("a", 5),
            ran(0, b"more", b"size 9\n"),
            True,
            "bytes 5 to 9 of 9; this is its end\nmore",
        ),
        (
            ReadFileArgs("a", 9),
            ran(0, b"", b"size 9\n"),
            False,
            "a has 9 bytes, and offset 9 is at or behind its end",
        ),
        (
            ReadFileArgs("a"),
            ran(0, b"\0\0", b"size 2\n"),
            True,
            "a has 2 bytes; those from 0 to 2 are no text, not shown",
        ),
        (ReadFileArgs("a"), ran(Ended.NOT_FOUND), False, "read_file: a is not there"),
        (ReadFileArgs("a"), ran(Ended.FOLDER), False, "read_file: a is a folder; name a file in it"),
        (
            ReadFileArgs("a"),
            ran(Ended.DENIED),
            False,
            f"read_file: a {DENIED}",
        ),
        (
            WriteFileArgs("a", "x"),
            ran(Ended.DENIED, b"", b"mktemp: no\nuser 1000\n"),
            False,
            f"write_file: a {DENIED}; tools run as user 1000 here",
        ),
        (
            ReadFileArgs("a"),
            ran(1, b"", b"size 2\nhead: input/output error\n"),
            False,
            "read_file: a could not be read: head: input/output error",
        ),
        (ReadFileArgs("a"), ran(0, b"x", b"nonsense"), False, "read_file: a could not be read: nonsense"),
        (ReadFileArgs("a"), ran(None, timed_out=True), False, "read_file: a: killed at its limit of 2.5 s"),
        (WriteFileArgs("a", "ü"), ran(), True, "wrote 2 bytes to a"),
        (WriteFileArgs("a", "x"), ran(), True, "wrote 1 byte to a"),
        (WriteFileArgs("a", "ü", append=True), ran(), True, "appended 2 bytes to a"),
        (
            WriteFileArgs("a", "x"),
            ran(None, timed_out=True),
            False,
            "write_file: a: killed at its limit of 2.5 s; look whether it was written",
        ),
        (
            WriteFileArgs("a", "x"),
            ran(Ended.NOT_WRITTEN, b"", b"cat: write error: No space left on device\n"),
            False,
            "write_file: a could not be written: cat: write error: No space left on device",
        ),
    ],
)  # fmt: skip
def test_a_files_answer_is_its_text_or_one_plain_sentence(
    args: ReadFileArgs | WriteFileArgs,
    of: Ran,
    ok: bool,  # noqa: FBT001
    content: str,
) -> None:
    told = answer(task(args), of)
    assert (told.ok, told.content, told.label) == (ok, content, FLOOR)


def test_a_size_that_a_file_forged_in_its_output_is_not_believed() -> None:
    told = answer(task(ReadFileArgs("a")), ran(0, b"size 5\n", b"size " + b"9" * 40 + b"\n"))
    assert not told.ok


@pytest.mark.parametrize("code", [ended for ended in Ended if ended not in (Ended.DONE, Ended.NOT_WRITTEN)])
def test_every_end_of_a_script_has_its_own_sentence(code: Ended) -> None:
    told = answer(task(WriteFileArgs("a", "x")), ran(code))
    assert not told.ok
    assert str(code.value) not in told.content


def test_a_failure_carries_the_grants_floor() -> None:
    told = failed(SHELL, SandboxError("the folder /srv/x of the grant is not there"))
    assert (told.ok, told.label) == (False, FLOOR)
    assert told.content == "shell: the folder /srv/x of the grant is not there"
    assert told.effect is Effect.DONE


def test_a_run_that_broke_off_says_that_its_effect_is_unknown() -> None:
    told = failed(SHELL, BrokenOffError("podman lost sight of the sandbox"))
    assert (told.ok, told.label, told.effect) == (False, FLOOR, Effect.UNKNOWN)
    assert told.content == (
        "shell: podman lost sight of the sandbox; what it did is unknown, look before you do it again"
    )


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1))
def test_text_is_text_even_when_its_last_character_was_cut(text: str) -> None:
    data = text.encode()
    assert text_of(data) == text
    assert text_of(data[:-1], cut=True) == text[:-1]


@given(st.binary(min_size=1, max_size=300))
def test_bytes_are_text_or_nothing_and_always_the_same(data: bytes) -> None:
    found = text_of(data)
    assert found == text_of(data)
    assert found is None or ("\0" not in found and found.count("\ufffd") <= 0.1 * len(found))
