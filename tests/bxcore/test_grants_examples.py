from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.grants import load

TEXT = """tool = "write_file"
mode = "auto"
when_untrusted = "named"
max_taint = "private"
expires = 2020-01-01T00:00:00Z

[[examples]]
call = { path = "draft.md", content = "a" }
expect = "allow"

[[examples]]
call = { path = "/etc/passwd", content = "a" }
expect = "refuse"

[[examples]]
call = { path = "draft.md", content = "a" }
untrusted = true
expect = "ask"

[[examples]]
call = { path = "draft.md", content = "a" }
untrusted = true
said = "write it to draft.md, please"
expect = "allow"

[[examples]]
call = { path = "draft.md", content = "a" }
class = "secret"
expect = "refuse"
"""


NO_CALL = (
    "this example's call is no call of shell: invalid argument shape: "
    "the field comand is not known; shell takes command, and may take timeout_s"
)


def otherwise(wanted: str) -> str:
    return (
        f"this example comes out as allow, not {wanted}, "
        "by the rule mode: runs without a question, under g; change the grant or the example"
    )


def problems(folder: Path, text: str) -> list[tuple[int, str]]:
    (folder / "g.toml").write_text(text)
    return [(found.line, found.problem) for found in load(folder).problems]


def test_examples_that_come_out_as_they_say_are_a_good_grant(tmp_path: Path) -> None:
    assert problems(tmp_path, TEXT) == []
    (grant,) = load(tmp_path).grants
    assert grant.text == TEXT


def test_each_example_that_comes_out_otherwise_is_told_with_its_line(tmp_path: Path) -> None:
    assert problems(tmp_path, TEXT.replace('expect = "allow"', 'expect = "ask"')) == [
        (
            9,
            otherwise("ask"),
        ),
        (
            24,
            otherwise("ask"),
        ),
    ]
    assert problems(tmp_path, TEXT.replace('max_taint = "private"', 'max_taint = "secret"')) == [
        (
            29,
            otherwise("refuse"),
        )
    ]


GRANT = 'tool = "shell"\nmode = "ask"\n'


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("examples = 3\n", [(3, "examples is no list of tables; write [[examples]] above each of them")]),
        (
            "[examples]\nx = 1\n",
            [(3, "examples is no list of tables; write [[examples]] above each of them")],
        ),
        (
            "[[examples]]\n",
            [
                (3, "call is missing in this example; write it"),
                (3, "expect is missing in this example; write it"),
            ],
        ),
        (
            '[[examples]]\ncall = { command = "ls" }\nexpct = "ask"\n',
            [
                (3, "expect is missing in this example; write it"),
                (5, "this is no key of an example; did you mean expect?"),
            ],
        ),
        (
            '[[examples]]\ncall = "ls"\nexpect = "yes"\nclass = "x"\nuntrusted = 1\nsaid = 2\n',
            [
                (4, 'call is no table; write the call\'s arguments, such as { path = "a.md" }'),
                (5, "expect is not known; write allow, ask or refuse"),
                (6, "class is no class; write public, private or secret"),
                (7, "untrusted is no boolean; write true or false, without quotes"),
                (8, "said is no string; write what you would have said"),
            ],
        ),
        (
            '[[examples]]\ncall = { command = 2027-01-01 }\nexpect = "ask"\n',
            [(4, "call holds a date or a time; write it as a string")],
        ),
        (
            '[[examples]]\ncall = { comand = "ls" }\nexpect = "refuse"\n',
            [
                (
                    5,
                    NO_CALL,
                )
            ],
        ),
        (
            "exampels = []\n",
            [(3, "exampels is no key of a grant; did you mean examples?")],
        ),
        (
            "examples = [" + '{ call = { command = "ls" }, expect = "ask" },' * 101 + "]\n",
            [(3, "examples has 101 entries; write at most 100")],
        ),
        (
            "memory_mb = 0\n[[examples]]\ncall = { }\n",
            [
                (3, "memory_mb is out of range; write a whole number from 1 to 1048576"),
                (4, "expect is missing in this example; write it"),
            ],
        ),
    ],
)
def test_what_is_wrong_with_an_example_is_told_with_its_line(
    tmp_path: Path, text: str, found: list[tuple[int, str]]
) -> None:
    assert problems(tmp_path, GRANT + text) == found


def test_a_number_that_is_none_is_no_call(tmp_path: Path) -> None:
    ((line, problem),) = problems(
        tmp_path, GRANT + '[[examples]]\ncall = { command = "ls", timeout_s = nan }\nexpect = "ask"\n'
    )
    assert line == 5
    assert problem.startswith("this example's call is no call of shell: invalid argument shape: ")
