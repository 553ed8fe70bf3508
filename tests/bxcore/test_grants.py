from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bxcore.grants import BUILT_IN, Grant, GrantProblem, Mode, WhenUntrusted, load
from bxcore.labels import Label, Level

MEMORY_POLICY = "the policy of recall, memory and ask_memory is built in; remove this grant"
BAD_ID = "a grant's id is its file's name: 1 to 64 of a-z, 0-9 and -; rename the file"
PORT = "whose port is out of range; write one from 1 to 65535"
NO_HOST = "which is no host; write a name, *.suffix or name:port"
NO_PATH = "which is no absolute and plain path; write one such as /home/me/notes"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "grants"
    made.mkdir()
    return made


def write(folder: Path, name: str, text: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def only(folder: Path) -> Grant:
    grants, problems = load(folder)
    assert problems == ()
    (grant,) = grants
    return grant


def problems(folder: Path) -> list[tuple[str, int, str]]:
    return [(Path(found.file).name, found.line, found.problem) for found in load(folder).problems]


def test_the_built_in_grants_are_part_of_the_contract() -> None:
    assert [grant.id for grant in BUILT_IN] == ["builtin-memory", "builtin-recall", "builtin-ask-memory"]
    for grant, tool in zip(BUILT_IN, ("memory", "recall", "ask_memory"), strict=True):
        text = (
            f'tool = "{tool}"\nmode = "auto"\nmax_taint = "secret"\n'
            'result_class = "private"\nuntrusted = false\n'
        )
        assert (grant.tool, grant.text) == (tool, text)
        assert grant.sha256 == hashlib.sha256(text.encode()).hexdigest()
        assert (grant.mode, grant.max_taint, grant.when_untrusted) == (
            Mode.AUTO,
            Level.SECRET,
            WhenUntrusted.ALLOW,
        )
        assert grant.floor == Label(Level.PRIVATE, untrusted=False)
        assert not grant.expired(datetime.max.replace(tzinfo=UTC))
    assert BUILT_IN[2].sha256 == "018fc97b876abd5e0eba4a684134e822d7783b6c46359c59e204872fa798bd9d"


def test_an_empty_folder_is_a_good_set(folder: Path) -> None:
    assert load(folder) == ((), ())


def test_a_missing_folder_is_a_problem(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere"
    assert load(missing).problems == (
        GrantProblem(str(missing), 1, "the folder of grants does not exist; make it"),
    )
    assert load(write(tmp_path, "file", "")).problems


def test_a_grant_with_every_key_is_read(folder: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    text = (
        f'tool = "shell"\nmode = "ask"\nmax_taint = "secret"\nresult_class = "public"\nuntrusted = false\n'
        f'when_untrusted = "named"\nexpires = 2027-01-31T12:00:00+01:00\n'
        f'paths = ["{notes}/"]\nread_only = false\n'
        f'commands = ["ls", "git"]\ntime_limit_ms = 1000\nmemory_mb = 64\n'
    )
    write(folder, "my-shell-2.toml", text)
    assert only(folder) == Grant(
        id="my-shell-2",
        tool="shell",
        mode=Mode.ASK,
        text=text,
        max_taint=Level.SECRET,
        result_class=Level.PUBLIC,
        untrusted=False,
        when_untrusted=WhenUntrusted.NAMED,
        expires=datetime(2027, 1, 31, 11, tzinfo=UTC),
        paths=(str(notes),),
        read_only=False,
        commands=("ls", "git"),
        time_limit_ms=1000,
        memory_mb=64,
    )


def test_a_fetch_has_hosts_methods_and_a_size(folder: Path) -> None:
    hosts = '["Example.org", "*.a.org", "b.org:8080", "1.1.1.1"]'
    write(
        folder,
        "web.toml",
        f'tool="http_fetch"\nmode="auto"\nhosts={hosts}\nmethods=["GET","HEAD"]\nmax_bytes=5\n',
    )
    grant = only(folder)
    assert grant.hosts == ("example.org", "*.a.org", "b.org:8080", "1.1.1.1")
    assert (grant.methods, grant.max_bytes, grant.max_taint) == (("GET", "HEAD"), 5, Level.PRIVATE)


@pytest.mark.parametrize(
    ("tool", "when_untrusted", "read_only"),
    [
        ("read_file", WhenUntrusted.ALLOW, True),
        ("write_file", WhenUntrusted.ASK, False),
        ("shell", WhenUntrusted.ASK, True),
        ("http_fetch", WhenUntrusted.ASK, True),
    ],
)
def test_what_a_grant_does_not_say_is_the_careful_choice(
    folder: Path,
    tool: str,
    when_untrusted: WhenUntrusted,
    read_only: bool,  # noqa: FBT001
) -> None:
    hosts = 'hosts = ["example.org"]\n' if tool == "http_fetch" else ""
    write(folder, "g.toml", f'tool = "{tool}"\nmode = "auto"\n{hosts}')
    grant = only(folder)
    assert (grant.when_untrusted, grant.read_only) == (when_untrusted, read_only)
    assert (grant.max_taint, grant.floor) == (Level.PRIVATE, Label(Level.PRIVATE, untrusted=True))
    assert grant.expires is None
    assert not grant.expired(datetime.max.replace(tzinfo=UTC))


def test_a_grant_is_none_from_the_moment_it_expires(folder: Path) -> None:
    write(folder, "g.toml", 'tool = "shell"\nmode = "auto"\nexpires = 2027-01-01T00:00:00Z\n')
    grant = only(folder)
    assert not grant.expired(datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC))
    assert grant.expired(datetime(2027, 1, 1, tzinfo=UTC))


SHELL = 'tool = "shell"\nmode = "auto"\n'
FETCH = 'tool = "http_fetch"\nmode = "auto"\n'
HOSTED = FETCH + 'hosts = ["example.org"]\n'
READ = 'tool = "read_file"\nmode = "auto"\n'
SYSTEMS = "which is the system's; name a folder of yours"
WORKS = "and /session is where the sandbox has the session's work folder; name another folder"
ONE_WORD = 'which is more than a first word; write words alone, such as "ls" and "git"'
UNUSUAL = "it is an address in an unusual form; write four decimal numbers such as 192.0.2.1"
KERNELS = "which is the kernel's; name a folder of yours"
WRONG = [
    ("", [(1, "mode is missing; write it"), (1, "tool is missing; write it")]),
    ('tool = "shell"\n', [(1, "mode is missing; write it")]),
    *(
        (f'mode = "deny"\ntool = "{tool}"\nx = 1\n', [(2, MEMORY_POLICY)])
        for tool in ("recall", "memory", "ask_memory")
    ),
    ('tool = "shel"\nmode = "auto"\n', [(1, "tool is no tool that takes a grant; did you mean shell?")]),
    (
        'tool = "clock"\nmode = "auto"\n',
        [(1, "tool is no tool that takes a grant; write read_file, write_file, shell or http_fetch")],
    ),
    ('tool = ["shell"]\nmode = "auto"\n', [(1, "tool is no string; write a tool's name")]),
    ('tool = "shell"\nmode = "Auto"\n', [(2, "mode is not known; did you mean auto?")]),
    ('tool = "shell"\nmode = true\n', [(2, "mode is not known; write auto, ask or deny")]),
    (SHELL + 'max_tant = "public"\n', [(3, "max_tant is no key of a grant; did you mean max_taint?")]),
    (SHELL + "zzz = 1\n", [(3, "zzz is no key of a grant; remove it")]),
    (SHELL + '"a\\nb" = 1\n', [(3, "this is no key of a grant; remove it")]),
    (SHELL + "[zzz]\nx = 1\n", [(3, "zzz is no key of a grant; remove it")]),
    (SHELL + 'max_taint = "privat"\n', [(3, "max_taint is no class; did you mean private?")]),
    (SHELL + 'when_untrusted = "alow"\n', [(3, "when_untrusted is not known; did you mean allow?")]),
    (SHELL + 'max_taint = "top"\n', [(3, "max_taint is no class; write public, private or secret")]),
    (SHELL + "result_class = 1\n", [(3, "result_class is no class; write public, private or secret")]),
    (SHELL + 'untrusted = "no"\n', [(3, "untrusted is no boolean; write true or false, without quotes")]),
    (
        SHELL + 'when_untrusted = "auto"\n',
        [(3, "when_untrusted is not known; write allow, ask, named or deny")],
    ),
    *(
        (
            SHELL + f"expires = {when}\n",
            [(3, "expires is no date-time with a time zone; write one such as 2027-01-31T12:00:00Z")],
        )
        for when in ("2027-01-31", "2027-01-31T12:00:00", '"2027-01-31T12:00:00Z"')
    ),
    (SHELL + 'paths = "/"\n', [(3, 'paths is no list of strings; write one such as ["/home/me/notes"]')]),
    (SHELL + "paths = [1]\n", [(3, 'paths is no list of strings; write one such as ["/home/me/notes"]')]),
    (SHELL + "paths = []\n", [(3, "paths has 0 entries; write 1 to 100, or leave the key out")]),
    *(
        (SHELL + f'paths = ["{path}"]\n', [(3, f"paths holds {shown}, {NO_PATH}")])
        for path, shown in (
            *(("notes", "notes"), ("~/notes", "~/notes"), ("/tmp/..", "/tmp/.."), ("", "an entry")),
            *(("/a\\u0000", "an entry"), ("/a\\u202eb", "an entry"), ("/a\\nb", "an entry")),
        )
    ),
    *(
        (READ + f'paths = ["{path}"]\n', [(3, f"paths holds {path}, {SYSTEMS}")])
        for path in ("/", "//", "/.", "/etc/", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/run")
    ),
    *(
        (READ + f'paths = ["{path}"]\n', [(3, f"paths holds {path}, {KERNELS}")])
        for path in ("/proc/self", "/sys/kernel/debug", "/dev/shm")
    ),
    *(
        (
            READ + f'paths = ["{path}"]\n',
            [(3, f"paths holds {path}, {WORKS}")],
        )
        for path in ("/session", "/session/notes")
    ),
    (
        SHELL + 'paths = ["notes", "/etc", "/no/such"]\nmemory_mb = 0\n',
        [
            (3, f"paths holds /etc, {SYSTEMS}"),
            (3, f"paths holds notes, {NO_PATH}"),
            (4, "memory_mb is out of range; write a whole number from 1 to 1048576"),
        ],
    ),
    (SHELL + 'paths = ["/tmp", "/tmp/"]\n', [(3, "paths names /tmp twice; write each once")]),
    (SHELL + 'paths = ["/no/such"]\n', [(3, "the folder /no/such does not exist; make it or take it out")]),
    (
        SHELL + 'time_limit_ms = "5"\n',
        [(3, "time_limit_ms is no whole number; write one from 1 to 3600000, without quotes")],
    ),
    (
        SHELL + "time_limit_ms = true\n",
        [(3, "time_limit_ms is no whole number; write one from 1 to 3600000, without quotes")],
    ),
    (SHELL + "memory_mb = 0\n", [(3, "memory_mb is out of range; write a whole number from 1 to 1048576")]),
    (
        SHELL + 'commands = ["rm -rf"]\n',
        [(3, f"commands holds rm -rf, {ONE_WORD}")],
    ),
    *(
        (
            SHELL + f"commands = ['{word}']\n",
            [(3, f"commands holds {word}, {ONE_WORD}")],
        )
        for word in ("ls;rm", "$HOME/x", "`id`", "ls|wc", "a>b", '"ls"')
    ),
    (
        'tool = "shell"\nmode = "deny"\npaths = ["/var/tmp"]\n',
        [(3, "paths says nothing in a grant that denies shell; remove it, or name commands")],
    ),
    (
        'tool = "write_file"\nmode = "auto"\nread_only = true\n',
        [(3, "read_only = true lets write_file write nothing; remove it")],
    ),
    (FETCH, [(1, 'hosts is missing; write it, such as hosts = ["example.org"]')]),
    (SHELL + 'hosts = ["a.org"]\n', [(3, "hosts is no key of a grant for shell; remove it")]),
    (HOSTED + "read_only = true\n", [(4, "read_only is no key of a grant for http_fetch; remove it")]),
    *(
        (FETCH + f'hosts = ["{host}"]\n', [(3, f"hosts holds {host or 'an entry'}, {NO_HOST}")])
        for host in ("a.org/x", "*", "a.*.org", "me@a.org", "", "a.org:", "a.org:x", "::1")
    ),
    *(
        (FETCH + f'hosts = ["{host}"]\n', [(3, f"hosts holds {host}, {PORT}")])
        for host in ("a.org:0", "a.org:65536", "a.org:1234567", "*.a.org:99999", "[2a00::1]:99999")
    ),
    (
        FETCH + 'hosts = ["https://a.org/x"]\n',
        [(3, "hosts holds https://a.org/x, which is an address; drop http:// and all behind the host")],
    ),
    *(
        (FETCH + f'hosts = ["{host}"]\n', [(3, f"hosts holds {host}, which is no host: {reason}")])
        for host, reason in (
            ("a..org", "it has an empty part between dots; write it without"),
            ("*..org", "it has an empty part between dots; write it without"),
            ("2130706433", UNUSUAL),
            ("0x7f.1", UNUSUAL),
        )
    ),
    (
        FETCH + 'hosts = ["*.192.0.2.1"]\n',
        [(3, "hosts holds *.192.0.2.1, which has a * before an address; write the address alone")],
    ),
    *(
        (FETCH + f'hosts = ["{host}"]\n', [(3, f"hosts holds {host}, which is {what}, take it out")])
        for host, what in (
            ("localhost", "this machine; only public addresses are fetched"),
            ("*.localhost:8080", "this machine; only public addresses are fetched"),
            ("127.0.0.1:8080", "no public address; no other is fetched"),
            ("10.0.0.1", "no public address; no other is fetched"),
            ("[::1]:80", "no public address; no other is fetched"),
            ("169.254.169.254", "no public address; no other is fetched"),
        )
    ),
    (FETCH + 'hosts = ["a.org", "A.org."]\n', [(3, "hosts names a.org twice; write each once")]),
    (
        HOSTED + 'methods = ["PUT"]\n',
        [(4, "methods holds PUT, which is no method that is known; write GET, HEAD or POST")],
    ),
    ("tool = \n", [(1, "this is no valid TOML: tool has no value; write one behind the =")]),
    (
        SHELL + 'mode = "deny"\n',
        [(3, "this is no valid TOML: the key mode stands here a second time; write it once")],
    ),
    (SHELL.encode() + b"# \xff\n", [(3, "this is no UTF-8; save the file as UTF-8")]),
    ("#" * 65_537, [(1, "the file has 65537 bytes, over the limit of 65536; shorten it")]),
    ("x = " + "[" * 5_000, [(1, "this is nested too deep; write plain keys")]),
]


@pytest.mark.parametrize(("text", "found"), WRONG)
def test_what_is_wrong_with_a_grant_is_told_with_its_line(
    folder: Path, text: str | bytes, found: list[tuple[int, str]]
) -> None:
    write(folder, "g.toml", text)
    assert problems(folder) == [("g.toml", line, problem) for line, problem in found]
    assert load(folder).grants == ()


def test_all_problems_of_all_files_are_told_at_once_in_order(folder: Path) -> None:
    write(folder, "b.toml", 'x = 1\nmode = "maybe"\n\nuntrusted = 0\ntool = "shell"\n')
    write(folder, "a.toml", 'tool = "memory"\n')
    write(folder, "good.toml", SHELL)
    write(folder, "Bad_Name.toml", SHELL + "zzz = 1\n")
    assert problems(folder) == [
        ("Bad_Name.toml", 1, BAD_ID),
        ("Bad_Name.toml", 3, "zzz is no key of a grant; remove it"),
        ("a.toml", 1, MEMORY_POLICY),
        ("b.toml", 1, "x is no key of a grant; remove it"),
        ("b.toml", 2, "mode is not known; write auto, ask or deny"),
        ("b.toml", 4, "untrusted is no boolean; write true or false, without quotes"),
    ]
    assert [grant.id for grant in load(folder).grants] == ["good"]


@pytest.mark.parametrize("name", ["A.toml", "a_b.toml", "a b.toml", "é.toml", "a.b.toml", "x" * 65 + ".toml"])
def test_a_file_whose_name_is_no_id_is_a_problem(folder: Path, name: str) -> None:
    write(folder, name, SHELL)
    assert problems(folder) == [(name, 1, BAD_ID)]


def test_an_id_that_is_taken_is_a_problem(folder: Path) -> None:
    write(folder, "a.TOML", SHELL)
    write(folder, "a.toml", SHELL)
    write(folder, "builtin-recall.toml", SHELL)
    assert problems(folder) == [
        ("a.toml", 1, "the id a is that of a.TOML already; rename the file"),
        (
            "builtin-recall.toml",
            1,
            "the id builtin-recall is that of a built-in grant already; rename the file",
        ),
    ]


def test_other_files_and_hidden_ones_are_no_grants(folder: Path) -> None:
    for name in ("README.md", ".hidden.toml", "a.toml~", "a.toml.bak"):
        write(folder, name, "nonsense")
    assert load(folder) == ((), ())


def test_a_folder_named_like_a_grant_is_a_problem_and_no_crash(folder: Path) -> None:
    (folder / "a.toml").mkdir()
    assert problems(folder) == [("a.toml", 1, "the file cannot be read: is a directory")]


def test_windows_line_ends_and_a_comment_are_no_matter(folder: Path) -> None:
    write(folder, "a.toml", "# mine\r\n" + SHELL.replace("\n", "\r\n") + "zzz = 1\r\n")
    assert problems(folder) == [("a.toml", 4, "zzz is no key of a grant; remove it")]
